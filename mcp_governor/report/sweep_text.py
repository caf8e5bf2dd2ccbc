"""A sweep on a terminal: a table, a picture of one line, and the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.report.lines import BLANK, line
from mcp_governor.report.sweep_words import COLUMNS, cells, conclusion, explanations, origin, remarks, sparkline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.load.model import Sweep
    from mcp_governor.report.lines import Line


def sweep_lines(sweep: Sweep, *, verbose: int = 0) -> Iterator[Line]:
    """The lines.

    Args:
        sweep: what was measured.
        verbose: negative for the verdict alone.
    """
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
