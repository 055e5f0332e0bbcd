"""The firmware that is a client: servers of both eras on its second UART, and some that are none. What it tells on the
first UART is checked."""

import json
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

LIMIT = 60
NOISE = [b"\x80\xff\x00 noise\n", b"{\n", b'{"jsonrpc":"2.0","id":"x"}\n', b"[" * 3000 + b"\n", b"x" * 3000 + b"\n", b"\n"]


def equal(seen, expected):
    assert seen == expected, f"expected {expected!r}, but it is {str(seen)[:600]}"


PING = {"jsonrpc": "2.0", "id": "ready", "method": "ping"}
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
DISCOVER = {"jsonrpc": "2.0", "id": "ready", "method": "server/discover", "params": {"_meta": META}}


class Server:
    """A server, asked by the lines of the device."""

    def __init__(self, command, first=PING):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([str(part) for part in command], stdin=pipe, stdout=pipe)
        # It may start slowly, which is not what is tried here.
        list(self(first))

    def __call__(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while "id" in message:
            line = self.process.stdout.readline()
            if not line:
                return
            yield line
            if json.loads(line).get("id") == message["id"]:
                return

    def close(self):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait(timeout=LIMIT)


def error(message, code, text):
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": text}}).encode() + b"\n"


def legacy(server):
    """The server as if it were one before 2026-07-28."""

    def answer(message):
        if message["method"] == "server/discover":
            yield error(message, -32601, "Method not found")
        else:
            yield from server(message)

    return answer


def noisy(server):
    """The server behind a line with noise."""

    def answer(message):
        for line in server(message):
            yield from NOISE
            yield line

    return answer


class Session:
    """What the device has told, asked, and how many seconds it took. `peer` gives the lines that answer a message, or is
    the command of a server, with nothing in between."""

    def __init__(self, command, peer, options=()):
        self.asked = []
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
            path = Path(folder) / "line"
            listener.bind(str(path))
            listener.listen()
            listener.settimeout(LIMIT)
            start = time.monotonic()
            command = [*map(str, command), "-serial", f"unix:{path}", *options]
            device = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
            try:
                line, _ = listener.accept()
                with line:
                    serve = self.answer if callable(peer) else self.connect
                    server = threading.Thread(target=serve, args=[line, peer])
                    server.start()
                    told, _ = device.communicate(timeout=LIMIT)
                    server.join(timeout=LIMIT)
            finally:
                device.kill()
                device.wait()
        self.seconds = time.monotonic() - start
        self.told = told.decode().splitlines()
        equal(device.returncode, 0)
        equal(self.told[-1], "done")

    def connect(self, line, command):
        subprocess.run([str(part) for part in command], stdin=line, stdout=line, stderr=subprocess.DEVNULL, timeout=LIMIT)

    def answer(self, line, peer):
        try:
            for text in line.makefile("rb"):
                message = json.loads(text)
                self.asked.append(message)
                for answer in peer(message):
                    line.sendall(answer)
        except OSError:
            # The device has ended.
            pass

    def methods(self):
        return [message["method"] for message in self.asked]

    def without_noise(self):
        return [line for line in self.told if not line.startswith("noise: ")]


CALLED = ['Call: "42"', 'Misuse: failed "', 'Unknown: refused -32602 "Unknown tool"', "done"]


def check_report(told, connected, tools, called=CALLED):
    """The whole report; of each line the beginning."""
    expected = [f"connected: {connected}", *(f'tool: "{tool}"' for tool in tools), *called]
    equal(len(told), len(expected))
    for line, beginning in zip(told, expected):
        assert line.startswith(beginning), f"expected {beginning!r}, but it is {line!r}"


DEMO = ["echo", "add"]


def small(barewire):
    """The demo server, with pages that a device has room for."""
    return [barewire, "serve", "--max-output", "1000"]


def check_demo(told, version):
    """Some of its tools are enough."""
    equal([tool in map(tool_name, told) for tool in DEMO], [True] * len(DEMO))
    check_report([line for line in told if not line.startswith("tool: ")], f'{version} "barewire', [])


def tool_name(line):
    return line.removeprefix('tool: "').removesuffix('"')


def with_server(command, server, make=lambda server: server, first=PING):
    """A session with `make` of this server, which `first` is asked before."""
    server = Server(server, first)
    try:
        return Session(command, make(server))
    finally:
        server.close()


def direct(command, barewire):
    check_demo(Session(command, small(barewire)).told, "2026-07-28")


def long_list(command, barewire):
    """A list in one page that is longer than the device's buffer: it calls nevertheless."""
    session = Session(command, [barewire, "serve"])
    check_report(session.told, '2026-07-28 "barewire', [], ["List: unusable ", *CALLED])


def modern(command, barewire):
    session = with_server(command, small(barewire))
    check_demo(session.told, "2026-07-28")
    asked = session.methods()
    equal(asked[0], "server/discover")
    # The list comes in one page or in more.
    equal([set(asked[1:-3]), asked[-3:]], [{"tools/list"}, ["tools/call"] * 3])


def old(command, barewire):
    session = with_server(command, small(barewire), legacy)
    check_demo(session.told, "2025-11-25")
    equal(session.methods()[:3], ["server/discover", "initialize", "notifications/initialized"])


def noise(command, barewire):
    for make, version in [(noisy, "2026-07-28"), (lambda server: noisy(legacy(server)), "2025-11-25")]:
        session = with_server(command, small(barewire), make)
        check_demo(session.without_noise(), version)
        told = [line for line in session.told if line.startswith("noise: ")]
        assert len(told) >= 3 * 6, f"{len(told)} lines of noise"


def firmware(command, server):
    """Two devices, one at each end of the line."""
    session = with_server(command, server)
    tools = ["set_led", "read_sensor", "dump_registers", "echo", "add"]
    check_report(session.told, '2026-07-28 "barewire-device"', tools)


def sdk(command, server, version, name):
    """A server made with the official SDK: its list is longer than the device's buffer, and it calls an unknown tool a
    tool's failure."""
    # The first message settles its era.
    session = with_server(command, server, first=DISCOVER if version == "2026-07-28" else PING)
    called = ["List: unusable ", 'Call: "42"', 'Misuse: failed "', 'Unknown: failed "', "done"]
    check_report(session.told, f'{version} "{name}"', [], called)


# The emulated time runs on while the device sleeps, so that nobody waits.
FAST = ["-icount", "shift=0,sleep=off"]


def silence(command):
    """Nothing is ever said: the handshake of each era is tried, and given up."""
    session = Session(command, lambda _: [], FAST)
    equal(session.told, ["no connection: TimedOut", "done"])
    equal(session.methods(), ["server/discover", "initialize"])


def silence_in_time(command):
    """The same in real time: three seconds for the probe, and six for the handshake."""
    session = Session(command, lambda _: [])
    equal(session.told, ["no connection: TimedOut", "done"])
    assert 8 < session.seconds < 20, f"{session.seconds:.1f} s"


def garbage(command):
    """What is said is never an answer."""
    session = Session(command, lambda _: NOISE)
    equal(session.without_noise(), ["no connection: TimedOut", "done"])
    assert len(session.told) >= 2 * 3, session.told


def hello(message):
    """A legacy server's part of the handshake, and its list."""
    if message["method"] == "server/discover":
        return [error(message, -32601, "Method not found")]
    results = {
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "x\n", "version": "1"}},
        "tools/list": {"tools": []},
    }
    result = results.get(message["method"])
    return [result_line(message, result)] if result else []


def result_line(message, result):
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode() + b"\n"


GREETED = 'connected: 2025-06-18 "x\\n"'


def calls_time_out(command):
    """A server that never answers a call is told that nobody waits any more."""
    session = Session(command, hello)
    equal(session.told[:1], [GREETED])
    equal(sorted(session.told[1:-1]), ["Call: TimedOut", "Misuse: TimedOut", "Unknown: TimedOut"])
    calls = [message["id"] for message in session.asked if message["method"] == "tools/call"]
    cancelled = [message["params"]["requestId"] for message in session.asked if message["method"] == "notifications/cancelled"]
    equal((len(calls), sorted(cancelled)), (3, calls))


def bad_answers(command):
    """Answers that are too long, of a wrong kind, twice there, and to nothing."""

    def answer(message):
        if message["method"] != "tools/call":
            return hello(message)
        kind = message["params"]["name"], message["params"].get("arguments", {}).get("a")
        if kind == ("add", 40):
            return [result_line(message, {"content": [{"type": "text", "text": "x" * 5000}]})]
        if kind[0] == "add":
            return [json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": 7}).encode() + b"\n"]
        answered = result_line(message, {"content": [{"type": "text", "text": "7"}]})
        return [result_line({"id": 99}, {}), answered, answered]

    session = Session(command, answer)
    told = [line.split(" ")[:2] for line in session.told]
    expected = [["Call:", "unusable"], ["Misuse:", "unusable"], ["unasked", "answer"], ["Unknown:", '"7"'], ["done"]]
    equal(told[1:], expected)


def checks(command, barewire, server):
    """Rows for `device_raw.run`: name, function, arguments."""
    return [
        ("serve", direct, command, barewire),
        ("long list", long_list, command, barewire),
        ("modern", modern, command, barewire),
        ("legacy", old, command, barewire),
        ("noise", noise, command, barewire),
        ("firmware", firmware, command, server),
        *((check.__name__, check, command) for check in [silence, silence_in_time, garbage, calls_time_out, bad_answers]),
    ]
