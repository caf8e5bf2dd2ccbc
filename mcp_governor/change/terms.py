"""The words of a change: which promise it touches, what it does to a client, how schemas were read."""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import Any, Final


class Missing(Enum):
    """The type of :data:`MISSING`."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING
"""No value at all, where ``None`` is the value ``null``."""


def value_or_none(value: Any) -> Any:
    """A value for :attr:`Change.old` or :attr:`Change.new`; a flag next to it states that it is there."""
    return None if value is MISSING else value


class Side(StrEnum):
    """Which promise a change touches: what callers send, what they get, or the list itself."""

    INPUT = "input"
    OUTPUT = "output"
    SURFACE = "surface"


class Verdict(StrEnum):
    """What a change does to a client that worked yesterday."""

    BREAKING = "breaking"
    COMPATIBLE = "compatible"
    UNKNOWN = "unknown"


class Level(StrEnum):
    """How schemas are read: as people mean them, or as pure sets of instances (docs/changes.md)."""

    DECLARED = "declared"
    STRICT = "strict"


class Event(StrEnum):
    """What happened to the thing that a change is about: a changelog files the change by it."""

    ARRIVED = "arrived"
    """A tool, prompt, resource or template is new: nobody would call that a change of something else."""
    ADDED = "added"
    """A part with a name of its own is new: an argument, a field, a variable."""
    EXTENDED = "extended"
    """Something is new that is not a part by itself: a listed value, a default."""
    REMOVED = "removed"
    """A thing or part with a name of its own is gone."""
    RENAMED = "renamed"
    DEPRECATED = "deprecated"
    POSTPONED = "postponed"
    """A deprecation says something else."""
    CHANGED = "changed"
