"""The parameters of all tools with all their descriptions, for rules that look at the whole server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.passages import outline_of
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import Context, Hit, hit
from mcp_governor.subjects.phrases import counted
from mcp_governor.subjects.schemas import effective
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcp_governor.prose.outline import Outline
    from mcp_governor.surface.model import Surface, Tool

_MAX_TEXT = 4_000
"""Maximum number of characters read from everything that is said about one parameter."""
_SAYS_NOTHING = lazy_pattern(
    r"(?:[\W_]|\b(?:and|or|nor|plus|with|to|then|also|the|an?|is|are|be|can|may|must|should|either|both|only|required"
    r"|optional|needed|given|set|provided|specified|present|used|default|any|array|bool(?:ean)?|dict|float|int(?:eger)?"
    r"|list|none|null|number|object|of|str(?:ing)?|true|false|\d{1,9})\b)*+",
    re.IGNORECASE,
)
"""A mention that says that a parameter is given, or which type it has, but not what belongs there: words between two
names, a signature, a number in an example of a call."""
_MAX_PROPERTIES = 1_000
"""Maximum number of parameters in one object; a larger object was not written by hand."""
_MAX_DEPTH = 3
"""Maximum depth of nested objects; also ends a circular reference."""
_MAX_BRANCHES = 30
"""Maximum number of branches read of one union; a server with 20 operations in one tool has 20."""
_MAX_NESTED = 300
"""Maximum number of nested parameters read per tool."""
_MAX_ARGUMENTS = 12
"""Maximum number of parameters named in a message; the rest are counted."""
_MAX_TOOLS = 2
"""Maximum number of tools named per parameter; the rest are counted."""


class Declared(NamedTuple):
    """One parameter of one tool.

    Attributes:
        tool: the tool that has it.
        name: of the parameter.
        schema: its schema, with references resolved.
        text: everything that is said about it, in its own description and in those of its tool and its parent.
        required: true if it is required whenever its parent is present.
        nested: true if it is part of another parameter.
        pointer: JSON pointer within the tool, as if references were replaced by what they refer to.
    """

    tool: Tool
    name: str
    schema: Mapping[str, Any]
    text: str
    required: bool
    nested: bool
    pointer: str


def declared(surface: Surface, context: Context) -> list[Declared]:
    """The parameters of all tools, read once for all rules."""
    found: list[Declared] = context.facts.memo("declared", lambda: list(_read(surface, context)))
    return found


def _read(surface: Surface, context: Context) -> Iterator[Declared]:
    for tool in surface.tools:
        schema = tool.input_schema
        properties = _properties(schema)
        if not properties:
            continue
        described = outline_of(tool, context.facts)
        within: list[tuple[Mapping[str, Any], str, str]] = []
        for name, argument, required in _members(schema, properties):
            whole = effective(schema, argument)
            parts = [_description(whole, name), described.entries.get(name, ""), *_mentions(name, described)]
            text = " ".join(parts).strip()[:_MAX_TEXT]
            pointer = join_pointer("/inputSchema/properties", name)
            yield Declared(tool, name, whole, text, required, nested=False, pointer=pointer)
            if not _HOLDING.isdisjoint(whole):
                within.append((whole, text, pointer))
        yield from _nested(tool, within)


def _mentions(name: str, described: Outline) -> list[str]:
    """What sentences that name a parameter say about it; where they name several in a row, behind the last."""
    said = list(described.mentions.get(name, ()))
    for _ in range(_MAX_JOINED):
        name = described.joined.get(name, "")
        said += described.mentions.get(name, ())[:1]
    return [one for one in said if not _SAYS_NOTHING.fullmatch(one)]


_MAX_JOINED = 6
"""Maximum number of names in a row; ends a list that repeats one."""
_HOLDING = frozenset({"properties", "items", "anyOf", "oneOf"})
"""Keywords with which a parameter has parameters of its own; most have none of them."""


def _nested(tool: Tool, within: list[tuple[Mapping[str, Any], str, str]]) -> Iterator[Declared]:
    """The parameters within the objects, and the items of the lists, of a tool's parameters."""
    left = _MAX_NESTED
    for _ in range(_MAX_DEPTH):
        deeper: list[tuple[Mapping[str, Any], str, str]] = []
        for (inner, place), above in [
            (one, above) for holder, above, at in within for one in _objects(tool, holder, at)
        ]:
            for name, argument, required in _members(inner, _properties(inner)):
                left -= 1
                if left < 0:
                    return
                whole = effective(tool.input_schema, argument)
                around = f"{above} {_description(inner)}"
                own = _description(whole, name) or (
                    around if _names(around, name) or _names(tool.description, name) else ""
                )
                pointer = join_pointer(place, "properties", name)
                yield Declared(tool, name, whole, own.strip()[:_MAX_TEXT], required, nested=True, pointer=pointer)
                if not _HOLDING.isdisjoint(whole):
                    deeper.append((whole, own[:_MAX_TEXT], pointer))
        within = deeper


def _objects(tool: Tool, holder: Mapping[str, Any], at: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The objects that a parameter may be, or its items if it is a list, with their pointers."""
    items = effective(tool.input_schema, holder.get("items"))
    for schema, pointer in ((items, f"{at}/items"), (holder, at)):
        if _properties(schema):
            yield schema, pointer
            return
        for keyword in ("anyOf", "oneOf"):
            branches = schema.get(keyword)
            for position, branch in enumerate(branches[:_MAX_BRANCHES] if isinstance(branches, list) else ()):
                found = effective(tool.input_schema, branch)
                chosen = {name: one for name, one in _properties(found).items() if not _is_fixed(one)}
                if chosen:
                    yield {**found, "properties": chosen}, f"{pointer}/{keyword}/{position}"


def _is_fixed(schema: Any) -> bool:
    """True for a constant and an object without members, by which the branches of a union differ."""
    empty = {"properties": {}, "additionalProperties": False}
    return isinstance(schema, dict) and ("const" in schema or empty.items() <= schema.items())


def _names(text: str, name: str) -> bool:
    text = text[:_MAX_TEXT]
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _properties(schema: Any) -> dict[str, Any]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) and len(properties) <= _MAX_PROPERTIES else {}


def _members(schema: Any, properties: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any], bool]]:
    required = schema.get("required") if isinstance(schema, dict) else None
    needed = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
    for name, argument in properties.items():
        if isinstance(argument, dict):
            yield name, argument, name in needed


def _description(schema: Mapping[str, Any], name: str = "") -> str:
    """The description of a schema; one that only repeats the name, as generators write it, does not count."""
    own = schema.get("description")
    return own if isinstance(own, str) and own.strip(" .").lower() != name.lower() else ""


def one_hit(found: Iterable[tuple[str, list[Declared]]], elsewhere: Mapping[str, str], does: str) -> Iterator[Hit]:
    """One hit about parameters of a whole server.

    Args:
        found: the names, the most important first, each with its parameters.
        elsewhere: for some of them, a tool that does it right.
        does: what that tool does.
    """
    found = list(found)
    if not found:
        return
    shown = [
        _entry(name, _tools(ones), f"{elsewhere[name]} {does}" if name in elsewhere else "")
        for name, ones in found[:_MAX_ARGUMENTS]
    ]
    if len(found) > _MAX_ARGUMENTS:
        shown.append(counted(len(found) - _MAX_ARGUMENTS, "more parameter"))
    # Attached to the whole server, so that adding a description does not create a new finding about the rest.
    spots = ((one.tool.name, one.pointer) for _, ones in found for one in ones)
    yield hit("/tools", spots=spots, arguments="; ".join(shown))


def _tools(ones: Iterable[Declared]) -> list[Tool]:
    return list({one.tool.index: one.tool for one in ones}.values())


def _entry(name: str, tools: list[Tool], elsewhere: str) -> str:
    names = ", ".join(one_line(tool.name, 64) for tool in tools[:_MAX_TOOLS])
    rest = ", …" if len(tools) > _MAX_TOOLS else ""
    where = f"; {one_line(elsewhere, 80)}" if elsewhere else ""
    count = f"{counted(len(tools), 'tool')}: " if len(tools) > 1 else ""
    return f"{one_line(name, 64)} ({count}{names}{rest}{where})"
