"""Decide which values from a server's own text may be sent back to it.

A description can name any file and any address, and the server runs with the user's permissions. So paths must lead
into the sandbox of the run or, for tools that only read, into folders that the server itself publishes; addresses must
be public; and nothing that looks like a secret is sent.
"""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from mcp_governor.call.masking import SECRETS
from mcp_governor.prose.words import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_LENGTH = 2_000
"""Longest string that is sent, in characters. Examples in prose are short; a longer string is a document."""

_MAX_LEAVES = 500
"""Most strings in one value, keys included. Examples have a handful; a value with more strings is not sent."""
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


class Guard(Struct, frozen=True):
    """The values that the arguments of one tool may have.

    Attributes:
        read_only: true if the tool only reads, by its hints.
        roots: folders that paths may lead into: the sandbox, and for tools that only read also those that the server
            publishes; absolute, without ``..``.
        schemes: URI schemes of the resources that the server publishes.
    """

    read_only: bool
    roots: tuple[str, ...] = ()
    schemes: frozenset[str] = frozenset()

    def allows(self, value: Any, *, path: bool = False) -> bool:
        """True if a value may be sent.

        Args:
            value: any JSON value; all strings in it are checked, keys included.
            path: true if the parameter takes a path in a file system.
        """
        for number, text in enumerate(_strings(value)):
            if number >= _MAX_LEAVES or not self._text(text, path):
                return False
        return True

    def _text(self, text: str, path: bool) -> bool:
        if len(text) > _MAX_LENGTH or _UNPRINTABLE.search(text) or any(p.search(text) for p in SECRETS.values()):
            return False
        if _ADDRESS.search(text):
            return self._address(text)
        if self._within(text):
            return True
        if _UPWARDS.search(text):
            return False
        if not self.read_only:
            # A relative path leads into whatever folder the server runs in.
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
            return False  # a URL inside a URL is where a proxy would connect
        return scheme in self.schemes - _NETWORK or _is_public(host)


_NETWORK = word_set("http https ws wss ftp ftps sftp ssh git tcp udp file")


def _is_public(host: str) -> bool:
    """True if a host name or address is public; names are not looked up."""
    host = host.rstrip(".").lower()
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        pass
    # Addresses in other notations ("127.1", "0x7f000001") do not end in a top-level domain.
    last = host.rpartition(".")[2]
    return "." in host and last.isalpha() and len(last) > 1 and not host.endswith(_PRIVATE_NAMES)


def _strings(value: Any) -> Iterator[str]:
    pending, seen = [value], 0
    while pending and seen <= _MAX_LEAVES * 4:
        item = pending.pop()
        seen += 1
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            # One more than the limit, so that a longer list leaves something pending and is refused.
            pending.extend(item[: _MAX_LEAVES * 4 + 1])
        elif isinstance(item, dict):
            pending.extend(item.values())
            yield from item
    if pending:
        yield "\x00"  # too long for an example: make the guard refuse it
