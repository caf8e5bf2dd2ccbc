"""The servers that a registry lists, by the API of the official MCP registry: ``GET /v0.1/servers``.

A registry is a stranger: pages, their sizes and the time for all of them are bounded, and a cursor that comes again
ends the reading. So are its servers: no token is sent to them, and an address within this machine is not reached.
The latest version of a server counts, unless it is deleted.
"""

from __future__ import annotations

import ipaddress
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from mcp_governor._version import __version__
from mcp_governor.errors import GovernorError, ProtocolError, UnreachableError
from mcp_governor.files import MEBIBYTE
from mcp_governor.fleet.model import MAX_MEMBERS, Member
from mcp_governor.parsing import read_json
from mcp_governor.target.packages import package_parts
from mcp_governor.target.remote import shown_url
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import httpx2

PATH = "/v0.1/servers"
"""The path of the list, which is added to an address without a path."""

PAGE = 100
"""Servers that a page is asked for, the most that the official registry gives."""

MAX_PAGES = 2_000
"""Most pages: ten times those of the official registry, if a page has a hundred servers."""

MAX_PAGE_BYTES = 8 * MEBIBYTE
"""Largest page in bytes; one of a hundred servers has about 200 KB."""

_SECONDS = 30.0
"""Timeout of one page, in seconds."""

TOTAL_SECONDS = 300.0
"""Timeout of all pages, in seconds: the official registry takes about one."""

_IDLE_PAGES = 20
"""Pages without a new name, one after the other, that a list may have: old versions of one server fill a few."""

_META = "io.modelcontextprotocol.registry/official"
_HINT = "Check the address; a registry answers GET /v0.1/servers with JSON."
_SIGNS = {"pypi": "==", "npm": "@"}


def registry_members(url: str, *, packages: bool) -> tuple[str, tuple[Member, ...]]:
    """The servers of a registry.

    Args:
        url: its address, with the path of the list or without a path; the query is kept (``?search=…``).
        packages: those that are packages are installed and started, too; without, only remote ones are reached.

    Returns:
        The address, safe to print, and the members.

    Raises:
        UnreachableError, ProtocolError: a page was not answered, or is not one, or there is no end of them.
    """
    shown = shown_url(url)
    here = _is_here(url)
    found: dict[str, Member] = {}
    for entry in _entries(url, shown):
        server, official = entry.get("server", entry), _official(entry)
        name = server.get("name") if isinstance(server, dict) else None
        if not isinstance(name, str) or not name or len(name) > 300:
            continue
        latest = official.get("isLatest") is not False
        if official.get("status") == "deleted" or not latest:
            continue
        found[name] = _member(name, server, packages=packages, here=here)
        if len(found) > MAX_MEMBERS:
            raise ProtocolError(f"{shown} lists more than {MAX_MEMBERS:,} servers.", "Narrow the list: ?search=NAME")
    return shown, tuple(found.values())


def _official(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = entry.get("_meta")
    official = meta.get(_META) if isinstance(meta, dict) else None
    return official if isinstance(official, dict) else {}


def _entries(url: str, shown: str) -> Iterator[Mapping[str, Any]]:
    """The entries of all pages."""
    import httpx2

    cursor, seen, deadline = "", set[str](), time.monotonic() + TOTAL_SECONDS
    names, idle = set[str](), 0
    with httpx2.Client(timeout=_SECONDS, follow_redirects=False) as client:
        for _ in range(MAX_PAGES):
            page = _page(client, _address(url, cursor), shown, deadline)
            servers = page.get("servers") if isinstance(page, dict) else None
            if not isinstance(servers, list):
                raise ProtocolError(f'{shown} did not answer with a list of "servers".', _HINT)
            entries = _objects(servers)
            yield from entries
            metadata = page.get("metadata")
            following = metadata.get("nextCursor") if isinstance(metadata, dict) else None
            if not following:
                return
            if not isinstance(following, str) or following in seen:
                raise ProtocolError(f"{shown} never ends: a cursor came twice, or is not a string.", _HINT)
            seen.add(following)
            cursor = following
            known = len(names)
            names.update(str(entry.get("server", entry))[:1_000] for entry in entries)
            idle = 0 if len(names) > known else idle + 1
            if idle >= _IDLE_PAGES:
                raise ProtocolError(f"{shown} never ends: {_IDLE_PAGES} pages in a row listed nothing new.", _HINT)
    raise ProtocolError(f"{shown} has more than {MAX_PAGES:,} pages.", "Narrow the list: ?search=NAME")


def _address(url: str, cursor: str) -> str:
    parts = urlsplit(url)
    path = parts.path if parts.path not in ("", "/") else PATH
    given = dict(parse_qsl(parts.query))
    query = {"limit": str(PAGE), "version": "latest", **given, **({"cursor": cursor} if cursor else {})}
    return urlunsplit((parts.scheme, parts.netloc, path, urlencode(query), ""))


def _page(client: httpx2.Client, address: str, shown: str, deadline: float) -> Any:
    import httpx2

    data = bytearray()
    headers = {"Accept": "application/json", "User-Agent": f"mcp-governor/{__version__}"}
    end = min(deadline, time.monotonic() + 2 * _SECONDS)
    try:
        with client.stream("GET", address, headers=headers) as answer:
            if answer.status_code != 200:
                raise UnreachableError(f"{shown} answered with status {answer.status_code}.", _HINT)
            for piece in answer.iter_bytes():
                data += piece
                if len(data) > MAX_PAGE_BYTES:
                    raise ProtocolError(f"A page of {shown} is larger than {MAX_PAGE_BYTES // MEBIBYTE} MiB.", _HINT)
                if time.monotonic() > end:
                    raise UnreachableError(f"{shown} took too long to answer.", _HINT)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise UnreachableError(f"{shown} cannot be reached: {one_line(str(error), 200)}.", _HINT) from None
    try:
        return read_json(bytes(data))
    except (ValueError, RecursionError):
        raise ProtocolError(f"{shown} did not answer with JSON.", _HINT) from None


def _is_here(url: str) -> bool:
    """True if an address is written as one of this machine, or of its own network link: 169.254.169.254 has the
    credentials of a machine in a cloud. Names are not resolved."""
    host = ""
    try:
        host = urlsplit(url).hostname or ""
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_link_local or address.is_unspecified


def _member(name: str, server: Mapping[str, Any], *, packages: bool, here: bool) -> Member:
    """A server of a registry: its first address without variables, or else its first package.

    Args:
        here: the registry is on this machine, and may list servers there.
    """
    for remote in _objects(server.get("remotes")):
        url = remote.get("url")
        if isinstance(url, str) and url.startswith(("https://", "http://")) and "{" not in url:
            if _is_here(url) and not here:
                return Member(name, refused="its address is one of the machine that reads it")
            return Member(name, f"sse+{url}" if remote.get("type") == "sse" else url, stranger=True)
    kinds: list[str] = []
    for package in _objects(server.get("packages")):
        kind, target = str(package.get("registryType")), _package(package)
        if target is not None and packages:
            return Member(name, target, stranger=True)
        kinds.append(kind if target is None else f"{kind} (packages are only started with --packages)")
    if kinds:
        return Member(name, refused=one_line(f"it is a package of {kinds[0]}", 160))
    return Member(name, refused="the registry has neither an address without variables nor a package")


def _package(package: Mapping[str, Any]) -> str | None:
    kind, name, version = (package.get(key) for key in ("registryType", "identifier", "version"))
    if kind not in _SIGNS or not isinstance(name, str):
        return None
    target = f"{kind}:{name}{_SIGNS[kind]}{version}" if isinstance(version, str) and version else f"{kind}:{name}"
    try:
        package_parts(target)
    except (GovernorError, TypeError):
        return None
    return target


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
