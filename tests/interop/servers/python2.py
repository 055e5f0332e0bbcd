"""A server made with the Python SDK 2.x, on stdio: what `call.py` expects of every server."""

import asyncio

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("python-2")


@server.tool(description="Adds two integers.")
def add(a: int, b: int) -> str:
    return str(a + b)


@server.tool(description="Always fails.")
def fail() -> str:
    raise ToolError("out of order")


@server.tool(description="Takes its time.")
async def slow() -> str:
    await asyncio.sleep(30)
    return "done"


@server.tool(description="Tells how far it is.")
async def steps(context: Context) -> str:
    for step in range(1, 4):
        await context.report_progress(step, 3)
    return "done"


@server.resource("demo://readme")
def readme() -> str:
    return "read me"


@server.prompt(description="Greets.")
def greet(name: str) -> str:
    return f"Hello {name}"


server.run()
