"""One client of a sweep: a connection, a session where the server requires one, and one request at a time."""

from __future__ import annotations

import asyncio
import itertools
import ssl
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from mcp_governor.errors import ProtocolError
from mcp_governor.load.connection import Connection
from mcp_governor.load.judge import EVENTS, OK, Judge, response_in
from mcp_governor.load.recipe import session_line
from mcp_governor.wire.headers import valid_session

if TYPE_CHECKING:
    from mcp_governor.load.recipe import Recipe

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
        self.judge = Judge(recipe.method, recipe.expected, recipe.kind, recipe.tools)
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
