"""HTTP+SSE, the transport of 2024-11-05: an event stream from the server, and an address for POSTs to it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio

from mcp_governor.errors import ProtocolError, ServerError, UnreachableError
from mcp_governor.text import one_line
from mcp_governor.wire import rpc
from mcp_governor.wire.client import plain_type
from mcp_governor.wire.duplex import Duplex, background
from mcp_governor.wire.transport import ConnectionLostError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import httpx2

    from mcp_governor.wire.client import Client
    from mcp_governor.wire.rpc import Message
    from mcp_governor.wire.transport import Inbox


class _Stream:
    """The event stream, and the address for POSTs that it names."""

    def __init__(self, client: Client, inbox: Inbox) -> None:
        self._client = client
        self._meter = inbox.meter
        self._address: httpx2.URL | None = None
        self.ready = anyio.Event()
        self.duplex = Duplex(self._send, inbox, client.limits)

    async def listen(self) -> None:
        """Read events until the stream ends; waiting requests then get the reason."""
        try:
            headers = {"Accept": "text/event-stream", "Cache-Control": "no-store"}
            async with self._client.stream("GET", self._client.url, headers, None) as response:
                if not response.is_success:
                    raise self._client.refusal(response, await self._client.body(response, self._meter))
                if plain_type(response) != "text/event-stream":
                    raise self._client.not_mcp(response, b"-", "not an event stream")
                async for event in self._client.events(response, self._meter):
                    await self._take(event)
            self.duplex.fail(ConnectionLostError("it closed its event stream.", "Check the server's log."))
        except ServerError as error:
            self.duplex.fail(error)
        self.ready.set()

    async def _take(self, event: httpx2.ServerSentEvent) -> None:
        if event.event == "endpoint" and self._address is None:
            address = self._client.url.join(event.data.strip())
            here = self._client.url
            if (address.scheme, address.host, address.port) != (here.scheme, here.host, here.port):
                raise ProtocolError(
                    f"it asks for messages to be sent to another origin ({one_line(address.host, 60)}).",
                    "Name a path of the server itself in the endpoint event.",
                )
            self._address = address
            self.ready.set()
        elif event.event == "message" and event.data:
            await self.duplex.feed(event.data)

    async def _send(self, message: Message) -> None:
        if self._address is None:
            raise UnreachableError("it did not name an endpoint for messages.", "Check that it speaks HTTP+SSE.")
        async with self._client.stream("POST", self._address, {}, rpc.encode(message)) as response:
            if not response.is_success:
                raise self._client.refusal(response, await self._client.body(response, self._meter))


@asynccontextmanager
async def open_sse(client: Client, inbox: Inbox) -> AsyncIterator[Duplex]:
    """Open a transport over HTTP+SSE.

    Raises:
        UnreachableError, ProtocolError: the stream does not open, or does not name an address in time.
    """
    stream = _Stream(client, inbox)
    async with background() as tasks:
        tasks.start_soon(stream.listen)
        with anyio.move_on_after(client.limits.connect_timeout):
            await stream.ready.wait()
        if stream.duplex.broken is not None:
            raise stream.duplex.broken
        if not stream.ready.is_set():
            raise UnreachableError(
                f"its event stream did not name an endpoint for messages within {client.limits.connect_timeout:g} s.",
                "Check that it speaks HTTP+SSE at this address.",
            )
        yield stream.duplex
