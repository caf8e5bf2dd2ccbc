"""Equality of JSON values, whatever their depth, and of annotations, whatever their spelling.

Media types are equal as RFC 9110, section 8.3.1 says: without case, and without the order of parameters.
"""

from __future__ import annotations

from typing import Any

from mcp_governor.lazy import lazy_pattern

_ESSENCE = lazy_pattern(r"\s*([^\s/;]+/[^\s/;]+)\s*")
_PARAMETER = lazy_pattern(r';\s*(?:([^\s=;"]+)=("(?:[^"\\]|\\.)*"|[^\s;"]*))?\s*')
_ESCAPED = lazy_pattern(r"\\(.)")


def same_media_type(one: Any, other: Any) -> bool:
    """True if two values are the same, or two spellings of one media type."""
    if one == other:
        return True
    if not isinstance(one, str) or not isinstance(other, str):
        return False
    read = _read(one)
    return read is not None and read == _read(other)


def _read(text: str) -> tuple[str, list[tuple[str, str]]] | None:
    """Type and parameters in one spelling; ``None`` for anything else. Of the values of parameters, only that of
    ``charset`` has no case."""
    essence = _ESSENCE.match(text)
    if essence is None:
        return None
    at, parameters = essence.end(), []
    while at < len(text):
        found = _PARAMETER.match(text, at)
        if found is None:
            return None
        at = found.end()
        if found[1] is not None:
            name, value = found[1].lower(), found[2]
            if value.startswith('"'):
                value = _ESCAPED.sub(r"\1", value[1:-1])
            parameters.append((name, value.lower() if name == "charset" else value))
    return essence[1].lower(), sorted(parameters)


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
