"""The parameters of all tools with all their descriptions, for rules that look at the whole server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.passages import outline_of
from mcp_governor.prose.words import has_word
from mcp_governor.subjects.context import Context, Hit, hit
from mcp_governor.subjects.schemas import effective, parent_of
from mcp_governor.text import counted, one_line

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
_MAX_ARGUMENTS = 12
"""Maximum number of parameters named in a message; the rest are counted."""
_MAX_TOOLS = 2
"""Maximum number of tools named per parameter; the rest are counted."""


class Declared(Struct, frozen=True):
    """One parameter of one tool.

    Attributes:
        tool: the tool that has it.
        name: of the parameter.
        schema: its schema, with references resolved.
        text: everything that is said about it, in its own description and in those of its tool and its parent.
        required: true if it is required whenever its parent is present.
        nested: true if it is part of another parameter.
        pointer: JSON pointer within the tool.
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
        outline: Outline | None = None
        for node in context.facts.nodes(tool)[:_MAX_NODES]:
            if node.side != "inputSchema" or node.argument is None or not isinstance(node.schema, dict):
                continue
            outline = outline_of(tool, context.facts) if outline is None else outline
            name, parent = node.argument, parent_of(node)
            whole = effective(tool.input_schema, node.schema)
            nested = len(node.tokens) > _AT_THE_TOP
            said = [_description(whole, name)]
            if not nested:
                said += [outline.entries.get(name, ""), *_mentions(name, outline)]
            elif not said[0] and any(_names(text, name) for text in (_description(parent), tool.description)):
                said = [_description(parent) or tool.description]
            required = parent.get("required")
            needed = isinstance(required, list) and name in required
            text = " ".join(said).strip()[:_MAX_TEXT]
            if not (nested and _is_fixed(node.schema)):
                yield Declared(tool, name, whole, text, needed, nested, node.pointer)


_AT_THE_TOP = 2
"""Length of the path to a parameter of a tool; the path to a field of an object is longer."""
_MAX_NODES = 3_000
"""Maximum number of schemas read per tool; a larger one was not written by hand."""


def _mentions(name: str, described: Outline) -> list[str]:
    """What sentences that name a parameter say about it."""
    return [one for one in described.mentions.get(name, ()) if not _SAYS_NOTHING.fullmatch(one)]


def _is_fixed(schema: Mapping[str, Any]) -> bool:
    """True for a constant, by which the branches of a union differ."""
    return "const" in schema


def _names(text: str, name: str) -> bool:
    return has_word(name, text[:_MAX_TEXT])


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
