"""Equality of JSON values, whatever their depth."""

from __future__ import annotations

from typing import Any


def same_json(left: Any, right: Any) -> bool:
    """True if two values are the same JSON text, apart from the order of keys.

    Unlike ``==``, which treats 1, 1.0 and True as equal and fails on deeply nested values.
    """
    try:
        if left != right:
            return False
    except RecursionError:
        pass
    stack = [(left, right)]
    while stack:
        one, other = stack.pop()
        if one is other:
            continue
        if type(one) is not type(other):
            return False
        if isinstance(one, dict):
            if one.keys() != other.keys():
                return False
            stack.extend((value, other[key]) for key, value in one.items())
        elif isinstance(one, list):
            if len(one) != len(other):
                return False
            stack.extend(zip(one, other, strict=True))
        elif one != other:
            return False
    return True
