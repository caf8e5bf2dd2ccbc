"""Serving over HTTP: bounded in connections, in what waits, and in how slow a client may be.

On the loopback interface a request needs the name of this machine in its ``Host`` (against DNS rebinding); on any
other, and wherever a token is set, it needs the token.

Two things are in front of the SDK. ``Line`` is the protocol of one connection, and hangs up where there are too
many or a request does not arrive. ``Door`` reads the body of a request as ``lines`` reads a line over stdio, so that
whatever is refused there is refused here, and holds no more of them at a time than memory allows.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import os
import socket
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, ClassVar

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import LATEST_PROTOCOL_VERSION
from uvicorn.protocols.http.h11_impl import H11Protocol

from mcp_governor.errors import UsageError
from mcp_governor.omni.server_info import build_server_info
from mcp_governor.server.lines import BUSY, INVALID_REQUEST, LINE_BYTES, Refused, TooLong, cost, read
from mcp_governor.server.stdio import unblocking_stderr

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcp.server.mcpserver import MCPServer

    from mcp_governor.server.address import Address

Receive = Callable[[], Awaitable[Any]]

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
        hosts: what ``Host`` may be, and with ``http://`` the ``Origin`` where there is one; anything if there are none.
    """

    def __init__(
        self, app: Any, token: str = "", info: dict[str, Any] | None = None, hosts: Collection[str] = ()
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._token = token
        self._info = info
        self._held = 0

    async def __call__(self, scope: Any, receive: Receive, send: Any) -> None:
        """Serve one request (ASGI)."""
        if scope["type"] == "http":
            headers = dict(scope["headers"])
            plain = scope["method"] == "GET" and b"text/event-stream" not in headers.get(b"accept", b"")
            is_health = plain and scope["path"] == HEALTH
            status, error = self._objection(headers, needs_token=not is_health)
            if error:
                await _read_away(receive)
                await _send(send, status, {"error": error})
                return
            if is_health:
                await _send(send, 200, {"status": "ok"})
                return
            if plain and scope["path"] == PATH and self._info is not None:
                await _send(send, 200, self._info)
                return
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        share = _Share(self)
        try:
            outcome = await _body(receive, share)
            if isinstance(outcome, Refused):
                # The error that stdio would have. A body that was not read to its end closes the connection.
                await _send(send, 503 if outcome is _BUSY else 400, outcome.encoded(), (b"connection", b"close"))
            elif outcome is not None:
                parts = [{"type": "http.request", "body": outcome, "more_body": False}]
                del outcome

                async def replay() -> Any:
                    return parts.pop() if parts else await receive()

                await self._app(scope, replay, send)
        except asyncio.CancelledError:
            # The server ends during a request; uvicorn would log that as an error.
            return
        finally:
            share.grows_to(0)

    def _objection(self, headers: dict[bytes, bytes], *, needs_token: bool) -> tuple[int, str]:
        """The status and the reason of a refusal; without a reason, there is none."""
        host, origin = (headers.get(name, b"").decode("latin-1") for name in (b"host", b"origin"))
        if self._hosts and host not in self._hosts:
            return 421, "the Host is not an address of this server"
        if self._hosts and origin and origin not in {f"http://{host}" for host in self._hosts}:
            return 403, "the Origin is not an address of this server"
        if self._token and needs_token and not _admits(self._token, headers.get(b"authorization", b"")):
            return 401, "a bearer token is needed"
        return 200, ""


class _Share:
    """What one request takes of the memory for all of them."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._size = 0

    def grows_to(self, size: int) -> bool:
        """Reserve bytes from the total; ``False`` if there are not enough left."""
        others = self._door._held - self._size
        if others and others + size > BODIES_COST:
            return False
        self._door._held, self._size = others + size, size
        return True


async def _body(receive: Receive, share: _Share) -> bytes | Refused | None:
    """The body of a request; ``None`` if the client is gone."""
    parts: list[bytes] = []
    size = 0
    more = True
    while more:
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
        more = message.get("more_body", False)
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


_BUSY = Refused(INVALID_REQUEST, BUSY)


def _admits(token: str, authorization: bytes) -> bool:
    """True if a request carries the token; takes as long for a wrong one."""
    scheme, _, given = authorization.partition(b" ")
    return hmac.compare_digest(given.strip(), token.encode()) and scheme.lower() == b"bearer"


async def _send(send: Any, status: int, body: dict[str, Any] | bytes, *headers: tuple[bytes, bytes]) -> None:
    kind = (b"content-type", b"application/json")
    ask = [(b"www-authenticate", b"Bearer")] if status == 401 else []
    await send({"type": "http.response.start", "status": status, "headers": [kind, *ask, *headers]})
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    await send({"type": "http.response.body", "body": text})


def serve_http(server: MCPServer[Any], address: Address, token: str = "") -> None:
    """Serve clients until the process is interrupted.

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
    # A page of the web can reach the loopback interface through a name of its own, and says so in ``Host``. Elsewhere
    # the token protects: a page does not have it.
    names = {"localhost", "127.0.0.1", "[::1]", address.shown_host} if address.is_loopback else set()
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        host=address.host,
        max_request_body_size=LINE_BYTES,
        max_sessions=SESSIONS,
        session_idle_timeout=SESSION_SECONDS,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the door has it
    )
    message = "Speaks MCP over Streamable HTTP: send POST to this address."
    info = build_server_info(server.name, str(server.version), LATEST_PROTOCOL_VERSION, message)
    config = uvicorn.Config(
        Door(app, token, info, {f"{name}:{address.port}" for name in names}),
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
