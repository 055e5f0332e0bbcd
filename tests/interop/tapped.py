"""What `barewire tap` has to show of a session that it stood in: the same as the record."""

import json
from glob import glob

# A client may start its server more than once: a log for each process.
START = 'tap=$0 base=$1; shift; exec "$tap" tap --json --log "$base.$$.tap" -- "$@"'

# Beyond so many bytes a line is not looked into.
LONG = 1 << 20


def command(barewire, base):
    """What stands before the command of a server; nothing without `barewire`."""
    return ["sh", "-c", START, barewire, base] if barewire else []


def about(line):
    """What both say of a line: its bytes, its kind, the id that is in it, the method of those that have one. Of a long one less."""
    message = json.loads(line)
    method = message.get("method")
    identity = message.get("id")
    if method == "notifications/cancelled":
        identity = message["params"]["requestId"]
    if len(line) > LONG:
        kind, method = "long", None
    elif method is not None:
        kind = "request" if "id" in message else "notification"
    else:
        kind = "error" if "error" in message else "result"
    return [len(line), kind, identity, method]


def seen(event):
    has_method = event["kind"] in ("request", "notification")
    return [event["bytes"], event["kind"], event.get("id"), event["method"] if has_method else None]


def recorded(path, mark):
    with open(path, "rb") as file:
        return [about(line[2:].rstrip(b"\n")) for line in file if line.startswith(mark)]


class Log:
    """One process: what was seen of the messages of both sides, and the last line."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as file:
            *self.events, self.summary = map(json.loads, file)

    def messages(self, side):
        return [event for event in self.events if event.get("from") == side and "bytes" in event]


def every_message(records, logs):
    """All that was said, in its order, by either side."""
    said = [[recorded(record.path, mark) for mark in (b"> ", b"< ")] for record in records]
    told = [[list(map(seen, log.messages(side))) for side in ("client", "server")] for log in logs]
    assert sorted(told, key=json.dumps) == sorted(said, key=json.dumps), f"{[log.path for log in logs]} tell something else"
    for log in logs:
        for side in ("client", "server"):
            assert log.summary[side]["unseen"] == 0, f"{log.path}: not all of the {side} was seen"


def no_fault_of_the_server(_, logs):
    """A client may be led into faults by the checks; the server has none."""
    faulty = [event for log in logs for event in log.messages("server") if event.get("faults") or event["kind"] == "invalid"]
    assert not faulty, f"{faulty[:3]}"


CHECKS = [every_message, no_fault_of_the_server]


def logs(pattern):
    return [Log(path) for path in sorted(glob(pattern))]
