"""Find the position of a string in a document, by changing candidates and parsing the document again.

TOML and JSON allow many layouts (tables, dotted keys, inline tables, any order). Searching for ``version =`` may find
the version of something else, but the parser shows which one it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.files import MEBIBYTE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MAX_READ = 16 * MEBIBYTE
"""Most bytes that are parsed again for one string: thousands of attempts in a project file of 5 KB. After that, the
position is unknown."""


def place_of(text: str, path: Sequence[str], parse: Callable[[str], Any]) -> tuple[int, int] | None:
    """The position of a string in a document, including its quotation marks.

    Args:
        text: the document.
        path: the keys that lead to the string.
        parse: parses such documents; may raise ``ValueError``.

    Returns:
        Start and end offset; ``None`` if the string does not exist or is written with escapes.
    """
    value = _at(parse(text), path)
    if not isinstance(value, str):
        return None
    probe = f"{value}?"
    left = max(1, _MAX_READ // max(1, len(text)))
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
    """The line number, from 1, of a string in a document; see :func:`place_of`."""
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
