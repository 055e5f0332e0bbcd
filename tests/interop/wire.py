"""What the record of a session has to show, whatever its client made of it."""

import json
import re

MODERN = "2026-07-28"
EXIT = re.compile(r"# exit (-?\d+), (-?[\d.]+) s after the end of input, (\d+) bytes on standard error")
# Seconds from the end of input to the exit, when nothing is in flight.
PROMPT = 2.0


RETRY = {"inputResponses", "requestState"}
RELATED_TASK = "io.modelcontextprotocol/related-task"
FINAL = ("completed", "failed", "cancelled")
CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
# What a server may ask, the capability that it needs, and the revision that it came with.
QUESTIONS = {
    "roots/list": ("roots", "2024-11-05"),
    "sampling/createMessage": ("sampling", "2024-11-05"),
    "elicitation/create": ("elicitation", "2025-06-18"),
}


def key(value):
    return json.dumps(value, sort_keys=True)


def result_type(message):
    return (message.get("result") or {}).get("resultType")


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
    """A client that declares nothing is asked nothing."""
    for record in records:
        asked = [message for message in record.received if "method" in message and "id" in message]
        assert not asked, f"{record.path}: {asked}"
        wants = [message for message in record.received if result_type(message) in ("input_required", "task")]
        assert not wants, f"{record.path}: {wants}"


def questions(records):
    """Requests to the client come once it is ready, with ids of their own, for what it has declared and its revision
    has, and each has its one answer; one that was given up may have none."""
    count = 0
    for record in records:
        declared, revision, is_ready = {}, None, False
        asked, given_up, answered = set(), set(), []
        for side, message in record.sequence:
            method, params = message.get("method"), message.get("params") or {}
            if side == "sent":
                if method == "initialize":
                    declared = params["capabilities"]
                is_ready |= method == "notifications/initialized"
                if method is None:
                    assert key(message["id"]) in asked, f"{record.path}: {message} answers no question"
                    answered.append(key(message["id"]))
            elif method is None:
                revision = (message.get("result") or {}).get("protocolVersion", revision)
            elif "id" in message:
                assert is_ready, f"{record.path}: {method} before the client was ready"
                assert key(message["id"]) not in asked, f"{record.path}: the id {message['id']!r} comes again"
                assert method in QUESTIONS, f"{record.path}: {method}"
                capability, since = QUESTIONS[method]
                assert capability in declared, f"{record.path}: {method} to {declared}"
                assert revision >= since, f"{record.path}: {method} in {revision}"
                asked.add(key(message["id"]))
            elif method == "notifications/cancelled":
                given_up.add(key(params["requestId"]))
        assert len(answered) == len(set(answered)), f"{record.path}: {answered}"
        assert given_up <= asked, f"{record.path}: given up are {given_up - asked}, which nobody asked"
        assert asked - given_up <= set(answered), f"{record.path}: unanswered are {asked - given_up - set(answered)}"
        count += len(asked)
    assert count > 10, f"{count} questions"


def given_up(records):
    """The question of a call that was cancelled is cancelled too, and that call has no answer (`answers`)."""
    methods = [message.get("method") for record in records for message in record.received]
    assert methods.count("notifications/cancelled") == 1, "no question was given up, or more than one"


def rounds(records):
    """A result that asks for input asks for what its request has declared. It is answered by another request for the
    same, with all answers, and with the state, if there is one, unchanged."""
    count = 0
    for record in records:
        requests, waiting = {}, []
        for side, message in record.sequence:
            params = message.get("params") or {}
            if side == "sent":
                requests[key(message.get("id"))] = params
                if message.get("method") == "tools/call" and not params.keys().isdisjoint(RETRY):
                    answered = round_of(params, params.get("requestState"), params.get("inputResponses", {}))
                    assert answered in waiting, f"{record.path}: {answered} was not asked for"
                    waiting.remove(answered)
                    count += 1
                continue
            assert "method" not in message or "id" not in message, f"{record.path}: {message}"
            if result_type(message) == "input_required":
                first, result = requests[key(message["id"])], message["result"]
                declared = first["_meta"][CLIENT_CAPABILITIES]
                for question in result["inputRequests"].values():
                    capability, _ = QUESTIONS[question["method"]]
                    assert capability in declared, f"{record.path}: {question} to {declared}"
                    assert not {"id", "jsonrpc"} & question.keys(), f"{record.path}: {question}"
                waiting.append(round_of(first, result.get("requestState"), result["inputRequests"]))
        assert not waiting, f"{record.path}: nobody answered {waiting}"
    assert count > 10, f"{count} rounds"


def round_of(params, state, keys):
    return params["name"], key(params.get("arguments")), state, sorted(keys)


def tasks(records):
    """What is told of a task is told of one that was begun, and its end is the last that is told."""
    begun, over = set(), set()
    for record in records:
        for side, message in record.sequence:
            result = message.get("result") or {}
            if side == "sent":
                continue
            if "task" in result or result_type(message) == "task":
                begun.add(result.get("task", result)["taskId"])
            elif message.get("method") in ("notifications/tasks/status", "notifications/tasks"):
                identity, status = message["params"]["taskId"], message["params"]["status"]
                assert identity in begun, f"{record.path}: {identity} was not begun"
                assert identity not in over, f"{record.path}: {identity} was over, and is {status}"
                if status in FINAL:
                    over.add(identity)
    assert len(begun) >= 2, f"{len(begun)} tasks"


def progress(records):
    """The progress of a call goes up, ends before the answer, and all ten steps of the one in the check are there. A
    task's goes on behind it, until the task has ended."""
    counts = set()
    for record in records:
        steps, tokens, tasks = {}, {}, {}
        for side, message in record.sequence:
            params, result = message.get("params") or {}, message.get("result") or {}
            if side == "sent" and "progressToken" in (params.get("_meta") or {}):
                tokens[key(message["id"])] = key(params["_meta"]["progressToken"])
                steps[tokens[key(message["id"])]] = []
            elif side == "received" and message.get("method") == "notifications/progress":
                of = key(params["progressToken"])
                assert of in steps, f"{record.path}: progress of {of}, which nobody waits for"
                assert not steps[of] or params["progress"] > steps[of][-1], f"{record.path}: {steps[of]}"
                related = (params.get("_meta") or {}).get(RELATED_TASK)
                assert related == tasks.get(of), f"{record.path}: progress of {of} belongs to {related}"
                steps[of].append(params["progress"])
            elif side == "received" and message.get("method") == "notifications/tasks/status":
                ended = [of for of, task in tasks.items() if task["taskId"] == params["taskId"]]
                for of in ended if params["status"] in FINAL else []:
                    steps.pop(of, None)
            elif side == "received" and "method" not in message and key(message["id"]) in tokens:
                of = tokens[key(message["id"])]
                if "task" in result:
                    tasks[of] = {"taskId": result["task"]["taskId"]}
                else:
                    counts.add(len(steps.pop(of)))
    assert 10 in counts, f"no call has ten steps, but {sorted(counts)}"


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


# Of parts that others add.
CHECKS = {}


def checks_for(part, revision):
    if part in CHECKS:
        return CHECKS[part]
    if part == "hundred":
        return [answers, no_requests, pages, closing]
    if part == "methods":
        return [answers, cancellation, progress, closing]
    if part == "silent":
        return [answers, no_requests, closing]
    common = [answers, cancellation, progress, closing]
    if revision == MODERN:
        return [*common, rounds, tasks]
    if revision < "2025-06-18":
        return [*common, questions]
    return [*common, questions, given_up, *([tasks] if revision == "2025-11-25" else [])]
