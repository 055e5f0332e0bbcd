"""The command line on Windows, by way of Wine: a line for each check, PASS or FAIL.

    checks.py WINE DIRECTORY

The directory has `barewire.exe` and `wrapper.exe`.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WINE, DIRECTORY = sys.argv[1], Path(sys.argv[2]).resolve()
ROOT = Path(__file__).resolve().parents[2]
BAREWIRE = str(DIRECTORY / "barewire.exe")
WRAPPER = str(DIRECTORY / "wrapper.exe")
# Far longer than anything takes.
LONGEST = 60
# Far shorter than the timeouts of the program.
PROMPTLY = 15

failures = 0


def check(name, is_right, shown=""):
    global failures
    failures += not is_right
    print("PASS" if is_right else "FAIL", name, flush=True)
    if not is_right:
        print(f"     {shown!r}"[:1000], flush=True)


class Run:
    """The program with these arguments, from its start to its end."""

    def __init__(self, *arguments, given=b""):
        begin = time.monotonic()
        try:
            done = subprocess.run(
                [WINE, BAREWIRE, *arguments], input=given, capture_output=True, timeout=LONGEST
            )
            self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            self.status, self.out, self.err = None, late.stdout, late.stderr
        self.seconds = time.monotonic() - begin

    def __repr__(self):
        return f"status {self.status} after {self.seconds:.1f} s, {self.out}, {self.err}"


def running(program):
    """Ids of the Linux processes that run a program of the directory."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue
        # "Z:\...\wrapper.exe sleep", with Wine's own name before it where it starts.
        if any(word.replace(b"\\", b"/").endswith(program.encode()) for word in words[:2]):
            found.append(int(entry.name))
    return found


def left():
    """Processes of the tests that are left, after a moment in which an end takes effect."""
    end = time.monotonic() + 5
    while True:
        found = running("/wrapper.exe") + running("/barewire.exe")
        if not found or time.monotonic() > end:
            for process in found:
                os.kill(process, signal.SIGKILL)
            return found
        time.sleep(0.05)


def conversations():
    session = (ROOT / "examples/session.jsonl").read_bytes()
    expected = (ROOT / "examples/expected/session.jsonl").read_bytes()
    run = Run("serve", given=session)
    check("serve answers the example", (run.status, run.out) == (0, expected), run)
    with tempfile.TemporaryDirectory() as directory:
        log = Path(directory) / "log"
        run = Run("tap", "--log", f"Z:{log}", "--json", "--", BAREWIRE, "serve", given=session)
        check("tap forwards the example", (run.status, run.out) == (0, expected), run)
        check("tap writes its log", log.exists() and b'"kind":"summary"' in log.read_bytes())
    lines = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n{"jsonrpc":"2.0","id":1,"result":{}}\n[\n'
    run = Run("classify", given=lines)
    kinds = [line.split()[0] for line in run.out.splitlines()]
    check("classify names what it reads", (run.status, kinds) == (1, [b"request", b"response", b"invalid"]), run)
    for version in ["2024-11-05", "2025-11-25", "2026-07-28"]:
        run = Run(
            "call", "--protocol", version, "--tool", "add", "--arg", "a=40", "--arg", "b=2", "--", BAREWIRE, "serve"
        )
        check(f"call gets a result in {version}", (run.status, run.out) == (0, b"42\n"), run)
    run = Run("call", "--list", "resources", "--", BAREWIRE, "serve")
    check("call lists", run.status == 0 and run.out.startswith(b"demo://readme"), run)
    run = Run("check", "--quick", "--", BAREWIRE, "serve")
    check("check finds nothing", run.status == 0 and b" 0 not met" in run.out, run)
    check("nothing is left of that", left() == [])


def trees():
    call = ["call", "--protocol", "2025-11-25"]
    run = Run(*call, "--tool", "add", "--args", '{"a":1,"b":2}', "--", WRAPPER, "hold", BAREWIRE, "serve")
    check("call gets a result through a wrapper", (run.status, run.out) == (0, b"3\n"), run)
    check("call leaves nothing of a wrapper that does not end", left() == [])
    run = Run(*call, "--timeout", "1", "--tool", "slow", "--arg", "ms=60000", "--", WRAPPER, "hold", BAREWIRE, "serve")
    check("call gives up", run.status == 2 and run.seconds < PROMPTLY, run)
    check("call that gives up leaves nothing", left() == [])
    run = Run("check", "--quick", "--timeout", "2", "--", WRAPPER, "hold", BAREWIRE, "serve")
    check("check finds a server that does not end", run.status == 1 and b" 1 not met" in run.out, run)
    check("check leaves nothing", left() == [])
    for command in [["call", "--tool", "slow", "--arg", "ms=60000"], ["tap"], ["check"]]:
        process = subprocess.Popen(
            [WINE, BAREWIRE, *command, "--", WRAPPER, "hold", BAREWIRE, "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + LONGEST
        # The wrapper, its sleeper, the program and the server.
        while len(running("/wrapper.exe")) < 2 or len(running("/barewire.exe")) < 2:
            if time.monotonic() > end:
                break
            time.sleep(0.05)
        began = time.monotonic() <= end
        process.kill()
        process.wait()
        check(f"{command[0]} that is killed takes its server with it", began and left() == [])


def exits():
    for command in [["call"], ["call", "--protocol", "2025-11-25"]]:
        run = Run(*command, "--", WRAPPER, "exit", "3")
        said = b"the server exited with status 3" in run.err
        check(f"{' '.join(command)} says how the server has exited", (run.status, said) == (3, True), run)
        check("and promptly", run.seconds < PROMPTLY, run)
    run = Run("check", "--quick", "--", WRAPPER, "exit", "3")
    said = b"the server exited with status 3" in run.out
    check("check says how the server has exited", (run.status, said) == (1, True), run)
    check("and promptly", run.seconds < PROMPTLY, run)
    run = Run("tap", "--", WRAPPER, "exit", "3")
    check("tap ends with the status of the server", run.status == 3 and run.seconds < PROMPTLY, run)
    check("nothing is left of an exit", left() == [])
    run = Run("call", "--", str(DIRECTORY / "nothing.exe"))
    check("call says that a program does not exist", run.status == 3 and b"cannot start" in run.err, run)


conversations()
trees()
exits()
sys.exit(failures > 0)
