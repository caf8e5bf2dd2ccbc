"""Which values taken from a server's words may be sent back to it.

A description can name any file and any address, and a server may act on what it is told to with rights that the
person who runs us never meant to lend. So paths lead into the sandbox of the run, or, for tools that only read, into
folders that the server itself publishes; addresses are public ones; and nothing that looks like a secret is sent.
"""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from mcp_governor.call.masking import SECRETS
from mcp_governor.call.words import word_set
from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST = 2_000
"""Examples in prose are short; a longer text is a document, and sending it back shows nothing more."""

_MOST_LEAVES = 500
"""Strings of one value that are checked, keys included. Examples have a handful; a value with more is not sent."""
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://")
_ABSOLUTE = re.compile(r"""(?:^|[\s"'`=(,;|>])(?:[/\\~]|[A-Za-z]:[\\/]|\$\{?HOME|%[A-Z]{3,}%)""")
_UPWARDS = re.compile(r"(?:^|[/\\\s\"'`=])\.\.(?:$|[/\\])")
_SYSTEM = re.compile(
    r"""(?:^|[\s"'`=(,;|>])(?:~|\$\{?HOME|%[A-Z]{3,}%|[A-Za-z]:[\\/]|\\\\|/+(?:applications|bin|boot|dev|etc|home|lib\w*"""
    r"""|library|media|mnt|opt|private|proc|root|run|sbin|srv|sys|system|tmp|usr|users|var|volumes|windows)(?:[/\\\s"'`]|$)"""
    r"""|/+\s*$)""",
    2,  # re.IGNORECASE
)
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_PRIVATE_NAMES = (".local", ".localhost", ".internal", ".lan", ".intranet", ".corp", ".home", ".home.arpa", ".onion")


@frozen
class Guard:
    """What the values of one tool's arguments may be.

    Attributes:
        read_only: the tool only reads, by its hints.
        roots: folders that paths may lead into: the sandbox, and for tools that only read those that the server
            publishes; absolute, without ``..``.
        schemes: schemes of addresses that the server publishes as resources.
    """

    read_only: bool
    roots: tuple[str, ...] = ()
    schemes: frozenset[str] = frozenset()

    def allows(self, value: Any, *, path: bool = False) -> bool:
        """Whether a value may be sent.

        Args:
            value: any JSON value; every string in it counts, keys included.
            path: the argument means a place in a file system.
        """
        for number, text in enumerate(_strings(value)):
            if number >= _MOST_LEAVES or not self._text(text, path):
                return False
        return True

    def _text(self, text: str, path: bool) -> bool:
        if len(text) > _LONGEST or _UNPRINTABLE.search(text) or any(p.search(text) for p in SECRETS.values()):
            return False
        if _ADDRESS.search(text):
            return self._address(text)
        if self._within(text):
            return True
        if _UPWARDS.search(text):
            return False
        if not self.read_only:
            # A path that is not absolute leads into the folder that the server happens to run in.
            return not path and not _ABSOLUTE.search(text)
        return not (_ABSOLUTE if path else _SYSTEM).search(text)

    def _within(self, text: str) -> bool:
        parts = text.replace("\\", "/").split("/")
        return ".." not in parts and any(text == root or text.startswith(root.rstrip("/") + "/") for root in self.roots)

    def _address(self, text: str) -> bool:
        try:
            parts = urlsplit(text.strip())
            host = parts.hostname or ""
        except ValueError:
            return False
        if any(char.isspace() for char in text.strip()) or parts.username is not None:
            return False
        scheme = parts.scheme.lower()
        if scheme == "file":
            return not host and self._within(unquote(parts.path))
        if _ADDRESS.search(unquote(text), len(scheme) + 3):
            return False  # an address within an address says where a proxy goes
        return scheme in self.schemes - _NETWORK or _is_public(host)


_NETWORK = word_set("http https ws wss ftp ftps sftp ssh git tcp udp file")


def _is_public(host: str) -> bool:
    """Whether a host name or address belongs to the internet at large; names are not looked up."""
    host = host.rstrip(".").lower()
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        pass
    # Numbers in other notations ("127.1", "0x7f000001") end in no top-level domain.
    last = host.rpartition(".")[2]
    return "." in host and last.isalpha() and len(last) > 1 and not host.endswith(_PRIVATE_NAMES)


def _strings(value: Any) -> Iterator[str]:
    pending, seen = [value], 0
    while pending and seen <= _MOST_LEAVES * 4:
        item = pending.pop()
        seen += 1
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            # One more than is looked at, so that what is cut off here leaves something pending.
            pending.extend(item[: _MOST_LEAVES * 4 + 1])
        elif isinstance(item, dict):
            pending.extend(item.values())
            yield from item
    if pending:
        yield "\x00"  # more than anyone writes as an example: refused
