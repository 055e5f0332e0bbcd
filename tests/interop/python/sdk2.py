"""The official Python SDK, 2.x.

The handshake: like 1.x it always asks for its newest revision with a handshake, so that constant is replaced.
2026-07-28: `auto` probes with `server/discover`, `pin` sends requests of that revision at once.
"""

import asyncio
import sys
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import mcp.client.session
import mcp_types as types
from mcp import Client as McpClient, MCPError as ProtocolError, StdioServerParameters

import driver

__all__ = ["ProtocolError", "connect"]


def plain(model):
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


class Client:
    def __init__(self, revision, mode, command):
        self.updates = driver.Updates()
        self.listening = AsyncExitStack()
        self.mode = mode
        if mode == "handshake":
            mcp.client.session.LATEST_HANDSHAKE_VERSION = revision
        self.client = McpClient(
            StdioServerParameters(command=command[0], args=command[1:]),
            mode={"handshake": "legacy", "auto": "auto", "pin": revision}[mode],
            message_handler=self.message,
            read_timeout_seconds=20,
        )

    async def message(self, message):
        if isinstance(message, types.ResourceUpdatedNotification):
            # A subscription's events come here too; they are counted where they belong.
            if self.mode == "handshake":
                self.updates.add(message.params.uri)
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
            result = plain(await page(cursor=cursor))
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

    async def request(self, method, params):
        request = types.Request[dict[str, Any], str](method=method, params=params)
        return plain(await self.client.session.send_request(request, types.Result))


@asynccontextmanager
async def connect(revision, mode, command):
    client = Client(revision, mode, command)
    async with client.client:
        yield client


if __name__ == "__main__":
    driver.main(sys.modules[__name__])
