"""What a change is about, as data: what its readers build their words and their questions from."""

from __future__ import annotations

from typing import Any

from mcp_governor.frozen import frozen
from mcp_governor.schemas.keywords import SCHEMA_MAP_KEYS
from mcp_governor.schemas.pointers import unescape_pointer


@frozen
class Facts:
    """What a change is about, besides its place and its values. Names and values are as the server spells them.

    Attributes:
        fields: the names on the way to the place, outermost first; the last one is what changed, by its old name.
            Empty for a tool as a whole.
        successor: the new name of what was renamed.
        thing: the noun for what the last of ``fields`` names, where the kind does not fix it (``prompt``).
        what: our words for what was edited, where neither kind nor place say it.
        detail: what else the sentence of the kind says.
        lost, gained: what went from a list and what came to it.
    """

    fields: tuple[str, ...] = ()
    successor: str | None = None
    thing: str = ""
    what: str = ""
    detail: str = ""
    lost: tuple[Any, ...] = ()
    gained: tuple[Any, ...] = ()


NO_FACTS = Facts()


def tokens_of(path: str) -> list[str]:
    """The parts of a JSON pointer."""
    return [unescape_pointer(token) for token in path.split("/")[1:]]


def names_on(path: str) -> tuple[str, ...]:
    """The names that a pointer into a tool passes: property names, and hints."""
    tokens = tokens_of(path)
    if tokens[:1] == ["annotations"] and len(tokens) == 2:
        return (tokens[1],)
    names: list[str] = []
    properties: list[str] = []
    position = 0
    while position < len(tokens):
        if tokens[position] in SCHEMA_MAP_KEYS and position + 1 < len(tokens):
            names.append(tokens[position + 1])
            if tokens[position] == "properties":
                properties.append(tokens[position + 1])
            position += 1
        position += 1
    # A definition's name is known to the author of the schema only; it serves where there is nothing else.
    return tuple(properties or names[-1:])


def owner(path: str) -> str:
    """The last property or definition that a pointer names: ``q`` in ``/inputSchema/properties/q/pattern``."""
    steps = path.split("/")
    for index in range(len(steps) - 1, 0, -1):
        if steps[index - 1] in ("properties", "$defs", "definitions", "patternProperties"):
            return unescape_pointer(steps[index])
    return ""
