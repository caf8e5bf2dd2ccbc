"""One HTTP/1.1 connection that sends a request on demand and hands over the response: httptools on asyncio."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import httptools

from mcp_governor.load.judge import EVENTS
from mcp_governor.wire.headers import SESSION

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_HEAD = 64 * 1024
"""Most bytes of a response's headers: eight times what servers and proxies accept of a request."""

MAX_INTERIM = 10
"""Most interim responses (100, 103) before the final one; servers send one."""

SWITCHING = 101
"""The only interim status that ends HTTP on a connection; nobody asked for it."""

_SESSION = SESSION.encode()
FINAL = 200
"""Lowest status of a final response."""


STREAM_GRACE = 0.02
"""Seconds that a stream may go on after its response: servers end it with their next write. Then it is closed, because
a connection with an open stream takes no other request."""


class Connection(asyncio.Protocol):
    """A connection for one request at a time.

    Args:
        longest: most bytes of a response's body.
        timeout: seconds for one response.
        is_response: says if the response to an id is in what has come of a stream of events.

    Attributes:
        failure: why there is no response (``reset``, ``closed``, ``not-http``, ``headers``, ``too-long``,
            ``encoding``, ``timeout``), ``None`` if there is one.
        status, kind, body: of the response.
        session: its ``Mcp-Session-Id``.
        retry_after: its ``Retry-After``, as sent; empty if there is none.
        ended: when its end came, in seconds of ``time.perf_counter``.
        is_open: the connection can take another request.
    """

    def __init__(self, longest: int, timeout: float, is_response: Callable[[bytearray, bytes], bool]) -> None:
        self._longest = longest
        self._timeout = timeout
        self._is_response = is_response
        self._over: asyncio.Future[None] | None = None
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpResponseParser(self)
        self.is_open = False
        self._clear(b"")

    def _clear(self, number: bytes) -> None:
        self.failure: str | None = None
        self.status = 0
        self.kind = ""
        self.body = bytearray()
        self.session: str | None = None
        self.retry_after = ""
        self.ended = 0.0
        self._number = number
        self._encoding = ""
        self._head = 0
        self._has_head = False
        self._has_length = False
        self._interim = 0
        self._complete = False
        self._keeps_alive = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.is_open = True

    async def exchange(self, request: bytes, number: bytes) -> None:
        """Send a whole request, and wait until its response is here, or why there is none.

        Args:
            request: its bytes.
            number: its id; empty for a notification.
        """
        self._clear(number)
        loop = asyncio.get_running_loop()
        self._over = loop.create_future()
        late = loop.call_later(self._timeout, self._end, "timeout")
        assert self._transport is not None
        self._transport.write(request)
        try:
            await self._over
        finally:
            late.cancel()

    def drop(self) -> None:
        """Close the connection; what was not read is discarded."""
        self._over = None
        self.is_open = False
        if self._transport is not None:
            self._transport.abort()

    def _end(self, failure: str | None = None, *, keeps: bool = False) -> None:
        """End the exchange; and the connection, if it cannot take another request."""
        self.failure = failure
        self.ended = self.ended or time.perf_counter()
        over, self._over = self._over, None
        if not keeps:
            self.drop()
        if over is not None and not over.done():
            over.set_result(None)

    def _end_stream(self, over: asyncio.Future[None]) -> None:
        """Take a response whose event is here, although its stream goes on."""
        if self._over is over:
            self._end()

    def data_received(self, data: bytes) -> None:
        if self._over is None:
            # Nobody asked: what comes next would be taken for another response.
            self.drop()
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._end(self.failure or "not-http")
            return
        if self.failure is None and not self._has_head:
            self._head += len(data)
            if self._head > MAX_HEAD:
                self.failure = "headers"
        if self.failure is not None:
            self._end(self.failure)
        elif self._complete:
            self._end(keeps=self._keeps_alive and self._has_length)
        elif not self.ended and self.kind == EVENTS and self._number and self._is_response(self.body, self._number):
            self.ended = time.perf_counter()
            asyncio.get_running_loop().call_later(STREAM_GRACE, self._end_stream, self._over)

    def eof_received(self) -> bool:
        # Without a length, the end of the connection is the end of the body.
        if self._over is not None and self._has_head and not self._has_length and self.failure is None:
            self._end()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_open = False
        if self._over is not None:
            self._end("closed" if exc is None else "reset")

    # Callbacks of the parser.

    def on_header(self, name: bytes, value: bytes) -> None:
        lower = name.lower()
        if lower == b"content-type":
            self.kind = value.partition(b";")[0].strip().lower().decode("latin-1")
        elif lower in (b"content-length", b"transfer-encoding"):
            self._has_length = True
        elif lower == b"content-encoding":
            self._encoding = value.strip().lower().decode("latin-1")
        elif lower == _SESSION:
            self.session = value.decode("latin-1")
        elif lower == b"retry-after":
            self.retry_after = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        self.status = self._parser.get_status_code()
        if self.status < FINAL:
            self._interim += 1
            if self._interim > MAX_INTERIM or self.status == SWITCHING:
                self.failure = "not-http"
            return
        self._has_head = True
        if self._encoding not in ("", "identity"):
            self.failure = "encoding"

    def on_body(self, body: bytes) -> None:
        if self._complete:
            self.failure = "not-http"
        elif len(self.body) + len(body) > self._longest:
            self.failure = "too-long"
        elif self.failure is None:
            self.body += body

    def on_message_complete(self) -> None:
        if self._complete:
            self.failure = "not-http"
        if self.status >= FINAL:
            self._complete = True
            # The parser forgets this with the end of the message.
            self._keeps_alive = bool(self._parser.should_keep_alive())
