"""An evaluation as a page that opens from a file: the history as a picture, and the tables, without a script."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mcp_governor.report.evaluation_picture import STYLE, picture
from mcp_governor.report.evaluation_words import Heading, Sentence
from mcp_governor.report.html_page import page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcp_governor.evaluation.assessment import Step
    from mcp_governor.report.evaluation_words import Block, Table


def render(title: str, blocks: Iterable[Block], steps: Sequence[Step]) -> str:
    """The page.

    Args:
        title: of the page.
        blocks: what it says.
        steps: the history, which is drawn above if it has two evaluations.
    """
    region = '<div class="wide" role="region" aria-label="Accuracy as a picture" tabindex="0">'
    drawn = [f"{region}{picture(steps)}</div>"] if len(steps) > 1 else []
    header = f"<header><h1>{escape(title)}</h1></header>\n<main>"
    return page(escape(title), [header, *drawn, *_body(blocks), "</main>"], STYLE)


def _body(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Heading):
            yield f"<h2>{escape(block.text)}</h2>"
        elif isinstance(block, Sentence):
            text = escape(block.text)
            kind = ' class="quiet"' if block.tone == "quiet" else ""
            yield f"<p{kind}><strong>{text}</strong></p>" if block.tone in ("good", "bad") else f"<p{kind}>{text}</p>"
        else:
            yield from _table(block)


def _table(table: Table) -> Iterator[str]:
    def kind(at: int) -> str:
        return "" if at == 0 or at in table.words else ' class="number"'

    yield '<div class="wide" role="region" aria-label="Table" tabindex="0"><table class="versions"><thead><tr>'
    yield "".join(f'<th scope="col"{kind(at)}>{escape(name)}</th>' for at, name in enumerate(table.columns))
    yield "</tr></thead><tbody>"
    for first, *rest in table.rows:
        cells = "".join(f"<td{kind(at)}>{escape(cell)}</td>" for at, cell in enumerate(rest, 1))
        yield f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>'
    yield "</tbody></table></div>"
