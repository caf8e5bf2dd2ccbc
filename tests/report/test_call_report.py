"""What a run of calls says at its end, without a baseline to compare with."""

from __future__ import annotations

import jsonschema
import pytest

from mcp_governor.call.report import GoodCallCounts
from mcp_governor.change import Change, Side, Verdict
from mcp_governor.checking.formats import DOCUMENT_FORMATS
from mcp_governor.checking.model import Report
from mcp_governor.checking.report_document import document as document_of
from mcp_governor.findings import Bump
from mcp_governor.report.markdown import render
from mcp_governor.report.text import closing_lines

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


COUNTS = GoodCallCounts(tools=9, succeeded=11, failed=2, without=("a", "b"))


def test_good_calls_are_counted_in_every_form():
    report = Report(target="t", good_calls=COUNTS)
    assert [line.plain for line in closing_lines(report)][-2:] == ["good calls: 7 of 9 tools succeeded", "PASS"]
    assert "Good calls: 7 of 9 tools succeeded." in render(report)
    reported = document_of(report)
    jsonschema.validate(reported, DOCUMENT_FORMATS["report"].schema())
    assert reported["summary"]["good_calls"] == {
        "tools": 9,
        "succeeded": 11,
        "failed": 2,
        "tools_without_success": ["a", "b"],
    }


def test_a_run_that_checked_nothing_never_passes():
    assert Report(target="t", nothing_checked="No good call succeeded.").verdict == "fail"
    assert Report(target="t", nothing_checked="No good call succeeded.", fail_on=None).verdict == "fail"
