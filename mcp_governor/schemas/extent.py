"""The size of a JSON value, for limits on work that grows with it."""

from __future__ import annotations

from typing import Any


def extent(value: Any) -> tuple[int, int]:
    """The number of values in a value, including itself, and their depth."""
    places = deepest = 0
    stack = [(value, 0)]
    while stack:
        item, depth = stack.pop()
        places += 1
        deepest = max(deepest, depth)
        if isinstance(item, dict | list):
            below = item.values() if isinstance(item, dict) else item
            stack.extend((part, depth + 1) for part in below)
    return places, deepest


def count_values(value: Any) -> int:
    """The number of values in a value, including itself."""
    return extent(value)[0]
