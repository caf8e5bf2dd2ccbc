"""One client of a sweep: a connection, a session where the server requires one, and one request at a time."""

from __future__ import annotations

import asyncio
import itertools
import ssl
import time
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from mcp_governor.errors import ProtocolError
from mcp_governor.load.connection import Connection
from mcp_governor.load.judge import EVENTS, OK, Judge, response_in
from mcp_governor.load.recipe import session_line
from mcp_governor.wire.headers import valid_session

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_governor.load.recipe import Recipe

FIRST_NUMBER = 100_000_000
"""First id of a request: nine digits, so that all requests have the same length."""

STREAM_GRACE = 0.02
"""Seconds that a stream may go on after its response: servers end it with their next write. Then it is closed, because
a connection with an open stream takes no other request."""

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
        self.judge = Judge(recipe.method, recipe.expected, recipe.kind, recipe.tools)
        self.clients: list[Client] = []
        self._numbers = itertools.count(FIRST_NUMBER)
        self.tls = _tls_context() if recipe.address.tls else None

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
    """The seconds of a ``Retry-After`` (RFC 9110, 10.2.3), which is a number or a date; ``None`` if it is neither."""
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:_MAX_DIGITS]), LONGEST_WAIT)
    try:
        at = parsedate_to_datetime(text[:_MAX_DATE]).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
    return float(min(max(0, round(at - time.time())), LONGEST_WAIT))


_MAX_DIGITS, _MAX_DATE = 12, 60
"""Most characters that are read of a number, and of a date: the longest date of RFC 9110 has 33."""


def _tls_context() -> ssl.SSLContext:
    import httpx2

    # The certificates that the wire trusts.
    return httpx2.create_ssl_context()


class Client:
    """Sends one request after the other.

    Attributes:
        finished: gets each request's kind of failure (``None`` if it was good) and when its end came.
        is_busy: a request is under way.
        due: when the current request was to be sent, in seconds of ``time.perf_counter``.
        began: when it was.
        retry_after: seconds that the last response asked to wait; ``None`` if it asked for none.
    """

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self._connection: Connection | None = None
        self._task: asyncio.Task[None] | None = None
        self._has_session = False
        self._session: str | None = None
        self._number = b""
        self._looks = 0
        recipe = crew.recipe
        self._head, self._before, self._after = recipe.request
        self._start = self._head + b"\r\n" + self._before
        self.finished: Callable[[Client, str | None, float], None] = lambda _client, _failure, _now: None
        self.is_busy = False
        self.due = self.began = 0.0
        self.retry_after: float | None = None

    def start(self, due: float) -> None:
        """Send a request that was due at ``due``; connects first if there is no connection."""
        self.due = due
        self.began = time.perf_counter()
        self.is_busy = True
        self.retry_after = None
        if self._is_ready:
            self._send()
        else:
            self._task = asyncio.get_running_loop().create_task(self._ready_and_send())

    @property
    def timeout(self) -> float:
        """Seconds for one response."""
        return self._crew.recipe.timeout

    @property
    def _is_ready(self) -> bool:
        is_open = self._connection is not None and self._connection.is_open
        return is_open and (self._has_session or not self._needs_session)

    @property
    def _needs_session(self) -> bool:
        return bool(self._crew.recipe.handshake) and self._crew.recipe.session

    def _send(self) -> None:
        self._number = self._crew.number()
        self._looks = 0
        assert self._connection is not None
        self._connection.send(self._start + self._number + self._after, self)

    async def _ready_and_send(self) -> None:
        try:
            await self.ready()
        except FailedError as error:
            self._end(str(error), time.perf_counter())
        else:
            self._task = None
            self._send()

    async def ready(self) -> None:
        """Connect, and open a session if the server has them.

        Raises:
            FailedError: the connection or the handshake failed.
        """
        if self._is_ready:
            return
        await self._connect()
        if self._needs_session and not self._has_session:
            await self._shake_hands()

    async def _connect(self) -> None:
        if self._connection is not None and self._connection.is_open:
            return
        recipe = self._crew.recipe
        where = recipe.address
        loop = asyncio.get_running_loop()
        connection = Connection(recipe.longest, self._on_event)
        try:
            async with asyncio.timeout(recipe.timeout):
                await loop.create_connection(
                    lambda: connection,
                    where.ip,
                    where.port,
                    ssl=self._crew.tls,
                    server_hostname=where.host if where.tls else None,
                )
        except TimeoutError:
            raise FailedError("connect-timeout") from None
        except ssl.SSLError:
            raise FailedError("tls") from None
        except ConnectionRefusedError:
            raise FailedError("refused") from None
        except ConnectionResetError:
            raise FailedError("reset") from None
        except OSError:
            raise FailedError("no-connection") from None
        self._connection = connection

    async def _shake_hands(self) -> None:
        hello, *rest = self._crew.recipe.handshake
        number = self._crew.number()
        connection = await self.exchange(hello, number)
        if connection.failure is not None:
            raise FailedError(connection.failure)
        if connection.status != OK:
            self.retry_after = seconds_to_wait(connection.retry_after)
            raise FailedError(f"http-{connection.status}")
        message = response_in(connection.kind, bytes(connection.body), int(number))
        if message is None or "error" in message:
            raise FailedError("handshake")
        try:
            self._session = valid_session(connection.session)
        except ProtocolError:
            raise FailedError("handshake") from None
        line = session_line(self._session) if self._session is not None else b""
        self._start = self._head + line + b"\r\n" + self._before
        for parts in rest:
            connection = await self.exchange((parts[0] + line, *parts[1:]), b"")
            if connection.failure is not None or connection.status not in ACCEPTED:
                raise FailedError(connection.failure or f"http-{connection.status}")
        self._has_session = True
        # The notification may have ended the connection.
        await self._connect()

    async def exchange(self, parts: tuple[bytes, bytes, bytes], number: bytes) -> Connection:
        """Send one request outside of a measurement; the connection then holds its response.

        Args:
            parts: head, and body before and after the id.
            number: the id; empty for a notification.

        Raises:
            FailedError: no connection.
        """
        await self._connect()
        connection = self._connection
        assert connection is not None
        waiting = _Waiting()
        self._number, self._looks = number, 0
        head, before, after = parts
        connection.send(head + b"\r\n" + before + number + after, waiting)
        try:
            async with asyncio.timeout(self._crew.recipe.timeout):
                while not waiting.is_over.is_set():
                    if connection.has_event is not None:
                        connection.end_stream()
                        break
                    # An event of a stream that goes on wakes nobody.
                    await _either(waiting.is_over, STREAM_GRACE)
        except TimeoutError:
            connection.drop()
            raise FailedError("timeout") from None
        return connection

    async def trial(self) -> tuple[Connection, bytes]:
        """Send the request of the recipe outside of a measurement.

        Raises:
            FailedError: the connection or the handshake failed.
        """
        await self.ready()
        number = self._crew.number()
        line = session_line(self._session) if self._session is not None else b""
        return await self.exchange((self._head + line, self._before, self._after), number), number

    @property
    def has_session(self) -> bool:
        """True if the server gave a session."""
        return self._session is not None

    def _on_event(self, body: bytearray) -> bool:
        """True if the response is in what has come of a stream; see :data:`STREAM_GRACE`."""
        if not self._number or not body.endswith((b"\n\n", b"\r\n\r\n", b"\r\r")):
            return False
        if not self._crew.judge.is_expected(body, self._number):
            self._looks += 1
            if self._looks > MAX_LOOKS or response_in(EVENTS, bytes(body), int(self._number)) is None:
                return False
        if self.is_busy:
            asyncio.get_running_loop().call_later(STREAM_GRACE, self._end_stream, self._number)
        return True

    def _end_stream(self, number: bytes) -> None:
        if self.is_busy and self._number == number and self._connection is not None:
            self._connection.end_stream()

    def answered(self, now: float) -> None:
        """See :class:`~mcp_governor.load.connection.Owner`."""
        connection = self._connection
        assert connection is not None
        failure = connection.failure
        if failure is None:
            failure = self._crew.judge.failure(connection.status, connection.kind, connection.body, self._number)
            self.retry_after = seconds_to_wait(connection.retry_after)
            if connection.status == GONE:
                # The next request opens another session.
                self._has_session, self._session = False, None
        self._end(failure, now)

    def expire(self, failure: str) -> None:
        """End the current request."""
        if self._task is not None:
            self._task.cancel()
        if self._connection is not None:
            self._connection.drop()
        self._end(failure, time.perf_counter())

    def _end(self, failure: str | None, now: float) -> None:
        self._task = None
        self.is_busy = False
        self.finished(self, failure, now)

    async def leave(self) -> None:
        """End the session and the connection."""
        farewell = self._crew.recipe.farewell
        if self._session is not None and farewell:
            with suppress(FailedError):
                await self.exchange((farewell + session_line(self._session), b"", b""), b"")
        self._session = None
        if self._connection is not None:
            self._connection.drop()


class _Waiting:
    """Waits for one response."""

    def __init__(self) -> None:
        self.is_over = asyncio.Event()

    def answered(self, now: float) -> None:  # noqa: ARG002
        """See :class:`~mcp_governor.load.connection.Owner`."""
        self.is_over.set()


async def _either(event: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
