"""The two ways to begin a conversation, and how to find out which one a server speaks.

2026-07-28: every request carries its own ``_meta`` envelope, and ``server/discover`` tells who the server is.
Before: ``initialize`` and ``notifications/initialized`` open a session.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, Protocol

from mcp_governor._version import __version__
from mcp_governor.errors import ProtocolError, UnreachableError
from mcp_governor.frozen import frozen
from mcp_governor.surface.model import MODERN_PROTOCOL
from mcp_governor.text import one_line
from mcp_governor.wire import rpc
from mcp_governor.wire.endpoint import Era
from mcp_governor.wire.transport import HttpStatusError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.wire.endpoint import Limits
    from mcp_governor.wire.rpc import Message

LEGACY_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
LATEST_LEGACY = LEGACY_VERSIONS[-1]

_META = "io.modelcontextprotocol/"
CLIENT_INFO = {"name": "mcp-governor", "version": __version__}
_DISCOVER = "server/discover"
_INITIALIZE = "initialize"
_HELLO = {"protocolVersion": LATEST_LEGACY, "capabilities": {}, "clientInfo": CLIENT_INFO}


@frozen(slots=False)
class Greeting:
    """What a server says of itself at the beginning; every value as sent, ``result`` the whole answer."""

    era: Era
    protocol: str
    server_info: Mapping[str, Any] = field(default_factory=dict)
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    instructions: str | None = None
    result: Mapping[str, Any] = field(default_factory=dict)


def enveloped(params: Mapping[str, Any] | None) -> Message:
    """Parameters with the ``_meta`` keys that 2026-07-28 wants on every request."""
    message = dict(params or {})
    meta = message.get("_meta")
    message["_meta"] = {
        **(meta if isinstance(meta, dict) else {}),
        f"{_META}protocolVersion": MODERN_PROTOCOL,
        f"{_META}clientCapabilities": {},
        f"{_META}clientInfo": CLIENT_INFO,
    }
    return message


class Asker(Protocol):
    """Sends requests in the form of an era."""

    @property
    def pipelined(self) -> bool:
        """Whether several requests may be on their way at once, so that :meth:`first_of` works."""
        ...

    async def ask(
        self, method: str, params: Mapping[str, Any] | None, era: Era, seconds: float | None = None
    ) -> Message:
        """Ask and return the result; errors as of ``Session.request``, and ``TimeoutError`` after ``seconds``."""
        ...

    async def post(self, method: str, params: Mapping[str, Any] | None, era: Era) -> int:
        """Send a request and return its id."""
        ...

    async def first_of(self, numbers: Sequence[int], seconds: float | None) -> int | None:
        """The id of the first posted request that has an answer, ``None`` if none has in time."""
        ...

    def result(self, number: int, method: str) -> Message:
        """The result of a posted request that has its answer."""
        ...


async def greet(asker: Asker, limits: Limits, *, pinned: Era | None = None, first: Era = Era.MODERN) -> Greeting:
    """Find the era of a server and shake hands in it.

    Args:
        asker: sends the requests.
        limits: for the patience with the probe.
        pinned: speak only this era.
        first: the era to try first.

    Raises:
        ServerError: it speaks neither.
        TimeoutError: it does not answer.
    """
    if pinned is Era.LEGACY:
        return await _initialize(asker)
    if pinned is Era.MODERN:
        return await _discover(asker)
    if first is Era.LEGACY:
        try:
            return await _initialize(asker)
        except rpc.RpcError:
            return await _discover(asker)
    if asker.pipelined:
        return await _race(asker, limits)
    try:
        # Nothing can wait behind the probe here, and a service that wakes up slowly must not pass for an old one.
        return await _discover(asker, limits.connect_timeout / 2)
    except (rpc.RpcError, ProtocolError, HttpStatusError, TimeoutError):
        return await _initialize(asker)


async def _race(asker: Asker, limits: Limits) -> Greeting:
    """Probe, and send ``initialize`` once the probe fails or takes too long; the first good answer counts.

    A server that is slow to start has both waiting in its pipe and answers the probe first, so slowness never
    decides the era; a server that ignores what it does not know still gets its ``initialize``.
    """
    probe = await asker.post(_DISCOVER, None, Era.MODERN)
    if await asker.first_of([probe], limits.probe_timeout) is not None:
        try:
            return await _discovered(asker, probe)
        except (rpc.RpcError, ProtocolError):
            return await _initialize(asker)
    hello = await asker.post(_INITIALIZE, _HELLO, Era.LEGACY)
    if await asker.first_of([probe, hello], None) == hello:
        try:
            return _initialized(asker.result(hello, _INITIALIZE))
        except (rpc.RpcError, ProtocolError):
            # The refusal may only mean that the probe, late as it is, was understood.
            if await asker.first_of([probe], limits.probe_timeout) is None:
                raise
            return await _discovered(asker, probe)
    try:
        return await _discovered(asker, probe)
    except (rpc.RpcError, ProtocolError):
        await asker.first_of([hello], None)
        return _initialized(asker.result(hello, _INITIALIZE))


class NoCommonVersionError(UnreachableError):
    """The server speaks only protocol versions that we do not; asking in another way makes no sense."""


async def _discover(asker: Asker, seconds: float | None = None) -> Greeting:
    try:
        return _greeted(await asker.ask(_DISCOVER, None, Era.MODERN, seconds))
    except rpc.RpcError as error:
        return await _asked_again(asker, error)


async def _discovered(asker: Asker, number: int) -> Greeting:
    try:
        return _greeted(asker.result(number, _DISCOVER))
    except rpc.RpcError as error:
        return await _asked_again(asker, error)


async def _asked_again(asker: Asker, error: rpc.RpcError) -> Greeting:
    """Once more, where the server refused our version and named it among those it supports."""
    if error.code != rpc.UNSUPPORTED_VERSION:
        raise error
    supported = _strings(error.data.get("supported") if isinstance(error.data, dict) else None)
    if MODERN_PROTOCOL in supported:
        return _greeted(await asker.ask(_DISCOVER, None, Era.MODERN))
    _see_common(supported)
    raise error


def _greeted(result: Message) -> Greeting:
    supported = _strings(result.get("supportedVersions"))
    if MODERN_PROTOCOL not in supported:
        _see_common(supported)
        raise ProtocolError(
            f"its {_DISCOVER} does not list protocol {MODERN_PROTOCOL}.", "List it in supportedVersions."
        )
    meta = result.get("_meta")
    named = meta.get(f"{_META}serverInfo") if isinstance(meta, dict) else None
    return _greeting(Era.MODERN, MODERN_PROTOCOL, result, named or result.get("serverInfo"))


async def _initialize(asker: Asker) -> Greeting:
    return _initialized(await asker.ask(_INITIALIZE, _HELLO, Era.LEGACY))


def _initialized(result: Message) -> Greeting:
    version = result.get("protocolVersion")
    if version not in LEGACY_VERSIONS:
        raise ProtocolError(
            f"it answered initialize with protocol version {one_line(repr(version), 40)}, which is none of "
            f"{', '.join(LEGACY_VERSIONS)}.",
            "Answer with the version that the client asked for, or with the newest one that the server knows.",
        )
    return _greeting(Era.LEGACY, version, result, result.get("serverInfo"))


def _greeting(era: Era, protocol: str, result: Message, info: Any) -> Greeting:
    capabilities = result.get("capabilities")
    instructions = result.get("instructions")
    return Greeting(
        era=era,
        protocol=protocol,
        server_info=info if isinstance(info, dict) else {},
        capabilities=capabilities if isinstance(capabilities, dict) else {},
        instructions=instructions if isinstance(instructions, str) else None,
        result=result,
    )


def _see_common(supported: list[str]) -> None:
    if supported and not set(supported) & set(LEGACY_VERSIONS):
        theirs = one_line(", ".join(supported), 80)
        raise NoCommonVersionError(
            f"it speaks only protocol {theirs}, and this version of mcp-governor speaks none of them.",
            "Upgrade with: pip install --upgrade mcp-governor",
        )


def _strings(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
