"""Findings about a whole server: their places, in JSON and with ``-v``, what equal ones of many tools share, and the
size of a list of tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commandline import governor_here
from documents import reported

from mcp_governor.findings import MAX_SPOTS, Finding, Spot
from mcp_governor.report.finding_groups import causes
from mcp_governor.rules import LintSettings, Rule, load_catalogue, select
from mcp_governor.rules.run import lint, run_rules
from mcp_governor.schemas.pointers import resolve_pointer
from mcp_governor.surface import build_surface

CATALOGUE = load_catalogue(entry_points=False)
NO_PLACES = {"clients/copilot-tool-count"}
"""What is about the number of all tools."""
RULES = [rule for rule in CATALOGUE if rule.station == "lint" and rule.on == "surface" and rule.id not in NO_PLACES]


def findings_of(rule: Rule, tools: list[object]) -> list[Finding]:
    selection = select(LintSettings(select=(rule.id,)), CATALOGUE)
    return [one for one in run_rules(build_surface({"tools": tools}), selection) if one.rule == rule.id]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_places_of_a_finding_about_all_tools_exist(rule: Rule) -> None:
    for example in rule.fails:
        recording = example.recording()
        surface = build_surface(recording)
        settings = LintSettings(select=(rule.id,), options={rule.id: example.options} if example.options else {})
        for finding in run_rules(surface, select(settings, CATALOGUE)):
            if finding.path == "/tools":
                assert finding.spots, finding.message
            for spot in finding.spots:
                if spot.tool is None:
                    continue
                tool = surface.by_name[spot.tool].raw
                if spot.path not in ("/annotations", "/title"):
                    resolve_pointer(tool, spot.path)


def argument(name: str, **schema: object) -> dict[str, object]:
    return {"name": name, "description": "Reads.", "inputSchema": {"type": "object", "properties": schema}}


def test_each_tool_and_each_argument_is_listed_also_where_the_message_counts() -> None:
    tools = [argument(f"t{at}", limit={"type": "string", "default": None}) for at in range(20)]
    tools.append(
        argument("deep", page={"type": "object", "properties": {"max_rows": {"type": "string", "default": None}}})
    )
    [finding] = lint(build_surface({"tools": tools}), LintSettings(select=("clarity/null-default",)))
    assert finding.tool is None
    assert "t10" not in finding.message
    assert finding.spots == (
        *(Spot(f"t{at}", "/inputSchema/properties/limit") for at in range(20)),
        Spot("deep", "/inputSchema/properties/page/properties/max_rows"),
    )
    assert reported(finding)["places"][0] == {"tool": "t0", "path": "/inputSchema/properties/limit"}


def test_a_finding_about_one_place_lists_none() -> None:
    tools = [{"name": "a", "description": "Reads.", "inputSchema": {"type": "string"}}]
    found = lint(build_surface({"tools": tools}), LintSettings(select=("spec/input-root-type",)))
    assert [("places" in reported(one), one.spots) for one in found] == [(False, ())]


def test_a_hostile_server_gets_no_endless_list() -> None:
    tools = [argument(f"t{at}", limit={"type": "string", "default": None}) for at in range(MAX_SPOTS + 5)]
    [finding] = lint(build_surface({"tools": tools}), LintSettings(select=("clarity/null-default",)))
    assert len(finding.spots) == MAX_SPOTS
    assert f"{MAX_SPOTS + 3} more" in finding.message.replace(",", "")


def test_json_and_verbose_text_list_the_places(tmp_path: Path, capsys) -> None:
    tools = [
        argument("a", limit={"type": "string", "default": None}, rows={"type": "string", "default": None}),
        argument("b", limit={"type": "string", "default": None}),
    ]
    (tmp_path / "s.json").write_text(json.dumps({"tools": tools}))
    words = ("lint", str(tmp_path / "s.json"), "--isolated", "--select", "clarity/null-default")
    report = json.loads(governor_here(*words, "--format", "json", capsys=capsys).out)
    assert report["findings"][0]["places"] == [
        {"tool": "a", "path": "/inputSchema/properties/limit"},
        {"tool": "a", "path": "/inputSchema/properties/rows"},
        {"tool": "b", "path": "/inputSchema/properties/limit"},
    ]
    shown = governor_here(*words, "-v", capsys=capsys).out
    assert "at: a /inputSchema/properties/limit, /inputSchema/properties/rows\n" in shown
    assert "at: b /inputSchema/properties/limit\n" in shown
    assert "at: " not in governor_here(*words, capsys=capsys).out


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


def sized(name: str, size: int) -> dict:
    return {"name": name, "description": "x" * size, "inputSchema": {"type": "object"}}


def found(*tools: dict) -> list[tuple[str, list[str | None]]]:
    findings = lint(build_surface({"tools": list(tools)}), LintSettings(select=("clients/list-tokens",)))
    return [(one.message, [spot.tool for spot in one.spots]) for one in findings]


def test_the_largest_of_a_long_list_are_named() -> None:
    tools = [sized(f"t{at}", 10_000 + at * 1000) for at in range(9)]
    assert found(*tools) == [
        (
            "Names, descriptions and input schemas have about 31,639 tokens, paid in every request of a client "
            "that sends all tools; the largest: t8 (18 kB), t7 (17 kB), t6 (16 kB).",
            ["t8", "t7", "t6"],
        )
    ]


def test_one_tool_that_takes_most_of_a_short_list_is_named() -> None:
    assert found(sized("plot", 18_000), sized("read", 1000), sized("list", 1000)) == [
        ("89 % of about 5,048 tokens for all tools go to plot (18 kB).", ["plot"])
    ]
    assert found(sized("plot", 15_000), sized("read", 15_000)) == []
