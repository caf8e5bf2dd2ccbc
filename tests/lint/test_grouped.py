"""The sentence for equal findings of many tools: its facts are there, and one tool's name is not."""

from __future__ import annotations

import pytest

from mcp_governor.report.finding_groups import causes
from mcp_governor.rules import LintSettings, load_catalogue
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

GROUPED = [rule for rule in load_catalogue(entry_points=False) if rule.grouped]


@pytest.mark.parametrize("rule", GROUPED, ids=lambda rule: rule.id)
def test_it_names_what_the_findings_share(rule) -> None:
    assert sum(name in rule.grouped for name in ("{tools}", "{places}", "{gists}")) == 1
    assert "{tool}" not in rule.grouped
    assert "{path}" not in rule.grouped
    causes, gists = set(), set()
    for example in rule.fails:
        settings = LintSettings(select=(rule.id,), options={rule.id: example.options})
        findings = [found for found in lint(build_surface(example.recording()), settings) if found.rule == rule.id]
        causes |= {found.cause for found in findings}
        gists |= {found.gist for found in findings}
    if rule.station == "lint":
        assert causes
    assert "{gists}" not in rule.grouped or "" not in gists, "the sentence has a hole"
    filled = ("{tools}", "{places}", "{gists}")
    assert not [cause for cause in causes if "{" in _without(cause, filled)], "a name that is no fact"


@pytest.mark.parametrize("rule", ["charter/length", "schema-md/description-length", "omni/description-cap"])
def test_texts_that_are_too_long_by_different_lengths_are_one_cause(rule) -> None:
    tools = [
        {"name": name, "description": "x" * length, "inputSchema": {"type": "object"}}
        for name, length in (("a", 600), ("b", 700), ("c", 800))
    ]
    found = lint(build_surface({"tools": tools}), LintSettings(select=(rule,)))
    [cause] = causes(found)
    assert cause.tools == ["a", "b", "c"]
    assert "3 tools: a, b, c" in cause.sentence or "2 more tools: b, c" in cause.sentence


def _without(text: str, names: tuple[str, ...]) -> str:
    for name in names:
        text = text.replace(name, "", 1)
    return text
