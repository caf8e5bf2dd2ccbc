"""Serving over HTTP: bounded in connections, in what waits, and in how slow a client may be.

On the loopback interface a request needs the name of this machine in its ``Host`` (against DNS rebinding); on any
other, and wherever a token is set, it needs the token.

Two things are in front of the SDK. ``Line`` is the protocol of one connection, and hangs up where there are too
many or a request does not arrive. ``Door`` reads the body of a request as ``lines`` reads a line over stdio, so that
whatever is refused there is refused here, and holds no more of them at a time than memory allows.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import os
import socket
from typing import TYPE_CHECKING, Any, ClassVar

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import LATEST_PROTOCOL_VERSION
from uvicorn.protocols.http.h11_impl import H11Protocol

from mcp_governor.errors import UsageError
from mcp_governor.omni.server_info import build_server_info
from mcp_governor.server.lines import INVALID_REQUEST, LINE_BYTES, Refused, TooLong, cost, read
from mcp_governor.server.stderr import unblocking_stderr

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection

    from mcp.server.mcpserver import MCPServer

    from mcp_governor.server.address import Address

PATH = "/mcp"
"""Where the protocol is spoken."""

HEALTH = "/health"
"""Answers to GET as long as the server runs; the only path that never needs the token."""

CONNECTIONS = 128
"""Connections at a time; as many more are answered with 503, and the next ones closed at once. As many as requests over
stdio."""

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


_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\nConnection: close\r\n"
    b'Content-Length: 34\r\n\r\n{"error": "too many connections"}\n'
)


class Line(H11Protocol):
    """One connection. It is closed if there are too many, or if the client takes too long to send a request."""

    _watch: asyncio.TimerHandle | None = None
    _turned_away: ClassVar[set[Line]] = set()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, or say that there are too many and hang up."""
        if len(self.connections) >= CONNECTIONS:
            if len(self._turned_away) >= CONNECTIONS:
                transport.abort()
                return
            self._turned_away.add(self)
            transport.write(_FULL)
            # What it sends is thrown away: closed before that arrives, the connection would be reset, without a status.
            self._watch = self.loop.call_later(GRACE, transport.abort)
            return
        super().connection_made(transport)
        self._watched()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        if self in self._turned_away:
            return
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
        if self in self._turned_away:
            self._turned_away.remove(self)
        elif self.transport is not None:
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
        token: the bearer token that requests need; none if it is empty.
        info: the answer to a GET that asks for no stream (tool schema guide, section 0a).
        hosts: what ``Host`` may be; anything if there are none.
        origins: what ``Origin`` may be where there is one; anything if there are no hosts.
    """

    def __init__(
        self,
        app: Any,
        token: str = "",
        info: dict[str, Any] | None = None,
        hosts: Collection[str] = (),
        origins: Collection[str] = (),
    ) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._origins = frozenset(origins)
        self._token = token
        self._info = info
        self._held = 0

    async def __call__(self, scope: Any, receive: Callable[[], Awaitable[Any]], send: Any) -> None:
        """Serve one request (ASGI)."""
        if scope["type"] == "http":
            headers = dict(scope["headers"])
            if self._hosts and headers.get(b"host", b"").decode("latin-1") not in self._hosts:
                await _read_away(receive)
                await _send(send, 421, {"error": "the Host is not an address of this server"})
                return
            if self._hosts and headers.get(b"origin", b"").decode("latin-1") not in self._origins | {""}:
                await _read_away(receive)
                await _send(send, 403, {"error": "the Origin is not an address of this server"})
                return
            plain = scope["method"] == "GET" and b"text/event-stream" not in headers.get(b"accept", b"")
            if plain and scope["path"] == HEALTH:
                await _send(send, 200, {"status": "ok"})
                return
            if self._token and not _admits(self._token, headers.get(b"authorization", b"")):
                await _read_away(receive)
                await _send(send, 401, {"error": "a bearer token is needed"}, (b"www-authenticate", b"Bearer"))
                return
            if plain and scope["path"] == PATH and self._info is not None:
                await _send(send, 200, self._info)
                return
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


async def _read_away(receive: Callable[[], Awaitable[Any]]) -> None:
    """Throw away the body of a refused request: closed before it arrives, the connection would be reset, and the client
    would not learn why."""
    size = 0
    while size <= LINE_BYTES:
        message = await receive()
        size += len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return


_BUSY = Refused(INVALID_REQUEST, "too many requests are pending; wait for a response, then send this one again")


async def _refuse(refused: Refused, send: Any) -> None:
    """Answer with the error that stdio would have; a body that was not read to its end closes the connection."""
    status = 503 if refused is _BUSY else 400
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": refused.encoded()})


def _admits(token: str, authorization: bytes) -> bool:
    """True if a request carries the token; takes as long for a wrong one."""
    scheme, _, given = authorization.partition(b" ")
    return hmac.compare_digest(given.strip(), token.encode()) and scheme.lower() == b"bearer"


async def _send(send: Any, status: int, body: dict[str, Any], *headers: tuple[bytes, bytes]) -> None:
    kind = (b"content-type", b"application/json")
    await send({"type": "http.response.start", "status": status, "headers": [kind, *headers]})
    await send({"type": "http.response.body", "body": json.dumps(body).encode()})


def serve_http(server: MCPServer[Any], address: Address, token: str = "") -> None:
    """Serve clients until the process is interrupted.

    Args:
        server: see :func:`~mcp_governor.server.app.build_server`.
        address: where to listen.
        token: the bearer token that requests need; may be empty on the loopback interface only.

    Raises:
        UsageError: the address cannot be listened on.
    """
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        listener = socket.create_server((address.host, address.port), family=family, backlog=CONNECTIONS)
    except OSError as error:
        raise UsageError(
            f"{address} cannot be listened on: {os.strerror(error.errno or 0)}.", "Name another one: --http HOST:PORT"
        ) from None
    security = _security(address)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        host=address.host,
        max_request_body_size=LINE_BYTES,
        max_sessions=SESSIONS,
        session_idle_timeout=SESSION_SECONDS,
        transport_security=security,
    )
    config = uvicorn.Config(
        Door(app, token, _info(server), security.allowed_hosts, security.allowed_origins),
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


def _security(address: Address) -> TransportSecuritySettings:
    """The hosts and origins that requests may name.

    A page of the web can reach the loopback interface through a name of its own, and says so in ``Host``. Elsewhere
    the token protects: a page does not have it.
    """
    names = {"localhost", "127.0.0.1", "[::1]", address.shown_host} if address.is_loopback else set()
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=address.is_loopback,
        allowed_hosts=sorted(f"{name}:{address.port}" for name in names),
        allowed_origins=sorted(f"http://{name}:{address.port}" for name in names),
    )


def _info(server: MCPServer[Any]) -> dict[str, Any]:
    message = "Speaks MCP over Streamable HTTP: send POST to this address."
    return build_server_info(server.name, str(server.version), LATEST_PROTOCOL_VERSION, message)
