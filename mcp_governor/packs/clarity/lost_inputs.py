"""What the parameters of a whole server show: schemas that were lost, and parameters that mean nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.effects import product_prefix, verb_of
from mcp_governor.prose.words import MUTATING_VERBS
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.phrases import counted, first_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.subjects.context import Context, Hit
    from mcp_governor.surface.model import Surface, Tool

_MAX_SHOWN = 6
"""Maximum number of names in a message; the others are counted."""

# -- schemas that were lost

_FEWEST = 3
"""Number of tools from which on it is hardly an accident that none takes a parameter."""
_BARE = frozenset({"$schema", "type", "properties", "required", "additionalProperties", "title", "description"})
_TAKES = MUTATING_VERBS - {"clear", "refresh", "reset", "restart", "start", "stop", "sync", "wipe"} | {"find", "search"}
"""Verbs of tools that cannot do anything without an object."""
_OPERATIONS = lazy_pattern(r"\b[a-z]{3,16}(?:/[a-z]{3,16}){2,12}\b")
_ASSIGNED = lazy_pattern(r"\b[a-z][A-Za-z_]{1,30}=(?:true|false|[a-z]{2,20})\b")
_MAX_TEXT = 1_000
"""Maximum number of characters of a description searched for a parameter."""


def no_parameters(surface: Surface, _context: Context) -> Iterator[Hit]:
    """Some tool of a server takes a parameter, if half of them cannot do anything without one."""
    if len(surface.tools) < _FEWEST or not all(map(_is_bare, surface.tools)):
        return
    prefix = product_prefix(surface)
    needy = [tool.name for tool in surface.tools if _needs_input(tool, prefix)]
    if 2 * len(needy) >= len(surface.tools):
        spots = ((name, "/inputSchema") for name in needy)
        yield hit(
            "/tools",
            sorted(needy),
            spots=spots,
            names=first_of(needy, _MAX_SHOWN),
            tools=counted(len(surface.tools), "tool"),
        )


def _is_bare(tool: Tool) -> bool:
    schema = tool.raw.get("inputSchema")
    return isinstance(schema, dict) and schema.keys() <= _BARE and not schema.get("properties")


def _needs_input(tool: Tool, prefix: str | None) -> bool:
    said = tool.description[:_MAX_TEXT]
    return verb_of(tool, prefix) in _TAKES or bool(_OPERATIONS.search(said) or _ASSIGNED.search(said))


# -- parameters without a meaning


def only_in_words(tool: Tool, _context: Context) -> Iterator[Hit]:
    """A tool whose description documents parameters has some."""
    if not _is_bare(tool):
        return
    text = tool.description[:_MAX_DOCUMENTED]
    match = _ARGUMENTS.search(text) or _CALLED_WITH.search(text)
    if match is not None and match["name"].lower() not in _NO_ARGUMENT:
        yield hit("/inputSchema", tool.input_schema, name=match["name"])


_MAX_DOCUMENTED = 4_000
"""Maximum number of characters of a description that are read; parameters come after a paragraph or two."""
_ARGUMENTS = lazy_pattern(
    r"(?:\A|\n)[ \t]{0,12}(?:[#*]{1,4}\s?)?(?:args|arguments|parameters|params|inputs)"
    r"(?:\*\*)?:?(?:\*\*)?[ \t]{0,4}\n{1,2}"
    r"[ \t]{0,16}(?:[-*•]\s)?[`\"*]{0,3}(?P<name>[a-z_]\w{0,40})[`\"*]{0,3}\s?"
    r"(?:\([^()\n]{0,60}\))?\s?(?::|-|–|—)\s?\S",
    re.IGNORECASE,
)
_CALLED_WITH = lazy_pattern(
    r"\b(?:example(?:\s(?:arguments|call|input|request|usage))?|arguments|input)\s?:\s{0,4}(?:\w{1,64}\()?"
    r"\{\s{0,8}[\"'](?P<name>[a-z_]\w{0,40})[\"']\s?:",
    re.IGNORECASE,
)
_NO_ARGUMENT = frozenset({"context", "ctx", "n", "no", "none", "nothing", "returns", "self"})
_DUMMY = lazy_pattern(r"(?i)random_string|_?dummy(?:_(?:arg|argument|field|input|param|parameter))?|no_?params?")


def dummy_parameter(surface: Surface, _context: Context) -> Iterator[Hit]:
    """No parameter is there only because a client once refused a tool without any."""
    found: list[tuple[str, str]] = []
    name = ""
    for tool in surface.tools:
        properties: Any = tool.input_schema.get("properties") if isinstance(tool.input_schema, dict) else None
        for one in properties if isinstance(properties, dict) and len(properties) == 1 else ():
            if _DUMMY.fullmatch(one):
                name = name or one
                found.append((tool.name, join_pointer("/inputSchema/properties", one)))
    if found:
        tools = [tool for tool, _ in found]
        yield hit(
            "/tools", sorted(tools), spots=found, argument=name, first=tools[0], names=first_of(tools, _MAX_SHOWN)
        )
