"""The same call, then and now."""

from __future__ import annotations

import pytest

from mcp_governor.call.outcome import Channel, Outcome, outcome_of, read_response
from mcp_governor.call.record import behaviour_changes
from mcp_governor.change import catalogue
from mcp_governor.checking.model import Report
from mcp_governor.checking.report_document import document as document_of
from mcp_governor.findings import Bump, Tier, Verdict
from mcp_governor.secret_detection import learn

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
    assert change.has_witness
    assert change.witness == {
        "then": {"content": [], "structuredContent": {"a": 1}},
        "now": {"content": [], "structuredContent": {}},
    }


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


def test_a_hand_written_recording_is_checked_against_what_it_says():
    recorded = {"tool": "find", "arguments": {}, "status": "success", "result": {"content": []}}
    assert behaviour_changes(recorded, Outcome(Channel.ENVELOPE, "success"), {"content": []}) == []


KINDS = [kind for kind in catalogue().values() if kind.example is not None and kind.example.at == "result"]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_example_of_the_catalogue_shows_this_change_and_no_other(kind):
    old, new = kind.example.old, kind.example.new
    then, now = outcome_of(read_response(old)), outcome_of(read_response(new))
    recorded = {"tool": "t", "status": then.status, "kind": then.kind, "channel": then.channel.value, "result": old}
    (change,) = behaviour_changes(recorded, now, new)
    assert (change.kind, change.verdict, change.bump, change.side) == (kind.name, kind.verdict, kind.bump, kind.side)
    assert behaviour_changes(recorded, then, old) == []


def test_what_differs_from_run_to_run_leaves_the_identity_alone():
    def ids(number, time):
        new = {"a": number, "b": "x", "time": time}
        failed = Outcome(Channel.IS_ERROR, "error")
        return {change.id for change in [*changes({"a": "1", "b": "x"}, new), *changes({"c": 1}, new, failed)]}

    assert ids(1, "2026-01-01T00:00:00Z") == ids(2, "2026-01-02T00:00:00Z")


def test_the_message_names_the_call_and_the_witness_is_masked():
    recorded = {**THEN, "arguments": {"q": "user"}, "result": {"structuredContent": {"a": "1"}}}
    new = {"structuredContent": {"a": 1, "token": "hunter2hunter2", "note": "made by s3cr3t-value"}}
    learn("s3cr3t-value", "API_KEY")
    reported = behaviour_changes(recorded, SAME, new)
    assert all("find with q='user'" in change.message for change in reported)
    document = str(document_of(Report(target="t", changes=tuple(reported))))
    assert "hunter2" not in document
    assert "s3cr3t-value" not in document


def test_keys_that_differ_from_run_to_run_are_not_a_change():
    old = {"[masked:uuid]": {"n": 1}}
    assert changes(old, {"123e4567-e89b-42d3-a456-426614174000": {"n": 2}}) == []
    (change,) = changes(old, {"123e4567-e89b-42d3-a456-426614174000": {}})
    assert change.path == "/structuredContent/[masked:uuid]/n"


def test_a_large_result_is_not_a_witness():
    (change,) = changes({"a": 1}, {"a": "x" * 5_000})
    assert not change.has_witness
