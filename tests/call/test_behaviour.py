"""The same call, then and now."""

from __future__ import annotations

import pytest

from mcp_governor.call.behaviour import KINDS, behaviour_changes
from mcp_governor.call.outcome import Channel, Outcome
from mcp_governor.change.model import Verdict
from mcp_governor.findings import Bump, Tier

THEN = {"tool": "find", "arguments": {}, "status": "success", "kind": "", "channel": "result"}
SAME = Outcome(Channel.RESULT, "success")


def changes(old, new, outcome=SAME, tier=Tier.STANDARD, **then):
    recorded = {**THEN, **then, "result": {"content": [], "structuredContent": old}}
    return behaviour_changes(recorded, outcome, {"content": [], "structuredContent": new}, tier=tier)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": 1}, {"a": 2}, []),
        ({"a": 1}, {"a": 1.5}, []),
        ({"a": 1}, {"a": None}, []),
        ({"a": None}, {"a": 1}, []),
        ({"a": 1}, {}, ["call-field-removed /structuredContent/a"]),
        ({}, {"a": 1}, ["call-field-added /structuredContent/a"]),
        ({"a": 1}, {"a": "1"}, ["call-field-type-changed /structuredContent/a"]),
        ({"a": True}, {"a": 1}, ["call-field-type-changed /structuredContent/a"]),
        ({"a": {"b/c": 1}}, {"a": {}}, ["call-field-removed /structuredContent/a/b~1c"]),
        ({"a": [{"b": 1}]}, {"a": []}, []),
        ({"a": []}, {"a": [{"b": 1}]}, []),
        ({"a": [{"b": 1}, {"b": 2}]}, {"a": [{}]}, ["call-field-removed /structuredContent/a/*/b"]),
        ({"a": [{}, {}]}, {"a": [{"c": 1}, {}]}, ["call-field-added /structuredContent/a/*/c"]),
        ({"a": [{"b": 1, "c": 1}, {"b": 2}]}, {"a": [{"b": 1}]}, []),
        ({"a": [{"b": 1}]}, {"a": [{}, {"b": 1}]}, []),
        ({"a": [{"b": 1}, {"b": 2, "c": 3}]}, {"a": [{"b": 1, "c": 3}]}, []),
        ({"a": [1]}, {"a": ["1"]}, ["call-field-type-changed /structuredContent/a/*"]),
        ({"a": "[masked:volatile]"}, {"a": 3}, []),
        (None, {"a": 1}, []),
    ],
)
def test_fields(old, new, expected):
    assert [f"{change.kind} {change.path}" for change in changes(old, new)] == expected


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (Outcome(Channel.RESULT, "error"), "call-status-changed"),
        (Outcome(Channel.IS_ERROR, "success"), "call-channel-changed"),
        (Outcome(Channel.RESULT, "success", "gone"), "call-error-kind-changed"),
        (Outcome(Channel.RPC_ERROR, "error", "-32603"), "call-status-changed"),
    ],
)
def test_another_outcome_is_one_breaking_change(outcome, kind):
    (change,) = changes({"a": 1}, {}, outcome)
    assert (change.kind, change.verdict, change.bump) == (kind, Verdict.BREAKING, Bump.MAJOR)
    assert change.old == {"content": [], "structuredContent": {"a": 1}}
    assert change.new == {"content": [], "structuredContent": {}}


@pytest.mark.parametrize(
    ("tier", "removed", "added"),
    [
        (Tier.FACADE, Bump.MAJOR, Bump.MINOR),
        (Tier.STANDARD, Bump.MAJOR, Bump.MINOR),
        (Tier.ADVANCED, Bump.MINOR, Bump.MINOR),
        (Tier.INTERNAL, Bump.NONE, Bump.NONE),
    ],
)
def test_the_step_depends_on_the_tier(tier, removed, added):
    assert [change.bump for change in changes({"a": 1}, {}, tier=tier)] == [removed]
    assert [change.bump for change in changes({}, {"a": 1}, tier=tier)] == [added]


def test_a_hand_written_recording_is_held_to_what_it_says():
    recorded = {"tool": "find", "arguments": {}, "status": "success", "result": {"content": []}}
    assert behaviour_changes(recorded, Outcome(Channel.ENVELOPE, "success"), {"content": []}) == []


def test_every_kind_is_explained():
    told = {change.kind for change in changes({"a": 1, "b": 1}, {"b": "1", "c": 1})}
    for outcome in (
        Outcome(Channel.RESULT, "error"),
        Outcome(Channel.RESULT, "success", "x"),
        Outcome(Channel.IS_ERROR, "success"),
    ):
        told |= {change.kind for change in changes({}, {}, outcome)}
    assert told == set(KINDS)
