"""What a run of calls says at its end, without a baseline to compare with."""

from __future__ import annotations

import pytest

from mcp_governor.change import Change, Side, Verdict
from mcp_governor.checking.model import Report
from mcp_governor.findings import Bump
from mcp_governor.report.markdown import render
from mcp_governor.report.text import closing_lines

CHANGED = Change("call-status-changed", "t", "/status", Side.OUTPUT, Verdict.BREAKING, "It changed.", Bump.MAJOR)


@pytest.mark.parametrize(
    ("changes", "counted"),
    [((), "no findings"), ((CHANGED,), "1 breaking change; no findings")],
    ids=["sound", "other"],
)
def test_calls_are_counted_and_never_passed_over(changes, counted):
    report = Report(target="t", changes=changes, breaking_fails=True)
    assert counted in [line.plain for line in closing_lines(report)]
    assert f"{counted.capitalize()}." in render(report)
