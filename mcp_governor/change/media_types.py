"""Compares media types as RFC 9110, section 8.3.1 does: without case, and without the order of parameters."""

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
