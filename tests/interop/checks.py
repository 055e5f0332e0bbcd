"""What every client has to see of `barewire serve`, one function a check.

A check asks through a `Session` and raises `AssertionError` when the client saw something else.
"""

import asyncio
import base64
import time

MODERN = "2026-07-28"
TASKS = "io.modelcontextprotocol/tasks"
NODE = {"typescript 1.x", "typescript 2.x"}
OWN_ERA_ONLY = {"typescript 2.x": "it refuses to send a method of the other era, so that it never sees the answer"}

CHECKS = []

TOOLS = ["echo", "add", "slow", "measure", "pixel", "count", "set_limit", "summarize", "list_roots", "simulate"]
RESOURCES = ["demo://readme", "demo://pixel.png", "demo://counter"]
README = "The demo server of barewire: one small tool, resource and prompt of each kind.\n"
PNG = b"\x89PNG\r\n\x1a\n"
LANGUAGES = ["english", "finnish", "french", "german", "greek", "spanish"]
PARALLEL = 200
LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]


class Check:
    """What some sessions have to pass."""

    def __init__(self, run, eras, revisions, clients, part, lacks):
        self.run, self.name, self.lacks = run, run.__name__, lacks
        self.eras, self.revisions, self.clients, self.part = eras, revisions, clients, part

    def is_for(self, session):
        era = "modern" if session.revision == MODERN else "legacy"
        return (
            self.part == session.part
            and era in self.eras
            and (self.revisions is None or session.revision in self.revisions)
            and (self.clients is None or session.client in self.clients)
        )


def registrar(checks):
    """The decorator that adds to these checks.

    `lacks` has the clients that cannot do it, and why: there it is skipped, and counted so.
    """

    def check(eras=("legacy", "modern"), revisions=None, clients=None, part="demo", lacks=None):
        def register(function):
            checks.append(Check(function, eras, revisions, clients, part, lacks or {}))
            return function

        return register

    return check


check = registrar(CHECKS)


def equal(seen, expected):
    assert seen == expected, f"expected {expected!r}, the client saw {str(seen)[:600]}"


def content(result):
    """The blocks of a good tool result."""
    assert not result.get("isError"), f"a tool error: {str(result)[:600]}"
    return result["content"]


def text(result):
    (block,) = content(result)
    equal(block["type"], "text")
    return block["text"]


def tool_error(result):
    equal(result.get("isError"), True)
    (block,) = result["content"]
    return block["text"]


def error(answer, code, message):
    assert "error" in answer, f"expected error {code}, the client saw {str(answer)[:600]}"
    equal((answer["error"]["code"], answer["error"]["message"]), (code, message))
    return answer["error"]


@check()
async def connect(session):
    about = session.about
    equal(about["version"], session.revision)
    if session.client == "python 2.x" and session.mode == "pin":
        # It takes the revision for granted and asks nothing.
        return
    equal(about["server"]["name"], "barewire-demo")
    equal(about["server"].get("title"), "Barewire demo" if session.revision >= "2025-06-18" else None)
    equal(about["instructions"], "A demo: every tool is safe to call.")
    offered = {"logging", "prompts", "resources", "tools"}
    offered |= {"completions"} if session.revision >= "2025-03-26" else set()
    if session.revision == MODERN:
        offered.add("extensions")
        equal(about["capabilities"]["extensions"], {TASKS: {}})
    elif session.revision == "2025-11-25" and session.client != "rmcp":
        # rmcp does not know that one, and shows what it knows.
        offered.add("tasks")
        equal(about["capabilities"]["tasks"], {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}})
    equal(set(about["capabilities"]), offered)
    equal(about["capabilities"]["resources"], {"subscribe": True})


@check(eras=("modern",))
async def discover(session):
    found = await session.ok("discover")
    equal(found["supportedVersions"], [MODERN])
    equal((found["ttlMs"], found["cacheScope"]), (0, "private"))
    assert "tools" in found["capabilities"], found


@check(eras=("legacy",))
async def ping(session):
    equal(await session.ok("ping"), {})


@check()
async def tools(session):
    found = await session.ok("tools")
    equal([tool["name"] for tool in found], TOOLS)
    measure = found[TOOLS.index("measure")]
    equal(measure["inputSchema"]["properties"]["unit"]["enum"], ["celsius", "kelvin"])
    equal("outputSchema" in measure, session.revision >= "2025-06-18")
    equal(measure.get("title"), "Measure" if session.revision >= "2025-06-18" else None)
    read_only = (measure.get("annotations") or {}).get("readOnlyHint")
    equal(read_only, True if session.revision >= "2025-03-26" else None)


@check()
async def resources(session):
    found = await session.ok("resources")
    equal([resource["uri"] for resource in found], RESOURCES)
    equal(found[0]["mimeType"], "text/plain")
    equal(found[0]["size"], len(README))


@check()
async def templates(session):
    (found,) = await session.ok("templates")
    equal((found["name"], found["uriTemplate"]), ("square", "demo://square/{number}"))


@check()
async def prompts(session):
    (found,) = await session.ok("prompts")
    equal(found["name"], "greet")
    arguments = [(argument["name"], bool(argument.get("required"))) for argument in found["arguments"]]
    equal(arguments, [("name", True), ("language", False)])


@check()
async def echo(session):
    for said in ["", "plain", 'quotes " and \\ and /', "\u0000\u0001\t\r\n\u001f\u007f", "äöü ÅÆØ 日本語 \u2028\u2029", "😀👩‍👩‍👧‍👦 \U0010ffff"]:
        equal(text(await session.call("echo", text=said)), said)


@check(clients=NODE)
async def half_an_emoji(session):
    # Only JavaScript has such strings.
    equal(text(await session.call("echo", text="\ud83d|\ude00")), "\ud83d|\ude00")


@check()
async def long_text(session):
    said = "0123456789abcde😀" * (1 << 16)
    equal(text(await session.call("echo", text=said)) == said, True)


@check()
async def add(session):
    equal(text(await session.call("add", a=2, b=3)), "5")
    equal(text(await session.call("add", a=0.1, b=0.2)), "0.30000000000000004")
    equal(text(await session.call("add", a=-1.5, b=1e21)), "1e+21")


@check(clients={"python 1.x", "python 2.x", "rmcp"})
async def add_exactly(session):
    # JavaScript has no such integers.
    equal(text(await session.call("add", a=9007199254740993, b=2)), "9007199254740995")


@check()
async def unknown_tool(session):
    error(await session.ask("call", name="nope", arguments={}), -32602, "Unknown tool")


@check()
async def wrong_arguments(session):
    for arguments in [{"text": "a", "b": 1}, {}, {"text": 1}, {"text": None}]:
        equal(tool_error(await session.ok("call", name="echo", arguments=arguments)), "Invalid arguments for echo")
    for arguments in [{"a": "2", "b": 3}, {"a": True, "b": 3}, {"a": 1}]:
        equal(tool_error(await session.ok("call", name="add", arguments=arguments)), "Invalid arguments for add")


@check()
async def wrong_choice(session):
    said = tool_error(await session.ok("call", name="measure", arguments={"unit": "furlong"}))
    assert said.startswith("Invalid arguments for measure") and "unit" in said, said


@check()
async def structured(session):
    for unit, value in [("celsius", 21.5), ("kelvin", 294.65)]:
        result = await session.call("measure", unit=unit)
        expected = {"value": value, "unit": unit}
        equal(result.get("structuredContent"), expected if session.revision >= "2025-06-18" else None)
        equal(session.json(text(result)), expected)


@check()
async def image(session):
    picture, *link = content(await session.call("pixel"))
    equal((picture["type"], picture["mimeType"]), ("image", "image/png"))
    assert base64.b64decode(picture["data"], validate=True).startswith(PNG), picture
    if session.revision >= "2025-06-18":
        equal([(block["type"], block["uri"]) for block in link], [("resource_link", "demo://pixel.png")])


@check()
async def read_text(session):
    (part,) = (await session.ok("read", uri="demo://readme"))["contents"]
    equal((part["uri"], part["mimeType"], part["text"]), ("demo://readme", "text/plain", README))


@check()
async def read_blob(session):
    (part,) = (await session.ok("read", uri="demo://pixel.png"))["contents"]
    equal((part["uri"], part["mimeType"]), ("demo://pixel.png", "image/png"))
    assert base64.b64decode(part["blob"], validate=True).startswith(PNG), part


@check()
async def read_template(session):
    (part,) = (await session.ok("read", uri="demo://square/111"))["contents"]
    equal((part["uri"], part["text"]), ("demo://square/111", "12321"))


@check()
async def read_unknown(session):
    for uri in ["demo://nothing", "demo://square/x"]:
        answer = await session.ask("read", uri=uri)
        if session.revision == MODERN:
            equal(error(answer, -32602, "Resource not found").get("data"), {"uri": uri})
        else:
            error(answer, -32002, "Resource not found")


@check()
async def prompt(session):
    found = await session.ok("prompt", name="greet", arguments={"name": "Ann 😀", "language": "greek"})
    equal(found["description"], "A greeting")
    equal([message["role"] for message in found["messages"]], ["user"] * 4)
    equal([message["content"]["text"] for message in found["messages"]][1::2], ["Ann 😀", "greek"])


@check()
async def prompt_without_argument(session):
    error(await session.ask("prompt", name="greet", arguments={"language": "greek"}), -32602, "Invalid params")


@check()
async def unknown_prompt(session):
    error(await session.ask("prompt", name="nope", arguments={}), -32602, "Unknown prompt")


@check()
async def completion(session):
    for argument, value, expected in [
        ("language", "f", ["finnish", "french"]),
        ("language", "", LANGUAGES),
        ("language", "x", []),
        ("name", "A", []),
    ]:
        found = (await session.ok("complete", prompt="greet", argument=argument, value=value))["completion"]
        equal(found["values"], expected)
        equal(found.get("hasMore", False), False)


@check(eras=("legacy",))
async def logging_level(session):
    for level in LEVELS:
        await session.ok("level", level=level)


@check()
async def unknown_method(session):
    error(await session.ask("request", method="no/such", params={"x": 1}), -32601, "Method not found")


@check(eras=("modern",), lacks=OWN_ERA_ONLY)
async def removed_methods(session):
    for method in ["ping", "logging/setLevel", "resources/subscribe", "initialize"]:
        error(await session.ask("request", method=method, params={}), -32601, "Method not found")


@check(eras=("legacy",))
async def subscription(session):
    await session.call("count")
    await session.ok("subscribe", uri="demo://counter")
    equal(text(await session.call("count")), "2")
    equal(await session.ok("updates", count=1, ms=3000), ["demo://counter"])
    (part,) = (await session.ok("read", uri="demo://counter"))["contents"]
    equal(part["text"], "2")
    await session.ok("unsubscribe", uri="demo://counter")
    await session.call("count")
    equal(await session.ok("updates", count=2, ms=150), ["demo://counter"])


@check(eras=("modern",))
async def listening(session):
    await session.call("count")
    honored = await session.ok("listen", uris=["demo://counter"])
    equal({name: value for name, value in honored.items() if value}, {"resourceSubscriptions": ["demo://counter"]})
    equal(text(await session.call("count")), "2")
    equal(await session.ok("updates", count=1, ms=3000), ["demo://counter"])
    await session.ok("unlisten")
    await session.call("count")
    equal(await session.ok("updates", count=2, ms=150), ["demo://counter"])


@check()
async def progress(session):
    seen = await session.ok("progress", name="slow", arguments={"ms": 300})
    equal(text(seen["result"]), "done")
    steps = [step for step, total in seen["progress"]]
    equal({total for step, total in seen["progress"]}, {10})
    # TypeScript handles a response before a notification that came with it, and then drops the notification. What
    # was written is checked in the record.
    expected = range(1, 10 if session.client in NODE and len(steps) == 9 else 11)
    equal(sorted(steps), list(expected))


@check()
async def cancel(session):
    start = time.monotonic()
    await session.ok("cancel", name="slow", arguments={"ms": 60000}, after_ms=150)
    equal(text(await session.call("echo", text="next")), "next")
    assert time.monotonic() - start < 5, "the next call had to wait"


@check()
async def at_once(session):
    calls = []
    for number in range(PARALLEL):
        kinds = [["echo", {"text": f"call {number}"}], ["add", {"a": number, "b": 1}], ["slow", {"ms": 30}], ["nope", {}]]
        calls.append(kinds[number % 4])
    answers = await session.ok("calls", calls=calls)
    equal(len(answers), PARALLEL)
    for number, answer in enumerate(answers):
        if number % 4 == 3:
            error(answer, -32602, "Unknown tool")
        else:
            assert "ok" in answer, f"call {number}: {answer}"
            equal(text(answer["ok"]), [f"call {number}", str(number + 1), "done"][number % 4])


@check()
async def while_busy(session):
    # A call that takes its time holds up no other.
    start = time.monotonic()
    calls = [["slow", {"ms": 800}], *[["echo", {"text": str(number)}] for number in range(20)]]
    answers = await session.ok("calls", calls=calls)
    equal([text(answer["ok"]) for answer in answers], ["done", *(str(number) for number in range(20))])
    assert time.monotonic() - start < 4, "the calls stood in line"


@check(part="hundred")
async def hundred_tools(session):
    found = await session.ok("tools")
    equal([tool["name"] for tool in found], [f"tool_{number:03}" for number in range(100)])


@check(part="hundred")
async def one_of_a_hundred(session):
    result = await session.call("tool_057", times=2)
    equal([block["text"] for block in content(result)], ["tool_057", "tool_057"])
