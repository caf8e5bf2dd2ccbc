"""The two ways to begin a conversation, and how to find out which one a server speaks.

2026-07-28: every request carries its own ``_meta`` envelope, and ``server/discover`` tells who the server is.
Before: ``initialize`` and ``notifications/initialized`` open a session.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio

from mcp_governor._version import __version__
from mcp_governor.errors import ProtocolError, UnreachableError
from mcp_governor.text import one_line
from mcp_governor.wire import rpc
from mcp_governor.wire.endpoint import Era
from mcp_governor.wire.transport import HttpStatusError, background

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from mcp_governor.wire.endpoint import Limits
    from mcp_governor.wire.rpc import Message

    Ask = Callable[[str, Message | None, Era], Awaitable[Message]]
    """Sends one request in the form of an era and returns its result."""

MODERN_VERSION = "2026-07-28"
LEGACY_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
LATEST_LEGACY = LEGACY_VERSIONS[-1]

_META = "io.modelcontextprotocol/"
CLIENT_INFO = {"name": "mcp-governor", "version": __version__}


@dataclass(frozen=True)
class Greeting:
    """What a server says of itself at the beginning; every value as sent."""

    era: Era
    protocol: str
    server_info: Mapping[str, Any] = field(default_factory=dict)
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    instructions: str | None = None


def enveloped(params: Mapping[str, Any] | None) -> Message:
    """Parameters with the ``_meta`` keys that 2026-07-28 wants on every request."""
    message = dict(params or {})
    meta = message.get("_meta")
    message["_meta"] = {
        **(meta if isinstance(meta, dict) else {}),
        f"{_META}protocolVersion": MODERN_VERSION,
        f"{_META}clientCapabilities": {},
        f"{_META}clientInfo": CLIENT_INFO,
    }
    return message


async def greet(
    ask: Ask,
    limits: Limits,
    *,
    pinned: Era | None = None,
    first: Era = Era.MODERN,
) -> Greeting:
    """Find the era of a server and shake hands in it.

    Args:
        ask: sends a request in the form of an era.
        limits: for the patience with the probe.
        pinned: speak only this era.
        first: the era to try first.

    Raises:
        ServerError: it speaks neither.
    """
    if pinned is Era.LEGACY:
        return await _initialize(ask)
    if pinned is Era.MODERN:
        return await _discover(ask)
    if first is Era.LEGACY:
        try:
            return await _initialize(ask)
        except rpc.RpcError:
            return await _discover(ask)
    return await _race(ask, limits)


async def _race(ask: Ask, limits: Limits) -> Greeting:
    """Probe, and send ``initialize`` once the probe fails or takes too long; the first good answer counts.

    A server that is slow to start has both waiting in its pipe and answers the probe first, so slowness never
    decides the era; a server that ignores what it does not know still gets its ``initialize``.
    """
    refused = anyio.Event()
    greetings: list[Greeting] = []

    async with background() as tasks:

        async def probe() -> None:
            try:
                greetings.append(await _discover(ask))
                tasks.cancel_scope.cancel()
            except (rpc.RpcError, ProtocolError, HttpStatusError):
                refused.set()

        tasks.start_soon(probe)
        with anyio.move_on_after(limits.probe_timeout):
            await refused.wait()
        greetings.append(await _initialize(ask))
    return greetings[0]


class NoCommonVersionError(UnreachableError):
    """The server speaks only protocol versions that we do not; asking in another way makes no sense."""


async def _discover(ask: Ask) -> Greeting:
    method = "server/discover"
    try:
        result = await ask(method, None, Era.MODERN)
    except rpc.RpcError as error:
        if error.code != rpc.UNSUPPORTED_VERSION:
            raise
        supported = _strings(error.data.get("supported") if isinstance(error.data, dict) else None)
        if MODERN_VERSION not in supported:
            if supported and not set(supported) & set(LEGACY_VERSIONS):
                raise _no_common_version(supported) from None
            raise
        # It names the version it has just refused: ask again, once, as the specification wants.
        result = await ask(method, None, Era.MODERN)
    supported = _strings(result.get("supportedVersions"))
    if MODERN_VERSION not in supported:
        if supported and not set(supported) & set(LEGACY_VERSIONS):
            raise _no_common_version(supported)
        raise ProtocolError(f"its server/discover does not list protocol {MODERN_VERSION}.")
    meta = result.get("_meta")
    named = meta.get(f"{_META}serverInfo") if isinstance(meta, dict) else None
    return _greeting(Era.MODERN, MODERN_VERSION, result, named or result.get("serverInfo"))


async def _initialize(ask: Ask) -> Greeting:
    params = {"protocolVersion": LATEST_LEGACY, "capabilities": {}, "clientInfo": CLIENT_INFO}
    result = await ask("initialize", params, Era.LEGACY)
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
    )


def _no_common_version(supported: list[str]) -> NoCommonVersionError:
    theirs = one_line(", ".join(supported), 80)
    return NoCommonVersionError(
        f"it speaks only protocol {theirs}, and this version of mcp-governor speaks none of them.",
        "Upgrade with: pip install --upgrade mcp-governor",
    )


def _strings(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
