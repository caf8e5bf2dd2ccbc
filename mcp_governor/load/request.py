"""The requests of a sweep over streamable HTTP, ready to send."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp_governor.wire import protocol, rpc, session
from mcp_governor.wire.endpoint import Era
from mcp_governor.wire.headers import ACCEPT as ACCEPTED
from mcp_governor.wire.headers import VERSION, mirrored

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
