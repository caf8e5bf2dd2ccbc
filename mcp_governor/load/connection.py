"""One HTTP/1.1 connection that sends a request on demand and hands over the response: httptools on asyncio."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Protocol

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


class Owner(Protocol):
    """Gets the end of each exchange."""

    def answered(self, now: float) -> None:
        """The response is here; :attr:`Connection.failure` says if it could be read, and ``now`` when its end came."""


class Connection(asyncio.Protocol):
    """A connection for one request at a time.

    Args:
        longest: most bytes of a response's body.
        on_event: says if the response is in what has come of a stream of events.

    Attributes:
        failure: why there is no response (``reset``, ``closed``, ``not-http``, ``headers``, ``too-long``,
            ``encoding``), ``None`` if there is one.
        status, kind, body: of the response.
        session: its ``Mcp-Session-Id``.
        retry_after: its ``Retry-After``, as sent; empty if there is none.
        is_open: the connection can take another request.
    """

    def __init__(self, longest: int, on_event: Callable[[bytearray], bool]) -> None:
        self._longest = longest
        self._on_event = on_event
        self._owner: Owner | None = None
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpResponseParser(self)
        self.is_open = False
        self._clear()

    def _clear(self) -> None:
        self.failure: str | None = None
        self.status = 0
        self.kind = ""
        self.body = bytearray()
        self.session: str | None = None
        self.retry_after = ""
        self._encoding = ""
        self._head = 0
        self._has_head = False
        self._has_length = False
        self._interim = 0
        self._complete = False
        self._keeps_alive = False
        self._event_at: float | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.is_open = True

    def send(self, request: bytes, owner: Owner) -> None:
        """Send a whole request; ``owner`` is called when its response is here."""
        self._clear()
        self._owner = owner
        assert self._transport is not None
        self._transport.write(request)

    def drop(self) -> None:
        """Close the connection without a call of the owner; what was not read is discarded."""
        self._owner = None
        self.is_open = False
        if self._transport is not None:
            self._transport.abort()

    def fail(self, failure: str, now: float) -> None:
        """End the exchange and the connection."""
        self.failure = failure
        owner = self._owner
        self.drop()
        if owner is not None:
            owner.answered(now)

    @property
    def has_event(self) -> float | None:
        """When the expected event of a stream came that has not ended; ``None`` if it has not come."""
        return self._event_at

    def end_stream(self) -> None:
        """Take a response whose event is here, although its stream goes on."""
        at, owner = self._event_at, self._owner
        self.drop()
        if owner is not None and at is not None:
            owner.answered(at)

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        if self._owner is None:
            # Nobody asked: what comes next would be taken for another response.
            self.drop()
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self.fail(self.failure or "not-http", now)
            return
        if self.failure is None and not self._has_head:
            self._head += len(data)
            if self._head > MAX_HEAD:
                self.failure = "headers"
        if self.failure is not None:
            self.fail(self.failure, now)
        elif self._complete:
            self._done(now)
        elif (
            self._event_at is None and self.kind == EVENTS and self._on_event is not None and self._on_event(self.body)
        ):
            self._event_at = now

    def _done(self, now: float) -> None:
        owner, self._owner = self._owner, None
        if not (self._keeps_alive and self._has_length):
            self.drop()
        if owner is not None:
            owner.answered(self._event_at or now)

    def eof_received(self) -> bool:
        # Without a length, the end of the connection is the end of the body.
        if self._owner is not None and self._has_head and not self._has_length and self.failure is None:
            self._done(time.perf_counter())
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_open = False
        if self._owner is not None:
            self.fail("closed" if exc is None else "reset", time.perf_counter())

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
