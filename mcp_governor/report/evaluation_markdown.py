"""An evaluation as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.report.evaluation_words import Heading, Sentence
from mcp_governor.report.markdown import escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcp_governor.report.evaluation_words import Block, Table


def render(title: str, blocks: Iterable[Block]) -> str:
    """The document."""
    return "\n".join(_lines(title, blocks)) + "\n"


def _lines(title: str, blocks: Iterable[Block]) -> Iterator[str]:
    yield f"# {escape(title)}"
    for block in blocks:
        yield ""
        if isinstance(block, Heading):
            yield f"## {escape(block.text)}"
        elif isinstance(block, Sentence):
            text = escape(block.text)
            yield f"**{text}**" if block.tone in ("good", "bad") else text
        else:
            yield from _table(block)


def _table(table: Table) -> Iterator[str]:
    yield f"| {' | '.join(map(escape, table.columns))} |"
    marks = ["---" if at == 0 or at in table.words else "---:" for at in range(len(table.columns))]
    yield f"| {' | '.join(marks)} |"
    for row in table.rows:
        yield f"| {' | '.join(map(escape, row))} |"
