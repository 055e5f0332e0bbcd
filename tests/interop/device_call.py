"""`barewire call` with a firmware as its server."""

import subprocess

LIMIT = 60
# What to ask, the exit status, and a text that the output has.
CHECKS = [
    (["--list", "tools"], 0, "dump_registers"),
    (["--list", "resources"], 0, "device://status"),
    (["--list", "templates"], 0, "device://register/{number}"),
    (["--list", "prompts"], 0, "diagnose"),
    (["--tool", "add", "--arg", "a=40", "--arg", "b=2"], 0, "42"),
    (["--tool", "echo", "--arg", "text=ä😀"], 0, "ä😀"),
    (["--tool", "add", "--arg", "a=x"], 2, "missing required argument `b`"),
    (["--no-check", "--tool", "add", "--arg", "a=x"], 1, "Invalid arguments for add"),
    (["--tool", "nope"], 2, "error -32602 Unknown tool"),
    (["--read", "device://register/0"], 0, "0x9e3779b9"),
    (["--read", "device://register/64"], 2, "Resource not found"),
    (["--prompt", "diagnose", "--arg", "symptom=smoke"], 0, "smoke"),
    (["--prompt", "nope"], 2, "error -32602 Unknown prompt"),
]


def call(barewire, server, protocol, question, status, text):
    command = [barewire, "call", "--protocol", protocol, *question, "--", *server]
    command = ["timeout", "-k", "2", LIMIT, *command]
    done = subprocess.run(list(map(str, command)), capture_output=True, stdin=subprocess.DEVNULL, timeout=LIMIT + 5)
    output = (done.stdout + done.stderr).decode("utf-8", "replace")
    assert done.returncode == status, f"exit status {done.returncode} instead of {status}: {output[-300:]!r}"
    assert text in output, f"no {text!r} in {output[-300:]!r}"


def checks(barewire, server, script, board):
    """Rows for `device_raw.run`: both eras, and once the command of the README."""
    rows = [
        (f"{protocol} {' '.join(question)}", call, barewire, server, protocol, question, status, text)
        for protocol in ["2025-11-25", "2026-07-28"]
        for question, status, text in CHECKS
    ]
    return [*rows, ("run", call, barewire, [script, board], "2026-07-28", *CHECKS[0])]
