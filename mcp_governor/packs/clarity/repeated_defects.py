"""Defects that a generator or a habit repeats across a server: each is reported once, with all its places."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from mcp_governor.findings import Edit, Effect
from mcp_governor.fixes.corrections import (
    correction,
    in_tool,
    keyword_edits,
    nullable,
    numeric_default,
    retyped,
)
from mcp_governor.lazy import lazy_pattern
from mcp_governor.packs.clarity.defects import MAX_TEXT, MAX_VALUES, Found, defects, kind_of
from mcp_governor.prose.quantities import is_identifier
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.phrases import counted, in_short
from mcp_governor.subjects.schemas import effective, is_generated, root_of
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


def _once(
    defect: str, context: Context, *, edits: _Edits | None = None, effect: Effect = Effect.NARROWER
) -> Iterator[Hit]:
    """The one hit for a defect, with the edits for each place that has any."""
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
        correction=correction(all_edits, effect),
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


def _without_bounds(place: Found) -> Iterator[Edit]:
    for key in ("minimum", "maximum"):
        if place.node is not None and is_generated(place.node.schema.get(key)):
            yield Edit(f"{place.pointer}/{key}", op="remove")


_ITEM_TYPES = {"string": "string", "str": "string", "integer": "integer", "int": "integer", "number": "number"}
_ITEMS_OF = lazy_pattern(r"\b(?:list|array)\sof\s(strings?|str|integers?|ints?|numbers?)\b", re.IGNORECASE)


def _items(place: Found) -> list[Edit] | None:
    """The schema of a list's items, where the description or the default gives it."""
    if place.node is None:
        return None
    schema = place.node.schema
    items = _ITEMS_OF.search(str(schema.get("description", ""))[:MAX_TEXT])
    kind = _ITEM_TYPES.get(items[1].lower().removesuffix("s")) if items else None
    default = schema.get("default")
    if isinstance(default, list) and default:
        kinds = {kind_of(value) for value in default[:MAX_VALUES]}
        kind = "string" if kinds == {"string"} and kind in (None, "string") else None
    if kind is None or "items" not in schema:
        return None
    return [Edit(f"{place.pointer}/items", {"type": kind})]


def _integer(place: Found) -> list[Edit] | None:
    """Makes it an integer of at least 0, unless the default is negative and so has a special meaning."""
    if place.node is None:
        return None
    edits = retyped(place.node, "number", "integer")
    bounded = effective(root_of(place.node), place.node.schema).keys() & {"minimum", "exclusiveMinimum"}
    if edits is None or bounded or is_identifier(place.name):
        return edits
    least = _minimum(place)
    return edits + least if least is not None else None


def _minimum(place: Found) -> list[Edit] | None:
    """A count cannot be negative; if it can be 0 is for a person to decide."""
    default = numeric_default(place.node) if place.node is not None else None
    if place.node is None or (default is not None and default < 0):
        return None
    return keyword_edits(place.node, {"minimum": 0})


def _nullable(place: Found) -> list[Edit] | None:
    edit = nullable(place.node) if place.node is not None else None
    return [edit] if edit is not None else None


def _one_item(place: Found) -> list[Edit] | None:
    return keyword_edits(place.node, {"minItems": 1, "maxItems": 1}) if place.node is not None else None


def _removed(place: Found) -> list[Edit]:
    drop = Edit("/inputSchema/required", place.name, "drop")
    needed = place.tool.input_schema.get("required")
    return [Edit(place.pointer, op="remove"), *([drop] if isinstance(needed, list) and place.name in needed else [])]


def _required(place: Found) -> list[Edit]:
    return [Edit("/inputSchema/required", place.name, "add")]


def generator_bounds(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No integer has the generator's largest safe integers as its bounds."""
    yield from _once("generator-bounds", context, edits=_without_bounds, effect=Effect.WIDER)


def open_items(_surface: Surface, context: Context) -> Iterator[Hit]:
    """The items of a list have a schema."""
    yield from _once("open-items", context, edits=_items)


def count_number(_surface: Surface, context: Context) -> Iterator[Hit]:
    """A count is an integer."""
    yield from _once("count-number", context, edits=_integer)


def count_minimum(_surface: Surface, context: Context) -> Iterator[Hit]:
    """A count has a minimum."""
    yield from _once("count-minimum", context, edits=_minimum)


def null_default(_surface: Surface, context: Context) -> Iterator[Hit]:
    """``"default": null`` appears only where null is accepted."""
    yield from _once("null-default", context, edits=_nullable, effect=Effect.WIDER)


def list_of_one(_surface: Surface, context: Context) -> Iterator[Hit]:
    """A parameter that takes one object is not declared as a list of objects."""
    yield from _once("list-of-one", context, edits=_one_item)


def leaked_parameter(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No parameter holds a value that the server fills in itself."""
    yield from _once("leaked-parameter", context, edits=_removed, effect=Effect.WIDER)


def http_header(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No parameter is a header of the server's own requests."""
    yield from _once("http-header", context, edits=_removed, effect=Effect.WIDER)


def optional_filter(_surface: Surface, context: Context) -> Iterator[Hit]:
    """A tool that changes everything that matches requires a filter."""
    yield from _once("optional-filter", context, edits=_required)


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
