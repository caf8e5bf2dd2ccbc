"""A sweep as Markdown: a sentence, a table, and the picture if there is a file of it next to this one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.report.markdown import escape
from mcp_governor.report.sweep_words import COLUMNS, cells, conclusion, explanations, origin, remarks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.load.model import Sweep


def render(sweep: Sweep, *, picture: str = "") -> str:
    """The document.

    Args:
        sweep: what was measured.
        picture: name of the SVG file in the same folder; empty: there is none.
    """
    return "\n".join(_lines(sweep, picture)) + "\n"


def _lines(sweep: Sweep, picture: str) -> Iterator[str]:
    yield f"# Load of {escape(sweep.target)}"
    yield ""
    yield f"**{escape(conclusion(sweep))}**"
    yield ""
    if picture:
        yield f"![Throughput and latency by concurrency]({picture})"
        yield ""
    yield f"| {' | '.join(COLUMNS)} | |"
    yield f"|{' ---: |' * len(COLUMNS)} --- |"
    for point in sweep.points:
        row = [*(escape(cell) for cell in cells(point)), escape(", ".join(remarks(sweep, point)))]
        yield f"| {' | '.join(row)} |"
    yield ""
    yield f"{escape(origin(sweep))}."
    for sentence in explanations(sweep):
        yield ""
        yield escape(sentence)
