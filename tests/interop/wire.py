"""What the record of a session has to show, whatever its client made of it."""

import json
import re

EXIT = re.compile(r"# exit (-?\d+), (-?[\d.]+) s after the end of input, (\d+) bytes on standard error")
# Seconds from the end of input to the exit, when nothing is in flight.
PROMPT = 2.0


def key(value):
    return json.dumps(value)


class Record:
    """One process: the messages of both sides, and how it ended."""

    def __init__(self, path):
        self.path = path
        self.sent, self.received, self.end = [], [], None
        self.sequence = []
        self.longest = 0
        with open(path, encoding="utf-8", newline="\n") as file:
            for line in file:
                mark, text = line[:2], line[2:].rstrip("\n")
                if mark == "> ":
                    self.sent.append(json.loads(text))
                    self.sequence.append(("sent", self.sent[-1]))
                elif mark == "< ":
                    self.received.append(json.loads(text))
                    self.longest = max(self.longest, len(text.encode()) + 1)
                    self.sequence.append(("received", self.received[-1]))
                else:
                    self.end = line.rstrip("\n")

    def is_probe(self):
        """Whether a client only asked here what the server is, and then stopped the process by signal."""
        return [message.get("method") for message in self.sent] == ["server/discover"]


def answers(records):
    """Each request has its one answer, a cancelled one has none, and nothing else is answered."""
    for record in records:
        cancelled = {
            key(message["params"]["requestId"])
            for message in record.sent
            if message.get("method") == "notifications/cancelled"
        }
        waiting = set()
        for side, message in record.sequence:
            if side == "sent":
                if "method" in message and "id" in message:
                    waiting.add(key(message["id"]))
            elif "method" not in message:
                identity = key(message["id"])
                assert identity in waiting, f"{record.path}: {identity} is answered, but not asked or asked once"
                waiting.remove(identity)
        assert waiting == cancelled, f"{record.path}: unanswered are {waiting}, cancelled are {cancelled}"


def cancellation(records):
    """A call was cancelled, so that the lack of an answer means something."""
    methods = [message.get("method") for record in records for message in record.sent]
    assert "notifications/cancelled" in methods, "nothing was cancelled"


def no_requests(records):
    """This server asks a client nothing."""
    for record in records:
        asked = [message for message in record.received if "method" in message and "id" in message]
        assert not asked, f"{record.path}: {asked}"


def progress(records):
    """The progress of a call goes up, ends before the answer, and all ten steps of the one in the check are there."""
    longest = 0
    for record in records:
        steps, tokens = {}, {}
        for side, message in record.sequence:
            params = message.get("params") or {}
            if side == "sent" and "progressToken" in (params.get("_meta") or {}):
                tokens[key(message["id"])] = key(params["_meta"]["progressToken"])
                steps[tokens[key(message["id"])]] = []
            elif side == "received" and message.get("method") == "notifications/progress":
                of = key(params["progressToken"])
                assert of in steps, f"{record.path}: progress of {of}, which nobody waits for"
                assert not steps[of] or params["progress"] > steps[of][-1], f"{record.path}: {steps[of]}"
                steps[of].append(params["progress"])
            elif side == "received" and "method" not in message and key(message["id"]) in tokens:
                longest = max(longest, len(steps.pop(tokens[key(message["id"])])))
    assert longest == 10, f"at most {longest} steps"


def closing(records):
    """The process ends by itself, soon and with 0, and has said nothing on standard error."""
    sessions = [record for record in records if not record.is_probe()]
    assert len(sessions) == 1, f"{len(sessions)} sessions"
    end = EXIT.fullmatch(sessions[0].end or "")
    assert end, f"{sessions[0].path} ends with {sessions[0].end!r}"
    status, seconds, noise = int(end[1]), float(end[2]), int(end[3])
    assert status == 0, f"exit status {status}"
    assert 0 <= seconds < PROMPT, f"it took {seconds} s"
    assert noise == 0, f"{noise} bytes on standard error"


def pages(records):
    """The list came in pages, each in one line of at most 1 KiB."""
    lists = [message for record in records for message in record.sent if message.get("method") == "tools/list"]
    assert len(lists) > 10, f"{len(lists)} pages"
    longest = max(record.longest for record in records)
    assert 700 < longest <= 1024, f"the longest line has {longest} bytes"


CHECKS = {
    "demo": [answers, cancellation, no_requests, progress, closing],
    "hundred": [answers, no_requests, pages, closing],
}
