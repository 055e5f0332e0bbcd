"""Lets the checks drive a client: commands come as lines of JSON, each is answered with one.

    sdkN.py REVISION MODE COMMAND ARG...

An answer is {"ok": VALUE}, {"error": {code, message, data}} for a protocol error that the SDK reported, or
{"failure": TEXT} for anything else that it raised.
"""

import asyncio
import json
import sys


def write(answer):
    print(json.dumps(answer), flush=True)


async def commands():
    while line := await asyncio.to_thread(sys.stdin.readline):
        yield json.loads(line)


async def answered(sdk, work):
    """What `work` gives, as an answer."""
    try:
        return {"ok": await work}
    except sdk.ProtocolError as error:
        return {"error": error.error.model_dump(mode="json", exclude_none=True)}
    except Exception as error:
        return {"failure": f"{type(error).__name__}: {error}"}


class Updates:
    """The URIs of the resources that the server told to have changed."""

    def __init__(self):
        self.uris = []
        self.more = asyncio.Event()

    def add(self, uri):
        self.uris.append(str(uri))
        self.more.set()

    async def wait(self, count, ms):
        async def enough():
            while len(self.uris) < count:
                self.more.clear()
                await self.more.wait()

        try:
            await asyncio.wait_for(enough(), ms / 1000)
        except TimeoutError:
            pass
        return self.uris


class Operations:
    """What can be asked of a client, beside what it has methods of its own for."""

    def __init__(self, sdk, client):
        self.sdk = sdk
        self.client = client

    async def run(self, command):
        operation = command.pop("op")
        own = getattr(self, operation, None) or getattr(self.client, operation)
        return await own(**command)

    async def calls(self, calls):
        return await asyncio.gather(*(answered(self.sdk, self.client.call(*call)) for call in calls))

    async def updates(self, count, ms):
        return await self.client.updates.wait(count, ms)


async def session(sdk, revision, mode, command):
    async with sdk.connect(revision, mode, command) as client:
        operations = Operations(sdk, client)
        write({"ok": await client.about()})
        async for line in commands():
            if line["op"] == "close":
                break
            write(await answered(sdk, operations.run(line)))
    write({"ok": "closed"})


def main(sdk):
    _, revision, mode, *command = sys.argv
    asyncio.run(session(sdk, revision, mode, command))
