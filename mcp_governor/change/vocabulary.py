"""Terms for changes: the promise, the effect on a client, how schemas are read, and the subject of a change as data."""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import Any, Final

from msgspec import Struct

from mcp_governor.schemas.keywords import SCHEMA_MAP_KEYS
from mcp_governor.schemas.pointers import unescape_pointer


class Missing(Enum):
    """The type of :data:`MISSING`."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING
"""No value at all, as distinct from the value ``null`` (``None``)."""


def value_or_none(value: Any) -> Any:
    """A value for :attr:`Change.old` or :attr:`Change.new`; a flag next to it says if it is present."""
    return None if value is MISSING else value


class Side(StrEnum):
    """The promise that a change concerns: what callers send, what they get, or the list itself."""

    INPUT = "input"
    OUTPUT = "output"
    SURFACE = "surface"


class Level(StrEnum):
    """How schemas are read: as people mean them, or as pure sets of instances (docs/changes.md)."""

    DECLARED = "declared"
    STRICT = "strict"


class Event(StrEnum):
    """What happened to the subject of a change; determines its section in a changelog."""

    ARRIVED = "arrived"
    """A tool, prompt, resource or template is new and not a change of an existing one."""
    ADDED = "added"
    """A part with a name of its own is new: a parameter, a field, a variable."""
    EXTENDED = "extended"
    """Something is new that is not a part by itself: a listed value, a default."""
    REMOVED = "removed"
    """A thing or part with a name of its own was removed."""
    RENAMED = "renamed"
    DEPRECATED = "deprecated"
    POSTPONED = "postponed"
    """A deprecation notice changed."""
    CHANGED = "changed"


class Facts(Struct, frozen=True):
    """The subject of a change, besides its place and its values. Names and values are spelled as the server spells
    them.

    Attributes:
        fields: the names on the path to the place, outermost first; the last one changed, by its old name. Empty for a
            tool as a whole.
        successor: the new name after a rename.
        thing: the noun for the last of ``fields``, if the kind does not determine it (``prompt``).
        what: our term for what was edited, if neither kind nor place give one.
        detail: an additional part of the kind's message.
        lost, gained: removed and added items of a list.
    """

    fields: tuple[str, ...] = ()
    successor: str | None = None
    thing: str = ""
    what: str = ""
    detail: str = ""
    lost: tuple[Any, ...] = ()
    gained: tuple[Any, ...] = ()


NO_FACTS = Facts()


_NAMED = ("properties", "$defs", "definitions", "patternProperties")
"""Keywords whose members have names of their own."""


def tokens_of(path: str) -> list[str]:
    """The parts of a JSON pointer."""
    return [unescape_pointer(token) for token in path.split("/")[1:]]


def names_on(path: str) -> tuple[str, ...]:
    """The names in a pointer into a tool: property names, and hints."""
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
    # Only the author of a schema knows the names of its definitions, so they are a last resort.
    return tuple(properties or names[-1:])


_ITEMS = frozenset({"items", "prefixItems", "additionalItems", "unevaluatedItems", "contains"})
_VALUES = frozenset({"additionalProperties", "unevaluatedProperties"})


def owner(path: str) -> tuple[str, str]:
    """The last property or definition in a pointer, and which part of its value the place is in.

    ``q`` and ``an item of `` for ``/inputSchema/properties/q/items/pattern``; the part is empty for ``q`` itself.
    """
    name, part = "", ""
    steps = iter(path.split("/"))
    for step in steps:
        if step in _NAMED:  # the next step is a name, whatever it is called
            named = next(steps, None)
            if named is not None:
                name, part = unescape_pointer(named), ""
        elif step in _ITEMS:
            part = "an item of "
        elif step in _VALUES:
            part = "a value of "
    return name, part
