"""Serve a server object over stdio, in the environment in which the server is installed.

This script runs under another Python, where mcp-governor is not installed, so it imports only the standard library and
the server's own packages.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    # Modules in this folder would hide standard library modules with the same names.
    _HERE = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != _HERE]

import importlib
import inspect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def is_server(value: object) -> bool:
    """True for a FastMCP server, an SDK server or a low-level server, of any version since mcp 1.3."""
    return not inspect.isclass(value) and any(
        hasattr(value, name) for name in ("_mcp_server", "_lowlevel_server", "create_initialization_options")
    )


def low_level(server: Any) -> Any:
    """The low-level server inside of a server, or the server itself if it is one; ``None`` if it is not a server."""
    for name in ("_mcp_server", "_lowlevel_server"):
        low = getattr(server, name, None)
        if low is not None:
            return low
    return server if is_server(server) else None


def lifespan_of(server: Any) -> Any:
    """The context manager that FastMCP expects to be entered before its low-level server runs, or ``None``."""
    manager = getattr(server, "_lifespan_manager", None)
    return manager() if callable(manager) else None


async def _serve(name: str) -> None:
    import contextlib

    import anyio

    # From now on, print goes to stderr, because stdout is for messages.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    module, _, attribute = name.partition(":")
    try:
        server: Any = importlib.import_module(module)
        for step in attribute.split("."):
            server = getattr(server, step)
        if not is_server(server) and callable(server):
            server = server()
            if inspect.isawaitable(server):
                server = await server
    except Exception as error:  # noqa: BLE001  (code of the governed server)
        sys.exit(f"{name} cannot be loaded in {sys.prefix}: {_described(error)}")
    low = low_level(server)
    if low is None:
        sys.exit(f"{name} is not an MCP server but {type(server).__name__}.")
    from mcp.server.stdio import stdio_server

    async with contextlib.AsyncExitStack() as stack:
        lifespan = lifespan_of(server)
        if lifespan is not None:
            await stack.enter_async_context(lifespan)
        reads, writes = await stack.enter_async_context(stdio_server(stdout=anyio.wrap_file(out)))
        await low.run(reads, writes, low.create_initialization_options())


def _described(error: Exception) -> str:
    """The error and the line that raised it, without the frames of the import system."""
    import traceback

    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<frozen")]
    where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if len(frames) > 1 else ""
    return "".join(traceback.format_exception_only(error)).strip() + where


def _main(name: str, *folders: str) -> None:
    sys.path[:0] = folders
    try:
        import anyio
        import mcp.server  # noqa: F401
    except ImportError as error:
        sys.exit(f"{sys.prefix} has no MCP SDK that can be imported: {error}.")
    anyio.run(_serve, name)


if __name__ == "__main__":
    _main(*sys.argv[1:])
