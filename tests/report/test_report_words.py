"""What reports say at their end: calls, ready fixes, and what is folded with the wording."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.call.cases import GoodCallCounts
from mcp_governor.change import Change, Side, Verdict, compare
from mcp_governor.checking.model import Report
from mcp_governor.checking.report_document import document as document_of
from mcp_governor.findings import Bump, Correction, Edit, Effect, Finding, Severity
from mcp_governor.report.groups import counted_changes, group_of
from mcp_governor.report.lines import plain_text
from mcp_governor.report.markdown import render
from mcp_governor.report.text import closing_lines, report_lines
from mcp_governor.surface import build_surface

CHANGED = Change("call-status-changed", "t", "/status", Side.OUTPUT, Verdict.BREAKING, Bump.MAJOR)


@pytest.mark.parametrize(
    ("changes", "counted"),
    [((), "no findings"), ((CHANGED,), "1 breaking change; no findings")],
    ids=["sound", "other"],
)
def test_calls_are_counted_and_never_passed_over(changes, counted):
    report = Report(target="t", changes=changes, breaking_fails=True)
    assert counted in [line.plain for line in closing_lines(report)]
    assert f"{counted.capitalize()}." in render(report)


def test_good_calls_are_counted_in_every_form():
    report = Report(target="t", good_calls=GoodCallCounts(tools=9, succeeded=11, failed=2, without=("a", "b")))
    assert [line.plain for line in closing_lines(report)][-2:] == ["good calls: 7 of 9 tools succeeded", "PASS"]
    assert "Good calls: 7 of 9 tools succeeded." in render(report)
    counts = {"tools": 9, "succeeded": 11, "failed": 2, "tools_without_success": ["a", "b"]}
    assert document_of(report)["summary"]["good_calls"] == counts


def test_a_run_that_checked_nothing_never_passes():
    assert Report(target="t", nothing_checked="No good call succeeded.").verdict == "fail"
    assert Report(target="t", nothing_checked="No good call succeeded.", fail_on=None).verdict == "fail"


def ready(tool: str, *, fix: bool, accepted: str | None = None) -> Finding:
    correction = Correction((Edit("/inputSchema/properties/a/enum", ["x", "y"]),), Effect.NARROWER) if fix else None
    return Finding("a/b", Severity.WARNING, "It is wrong.", tool, "/x", correction=correction, accepted=accepted)


@pytest.mark.parametrize("form", [lambda report: plain_text(report_lines(report)), render])
def test_open_findings_with_a_correction_are_counted(form) -> None:
    found = (ready("one", fix=True), ready("two", fix=True), ready("three", fix=False))
    report = Report(target="t", findings=(*found, ready("four", fix=True, accepted="on purpose")))
    assert "fixes for up to 2: mcp-governor lint --diff" in form(report)
    assert "--diff" not in form(Report(target="t", findings=found[2:]))


def schema(**more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": {"type": "string", **more}}}


def changes(old: dict[str, Any], new: dict[str, Any]) -> tuple[Any, ...]:
    before, after = (build_surface({"tools": [{"name": "t", "inputSchema": item}]}) for item in (old, new))
    return tuple(compare(before, after))


def test_a_closed_input_is_a_compatible_change_that_is_shown() -> None:
    found = changes(schema(), {**schema(), "additionalProperties": False})
    assert [(group_of(change), change.bump) for change in found] == [("compatible", Bump.PATCH)]
    text = plain_text(report_lines(Report(target="t", changes=found)))
    assert "+ t: Undeclared keys are now refused.  input-closed" in text
    assert "wording" not in text
    assert counted_changes(found) == "1 compatible change"


def test_words_and_spelling_are_folded() -> None:
    for old, new in ((schema(description="A."), schema(description="B.")), (schema(enum=["x"]), schema(const="x"))):
        found = changes(old, new)
        assert [group_of(change) for change in found] == ["wording"]
        text = plain_text(report_lines(Report(target="t", changes=found)))
        assert "1 change of wording only, shown with -v" in text
        assert found[0].kind not in text
        assert found[0].kind in plain_text(report_lines(Report(target="t", changes=found), verbose=1))
