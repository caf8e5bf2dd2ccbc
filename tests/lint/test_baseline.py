"""The findings baseline: what a team starts from, and what it notices; and findings counted by rule."""

from __future__ import annotations

import json

import pytest
from replacing import replace

from mcp_governor.errors import FileFormatError
from mcp_governor.findings import Finding, Severity, Spot
from mcp_governor.rules import LintSettings, dump_baseline, load_baseline, select, statistics
from mcp_governor.rules.governing import Governor


def finding(rule="a/b", tool="t", value=1, message="m", severity=Severity.WARNING):
    return Finding(rule, severity, message, tool, "/description", value=value)


def test_a_baseline_covers_what_it_was_written_from_and_nothing_else(tmp_path):
    path = tmp_path / "known.json"
    path.write_text(dump_baseline([finding(), finding(tool="u")]))
    known = load_baseline(path)
    now = [finding(message="reworded"), finding(value=2)]
    governor = Governor(select(LintSettings()), known=known)
    assert [f.value for f in governor.judge(now)] == [2]
    assert governor.gone() == [finding(tool="u").id]


def test_a_finding_is_known_under_the_id_that_an_earlier_version_gave_it():
    old, now = finding(value={"the": "whole"}), replace(finding(value="a part"), former={"the": "whole"})
    governor = Governor(select(LintSettings()), known=frozenset({old.id}))
    assert not list(governor.judge([now]))
    assert not governor.gone()
    assert now.id != old.id
    assert finding().ids == (finding().id,)


def test_the_file_is_sorted_and_has_each_id_once():
    text = dump_baseline([finding("b/b"), finding("a/a"), finding("b/b")])
    ids = json.loads(text)["findings"]
    assert ids == sorted(ids)
    assert len(ids) == 2
    assert text == dump_baseline([finding("a/a"), finding("b/b")])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "cut off"),
        ("[]", "not a lint baseline"),
        ('{"format": "mcp-governor/surface-1", "tools": []}', "not a lint baseline"),
        ('{"format": "mcp-governor/lint-baseline-1", "findings": [1]}', "not a lint baseline"),
    ],
)
def test_another_file_is_refused(tmp_path, content, says):
    path = tmp_path / "known.json"
    path.write_text(content)
    with pytest.raises(FileFormatError, match=says):
        load_baseline(path)


def test_a_missing_file_names_the_command(tmp_path):
    with pytest.raises(FileFormatError) as caught:
        load_baseline(tmp_path / "known.json")
    assert "--write-baseline" in caught.value.hint


def test_statistics_count_the_tools_that_a_finding_about_the_server_names():
    spots = (Spot("one", "/a"), Spot("one", "/b"), Spot("two", "/a"))
    [row] = statistics([Finding("a/b", Severity.WARNING, "m", None, "/tools", spots=spots)])
    assert (row.findings, row.tools) == (1, 2)


def test_statistics_count_findings_and_tools_by_rule():
    rows = statistics([finding(), finding(value=2), finding("c/d", tool=None, severity=Severity.ERROR)])
    assert [(row.rule, row.findings, row.tools) for row in rows] == [("a/b", 2, 1), ("c/d", 1, 0)]
