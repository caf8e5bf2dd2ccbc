"""Length of descriptions in words, characters and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.words import word_count
from mcp_governor.subjects.context import Context, Hit, hit
from mcp_governor.subjects.phrases import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Tool

_SENTENCE_END = lazy_pattern(r"[.!?。！？](?:\s|$|[\"'`)\]*])|\n\s*\n|\n\s*[-*•]\s")

CUT = 2048
"""Maximum number of characters that Claude Code passes on: the option of clients/claude-code-description. A single long
description is a finding only beyond this length, where it does harm; below it, two judges called 9 of 13 findings
nitpicks."""


def sentence_count(text: str) -> int:
    """Number of sentences; list items and paragraphs count as sentences."""
    parts = [part for part in _SENTENCE_END.split(text) if part and part.strip()]
    return len(parts)


def length(tool: Tool, context: Context) -> Iterator[Hit]:
    """A description has at least ``min-words`` words and at most ``max-characters`` code points (0: no limit)."""
    text = tool.description
    count = word_count(text)
    least, most = context.options["min-words"], context.options["max-characters"]
    value = tool.raw.get("description")
    if not text.strip():
        path = "/description" if "description" in tool.raw else ""
        yield hit(path, value, problem="is missing", fault="is missing")
    elif count < least:
        yield hit("/description", value, problem=f"has {counted(count, 'word')}, fewer than {least}", fault="is short")
    elif len(text) > most > 0:
        beyond = f"of which Claude Code passes on {CUT:,}" if len(text) > CUT else f"more than {most:,}"
        fault = f"has more than {most:,} characters"
        yield hit("/description", value, problem=f"has {len(text):,} characters, {beyond}", fault=fault)


def sentences(tool: Tool, context: Context) -> Iterator[Hit]:
    """A description has at least ``min`` sentences."""
    count = sentence_count(tool.description)
    if tool.description and count < context.options["min"]:
        yield hit("/description", tool.description, count=count)
