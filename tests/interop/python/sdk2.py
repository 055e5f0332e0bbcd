"""The official Python SDK, 2.x.

The handshake: like 1.x it always asks for its newest revision with a handshake, so that constant is replaced.
2026-07-28: `auto` probes with `server/discover`, `pin` sends requests of that revision at once.

It has no calls for tasks. Those of 2025-11-25 are asked for as plain requests; the extension of 2026-07-28 is one of
the client's own, as the SDK lets an application write it.
"""

import asyncio
import sys
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Literal

import mcp.client.session
import mcp_types as types
from mcp import Client as McpClient, MCPError as ProtocolError, StdioServerParameters
from mcp.client.extension import ClientExtension, NotificationBinding, ResultClaim
from pydantic import BaseModel

import driver

__all__ = ["ProtocolError", "connect"]


def plain(model):
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


class Anything(types.Result):
    """A result with all of its members."""

    model_config = {"extra": "allow"}


class TaskStarted(Anything):
    result_type: Literal["task"] = "task"


class Task(BaseModel):
    taskId: str
    status: str


class TasksExtension(ClientExtension):
    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self, statuses):
        self.statuses = statuses

    def claims(self):
        async def resolve(started, context):
            raise RuntimeError("a task where none was expected")

        return [ResultClaim(result_type="task", model=TaskStarted, resolve=resolve)]

    def notifications(self):
        async def note(task):
            self.statuses.append([task.taskId, task.status])

        return [NotificationBinding(method="notifications/tasks", params_type=Task, handler=note)]


class Client:
    def __init__(self, revision, mode, declares, command):
        self.updates = driver.Updates()
        self.answers = driver.Answers()
        self.seen_statuses = []
        self.listening = AsyncExitStack()
        self.mode = mode
        if mode == "handshake":
            mcp.client.session.LATEST_HANDSHAKE_VERSION = revision
        self.client = McpClient(
            StdioServerParameters(command=command[0], args=command[1:]),
            mode={"handshake": "legacy", "auto": "auto", "pin": revision}[mode],
            message_handler=self.message,
            read_timeout_seconds=20,
            **(self.callbacks() if declares else {}),
        )

    def callbacks(self):
        """What makes the SDK declare that it answers."""
        answers = {
            "elicitation_callback": self.elicit,
            "sampling_callback": self.sample,
            "list_roots_callback": self.list_roots,
        }
        return answers if self.mode == "handshake" else {**answers, "extensions": [TasksExtension(self.seen_statuses)]}

    async def elicit(self, context, params):
        return types.ElicitResult(**await self.answers.elicitation(plain(params)))

    async def sample(self, context, params):
        text = self.answers.sampling(plain(params))
        if refusal := self.answers.say.get("refusal"):
            return types.ErrorData(**refusal)
        content = types.TextContent(type="text", text=text)
        return types.CreateMessageResult(role="assistant", content=content, model="interop", stop_reason="endTurn")

    async def list_roots(self, context):
        return types.ListRootsResult(roots=self.answers.roots())

    async def message(self, message):
        if isinstance(message, types.ResourceUpdatedNotification):
            # A subscription's events come here too; they are counted where they belong.
            if self.mode == "handshake":
                self.updates.add(message.params.uri)
        elif isinstance(message, types.TaskStatusNotification):
            self.seen_statuses.append([message.params.task_id, message.params.status])
        elif isinstance(message, Exception):
            print(f"the client could not read a message: {message}", file=sys.stderr)

    async def about(self):
        info = self.client.server_info
        return {
            "version": self.client.protocol_version,
            "server": info and plain(info),
            "instructions": self.client.instructions,
            "capabilities": plain(self.client.server_capabilities),
        }

    async def tools(self):
        return await self.pages(self.client.list_tools, "tools")

    async def resources(self):
        return await self.pages(self.client.list_resources, "resources")

    async def templates(self):
        return await self.pages(self.client.list_resource_templates, "resourceTemplates")

    async def prompts(self):
        return await self.pages(self.client.list_prompts, "prompts")

    async def pages(self, page, member):
        items, cursor = [], None
        while True:
            result = await page(cursor=cursor)
            result = result if isinstance(result, dict) else plain(result)
            items += result[member]
            cursor = result.get("nextCursor")
            if cursor is None:
                return items

    async def call(self, name, arguments):
        return plain(await self.client.call_tool(name, arguments))

    async def progress(self, name, arguments):
        seen = []

        async def note(progress, total, message):
            seen.append([progress, total])

        result = plain(await self.client.call_tool(name, arguments, progress_callback=note))
        return {"result": result, "progress": seen}

    async def cancel(self, name, arguments, after_ms):
        task = asyncio.create_task(self.client.call_tool(name, arguments))
        await asyncio.sleep(after_ms / 1000)
        task.cancel()
        ended = await asyncio.gather(task, return_exceptions=True)
        return type(ended[0]).__name__

    async def read(self, uri):
        return plain(await self.client.read_resource(uri))

    async def prompt(self, name, arguments):
        return plain(await self.client.get_prompt(name, arguments))

    async def complete(self, prompt, argument, value):
        reference = types.PromptReference(type="ref/prompt", name=prompt)
        return plain(await self.client.complete(reference, {"name": argument, "value": value}))

    async def ping(self):
        return plain(await self.client.send_ping())

    async def level(self, level):
        return plain(await self.client.set_logging_level(level))

    async def subscribe(self, uri):
        return plain(await self.client.subscribe_resource(uri))

    async def unsubscribe(self, uri):
        return plain(await self.client.unsubscribe_resource(uri))

    async def listen(self, uris):
        subscription = await self.listening.enter_async_context(self.client.listen(resource_subscriptions=uris))
        self.reader = asyncio.create_task(self.hear(subscription))
        return plain(subscription.honored)

    async def hear(self, subscription):
        async for event in subscription:
            self.updates.add(event.uri)

    async def unlisten(self):
        await self.listening.aclose()
        await self.reader
        return {}

    async def discover(self):
        return await self.client.session.send_discover("2026-07-28")

    async def startTask(self, name, arguments, ttl):
        if self.mode == "handshake":
            # As a result of `tools/call` the SDK takes no task.
            params = {"name": name, "arguments": arguments, "task": {"ttl": ttl}}
            started = await self.client.session._dispatcher.send_raw_request("tools/call", params, {})
            return started["task"]
        return plain(await self.client.session.call_tool(name, arguments, allow_claimed=True))

    async def getTask(self, id):
        return await self.request("tasks/get", {"taskId": id})

    async def taskResult(self, id):
        return await self.request("tasks/result", {"taskId": id})

    async def cancelTask(self, id):
        return await self.request("tasks/cancel", {"taskId": id})

    async def updateTask(self, id, **params):
        return await self.request("tasks/update", {"taskId": id, **params})

    async def tasks(self):
        async def page(cursor):
            return await self.request("tasks/list", {} if cursor is None else {"cursor": cursor})

        return await self.pages(page, "tasks")

    async def watchTasks(self, ids):
        listen = self.request("subscriptions/listen", {"notifications": {"taskIds": ids}})
        self.watching = asyncio.create_task(listen)

    async def unwatchTasks(self):
        self.watching.cancel()
        await asyncio.gather(self.watching, return_exceptions=True)

    async def statuses(self):
        return self.seen_statuses

    async def request(self, method, params):
        request = types.Request[dict[str, Any], str](method=method, params=params)
        return plain(await self.client.session.send_request(request, Anything))


@asynccontextmanager
async def connect(revision, mode, declares, command):
    client = Client(revision, mode, declares, command)
    async with client.client:
        yield client


if __name__ == "__main__":
    driver.main(sys.modules[__name__])
