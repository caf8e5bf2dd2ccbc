"""Requirements of the specification on everything except tools: server, capabilities, lists, prompts, resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import Context, Hit, hit
from mcp_governor.subjects.phrases import kind_of
from mcp_governor.surface.listings import METHODS, departures
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcp_governor.surface.model import Surface

_DEPRECATED_CAPABILITIES = ("logging",)


def server_info(surface: Surface, _context: Context) -> Iterator[Hit]:
    """A server that introduces itself gives its name and version."""
    if not surface.server:
        return
    for key in ("name", "version"):
        value = surface.server.get(key)
        if not isinstance(value, str):
            found = "missing" if key not in surface.server else kind_of(value)
            yield hit(f"/serverInfo/{key}", value, field=key, found=found)


def capability_declared(surface: Surface, _context: Context) -> Iterator[Hit]:
    """Everything that a server publishes is declared as a capability."""
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
        if surface.modern and name in surface.capabilities:
            yield hit(f"/capabilities/{name}", name, capability=name)


def _departing(surface: Surface, *fields: str) -> Iterator[Hit]:
    for departure in departures(surface):
        if departure.field in fields:
            found = "missing" if departure.missing else departure.value
            method = METHODS[departure.listing]
            yield hit(departure.pointer, departure.value, method=method, field=departure.field, found=found)


def list_result_type(surface: Surface, _context: Context) -> Iterator[Hit]:
    """A list result is complete, and a modern server declares it."""
    yield from _departing(surface, "resultType")


def list_caching(surface: Surface, _context: Context) -> Iterator[Hit]:
    """A list result has ttlMs and cacheScope with meaningful values, and its pages agree on the scope."""
    yield from _departing(surface, "ttlMs", "cacheScope")


def list_cursor(surface: Surface, _context: Context) -> Iterator[Hit]:
    """nextCursor, if present, is a string."""
    yield from _departing(surface, "nextCursor")


def stdout_noise(surface: Surface, _context: Context) -> Iterator[Hit]:
    """Nothing but MCP on stdout."""
    lines = surface.conversation.get("noise")
    if isinstance(lines, list) and lines:
        # The lines may differ between runs; the finding stays the same.
        first = str(lines[0])
        says = "mark" if first.startswith("\ufeff") else "noise"
        yield hit("/conversation/noise", None, says=says, first=one_line(first, 80))


def server_request(surface: Surface, _context: Context) -> Iterator[Hit]:
    """No request to a client that has declared no capabilities."""
    methods = surface.conversation.get("requests")
    for method in methods if isinstance(methods, list) else ():
        yield hit("/conversation/requests", method, method=method)


def list_fails(surface: Surface, _context: Context) -> Iterator[Hit]:
    """A list that a declared capability promises is readable."""
    failed = surface.conversation.get("failedLists")
    for method, error in failed.items() if isinstance(failed, dict) else ():
        details = error if isinstance(error, dict) else {}
        code, text = details.get("code"), one_line(str(details.get("message", "")))
        path = join_pointer("/conversation/failedLists", method)
        yield hit(path, code, method=method, code=code, text=text)


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
    """No two resources have the same URI, and no two templates the same URI template."""
    for index, uri, first in _repeated(surface.resources, "uri"):
        yield hit(f"/resources/{index}/uri", uri, first=first, index=index)
    for index, uri, first in _repeated(surface.templates, "uriTemplate"):
        yield hit(f"/resourceTemplates/{index}/uriTemplate", uri, first=first, index=index)
