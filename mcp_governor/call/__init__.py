"""Exercise tools safely, and check what comes back against schema, profile, configuration and recordings.

``validate_response`` checks one response; ``plan_calls`` and ``run_calls`` make the calls of a whole surface.
Names are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_names

if TYPE_CHECKING:
    from mcp_governor.call.agent_info import check_server_info
    from mcp_governor.call.behaviour import behaviour_changes
    from mcp_governor.call.cases import Case, Purpose, Skipped
    from mcp_governor.call.outcome import Channel, Outcome
    from mcp_governor.call.plan import Plan, plan_calls
    from mcp_governor.call.record import load_recordings, split_recordings, write_recordings
    from mcp_governor.call.report import (
        CallEvent,
        CallFinished,
        CallReport,
        CallStarted,
        CaseResult,
        GoodCallCounts,
        ServerRestarted,
    )
    from mcp_governor.call.run import run_calls
    from mcp_governor.call.sandbox import Sandbox
    from mcp_governor.call.settings import CallSettings
    from mcp_governor.call.validate import ResponseChecker, charter_step_findings, validate_response

__all__ = [
    "CallEvent",
    "CallFinished",
    "CallReport",
    "CallSettings",
    "CallStarted",
    "Case",
    "CaseResult",
    "Channel",
    "GoodCallCounts",
    "Outcome",
    "Plan",
    "Purpose",
    "ResponseChecker",
    "Sandbox",
    "ServerRestarted",
    "Skipped",
    "behaviour_changes",
    "charter_step_findings",
    "check_server_info",
    "load_recordings",
    "plan_calls",
    "run_calls",
    "split_recordings",
    "validate_response",
    "write_recordings",
]


__getattr__ = lazy_names(
    __name__,
    {
        "agent_info": ("check_server_info",),
        "behaviour": ("behaviour_changes",),
        "cases": ("Case", "Purpose", "Skipped"),
        "outcome": ("Channel", "Outcome"),
        "plan": ("Plan", "plan_calls"),
        "record": ("load_recordings", "split_recordings", "write_recordings"),
        "report": (
            "CallEvent",
            "CallFinished",
            "CallReport",
            "CallStarted",
            "CaseResult",
            "GoodCallCounts",
            "ServerRestarted",
        ),
        "run": ("run_calls",),
        "sandbox": ("Sandbox",),
        "settings": ("CallSettings",),
        "validate": ("ResponseChecker", "charter_step_findings", "validate_response"),
    },
)
