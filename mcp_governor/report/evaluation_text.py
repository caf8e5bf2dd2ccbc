"""An evaluation for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.report.evaluation_words import Heading, Sentence, Table
from mcp_governor.report.lines import BLANK, line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcp_governor.report.evaluation_words import Block
    from mcp_governor.report.lines import Line

_STYLES = {"good": "green", "bad": "bold red", "quiet": "dim"}


def evaluation_lines(blocks: Iterable[Block]) -> Iterator[Line]:
    """The blocks as lines: columns of numbers to the right, the others to the left."""
    first = True
    for block in blocks:
        if isinstance(block, Heading):
            if not first:
                yield BLANK
            yield line((block.text, "bold"))
        elif isinstance(block, Sentence):
            yield line((block.text, _STYLES.get(block.tone, "")))
        else:
            yield from _table_lines(block)
        first = False


def _table_lines(table: Table) -> Iterator[Line]:
    widths = [max(len(row[at]) for row in (table.columns, *table.rows)) for at in range(len(table.columns))]
    for number, row in enumerate((table.columns, *table.rows)):
        cells = [
            cell.ljust(width) if at == 0 or at in table.words else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        text = "  ".join(cells).rstrip()
        yield line((text, "" if number else "dim"), indent=2, fit="cut")
