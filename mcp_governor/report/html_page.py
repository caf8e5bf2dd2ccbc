"""The frame of a page that opens from a file: it may load and run nothing but what is written into it here."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_governor.secrets import redact
from mcp_governor.text import shortened, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_LENGTH = 2_000
"""Characters of one text, as in the other formats."""
_FOLDER = Path(__file__).parent / "page"


def page(title: str, body: Iterable[str], *styles: str, script: bool = False) -> str:
    """The page.

    Args:
        title: in HTML, escaped.
        body: lines of HTML, in which everything foreign is escaped.
        styles: those of pictures in the body, which hold them as well.
        script: add the script of the report; the page is readable without.
    """
    style, code = ((_FOLDER / name).read_text("utf-8") for name in ("page.css", "page.js"))
    # A policy of digests: whatever else gets into the page is not used.
    policy = f"default-src 'none'; style-src {' '.join(map(_digest, (style, *styles)))}; "
    policy += f"script-src {_digest(code)}; base-uri 'none'" if script else "base-uri 'none'"
    lines = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>",
        *body,
        *([f"<script>{code}</script>"] if script else []),
        "</body>\n</html>\n",
    ]
    return redact("\n".join(lines))


def safe(text: str, limit: int = MAX_LENGTH) -> str:
    """Text of a server for the page, or for an attribute."""
    return escape(shortened(visible(text, keep_newlines=True), limit))


def prose(text: str, limit: int = MAX_LENGTH) -> str:
    """A message with code in backticks."""
    parts = shortened(visible(text, keep_newlines=True), limit).split("`")
    if len(parts) % 2 == 0:
        return escape("`".join(parts))
    return "".join(f"<code>{escape(part)}</code>" if at % 2 else escape(part) for at, part in enumerate(parts))


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
