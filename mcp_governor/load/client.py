"""One client of a sweep: a connection (httptools on asyncio), a session where needed, and one request at a time."""

from __future__ import annotations

import asyncio
import itertools
import ssl
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import httptools

from mcp_governor.errors import ProtocolError
from mcp_governor.load.judge import EVENTS, OK, Judge, response_in
from mcp_governor.load.recipe import session_line
from mcp_governor.wire.headers import SESSION, valid_session

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_governor.load.recipe import Recipe


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


FIRST_NUMBER = 100_000_000
"""First id of a request: nine digits, so that all requests have the same length."""

MAX_LOOKS = 20
"""Most times that an unfinished stream is searched for its response: servers send a few notifications before it."""

GONE = 404
"""Status for a session that the server has ended (MCP, streamable HTTP)."""

ACCEPTED = range(200, 300)
"""Statuses of a notification that was taken."""


class FailedError(Exception):
    """No request could be sent; ``str()`` is the kind of failure."""


class Crew:
    """What the clients of one worker share.

    Args:
        recipe: server and request.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.judge = Judge(recipe.method, recipe.first if recipe.is_same else None, recipe.kind, recipe.tools)
        self.clients: list[Client] = []
        self._numbers = itertools.count(FIRST_NUMBER)
        self.tls = None
        if recipe.address.tls:
            import httpx2

            # The certificates that the wire trusts.
            self.tls = httpx2.create_ssl_context()

    def number(self) -> bytes:
        """A new id."""
        return b"%d" % next(self._numbers)

    def grown(self, count: int) -> list[Client]:
        """The first ``count`` clients."""
        self.clients += [Client(self) for _ in range(count - len(self.clients))]
        return self.clients[:count]


LONGEST_WAIT = 86_400.0
"""Most seconds of a ``Retry-After`` that are kept: a limiter that asks for more than a day means "no"."""


def seconds_to_wait(retry_after: str) -> float | None:
    """The seconds of a ``Retry-After``; ``None`` if it is not a number. Limiters do not send its other form, a date."""
    text = retry_after.strip()
    return min(float(text[:12]), LONGEST_WAIT) if text.isascii() and text.isdigit() else None


_NO_CONNECTION: dict[type[OSError], str] = {
    TimeoutError: "connect-timeout",
    ssl.SSLError: "tls",
    ConnectionRefusedError: "refused",
    ConnectionResetError: "reset",
}
"""Why there is no connection → kind of failure."""


class Client:
    """Sends one request after the other.

    Attributes:
        is_lost: never true; see :class:`~mcp_governor.load.rounds.Sender`.
        retry_after: seconds that the last response asked to wait; ``None`` if it asked for none.
        session: the session that the server gave; ``None`` if it gave none.
    """

    is_lost = False

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self._connection: Connection | None = None
        self._has_session = not (crew.recipe.handshake and crew.recipe.session)
        self.session: str | None = None
        self.retry_after: float | None = None
        self._looks = 0

    async def send(self) -> tuple[str | None, float]:
        """See :class:`~mcp_governor.load.rounds.Sender`; connects first if there is no connection."""
        self.retry_after = None
        try:
            connection, number = await self.trial()
        except FailedError as error:
            return str(error), time.perf_counter()
        if connection.failure is not None:
            return connection.failure, connection.ended
        self.retry_after = seconds_to_wait(connection.retry_after)
        if connection.status == GONE and self.session is not None:
            # The next request opens another session.
            self._has_session, self.session = False, None
        failure = self._crew.judge.failure(connection.status, connection.kind, connection.body, number)
        return failure, connection.ended

    async def trial(self) -> tuple[Connection, bytes]:
        """Send the request of the recipe; the connection then holds the response to the number.

        Raises:
            FailedError: the connection or the handshake failed.
        """
        await self.ready()
        number = self._crew.number()
        return await self._exchange(self._crew.recipe.request, number), number

    async def ready(self) -> None:
        """Connect, and open a session if the server has them.

        Raises:
            FailedError: the connection or the handshake failed.
        """
        await self._connect()
        if self._has_session:
            return
        hello, *rest = self._crew.recipe.handshake
        number = self._crew.number()
        connection = await self._exchange(hello, number)
        if connection.failure is not None:
            raise FailedError(connection.failure)
        if connection.status != OK:
            self.retry_after = seconds_to_wait(connection.retry_after)
            raise FailedError(f"http-{connection.status}")
        message = response_in(connection.kind, bytes(connection.body), int(number))
        try:
            self.session = valid_session(connection.session)
        except ProtocolError:
            message = None
        if message is None or "error" in message:
            raise FailedError("handshake")
        for parts in rest:
            connection = await self._exchange(parts, b"")
            if connection.failure is not None or connection.status not in ACCEPTED:
                raise FailedError(connection.failure or f"http-{connection.status}")
        self._has_session = True

    async def _connect(self) -> Connection:
        if self._connection is not None and self._connection.is_open:
            return self._connection
        recipe = self._crew.recipe
        where = recipe.address
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(recipe.timeout):
                _, self._connection = await loop.create_connection(
                    lambda: Connection(recipe.longest, recipe.timeout, self._is_response),
                    where.ip,
                    where.port,
                    ssl=self._crew.tls,
                    server_hostname=where.host if where.tls else None,
                )
        except OSError as error:
            kind = next((kind for type_, kind in _NO_CONNECTION.items() if isinstance(error, type_)), "no-connection")
            raise FailedError(kind) from None
        return self._connection

    async def _exchange(self, parts: tuple[bytes, bytes, bytes], number: bytes) -> Connection:
        """Send a request, whose parts are its head, and its body before and after the number."""
        # What came before may have ended the connection.
        connection = await self._connect()
        head, before, after = parts
        line = session_line(self.session) if self.session is not None else b""
        self._looks = 0
        await connection.exchange(head + line + b"\r\n" + before + number + after, number)
        return connection

    def _is_response(self, body: bytearray, number: bytes) -> bool:
        """True if the response is in what has come of a stream."""
        if not body.endswith((b"\n\n", b"\r\n\r\n", b"\r\r")):
            return False
        if self._crew.judge.is_expected(body, number):
            return True
        self._looks += 1
        return self._looks <= MAX_LOOKS and response_in(EVENTS, bytes(body), int(number)) is not None

    def drop(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.drop()

    async def leave(self) -> None:
        """End the session and the connection."""
        farewell = self._crew.recipe.farewell
        if self.session is not None and farewell:
            with suppress(FailedError):
                await self._exchange((farewell, b"", b""), b"")
        self.session = None
        self.drop()
