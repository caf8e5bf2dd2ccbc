"""JSON pointers (RFC 6901)."""

from __future__ import annotations

from typing import Any

_LONGEST_INDEX = 18
"""Digits of an index that are read; no list is that long, and a number of thousands of digits takes its time."""


def escape_pointer(token: str | int) -> str:
    """One reference token of a JSON pointer."""
    return str(token).replace("~", "~0").replace("/", "~1")


def unescape_pointer(token: str) -> str:
    """The inverse of :func:`escape_pointer`."""
    return token.replace("~1", "/").replace("~0", "~")


def join_pointer(base: str, *tokens: str | int) -> str:
    """``base`` extended by ``tokens``, each escaped."""
    for token in tokens:
        text = str(token)
        base += f"/{escape_pointer(text) if '~' in text or '/' in text else text}"
    return base


def pointer_tokens(pointer: str) -> list[str]:
    """The tokens of a pointer, unescaped.

    Raises:
        KeyError: it is neither empty nor begins with a slash, so it is something else, an anchor for example.
    """
    if pointer and not pointer.startswith("/"):
        raise KeyError(pointer)
    return [unescape_pointer(token) for token in pointer.split("/")[1:]]


def step(value: Any, token: str) -> Any:
    """The member or the item of a value that a token names.

    An index is written in ASCII digits without leading zeros (section 4), so that a place has one pointer.

    Raises:
        KeyError: there is none.
    """
    if isinstance(value, dict) and token in value:
        return value[token]
    if isinstance(value, list) and token.isascii() and token.isdecimal() and len(token) <= _LONGEST_INDEX:
        index = int(token)
        if index < len(value) and str(index) == token:
            return value[index]
    raise KeyError(token)


def resolve_pointer(document: Any, pointer: str) -> Any:
    """The value at a JSON pointer.

    Raises:
        KeyError: the pointer leads nowhere.
    """
    for token in pointer_tokens(pointer):
        document = step(document, token)
    return document


def resolve_fragment(document: Any, reference: str) -> Any:
    """The value that a reference leads to by a pointer in the same document, percent-encoded (``#/$defs/a%20b``).

    Raises:
        KeyError: it leads nowhere, to an anchor or to another document; see :mod:`~mcp_governor.schemas.references`.
    """
    from urllib.parse import unquote

    if not reference.startswith("#"):
        raise KeyError(reference)
    return resolve_pointer(document, unquote(reference[1:]))
