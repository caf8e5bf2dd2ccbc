"""The requests of a sweep over streamable HTTP, and what a worker gets: where to connect, and the bytes to send."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from msgspec import Struct

from mcp_governor._version import __version__
from mcp_governor.wire import protocol, rpc, session
from mcp_governor.wire.endpoint import Era
from mcp_governor.wire.headers import ACCEPT as ACCEPTED
from mcp_governor.wire.headers import SESSION, VERSION, mirrored

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.load.model import SweepPlan
    from mcp_governor.wire.endpoint import HttpEndpoint
    from mcp_governor.wire.rpc import Message

ACCEPT = {"Accept": ACCEPTED, "Content-Type": "application/json"}
"""Headers of every POST (2025-03-26 and later, transports)."""


@dataclass(frozen=True, slots=True)
class HttpJob:
    """What each client of a sweep sends.

    Attributes:
        url: the address of the endpoint; it may contain secrets.
        secret_headers: headers that the configuration names, with their secrets.
        headers: headers of every message.
        handshake: the ``initialize`` request and the notification after it; ``None`` in 2026-07-28, which has none.
        request: the request that is measured.
        request_headers: headers of messages after the handshake.
        shown: the address as it may be printed.
    """

    url: str = field(repr=False)
    secret_headers: Mapping[str, str] = field(repr=False)
    headers: Mapping[str, str]
    handshake: tuple[Message, Message] | None
    request: Message
    request_headers: Mapping[str, str]
    shown: str


def http_job(
    endpoint: HttpEndpoint, era: Era, version: str, plan: SweepPlan, tools: Mapping[str, Any] | None = None
) -> HttpJob:
    """The job of a plan.

    Args:
        endpoint: the server.
        era: the era that it speaks.
        version: the protocol version that was negotiated.
        plan: the plan, which says the method and its parameters.
        tools: name → tool as listed, if the method is ``tools/call``.

    Raises:
        ProtocolError: annotations of the tool's schema forbid calling it over HTTP.
    """
    if era is Era.MODERN:
        request = rpc.request(1, plan.method, session.enveloped(plan.params))
        handshake, after = None, mirrored(request, version, tools or {})
    else:
        request = rpc.request(2, plan.method, dict(plan.params) or None)
        handshake = (rpc.request(1, "initialize", dict(protocol.HELLO)), rpc.notification("notifications/initialized"))
        after = {VERSION: version}
    return HttpJob(endpoint.url, dict(endpoint.headers), ACCEPT, handshake, request, after, endpoint.shown)


RESPONSE_FLOOR = 256 * 1024
"""Least bytes that a response may have: results of a tool vary, and 200 responses of this size are 50 MB."""

RESPONSE_GROWTH = 4
"""A response may have this many times the bytes of the first one: a list under load is the same list."""


class Address(Struct, frozen=True):
    """Where the connections of a sweep go.

    Attributes:
        host: name of the server, for ``Host`` and TLS.
        ip: the address that was judged; nothing is resolved again.
        port: TCP port.
        tls: true for https.
    """

    host: str
    ip: str
    port: int
    tls: bool


class Recipe(Struct, frozen=True):
    """One server and one request.

    Attributes:
        address: where to connect.
        request: bytes of the request before and after its id; headers of a session go between ``head`` and the blank
            line, so ``head`` is apart.
        handshake: the requests of a handshake, as ``request``; empty if none is needed.
        farewell: head of the DELETE that ends a session.
        session: the handshake is made by every client; false if the server gave no session to the first one.
        method: of the request.
        first: body of the first response, which was checked in full, before and after its id.
        is_same: other good responses differ from it in their id alone; otherwise each is parsed.
        kind: content type of a good response.
        tools: the tools of the first list, with which later ones are compared; ``None`` if they are not.
        longest: most bytes of a response.
        timeout: seconds for one response.
    """

    address: Address
    request: tuple[bytes, bytes, bytes]
    handshake: tuple[tuple[bytes, bytes, bytes], ...]
    method: str
    longest: int
    timeout: float
    farewell: bytes = b""
    session: bool = True
    first: tuple[bytes, bytes] = (b"", b"")
    is_same: bool = False
    kind: str = ""
    tools: list[Any] | None = None

    @property
    def response_bytes(self) -> int:
        """Body of one response."""
        return sum(map(len, self.first)) + DIGITS


def recipe_of(job: HttpJob, address: Address, *, longest: int, timeout: float) -> Recipe:
    """The bytes for a server, at its judged address; see :class:`Recipe`."""
    always = {**job.secret_headers, **job.headers}
    later = {**always, **job.request_headers}
    handshake: tuple[tuple[bytes, bytes, bytes], ...] = ()
    if job.handshake is not None:
        hello, after = job.handshake
        handshake = (_post(hello, job.url, always), _post(after, job.url, later))
    return Recipe(
        address=address,
        request=_post(job.request, job.url, later),
        handshake=handshake,
        method=job.request["method"],
        longest=longest,
        timeout=timeout,
        farewell=_head("DELETE", job.url, {**job.secret_headers, **job.request_headers}) if handshake else b"",
    )


DIGITS = 9
"""Length of a request's id, so that every request has the same number of bytes. A sweep has fewer requests than this
leaves numbers."""


_PLACE = 987_654_321
"""Stands for the id while a body is cut at it; it has :data:`DIGITS` digits."""


def _post(message: Message, url: str, headers: Mapping[str, str]) -> tuple[bytes, bytes, bytes]:
    """Head and body of a request around its id; a notification has none."""
    if "id" in message:
        # The first of them is the id: what comes from the user is in the parameters, which follow.
        before, _, after = rpc.encode({**message, "id": _PLACE}).partition(str(_PLACE).encode())
    else:
        before, after = rpc.encode(message), b""
    length = len(before) + (DIGITS + len(after) if after else 0)
    return _head("POST", url, {**headers, "Content-Length": str(length)}), before, after


def _head(method: str, url: str, more: Mapping[str, str]) -> bytes:
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    given = {name.lower() for name in more}
    ours = {
        "Host": parts.netloc.rpartition("@")[2],
        "User-Agent": f"mcp-governor/{__version__}",
        # A response in another encoding would have to be unpacked, which costs us time and may be a bomb.
        "Accept-Encoding": "identity",
    }
    headers = {**{name: value for name, value in ours.items() if name.lower() not in given}, **more}
    # A value has one line; the wire has refused others before.
    head = "".join(f"{name}: {''.join(value.splitlines())}\r\n" for name, value in headers.items())
    # Characters that a request line cannot hold are percent-encoded.
    return f"{method} {quote(target, safe=_SAFE)} HTTP/1.1\r\n{head}".encode()


_SAFE = "/%?&=:;,+$@!*'()~[]"


def session_line(session: str) -> bytes:
    """The header of the requests that belong to a session."""
    return f"{SESSION}: {session}\r\n".encode()
