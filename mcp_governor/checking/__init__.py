"""The main job: stations in their order, one report. Emits events, prints nothing.

Names are loaded on first use: a comparison of two files needs no linter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_names

if TYPE_CHECKING:
    from mcp_governor.checking.comparison import compare_surfaces, compare_targets
    from mcp_governor.checking.events import Emit, Event, Finished, Started
    from mcp_governor.checking.model import BaselineInfo, Report, ServerInfo
    from mcp_governor.checking.offline import check_offline
    from mcp_governor.checking.reading import read_governed, read_surface
    from mcp_governor.checking.run import changelog_report, check, check_surface, lint_report

__all__ = [
    "BaselineInfo",
    "Emit",
    "Event",
    "Finished",
    "Report",
    "ServerInfo",
    "Started",
    "changelog_report",
    "check",
    "check_offline",
    "check_surface",
    "compare_surfaces",
    "compare_targets",
    "lint_report",
    "read_governed",
    "read_surface",
]


__getattr__ = lazy_names(
    __name__,
    {
        "comparison": ("compare_surfaces", "compare_targets"),
        "events": ("Emit", "Event", "Finished", "Started"),
        "model": ("BaselineInfo", "Report", "ServerInfo"),
        "offline": ("check_offline",),
        "run": ("check", "changelog_report", "check_surface", "lint_report"),
        "reading": ("read_governed", "read_surface"),
    },
)
