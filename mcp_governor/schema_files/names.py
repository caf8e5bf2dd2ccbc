"""Names of schema files: one for each name of a tool, whatever it contains, and back.

A name of letters, digits, ``_``, ``-`` and ``.`` is the name of its file. Everything else is escaped as in URLs
(``%2F`` for a slash), and so is what one of the systems that check out the repository could not keep apart or store:

- the first character of ``.hidden`` and of the names that Windows reserves (``con``, ``nul``, ``com1`` …);
- the last dot of ``x.output``, because ``x.output.json`` is the output schema of ``x``;
- capitals, where two tools differ in nothing else.

Decoding does not depend on the other tools.
"""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from mcp_governor.errors import UsageError
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

SUFFIX = ".json"
OUTPUT = ".output"
"""The part before the suffix that marks the output schema."""

MAX_STEM = 240
"""Longest name without its endings, in bytes: file systems take 255, and ``.output.json`` needs 12."""

_SAFE = frozenset(string.ascii_letters + string.digits + "_-.")
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"com{number}" for number in range(10)), *(f"lpt{number}" for number in range(10))}
)
"""Names of devices on Windows, with any ending."""
_ESCAPED = re.compile(r"(?:[A-Za-z0-9_.-]|%[0-9A-F]{2})+")


def input_file(stem: str) -> str:
    """The file of an input schema."""
    return stem + SUFFIX


def output_file(stem: str) -> str:
    """The file of an output schema."""
    return stem + OUTPUT + SUFFIX


def stems(names: Iterable[str]) -> dict[str, str]:
    """Each name of a tool with that of its files, without their endings.

    Raises:
        UsageError: a name is too long for a file.
    """
    listed = list(names)
    folded: dict[str, int] = {}
    for name in listed:
        folded[name.lower()] = folded.get(name.lower(), 0) + 1
    return {name: _stem(name, capitals=folded[name.lower()] > 1) for name in listed}


def _stem(name: str, *, capitals: bool) -> str:
    unsafe = string.ascii_uppercase if capitals else ""
    stem = "".join(char if char in _SAFE and char not in unsafe else _escape(char) for char in name)
    if stem.startswith(".") or stem.partition(".")[0].lower() in _RESERVED:
        stem = _escape(stem[0]) + stem[1:]
    if stem.lower().endswith(OUTPUT):
        cut = len(stem) - len(OUTPUT)
        stem = stem[:cut] + _escape(".") + stem[cut + 1 :]
    if len(stem) > MAX_STEM:
        raise UsageError(
            f"The name of tool {one_line(name, 60)} is too long for a file ({len(stem):,} characters of "
            f"{MAX_STEM}); nothing was written.",
            "Shorten it; the protocol allows 128 characters.",
        )
    return stem


def _escape(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))


def tool_of(file: str) -> tuple[str, bool] | None:
    """The tool of a schema file, and true if it is the output schema; ``None`` if it is not named after a tool."""
    if not file.endswith(SUFFIX):
        return None
    stem = file.removesuffix(SUFFIX)
    is_output = stem.endswith(OUTPUT)
    stem = stem.removesuffix(OUTPUT)
    if not _ESCAPED.fullmatch(stem):
        return None
    try:
        return unquote_to_bytes(stem).decode("utf-8", "surrogatepass"), is_output
    except UnicodeDecodeError:
        return None
