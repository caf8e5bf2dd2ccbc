"""The two kinds of handshake, and how to find out which one a server supports.

From 2026-07-28 on, every request has its own ``_meta`` envelope, and ``server/discover`` returns information about the
server. Before, ``initialize`` and ``notifications/initialized`` open a session.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.errors import ProtocolError, UnreachableError
from mcp_governor.surface.model import MODERN_PROTOCOL
from mcp_governor.text import one_line
from mcp_governor.wire import rpc
from mcp_governor.wire.endpoint import Era
from mcp_governor.wire.pulse import Vigil
from mcp_governor.wire.session import CLIENT_INFO, META, Session
from mcp_governor.wire.transport import HttpStatusError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.wire.rpc import Message

    _Greeting = tuple[Era, str, Message, Any, float]

LEGACY_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
LATEST_LEGACY = LEGACY_VERSIONS[-1]

_DISCOVER = "server/discover"
_INITIALIZE = "initialize"
HELLO = {"protocolVersion": LATEST_LEGACY, "capabilities": {}, "clientInfo": CLIENT_INFO}
"""Parameters of ``initialize``."""


class Patience(Struct, frozen=True):
    """How long to wait for the response to ``server/discover`` before another handshake is tried.

    Attributes:
        silence: seconds after the request was read during which a child neither writes nor works.
        longest: seconds after the request was read in any case; over HTTP, where this is unknown, after it was sent.
    """

    silence: float
    longest: float


class UnansweredError(UnreachableError):
    """The server did not respond to ``server/discover`` in time.

    It either ignores the unknown request or is slow. Only another process, or over HTTP another connection, may be sent
    ``initialize``: a server that supports both eras and responds late would switch its era during the conversation.

    Attributes:
        read_after: time until the server had read the request, in seconds.
    """

    def __init__(self, read_after: float = 0.0) -> None:
        super().__init__("no response to `server/discover`.", "Raise --timeout, or check what it waits for.")
        self.read_after = read_after


async def greet(session: Session, *, pinned: Era | None = None, patience: Patience | None = None) -> None:
    """Find the era of a server and perform its handshake, one handshake at a time.

    A second handshake on the same connection follows only if the first one was refused. The session begins with its
    result.

    Args:
        session: sends the requests.
        pinned: the only era to use.
        patience: how long to wait for ``server/discover``; ``None`` waits as long as the session does.

    Raises:
        UnansweredError: no response within ``patience``.
        ServerError: the server supports neither era.
        TimeoutError: no response.
    """
    await session.begin(*await _greeted(session, pinned, patience))


async def _greeted(session: Session, pinned: Era | None, patience: Patience | None) -> _Greeting:
    if pinned is Era.LEGACY:
        return await _initialize(session)
    if pinned is Era.MODERN:
        return await _discover(session, patience)
    try:
        return await _discover(session, patience)
    except (rpc.RpcError, ProtocolError, HttpStatusError) as error:
        if isinstance(error, HttpStatusError) and error.may_pass:
            raise
        return await _initialize(session)


async def _answer(
    session: Session, method: str, params: Mapping[str, Any] | None, era: Era, patience: Patience | None
) -> tuple[Message, float]:
    """The result of a request, and the seconds between the server's reading of the request and its response.

    Raises:
        UnansweredError: no response within ``patience``.
    """
    sent = time.monotonic()
    pulse = session.pulse
    if pulse is None:
        try:
            result = await session.ask(method, params, era, patience.longest if patience else None)
        except TimeoutError:
            if patience and time.monotonic() - sent >= patience.longest:
                raise UnansweredError from None
            raise
        return result, time.monotonic() - sent
    # Without `patience`, the vigil only finds out when the request was read.
    vigil = Vigil(pulse, *((patience.silence, patience.longest) if patience else (math.inf, math.inf)))

    def look() -> None:
        now = time.monotonic()
        if vigil.is_http(now):
            raise UnreachableError("it serves HTTP, and does not read stdin.")
        if vigil.is_over(now):
            raise UnansweredError(vigil.unread_until(sent) - sent)

    result = await session.ask(method, params, era, look=look)
    return result, time.monotonic() - vigil.unread_until(sent)


class NoCommonVersionError(UnreachableError):
    """The server supports only protocol versions that we do not, so another handshake would not help."""


async def _discover(session: Session, patience: Patience | None) -> _Greeting:
    try:
        result, took = await _answer(session, _DISCOVER, None, Era.MODERN, patience)
    except rpc.RpcError as error:
        if error.code != rpc.UNSUPPORTED_VERSION:
            raise
        supported = _strings(error.data.get("supported") if isinstance(error.data, dict) else None)
        if MODERN_PROTOCOL not in supported:
            _check_common_version(supported)
            raise
        # It refused our version, although it lists it as supported.
        result, took = await session.ask(_DISCOVER, None, Era.MODERN), 0.0
    supported = _strings(result.get("supportedVersions"))
    if MODERN_PROTOCOL not in supported:
        _check_common_version(supported)
        raise ProtocolError(
            f"its {_DISCOVER} does not list protocol {MODERN_PROTOCOL}.", "List it in supportedVersions."
        )
    meta = result.get("_meta")
    named = meta.get(f"{META}serverInfo") if isinstance(meta, dict) else None
    return Era.MODERN, MODERN_PROTOCOL, result, named or result.get("serverInfo"), took


async def _initialize(session: Session) -> _Greeting:
    result, took = await _answer(session, _INITIALIZE, HELLO, Era.LEGACY, None)
    version = result.get("protocolVersion")
    if version not in LEGACY_VERSIONS:
        raise ProtocolError(
            f"it answered initialize with protocol version {one_line(repr(version), 40)}, which is none of "
            f"{', '.join(LEGACY_VERSIONS)}.",
            "Answer with the version that the client asked for, or with the newest one that the server knows.",
        )
    return Era.LEGACY, version, result, result.get("serverInfo"), took


def _check_common_version(supported: list[str]) -> None:
    if supported and not set(supported) & set(LEGACY_VERSIONS):
        from mcp_governor.installation import upgrade

        theirs = one_line(", ".join(supported), 80)
        raise NoCommonVersionError(
            f"it speaks only protocol {theirs}, and this version of mcp-governor speaks none of them.",
            upgrade(),
        )


def _strings(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
