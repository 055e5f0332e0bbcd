"""Lets the checks drive a client: commands come as lines of JSON, each is answered with one.

    sdkN.py REVISION MODE DECLARES COMMAND ARG...

DECLARES is `all` that the SDK can answer, or `nothing`.

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


class Answers:
    """The user, the model and the directories of the client: what the server asks of them, and what they answer."""

    ROOTS = [{"uri": "file:///srv/one", "name": "one"}, {"uri": "file:///srv/two"}]

    def __init__(self):
        self.asked = []
        self.say = {"action": "accept", "content": {"yes": True}}

    def take(self):
        asked, self.asked = self.asked, []
        return asked

    async def elicitation(self, params):
        self.asked.append(["elicitation/create", params])
        answer = dict(self.say)
        await asyncio.sleep(answer.pop("after_ms", 0) / 1000)
        return answer

    def sampling(self, params):
        """What the model says."""
        self.asked.append(["sampling/createMessage", params])
        content = params["messages"][0]["content"]
        block = content[0] if isinstance(content, list) else content
        return f"In short: {block['text']}"

    def roots(self):
        self.asked.append(["roots/list", {}])
        return self.ROOTS


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

    async def during(self, name, arguments, commands):
        call = asyncio.create_task(answered(self.sdk, self.client.call(name, arguments)))
        # The call is sent first.
        await asyncio.sleep(0)
        answers = [await answered(self.sdk, self.run(command)) for command in commands]
        return {"answers": answers, "hasEnded": call.done(), "call": await call}

    async def updates(self, count, ms):
        return await self.client.updates.wait(count, ms)

    async def say(self, **say):
        self.client.answers.say = say

    async def asked(self):
        return self.client.answers.take()


async def session(sdk, revision, mode, declares, command):
    async with sdk.connect(revision, mode, declares, command) as client:
        operations = Operations(sdk, client)
        write({"ok": await client.about()})
        async for line in commands():
            if line["op"] == "close":
                break
            write(await answered(sdk, operations.run(line)))
    write({"ok": "closed"})


def main(sdk):
    _, revision, mode, declares, *command = sys.argv
    asyncio.run(session(sdk, revision, mode, declares == "all", command))
