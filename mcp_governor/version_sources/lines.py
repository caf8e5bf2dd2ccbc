"""Where a document writes one of its texts: found by changing it and reading the document again.

TOML and JSON say the same in many layouts (tables, dotted keys, tables on one line, any order). Looking for
``version =`` finds the version of something else; the parser knows better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.files import MEBIBYTE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MOST_READ = 16 * MEBIBYTE
"""Bytes that are read again for one text: thousands of attempts in a project file of 5 KB. Beyond, the place is not
known."""


def place_of(text: str, path: Sequence[str], parse: Callable[[str], Any]) -> tuple[int, int] | None:
    """The part of a document that writes a string, quotation marks included, as two offsets.

    Args:
        text: the document.
        path: the keys that lead to the string.
        parse: reads such documents; may raise ``ValueError``.

    Returns:
        ``None`` where there is no such string, or it is written with escapes.
    """
    value = _at(parse(text), path)
    if not isinstance(value, str):
        return None
    probe = f"{value}?"
    left = max(1, _MOST_READ // max(1, len(text)))
    for mark in ('"', "'"):
        literal = f"{mark}{value}{mark}"
        start = text.find(literal)
        while start >= 0 and left:
            left -= 1
            end = start + len(literal)
            if _reads(text[:start] + mark + probe + mark + text[end:], path, parse) == probe:
                return start, end
            start = text.find(literal, start + 1)
    return None


def line_of(text: str, path: Sequence[str], parse: Callable[[str], Any]) -> int | None:
    """The line, from 1, that writes a string of a document; see :func:`place_of`."""
    found = place_of(text, path, parse)
    return text.count("\n", 0, found[0]) + 1 if found is not None else None


def _reads(text: str, path: Sequence[str], parse: Callable[[str], Any]) -> Any:
    try:
        return _at(parse(text), path)
    except ValueError:
        return None


def _at(document: Any, path: Sequence[str]) -> Any:
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    return document
