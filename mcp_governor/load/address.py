"""Which address a sweep connects to, and when it may: loopback always, another host only if the user owns it."""

from __future__ import annotations

import ipaddress
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mcp_governor.errors import TargetError, UnreachableError, UsageError
from mcp_governor.load.recipe import Address
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from mcp_governor.wire import HttpEndpoint

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
    found = _resolved(endpoint, host, port)
    remote = [ip for ip in found if not is_this_machine(ip)]
    if remote and not owned:
        raise UsageError(
            f"{endpoint.shown} is at {one_line(remote[0], 60)}, which is not this machine.",
            "Put load on servers of your own only. If this one is yours, add --i-own-this-host.",
        )
    return Address(host=host, ip=_answering(endpoint, found, port), port=port, tls=parts.scheme == "https")


def is_this_machine(ip: str) -> bool:
    """True for addresses of loopback, in any notation of them.

    Raises:
        ValueError: it is not an address.
    """
    address = ipaddress.ip_address(ip.partition("%")[0])
    mapped = getattr(address, "ipv4_mapped", None)
    judged = mapped if mapped is not None else address
    # A connection to 0.0.0.0 or :: goes to loopback.
    return bool(judged.is_loopback or judged.is_unspecified)


def _resolved(endpoint: HttpEndpoint, host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise UnreachableError(
            f"{endpoint.shown}: the name of the host does not resolve.", "Check the address."
        ) from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def _answering(endpoint: HttpEndpoint, found: list[str], port: int) -> str:
    """The first address that takes a connection."""
    error: OSError | None = None
    for ip in found:
        try:
            with socket.create_connection((ip, port), CONNECTING):
                return ip
        except OSError as problem:
            error = problem
    reason = one_line((error.strerror if error is not None else None) or str(error), 100)
    raise UnreachableError(
        f"{endpoint.shown}: no connection: {reason}.", "Check that the server is running at this address."
    )
