"""Which rules run, how grave they are, and what a wrong configuration is told."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from mcp_governor.builtin_rules import REMOVED
from mcp_governor.errors import ConfigError
from mcp_governor.findings import Severity
from mcp_governor.rules import LintSettings, load_catalogue, select
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

PROFILES = tuple(load_catalogue(entry_points=False).profiles)
SOURCES = ("charter", "schema-md", "surface", "omni")
"""Profiles of sources that disagree with each other."""


def active(**settings):
    return select(LintSettings(**settings)).active


def test_the_profiles_of_the_design_are_there():
    assert {"recommended", *SOURCES} <= set(PROFILES)


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_runs_rules_and_selects_none_that_is_off(profile):
    chosen = active(profiles=(profile,))
    assert any(item.rule.station == "lint" for item in chosen.values())
    assert all(item.rule.enabled and item.rule.persona == "regular" for item in chosen.values())


def test_recommended_takes_no_side():
    assert not [item.id for item in active(profiles=("recommended",)).values() if item.rule.stance]


@pytest.mark.parametrize("profile", [name for name in PROFILES if name != "recommended"])
def test_recommended_goes_with_every_other_profile(profile):
    both = active(profiles=("recommended", profile))
    assert set(both) == set(active(profiles=("recommended",))) | set(active(profiles=(profile,)))


@pytest.mark.parametrize(("one", "other"), list(combinations(SOURCES, 2)))
def test_two_sources_that_disagree_are_refused_and_both_rules_named(one, other):
    with pytest.raises(ConfigError) as caught:
        active(profiles=(one, other))
    named = [[word for word in pair.split() if "/" in word] for pair in caught.value.message.split("; ")]
    topics = set()
    for pair in named:
        first, second = (load_catalogue().get(rule).stance for rule in pair)
        assert first.topic == second.topic
        assert first.choice != second.choice
        topics.add(first.topic)
    # All topics that the two disagree about, each once.
    sides = {name: {item.rule.stance for item in active(profiles=(name,)).values()} - {None} for name in (one, other)}
    clashing = {a.topic for a in sides[one] for b in sides[other] if a.topic == b.topic and a.choice != b.choice}
    assert topics == clashing


def test_one_side_can_be_ignored_to_have_both_profiles():
    conflict = [rule.id for rule in load_catalogue() if rule.stance and rule.pack in ("charter", "envelope")]
    both = active(profiles=("charter", "omni"), ignore=tuple(conflict))
    assert "omni/description-cap" in both
    assert "charter/use-this-when" in both


def test_contradictions_are_refused_for_rules_named_one_by_one_too():
    with pytest.raises(ConfigError, match=r"charter/length and omni/description-cap"):
        active(select=("charter/length", "omni/description-cap"))


def test_select_replaces_extend_adds_and_ignore_removes():
    assert set(active(select=("charter/length",))) == {"charter/length"}
    chosen = active(profiles=("recommended",), extend_select=("charter/length",), ignore=("spec/*",))
    assert "charter/length" in chosen
    assert "clarity/length" in chosen
    assert not [rule for rule in chosen if rule.startswith("spec/")]


def test_pedantic_rules_run_for_the_pedantic_or_by_name():
    assert "charter/separate-composition" not in active(profiles=("charter",))
    assert "charter/separate-composition" in active(profiles=("charter",), personas=("regular", "pedantic"))
    assert "charter/separate-composition" in active(select=("charter/separate-composition",))


def test_the_charter_profile_raises_the_four_description_rules():
    chosen = active(profiles=("charter",))
    for name in ("use-this-when", "disambiguation", "composition", "length"):
        assert load_catalogue().get(f"charter/{name}").severity is Severity.WARNING
        assert chosen[f"charter/{name}"].severity is Severity.ERROR


def test_the_profile_of_schema_md_raises_what_its_source_demands():
    chosen = active(profiles=("schema-md",))
    demanded = {"closed-input", "closed-nested", "closed-output", "explicit-dialect", "explicit-required"}
    demanded |= {"no-coercion", "no-default", "root-object", "non-sensitive"}
    assert all(chosen[f"schema-md/{name}"].severity is Severity.ERROR for name in demanded)
    # The source says "short", and the figures are ours.
    assert all(chosen[f"schema-md/{name}-length"].severity is Severity.WARNING for name in ("description", "property"))


def test_the_users_severity_beats_the_profiles_and_an_id_beats_a_pack():
    chosen = active(profiles=("charter",), severity={"charter/*": Severity.INFO, "charter/length": Severity.WARNING})
    assert chosen["charter/use-this-when"].severity is Severity.INFO
    assert chosen["charter/length"].severity is Severity.WARNING


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"ignore": ("charter/lenght",)}, 'Did you mean "charter/length"?'),
        ({"select": ("use-this-when",)}, 'Did you mean "charter/use-this-when"?'),
        ({"select": ("length",)}, 'Did you mean "charter/length" or "clarity/length"?'),
        ({"select": ("charter",)}, 'Did you mean "charter/*"?'),
        ({"extend_select": ("chartr/*",)}, 'Did you mean "charter/*"?'),
        ({"profiles": ("recomended",)}, 'Did you mean "recommended"?'),
        ({"clients": ("antropic",)}, 'Did you mean "anthropic"?'),
        ({"severity": {"spec/unicod": Severity.INFO}}, 'Did you mean "spec/unicode"?'),
        ({"options": {"charter/length": {"maximum": 3}}}, 'Did you mean "max"?'),
        ({"options": {"charter/length": {"max": "500"}}}, "cannot be '500'"),
        ({"options": {"charter/length": {"max": 0}}}, "cannot be 0"),
        ({"options": {"charter/composition": {"max": 1}}}, "has no option"),
        ({"per_tool_ignores": {"a*": ("charter/lenght",)}}, 'Did you mean "charter/length"?'),
        ({"per_tool_ignores": {"a*": (7,)}}, "is not a suppression"),
    ],
)
def test_a_wrong_word_suggests_the_nearest(settings, says):
    with pytest.raises(ConfigError) as caught:
        active(**settings)
    assert says in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    "settings",
    [
        {"select": ("clarity/read-only-verb",)},
        {"ignore": ("clarity/read-only-verb",)},
        {"severity": {"clarity/read-only-verb": Severity.INFO}},
        {"options": {"clarity/read-only-verb": {"min": 1}}},
        {"per_tool_ignores": {"a*": ("clarity/read-only-verb",)}},
    ],
)
def test_a_rule_that_was_removed_is_named_with_the_reason(settings):
    with pytest.raises(ConfigError) as caught:
        active(**settings)
    assert caught.value.message.startswith("Rule clarity/read-only-verb was removed: clarity/hints-contradict finds ")
    assert "Did you mean" not in caught.value.message


def test_what_was_removed_is_gone_and_names_rules_that_exist():
    rules = load_catalogue(entry_points=False).rules
    for removed, reason in REMOVED.items():
        assert removed not in rules
        assert set(re.findall(r"[a-z]+/[a-z-]+", reason)) <= set(rules)


def test_options_reach_the_check():
    surface = build_surface({"tools": [{"name": "a", "description": "abcd", "inputSchema": {}}]})
    settings = LintSettings(select=("charter/length",), options={"charter/length": {"max": 3}})
    assert [f.message for f in lint(surface, settings)] == ["The description of a has 4 characters; the limit is 3."]


DOTTED = {"tools": [{"name": "admin.list", "inputSchema": {"type": "object"}}]}


def test_a_client_that_is_named_turns_its_fatal_limits_into_errors():
    surface = build_surface(DOTTED)
    by_default = {f.rule: f.severity for f in lint(surface, LintSettings(select=("clients/*",)))}
    named = {f.rule: f.severity for f in lint(surface, LintSettings(select=("clients/*",), clients=("anthropic",)))}
    assert by_default == {"clients/openai-name": Severity.WARNING, "clients/openai-properties": Severity.WARNING}
    assert named == {"clients/anthropic-name": Severity.ERROR}


def test_a_client_that_is_off_by_default_runs_where_it_is_named():
    assert "clients/openai-strict-objects" not in active(select=("clients/*",))
    assert "clients/openai-strict-objects" in active(select=("clients/*",), clients=("openai-strict",))


def test_what_recommended_says_of_a_client_was_read_at_its_source():
    for rule in select(LintSettings(profiles=("recommended",))).active.values():
        if rule.rule.limit is not None:
            verified = rule.rule.verified
            assert verified is not None, f"{rule.id}: read the client's code or document, or leave it off"
            assert verified.date[:7] == rule.rule.limit.seen, rule.id


def test_a_limit_that_nobody_has_verified_runs_where_it_is_named_and_says_so():
    unverified = [rule for rule in load_catalogue() if rule.limit is not None and rule.verified is None]
    for rule in unverified:
        assert not rule.enabled, rule.id
        assert rule.source.startswith("Not verified: "), rule.id


LONG = {
    "tools": [{"name": "get", "description": "Gets rows. " * 300, "inputSchema": {"type": "object", "properties": {}}}]
}


def test_a_long_description_is_one_finding():
    found = [f for f in lint(build_surface(LONG), LintSettings()) if f.path == "/description"]
    assert [f.rule for f in found] == ["clarity/length"]
    assert "of which Claude Code passes on 2,048" in found[0].message
    assert load_catalogue().get("clients/claude-code-description").defaults["max"] == 2048


def test_a_missing_description_and_a_name_that_providers_refuse_are_one_finding_each():
    bare = build_surface({"tools": [{"name": "admin.list", "inputSchema": {"type": "object", "properties": {}}}]})
    found = {f.rule for f in lint(bare, LintSettings()) if f.path in ("", "/description", "/name")}
    assert found == {"clarity/length", "clients/openai-name"}


def test_what_a_directory_refuses_was_read_at_its_source_and_runs_in_its_profile_only():
    rules = load_catalogue().packs["directories"]
    for rule in rules:
        assert rule.verified is not None, rule.id
        assert rule.severity is Severity.WARNING, rule.id
    ids = {rule.id for rule in rules}
    assert not ids & active(profiles=("recommended",)).keys()
    assert ids <= active(profiles=("directories",)).keys()


def test_limits_are_dated_and_only_in_their_own_pack():
    for rule in load_catalogue():
        assert (rule.limit is not None) == (rule.pack == "clients"), rule.id


def test_an_option_that_does_not_compile_is_reported_even_where_no_value_needs_it():
    settings = LintSettings(select=("clients/openai-name",), options={"clients/openai-name": {"pattern": "("}})
    with pytest.raises(ConfigError, match=r"clients/openai-name .* is not a regular expression"):
        lint(build_surface({"tools": []}, source="x"), settings)
