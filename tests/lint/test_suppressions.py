"""What is not reported, why, and that a suppression without a use is an error."""

from __future__ import annotations

import pytest
from replacing import replace

from mcp_governor.findings import Severity
from mcp_governor.rules import ActiveRule, LintSettings, Suppression, load_catalogue, select
from mcp_governor.rules.finding import finding
from mcp_governor.rules.governing import govern
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

KEY = "dev.mcp-governor/ignore"


def surface(ignore=None, description="Returns x.", name="legacy_get"):
    tool = {"name": name, "description": description, "inputSchema": {"type": "object"}}
    if ignore is not None:
        tool["_meta"] = {KEY: ignore}
    return build_surface({"tools": [tool]})


def rules(surface, **settings):
    settings.setdefault("select", ("charter/use-this-when", "charter/disambiguation", "lint/*"))
    return [(f.rule, f.path) for f in lint(surface, LintSettings(**settings))]


BOTH = [("charter/disambiguation", "/description"), ("charter/use-this-when", "/description")]


def test_nothing_is_suppressed_by_default():
    assert rules(surface()) == BOTH


@pytest.mark.parametrize(
    "ignore",
    [
        "charter/use-this-when",
        ["charter/use-this-when"],
        [{"rule": "charter/use-this-when", "reason": "an old name"}],
    ],
)
def test_a_tool_suppresses_a_rule_for_itself(ignore):
    assert rules(surface(ignore)) == BOTH[:1]


@pytest.mark.parametrize("ignore", ["charter/*", "*"])
def test_a_tool_suppresses_a_pack_or_all(ignore):
    assert rules(surface(ignore)) == []


def test_other_tools_are_not_touched():
    document = {
        "tools": [
            {"name": "a", "description": "x", "inputSchema": {}, "_meta": {KEY: "charter/*"}},
            {"name": "b", "description": "x", "inputSchema": {}},
        ]
    }
    found = lint(build_surface(document), LintSettings(select=("charter/use-this-when",)))
    assert [f.tool for f in found] == ["b"]


@pytest.mark.parametrize(
    ("ignore", "path", "says"),
    [
        (["charter/use-this-when"], "/0", "suppresses nothing"),
        (["charter/use-this-wen"], "/0", 'Did you mean "charter/use-this-when"?'),
        ("nonsense", "", "names no rule"),
        ([7], "/0", "neither a rule id nor"),
        (7, "", "neither a rule id nor"),
        ({"rule": "charter/length", "reason": 7}, "", "neither a rule id nor"),
    ],
)
def test_a_suppression_without_use_is_an_error(ignore, path, says):
    good = surface(ignore, description="Use this when x. Don't use when y.")
    (found,) = lint(good, LintSettings(select=("charter/use-this-when", "charter/disambiguation", "lint/*")))
    assert found.rule == "lint/stale-suppression"
    assert found.severity is Severity.ERROR
    assert found.path == f"/_meta/dev.mcp-governor~1ignore{path}"
    assert says in found.message
    assert found.message.count("..") == 0


def test_a_suppression_of_a_rule_that_did_not_run_is_not_stale():
    good = surface("spec/tool-name-length", description="Use this when x. Don't use when y.")
    assert rules(good) == []


def test_inline_suppressions_can_be_switched_off():
    assert rules(surface("charter/*"), inline=False) == BOTH


def test_globs_suppress_for_tools():
    assert rules(surface(), per_tool_ignores={"legacy_*": ("charter/*",)}) == []
    why = Suppression("charter/use-this-when", "renamed in 2.0")
    assert rules(surface(), per_tool_ignores={"legacy_*": (why,)}) == BOTH[:1]


def test_a_glob_that_suppresses_nothing_is_an_error():
    found = lint(
        surface(),
        LintSettings(select=("charter/use-this-when", "lint/*"), per_tool_ignores={"new_*": ("charter/*",)}),
    )
    assert [(f.rule, f.path) for f in found if f.tool is None] == [
        ("lint/stale-suppression", "lint.per-tool-ignores.new_*")
    ]


def test_a_pack_of_two_stations_is_judged_where_both_took_part():
    settings = LintSettings(select=("surface/*", "lint/*"))
    about = surface("surface/*")

    def stale(*stations):
        return [f.rule for f in govern([], select(settings), about, stations=stations)]

    # Nothing was found by the linter, but the calls could still break a rule of the pack.
    assert stale("lint") == []
    assert stale("lint", "call", "policy", "changelog", "change") == ["lint/stale-suppression"]
    # Where the linter did not look, nothing is known of what it would have found.
    assert stale("call") == []


def test_every_rule_is_judged_where_all_stations_took_part_and_the_rest_may_need_it_elsewhere():
    settings = LintSettings(select=("charter/use-this-when", "lint/*"))
    for stations, found in ((("lint",), []), (("lint", "policy", "changelog"), ["lint/stale-suppression"])):
        assert [f.rule for f in govern([], select(settings), surface("*"), stations=stations)] == found


def test_what_another_station_of_the_run_says_is_said_once():
    rule = next(rule for rule in load_catalogue() if rule.twin)
    selection = select(LintSettings(select=(rule.id,)))
    found = finding(rule, "", tool="a")
    assert govern([found], selection, stations=("lint",)) == [found]
    assert govern([found], selection, stations=("lint", "policy")) == []


def test_a_twin_that_nobody_knows_says_nothing_for_its_rule():
    selection = select(LintSettings(select=("surface/*",)))
    rule = next(rule for rule in load_catalogue() if rule.twin)
    active = {rule.id: ActiveRule(replace(rule, twin="acme/gone"), Severity.ERROR, {})}
    found = govern([finding(rule, "", tool="a")], replace(selection, active=active), stations=("lint", "policy"))
    assert [f.severity for f in found] == [Severity.ERROR]
