"""Each invariant of the envelope with the smallest envelope that breaks it, and nothing else."""

from __future__ import annotations

import copy
import inspect

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mcp_governor.charter import breach as breach_values
from mcp_governor.charter import envelope as envelope_checks
from mcp_governor.charter import facts, failure, keys, trust, version
from mcp_governor.charter.envelope import envelope_breaches, looks_like_envelope
from tests.charter.envelopes import DEGRADED, ERROR, REFUSAL, SUCCESS, envelopes, with_error, without

FK = {"source": "schema", "inference_method": "fk_constraint", "validation_state": "applied"}
LLM = {"source": "llm", "model": "m-1", "inference_method": "llm_suggested", "validation_state": "applied"}
SEEN = {"count": 3, "first_seen": "2026-01-05", "last_seen": "2026-02-01"}
GUESS = {"inference_method": "llm_suggested", "validation_state": "draft"}


def rules(envelope):
    return [f"{breach.rule.removeprefix('envelope/')} {breach.path}" for breach in envelope_breaches(envelope)]


@pytest.mark.parametrize(
    "envelope",
    [
        SUCCESS,
        ERROR,
        REFUSAL,
        DEGRADED,
        {**without(SUCCESS, "degradation_reason"), "status": "empty", "data": None, "charter_version": "1.0"},
        {**REFUSAL, "charter_version": "1.1"},
        {**SUCCESS, "status": "partial", "data": [], "charter_version": "1.1", "follow_up_hints": ["a", "b", "c"]},
        {**SUCCESS, "status": "degraded", "charter_version": "1.1"},
        {**SUCCESS, "confidence": "HIGH", "provenance": FK},
        {**SUCCESS, "confidence": "MEDIUM", "provenance": FK, "data": {"redacted_columns": ["a"]}},
        {**SUCCESS, "confidence": "HIGH", "provenance": FK, "data": {"redacted_columns": []}},
        {**DEGRADED, "confidence": "MEDIUM", "provenance": FK},
        {**SUCCESS, "confidence": "LOW", "provenance": FK, "data": [FK, GUESS]},
        {**SUCCESS, "confidence": "LOW", "provenance": {"source": "schema"}},
        with_error(ERROR, recovery={"fuzzy_matches": ["users"]}),
        with_error(ERROR, pii_categories=[], anchor_entity=None),
    ],
)
def test_a_good_envelope_has_no_breach(envelope):
    assert rules(envelope) == []


SMALLEST = [
    ({**SUCCESS, "status": "ok"}, ["status /status"]),
    (without(SUCCESS, "status"), ["status /status"]),
    ({**SUCCESS, "status": ["success"]}, ["status /status"]),
    ({**ERROR, "error": None}, ["error-missing /error"]),
    (without(ERROR, "error"), ["error-missing /error"]),
    (without(SUCCESS, "data"), ["data-missing /data"]),
    (without(SUCCESS, "error"), ["keys-absent "]),
    (without(ERROR, "data", "confidence", "provenance"), ["keys-absent "]),
    ({**without(SUCCESS, "degradation_reason"), "charter_version": "1.1"}, []),
    ({**without(SUCCESS, "provenance"), "charter_version": "1.0"}, ["keys-absent "]),
    ({**without(SUCCESS, "provenance"), "charter_version": "7"}, ["charter-version /charter_version"]),
    (without(SUCCESS, "charter_version"), ["charter-version /charter_version"]),
    ({**ERROR, "data": 0}, ["data-with-error /data"]),
    ({**ERROR, "status": "partial"}, ["error-unexpected /error"]),
    ({**SUCCESS, "data": None}, ["data-missing /data"]),
    ({**SUCCESS, "degradation_reason": "fan_out_join"}, ["reason-unexpected /degradation_reason"]),
    ({**DEGRADED, "status": "partial"}, ["reason-unexpected /degradation_reason"]),
    ({**DEGRADED, "status": "empty"}, ["reason-unexpected /degradation_reason"]),
    ({**ERROR, "degradation_reason": "fan_out_join"}, ["reason-unexpected /degradation_reason"]),
    ({**REFUSAL, "degradation_reason": "fan_out_join"}, ["reason-unexpected /degradation_reason"]),
    ({**DEGRADED, "degradation_reason": "slow"}, ["degradation-reason /degradation_reason"]),
    ({**DEGRADED, "degradation_reason": None}, ["degraded-reason /degradation_reason"]),
    (with_error(ERROR, pii_categories=["contact"]), ["refusal-fields /error/pii_categories"]),
    (
        with_error(ERROR, recovery={"widening_hint": {"scope_requested": "s", "would_unblock": True, "reason": "r"}}),
        ["refusal-fields /error/recovery/widening_hint"],
    ),
    (with_error(ERROR, kind="quota"), ["error-kind /error/kind"]),
    (with_error(ERROR, kind="invalid_argument"), ["dispatch-kind /error/kind"]),
    (with_error(REFUSAL, pii_categories=["hair"]), ["pii-category /error/pii_categories/0"]),
    (with_error(REFUSAL, kind="unknown_name", pii_categories=[]), ["refused-kind /error/kind"]),
    ({**REFUSAL, "status": "error"}, ["refusal-status /status"]),
    ({**SUCCESS, "confidence": 0.9}, ["confidence /confidence"]),
    ({**SUCCESS, "confidence": "HIGH", "provenance": LLM}, ["confidence-derivation /confidence"]),
    ({**SUCCESS, "confidence": None, "provenance": FK}, ["confidence-derivation /confidence"]),
    ({**SUCCESS, "confidence": "MEDIUM", "provenance": FK}, ["confidence-derivation /confidence"]),
    ({**DEGRADED, "confidence": "HIGH", "provenance": FK}, ["confidence-derivation /confidence"]),
    ({**SUCCESS, "confidence": "HIGH", "provenance": FK, "data": [GUESS]}, ["confidence-derivation /confidence"]),
    ({**SUCCESS, "provenance": {"source": "rumour"}}, ["provenance /provenance/source"]),
    (
        {**SUCCESS, "provenance": {"source": "schema", "validation_state": "x"}},
        ["provenance /provenance/validation_state"],
    ),
    ({**SUCCESS, "provenance": {"source": "llm"}}, ["provenance-model /provenance/model"]),
    (
        {**SUCCESS, "confidence": "MEDIUM", "provenance": {**LLM, "source": "schema"}},
        ["provenance-source /provenance/source"],
    ),
    ({**SUCCESS, "follow_up_hints": []}, ["hint-count /follow_up_hints"]),
    ({**SUCCESS, "follow_up_hints": ["a", "b", "c", "d"]}, ["hint-count /follow_up_hints"]),
    ({**SUCCESS, "charter_version": None}, ["charter-version /charter_version"]),
    ({**SUCCESS, "charter_version": "1.2.0"}, ["charter-version /charter_version"]),
    ({**SUCCESS, "charter_version": "2.0"}, ["charter-version /charter_version"]),
    ({**SUCCESS, "charter_version": "1.\u0662"}, ["charter-version /charter_version"]),
    ({**DEGRADED, "charter_version": "1.1"}, ["version-feature /degradation_reason"]),
    (
        {**with_error(REFUSAL, pii_categories=[]), "charter_version": "1.0"},
        ["version-feature /status", "version-feature /error/kind"],
    ),
    ({**with_error(ERROR, kind="ambiguous_path"), "charter_version": "1.1"}, ["version-feature /error/kind"]),
    ({**SUCCESS, "a/b": 1}, ["unknown-key /a~1b"]),
    (with_error(ERROR, recovery={}), ["recovery-empty /error/recovery"]),
    (with_error(ERROR, message="One. Two."), ["message-sentence /error/message"]),
    (with_error(ERROR, message="KeyError: user"), ["message-leak /error/message"]),
    (with_error(ERROR, message=None), ["field-type /error/message"]),
    (with_error(ERROR, kind=None), ["field-type /error/kind"]),
    (with_error(ERROR, recovery=None), ["field-type /error/recovery"]),
    (
        with_error(ERROR, recovery={"suggested_tool": ""}),
        ["field-type /error/recovery/suggested_tool", "recovery-empty /error/recovery"],
    ),
    (
        with_error(ERROR, recovery={"suggested_tool": "a", "suggested_args": []}),
        ["field-type /error/recovery/suggested_args"],
    ),
    (with_error(ERROR, recovery={"suggested_args": {"q": "user"}}), []),
    (with_error(ERROR, kind="internal_error", recovery={}), []),
    (with_error(ERROR, http_status=404), ["unknown-key /error/http_status"]),
    (with_error(ERROR, traceback=None), ["unknown-key /error/traceback"]),
    (with_error(ERROR, traceback=["Traceback (most recent call last):"]), ["message-leak /error/traceback"]),
    (with_error(ERROR, cause={"type": "KeyError"}), ["message-leak /error/cause"]),
    (with_error(ERROR, recovery={**ERROR["error"]["recovery"], "next": "a"}), ["unknown-key /error/recovery/next"]),
    (
        with_error(ERROR, recovery={**ERROR["error"]["recovery"], "note": "KeyError: q"}),
        ["message-leak /error/recovery/note"],
    ),
    (with_error(REFUSAL, recovery={"suggested_rewrite": "a"}), []),
    (
        with_error(REFUSAL, recovery={"suggested_rewrite": ""}),
        ["field-type /error/recovery/suggested_rewrite", "recovery-empty /error/recovery"],
    ),
    (with_error(REFUSAL, recovery={"suggested_rewrite": 3}), ["field-type /error/recovery/suggested_rewrite"]),
    (
        with_error(REFUSAL, recovery={"suggested_rewrite": {"rewritten": "a", "reason": "b", "cost": 3}}),
        ["unknown-key /error/recovery/suggested_rewrite/cost"],
    ),
    (
        with_error(REFUSAL, recovery={"suggested_rewrite": {"rewritten": "a", "reason": "TypeError"}}),
        ["message-leak /error/recovery/suggested_rewrite/reason"],
    ),
    (with_error(REFUSAL, recovery={"widening_hint": "finance"}), ["widening-kind /error/recovery/widening_hint"]),
    (
        with_error(REFUSAL, kind="allowlist_violation", pii_categories=[], recovery={"widening_hint": "finance"}),
        [],
    ),
    (with_error(ERROR, recovery={"fuzzy_matches": [1]}), ["field-type /error/recovery/fuzzy_matches"]),
    (with_error(REFUSAL, pii_categories="contact"), ["field-type /error/pii_categories"]),
    ({**ERROR, "error": "boom"}, ["field-type /error"]),
    ({**SUCCESS, "provenance": "schema"}, ["field-type /provenance"]),
    ({**SUCCESS, "provenance": {"source": "llm", "model": 4}}, ["field-type /provenance/model"]),
    ({**SUCCESS, "provenance": {"source": "schema", "author": "me"}}, ["unknown-key /provenance/author"]),
    ({**SUCCESS, "provenance": {"source": "inferred"}}, ["observed-in /provenance/observed_in"]),
    ({**SUCCESS, "provenance": {"source": "inferred", "observed_in": SEEN}}, []),
    ({**SUCCESS, "provenance": {"source": "schema", "observed_in": {}}}, []),
    *(
        ({**SUCCESS, "provenance": {"source": "inferred", "observed_in": seen}}, expected)
        for seen, expected in (
            ({"count": 3, "first-seen": "2026-01-05", "last-seen": "2026-01-05"}, []),
            ({"count": 3, "firstSeen": 17000, "lastSeen": 18000}, []),
            ({"query_count": 3, "first_seen": 1767571200.5, "last_seen": 1767571260.25}, []),
            (
                {
                    "observationCount": 3,
                    "first_seen_at": "2026-01-05T08:00:00Z",
                    "last_seen_at": "2026-01-05T09:00:00Z",
                },
                [],
            ),
            # one hour later, in another time zone
            ({"count": 3, "first_seen": "2026-01-05T23:30:00+02:00", "last_seen": "2026-01-05T22:30:00+00:00"}, []),
            (
                {"count": 3, "first_seen": "2026-01-05T22:30:00+02:00", "last_seen": "2026-01-05T20:00:00+00:00"},
                ["observed-in /provenance/observed_in"],
            ),
            ({}, ["observed-in /provenance/observed_in"]),
            ({"count": 3}, ["observed-in /provenance/observed_in"]),
            ({**SEEN, "count": None}, ["observed-in /provenance/observed_in"]),
            ({**SEEN, "count": "many"}, ["observed-in /provenance/observed_in"]),
            ({**SEEN, "count": 0}, ["observed-in /provenance/observed_in"]),
            ({**SEEN, "count": True}, ["observed-in /provenance/observed_in"]),
            ({**SEEN, "first_seen": "2026-03-01"}, ["observed-in /provenance/observed_in"]),
            ({**SEEN, "first_seen": "January 2026"}, []),
            ({**SEEN, "first_seen": 17000, "last_seen": "2026-01-05"}, []),
            ({**SEEN, "first_seen": 17000, "last_seen": 16000}, ["observed-in /provenance/observed_in"]),
        )
    ),
    *(
        ({**SUCCESS, "confidence": confidence, "provenance": provenance}, expected)
        for confidence, provenance, expected in (
            ("HIGH", {"source": "llm", "model": "m"}, ["confidence-derivation /confidence"]),
            ("MEDIUM", {"source": "llm", "model": "m"}, []),
            ("HIGH", {"source": "inferred", "observed_in": SEEN}, ["confidence-derivation /confidence"]),
            ("MEDIUM", {"source": "inferred", "observed_in": SEEN}, []),
            (
                "MEDIUM",
                {"source": "inferred", "observed_in": {**SEEN, "count": 1}},
                ["confidence-derivation /confidence"],
            ),
            ("LOW", {"source": "inferred", "observed_in": {**SEEN, "count": 1}}, []),
            ("HIGH", {"source": "schema"}, []),
        )
    ),
    ({**SUCCESS, "follow_up_hints": [1]}, ["field-type /follow_up_hints"]),
    ({**DEGRADED, "degradation_reason": 1}, ["field-type /degradation_reason"]),
]


@pytest.mark.parametrize(("envelope", "expected"), SMALLEST, ids=[" ".join(case[1])[:30] for case in SMALLEST])
def test_the_smallest_breach_gives_its_rule_and_no_other(envelope, expected):
    assert rules(envelope) == expected


def test_every_rule_of_the_envelope_alone_is_in_the_table():
    text = "".join(map(inspect.getsource, (envelope_checks, breach_values, failure, keys, trust, version)))
    named = {word.split('"')[0] for word in text.split('"envelope/')[1:]}
    assert named == {found.partition(" ")[0] for case in SMALLEST for found in case[1]}


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


@given(envelopes())
@settings(max_examples=100, deadline=None)
def test_a_good_envelope_is_never_flagged(envelope):
    assert rules(envelope) == []


MUTATIONS = {
    "status": (lambda e: True, lambda e: e.update(status="fine"), "status"),
    "no error": (lambda e: e["error"] is not None, lambda e: e.update(error=None), "error-missing"),
    "data with error": (lambda e: e["error"] is not None, lambda e: e.update(data=[1]), "data-with-error"),
    "error with data": (
        lambda e: e["error"] is None,
        lambda e: e.update(error=copy.deepcopy(ERROR["error"])),
        "error-unexpected",
    ),
    "no data": (lambda e: e["status"] == "success", lambda e: e.update(data=None), "data-missing"),
    "kind": (lambda e: e["error"] is not None, lambda e: e["error"].update(kind="odd"), "error-kind"),
    "message": (lambda e: e["error"] is not None, lambda e: e["error"].update(message="One. Two."), "message-sentence"),
    "leak": (
        lambda e: e["error"] is not None,
        lambda e: e["error"].update(message="It raised a TypeError here."),
        "message-leak",
    ),
    "recovery": (
        lambda e: e["error"] is not None and e["error"]["kind"] != "internal_error",
        lambda e: e["error"].update(recovery={}),
        "recovery-empty",
    ),
    "refused to error": (lambda e: e["status"] == "refused", lambda e: e.update(status="error"), "refusal-status"),
    "error to refused": (lambda e: e["status"] == "error", lambda e: e.update(status="refused"), "refused-kind"),
    "hints": (lambda e: True, lambda e: e.update(follow_up_hints=[]), "hint-count"),
    "version": (lambda e: True, lambda e: e.update(charter_version="1"), "charter-version"),
    "key": (lambda e: True, lambda e: e.update(took=1), "unknown-key"),
    "confidence": (lambda e: True, lambda e: e.update(confidence="high"), "confidence"),
    "reason": (
        lambda e: e["status"] in ("success", "empty", "partial"),
        lambda e: e.update(degradation_reason="fan_out_join"),
        "reason-unexpected",
    ),
    "no reason": (lambda e: e["status"] == "degraded", lambda e: e.update(degradation_reason=None), "degraded-reason"),
    "trust": (
        lambda e: bool(e.get("provenance")),
        lambda e: e.update(confidence="LOW" if e["confidence"] != "LOW" else "HIGH"),
        "confidence-derivation",
    ),
    "hints type": (lambda e: True, lambda e: e.update(follow_up_hints={}), "field-type"),
}


@given(envelopes(), st.sampled_from(sorted(MUTATIONS)))
@settings(max_examples=200, deadline=None)
def test_one_wrong_field_is_flagged_with_its_rule(envelope, name):
    applies, mutate, rule = MUTATIONS[name]
    assume(applies(envelope))
    broken = copy.deepcopy(envelope)
    mutate(broken)
    assert rule in {entry.partition(" ")[0] for entry in rules(broken)}


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
    assert keys.is_excerpt(envelope) is expected
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
            {**SUCCESS, "provenance": {"source": "inferred", "observed_in": {**SEEN, "last_seen": "2026-01-04"}}},
            "observed-in /provenance/observed_in",
            "order",
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
