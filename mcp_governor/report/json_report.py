"""Report → JSON, ``mcp-governor/report-1``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.surface.file import dump_json

if TYPE_CHECKING:
    from mcp_governor.checking.model import Report


def render(report: Report) -> str:
    """The report as sorted, indented JSON."""
    return dump_json(report.as_json())
