"""What tools cost a model: the estimate, the difference against the baseline, and the rule on growth."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commandline import governor_here

from mcp_governor.checking.token_cost import TokenCost, token_cost
from mcp_governor.report.markdown import render
from mcp_governor.surface import build_surface
from mcp_governor.surface.tokens import json_bytes, token_costs


def tool(name: str, length: int) -> dict:
    """A tool whose compact JSON has so many bytes."""
    empty = {"name": name, "description": "", "inputSchema": {"type": "object"}}
    return {**empty, "description": "x" * (length - json_bytes(empty))}


def test_a_token_is_four_bytes_of_compact_utf_8() -> None:
    assert json_bytes({"a": [1, "é"]}) == len('{"a":[1,"é"]}'.encode())
    assert token_costs(build_surface({"tools": [tool("a", 403), tool("b", 100)]})) == {"a": 100, "b": 25}


def test_the_difference_counts_what_came_and_what_went() -> None:
    before = build_surface({"tools": [tool("a", 400), tool("gone", 80)]})
    now = build_surface({"tools": [tool("a", 440), tool("new", 200)]})
    cost = token_cost(now, before)
    assert cost is not None
    assert (cost.total, cost.growth) == (160, 40)
    assert {name: cost.growth_of(name) for name in cost.tools} == {"a": 10, "new": 50}
    assert cost.as_json() == {
        "total": 160,
        "growth": 40,
        "tools": {"a": {"tokens": 110, "growth": 10}, "new": {"tokens": 50, "growth": 50}},
    }
    assert TokenCost({"a": 1}).as_json() == {"total": 1, "tools": {"a": {"tokens": 1}}}
    assert token_cost(build_surface({"prompts": [{"name": "p"}]}), None) is None


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, tools in (("old", [tool("a", 800), tool("b", 4000)]), ("new", [tool("a", 2000), tool("b", 4000)])):
        (tmp_path / f"{name}.json").write_text(json.dumps({"tools": tools}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


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


def test_a_page_names_the_dearest_tools() -> None:
    from mcp_governor.checking.model import Report

    many = TokenCost({f"t{number:03}": number for number in range(60)})
    shown = render(Report(target="t", tokens=many))
    assert "`t059`" in shown
    assert "`t009`" not in shown
    assert "10 more tools" in shown
