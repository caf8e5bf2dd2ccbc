"""The counts of a report say how many findings at most can be repaired at once, and how."""

from __future__ import annotations

import pytest

from mcp_governor.checking.model import Report
from mcp_governor.findings import Correction, Edit, Effect, Finding, Severity
from mcp_governor.report import markdown
from mcp_governor.report.lines import plain_text
from mcp_governor.report.text import report_lines

FIX = Correction((Edit("/inputSchema/properties/a/enum", ["x", "y"]),), Effect.NARROWER)


def found(tool: str, *, ready: bool, accepted: str | None = None) -> Finding:
    correction = FIX if ready else None
    return Finding("a/b", Severity.WARNING, "It is wrong.", tool, "/x", correction=correction, accepted=accepted)


@pytest.mark.parametrize("render", [lambda report: plain_text(report_lines(report)), markdown.render])
def test_open_findings_with_a_correction_are_counted(render) -> None:
    report = Report(
        target="t",
        findings=(
            found("one", ready=True),
            found("two", ready=True),
            found("three", ready=False),
            found("four", ready=True, accepted="on purpose"),
        ),
    )
    assert "fixes for up to 2: mcp-governor lint --diff" in render(report)


def test_without_any_nothing_is_said() -> None:
    shown = plain_text(report_lines(Report(target="t", findings=(found("one", ready=False),))))
    assert "--diff" not in shown
