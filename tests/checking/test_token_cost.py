"""What tools cost a model: the estimate, the difference against the baseline, and the rule on growth."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commandline import governor_here

from mcp_governor.change import compare
from mcp_governor.checking.model import BaseInfo, BaselineInfo, Report
from mcp_governor.checking.report_document import document as document_of
from mcp_governor.checking.token_cost import TokenCost, token_cost
from mcp_governor.report.markdown import render
from mcp_governor.surface import build_surface
from mcp_governor.surface.tokens import json_bytes, token_costs


def tool(name: str, length: int) -> dict:
    """A tool whose compact JSON has so many bytes."""
    empty = {"name": name, "description": "", "inputSchema": {"type": "object"}}
    return {**empty, "description": "x" * (length - json_bytes(empty))}


def test_the_difference_counts_what_came_and_what_went() -> None:
    before = build_surface({"tools": [tool("a", 400), tool("gone", 80)]})
    now = build_surface({"tools": [tool("a", 440), tool("new", 200)]})
    cost = token_cost(now, before)
    assert (cost.total, cost.growth) == (160, 40)
    assert {name: cost.growth_of(name) for name in cost.tools} == {"a": 10, "new": 50}
    assert document_of(Report(target="t", tokens=cost))["tokens"] == {
        "total": 160,
        "growth": 40,
        "tools": {"a": {"tokens": 110, "growth": 10}, "new": {"tokens": 50, "growth": 50}},
    }
    alone = Report(target="t", tokens=TokenCost({"a": 1}))
    assert document_of(alone)["tokens"] == {"total": 1, "tools": {"a": {"tokens": 1}}}
    assert token_cost(build_surface({"prompts": [{"name": "p"}]}), None) is None


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, tools in (("old", [tool("a", 800), tool("b", 4000)]), ("new", [tool("a", 2000), tool("b", 4000)])):
        (tmp_path / f"{name}.json").write_text(json.dumps({"tools": tools}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_renamed_tool_costs_what_it_did_before() -> None:
    schema = {"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}}
    words = "Search all notes of the reader by their words, newest first."
    old = build_surface(
        {"tools": [{"name": "find_notes", "description": words, "inputSchema": schema}, tool("b", 400)]}
    )
    now = build_surface({"tools": [{"name": "find_note", "description": words, "inputSchema": schema}, tool("b", 400)]})
    changes = compare(old, now)
    assert [change.kind for change in changes] == ["tool-renamed"]
    cost = token_cost(now, old, changes)
    assert cost.before_of("find_note") == token_costs(old)["find_notes"]
    assert cost.grown() == []
    assert token_cost(now, old).grown() == ["find_note"]  # type: ignore[union-attr]


@pytest.mark.parametrize("base", [True, False])
def test_a_pull_request_shows_the_tools_that_grew_since_its_base(base: bool) -> None:
    tools = {"small": 10, "grown": 60, "new": 30, "less": 5}
    released = TokenCost(tools, {"small": 10, "grown": 20, "less": 10})
    cost = TokenCost(tools, {"small": 10, "grown": 50, "new": 30, "less": 10})
    report = Report(
        target="t",
        baseline=BaselineInfo("git:v1.0.0", "1.0.0", "f"),
        tokens=released,
        base=BaseInfo("main", tokens=cost) if base else None,
    )
    shown = render(report)
    table = shown[shown.index("### Tokens") : shown.index("<details>")].strip().splitlines()
    assert table[2:6] == [
        "About 105 for 4 tools, in every request of a client.",
        "",
        "| tool | before | now | growth |",
        "| --- | ---: | ---: | ---: |",
    ]
    if base:
        assert table[0] == "### Tokens: +5 since `main`"
        assert table[6:] == ["| `grown` | 50 | 60 | +10 |"]
    else:
        assert table[0] == "### Tokens: +65 since `git:v1.0.0`"
        assert table[6:] == ["| `grown` | 20 | 60 | +40 |", "| `new` | new | 30 | +30 |"]


CHECK = ["check", "new.json", "--against", "old.json"]


def test_the_cost_is_said_where_it_is_asked_for(folder: Path, capsys) -> None:
    cost = "about 1,500 tokens for 2 tools (+300)\n    1,000  b\n      500  a (+300)\n"
    reported = governor_here(*CHECK, "-v", capsys=capsys).out
    assert cost in reported
    assert "tokens" not in governor_here(*CHECK, capsys=capsys).out
    assert governor_here(*CHECK, "--format", "json", capsys=capsys).report["tokens"]["growth"] == 300
    shown = governor_here(*CHECK, "--format", "markdown", capsys=capsys).out
    assert "<summary>Token cost: about 1,500 tokens for 2 tools (+300)</summary>" in shown
    assert "| `a` | 500 (+300) |" in shown
    assert "| `b` | 1,000 |" in shown
    assert "about 1,500 tokens for 2 tools\n" in governor_here("lint", "new.json", "--statistics", capsys=capsys).out


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ("", ["a"]),
        ('"surface/token-growth" = { ratio = 1.2 }', ["a", None]),
        ('"surface/token-growth" = { ratio = 2.5 }', []),
        ('"surface/token-growth" = { least = 301 }', []),
    ],
)
def test_growth_beyond_a_ratio_is_a_finding_where_it_is_selected(folder: Path, capsys, options, found) -> None:
    def grown() -> list:
        report = governor_here(*CHECK, "--format", "json", capsys=capsys).report
        return [item["tool"] for item in report["findings"] if item["rule"] == "surface/token-growth"]

    assert grown() == []
    text = f'[lint]\nextend-select = ["surface/token-growth"]\n[lint.options]\n{options}\n'
    (folder / "mcp-governor.toml").write_text(text)
    assert sorted(grown(), key=str) == sorted(found, key=str)
