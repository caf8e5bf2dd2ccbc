"""What has to be known about a server before it is put under load: its address, its era, its protocol, that it answers.

The address that is connected to is the one that was judged: loopback always, another host only if the user owns it.
"""

from __future__ import annotations

import ipaddress
import socket
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from msgspec import Struct

from mcp_governor.errors import TargetError, UnreachableError, UsageError
from mcp_governor.load.recipe import Address
from mcp_governor.text import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.load.model import SweepPlan
    from mcp_governor.target import LiveSource, Source
    from mcp_governor.wire import Era, HttpEndpoint, StdioEndpoint

CONNECTING = 5.0
"""Seconds for one address of a host to take a connection; then the next one is tried."""

_PORTS = {"http": 80, "https": 443}


def judged_address(endpoint: HttpEndpoint, *, owned: bool) -> Address:
    """The address for the connections of a sweep, which is the one that was judged: no name is resolved again.

    Args:
        endpoint: the server.
        owned: the user says that the host is theirs.

    Raises:
        TargetError: the endpoint's URL is not valid.
        UnreachableError: its name does not resolve, or no address takes a connection.
        UsageError: an address is not loopback, and ``owned`` is false.
    """
    try:
        parts = urlsplit(endpoint.url)
        host, port = parts.hostname, parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        host, port = None, None
    if not host or port is None:
        raise TargetError(f"{endpoint.shown} is not a valid address.", "Give an http:// or https:// URL.")
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        hint = "Check the address."
        raise UnreachableError(f"{endpoint.shown}: the name of the host does not resolve.", hint) from None
    found = list(dict.fromkeys(str(entry[4][0]) for entry in entries))
    remote = [ip for ip in found if not is_this_machine(ip)]
    if remote and not owned:
        raise UsageError(
            f"{endpoint.shown} is at {one_line(remote[0], 60)}, which is not this machine.",
            "Put load on servers of your own only. If this one is yours, add --i-own-this-host.",
        )
    reason = ""
    for ip in found:
        try:
            with socket.create_connection((ip, port), CONNECTING):
                return Address(host=host, ip=ip, port=port, tls=parts.scheme == "https")
        except OSError as error:
            reason = one_line(error.strerror or str(error), 100)
    raise UnreachableError(
        f"{endpoint.shown}: no connection: {reason}.", "Check that the server is running at this address."
    )


def is_this_machine(ip: str) -> bool:
    """True for addresses of loopback, in any notation of them.

    Raises:
        ValueError: it is not an address.
    """
    address = ipaddress.ip_address(ip.partition("%")[0])
    address = getattr(address, "ipv4_mapped", None) or address
    # A connection to 0.0.0.0 or :: goes to loopback.
    return address.is_loopback or address.is_unspecified


def live(source: Source) -> LiveSource:
    """The source, if it can be measured.

    Raises:
        UsageError: it is a recording.
    """
    from mcp_governor.target import LiveSource

    if not isinstance(source, LiveSource):
        raise UsageError(f"{source.shown} is a recording; only a live server can be measured.", "Name a live server.")
    return source


class Permissions(Struct, frozen=True):
    """What the user allows.

    Attributes:
        own_host: hosts other than this machine.
        writes: calls of a tool that is not marked as read-only.
        read_only: globs of tools that only read, although they do not say so.
    """

    own_host: bool = False
    writes: bool = False
    read_only: tuple[str, ...] = ()


class Opened(Struct, frozen=True):
    """A server that answered a handshake and the method of the plan.

    Attributes:
        shown: its name in reports.
        endpoint: how it is reached.
        address: where connections go; ``None`` over stdio.
        era, protocol: of its handshake.
        tools: name → tool as listed.
        first_page: the tools of its first page.
        has_more_pages: its first page of ``tools/list`` is not the last one.
    """

    shown: str
    endpoint: HttpEndpoint | StdioEndpoint
    address: Address | None
    era: Era
    protocol: str
    tools: Mapping[str, Any]
    first_page: list[Any]
    has_more_pages: bool

    @property
    def transport(self) -> Literal["http", "stdio"]:
        """How it is reached."""
        return "stdio" if self.address is None else "http"


def open_target(source: Source, plan: SweepPlan, permissions: Permissions) -> Opened:
    """Connect once, as any client does.

    Args:
        source: the server.
        plan: what will be sent.
        permissions: what the user allows; judged before anything is sent.

    Raises:
        UsageError: the source cannot be put under load, or may not be.
        ServerError: the server cannot be reached, or does not speak MCP.
    """
    from mcp_governor.wire import HttpEndpoint, StdioEndpoint
    from mcp_governor.wire.duplex import run

    measured = live(source)
    endpoint = measured.endpoint
    if not isinstance(endpoint, HttpEndpoint | StdioEndpoint):
        raise UsageError(
            f"{source.shown} is an object in this process, which would be measured together with the clients.",
            "Name it as python:package.module:attribute, or start it and name its address.",
        )
    address = None
    if isinstance(endpoint, HttpEndpoint):
        if endpoint.transport == "sse":
            raise _older(source)
        address = judged_address(endpoint, owned=permissions.own_host)
    return run(_open, measured, endpoint, address, plan, permissions)


def _older(source: Source) -> UsageError:
    return UsageError(
        f"{source.shown} speaks HTTP+SSE, where responses come over a stream that is shared.",
        "Put load on its streamable HTTP endpoint, often at /mcp.",
    )


async def _open(
    source: LiveSource,
    endpoint: HttpEndpoint | StdioEndpoint,
    address: Address | None,
    plan: SweepPlan,
    permissions: Permissions,
) -> Opened:
    from mcp_governor.target import limits_of
    from mcp_governor.wire import connect

    async with connect(endpoint, limits=limits_of(source)) as session:
        if address is not None and not session.streams:
            raise _older(source)
        first = await session.request("tools/list")
        listed = await session.list_all("tools/list", "tools")
        if plan.tool is not None:
            _check_tool(plan.tool, listed, source, permissions)
        return Opened(
            shown=source.shown,
            endpoint=endpoint,
            address=address,
            era=session.era,
            protocol=session.protocol,
            tools={
                tool["name"]: tool for tool in listed if isinstance(tool, dict) and isinstance(tool.get("name"), str)
            },
            first_page=first["tools"] if isinstance(first.get("tools"), list) else [],
            has_more_pages=first.get("nextCursor") is not None,
        )


def _check_tool(name: str, listed: list[Any], source: LiveSource, permissions: Permissions) -> None:
    """Refuse a tool that may not be called, by the rules of ``mcp-governor call``."""
    from mcp_governor.call.cases import CallSettings
    from mcp_governor.call.plan import refusal
    from mcp_governor.surface import build_surface

    surface = build_surface({"tools": listed})
    tool = surface.by_name.get(name)
    shown = one_line(name, 60)
    if tool is None:
        guess = did_you_mean(name, list(surface.by_name))
        raise UsageError(f'{source.shown} has no tool "{shown}".{guess}', "Name one of those that it lists.")
    settings = CallSettings(
        allow_writes=permissions.writes,
        destructive=frozenset({name}) if permissions.writes else frozenset(),
        read_only=permissions.read_only,
    )
    if refusal(tool, settings) is not None:
        raise UsageError(
            f'The tool "{shown}" is not marked as read-only, and a sweep would call it thousands of times.',
            "If that does no harm, add --allow-writes.",
        )
