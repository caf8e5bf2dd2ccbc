"""Serving over HTTP on the loopback interface: bounded in connections, in what waits, and in how slow a client may be.

Two things are in front of the SDK. ``Line`` is the protocol of one connection, and hangs up where there are too
many or a request does not arrive. ``Door`` reads the body of a request as ``lines`` reads a line over stdio, so that
whatever is refused there is refused here, and holds no more of them at a time than memory allows.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import TYPE_CHECKING, Any

import anyio
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from mcp_governor.errors import UsageError
from mcp_governor.server.lines import INVALID_REQUEST, LINE_BYTES, Refused, TooLong, cost, read
from mcp_governor.server.stderr import unblocking_stderr

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp.server.mcpserver import MCPServer

HOST = "127.0.0.1"

CONNECTIONS = 128
"""Connections at a time; one more is closed at once. As many as requests over stdio."""

ARRIVAL = 20.0
"""Seconds in which a request has to arrive, from the opening of its connection to the end of its body."""

BODIES_COST = 32 << 20
"""Most memory, as ``lines.cost`` estimates it, that bodies may take before they are answered. One always fits."""

SESSIONS = 128
"""Sessions at a time; the SDK refuses the next one."""

SESSION_SECONDS = 300
"""Time after which an unused session is dropped, in seconds; its client must then start a new one."""

GRACE = 1
"""Seconds that running calls get when the server has to end."""


class Line(H11Protocol):
    """One connection. It is closed if there are too many, or if the client takes too long to send a request."""

    _watch: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, or hang up."""
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            transport.abort()
        self._watched()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        super().data_received(data)
        self._watched()

    def on_response_complete(self) -> None:
        """The next request on this connection has a time of its own; it may be here already."""
        self._unwatched()
        super().on_response_complete()
        self._watched()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._unwatched()
        super().connection_lost(exc)

    def _watched(self) -> None:
        """Run the clock exactly while the client has to send something."""
        cycle = self.cycle
        if cycle is not None and not cycle.more_body and not cycle.response_complete:
            self._unwatched()
        elif self._watch is None:
            self._watch = self.loop.call_later(ARRIVAL, self.transport.abort)

    def _unwatched(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None


class Door:
    """Reads what is posted before the SDK does, and refuses what cannot be a message.

    Args:
        app: the SDK's application.
    """

    def __init__(self, app: Any) -> None:
        self._app = app
        self._held = 0

    async def __call__(self, scope: Any, receive: Callable[[], Awaitable[Any]], send: Any) -> None:
        """Serve one request (ASGI)."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        # Cancelled because the server ends during a request; uvicorn would log that as an error.
        with contextlib.suppress(asyncio.CancelledError), _Share(self) as share:
            outcome = await _body(receive, share)
            if outcome is None:
                return
            if isinstance(outcome, Refused):
                await _refuse(outcome, send)
                return
            body: bytes | None = outcome

            async def replay() -> Any:
                nonlocal body
                if body is None:
                    return await receive()
                whole, body = body, None
                return {"type": "http.request", "body": whole, "more_body": False}

            del outcome
            await self._app(scope, replay, send)


class _Share:
    """What one request takes of the memory for all of them."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._size = 0

    def __enter__(self) -> _Share:
        return self

    def __exit__(self, *_: object) -> None:
        self._door._held -= self._size

    def grows_to(self, size: int) -> bool:
        """Reserve bytes from the total; ``False`` if there are not enough left."""
        others = self._door._held - self._size
        if others and others + size > BODIES_COST:
            return False
        self._door._held, self._size = others + size, size
        return True


async def _body(receive: Callable[[], Awaitable[Any]], share: _Share) -> bytes | Refused | None:
    """The body of a request; ``None`` if the client is gone."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        size += len(message.get("body", b""))
        if size > LINE_BYTES:
            refused = read(TooLong(b"".join(parts)))
            assert isinstance(refused, Refused)
            return refused
        parts.append(message.get("body", b""))
        if not share.grows_to(4 * size):
            return _BUSY
        if not message.get("more_body", False):
            break
    body = b"".join(parts)
    if not share.grows_to(cost(body)):
        return _BUSY
    outcome = read(body)
    return outcome if isinstance(outcome, Refused) else body


_BUSY = Refused(INVALID_REQUEST, "too many requests are pending; wait for a response, then send this one again")


async def _refuse(refused: Refused, send: Any) -> None:
    """Answer with the error that stdio would have; a body that was not read to its end closes the connection."""
    status = 503 if refused is _BUSY else 400
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": refused.encoded()})


def serve_http(server: MCPServer[Any], port: int) -> None:
    """Serve clients of this machine until the process is interrupted.

    Args:
        server: see :func:`~mcp_governor.server.app.build_server`.
        port: on the loopback interface; 0 for any.

    Raises:
        UsageError: the port is in use, or we lack the permission to use it.
    """
    try:
        listener = socket.create_server((HOST, port), backlog=CONNECTIONS)
    except OSError as error:
        raise UsageError(
            f"Port {port} cannot be listened on: {error.strerror}.", "Use another port with --port."
        ) from None
    app = server.streamable_http_app(
        host=HOST, max_request_body_size=LINE_BYTES, max_sessions=SESSIONS, session_idle_timeout=SESSION_SECONDS
    )
    config = uvicorn.Config(
        Door(app),
        http=Line,
        ws="none",
        loop="asyncio",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE,
    )
    with listener, unblocking_stderr():
        anyio.run(uvicorn.Server(config).serve, [listener])
