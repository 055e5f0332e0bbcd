"""What every client has to see when the server asks it something, and when a call goes on as a task.

The checks are of the kind that `checks.py` has.
"""

import asyncio
import time
from datetime import datetime

from checks import MODERN, OWN_ERA_ONLY, TASKS, content, equal, error, registrar, text, tool_error

CHECKS = []
check = registrar(CHECKS)

WITH_ELICITATION = ["2025-06-18", "2025-11-25", MODERN]
WITHOUT_ELICITATION = ["2024-11-05", "2025-03-26"]
WITH_TASKS = ["2025-11-25"]
QUESTION = "Really change the limit?"
FORM = {"type": "object", "properties": {"yes": {"type": "boolean", "title": "Yes"}}, "required": ["yes"]}
UNCHANGED = "The limit stays as it is."
MISSING = "Missing required client capability"
YES = {"action": "accept", "content": {"yes": True}}
ROOTS = ["file:///srv/one", "file:///srv/two"]
TTL = 60000
MANY = 20


async def asked(session, method):
    """The parameters of the one question that came."""
    ((kind, params),) = await session.ok("asked")
    equal(kind, method)
    return params


@check(revisions=WITH_ELICITATION)
async def elicitation(session):
    for say, expected in [
        (YES, "7"),
        ({"action": "accept", "content": {"yes": False}}, UNCHANGED),
        ({"action": "decline"}, UNCHANGED),
        ({"action": "cancel"}, UNCHANGED),
    ]:
        await session.ok("say", **say)
        equal(text(await session.call("set_limit", max=7)), expected)
        params = await asked(session, "elicitation/create")
        equal((params["message"], params["requestedSchema"]), (QUESTION, FORM))
    await session.ok("say", **YES)


@check(revisions=WITHOUT_ELICITATION)
async def elicitation_before_its_time(session):
    equal(tool_error(await session.ok("call", name="set_limit", arguments={"max": 7})), f"{MISSING}: elicitation")
    equal(await session.ok("asked"), [])


@check()
async def elicitation_without_need(session):
    # Nobody is asked about what cannot be done.
    said = tool_error(await session.ok("call", name="set_limit", arguments={"max": 1001}))
    assert said.startswith("Invalid arguments for set_limit"), said
    equal(await session.ok("asked"), [])


@check()
async def sampling(session):
    for said in ["A long text.", 'quotes " and \\', "äöü 日本語 😀\n"]:
        equal(text(await session.call("summarize", text=said)), f"In short: {said}")
        params = await asked(session, "sampling/createMessage")
        (message,) = params["messages"]
        equal((message["role"], params["maxTokens"]), ("user", 200))
        equal(params["systemPrompt"], "Summarize the text in one sentence.")


@check(eras=("legacy",))
async def sampling_refused(session):
    # A modern client refuses by not asking again.
    await session.ok("say", action="accept", refusal={"code": -1, "message": "User rejected sampling request"})
    said = tool_error(await session.ok("call", name="summarize", arguments={"text": "A long text."}))
    equal(said, "The model said nothing.")
    await session.ok("say", **YES)
    await session.ok("asked")


@check()
async def roots(session):
    equal([block["text"] for block in content(await session.call("list_roots"))], ROOTS)
    await asked(session, "roots/list")


@check()
async def questions_at_once(session):
    """Each answer comes to the call that asked."""
    calls = [["summarize", {"text": f"text {number}"}] for number in range(30)]
    calls += [["list_roots", {}]] * 5
    if session.revision in WITH_ELICITATION:
        calls += [["set_limit", {"max": number}] for number in range(10)]
    calls += [["echo", {"text": "between"}]] * 5
    answers = [content(answer["ok"]) for answer in await session.ok("calls", calls=calls)]
    for (name, arguments), blocks in zip(calls, answers, strict=True):
        expected = {
            "summarize": [f"In short: {arguments.get('text')}"],
            "list_roots": ROOTS,
            "set_limit": [str(arguments.get("max"))],
            "echo": ["between"],
        }
        equal([block["text"] for block in blocks], expected[name])
    questions = len([name for name, _ in calls if name != "echo"])
    equal(len(await session.ok("asked")), questions)


@check(eras=("legacy",), revisions=WITH_ELICITATION)
async def cancel_while_asked(session):
    start = time.monotonic()
    # Its answer, if it still comes, comes too late.
    await session.ok("say", **YES, after_ms=400)
    await session.ok("cancel", name="set_limit", arguments={"max": 7}, after_ms=150)
    await session.ok("say", **YES)
    equal(text(await session.call("set_limit", max=8)), "8")
    assert time.monotonic() - start < 5, "the next call had to wait"
    equal(len(await session.ok("asked")), 2)


# A client that declares nothing.


@check(part="silent")
async def nothing_is_asked(session):
    needs = {
        "set_limit": ("elicitation", {"max": 7}),
        "summarize": ("sampling", {"text": "a"}),
        "list_roots": ("roots", {}),
    }
    for name, (capability, arguments) in needs.items():
        if session.revision == MODERN:
            refusal = error(await session.ask("call", name=name, arguments=arguments), -32021, MISSING)
            equal(refusal["data"], {"requiredCapabilities": {capability: {}}})
        else:
            equal(tool_error(await session.ok("call", name=name, arguments=arguments)), f"{MISSING}: {capability}")


@check(part="silent")
async def no_task(session):
    equal(text(await session.call("simulate", ms=20)), "done")


@check(part="silent", eras=("modern",))
async def no_task_to_get_or_watch(session):
    for operation in ["getTask", "cancelTask"]:
        refusal = error(await session.ask(operation, id="0123456789abcdef"), -32021, MISSING)
        equal(refusal["data"], {"requiredCapabilities": {"extensions": {TASKS: {}}}})
    watch = {"notifications": {"taskIds": ["0123456789abcdef"]}}
    refusal = error(await session.ask("request", method="subscriptions/listen", params=watch), -32021, MISSING)
    equal(refusal["data"], {"requiredCapabilities": {"extensions": {TASKS: {}}}})


# Tasks of 2025-11-25.


async def start(session, ms):
    task = await session.ok("startTask", name="simulate", arguments={"ms": ms}, ttl=TTL)
    equal(task["status"], "working")
    return task


@check(eras=("legacy",))
async def simulate(session):
    equal(text(await session.call("simulate", ms=20)), "done")


@check(revisions=WITH_TASKS)
async def task(session):
    task = await start(session, 300)
    equal((task["ttl"], len(task["taskId"])), (TTL, 16))
    assert task["pollInterval"] > 0 and task["createdAt"] == task["lastUpdatedAt"], task
    assert abs(time.time() - epoch(task["createdAt"])) < 60, task
    # Asked for before it is there.
    result = await session.ok("taskResult", id=task["taskId"])
    equal(text(result), "done")
    equal(result["_meta"], {"io.modelcontextprotocol/related-task": {"taskId": task["taskId"]}})
    after = await session.ok("getTask", id=task["taskId"])
    equal((after["status"], after["createdAt"]), ("completed", task["createdAt"]))
    assert epoch(after["lastUpdatedAt"]) >= epoch(task["createdAt"]) + 0.2, after
    equal(text(await session.ok("taskResult", id=task["taskId"])), "done")
    error(await session.ask("cancelTask", id=task["taskId"]), -32602, "Task has ended")


async def told(session, *expected):
    """Waits until the client was told so of tasks."""
    for _ in range(60):
        statuses = await session.ok("statuses")
        if all(list(status) in statuses for status in expected):
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"not told of {expected}, but of {statuses}")


@check(revisions=WITH_TASKS, lacks={"python 2.x": "it drops notifications of the status of a task"})
async def told_of_the_end(session):
    one, other = await start(session, 100), await start(session, 60000)
    await session.ok("cancelTask", id=other["taskId"])
    await told(session, [one["taskId"], "completed"], [other["taskId"], "cancelled"])
    equal(text(await session.ok("taskResult", id=one["taskId"])), "done")


@check(revisions=WITH_TASKS)
async def cancelled_task(session):
    started = time.monotonic()
    task = await start(session, 60000)
    now = await session.ok("getTask", id=task["taskId"])
    for member in ["taskId", "status", "createdAt", "lastUpdatedAt"]:
        equal(now[member], task[member])
    after = await session.ok("cancelTask", id=task["taskId"])
    equal((after["taskId"], after["status"]), (task["taskId"], "cancelled"))
    equal((await session.ok("getTask", id=task["taskId"]))["status"], "cancelled")
    error(await session.ask("taskResult", id=task["taskId"]), -32602, "Task cancelled")
    error(await session.ask("cancelTask", id=task["taskId"]), -32602, "Task has ended")
    assert time.monotonic() - started < 5, "cancelling took its time"


@check(revisions=WITH_TASKS)
async def listed_tasks(session):
    task = await start(session, 60000)
    listed = {one["taskId"]: one["status"] for one in await session.ok("tasks")}
    equal(listed[task["taskId"]], "working")
    await session.ok("cancelTask", id=task["taskId"])
    listed = {one["taskId"]: one["status"] for one in await session.ok("tasks")}
    equal(listed[task["taskId"]], "cancelled")


@check(revisions=WITH_TASKS)
async def many_tasks(session):
    tasks = [(await start(session, 200))["taskId"] for _ in range(MANY)]
    listed = [one["taskId"] for one in await session.ok("tasks")]
    equal([task for task in listed if task in tasks], tasks)
    for task in tasks:
        equal(text(await session.ok("taskResult", id=task)), "done")


@check(revisions=WITH_TASKS)
async def unknown_task(session):
    for operation in ["getTask", "taskResult", "cancelTask"]:
        error(await session.ask(operation, id="nope"), -32602, "Unknown task")


@check(revisions=WITH_TASKS)
async def no_such_task(session):
    error(await session.ask("startTask", name="echo", arguments={"text": "a"}, ttl=TTL), -32601, "Task not supported")
    error(await session.ask("startTask", name="nope", arguments={}, ttl=TTL), -32602, "Unknown tool")
    error(await session.ask("startTask", name="simulate", arguments={"ms": -1}, ttl=TTL), -32602, "Invalid params")


@check(revisions=WITH_TASKS, clients={"typescript 1.x"})
async def streamed_task(session):
    # Its own way through all of it: begin, poll, fetch.
    *steps, (kind, result) = await session.ok("streamTask", name="simulate", arguments={"ms": 300}, ttl=TTL)
    equal(steps[0], ["taskCreated", "working"])
    assert steps[-1] == ["taskStatus", "completed"], steps
    equal((kind, text(result)), ("result", "done"))


# The extension of 2026-07-28.


async def ended(session, task):
    """The task, once it is over."""
    for _ in range(100):
        now = await session.ok("getTask", id=task["taskId"])
        if now["status"] != "working":
            return now
        await asyncio.sleep(0.05)
    raise AssertionError(f"it does not end: {now}")


@check(eras=("modern",))
async def extension_task(session):
    task = await start(session, 300)
    equal(task["resultType"], "task")
    assert task["ttlMs"] > 0 and task["pollIntervalMs"] > 0 and task["createdAt"] == task["lastUpdatedAt"], task
    assert abs(time.time() - epoch(task["createdAt"])) < 60, task
    after = await ended(session, task)
    equal((after["status"], after["createdAt"]), ("completed", task["createdAt"]))
    assert epoch(after["lastUpdatedAt"]) >= epoch(task["createdAt"]) + 0.2, after
    equal(text(after["result"]), "done")
    # It asks for nothing, and is over.
    await session.ok("updateTask", id=task["taskId"], inputResponses={})
    await session.ok("cancelTask", id=task["taskId"])
    equal((await session.ok("getTask", id=task["taskId"]))["status"], "completed")


@check(eras=("modern",))
async def cancelled_extension_task(session):
    task = await start(session, 60000)
    now = await session.ok("getTask", id=task["taskId"])
    equal((now["status"], now["createdAt"], now["ttlMs"]), ("working", task["createdAt"], task["ttlMs"]))
    await session.ok("cancelTask", id=task["taskId"])
    after = await session.ok("getTask", id=task["taskId"])
    equal(after["status"], "cancelled")
    for seen in (now, after):
        assert "result" not in seen and "error" not in seen, seen


@check(eras=("modern",))
async def many_extension_tasks(session):
    tasks = [await start(session, 200) for _ in range(MANY)]
    equal(len({task["taskId"] for task in tasks}), MANY)
    for task in tasks:
        equal(text((await ended(session, task))["result"]), "done")


@check(eras=("modern",))
async def watched_task(session):
    one, other, third = await start(session, 1000), await start(session, 60000), await start(session, 100)
    await session.ok("watchTasks", ids=[one["taskId"], other["taskId"], "nope"])
    await session.ok("cancelTask", id=other["taskId"])
    await told(session, [one["taskId"], "completed"], [other["taskId"], "cancelled"])
    await session.ok("unwatchTasks")
    statuses = await session.ok("statuses")
    assert third["taskId"] not in [task for task, _ in statuses], statuses


@check(eras=("modern",))
async def unknown_extension_task(session):
    error(await session.ask("getTask", id="nope"), -32602, "Unknown task")
    error(await session.ask("cancelTask", id="nope"), -32602, "Unknown task")
    error(await session.ask("updateTask", id="nope", inputResponses={}), -32602, "Unknown task")


@check(eras=("modern",), lacks=OWN_ERA_ONLY)
async def no_core_tasks(session):
    error(await session.ask("request", method="tasks/result", params={"taskId": "nope"}), -32601, "Method not found")
    error(await session.ask("request", method="tasks/list", params={}), -32601, "Method not found")


def epoch(moment):
    """Seconds since 1970 of a time as the wire has it."""
    return datetime.fromisoformat(moment).timestamp()
