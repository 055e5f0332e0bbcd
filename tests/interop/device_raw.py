"""What no client sends: whole sessions by hand, long lines, noise, a line that loses bytes, and the inputs of the fuzz
targets, for which the firmware has to answer as the same server on the host does."""

import fcntl
import json
import random
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import device_client
import drive
from device_line import END, Line, request

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
TOOLS = ["set_led", "read_sensor", "dump_registers", "echo", "add"]


def equal(seen, expected):
    assert seen == expected, f"expected {expected!r}, but it is {str(seen)[:300]}"


def session(line, meta):
    """Every chapter once, good and bad."""
    names, cursor, pages = [], {}, 0
    while True:
        page = line.result("tools/list", **cursor, **meta)
        names += [tool["name"] for tool in page["tools"]]
        pages += 1
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}
    equal((names, pages > 1), (TOOLS, True))
    equal(line.error("tools/list", cursor="x", **meta), (-32602, "Invalid cursor"))
    result = line.result("tools/call", name="echo", arguments={"text": "ä😀\u0000"}, **meta)
    equal((result["content"][0]["text"], result["isError"]), ("ä😀\u0000", False))
    equal(line.result("tools/call", name="echo", arguments={}, **meta)["isError"], True)
    equal(line.error("tools/call", name="nope", **meta), (-32602, "Unknown tool"))
    read = line.result("resources/read", uri="device://register/0", **meta)
    equal(read["contents"][0]["text"], "0x9e3779b9")
    equal(line.error("resources/read", uri="device://register/64", **meta)[1], "Resource not found")
    prompt = line.result("prompts/get", name="diagnose", arguments={"symptom": "smoke"}, **meta)
    equal(prompt["messages"][1]["content"]["text"], "smoke")
    equal(line.error("prompts/get", name="nope", **meta), (-32602, "Unknown prompt"))
    equal(line.error("no/such", **meta), (-32601, "Method not found"))


def legacy(command):
    with Line(command) as line:
        legacy_session(line)


def legacy_session(line):
    equal(line.result("initialize", protocolVersion="2025-11-25")["protocolVersion"], "2025-11-25")
    line.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\r\n')
    session(line, {})
    # A serial line outlives its clients: the next one starts anew.
    equal(line.result("initialize", protocolVersion="2024-11-05")["protocolVersion"], "2024-11-05")


def modern(command):
    with Line(command) as line:
        found = line.result("server/discover", _meta=META)
        equal(found["supportedVersions"], ["2026-07-28"])
        session(line, {"_meta": META})


def many_calls(command):
    with Line(command) as line:
        for number in range(200):
            result = line.result("tools/call", name="add", arguments={"a": number, "b": 0.5})
            equal(result["content"][0]["text"], f"{number}.5")


def flood(command):
    requests = [request(number, "tools/call", {"name": "echo", "arguments": {"text": f"{number} äöü 😀"}}) for number in range(500)]
    with Line(command) as line:
        answers = [json.loads(answer) for answer in line.exchange(b"".join(requests)).splitlines()]
    equal([answer["id"] for answer in answers], list(range(500)))
    equal([answer["result"]["content"][0]["text"] for answer in answers], [f"{number} äöü 😀" for number in range(500)])


def long_lines(command):
    with Line(command) as line:
        for length in [1000, 1024, 1025, 2048, 5000]:
            # The id comes last, as official clients write it.
            line.send(b'{"jsonrpc":"2.0","method":"ping","params":{"x":"%s"},"id":"behind"}\n' % (b"x" * length))
            answer = line.receive()
            equal((answer["id"], answer["error"]["code"], answer["error"]["message"]), ("behind", -32700, "Message too long"))
            line.ping()
        line.send(b'{"jsonrpc":"2.0","method":"notifications/x","params":{"x":"%s"}}\n' % (b"x" * 3000))
        line.ping()


def garbage(command):
    noise = random.Random(1)
    with Line(command) as line:
        for length in [1, 2, 7, 64, 500, 1023, 4000]:
            line.send(bytes(noise.choice(range(0x80, 0x100)) for _ in range(length)) + b"\n")
            answer = line.receive()
            equal((answer["id"], answer["error"]["code"]), (None, -32700))
            line.ping()
        for blank in [b"\n", b"  \r\n", b"\t\n"]:
            line.send(blank)
            line.ping()


def distorted(data, noise, rate):
    """What a line makes of these bytes that drops, flips and inserts some. Never ends the emulator."""
    received = bytearray()
    for byte in data:
        fate = noise.random() / rate
        if fate < 1:
            continue
        if fate < 2:
            byte ^= 1 << noise.randrange(8)
        elif fate < 3:
            received += noise.randbytes(1).replace(END, b"\x05")
        received.append(byte if byte != END[0] else 5)
    return bytes(received)


def at_once(line, stream, _):
    return line.exchange(stream)


def step_by_step(line, stream, sent):
    """Waits for an answer after each line, as a client does: this device does not hold its sender back."""
    answers = b""
    for number, part in enumerate(stream.split(b"\n")[:-1]):
        line.send(part + b"\n")
        awaited = sent.get(part, [None])[0]
        if awaited is None:
            awaited = f"behind part {number}"
            line.send(request(awaited, "ping", {}))
        while True:
            answer = line.process.stdout.readline()
            answers += answer
            if not answer or json.loads(answer)["id"] == awaited:
                break
    return answers + line.exchange(b"")


RATES = [0.0003, 0.001, 0.003]


def lossy(command, exchange=at_once, may_complain=True, rates=RATES):
    """Every line that arrives whole is answered once, whatever stood before it."""
    noise = random.Random(20261130)
    answered = whole = damaged = 0
    for rate in rates:
        sent = {}
        for number in range(300):
            identity = f"{noise.getrandbits(64):016x}"
            if number % 3:
                line = request(identity, "ping", {})
                sent[line[:-1]] = (identity, {})
            else:
                line = request(identity, "tools/call", {"name": "add", "arguments": {"a": number, "b": 1}})
                sent[line[:-1]] = (identity, {"content": [{"type": "text", "text": str(number + 1)}], "isError": False})
        stream = distorted(b"\n".join(sent) + b"\n", noise, rate)
        with Line(command) as line:
            answers = [json.loads(answer) for answer in exchange(line, stream, sent).splitlines()]
        seen = {}
        for answer in answers:
            assert may_complain or answer["id"] is not None, f"an answer to noise: {answer}"
            if answer["id"] is not None:
                key = json.dumps(answer["id"])
                assert key not in seen, f"{key} is answered twice"
                seen[key] = answer.get("result")
        arrived = [line for line in stream.split(b"\n") if line in sent]
        for line in arrived:
            identity, result = sent[line]
            equal(seen.get(json.dumps(identity)), result)
        whole, damaged, answered = whole + len(arrived), damaged + len(sent) - len(arrived), answered + len(answers)
    assert min(whole, damaged) > 100, f"{whole} lines came whole, {damaged} did not: too few for a test"


def corpus(fuzz, folder):
    inputs = sorted(path for path in (fuzz / folder).rglob("*") if path.is_file())
    assert inputs, f"there is nothing in {folder}"
    return [path.read_bytes().replace(END, b"") for path in inputs]


def replay(command, host, inputs):
    """Firmware and host say the same, byte by byte: to the inputs as lines, and as the streams that they are."""
    lines = b"\n".join(text.replace(b"\n", b" ") for text in inputs)
    for stream in [lines, b"\n".join(inputs)]:
        with Line(host) as line:
            expected = line.exchange(stream)
        with Line(command) as line:
            seen = line.exchange(stream)
        assert len(expected.splitlines()) > len(inputs) // 2, f"{len(expected.splitlines())} answers to {len(inputs)} inputs"
        for number, (one, other) in enumerate(zip(seen.splitlines(), expected.splitlines())):
            assert one == other, f"answer {number}: {one[:300]} on the device, {other[:300]} on the host"
        equal(len(seen), len(expected))


def silent(command):
    """What is no message gets no answer; what is one, and wrong, does."""
    noise = random.Random(2)
    with Line(command) as line:
        for length in range(1, 200):
            line.send(bytes(noise.choice([*range(4), *range(5, 10), *range(11, 256)]) for _ in range(length)) + b"\n")
        line.send(b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n[]\n{\n')
        line.ping()
        line.send(b'{"jsonrpc":"2.0","id":"a","method":"ping","params":[]}\n')
        equal(line.receive()["error"]["code"], -32600)
        line.ping()


def overrun(command):
    """Nobody reads the answers, so the device stands still and its queue overflows: lines are lost, but none is cut, and
    the next ones work."""
    total = 300
    requests = b"".join(request(number, "tools/call", {"name": "echo", "arguments": {"text": f"{number:040}"}}) for number in range(total))
    with Line(command) as line:
        # As little room as there can be on the way: less than all requests, and less than all answers.
        for pipe in [line.process.stdin, line.process.stdout]:
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
        line.send(requests)
        # Until the device has caught up this may be lost as any other line.
        caught_up = threading.Event()

        def knock():
            while not caught_up.is_set():
                line.send(b"\n" + request("last", "ping", {}))
                caught_up.wait(1)

        knocking = threading.Thread(target=knock, daemon=True)
        knocking.start()
        answers = []
        while not answers or answers[-1]["id"] != "last":
            answers.append(line.receive())
        caught_up.set()
        knocking.join()
        line.send(request("end", "ping", {}))
        while (answer := line.receive())["id"] != "end":
            equal(answer["id"], "last")
        line.send(END)
    numbers = [answer["id"] for answer in answers[:-1]]
    equal(numbers, sorted(set(numbers)))
    assert 20 < len(numbers) < total, f"{len(numbers)} of {total} are answered: nothing was lost"
    for answer in answers[:-1]:
        equal(answer["result"]["content"][0]["text"], f"{answer['id']:040}")


def news(command):
    """Whoever watches the status is told when it changes."""
    with Line(command) as line:
        line.result("initialize", protocolVersion="2025-11-25")
        line.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        line.result("tools/call", name="set_led", arguments={"on": True})
        line.result("resources/subscribe", uri="device://status")
        line.result("tools/call", name="set_led", arguments={"on": False})
        told = line.told or [line.receive()]
        equal([(one["method"], one["params"]["uri"]) for one in told], [("notifications/resources/updated", "device://status")])
        line.result("resources/unsubscribe", uri="device://status")
        line.told.clear()
        line.result("tools/call", name="set_led", arguments={"on": True})
        line.ping()
        equal(line.told, [])


def waits(command):
    """While an asynchronous tool waits, everything else is served; a cancellation drops it; a question is asked in both eras."""
    def call(identity, name, **params):
        return request(identity, "tools/call", {"name": name, **params})

    def answer_to(line, identity):
        while True:
            seen = line.receive()
            if seen.get("id") == identity:
                return seen

    with Line(command) as line:
        line.send(request(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}}))
        answer_to(line, 1)
        line.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        line.send(call(2, "count", arguments={"to": 1000}, _meta={"progressToken": "p"}))
        equal([line.receive()["params"]["progress"] for _ in range(3)], [1, 2, 3])
        line.send(call(3, "dropped"))
        line.send(request(4, "ping", {}))
        equal(answer_to(line, 4)["result"], {})
        line.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}\n')
        equal(answer_to(line, 3)["result"]["content"][0]["text"], "1")
        line.send(call(5, "reset"))
        question = line.receive()
        equal(question["method"], "elicitation/create")
        answer = {"action": "accept", "content": {"yes": True}}
        line.send(json.dumps({"jsonrpc": "2.0", "id": question["id"], "result": answer}).encode() + b"\n")
        equal(answer_to(line, 5)["result"]["content"][0]["text"], "reset")
        meta = {**META, "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
        line.send(call(6, "reset", _meta=meta))
        state = answer_to(line, 6)["result"]["requestState"]
        line.send(call(7, "reset", inputResponses={"yes": answer}, requestState=state, _meta=meta))
        equal(answer_to(line, 7)["result"]["content"][0]["text"], "reset")


def small(command):
    """One tool, in a chip of 8 KiB of RAM."""
    with Line(command) as line:
        equal([tool["name"] for tool in line.result("tools/list")["tools"]], ["set_lamp"])
        for number in range(100):
            on = number % 2 == 0
            result = line.result("tools/call", name="set_lamp", arguments={"on": on}, _meta=META)
            equal(result["content"][0]["text"], "on" if on else "off")
        line.send(b'{"x":"%s' % (b"[" * 2000) + b'"}\n' + b"[" * 1000 + b"\n")
        equal([line.receive()["error"]["message"] for _ in range(2)], ["Message too long", "Message too deep"])
        line.ping()


def uncompressed(frame):
    """The bytes of a frame of a log: `defmt` compresses them by the encoding that it calls rzCOBS, from the end."""
    data, result = iter(reversed(frame)), []
    for mark in data:
        if mark < 0x80:
            for bit in range(6, -1, -1):
                result.append(0 if mark >> bit & 1 else next(data))
        else:
            count = 134 if mark == 0xFF else (mark & 0x7F) + 7
            result += [] if mark == 0xFF else [0]
            result += [next(data) for _ in range(count)]
    return bytes(reversed(result))


def log(command):
    """What happened is in the log, and the log is not on the line."""
    with tempfile.NamedTemporaryFile() as file:
        with Line([*command, "-serial", f"file:{file.name}"]) as line:
            legacy_session(line)
            line.send(b'{"jsonrpc":"2.0","method":"notifications/told"}\ngarbage\n')
            equal(line.receive()["error"]["code"], -32700)
        frames = [uncompressed(frame) for frame in file.read().split(b"\0") if frame]
    equal([len(frame) > 1 for frame in frames], [True] * len(frames))
    told = [frame for frame in frames if b"notifications/" in frame]
    equal([b"initialized" in told[0], b"told" in told[-1]], [True, True])
    assert len(frames) > len(told), "the noise is not in the log"


def command_line(script, board):
    """The command of the README."""
    with Line([script, board]) as line:
        line.ping()


def run(servers, variants, direct, host, script, fuzz, more):
    """All of it, as outcomes of `drive`. `direct` are commands of variants with nothing between the caller and the
    emulator, not even what ends it; `more` are suites with their checks."""
    folders = [f"{kind}/{path.name}" for kind in ["corpus", "regressions"] for path in sorted((fuzz / kind).iterdir())]
    outcomes = []

    def suite(name, checks):
        outcome = drive.Outcome(name, name)
        outcomes.append(outcome)
        start, spent = time.monotonic(), []
        for label, check, *arguments in checks:
            failure = None
            try:
                check(*arguments)
            except (AssertionError, OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
                failure = drive.describe(error)
            outcome.record(label, failure)
            seconds = time.monotonic() - start - sum(spent)
            spent.append(seconds)
        print(f"  {name}: {outcome.line()} in {sum(spent):.1f} s, of which one took {max(spent):.1f} s", flush=True)

    plain = [legacy, modern, many_calls, flood, long_lines, garbage, lossy]
    for board, command in servers.items():
        suite(f"by hand {board}", [(check.__name__, check, command) for check in plain])
        suite(f"replay {board}", [(folder, replay, command, host, corpus(fuzz, folder)) for folder in folders])
    fed = [legacy, modern, many_calls, news]
    interrupt, asynchronous = variants["interrupt"], variants["async"]
    suite("interrupt arm", [
        *((check.__name__, check, interrupt) for check in [*fed, silent]),
        ("lossy", lossy, interrupt, step_by_step, False),
        ("overrun", overrun, direct["interrupt"]),
    ])
    suite("async arm", [
        *((check.__name__, check, asynchronous) for check in [*fed, garbage]),
        ("lossy", lossy, asynchronous, step_by_step, True, RATES[-1:]),
        ("overrun", overrun, direct["async"]),
    ])
    suite("other arm", [(check.__name__, check, variants[check.__name__]) for check in [log, small, waits]])
    suite("command", [(board, command_line, script, board) for board in servers])
    for name, checks in more.items():
        suite(name, checks)
    return outcomes


def with_sdks(client, work, lacking, broken):
    """The firmware that is a client, with servers made with the official SDK."""
    outcomes = []
    for number, version in [("1", "2025-11-25"), ("2", "2026-07-28")]:
        name = f"python {number}.x"
        outcome = drive.Outcome(f"client arm, {name}", name)
        outcomes.append(outcome)
        if name in lacking:
            outcome.skip(lacking[name])
            continue
        server = [work / f"python-{number}/bin/python", "-W", "ignore", Path(__file__).parent / f"servers/python{number}.py"]
        failure = broken.get(name)
        if failure is None:
            try:
                device_client.sdk(client, server, version, f"python-{number}")
            except (AssertionError, OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
                failure = drive.describe(error)
        outcome.record("session", failure)
    return outcomes
