"""A server object as an endpoint: it runs in the process of the test, over streams in memory."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from mcp_governor.wire.duplex import Duplex, background, quiet
from mcp_governor.wire.hosted import lifespan_of, low_level


class ObjectEndpoint:
    """An :class:`mcp_governor.wire.OpenableEndpoint` for a server of FastMCP or the SDK."""

    runs_code = True
    only_era = None

    def __init__(self, server: Any) -> None:
        self.server = server
        self.shown = type(server).__name__

    @asynccontextmanager
    async def open(self, limits: Any, inbox: Any):
        to_server, server_reads = anyio.create_memory_object_stream[Any](8)
        server_writes, from_server = anyio.create_memory_object_stream[Any](8)
        low = low_level(self.server)

        async def send(message: dict[str, Any]) -> None:
            await to_server.send(SessionMessage(jsonrpc_message_adapter.validate_python(message)))

        duplex = Duplex(send, inbox)

        async def receive() -> None:
            async for item in from_server:
                await duplex.feed(item.message.model_dump_json(by_alias=True, exclude_unset=True))

        async with AsyncExitStack() as stack:
            stack.enter_context(quiet("mcp"))
            if (lifespan := lifespan_of(self.server)) is not None:
                await stack.enter_async_context(lifespan)
            for stream in (to_server, server_reads, server_writes, from_server):
                stack.enter_context(stream)
            tasks = await stack.enter_async_context(background())
            tasks.start_soon(low.run, server_reads, server_writes, low.create_initialization_options())
            tasks.start_soon(receive)
            yield duplex
