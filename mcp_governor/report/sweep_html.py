"""A sweep as a page that opens from a file: picture and table, without a script."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mcp_governor.report.html_page import page
from mcp_governor.report.sweep_picture import STYLE, picture
from mcp_governor.report.sweep_words import COLUMNS, cells, conclusion, explanations, origin, remarks
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.load.model import Sweep


def render(sweep: Sweep) -> str:
    """The page."""
    title = f"Load of {one_line(sweep.target)}"
    return page(escape(title), _body(sweep, title), STYLE)


def _body(sweep: Sweep, title: str) -> Iterator[str]:
    yield f"<header><h1>{escape(title)}</h1>"
    yield f'<p class="facts">{escape(conclusion(sweep))}</p>'
    yield f'<p class="facts quiet">{escape(origin(sweep))}</p></header>'
    yield '<main><div class="wide" role="region" aria-label="Throughput and latency as a picture" tabindex="0">'
    yield picture(sweep)
    yield '<p class="quiet">Green: no errors, and within both goals (dashed, if they are in reach). Hollow marks:'
    yield "errors, an incomplete point, or limited by the client.</p>"
    yield '</div><div class="wide" role="region" aria-label="Throughput and latency as a table" tabindex="0">'
    first, *rest = (f'<th scope="col" class="number">{name}</th>' for name in COLUMNS)
    yield f'<table class="versions"><thead><tr>{first}<th scope="col"></th>{"".join(rest)}</tr></thead><tbody>'
    for point in sweep.points:
        first, *rest = (escape(cell) for cell in cells(point))
        numbers = "".join(f'<td class="number">{cell}</td>' for cell in rest)
        words = escape(", ".join(remarks(sweep, point)))
        yield f'<tr><th scope="row" class="number">{first}</th><td>{words}</td>{numbers}</tr>'
    yield "</tbody></table></div>"
    yield from (f'<p class="quiet">{escape(sentence)}</p>' for sentence in explanations(sweep))
    yield "</main>"
