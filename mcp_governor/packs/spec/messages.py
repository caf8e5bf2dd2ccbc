"""Requirements of the specification on the types of members, by the table of :mod:`mcp_governor.surface.messages`."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcp_governor.schemas.pointers import join_pointer, resolve_pointer
from mcp_governor.subjects.context import Context, Hit, Item, hit
from mcp_governor.surface.messages import mismatches

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from mcp_governor.surface.messages import Mismatch
    from mcp_governor.surface.model import Surface, Tool

_MOST = 20
"""Most places of one message, or of one entry of a list, that are reported; the others usually have the same cause."""


def _hits(value: Any, kind: str, context: Context, at: str = "", *, apart_from: Collection[str] = ()) -> Iterator[Hit]:
    """One hit for each member of the wrong type; a missing one is reported at the object that lacks it."""
    for found in islice(mismatches(value, kind, context.surface.protocol, apart_from=apart_from), _MOST):
        place = join_pointer("", *(found.path[:-1] if found.missing else found.path))
        yield hit(at + place, resolve_pointer(value, place), error=_error(found))


def _error(found: Mismatch) -> str:
    member = join_pointer("", *found.path).lstrip("/") or "it"
    return f"{member} is missing" if found.missing else f"{member} is {found.shown}, not {found.wanted}"


def message_members(surface: Surface, context: Context) -> Iterator[Hit]:
    """The members of the handshake and of list results have the types of the specification."""
    noted = surface.conversation.get("mismatches")
    for note in islice(noted, _MOST) if isinstance(noted, list) else ():
        if isinstance(note, dict):
            path, error = str(note.get("path", "")), str(note.get("error", ""))
            yield hit(path, error, error=error)
    for found in _hits(surface.capabilities, "ServerCapabilities", context):
        yield _within("capabilities", found)
    # Since 2026-07-28 it is a part of _meta that the official clients do not check.
    if surface.server and not surface.modern:
        for found in _hits(surface.server, "Implementation", context, apart_from=("name", "version")):
            yield _within("serverInfo", found)


def _within(part: str, found: Hit) -> Hit:
    return replace(found, path=f"/{part}{found.path}", values={"error": f"{part}/{found.values['error']}"})


def tool_fields(tool: Tool, context: Context) -> Iterator[Hit]:
    """The fields of a tool have the right types; its name and its schemas have rules of their own."""
    return _hits(tool.raw, "Tool", context, apart_from=("name", "inputSchema", "outputSchema"))


def prompt_fields(item: Item, context: Context) -> Iterator[Hit]:
    """The same for a prompt."""
    return _hits(item.raw, "Prompt", context, item.pointer)


def resource_fields(item: Item, context: Context) -> Iterator[Hit]:
    """The same for a resource."""
    return _hits(item.raw, "Resource", context, item.pointer)


def template_fields(item: Item, context: Context) -> Iterator[Hit]:
    """The same for a resource template."""
    return _hits(item.raw, "ResourceTemplate", context, item.pointer)


def property_schemas(tool: Tool, context: Context) -> Iterator[Hit]:
    """Before 2026-07-28 the schemas of the properties of a root are objects."""
    if context.surface.protocol is not None and not context.surface.modern:
        for side, name, schema in boolean_properties(tool):
            yield hit(f"/{side}{join_pointer('', 'properties', name)}", schema, parameter=name, side=side)


def boolean_properties(tool: Tool) -> Iterator[tuple[str, str, bool]]:
    """The properties of the roots of a tool whose schemas are ``true`` or ``false``: side, name and schema."""
    for side in ("inputSchema", "outputSchema"):
        schema = tool.raw.get(side)
        properties = schema.get("properties") if isinstance(schema, dict) else None
        for name, inner in properties.items() if isinstance(properties, dict) else ():
            if isinstance(inner, bool):
                yield side, name, inner
