"""The official Python SDK, 1.x.

Its client always asks for the newest revision it knows and takes any of the four that the server answers. No option
says which, so the constant that goes into `initialize` is replaced.
"""

import asyncio
import sys
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import mcp.types as types
from mcp import ClientSession, McpError as ProtocolError, StdioServerParameters, stdio_client

import driver

__all__ = ["ProtocolError", "connect"]


def plain(model):
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


class Client:
    def __init__(self):
        self.updates = driver.Updates()
        self.answers = driver.Answers()
        self.seen_statuses = []

    def callbacks(self):
        """What makes the SDK declare that it answers."""
        return {
            "elicitation_callback": self.elicit,
            "sampling_callback": self.sample,
            "list_roots_callback": self.list_roots,
        }

    async def elicit(self, context, params):
        return types.ElicitResult(**await self.answers.elicitation(plain(params)))

    async def sample(self, context, params):
        text = self.answers.sampling(plain(params))
        if refusal := self.answers.say.get("refusal"):
            return types.ErrorData(**refusal)
        content = types.TextContent(type="text", text=text)
        return types.CreateMessageResult(role="assistant", content=content, model="interop", stopReason="endTurn")

    async def list_roots(self, context):
        return types.ListRootsResult(roots=self.answers.roots())

    async def start(self, session):
        self.session = session
        self.greeting = plain(await session.initialize())

    async def message(self, message):
        if isinstance(message, types.ServerNotification):
            if isinstance(message.root, types.ResourceUpdatedNotification):
                self.updates.add(message.root.params.uri)
            elif isinstance(message.root, types.TaskStatusNotification):
                self.seen_statuses.append([message.root.params.taskId, message.root.params.status])
        elif isinstance(message, Exception):
            print(f"the client could not read a message: {message}", file=sys.stderr)

    async def about(self):
        return {
            "version": self.greeting["protocolVersion"],
            "server": self.greeting["serverInfo"],
            "instructions": self.greeting.get("instructions"),
            "capabilities": self.greeting["capabilities"],
        }

    async def tools(self):
        return await self.pages(self.session.list_tools, "tools")

    async def resources(self):
        return await self.pages(self.session.list_resources, "resources")

    async def templates(self):
        return await self.pages(self.session.list_resource_templates, "resourceTemplates")

    async def prompts(self):
        return await self.pages(self.session.list_prompts, "prompts")

    async def pages(self, page, member):
        items, cursor = [], None
        while True:
            params = None if cursor is None else types.PaginatedRequestParams(cursor=cursor)
            result = plain(await page(params=params))
            items += result[member]
            cursor = result.get("nextCursor")
            if cursor is None:
                return items

    async def call(self, name, arguments):
        return plain(await self.session.call_tool(name, arguments))

    async def progress(self, name, arguments):
        seen = []

        async def note(progress, total, message):
            seen.append([progress, total])

        result = plain(await self.session.call_tool(name, arguments, progress_callback=note))
        return {"result": result, "progress": seen}

    async def cancel(self, name, arguments, after_ms):
        # This SDK cancels nothing by itself: it has the notification, and the id of the next request.
        request = self.session._request_id
        task = asyncio.create_task(self.session.call_tool(name, arguments))
        await asyncio.sleep(after_ms / 1000)
        notification = types.CancelledNotification(
            params=types.CancelledNotificationParams(requestId=request, reason="not needed any more"),
        )
        await self.session.send_notification(types.ClientNotification(notification))
        task.cancel()
        ended = await asyncio.gather(task, return_exceptions=True)
        return type(ended[0]).__name__

    async def read(self, uri):
        return plain(await self.session.read_resource(uri))

    async def prompt(self, name, arguments):
        return plain(await self.session.get_prompt(name, arguments))

    async def complete(self, prompt, argument, value):
        reference = types.PromptReference(type="ref/prompt", name=prompt)
        return plain(await self.session.complete(reference, {"name": argument, "value": value}))

    async def ping(self):
        return plain(await self.session.send_ping())

    async def level(self, level):
        return plain(await self.session.set_logging_level(level))

    async def subscribe(self, uri):
        return plain(await self.session.subscribe_resource(uri))

    async def unsubscribe(self, uri):
        return plain(await self.session.unsubscribe_resource(uri))

    async def startTask(self, name, arguments, ttl):
        return plain(await self.session.experimental.call_tool_as_task(name, arguments, ttl=ttl))["task"]

    async def getTask(self, id):
        return plain(await self.session.experimental.get_task(id))

    async def taskResult(self, id):
        return plain(await self.session.experimental.get_task_result(id, types.CallToolResult))

    async def cancelTask(self, id):
        return plain(await self.session.experimental.cancel_task(id))

    async def tasks(self):
        items, cursor = [], None
        while True:
            result = plain(await self.session.experimental.list_tasks(cursor))
            items += result["tasks"]
            cursor = result.get("nextCursor")
            if cursor is None:
                return items

    async def statuses(self):
        return self.seen_statuses

    async def request(self, method, params):
        request = types.Request[dict[str, Any], str](method=method, params=params)
        return plain(await self.session.send_request(request, types.Result))


@asynccontextmanager
async def connect(revision, mode, declares, command):
    assert mode == "handshake", mode
    types.LATEST_PROTOCOL_VERSION = revision
    client = Client()
    server = StdioServerParameters(command=command[0], args=command[1:])
    async with (
        stdio_client(server) as (read, write),
        ClientSession(
            read,
            write,
            timedelta(seconds=20),
            message_handler=client.message,
            **(client.callbacks() if declares else {}),
        ) as session,
    ):
        await client.start(session)
        yield client


if __name__ == "__main__":
    driver.main(sys.modules[__name__])
