"""The findings baseline: what a team starts from, and what it notices."""

from __future__ import annotations

import json

import pytest

from mcp_governor.errors import FileFormatError
from mcp_governor.findings import Finding, Severity
from mcp_governor.rules import LintSettings, dump_baseline, load_baseline, select
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
