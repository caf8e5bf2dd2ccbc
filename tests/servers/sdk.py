"""The same tool on the official SDK and on FastMCP: objects, and servers over each transport.

``python sdk.py sdk|fastmcp stdio|http|sse [PORT]``; ``python sdk.py all PORT PORT PORT PORT`` serves http and sse of
both, in this order.
"""

from __future__ import annotations

import sys
from contextlib import asynccontextmanager

from fastmcp import FastMCP
from mcp.server.mcpserver import MCPServer

entered: list[str] = []


def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


def greeting(name: str) -> str:
    """Greet somebody."""
    return f"Hello {name}"


def readme() -> str:
    return "read me"


def build_sdk() -> MCPServer:
    return filled(MCPServer("sdk", version="2.1.0", instructions="Add things."))


@asynccontextmanager
async def lifespan(server: FastMCP):
    entered.append("in")
    yield {}
    entered.append("out")


def build_fastmcp() -> FastMCP:
    server = FastMCP("fastmcp", version="4.0.1", instructions="Add things.", lifespan=lifespan)
    return filled(server, tags={"tier:advanced"})


def filled(server, **more):
    server.tool(meta={"dev.example/kept": [1, None]}, **more)(add)
    server.prompt()(greeting)
    server.resource("file:///readme")(readme)
    return server


async def build_later() -> FastMCP:
    return build_fastmcp()


def build_never() -> FastMCP:
    raise RuntimeError("no database \x1b[31m")


@asynccontextmanager
async def broken_lifespan(server: FastMCP):
    raise RuntimeError("no port")
    yield {}


def build_broken() -> FastMCP:
    return FastMCP("broken", lifespan=broken_lifespan)


sdk = build_sdk()
fastmcp = build_fastmcp()
low = sdk._lowlevel_server
not_a_server = {"a": 1}


async def serve_all(ports: list[int]) -> None:
    import anyio
    import uvicorn

    apps = [
        sdk.streamable_http_app(),
        sdk.sse_app(),
        fastmcp.http_app(transport="http"),
        build_fastmcp().http_app(transport="sse"),
    ]
    async with anyio.create_task_group() as tasks:
        for app, port in zip(apps, ports, strict=True):
            config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error")
            tasks.start_soon(uvicorn.Server(config).serve)


def main() -> None:
    which, *rest = sys.argv[1:]
    if which == "all":
        import anyio

        anyio.run(serve_all, [int(port) for port in rest])
    elif which == "sdk":
        sdk.run("stdio")
    else:
        fastmcp.run("stdio", show_banner=False)


if __name__ == "__main__":
    main()
