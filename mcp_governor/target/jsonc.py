"""JSON with comments, as editors write their settings: ``//``, ``/* */`` and a comma before the closing bracket."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import FileFormatError
from mcp_governor.files import MAX_TEXT_BYTES, read_bytes
from mcp_governor.surface.file import parse_json

if TYPE_CHECKING:
    from pathlib import Path

# Unclosed strings and comments match up to the end of the file. Otherwise, the search for an end would start again at
# every quotation mark and take quadratic time. Quantifiers are possessive, so that the engine does not backtrack.
_STRING = r'"(?:[^"\\\n]++|\\.)*+(?:"|(?=\n)|\\?\Z)'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*+|/\*(?:.*?\*/|.*+)", re.S)
_LAST_COMMA = re.compile(rf"{_STRING}|,(?=\s*+[}}\]])", re.S)
_VISIBLE = re.compile(r"\S")


def read_settings(path: Path, shown: str) -> Any:
    """Read a settings file.

    Args:
        path: path of the file.
        shown: its name in messages.

    Raises:
        OSError: it cannot be read.
        FileFormatError: it is not UTF-8, or it is not JSON even without its comments; the message has line and column.
    """
    try:
        text = read_bytes(path, limit=MAX_TEXT_BYTES).decode("utf-8-sig")
        for part in (_COMMENT, _LAST_COMMA):
            text = part.sub(_blank, text)
        return parse_json(text, shown)
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{shown} is not UTF-8 (byte {error.start}).", "Save it as UTF-8.") from None
    except FileFormatError as error:
        raise FileFormatError(error.message, "Correct that place.") from None


def _blank(match: re.Match[str]) -> str:
    """Keep strings and replace everything else with blanks, so that lines and columns do not change."""
    found = match[0]
    return found if found.startswith('"') else _VISIBLE.sub(" ", found)
