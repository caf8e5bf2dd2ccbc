"""Defects that a generator or a habit repeats across a server: each is reported once, with all its places."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mcp_governor.findings import Edit, Effect
from mcp_governor.fixes.corrections import correction, in_tool, nullable
from mcp_governor.packs.clarity.defects import Found, defects
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.phrases import counted, in_short
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcp_governor.subjects.context import Context, Hit
    from mcp_governor.surface.model import Surface

_MAX_NAMES = 12
"""Maximum number of parameters named in a message; the rest are counted."""
_MAX_TOOLS = 3
"""Maximum number of tools named per parameter, where the message has room."""


_Edits = Callable[[Found], "Iterable[Edit] | None"]


def _once(defect: str, context: Context, *, edits: _Edits | None = None) -> Iterator[Hit]:
    """The one hit for a defect, with the edits for each place that has any, which accept more than before."""
    found = defects(context.facts).places.get(defect, [])
    if not found:
        return
    names: dict[str, list[Found]] = {}
    for place in found:
        names.setdefault(place.name, []).append(place)
    # All names come first, then as many more tools per name as fit.
    spare = max(0, _MAX_NAMES - len(names))
    listed = []
    for places in list(names.values())[:_MAX_NAMES]:
        further = min(len(places) - 1, spare, _MAX_TOOLS - 1)
        spare -= further
        listed.append(_place(places, further + 1))
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    tools = len({place.tool.index for place in found})
    first = next((place for place in found if place.name), found[0])
    all_edits = [edit for place in found for edit in in_tool(edits(place), place.tool.name)] if edits else []
    yield hit(
        join_pointer("/tools", found[0].tool.index) + found[0].pointer if len(found) == 1 else "/tools",
        sorted(names),
        correction=correction(all_edits, Effect.WIDER),
        spots=((place.tool.name, place.pointer) for place in found),
        arguments=counted(len(found), "parameter"),
        tools=counted(tools, "tool"),
        names=", ".join(listed) + more,
        parameters=in_short(first.name, first.tool.name, len(found)),
    )


def _place(places: list[Found], shown: int) -> str:
    """A name with some of the tools that have a parameter of that name."""
    what = f": {one_line(places[0].what, 48)}" if places[0].what else ""
    tools = ", ".join(dict.fromkeys(one_line(place.tool.name, 64) for place in places[:shown]))
    return f"{one_line(places[0].name, 64)} ({tools}{what})"


def _nullable(place: Found) -> list[Edit] | None:
    edit = nullable(place.node) if place.node is not None else None
    return [edit] if edit is not None else None


def open_items(_surface: Surface, context: Context) -> Iterator[Hit]:
    """The items of a list have a schema."""
    yield from _once("open-items", context)


def null_default(_surface: Surface, context: Context) -> Iterator[Hit]:
    """``"default": null`` appears only where null is accepted."""
    yield from _once("null-default", context, edits=_nullable)


def list_of_one(_surface: Surface, context: Context) -> Iterator[Hit]:
    """A parameter that takes one object is not declared as a list of objects."""
    yield from _once("list-of-one", context)


def leaked_parameter(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No parameter holds a value that the server fills in itself."""
    yield from _once("leaked-parameter", context)


def http_header(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No parameter is a header of the server's own requests."""
    yield from _once("http-header", context)


def optional_filter(_surface: Surface, context: Context) -> Iterator[Hit]:
    """A tool that changes everything that matches requires a filter."""
    yield from _once("optional-filter", context)


def unit(_surface: Surface, context: Context) -> Iterator[Hit]:
    """A quantity has a unit."""
    yield from _once("missing-unit", context)


def odd_enum(_surface: Surface, context: Context) -> Iterator[Hit]:
    """The values of an enum have one type."""
    yield from _once("mixed-enum-types", context)


def open_object(_surface: Surface, context: Context) -> Iterator[Hit]:
    """An object declares the keys that its description lists."""
    yield from _once("open-object", context)


def packed_text(_surface: Surface, context: Context) -> Iterator[Hit]:
    """Objects, lists and booleans have their own type and are not packed into strings."""
    yield from _once("stringly-typed", context)


def unanchored_pattern(_surface: Surface, context: Context) -> Iterator[Hit]:
    """A pattern for a whole value has ``^`` and ``$``."""
    yield from _once("unanchored-pattern", context)


def nothing_required(_surface: Surface, context: Context) -> Iterator[Hit]:
    """A tool that acts on its input has at least one required parameter."""
    yield from _once("nothing-required", context)


def untyped_field(_surface: Surface, context: Context) -> Iterator[Hit]:
    """The fields of objects have types."""
    yield from _once("untyped-field", context)
