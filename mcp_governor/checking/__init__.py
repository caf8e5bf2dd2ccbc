"""The main job: stations in their order, one report. Emits events, prints nothing."""

from mcp_governor.checking.comparison import compare_surfaces, compare_targets
from mcp_governor.checking.events import Emit, Event, Finished, Started
from mcp_governor.checking.model import BaselineInfo, Report, ServerInfo
from mcp_governor.checking.offline import check_offline
from mcp_governor.checking.run import check, check_promise, check_surface, lint_report, read_surface, read_target

__all__ = [
    "BaselineInfo",
    "Emit",
    "Event",
    "Finished",
    "Report",
    "ServerInfo",
    "Started",
    "check",
    "check_offline",
    "check_promise",
    "check_surface",
    "compare_surfaces",
    "compare_targets",
    "lint_report",
    "read_surface",
    "read_target",
]
