"""An evaluation as a page that opens from a file, with the history as a picture, as Markdown, and for a terminal."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mcp_governor.report import markdown
from mcp_governor.report.evaluation_picture import STYLE, picture
from mcp_governor.report.evaluation_words import Heading, Sentence
from mcp_governor.report.html_page import page
from mcp_governor.report.lines import BLANK, line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcp_governor.evaluation.assessment import Step
    from mcp_governor.report.evaluation_words import Block, Table
    from mcp_governor.report.lines import Line


def as_page(title: str, blocks: Iterable[Block], steps: Sequence[Step]) -> str:
    """The page."""
    region = '<div class="wide" role="region" aria-label="Accuracy as a picture" tabindex="0">'
    drawn = [f"{region}{picture(steps)}</div>"] if len(steps) > 1 else []
    header = f"<header><h1>{escape(title)}</h1></header>\n<main>"
    return page(escape(title), [header, *drawn, *_html_blocks(blocks), "</main>"], STYLE)


def _html_blocks(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Heading):
            yield f"<h2>{escape(block.text)}</h2>"
        elif isinstance(block, Sentence):
            text = escape(block.text)
            kind = ' class="quiet"' if block.tone == "quiet" else ""
            yield f"<p{kind}><strong>{text}</strong></p>" if block.tone in ("good", "bad") else f"<p{kind}>{text}</p>"
        else:
            yield from _html_table(block)


def _html_table(table: Table) -> Iterator[str]:
    def kind(at: int) -> str:
        return "" if at == 0 or at in table.words else ' class="number"'

    yield '<div class="wide" role="region" aria-label="Table" tabindex="0"><table class="versions"><thead><tr>'
    yield "".join(f'<th scope="col"{kind(at)}>{escape(name)}</th>' for at, name in enumerate(table.columns))
    yield "</tr></thead><tbody>"
    for first, *rest in table.rows:
        cells = "".join(f"<td{kind(at)}>{escape(cell)}</td>" for at, cell in enumerate(rest, 1))
        yield f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>'
    yield "</tbody></table></div>"


def as_markdown(title: str, blocks: Iterable[Block]) -> str:
    """The document."""
    return "\n".join(_markdown_lines(title, blocks)) + "\n"


def _markdown_lines(title: str, blocks: Iterable[Block]) -> Iterator[str]:
    yield f"# {markdown.escape(title)}"
    for block in blocks:
        yield ""
        if isinstance(block, Heading):
            yield f"## {markdown.escape(block.text)}"
        elif isinstance(block, Sentence):
            text = markdown.escape(block.text)
            yield f"**{text}**" if block.tone in ("good", "bad") else text
        else:
            yield from _markdown_table(block)


def _markdown_table(table: Table) -> Iterator[str]:
    yield f"| {' | '.join(map(markdown.escape, table.columns))} |"
    marks = ["---" if at == 0 or at in table.words else "---:" for at in range(len(table.columns))]
    yield f"| {' | '.join(marks)} |"
    for row in table.rows:
        yield f"| {' | '.join(map(markdown.escape, row))} |"


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
