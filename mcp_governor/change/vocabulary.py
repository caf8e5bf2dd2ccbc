"""Terms for changes: the promise, the effect on a client, and how schemas are read."""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import Any, Final


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


class Verdict(StrEnum):
    """The effect of a change on a client that worked before."""

    BREAKING = "breaking"
    COMPATIBLE = "compatible"
    UNKNOWN = "unknown"


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
