"""The main job: stations in their order, one report. Emits events, prints nothing.

Names are loaded on first use: a comparison of two files needs no linter.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp_governor.checking.comparison import compare_surfaces, compare_targets
    from mcp_governor.checking.events import Emit, Event, Finished, Started
    from mcp_governor.checking.model import BaselineInfo, Report, ServerInfo
    from mcp_governor.checking.offline import check_offline
    from mcp_governor.checking.run import check, check_promise, check_surface, lint_report
    from mcp_governor.checking.subject import read_surface, read_target

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

_HOMES = {
    **dict.fromkeys(("compare_surfaces", "compare_targets"), "comparison"),
    **dict.fromkeys(("Emit", "Event", "Finished", "Started"), "events"),
    **dict.fromkeys(("BaselineInfo", "Report", "ServerInfo"), "model"),
    "check_offline": "offline",
    **dict.fromkeys(("check", "check_promise", "check_surface", "lint_report"), "run"),
    **dict.fromkeys(("read_surface", "read_target"), "subject"),
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)
