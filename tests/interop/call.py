"""Has `barewire call` talk to servers made by others, in each revision that they speak, and `barewire check` hold them
against the requirements, and prints what came of it.

    call.py BAREWIRE WORK [--lacks PART=REASON]... [--broken PART=REASON]...

A part is what a server is made with. What a lacking part is needed for is skipped, what a broken one is needed for has
failed.
"""

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Servers start slowly, and wait most of the time.
PARALLEL = 3
LIMIT = 120
# For a server that is held against all requirements, and is silent at many.
HOLD_LIMIT = 240

LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
MODERN = "2026-07-28"
# Without `--protocol`: the client finds out.
AUTO = "any"

RESULT, TOOL_ERROR, PROTOCOL_ERROR, NO_CONNECTION = range(4)


# The first of each server's checks are made in every revision, the rest once: a server takes seconds to start.
IN_EVERY_REVISION = 4


class Check:
    """Arguments of `barewire call`, the exit status, and a text that its output has."""

    def __init__(self, name, arguments, status, text=""):
        self.name, self.arguments, self.status, self.text = name, arguments, status, text


def call(name, tool, *arguments, status=RESULT, text=""):
    given = [part for argument in arguments for part in ("--arg", argument)]
    # A tool error is the server's: `call` must not find the fault first.
    unchecked = ["--no-check"] if status == TOOL_ERROR else []
    return Check(name, [*unchecked, "--tool", tool, *given], status, text)


def adder(unknown):
    """What the servers of `servers/` have; `unknown` is the status for a tool that does not exist."""
    return [
        Check("lists tools", [], RESULT, "add: Adds two integers."),
        call("calls a tool", "add", "a=40", "b=2", text="42"),
        call("tells a tool error", "fail", status=TOOL_ERROR, text="out of order"),
        call("tells an unknown tool", "nope", status=unknown),
        Check("takes arguments as JSON", ["--tool", "add", "--args", '{"a":-1,"b":1}', "--json"], RESULT, '"text":"0"'),
        Check("waits no longer than told", ["--tool", "slow", "--timeout", "1"], PROTOCOL_ERROR, "no answer within 1 s"),
        *[
            Check(f"has ids by {form}", ["--tool", "add", "--arg", "a=1", "--arg", "b=1", "--ids", form], RESULT, "2")
            for form in ["counter-string", "timestamp", "uuid"]
        ],
    ]


def python(unknown):
    return [
        *adder(unknown),
        call("shows progress", "steps", text="progress 3"),
        Check("lists resources", ["--list", "resources"], RESULT, "demo://readme"),
        Check("reads a resource", ["--read", "demo://readme"], RESULT, "read me"),
        Check("tells an unknown resource", ["--read", "demo://nope"], PROTOCOL_ERROR, "nknown resource: demo://nope"),
        Check("lists prompts", ["--list", "prompts"], RESULT, "greet: Greets."),
        Check("gets a prompt", ["--prompt", "greet", "--arg", "name=Ann"], RESULT, "user: Hello Ann"),
    ]


EVERYTHING = [
    Check("lists tools", [], RESULT, "echo: Echoes back the input string"),
    call("calls a tool", "echo", "message=hi", text="Echo: hi"),
    call("tells a tool error", "get-sum", "a=x", status=TOOL_ERROR),
    Check("reads a resource", ["--read", "demo://resource/dynamic/text/1"], RESULT, "Resource 1"),
    call("tells an unknown tool", "nope", status=TOOL_ERROR),
    Check("takes arguments as JSON", ["--tool", "get-sum", "--args", '{"a":40,"b":2}', "--json"], RESULT, "is 42."),
    call("shows progress", "trigger-long-running-operation", "duration=1", "steps=2", text="progress 2/2"),
    call("shows structured content", "get-structured-content", "location=Chicago", text='"temperature"'),
    call("shows an image", "get-tiny-image", text="[image image/png, "),
    Check("lists resources", ["--list", "resources"], RESULT, "demo://resource/static/document/features.md"),
    Check("lists templates", ["--list", "templates"], RESULT, "demo://resource/dynamic/text/{resourceId}"),
    Check("reads a blob", ["--read", "demo://resource/dynamic/blob/1"], RESULT, " bytes]"),
    Check("tells an unknown resource", ["--read", "demo://nope"], PROTOCOL_ERROR, "error -3"),
    Check("lists prompts", ["--list", "prompts"], RESULT, "args-prompt: "),
    Check("gets a prompt", ["--prompt", "args-prompt", "--arg", "city=Rome"], RESULT, "Rome"),
    *[
        Check(f"has ids by {form}", ["--tool", "echo", "--arg", "message=hi", "--ids", form], RESULT, "Echo: hi")
        for form in ["counter-string", "timestamp", "uuid"]
    ],
]

DEMO = [
    Check("lists tools", [], RESULT, "echo: Returns the given text unchanged."),
    call("calls a tool", "add", "a=40", "b=2", text="42"),
    call("tells a tool error", "add", "a=x", status=TOOL_ERROR, text="Invalid arguments for add"),
    call("tells an unknown tool", "nope", status=PROTOCOL_ERROR, text="error -32602 Unknown tool"),
    call("shows progress", "slow", "ms=50", text="progress 10/10"),
    Check("waits no longer than told", ["--tool", "slow", "--arg", "ms=30000", "--timeout", "1"], PROTOCOL_ERROR, "no answer within 1 s"),
    Check("reads a resource", ["--read", "demo://square/12"], RESULT, "144"),
    Check("gets a prompt", ["--prompt", "greet", "--arg", "name=Ann"], RESULT, "user: Ann"),
]


class Server:
    """How it is started, the part that it needs, its revisions, and what it has to show."""

    def __init__(self, name, part, command, revisions, checks, unmet):
        self.name, self.part, self.command, self.revisions, self.checks = name, part, command, revisions, checks
        # Requirements that it is known not to meet: docs/check-results.md. None for a server that is to meet all.
        self.unmet = set(unmet.split())

    def jobs(self):
        """The last of the revisions gets all checks."""
        return [
            (revision, check)
            for revision in self.revisions
            for check in (self.checks if revision == self.revisions[-1] else self.checks[:IN_EVERY_REVISION])
        ]


def servers(barewire, work):
    everything = work / "servers-node/node_modules/@modelcontextprotocol/server-everything/dist/index.js"
    return [
        Server("barewire serve", None, [barewire, "serve"], [*LEGACY, MODERN, AUTO], DEMO, ""),
        Server("server-everything", "servers-node", ["node", everything, "stdio"], [*LEGACY, AUTO], EVERYTHING, "1.1 12 14 15 63 70 71 77 78 79"),
        Server(
            "python 1.x",
            "python-1",
            [work / "python-1/bin/python", HERE / "servers/python1.py"],
            [*LEGACY, AUTO],
            python(unknown=TOOL_ERROR),
            "1.1 12 15 30 70 71 77 78",
        ),
        Server(
            "python 2.x",
            "python-2",
            [work / "python-2/bin/python", "-W", "ignore", HERE / "servers/python2.py"],
            [*LEGACY, MODERN, AUTO],
            python(unknown=TOOL_ERROR),
            "1.1 12 15 39 70 71 77 78 85",
        ),
        Server(
            "rmcp",
            "rmcp-server",
            [work / "rust/debug/barewire-interop-rmcp-server"],
            [*LEGACY, MODERN, AUTO],
            adder(unknown=PROTOCOL_ERROR),
            "1.1 9 12 36 37 39 70 71",
        ),
    ]


def hold(barewire, server):
    """None, or what is wrong with what `barewire check` says: each row has a verdict, and what is known not to be met is not."""
    try:
        command = [barewire, "check", "--json", "--", *server.command]
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=HOLD_LIMIT)
    except subprocess.TimeoutExpired:
        return f"did not end within {HOLD_LIMIT} s"
    if not done.stdout:
        return f"exit status {done.returncode}: {done.stderr[-300:]!r}"
    *rows, total = map(json.loads, done.stdout.splitlines())
    verdicts = [row["verdict"] for row in rows]
    counted = {"met": verdicts.count("met"), "not_met": verdicts.count("not-met"), "not_applicable": verdicts.count("not-applicable")}
    if total != counted or sum(counted.values()) != len(rows):
        return f"the rows are {counted}, the count is {total}"
    found = {row["requirement"] for row in rows if row["verdict"] == "not-met"}
    # A server that is slow today may miss more.
    if not server.unmet <= found or (not server.unmet and found):
        return f"not met are {sorted(found)} and not {sorted(server.unmet)}"
    if done.returncode != bool(found):
        return f"exit status {done.returncode}"
    return None


def run(barewire, server, revision, check):
    """None, or what is wrong."""
    protocol = [] if revision == AUTO else ["--protocol", revision]
    # A server may start slowly, which is not what is tried here.
    command = [barewire, "call", *protocol, "--probe-timeout", "30", *check.arguments, "--", *server.command]
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"did not end within {LIMIT} s"
    output = (done.stdout + done.stderr).decode("utf-8", "replace")
    if done.returncode != check.status:
        return f"exit status {done.returncode} instead of {check.status}: {output[-300:]!r}"
    if check.text not in output:
        return f"no {check.text!r} in {output[-300:]!r}"
    return None


def parts(pairs):
    return dict(pair.split("=", 1) for pair in pairs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("barewire")
    parser.add_argument("work", type=Path)
    parser.add_argument("--lacks", action="append", default=[])
    parser.add_argument("--broken", action="append", default=[])
    arguments = parser.parse_args()
    lacks, broken = parts(arguments.lacks), parts(arguments.broken)
    passed, failures, skipped = 0, [], 0
    usable = []
    for server in servers(arguments.barewire, arguments.work):
        count = len(server.jobs()) + 1
        if server.part in broken:
            failures.append(f"{server.name}: {broken[server.part]}")
        elif server.part in lacks:
            print(f"SKIPPED {server.name}, {count} checks: {lacks[server.part]}")
            skipped += count
        else:
            usable.append(server)
    # To hold a server against the requirements is mostly to wait for what it does not say: all at once, beside the calls.
    with ThreadPoolExecutor(PARALLEL) as pool, ThreadPoolExecutor(len(usable)) as waiting:
        held = [waiting.submit(hold, arguments.barewire, server) for server in usable]
        for server in usable:
            jobs = server.jobs()
            outcomes = list(pool.map(lambda job: run(arguments.barewire, server, *job), jobs))
            for revision in server.revisions:
                of_revision = [outcome for (other, _), outcome in zip(jobs, outcomes) if other == revision]
                good = of_revision.count(None)
                print(f"call {server.name:18} {revision:10} {good} of {len(of_revision)}")
                passed += good
            for (revision, check), outcome in zip(jobs, outcomes):
                if outcome is not None:
                    failures.append(f"{server.name} {revision} {check.name}: {outcome}")
        for server, outcome in zip(usable, [future.result() for future in held]):
            print(f"check {server.name:18} {'as known' if outcome is None else 'otherwise'}")
            passed += outcome is None
            if outcome is not None:
                failures.append(f"{server.name} held against the requirements: {outcome}")
    for failure in failures:
        print(f"FAILED call {failure}")
    print(f"call: {passed} passed, {len(failures)} failed, {skipped} skipped")
    is_ci = os.environ.get("CI") == "true"
    refused = all("registry refused" in lacks.get(part, "registry refused") for part in lacks)
    sys.exit(bool(failures) or (is_ci and not refused))


main()
