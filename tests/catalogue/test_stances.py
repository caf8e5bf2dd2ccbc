"""The table of contradictions agrees with the rules, the profiles and the catalogue."""

from __future__ import annotations

import pytest
from msgspec.structs import astuple
from sources_page import topics

from mcp_governor.change.options import option_schemas
from mcp_governor.errors import ConfigError
from mcp_governor.rules import LintSettings, load_catalogue, select
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

SOURCES = ("charter", "schema-md", "surface", "omni")
CATALOGUE = load_catalogue(entry_points=False)
SIDES = {(topic["name"], side["choice"]): side["profiles"] for topic in topics() for side in topic.get("side", ())}
TAKEN = {rule.stance: rule.id for rule in CATALOGUE if rule.stance is not None}


def test_every_stance_of_a_rule_is_in_the_table():
    assert {astuple(stance) for stance in TAKEN} <= SIDES.keys()


@pytest.mark.parametrize("topic", topics(), ids=lambda topic: topic["name"])
def test_a_topic_has_sides_or_an_answer(topic):
    assert topic["question"].endswith("?")
    assert ("side" in topic) != ("settled" in topic)
    if "settled" in topic:
        assert topic["sources"]
        assert all(rule in CATALOGUE for rule in topic.get("rules", ()))
        return
    assert len(topic["side"]) > 1
    # At least one side is enforced; the others may permit what it forbids.
    assert any(stance.topic == topic["name"] for stance in TAKEN)
    claimed = [profile for side in topic["side"] for profile in side["profiles"]]
    assert len(set(claimed)) == len(claimed)
    assert set(claimed) <= set(SOURCES)


@pytest.mark.parametrize("profile", CATALOGUE.profiles)
def test_a_profile_runs_only_the_rules_of_its_side(profile):
    for active in select(LintSettings(profiles=(profile,), personas=("regular", "pedantic"))).active.values():
        if active.rule.stance is not None:
            assert profile in SIDES[astuple(active.rule.stance)], active.id


def test_a_side_that_no_rule_takes_permits():
    without = {choice for (topic, choice) in SIDES if (topic, choice) not in {astuple(stance) for stance in TAKEN}}
    assert without == {"dots as well", "part of the behaviour"}


def test_the_policies_of_the_profiles():
    policies = {name: dict(profile.policy) for name, profile in CATALOGUE.profiles.items() if profile.policy}
    assert policies == {
        "schema-md": {"closed-output": "breaking"},
        "surface": {"input-closed": "breaking", "default-presence": "flips"},
        "omni": {"closed-output": "breaking"},
    }
    assert all(policy.keys() <= option_schemas().keys() for policy in policies.values())


def test_schema_md_and_omni_agree_about_the_error_channel():
    with pytest.raises(ConfigError) as caught:
        select(LintSettings(profiles=("schema-md", "omni")))
    assert "the error channel" not in caught.value.message


@pytest.mark.parametrize("profile", CATALOGUE.profiles)
def test_no_profile_minds_a_read_only_tool_that_is_not_idempotent(profile):
    hints = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": False, "openWorldHint": False}
    tool = {
        "name": "draw_number",
        "description": "Draws a number.",
        "inputSchema": {"type": "object"},
        "annotations": hints,
        "_meta": {"side_effects": "none", "idempotent": False},
    }
    found = lint(build_surface({"tools": [tool]}), profile=profile)
    assert [finding.rule for finding in found if "idempotent" in f"{finding.path} {finding.message}".lower()] == []
