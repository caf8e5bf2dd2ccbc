"""Where to serve HTTP."""

from __future__ import annotations

import ipaddress

from msgspec import Struct

from mcp_governor.errors import UsageError

DEFAULT = "127.0.0.1:8765"

TOKEN = "MCP_GOVERNOR_TOKEN"  # noqa: S105  (the name of a variable)
"""The variable with the bearer token. Not an option: other users of the machine see command lines."""

LEAST = 32
"""Fewest characters of a token: 128 bits in hexadecimal digits."""


class Address(Struct, frozen=True):
    """An address to listen on.

    Attributes:
        host: an IP address, or ``localhost``.
        port: 0 for any.
    """

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """True if only this machine can reach it."""
        return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback

    @property
    def shown_host(self) -> str:
        """The host as in a URL."""
        return f"[{self.host}]" if ":" in self.host else self.host

    def __str__(self) -> str:
        return f"{self.shown_host}:{self.port}"


def read_address(text: str) -> Address:
    """The address in ``HOST:PORT``.

    Raises:
        UsageError: it is none.
    """
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    try:
        if host != "localhost":
            ipaddress.ip_address(host)
        if not (port.isascii() and port.isdecimal() and 1 <= int(port[:6]) <= 65_535):
            raise ValueError
    except ValueError:
        raise UsageError(
            "--http needs an IP address and a port from 1 to 65535.", f"For example: --http {DEFAULT}"
        ) from None
    return Address(host, int(port))


def checked_token(address: Address, token: str) -> str:
    """The token that requests to an address need; empty for none.

    Raises:
        UsageError: the address needs one and there is none, or it is too short.
    """
    if not token and not address.is_loopback:
        raise UsageError(
            f"{address} can be reached from other machines, and {TOKEN} sets no bearer token.",
            f'Set one: export {TOKEN}="$(openssl rand -hex 32)"',
        )
    if token and (len(token) < LEAST or not token.isascii() or not token.isprintable()):
        raise UsageError(
            f"The bearer token in {TOKEN} is not {LEAST} or more ASCII characters.",
            f'Set another: export {TOKEN}="$(openssl rand -hex 32)"',
        )
    return token
