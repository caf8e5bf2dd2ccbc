"""JSON pointers (RFC 6901)."""

from __future__ import annotations

from typing import Any

_MAX_INDEX_LENGTH = 18
"""Most digits of an index. No list is that long, and parsing thousands of digits takes time."""


def escape_pointer(token: str | int) -> str:
    """One reference token of a JSON pointer."""
    return str(token).replace("~", "~0").replace("/", "~1")


def unescape_pointer(token: str) -> str:
    """The inverse of :func:`escape_pointer`."""
    return token.replace("~1", "/").replace("~0", "~")


def join_pointer(base: str, *tokens: str | int) -> str:
    """``base`` extended by ``tokens``, each escaped."""
    for token in tokens:
        text = token if isinstance(token, str) else str(token)
        base = f"{base}/{escape_pointer(text)}" if "~" in text or "/" in text else f"{base}/{text}"
    return base


def pointer_tokens(pointer: str) -> list[str]:
    """The tokens of a pointer, unescaped.

    Raises:
        KeyError: it is not empty and does not start with a slash, so it is not a pointer; it may be an anchor.
    """
    if pointer and not pointer.startswith("/"):
        raise KeyError(pointer)
    tokens = pointer.split("/")[1:]
    return [unescape_pointer(token) for token in tokens] if "~" in pointer else tokens


def step(value: Any, token: str) -> Any:
    """The member or item of a value that a token names.

    An index consists of ASCII digits without leading zeros (section 4), so that each place has one pointer.

    Raises:
        KeyError: it does not exist.
    """
    if isinstance(value, dict) and token in value:
        return value[token]
    if isinstance(value, list) and token.isascii() and token.isdecimal() and len(token) <= _MAX_INDEX_LENGTH:
        index = int(token)
        if index < len(value) and str(index) == token:
            return value[index]
    raise KeyError(token)


def resolve_pointer(document: Any, pointer: str) -> Any:
    """The value at a JSON pointer.

    Raises:
        KeyError: it does not exist.
    """
    for token in pointer_tokens(pointer):
        document = step(document, token)
    return document


def resolve_fragment(document: Any, reference: str) -> Any:
    """The target of a reference with a percent-encoded pointer in the same document (``#/$defs/a%20b``).

    Raises:
        KeyError: the target does not exist, or the reference is an anchor or leads to another document; see
            :mod:`~mcp_governor.schemas.references`.
    """
    from urllib.parse import unquote

    if not reference.startswith("#"):
        raise KeyError(reference)
    return resolve_pointer(document, unquote(reference[1:]))
