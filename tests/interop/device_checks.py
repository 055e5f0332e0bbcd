"""What every client has to see of the firmware: those checks of `checks.py` that fit a device, and its own."""

import checks
import wire
from checks import MODERN, content, equal, error, text, tool_error

BOARDS = ["arm", "riscv"]
TOOLS = ["set_led", "read_sensor", "dump_registers", "echo", "add"]
CALLS = 200
# Bytes that the device has for a line, its newline included.
ROOM = 1024

SHARED = [
    checks.discover,
    checks.ping,
    checks.echo,
    checks.half_an_emoji,
    checks.add,
    checks.add_exactly,
    checks.unknown_tool,
    checks.wrong_arguments,
    checks.unknown_prompt,
    checks.unknown_method,
    checks.removed_methods,
]


def check(eras=("legacy", "modern"), revisions=None, clients=None, lacks=None):
    def register(function):
        for board in BOARDS:
            checks.check(eras, revisions, clients, board, lacks)(function)
        return function

    return register


def share():
    """The checks of `SHARED`, for the boards too."""
    by_function = {known.run: known for known in checks.CHECKS}
    for function in SHARED:
        known = by_function[function]
        check(known.eras, known.revisions, known.clients, known.lacks)(function)


share()


@check()
async def connect(session):
    about = session.about
    equal(about["version"], session.revision)
    if session.client == "python 2.x" and session.mode == "pin":
        # It takes the revision for granted and asks nothing.
        return
    equal(about["server"]["name"], "barewire-device")
    equal(about["instructions"], "A simulated board: every tool is safe to call.")
    equal(set(about["capabilities"]), {"prompts", "resources", "tools"})


@check()
async def tools(session):
    equal([tool["name"] for tool in await session.ok("tools")], TOOLS)


@check()
async def resources(session):
    equal([resource["uri"] for resource in await session.ok("resources")], ["device://status"])
    equal([found["uriTemplate"] for found in await session.ok("templates")], ["device://register/{number}"])


@check()
async def led(session):
    for on in [True, False, True]:
        equal(text(await session.call("set_led", on=on)), "on" if on else "off")
        (part,) = (await session.ok("read", uri="device://status"))["contents"]
        equal(part["mimeType"], "application/json")
        equal(session.json(part["text"])["led"], on)
    said = tool_error(await session.ok("call", name="set_led", arguments={"on": "yes"}))
    assert said.startswith("Invalid arguments for set_led: on"), said


@check()
async def sensor(session):
    for unit, least, most in [("celsius", 21.5, 23.25), ("kelvin", 294.65, 296.4)]:
        result = await session.call("read_sensor", unit=unit)
        seen = session.json(text(result))
        equal(result.get("structuredContent"), seen if session.revision >= "2025-06-18" else None)
        equal(seen["unit"], unit)
        assert least <= seen["value"] <= most, seen


@check()
async def registers(session):
    values, start, pages = [], 0, 0
    while start is not None:
        page = session.json(text(await session.call("dump_registers", **{"from": start})))
        values += page["values"]
        start, pages = page.get("next"), pages + 1
    equal((len(values), len(set(values)), pages), (64, 64, 4))
    (part,) = (await session.ok("read", uri="device://register/63"))["contents"]
    equal(part["text"], values[63])
    code = -32602 if session.revision == MODERN else -32002
    error(await session.ask("read", uri="device://register/64"), code, "Resource not found")


@check()
async def prompt(session):
    (listed,) = await session.ok("prompts")
    equal(listed["name"], "diagnose")
    found = await session.ok("prompt", name="diagnose", arguments={"symptom": "smoke 😀"})
    equal(found["messages"][1]["content"]["text"], "smoke 😀")
    error(await session.ask("prompt", name="diagnose", arguments={}), -32602, "Invalid params")


@check()
async def calls_one_by_one(session):
    for number in range(CALLS):
        equal(text(await session.call("add", a=number, b=1)), str(number + 1))


@check()
async def calls_at_once(session):
    # More than any buffer of the device: the line holds the client back.
    calls = [["add", {"a": number, "b": 1}] if number % 2 else ["nope", {}] for number in range(CALLS)]
    answers = await session.ok("calls", calls=calls)
    for number, answer in enumerate(answers):
        if number % 2:
            equal(text(answer["ok"]), str(number + 1))
        else:
            error(answer, -32602, "Unknown tool")


@check()
async def too_long(session):
    error(await session.ask("call", name="echo", arguments={"text": "x" * (2 * ROOM)}), -32700, "Message too long")
    fits = ROOM // 2
    equal(len(text(await session.call("echo", text="x" * fits))), fits)
    equal(content(await session.call("echo", text="next")), [{"type": "text", "text": "next"}])


def pages(records):
    """The list of tools came in pages, and no line is longer than the device's memory."""
    lists = [message for record in records for message in record.sent if message.get("method") == "tools/list"]
    assert len(lists) >= 2, f"{len(lists)} pages"
    longest = max(record.longest for record in records)
    assert 700 < longest <= ROOM, f"the longest line has {longest} bytes"


for name in BOARDS:
    wire.CHECKS[name] = [wire.answers, wire.no_requests, pages, wire.closing]
