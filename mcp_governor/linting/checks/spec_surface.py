"""What the specification asks of everything that is not a tool: server, capabilities, lists, prompts, resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.linting.checks.spec_tools import MODERN
from mcp_governor.linting.context import Context, Hit, hit
from mcp_governor.linting.words import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcp_governor.surface.model import Surface

_DEPRECATED_CAPABILITIES = ("logging",)


def _is_modern(surface: Surface) -> bool:
    return surface.protocol is not None and surface.protocol >= MODERN


def server_info(surface: Surface, _context: Context) -> Iterator[Hit]:
    """A server that introduces itself says name and version."""
    if not surface.server:
        return
    for key in ("name", "version"):
        value = surface.server.get(key)
        if not isinstance(value, str):
            found = "missing" if key not in surface.server else kind_of(value)
            yield hit(f"/serverInfo/{key}", value, field=key, found=found)


def capability_declared(surface: Surface, _context: Context) -> Iterator[Hit]:
    """What a server publishes it has declared as a capability."""
    if surface.protocol is None:
        return
    published = (
        ("tools", surface.entries),
        ("prompts", surface.prompts),
        ("resources", surface.resources or surface.templates),
    )
    for name, items in published:
        if items and name not in surface.capabilities:
            yield hit("/capabilities", dict(surface.capabilities), capability=name)


def deprecated_capability(surface: Surface, _context: Context) -> Iterator[Hit]:
    """No capability that protocol 2026-07-28 deprecates."""
    for name in _DEPRECATED_CAPABILITIES:
        if _is_modern(surface) and name in surface.capabilities:
            yield hit(f"/capabilities/{name}", name, capability=name)


def _listings(surface: Surface) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, fields in surface.listings.items():
        if isinstance(fields, dict):
            yield name, fields


def list_result_type(surface: Surface, _context: Context) -> Iterator[Hit]:
    """A list result is complete, and a modern server says so."""
    for name, fields in _listings(surface):
        value = fields.get("resultType")
        missing = "resultType" not in fields
        if value != "complete" and not (missing and not _is_modern(surface)):
            yield hit(f"/listings/{name}/resultType", value, list=name, found="missing" if missing else value)


def list_caching(surface: Surface, _context: Context) -> Iterator[Hit]:
    """A list result carries ttlMs and cacheScope, each with a value that means something."""
    for name, fields in _listings(surface):
        ttl, scope = fields.get("ttlMs"), fields.get("cacheScope")
        good_ttl = isinstance(ttl, int) and not isinstance(ttl, bool) and ttl >= 0
        for key, value, good in (
            ("ttlMs", ttl, good_ttl),
            ("cacheScope", scope, scope in ("public", "private")),
        ):
            missing = key not in fields
            if not good and not (missing and not _is_modern(surface)):
                yield hit(f"/listings/{name}/{key}", value, list=name, field=key, found="missing" if missing else value)


def list_cursor(surface: Surface, _context: Context) -> Iterator[Hit]:
    """nextCursor, where there is one, is a string."""
    for name, fields in _listings(surface):
        if "nextCursor" in fields and not isinstance(fields["nextCursor"], str):
            value = fields["nextCursor"]
            yield hit(f"/listings/{name}/nextCursor", value, list=name, found=kind_of(value))


def _repeated(items: Iterable[Any], key: str) -> Iterator[tuple[int, str, int]]:
    first: dict[str, int] = {}
    for index, item in enumerate(items):
        name = item.get(key) if isinstance(item, dict) else None
        if isinstance(name, str) and first.setdefault(name, index) != index:
            yield index, name, first[name]


def unique_prompt(surface: Surface, _context: Context) -> Iterator[Hit]:
    """No two prompts have the same name."""
    for index, name, first in _repeated(surface.prompts, "name"):
        yield hit(f"/prompts/{index}/name", name, first=first, index=index)


def unique_resource(surface: Surface, _context: Context) -> Iterator[Hit]:
    """No two resources have the same URI, no two templates the same URI template."""
    for index, uri, first in _repeated(surface.resources, "uri"):
        yield hit(f"/resources/{index}/uri", uri, first=first, index=index)
    for index, uri, first in _repeated(surface.templates, "uriTemplate"):
        yield hit(f"/resourceTemplates/{index}/uriTemplate", uri, first=first, index=index)
