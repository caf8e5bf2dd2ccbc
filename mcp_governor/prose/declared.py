"""The parameters of all tools, for rules that look at the whole server, and if anything says what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.prose.asides import said_in_passing
from mcp_governor.prose.guarded import spaced
from mcp_governor.prose.passages import outline_of
from mcp_governor.prose.words import has_word, word_set
from mcp_governor.subjects.context import Context, Hit, hit
from mcp_governor.subjects.schemas import effective, parent_of
from mcp_governor.text import counted, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcp_governor.subjects.context import SchemaPlace
    from mcp_governor.surface.model import Surface, Tool

_MAX_TEXT = 4_000
"""Maximum number of characters searched for the name of a nested parameter."""
_MAX_NODES = 3_000
"""Maximum number of schemas read per tool; a larger one was not written by hand."""
_NOTHING = word_set("""
    a also an and any are array be bool boolean both can default dict either float given int integer is list may must
    needed none nor null number object of only optional or plus present provided required set should specified str
    string the then to true false used with
""")
"""Words of a mention that says that a parameter is given, or which type it has, but not what belongs there: words
between two names, a signature, and, like a number, in an example of a call."""
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
        described: anything says what it is, if only in passing.
        required: true if it is required whenever its parent is present.
        nested: true if it is part of another parameter.
        pointer: JSON pointer within the tool.
    """

    tool: Tool
    name: str
    schema: Mapping[str, Any]
    described: bool
    required: bool
    nested: bool
    pointer: str


def declared(surface: Surface, context: Context) -> Iterator[Declared]:
    """The parameters of all tools."""
    for tool in surface.tools:
        for node in context.facts.nodes(tool)[:_MAX_NODES]:
            if node.side != "inputSchema" or node.argument is None or not isinstance(node.schema, dict):
                continue
            name, required = node.argument, parent_of(node).get("required")
            needed = isinstance(required, list) and name in required
            nested = len(node.tokens) > 2
            # By a constant, the branches of a union differ.
            if not (nested and "const" in node.schema):
                whole = effective(tool.input_schema, node.schema)
                is_described = _is_described(node, name, whole, context, nested=nested)
                yield Declared(tool, name, whole, is_described, needed, nested, node.pointer)


def _is_described(node: SchemaPlace, name: str, schema: Mapping[str, Any], context: Context, *, nested: bool) -> bool:
    if "enum" in schema or "const" in schema or _description(schema, name):
        return True
    tool = node.tool
    if nested:
        return any(has_word(name, text[:_MAX_TEXT]) for text in (_description(parent_of(node)), tool.description))
    outline = outline_of(tool, context.facts)
    said = spaced(" ".join((*outline.mentions.get(name, ()), *said_in_passing(name, tool.description))).lower())
    return name in outline.entries or any(word not in _NOTHING and not word.isdigit() for word in said.split())


def _description(schema: Mapping[str, Any], name: str = "") -> str:
    """The description of a schema; one that only repeats the name, as generators write it, does not count."""
    own = schema.get("description")
    return own if isinstance(own, str) and own.strip(" .").lower() != name.lower() else ""


def undescribed(found: Sequence[tuple[str, Sequence[Declared]]], elsewhere: Mapping[str, str]) -> Iterator[Hit]:
    """One hit about parameters of a whole server.

    Args:
        found: the names, the most important first, each with its parameters.
        elsewhere: for some of them, a tool that describes it.
    """
    if not found:
        return
    shown = [_entry(name, ones, elsewhere.get(name)) for name, ones in found[:_MAX_ARGUMENTS]]
    if len(found) > _MAX_ARGUMENTS:
        shown.append(counted(len(found) - _MAX_ARGUMENTS, "more parameter"))
    # Attached to the whole server, so that adding a description does not create a new finding about the rest.
    spots = ((one.tool.name, one.pointer) for _, ones in found for one in ones)
    yield hit("/tools", spots=spots, arguments="; ".join(shown))


def _entry(name: str, ones: Sequence[Declared], elsewhere: str | None) -> str:
    tools = list({one.tool.index: one.tool.name for one in ones}.values())
    names = ", ".join(one_line(tool, 64) for tool in tools[:_MAX_TOOLS])
    rest = ", …" if len(tools) > _MAX_TOOLS else ""
    where = f"; {one_line(f'{elsewhere} describes it', 80)}" if elsewhere else ""
    count = f"{counted(len(tools), 'tool')}: " if len(tools) > 1 else ""
    return f"{one_line(name, 64)} ({count}{names}{rest}{where})"
