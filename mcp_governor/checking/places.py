"""Where a recorded file says what findings are about: line, column, and the lines around them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_governor.checking.model import Place, Report
from mcp_governor.target import FileSource, resolve

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mcp_governor.config import Config
    from mcp_governor.surface import Surface


def with_places(
    report: Report, surface: Surface, target: str | Path | None, config: Config, *, command: Sequence[str] = ()
) -> Report:
    """The report with the places of its findings, where the target is a recorded file."""
    source = resolve(None if target is None else str(target), config, command=command)
    if not isinstance(source, FileSource) or not report.findings:
        return report
    from mcp_governor.linting.positions import code_frame, finding_positions

    # With replacements only where the file is no UTF-8, which reading it would have refused.
    text = source.path.read_text("utf-8-sig", errors="replace")
    positions = finding_positions(text, surface, report.findings)
    lines = text.split("\n")
    places = {
        finding.id: Place(source.shown, position.line, position.column, code_frame(lines, position, around=0))
        for finding, position in zip(report.findings, positions, strict=True)
        if position is not None
    }
    return replace(report, places=places)
