"""JSON pointers (RFC 6901)."""

from __future__ import annotations

from typing import Any


def escape_pointer(token: str | int) -> str:
    """One reference token of a JSON pointer (RFC 6901)."""
    return str(token).replace("~", "~0").replace("/", "~1")


def unescape_pointer(token: str) -> str:
    """The inverse of :func:`escape_pointer`."""
    return token.replace("~1", "/").replace("~0", "~")


def join_pointer(base: str, *tokens: str | int) -> str:
    """``base`` extended by ``tokens``, each escaped."""
    return base + "".join(f"/{escape_pointer(token)}" for token in tokens)


def resolve_pointer(document: Any, pointer: str) -> Any:
    """The value at a JSON pointer.

    Raises:
        KeyError: where the pointer leads nowhere.
    """
    if pointer in ("", "#"):
        return document
    value = document
    for token in pointer.removeprefix("#").removeprefix("/").split("/"):
        key = unescape_pointer(token)
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            raise KeyError(pointer)
    return value
