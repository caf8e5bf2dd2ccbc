"""What breaks an envelope, by itself and with its place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_governor.charter import facts
from mcp_governor.charter.breach import is_excerpt
from mcp_governor.charter.envelope import envelope_breaches, looks_like_envelope
from tests.charter.envelopes import ERROR, REFUSAL, SUCCESS, with_error, without

SEEN = {"count": 3, "first_seen": "2026-01-05", "last_seen": "2026-02-01"}
OBSERVED, DERIVED = "observed-in /provenance/observed_in", "confidence-derivation /confidence"


def rules(envelope):
    return [f"{breach.rule.removeprefix('envelope/')} {breach.path}" for breach in envelope_breaches(envelope)]


# What tests/call/test_contract_table.py does not have.
FURTHER = [
    ({**without(SUCCESS, "degradation_reason"), "charter_version": "1.1"}, []),
    ({**without(SUCCESS, "provenance"), "charter_version": "1.0"}, ["keys-absent "]),
    ({**without(SUCCESS, "provenance"), "charter_version": "7"}, ["charter-version /charter_version"]),
    ({**SUCCESS, "charter_version": "1.\u0662"}, ["charter-version /charter_version"]),
    ({**SUCCESS, "a/b": 1}, ["unknown-key /a~1b"]),
    (with_error(ERROR, traceback=None), ["unknown-key /error/traceback"]),
    (with_error(ERROR, cause={"type": "KeyError"}), ["message-leak /error/cause"]),
    (
        with_error(ERROR, recovery={**ERROR["error"]["recovery"], "note": "KeyError: q"}),
        ["message-leak /error/recovery/note"],
    ),
    (
        with_error(REFUSAL, recovery={"suggested_rewrite": {"rewritten": "a", "reason": "b", "cost": 3}}),
        ["unknown-key /error/recovery/suggested_rewrite/cost"],
    ),
    (
        with_error(REFUSAL, recovery={"suggested_rewrite": {"rewritten": "a", "reason": "TypeError"}}),
        ["message-leak /error/recovery/suggested_rewrite/reason"],
    ),
    ({**SUCCESS, "provenance": {"source": "schema", "observed_in": {}}}, []),
    *(
        ({**SUCCESS, "provenance": {"source": "inferred", "observed_in": seen}}, [OBSERVED] if wrong else [])
        for seen, wrong in (
            ({"count": 3, "first-seen": "2026-01-05", "last-seen": "2026-01-05"}, False),
            ({"count": 3, "firstSeen": 17000, "lastSeen": 18000}, False),
            ({"query_count": 3, "first_seen": 1767571200.5, "last_seen": 1767571260.25}, False),
            ({"observationCount": 3, "first_seen_at": "2026-01-05T08:00:00Z", "last_seen_at": "2026-01-06"}, False),
            ({}, True),
            ({**SEEN, "count": "many"}, True),
            ({**SEEN, "count": 0}, True),
            ({**SEEN, "count": True}, True),
            ({**SEEN, "first_seen": "2026-03-01"}, True),
            ({**SEEN, "first_seen": "January 2026"}, False),
            ({**SEEN, "first_seen": 17000}, False),
            ({**SEEN, "first_seen": "2026-01-05T08:00:00Z", "last_seen": "2026-01-05T08:30:00+01:00"}, True),
        )
    ),
    *(
        ({**SUCCESS, "confidence": confidence, "provenance": provenance}, [DERIVED] if wrong else [])
        for confidence, provenance, wrong in (
            ("HIGH", {"source": "llm", "model": "m"}, True),
            ("MEDIUM", {"source": "llm", "model": "m"}, False),
            ("HIGH", {"source": "inferred", "observed_in": SEEN}, True),
            ("MEDIUM", {"source": "inferred", "observed_in": SEEN}, False),
            ("MEDIUM", {"source": "inferred", "observed_in": {**SEEN, "count": 1}}, True),
            ("LOW", {"source": "inferred", "observed_in": {**SEEN, "count": 1}}, False),
            ("HIGH", {"source": "schema"}, False),
        )
    ),
]


@pytest.mark.parametrize(("envelope", "expected"), FURTHER)
def test_a_breach_gives_its_rule_and_no_other(envelope, expected):
    assert rules(envelope) == expected


def test_own_kinds_are_known_where_they_are_reported():
    envelope = with_error(ERROR, kind="quota")
    assert envelope_breaches(envelope, kinds=facts.KINDS | {"quota"}) == []
    assert envelope_breaches(envelope, kinds=None) == []


def test_messages_show_no_control_characters():
    hostile = "a\x1b[31m\u202ebad"
    for envelope in (
        with_error(ERROR, kind=hostile),
        {**SUCCESS, hostile: 1},
        with_error(ERROR, message=f"{hostile}. Two."),
    ):
        (breach,) = envelope_breaches(envelope)
        assert "\x1b" not in breach.message + breach.path
        assert "\u202e" not in breach.message + breach.path


@pytest.mark.parametrize("value", [None, [], "success", 3, {}, {"status": "ok"}, {"data": 1}, {"status": None}])
def test_what_is_not_an_envelope(value):
    assert not looks_like_envelope(value)


KEYS = [*facts.ENVELOPE_KEYS, "kind", "message", "recovery", "source", "x"]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=20,
)


@given(ANYTHING)
@settings(max_examples=100, deadline=None)
def test_anything_at_all_is_checked_without_a_crash(value):
    envelope = value if isinstance(value, dict) else {"status": value, "error": value, "data": value}
    for breach in envelope_breaches(envelope):
        assert breach.message.endswith(".")


@pytest.mark.parametrize(
    ("envelope", "expected"),
    [
        ({"status": "empty", "data": [], "error": None}, True),
        ({"status": "empty"}, True),
        (without(SUCCESS, "charter_version", "provenance"), True),
        # only what 1.0 has counts: an older server does not know of the reason
        (without(SUCCESS, "charter_version", "degradation_reason"), False),
        (without(SUCCESS, "charter_version"), False),
        ({"status": "empty", "charter_version": "1.2"}, False),
        ({"status": "empty", "charter_version": None}, False),
        (SUCCESS, False),
    ],
)
def test_what_leaves_out_its_version_and_other_keys_is_an_excerpt(envelope, expected):
    assert is_excerpt(envelope) is expected
    assert "charter-version" not in {entry.partition(" ")[0] for entry in rules(SUCCESS)}


@pytest.mark.parametrize(
    ("envelope", "expected", "says"),
    [
        ({**SUCCESS, "extra": 1}, "unknown-key /extra", "root"),
        (with_error(ERROR, extra=1), "unknown-key /error/extra", "part"),
        (with_error(ERROR, anchor_entity=7), "field-type /error/anchor_entity", ""),
        (
            with_error(REFUSAL, recovery={"suggested_rewrite": {"rewritten": ["a"], "reason": "b"}}),
            "field-type /error/recovery/suggested_rewrite/rewritten",
            "",
        ),
        (
            {**SUCCESS, "provenance": {"source": "inferred", "observed_in": {**SEEN, "last_seen": [1]}}},
            "observed-in /provenance/observed_in",
            "members",
        ),
        (
            {**SUCCESS, "provenance": {"source": "schema", "inference_method": [1], "validation_state": "draft"}},
            "provenance /provenance/inference_method",
            "",
        ),
        (
            {
                **SUCCESS,
                "confidence": "LOW",
                "provenance": {"source": "schema", "inference_method": "fk_constraint", "validation_state": "x"},
            },
            "provenance /provenance/validation_state",
            "",
        ),
        ({**ERROR, "status": "ok"}, "status /status", ""),
        (with_error(ERROR, kind=3, pii_categories=["contact"]), "field-type /error/kind", ""),
    ],
)
def test_one_breach_alone(envelope, expected, says):
    (breach,) = envelope_breaches(envelope)
    assert (f"{breach.rule.removeprefix('envelope/')} {breach.path}", breach.says) == (expected, says)
    assert breach.message.endswith(".")
