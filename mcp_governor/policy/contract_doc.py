"""Check the contract document: if the schemas of a tool change, its description there must change too."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from mcp_governor.change.vocabulary import Side
from mcp_governor.changelog.model import LINE_END
from mcp_governor.changelog.reading import code_spans, read_blocks
from mcp_governor.rules.finding import finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.changelog.reading import Block
    from mcp_governor.findings import Finding


def check_contract_doc(
    old_text: str | None, new_text: str, changes: Sequence[Change], *, doc: str
) -> Iterator[Finding]:
    """Find tools whose schemas changed while their text in the document did not.

    The text for a tool is everything under the headings that name it; if no heading does, the paragraphs, list items,
    tables and code blocks that name it.

    Args:
        old_text: the document at the baseline's ref; ``None`` if it did not exist.
        new_text: the current document.
        changes: the changes since the baseline.
        doc: name of the document in messages.
    """
    tools = dict.fromkeys(
        change.tool for change in changes if change.tool and change.side is not Side.SURFACE
    ) | dict.fromkeys(change.tool for change in changes if change.tool and change.kind == "tool-added")
    for tool in tools:
        now = said_of(new_text, tool)
        if not now:
            yield finding("policy/contract-doc-missing-tool", doc, tool=tool, value=tool, doc=doc)
        elif old_text is not None and said_of(old_text, tool) == now:
            schemas = sorted(change.id for change in changes if change.tool == tool)
            yield finding("policy/contract-doc-unchanged", doc, tool=tool, value=schemas, doc=doc)


def said_of(text: str, tool: str) -> tuple[str, ...]:
    """The parts of a document that mention a tool, with whitespace normalised."""
    lines, headings = _headings(text)
    word = re.compile(rf"(?<![\w-]){re.escape(tool)}(?![\w-])")
    parts: list[str] = []
    for index, heading in enumerate(headings):
        title = heading.inlines[0].text
        if tool in code_spans(title) or word.search(title):
            end = next((other.start for other in headings[index + 1 :] if other.level <= heading.level), len(lines))
            parts.append(_flat(lines[heading.start : end]))
    if parts:
        return tuple(parts)
    return tuple(_flat(part) for part in _paragraphs(lines) if any(word.search(line) for line in part))


# a run reads one contract document, and perhaps its former version
@functools.lru_cache(maxsize=2)
def _headings(text: str) -> tuple[list[str], list[Block]]:
    """The lines and headings of a document; cached, because each tool needs them."""
    lines = LINE_END.split(text.removeprefix("\ufeff"))
    return lines, [block for block in read_blocks(lines).blocks if block.kind == "heading"]


def _paragraphs(lines: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for line in lines:
        if line.strip():
            part.append(line)
        elif part:
            yield part
            part = []
    if part:
        yield part


def _flat(lines: Sequence[str]) -> str:
    return " ".join(" ".join(lines).split())
