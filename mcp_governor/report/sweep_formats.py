"""A sweep as a page that opens from a file, as Markdown, and on a terminal: the verdict, a table, a picture."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mcp_governor.report import markdown
from mcp_governor.report.html_page import page
from mcp_governor.report.lines import BLANK, line
from mcp_governor.report.sweep_picture import STYLE, picture
from mcp_governor.report.sweep_words import COLUMNS, cells, conclusion, explanations, origin, remarks, sparkline
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.load.model import Sweep
    from mcp_governor.report.lines import Line


def as_page(sweep: Sweep) -> str:
    """The page."""
    title = f"Load of {one_line(sweep.target)}"
    return page(escape(title), _html_body(sweep, title), STYLE)


def _html_body(sweep: Sweep, title: str) -> Iterator[str]:
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


def as_markdown(sweep: Sweep, *, image: str = "") -> str:
    """The document.

    Args:
        sweep: what was measured.
        image: name of the SVG file in the same folder; empty: there is none.
    """
    return "\n".join(_markdown_lines(sweep, image)) + "\n"


def _markdown_lines(sweep: Sweep, image: str) -> Iterator[str]:
    yield f"# Load of {markdown.escape(sweep.target)}"
    yield ""
    yield f"**{markdown.escape(conclusion(sweep))}**"
    yield ""
    if image:
        yield f"![Throughput and latency by concurrency]({image})"
        yield ""
    yield f"| {' | '.join(COLUMNS)} | |"
    yield f"|{' ---: |' * len(COLUMNS)} --- |"
    for point in sweep.points:
        row = [*(markdown.escape(cell) for cell in cells(point)), markdown.escape(", ".join(remarks(sweep, point)))]
        yield f"| {' | '.join(row)} |"
    yield ""
    yield f"{markdown.escape(origin(sweep))}."
    for sentence in explanations(sweep):
        yield ""
        yield markdown.escape(sentence)


def sweep_lines(sweep: Sweep, *, verbose: int = 0) -> Iterator[Line]:
    """The lines."""
    if verbose >= 0:
        yield line(origin(sweep), hang=2)
        yield BLANK
        yield from _table(sweep)
        yield BLANK
    good = bool(sweep.feasible)
    yield line((conclusion(sweep), "bold green" if good else "bold red"), hang=2)
    if verbose >= 0:
        for sentence in explanations(sweep):
            yield line((sentence, "dim"), hang=2)


def _table(sweep: Sweep) -> Iterator[Line]:
    rows = [cells(point) for point in sweep.points]
    widths = [max(map(len, column)) for column in zip(COLUMNS, *rows, strict=True)]
    yield line(("  ".join(name.rjust(width) for name, width in zip(COLUMNS, widths, strict=True)), "bold"), fit="cut")
    for point, row in zip(sweep.points, rows, strict=True):
        text = "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        said = ", ".join(remarks(sweep, point))
        yield line(text, (f"  {said}", "cyan") if said else "", fit="whole")
    if len(rows) > 1:
        bars = sparkline([point.throughput for point in sweep.points])
        slow = sparkline([point.p95_ms for point in sweep.points])
        yield line((f"requests/s {bars}   p95 {slow}", "dim"))
