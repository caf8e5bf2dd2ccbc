"""The table of contradictions agrees with the rules, the profiles and the catalogue."""

from __future__ import annotations

import pytest
from msgspec.structs import astuple

from mcp_governor.change.options import option_schemas
from mcp_governor.errors import ConfigError
from mcp_governor.rules import LintSettings, load_catalogue, select
from mcp_governor.rules.catalogue import policy_of_sides, topics
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

SOURCES = ("charter", "schema-md", "surface", "omni")
CATALOGUE = load_catalogue(entry_points=False)
SIDES = {(topic.name, side.choice): side for topic in topics() for side in topic.sides}
TAKEN = {rule.stance: rule.id for rule in CATALOGUE if rule.stance is not None}


def test_every_stance_of_a_rule_is_in_the_table():
    assert {astuple(stance) for stance in TAKEN} <= SIDES.keys()


@pytest.mark.parametrize("topic", topics(), ids=lambda topic: topic.name)
def test_a_topic_has_sides_or_an_answer(topic):
    assert topic.question.endswith("?")
    assert bool(topic.sides) != bool(topic.settled)
    if topic.sides:
        assert len(topic.sides) > 1
        # At least one side is enforced; the others may permit what it forbids.
        assert any(stance.topic == topic.name for stance in TAKEN)
        claimed = [profile for side in topic.sides for profile in side.profiles]
        assert len(set(claimed)) == len(claimed)
        assert set(claimed) <= set(SOURCES)
        assert (topic.sources, topic.rules) == ((), ())
    else:
        assert topic.sources
        assert all(rule in CATALOGUE for rule in topic.rules)


@pytest.mark.parametrize("profile", CATALOGUE.profiles)
def test_a_profile_runs_only_the_rules_of_its_side(profile):
    for active in select(LintSettings(profiles=(profile,), personas=("regular", "pedantic"))).active.values():
        if active.rule.stance is not None:
            assert profile in SIDES[astuple(active.rule.stance)].profiles, active.id


def test_a_side_that_no_rule_takes_permits():
    without = {choice for (topic, choice) in SIDES if (topic, choice) not in {astuple(stance) for stance in TAKEN}}
    assert without == {"dots as well", "part of the behaviour"}


def test_the_policies_of_the_sides():
    known = option_schemas()
    assert all(key in known for side in SIDES.values() for key in side.policy)
    assert {name: policy_of_sides(name) for name in SOURCES} == {
        "charter": {},
        "schema-md": {"closed-output": "breaking"},
        "surface": {},
        "omni": {"closed-output": "breaking"},
    }


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
