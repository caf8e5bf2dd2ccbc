"""Streamable HTTP in both eras, and HTTP+SSE, the transport of 2024-11-05, on httpx2.

In 2026-07-28, each POST is independent. In 2025, an ``Mcp-Session-Id`` connects the requests of a conversation, and a
broken response stream is resumed with ``Last-Event-ID``. HTTP+SSE has an event stream from the server, and an address
for POSTs to it.
"""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import anyio

from mcp_governor.errors import ProtocolError, ServerError, UnreachableError
from mcp_governor.text import one_line
from mcp_governor.wire import rpc
from mcp_governor.wire.client import Client, plain_type
from mcp_governor.wire.duplex import Duplex, background
from mcp_governor.wire.headers import ACCEPT, SESSION, VERSION, valid_session
from mcp_governor.wire.transport import ConnectionLostError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    import httpx2

    from mcp_governor.wire.pulse import Pulse
    from mcp_governor.wire.rpc import Message
    from mcp_governor.wire.transport import Inbox


_RESUMPTIONS = 5
"""Most times that a broken stream is resumed for one response, within the timeout of the request. After that, the
connection is lost."""
_MAX_PAUSE = 30.0
"""Longest wait before we resume, in seconds: half of the default timeout of a request. A longer ``retry`` is cut to
this."""


class Resumption:
    """Where a response stream broke off, and when to request the rest (SSE ``id`` and ``retry``)."""

    def __init__(self) -> None:
        self.event_id = ""
        self.pause = 1.0

    def note(self, event: httpx2.ServerSentEvent) -> None:
        """Remember the ``id`` and ``retry`` of an event."""
        self.event_id = event.id or self.event_id
        if event.retry is not None:
            self.pause = min(max(event.retry, 0) / 1000, _MAX_PAUSE)


class Streamable:
    """A :class:`~mcp_governor.wire.transport.Transport` that POSTs every message to one address."""

    mirrors = True
    pulse: Pulse | None = None

    def __init__(self, client: Client, inbox: Inbox) -> None:
        self._client = client
        self._inbox = inbox
        self._session: str | None = None
        self._version: dict[str, str] = {}

    async def exchange(
        self,
        message: Message,
        headers: Mapping[str, str],
        seconds: float | None,
        look: Callable[[], None] | None = None,  # noqa: ARG002
    ) -> Message:
        """See :class:`~mcp_governor.wire.transport.Transport`."""
        with anyio.fail_after(seconds):
            return await self._exchange(message, headers)

    async def _exchange(self, message: Message, headers: Mapping[str, str]) -> Message:
        resumption = Resumption()
        sent = self._headers(headers)
        async with self._client.stream("POST", self._client.url, sent, rpc.encode(message)) as response:
            if message["method"] == "initialize":
                self._session = valid_session(response.headers.get(SESSION))
            answer = await self._answer(response, message, resumption)
        for _ in range(_RESUMPTIONS):
            if answer is not None or not resumption.event_id:
                break
            answer = await self._resume(message, headers, resumption)
        if answer is None:
            raise ConnectionLostError(
                f"it ended its response to {message['method']} before it sent the result.", "Check the server's log."
            )
        return answer

    async def notify(self, message: Message, headers: Mapping[str, str], seconds: float | None) -> None:
        """See :class:`~mcp_governor.wire.transport.Transport`; the server's response is ignored."""
        body = rpc.encode(message)
        with anyio.fail_after(seconds):
            async with self._client.stream("POST", self._client.url, self._headers(headers), body):
                pass

    async def close(self) -> None:
        """End the session, if there is one."""
        if self._session is not None:
            with suppress(UnreachableError, ProtocolError), anyio.move_on_after(self._client.limits.close_timeout):
                async with self._client.stream("DELETE", self._client.url, self._headers(self._version), None):
                    pass

    def _headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        self._version = {name: value for name, value in headers.items() if name == VERSION}
        own = {"Accept": ACCEPT, **headers}
        if self._session is not None:
            own[SESSION] = self._session
        return own

    async def _answer(self, response: httpx2.Response, message: Message, resumption: Resumption) -> Message | None:
        if response.is_success and plain_type(response) == "text/event-stream":
            return await self._stream(response, message, resumption)
        # Also for an error status, because the body may contain a JSON-RPC error that says more.
        body = await self._client.body(response, self._inbox.meter)
        if response.status_code in (401, 403):
            raise self._client.refusal(response, body)
        try:
            messages = self._inbox.decoded(body)
        except rpc.NotJsonRpcError as error:
            if not response.is_success:
                raise self._client.refusal(response, body) from None
            raise self._client.not_mcp(response, body, str(error)) from None
        return await self._sort(messages, message, whole=True)

    async def _stream(self, response: httpx2.Response, message: Message, resumption: Resumption) -> Message | None:
        try:
            async for event in self._client.events(response, self._inbox.meter):
                resumption.note(event)
                if event.event != "message" or not event.data:
                    continue
                try:
                    messages = self._inbox.decoded(event.data)
                except rpc.NotJsonRpcError as error:
                    raise ProtocolError(
                        f"it sent an event that cannot be read: {error}.", "Send one JSON-RPC message per event."
                    ) from None
                answer = await self._sort(messages, message, whole=False)
                if answer is not None:
                    return answer
        except UnreachableError:
            if not resumption.event_id:
                raise
        return None

    async def _sort(self, messages: list[Message], asked: Message, *, whole: bool) -> Message | None:
        """The response among several messages; the others go to the inbox.

        Args:
            whole: true if these are all messages of a body, so that an error without an id belongs to the request.
        """
        answer = None
        for message in messages:
            number = message.get("id")
            if not rpc.is_response(message):
                reply = self._inbox.unasked(message)
                if reply is not None:
                    await self.notify(reply, self._version, None)
            elif (type(number) is int and number == asked["id"]) or (number is None and whole and "error" in message):
                answer = message
            else:
                self._inbox.stray(message)
        if whole and answer is None:
            ids = one_line(", ".join(repr(message.get("id")) for message in messages), 60)
            raise ProtocolError(
                f"its response to {asked['method']} has the wrong id ({ids}).",
                "Answer every request with the id that it came with.",
            )
        return answer

    async def _resume(self, message: Message, headers: Mapping[str, str], resumption: Resumption) -> Message | None:
        await anyio.sleep(resumption.pause)
        again = {**self._headers(headers), "Accept": "text/event-stream", "Last-Event-ID": resumption.event_id}
        async with self._client.stream("GET", self._client.url, again, None) as response:
            if not response.is_success or plain_type(response) != "text/event-stream":
                raise self._client.refusal(response, await self._client.body(response, self._inbox.meter))
            return await self._stream(response, message, resumption)


@asynccontextmanager
async def open_streamable(client: Client, inbox: Inbox) -> AsyncIterator[Streamable]:
    """Open a transport over streamable HTTP; its session is ended with the block."""
    transport = Streamable(client, inbox)
    try:
        yield transport
    finally:
        with anyio.CancelScope(shield=True):
            await transport.close()


class _Stream:
    """The event stream, and the address for POSTs that it names."""

    def __init__(self, client: Client, inbox: Inbox) -> None:
        self._client = client
        self._meter = inbox.meter
        self._address: httpx2.URL | None = None
        self.ready = anyio.Event()
        self.duplex = Duplex(self._send, inbox)

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
