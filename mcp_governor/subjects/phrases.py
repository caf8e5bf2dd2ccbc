"""Names for values and counts in messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

_KINDS: dict[type, str] = {
    bool: "a boolean",
    str: "a string",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


def kind_of(value: Any) -> str:
    """The type of a JSON value, in words: ``a list``, ``null``, ``an object``."""
    return _KINDS.get(type(value), type(value).__name__)


def counted(number: int, one: str, many: str = "") -> str:
    """``1 tool``, ``2 tools``."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def first_of(names: Sequence[str], most: int, width: int = 64) -> str:
    """The first names of several, each cut to a width, and how many there are besides: ``a, b and 3 more``."""
    shown = ", ".join(one_line(name, width) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
