"""Where a recorded file says what findings are about: line, column, and the lines around them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_governor.checking.model import Place, Report
from mcp_governor.files import read_bytes
from mcp_governor.target import FileSource, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.change import Change
    from mcp_governor.findings import Finding
    from mcp_governor.linting.positions import Position
    from mcp_governor.surface import Surface


def with_places(report: Report, surface: Surface, source: Source) -> Report:
    """The report with the places of its findings and changes, where ``surface`` was read from a recorded file.

    A change that took something away is placed at what is left around it; a tool that is gone has no place.
    """
    about: list[Finding | Change] = [*report.findings, *report.changes]
    if not isinstance(source, FileSource) or not about:
        return report
    from mcp_governor.linting.positions import finding_positions

    # With replacements only where the file is not UTF-8, which reading it would have refused.
    try:
        text = read_bytes(source.path).decode("utf-8-sig", errors="replace")
    except OSError:  # it was taken away since the surface was read from it
        return report
    positions = finding_positions(text, surface, about)
    lines = text.split("\n")
    places = {
        item.id: Place(source.shown, position.line, position.column, _frame(lines, position))
        for item, position in zip(about, positions, strict=True)
        if position is not None
    }
    return replace(report, places=places)


_READABLE = 500
"""Characters of a line that a person reads. A recording on one line is longer; a column in it, or the hundred
characters around the place, say nothing that the pointer of the finding does not say."""


def _frame(lines: Sequence[str], position: Position) -> str:
    from mcp_governor.linting.positions import code_frame

    return code_frame(lines, position, around=0) if len(lines[position.line - 1]) <= _READABLE else ""
