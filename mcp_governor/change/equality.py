"""Equality of JSON values, whatever their depth, and of annotations, whatever their spelling."""

from __future__ import annotations

from typing import Any

from mcp_governor.change.media_types import same_media_type


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


def same_note(key: str, old: Any, new: Any) -> bool:
    """True if an annotation says the same: names of media types and of HTTP fields have several spellings."""
    if key == "contentMediaType" and same_media_type(old, new):
        return True
    if key == "x-mcp-header" and isinstance(old, str) and isinstance(new, str):
        return old.lower() == new.lower()  # names of HTTP fields (RFC 9110, section 5.1)
    return same_json(old, new)
