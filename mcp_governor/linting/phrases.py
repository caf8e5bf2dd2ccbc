"""Names for values and counts in messages."""

from __future__ import annotations

from typing import Any

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
