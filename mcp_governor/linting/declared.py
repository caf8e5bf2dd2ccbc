"""The arguments of all tools of a server, with all that is said about them, for rules that look at the whole of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.linting.context import Context, Hit, hit
from mcp_governor.linting.phrases import counted
from mcp_governor.linting.said import told_of
from mcp_governor.linting.schemas import effective
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcp_governor.surface.model import Surface, Tool

_MOST_TEXT = 4_000
"""Characters of what is said about an argument that are read."""
_MOST_PROPERTIES = 1_000
"""Arguments of one object; one that has more was not written by hand."""
_DEEPEST = 3
"""Objects within each other whose arguments are read; a reference in a circle ends here too."""
_MOST_NESTED = 300
"""Arguments within objects that are read of one tool."""
_MOST_ARGUMENTS = 12
"""Arguments that a message names; the rest is counted."""
_MOST_TOOLS = 2
"""Tools that a message names; the rest is counted."""


class Declared(NamedTuple):
    """One argument of one tool.

    Attributes:
        tool: that takes it.
        name: of the argument.
        schema: what it comes to, references followed.
        text: all that is said about it, in its own description and in those of the tool and of what holds it.
        required: true if it has to be given, where what holds it is.
        nested: true if it stands in another argument.
    """

    tool: Tool
    name: str
    schema: Mapping[str, Any]
    text: str
    required: bool
    nested: bool = False


def declared(surface: Surface, context: Context) -> list[Declared]:
    """The arguments of all tools, read once for all rules."""
    found: list[Declared] = context.facts.memo("declared", lambda: list(_read(surface, context)))
    return found


def _read(surface: Surface, context: Context) -> Iterator[Declared]:
    for tool in surface.tools:
        schema = tool.input_schema
        properties = _properties(schema)
        if not properties:
            continue
        told = told_of(tool, properties, context.facts)
        within: list[tuple[Mapping[str, Any], str]] = []
        for name, argument, required in _members(schema, properties):
            whole = effective(schema, argument)
            texts = [_description(whole, name), told.entries.get(name, ""), *told.mentions.get(name, ())]
            text = " ".join(texts).strip()[:_MOST_TEXT]
            yield Declared(tool, name, whole, text, required)
            within.append((whole, text))
        yield from _nested(tool, within)


def _nested(tool: Tool, within: list[tuple[Mapping[str, Any], str]]) -> Iterator[Declared]:
    """What stands in the objects, and in the items of the lists, of a tool's arguments."""
    left = _MOST_NESTED
    for _ in range(_DEEPEST):
        deeper: list[tuple[Mapping[str, Any], str]] = []
        for holder, above in within:
            items = effective(tool.input_schema, holder.get("items"))
            inner = items if _properties(items) else holder
            for name, argument, required in _members(inner, _properties(inner)):
                left -= 1
                if left < 0:
                    return
                whole = effective(tool.input_schema, argument)
                around = f"{above} {_description(inner)}"
                own = _description(whole, name) or (
                    around if _names(around, name) or _names(tool.description, name) else ""
                )
                yield Declared(tool, name, whole, own.strip()[:_MOST_TEXT], required, nested=True)
                deeper.append((whole, own[:_MOST_TEXT]))
        within = deeper


def _names(text: str, name: str) -> bool:
    text = text[:_MOST_TEXT]
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _properties(schema: Any) -> dict[str, Any]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) and len(properties) <= _MOST_PROPERTIES else {}


def _members(schema: Any, properties: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any], bool]]:
    required = schema.get("required") if isinstance(schema, dict) else None
    needed = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
    for name, argument in properties.items():
        if isinstance(argument, dict):
            yield name, argument, name in needed


def _description(schema: Mapping[str, Any], name: str = "") -> str:
    """The words of a schema; the name once more, as generators write it, is none."""
    own = schema.get("description")
    return own if isinstance(own, str) and own.strip(" .").lower() != name.lower() else ""


def one_hit(found: Iterable[tuple[str, list[Tool]]], elsewhere: Mapping[str, str], does: str) -> Iterator[Hit]:
    """One hit for arguments of a whole server.

    Args:
        found: the arguments, what matters most first, and the tools that have them.
        elsewhere: for some of them a tool that does right.
        does: what that tool does.
    """
    found = list(found)
    if not found:
        return
    shown = [
        _told(name, tools, f"{elsewhere[name]} {does}" if name in elsewhere else "")
        for name, tools in found[:_MOST_ARGUMENTS]
    ]
    if len(found) > _MOST_ARGUMENTS:
        shown.append(counted(len(found) - _MOST_ARGUMENTS, "more argument"))
    # Of the whole server, so that a description that is added makes no new finding of the rest.
    yield hit("/tools", arguments="; ".join(shown))


def _told(name: str, tools: list[Tool], elsewhere: str) -> str:
    names = ", ".join(one_line(tool.name, 64) for tool in tools[:_MOST_TOOLS])
    rest = ", …" if len(tools) > _MOST_TOOLS else ""
    where = f"; {one_line(elsewhere, 80)}" if elsewhere else ""
    count = f"{counted(len(tools), 'tool')}: " if len(tools) > 1 else ""
    return f"{one_line(name, 64)} ({count}{names}{rest}{where})"
