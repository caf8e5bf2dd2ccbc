"""Defects that a generator or a habit repeats across a server: each is reported once, with all its places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.findings import Edit, Effect
from mcp_governor.fixes.corrections import correction, in_tool, nullable
from mcp_governor.packs.clarity.measured import lacks_unit
from mcp_governor.packs.clarity.shapes import packed
from mcp_governor.prose.passages import outline_of, without_name
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.phrases import counted, in_short
from mcp_governor.subjects.schemas import effective, followed, root_of, types_of
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mcp_governor.subjects.context import Context, Facts, Hit, SchemaPlace
    from mcp_governor.surface.model import Surface

_MAX_TEXT = 400
"""Maximum number of characters read from a description: what a parameter is comes first."""
_MAX_NAMES = 12
"""Maximum number of parameters named in a message; the rest are counted."""
_MAX_TOOLS = 3
"""Maximum number of tools named per parameter, where the message has room."""


class _Found(NamedTuple):
    """A parameter with a defect, and an optional remark that the message adds to its name."""

    node: SchemaPlace
    what: str = ""

    @property
    def name(self) -> str:
        return self.node.argument or ""


class _Argument(NamedTuple):
    """A parameter, its schema with references resolved, its types without null, and its description."""

    node: SchemaPlace
    schema: Mapping[str, Any]
    types: frozenset[str]
    text: str


def _arguments(facts: Facts) -> Iterator[_Argument]:
    for tool in facts.surface.tools:
        for node in facts.nodes(tool):
            if node.side == "inputSchema" and node.argument is not None and isinstance(node.schema, dict):
                schema = effective(root_of(node), node.schema)
                said = schema.get("description")
                text = said[:_MAX_TEXT] if isinstance(said, str) else ""
                yield _Argument(node, schema, (types_of(schema) or frozenset()) - {"null"}, text)


def null_default(_surface: Surface, context: Context) -> Iterator[Hit]:
    """``"default": null`` appears only where null is accepted."""
    found = [
        _Found(one.node)
        for one in _arguments(context.facts)
        if "default" in one.node.schema and one.node.schema["default"] is None and _refuses_null(one.node)
    ]
    yield from _once(found, edits=_nullable)


def _refuses_null(node: SchemaPlace) -> bool:
    # The other branch of a union with null does not constrain null.
    schema = followed(root_of(node), node.schema)
    types = types_of(node.schema, root_of(node))
    values = schema.get("enum")
    if isinstance(values, list) and None not in values:
        return True
    return types is not None and "null" not in types and not schema.keys() & {"allOf", "not", "const"}


def _nullable(node: SchemaPlace) -> list[Edit]:
    edit = nullable(node)
    return [edit] if edit is not None else []


def unit(_surface: Surface, context: Context) -> Iterator[Hit]:
    """A quantity has a unit."""
    yield from _once(
        [_Found(one.node) for one in _arguments(context.facts) if lacks_unit(one.node, one.schema, one.types, one.text)]
    )


def packed_text(_surface: Surface, context: Context) -> Iterator[Hit]:
    """Objects, lists and booleans have their own type and are not packed into strings."""
    found = []
    for node, schema, types, text in _arguments(context.facts):
        if types == {"string"}:
            name = node.argument or ""
            if not text and node.tokens == ("properties", name):
                # Servers written in Python describe their parameters in the description of the tool.
                text = outline_of(node.tool, context.facts).entries.get(name, "")[:_MAX_TEXT]
            if what := packed(without_name(text, name).replace("\n", " "), schema):
                found.append(_Found(node, what))
    yield from _once(found)


def _once(found: list[_Found], *, edits: Callable[[SchemaPlace], list[Edit]] | None = None) -> Iterator[Hit]:
    """The one hit for a defect, with the edits for each place that has any, which accept more than before."""
    if not found:
        return
    names: dict[str, list[_Found]] = {}
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
    first = found[0].node
    all_edits = [edit for place in found for edit in in_tool(edits(place.node), place.node.tool.name)] if edits else []
    yield hit(
        join_pointer("/tools", first.tool.index) + first.pointer if len(found) == 1 else "/tools",
        sorted(names),
        correction=correction(all_edits, Effect.WIDER),
        spots=((place.node.tool.name, place.node.pointer) for place in found),
        arguments=counted(len(found), "parameter"),
        tools=counted(len({place.node.tool.index for place in found}), "tool"),
        names=", ".join(listed) + more,
        parameters=in_short(found[0].name, first.tool.name, len(found)),
    )


def _place(places: list[_Found], shown: int) -> str:
    """A name with some of the tools that have a parameter of that name."""
    what = f": {one_line(places[0].what, 48)}" if places[0].what else ""
    tools = ", ".join(dict.fromkeys(one_line(place.node.tool.name, 64) for place in places[:shown]))
    return f"{one_line(places[0].name, 64)} ({tools}{what})"
