"""Starts each client in each revision, has the checks drive it, and prints what came of it.

    drive.py BAREWIRE HUNDRED METHODS WORK SCHEMAS TRANSCRIPTS [--since TIME] [--lacks PART=REASON]... [--broken PART=REASON]...

A part is a client, one of the servers `hundred` and `methods`, or the validator of `schemas`. What a lacking part is needed for is skipped,
what a broken one is needed for has failed.
"""

import argparse
import asyncio
import functools
import json
import os
import signal
import subprocess
import sys
import time
from glob import glob
from pathlib import Path

import checks
import conversations
import methods_checks
import tapped
import wire

HERE = Path(__file__).resolve().parent
# Sessions of which every server line is wrong: the validator has to find them all.
FAULTY = HERE / "schemas/faulty.txt"
# Sessions wait most of the time.
PARALLEL = 3
ASK_LIMIT = 30
SESSION_LIMIT = 90

MODERN = checks.MODERN


class Way:
    """A revision, how the client comes to it, and the part of the checks.

    `demo`: the client declares all that it can answer. `silent`: it declares nothing. `hundred`: the server is one of a
    hundred tools. `methods`: it is one that the macros made.
    """

    def __init__(self, revision, mode="handshake", part="demo"):
        self.revision, self.mode, self.part = revision, mode, part
        self.server = part if part in ("hundred", "methods") else "demo"
        self.declares = "all" if part in ("demo", "methods") else "nothing"
        # The others come by one way to each revision.
        self.name = f"{revision} " + {"demo": mode, "methods": f"{mode} methods"}.get(part, part)


LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
HANDSHAKES = [Way(revision, part=part) for part in ("demo", "silent", "methods") for revision in LEGACY]
MODERN_SILENT = Way(MODERN, "auto", "silent")
OLD_PAGES = Way("2025-11-25", part="hundred")
NEW_PAGES = Way(MODERN, "auto", "hundred")


def modern(*modes):
    """The ways to 2026-07-28, for the servers to which a client comes by all of them."""
    return [Way(MODERN, mode, part) for part in ("demo", "methods") for mode in modes]


# Which revisions each client can speak, and by which ways to 2026-07-28. The sdk files say how each is made to.
WAYS = {
    # No 2026-07-28: the 1.x SDKs know neither `server/discover` nor metadata in each request.
    "typescript 1.x": [*HANDSHAKES, OLD_PAGES],
    "typescript 2.x": [*HANDSHAKES, *modern("auto", "in-place", "pin"), MODERN_SILENT, OLD_PAGES, NEW_PAGES],
    "python 1.x": [*HANDSHAKES, OLD_PAGES],
    "python 2.x": [*HANDSHAKES, *modern("auto", "pin"), MODERN_SILENT, OLD_PAGES, NEW_PAGES],
    "rmcp": [*HANDSHAKES, *modern("auto", "pin"), MODERN_SILENT, OLD_PAGES, NEW_PAGES],
}

# The schemas have no client; they are lacking under this name.
VALIDATOR = "schemas"


def commands(work):
    return {
        "typescript 1.x": ["node", work / "node/sdk1.mjs"],
        "typescript 2.x": ["node", work / "node/sdk2.mjs"],
        "python 1.x": [work / "python-1/bin/python", HERE / "python/sdk1.py"],
        "python 2.x": [work / "python-2/bin/python", "-W", "ignore", HERE / "python/sdk2.py"],
        "rmcp": [work / "rust/debug/barewire-interop-rmcp"],
    }


class Stopped(Exception):
    """The client is of no more use."""


class Session:
    """One client process, connected to a server of its own."""

    def __init__(self, client, way):
        self.client, self.revision, self.mode, self.part = client, way.revision, way.mode, way.part
        self.name = f"{client} {way.name}"

    async def start(self, command, errors):
        self.process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            limit=1 << 26,
            start_new_session=True,
        )
        self.about = (await self.answer()).get("ok")
        if self.about is None:
            raise Stopped("it could not connect")

    async def answer(self):
        try:
            line = await asyncio.wait_for(self.process.stdout.readline(), ASK_LIMIT)
        except TimeoutError:
            raise Stopped(f"no answer within {ASK_LIMIT} s") from None
        if not line:
            raise Stopped("the client has gone")
        return json.loads(line)

    async def ask(self, op, **arguments):
        self.process.stdin.write(json.dumps({"op": op, **arguments}).encode() + b"\n")
        await self.process.stdin.drain()
        return await self.answer()

    async def ok(self, op, **arguments):
        answer = await self.ask(op, **arguments)
        assert "ok" in answer, f"{op} {str(arguments)[:200]}: {str(answer)[:600]}"
        return answer["ok"]

    async def call(self, name, **arguments):
        return await self.ok("call", name=name, arguments=arguments)

    @staticmethod
    def json(text):
        return json.loads(text)

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (AttributeError, ProcessLookupError):
            pass


class Outcome:
    def __init__(self, name, group):
        self.name, self.group = name, group
        self.passed, self.failures = 0, []
        self.skipped = {}

    def record(self, check, failure):
        if failure is None:
            self.passed += 1
        else:
            self.failures.append(f"{check}: {failure}")

    def skip(self, reason, count=1):
        self.skipped[reason] = self.skipped.get(reason, 0) + count

    def line(self):
        return counts([self])


def checks_for(session):
    """The checks that this session has to pass, in order."""
    return [check for part in (checks, conversations, methods_checks) for check in part.CHECKS if check.is_for(session)]


def counts(outcomes):
    passed = sum(outcome.passed for outcome in outcomes)
    total = passed + sum(len(outcome.failures) for outcome in outcomes)
    skipped = sum(sum(outcome.skipped.values()) for outcome in outcomes)
    if not total:
        return f"skipped {skipped}"
    return f"{passed}/{total}" + (f", skipped {skipped}" if skipped else "")


def describe(error):
    return str(error) or type(error).__name__


async def run_session(session, command, base, tapped_too, errors):
    """Every check, in order; once the client is lost, the rest have failed."""
    outcome = Outcome(session.name, session.client)
    lost = None
    try:
        try:
            await session.start(command, errors)
        except (Stopped, OSError, ValueError) as error:
            lost = describe(error)
        for check in checks_for(session):
            if reason := check.lacks.get(session.client):
                outcome.skip(reason)
                continue
            failure = lost
            if not lost:
                try:
                    await check.run(session)
                except Stopped as error:
                    failure = lost = describe(error)
                except Exception as error:
                    failure = describe(error)
            outcome.record(check.name, failure)
        if not lost:
            await session.ask("close")
            await asyncio.wait_for(session.process.wait(), ASK_LIMIT)
    except (Stopped, TimeoutError, OSError) as error:
        outcome.record("close", describe(error))
    finally:
        session.kill()
    records = functools.cache(lambda: [wire.Record(path) for path in sorted(glob(f"{base}.*.txt"))])
    for check in wire.checks_for(session.part, session.revision):
        judge(outcome, "record", check, records)
    for check in tapped.CHECKS if tapped_too else []:
        judge(outcome, "tap", check, records, lambda: tapped.logs(f"{base}.*.tap"))
    return outcome


def judge(outcome, what, check, *sources):
    """A check of what was written of the session."""
    failure = None
    try:
        found = [source() for source in sources]
        assert all(found), "there is none"
        check(*found)
    except (AssertionError, ValueError, KeyError, TypeError, OSError) as error:
        failure = describe(error)
    outcome.record(f"{what}: {check.__name__}", failure)


async def run_sessions(work, servers, lacking, broken, clients=WAYS, tap=None):
    """With `tap`, a built `barewire`, its `tap` stands between each client and the recorder."""
    gate = asyncio.Semaphore(PARALLEL)

    async def one(client, way):
        session = Session(client, way)
        outcome = Outcome(session.name, session.client)
        count = len(checks_for(session)) + len(wire.checks_for(way.part, way.revision)) + (len(tapped.CHECKS) if tap else 0)
        for cause in (client, way.server):
            if reason := broken.get(cause):
                outcome.failures = [f"all: {reason}"] * count
                return outcome
            if reason := lacking.get(cause):
                outcome.skip(reason, count)
                return outcome
        base = work / "records" / session.name.replace(" ", "_")
        recorder = [sys.executable, "-S", "-E", HERE / "record.py", base, *servers[way.server]]
        command = [*commands(work)[client], way.revision, way.mode, way.declares, *tapped.command(tap, base), *recorder]
        async with gate:
            start = time.monotonic()
            with open(f"{base}.stderr", "wb") as errors:
                running = run_session(session, [str(part) for part in command], base, tap is not None, errors)
                try:
                    outcome = await asyncio.wait_for(running, SESSION_LIMIT)
                except TimeoutError:
                    outcome.failures = [f"all: not done within {SESSION_LIMIT} s"] * count
            seconds = time.monotonic() - start
        print(f"  {outcome.name}: {outcome.line()} in {seconds:.1f} s", flush=True)
        return outcome

    return await asyncio.gather(*(one(client, way) for client, ways in clients.items() for way in ways))


def validate(work, schemas, groups, lacking, broken):
    """One check a file, and before them whether the validator works. A group has a name and files."""
    groups = [("schema: wrong lines", [str(FAULTY)]), *groups]
    outcomes = []
    for name, files in groups:
        outcome = Outcome(name, name)
        outcomes.append(outcome)
        if not Path(schemas).is_dir():
            outcome.skip(f"no schemas in {schemas} (BAREWIRE_SCHEMAS names the folder)", len(files))
        elif reason := lacking.get(VALIDATOR):
            outcome.skip(reason, len(files))
        elif reason := broken.get(VALIDATOR):
            outcome.failures = [f"all: {reason}"] * max(len(files), 1)
        else:
            validate_files(outcome, work, schemas, files)
    return outcomes


def validate_files(outcome, work, schemas, files):
    validator = [work / "schemas/bin/python", HERE / "schemas/validate.py", schemas]
    # A share for each of two cores.
    shares = [share for share in (files[::2], files[1::2]) if share]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    running = [subprocess.Popen([*validator, *share], **pipes) for share in shares]
    outputs = [process.communicate(timeout=300) for process in running]
    reports = [json.loads(line) for output, _ in outputs for line in output.splitlines()]
    if len(reports) != len(files):
        outcome.record("validator", "".join(errors for _, errors in outputs)[-2000:])
    for report in reports:
        name, count, faults = Path(report["file"]).name, report["lines"], report["faults"]
        if report["file"] == str(FAULTY):
            noticed = {fault.split(": ")[0] for fault in faults}
            outcome.record(name, None if len(noticed) == count else f"{count} lines are wrong, {len(noticed)} are found")
        elif count == 0:
            outcome.record(name, "the server wrote nothing")
        else:
            outcome.record(name, "\n    ".join(faults[:10]) if faults else None)
    total = sum(report["lines"] for report in reports)
    print(f"  {outcome.name}: {total} lines of a server in {len(files)} files", flush=True)


def table(outcomes, clients=WAYS):
    """Ways to connect by clients; a cell has the passed and all checks."""
    cells = {outcome.name: outcome.line() for outcome in outcomes}
    rows = [["", *clients]]
    for way in sorted({way.name for ways in clients.values() for way in ways}):
        rows.append([way, *(cells.get(f"{client} {way}", "-") for client in clients)])
    groups = [[outcome for outcome in outcomes if outcome.group == client] for client in clients]
    rows.append(["all", *map(counts, groups)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def skips(outcomes):
    """A line for each client and reason."""
    counts = {}
    for outcome in outcomes:
        for reason, count in outcome.skipped.items():
            counts.setdefault((outcome.group, reason), []).append(count)
    return [
        f"SKIPPED {group}: {sum(skipped)} checks in {len(skipped)} sessions: {reason}"
        for (group, reason), skipped in counts.items()
    ]


def pairs(values):
    return dict(value.split("=", 1) for value in values)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("barewire", type=Path)
    parser.add_argument("hundred", type=Path)
    parser.add_argument("methods", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("schemas")
    parser.add_argument("transcripts", type=Path)
    parser.add_argument("--since", type=float, default=time.time())
    parser.add_argument("--lacks", action="append", default=[])
    parser.add_argument("--broken", action="append", default=[])
    options = parser.parse_args()
    lacking, broken = pairs(options.lacks), pairs(options.broken)

    servers = {"demo": [options.barewire, "serve"], "hundred": [options.hundred], "methods": [options.methods]}
    outcomes = asyncio.run(run_sessions(options.work, servers, lacking, broken, tap=options.barewire))
    print(f"\n{table(outcomes)}\n")
    groups = [
        ("schema: records", sorted(glob(str(options.work / "records/*.txt")))),
        ("schema: transcripts", sorted(glob(str(options.transcripts / "*.txt")))),
    ]
    outcomes += validate(options.work, options.schemas, groups, lacking, broken)
    sys.exit(conclude(outcomes, options.since))


def conclude(outcomes, since):
    """Prints what was skipped, what has failed, and the counts; returns the exit status."""
    for skip in skips(outcomes):
        print(skip)
    for outcome in outcomes:
        for failure in outcome.failures:
            print(f"FAILED {outcome.name}: {failure}")
    passed = sum(outcome.passed for outcome in outcomes)
    failed = sum(len(outcome.failures) for outcome in outcomes)
    skipped = sum(sum(outcome.skipped.values()) for outcome in outcomes)
    print(f"took {time.time() - since:.0f} s")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    main()
