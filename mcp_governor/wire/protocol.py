"""The two ways to begin a conversation, and how to find out which one a server speaks.

2026-07-28: every request carries its own ``_meta`` envelope, and ``server/discover`` tells who the server is.
Before: ``initialize`` and ``notifications/initialized`` open a session.
"""

from __future__ import annotations

import math
import time
from dataclasses import field
from typing import TYPE_CHECKING, Any, Protocol

from mcp_governor._version import __version__
from mcp_governor.errors import ProtocolError, UnreachableError
from mcp_governor.frozen import frozen
from mcp_governor.surface.model import MODERN_PROTOCOL
from mcp_governor.text import one_line
from mcp_governor.wire import rpc
from mcp_governor.wire.endpoint import Era
from mcp_governor.wire.pulse import Vigil
from mcp_governor.wire.transport import HttpStatusError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.wire.pulse import Pulse
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
    """What a server says of itself at the beginning; every value as sent, ``result`` the whole answer.

    Attributes:
        took: seconds from when the server read the question to its answer.
    """

    era: Era
    protocol: str
    server_info: Mapping[str, Any] = field(default_factory=dict)
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    instructions: str | None = None
    result: Mapping[str, Any] = field(default_factory=dict)
    took: float = field(default=0.0, compare=False)


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
    def pulse(self) -> Pulse | None:
        """Life signs of the server; ``None`` where it is no child of ours."""
        ...

    @property
    def pipelined(self) -> bool:
        """Whether a request can be posted and its answer looked for later, so that :meth:`first_of` works."""
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
        """The id of the first posted request that has an answer, ``None`` if none has in time.

        Raises:
            TimeoutError: the time for the whole handshake is up.
        """
        ...

    def result(self, number: int, method: str) -> Message:
        """The result of a posted request that has its answer."""
        ...


@frozen
class Patience:
    """How long a server may leave ``server/discover`` unanswered before it is asked in another way.

    Attributes:
        silence: seconds after it was read in which a child neither writes nor works.
        longest: seconds in any case after it was read; over HTTP, where nothing of that can be seen, after it was sent.
    """

    silence: float
    longest: float


class UnansweredError(UnreachableError):
    """The server has had time enough to answer ``server/discover`` and has not.

    It either does not know the request and ignores it, or is slow. Only another process, or over HTTP another
    connection, may be asked ``initialize``: a server of both eras that answers late would change its era in the middle
    of ours.

    Attributes:
        read_after: seconds that it took to read the request.
    """

    def __init__(self, read_after: float = 0.0) -> None:
        super().__init__("no response to `server/discover`.", "Raise --timeout, or check what it waits for.")
        self.read_after = read_after


async def greet(
    asker: Asker,
    *,
    pinned: Era | None = None,
    first: Era = Era.MODERN,
    patience: Patience | None = None,
) -> Greeting:
    """Find the era of a server and shake hands in it, with one handshake at a time.

    A second handshake on the same connection follows only where the first was answered with a refusal.

    Args:
        asker: sends the requests.
        pinned: speak only this era.
        first: the era to try first.
        patience: with ``server/discover``; ``None`` waits as long as the asker does.

    Raises:
        UnansweredError: patience is up.
        ServerError: it speaks neither.
        TimeoutError: it does not answer.
    """
    if pinned is Era.LEGACY:
        return await _initialize(asker)
    if pinned is Era.MODERN:
        return await _discover(asker, patience)
    if first is Era.LEGACY:
        try:
            return await _initialize(asker)
        except rpc.RpcError:
            return await _discover(asker, patience)
    try:
        return await _discover(asker, patience)
    except HttpStatusError as error:
        if error.may_pass:
            raise
        return await _initialize(asker)
    except (rpc.RpcError, ProtocolError):
        return await _initialize(asker)


_LOOK = 0.25
"""Seconds between two looks at a child that has not answered."""


async def _answer(
    asker: Asker, method: str, params: Mapping[str, Any] | None, era: Era, patience: Patience | None
) -> tuple[Message, float]:
    """The result of a request, and the seconds that it took from when the server read it.

    Raises:
        UnansweredError: patience is up.
    """
    sent = time.monotonic()
    pulse = asker.pulse
    if pulse is None or not asker.pipelined:
        try:
            result = await asker.ask(method, params, era, patience.longest if patience else None)
        except TimeoutError:
            if patience and time.monotonic() - sent >= patience.longest:
                raise UnansweredError from None
            raise
        return result, time.monotonic() - sent
    # Without patience the vigil only learns when the question was read.
    vigil = Vigil(pulse, *((patience.silence, patience.longest) if patience else (math.inf, math.inf)))
    number = await asker.post(method, params, era)
    while await asker.first_of([number], _LOOK) is None:
        if vigil.is_over(time.monotonic()):
            raise UnansweredError(vigil.unread_until(sent) - sent)
    now = time.monotonic()
    return asker.result(number, method), now - vigil.unread_until(sent)


class NoCommonVersionError(UnreachableError):
    """The server speaks only protocol versions that we do not; asking in another way makes no sense."""


async def _discover(asker: Asker, patience: Patience | None = None) -> Greeting:
    try:
        return _greeted(*await _answer(asker, _DISCOVER, None, Era.MODERN, patience))
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


def _greeted(result: Message, took: float = 0.0) -> Greeting:
    supported = _strings(result.get("supportedVersions"))
    if MODERN_PROTOCOL not in supported:
        _see_common(supported)
        raise ProtocolError(
            f"its {_DISCOVER} does not list protocol {MODERN_PROTOCOL}.", "List it in supportedVersions."
        )
    meta = result.get("_meta")
    named = meta.get(f"{_META}serverInfo") if isinstance(meta, dict) else None
    return _greeting(Era.MODERN, MODERN_PROTOCOL, result, named or result.get("serverInfo"), took)


async def _initialize(asker: Asker) -> Greeting:
    result, took = await _answer(asker, _INITIALIZE, _HELLO, Era.LEGACY, None)
    version = result.get("protocolVersion")
    if version not in LEGACY_VERSIONS:
        raise ProtocolError(
            f"it answered initialize with protocol version {one_line(repr(version), 40)}, which is none of "
            f"{', '.join(LEGACY_VERSIONS)}.",
            "Answer with the version that the client asked for, or with the newest one that the server knows.",
        )
    return _greeting(Era.LEGACY, version, result, result.get("serverInfo"), took)


def _greeting(era: Era, protocol: str, result: Message, info: Any, took: float) -> Greeting:
    capabilities = result.get("capabilities")
    instructions = result.get("instructions")
    return Greeting(
        era=era,
        protocol=protocol,
        server_info=info if isinstance(info, dict) else {},
        capabilities=capabilities if isinstance(capabilities, dict) else {},
        instructions=instructions if isinstance(instructions, str) else None,
        result=result,
        took=took,
    )


def _see_common(supported: list[str]) -> None:
    if supported and not set(supported) & set(LEGACY_VERSIONS):
        from mcp_governor.installation import upgrade

        theirs = one_line(", ".join(supported), 80)
        raise NoCommonVersionError(
            f"it speaks only protocol {theirs}, and this version of mcp-governor speaks none of them.",
            upgrade(),
        )


def _strings(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
