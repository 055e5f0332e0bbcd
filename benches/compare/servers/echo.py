"""The tool `echo`, by the Python SDK 1.x on stdio."""

from mcp.server.fastmcp import FastMCP

server = FastMCP("echo", log_level="ERROR")


@server.tool(description="Answers the text that it was given, unchanged.", structured_output=False)
def echo(text: str) -> str:
    return text


server.run()
