"""Read everything that a server publishes, untouched."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp_governor.wire.endpoint import DEFAULT_LIMITS, Era

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from mcp_governor.errors import ServerError
    from mcp_governor.wire.endpoint import Endpoint, Limits
    from mcp_governor.wire.session import Session


@dataclass(frozen=True)
class Recording:
    """What one reading found.

    Attributes:
        raw: what ``mcp_governor.surface.build_surface`` takes: ``tools``, ``prompts``, ``resources``,
            ``resourceTemplates``, ``serverInfo``, ``protocolVersion``, ``capabilities``, ``instructions``.
        tier_of_list: tool name → tier, from ``tools/list`` parameters that name one.
        era: how the conversation began.
        noise: first lines of stdout that were not JSON-RPC (hostile words).
        refused_requests: methods of requests that the server sent us and that were refused.
        problems: sentences, safe to show, about lists that a declared capability promised and that failed.
    """

    raw: Mapping[str, Any]
    tier_of_list: Mapping[str, str] = field(default_factory=dict)
    era: Era = Era.LEGACY
    noise: tuple[str, ...] = ()
    refused_requests: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def connect(
    endpoint: Endpoint,
    *,
    limits: Limits = DEFAULT_LIMITS,
    era: Era | None = None,
    eras: MutableMapping[str, Era] | None = None,
) -> AbstractAsyncContextManager[Session]:
    """Open a connection, shake hands, and close everything again at the end.

    Args:
        endpoint: where the server is.
        limits: bounds on messages, lists and time.
        era: speak only this era; ``None`` tries ``server/discover`` and falls back to ``initialize``.
        eras: what was found for ``endpoint.key`` before, updated with what is found now; a cached era is tried
            first. Keep it no longer than the servers stay the same.

    Raises:
        UnreachableError, ProtocolError, RpcError: no connection, or no MCP.
        MissingDependencyError, TargetError: an object endpoint that cannot be loaded.
    """
    raise NotImplementedError


async def read_recording(session: Session, *, list_params: Sequence[Mapping[str, Any]] = ()) -> Recording:
    """Read all lists of an open session; prompts and resources only where its capabilities say so.

    Args:
        session: an open session.
        list_params: extra ``tools/list`` parameters, each listed after the plain list and merged into it. A
            ``"tier"`` among them gives its tier to the tools that it adds, or, where it only narrows the plain
            list, to the tools that it keeps.
    """
    raise NotImplementedError


def read(
    endpoint: Endpoint,
    *,
    limits: Limits = DEFAULT_LIMITS,
    era: Era | None = None,
    eras: MutableMapping[str, Era] | None = None,
    list_params: Sequence[Mapping[str, Any]] = (),
) -> Recording:
    """Connect, read and close, from code that is not asynchronous; see :func:`connect` for errors."""
    raise NotImplementedError


def read_many(endpoints: Sequence[Endpoint], *, limits: Limits = DEFAULT_LIMITS) -> list[Recording | ServerError]:
    """Read several servers concurrently; in the order of ``endpoints``, an error where one failed."""
    raise NotImplementedError
