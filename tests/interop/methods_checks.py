"""What every client has to see of a server made by `#[barewire::server]`: of `methods/`."""

import time

from checks import MODERN, content, equal, error, registrar, text, tool_error
from conversations import MISSING, WITH_ELICITATION, WITHOUT_ELICITATION, YES, asked

CHECKS = []
register = registrar(CHECKS)
NAMES = ["echo", "read", "set_alarm", "plot", "fail", "count", "dropped", "reset"]


def check(**options):
    return register(part="methods", **options)


@check()
async def tools_of_methods(session):
    found = {tool["name"]: tool for tool in await session.ok("tools")}
    equal(list(found), NAMES)
    equal(found["count"]["description"], "Counts, a step each 20 ms.")
    equal(found["count"]["inputSchema"]["properties"]["to"], {"type": "integer", "minimum": 1, "maximum": 1000})
    alarm = found["set_alarm"]["inputSchema"]["properties"]["alarm"]
    equal(alarm["properties"]["limit"]["description"], "Limit in degrees.")
    equal(alarm["properties"]["unit"]["enum"], ["celsius", "kelvin"])
    equal("outputSchema" in found["read"], session.revision >= "2025-06-18")


@check()
async def arguments(session):
    for said in ["", 'quotes " and \\ and /', "äöü 日本語 😀\n"]:
        equal(text(await session.call("echo", text=said)), said)
    alarm = {"limit": -40, "unit": "kelvin", "rooms": ["attic", "the \"cellar\""]}
    equal(text(await session.call("set_alarm", alarm=alarm)), '-40 K, 3 times: attic, the "cellar"')
    equal(text(await session.call("set_alarm", alarm={"limit": 125}, repeats=9)), "125 C, 9 times: ")


@check()
async def wrong_arguments_of_methods(session):
    for name, arguments, fault in [
        ("set_alarm", {"alarm": {"limit": 126}}, "alarm.limit: is out of range: -40 to 125"),
        ("count", {"to": 0}, "to: is out of range: 1 to 1000"),
        ("count", {}, "to: is missing"),
        ("echo", {"text": "\n" * 300}, "text: is too long"),
    ]:
        said = tool_error(await session.ok("call", name=name, arguments=arguments))
        assert said.startswith(f"Invalid arguments for {name}: ") and said.endswith(fault), said


@check()
async def answers_of_methods(session):
    result = await session.call("read", unit="celsius")
    expected = {"tenths": 215, "sensor": "north"}
    equal(result.get("structuredContent"), expected if session.revision >= "2025-06-18" else None)
    equal(session.json(text(result)), expected)
    equal(session.json(text(await session.call("read", unit="kelvin"))), {"tenths": 2946})
    title, picture = content(await session.call("plot"))
    equal((title["text"], picture["type"], picture["mimeType"]), ("Today", "image", "image/png"))


@check()
async def errors_of_methods(session):
    equal(tool_error(await session.ok("call", name="fail", arguments={"locked": False})), "The sensor is warming up.")
    error(await session.ask("call", name="fail", arguments={"locked": True}), 1001, "Device is locked")


@check()
async def asynchronous_progress(session):
    seen = await session.ok("progress", name="count", arguments={"to": 10})
    equal(text(seen["result"]), "counted to 10")
    equal({total for step, total in seen["progress"]}, {10})


@check()
async def asynchronous_cancel(session):
    before = int(text(await session.call("dropped")))
    start = time.monotonic()
    await session.ok("cancel", name="count", arguments={"to": 1000}, after_ms=150)
    equal(text(await session.call("echo", text="next")), "next")
    assert time.monotonic() - start < 5, "the next call had to wait"
    # The future of the tool was dropped while it waited.
    equal(text(await session.call("dropped")), str(before + 1))


@check()
async def asynchronous_meanwhile(session):
    """What needs no application is answered while a tool waits."""
    commands = [{"op": "tools"}, {"op": "discover" if session.revision == MODERN else "ping"}, {"op": "prompts"}]
    seen = await session.ok("during", name="count", arguments={"to": 100}, commands=commands)
    equal(seen["hasEnded"], False)
    tools, _, prompts = [answer["ok"] for answer in seen["answers"]]
    equal([tool["name"] for tool in tools], NAMES)
    equal([prompt["name"] for prompt in prompts], ["explain"])
    equal(text(seen["call"]["ok"]), "counted to 100")


@check()
async def asynchronous_at_once(session):
    start = time.monotonic()
    answers = await session.ok("calls", calls=[["count", {"to": 10}]] * 40)
    equal([text(answer["ok"]) for answer in answers], ["counted to 10"] * 40)
    assert time.monotonic() - start < 6, "the calls stood in line"


@check(revisions=WITH_ELICITATION)
async def asynchronous_question(session):
    for say, expected in [(YES, "reset"), ({"action": "decline"}, "left alone")]:
        await session.ok("say", **say)
        equal(text(await session.call("reset")), expected)
        equal((await asked(session, "elicitation/create"))["message"], "Really reset?")


@check(eras=("legacy",), revisions=WITH_ELICITATION)
async def asynchronous_question_cancelled(session):
    start = time.monotonic()
    # Its answer, if it still comes, comes too late.
    await session.ok("say", **YES, after_ms=400)
    await session.ok("cancel", name="reset", arguments={}, after_ms=150)
    await session.ok("say", **YES)
    equal(text(await session.call("reset")), "reset")
    assert time.monotonic() - start < 5, "the next call had to wait"
    equal(len(await session.ok("asked")), 2)


@check(revisions=WITHOUT_ELICITATION)
async def asynchronous_question_before_its_time(session):
    equal(tool_error(await session.ok("call", name="reset", arguments={})), f"{MISSING}: elicitation")


@check()
async def resources_of_methods(session):
    await session.call("set_alarm", alarm={"limit": 30})
    (part,) = (await session.ok("read", uri="thermo://limit"))["contents"]
    equal((part["mimeType"], part["text"]), ("text/plain", "30"))
    (part,) = (await session.ok("read", uri="thermo://room/the%20attic"))["contents"]
    equal(part["text"], "28")
    assert "error" in await session.ask("read", uri="thermo://room/cellar")


@check()
async def prompt_of_methods(session):
    found = await session.ok("prompt", name="explain", arguments={"room": "attic"})
    equal(found["messages"][0]["content"]["text"], "Explain the temperature of the attic in English.")
