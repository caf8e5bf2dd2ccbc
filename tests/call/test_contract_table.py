"""Envelopes with the rules that each breaks, worked out from the charter's clauses before they were run.

A case is an edit of a good envelope; its twins are the near misses that keep the contract.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_governor.call.validate import ResponseChecker
from mcp_governor.rules import LintSettings, select
from tests.call.contract import (
    DEGRADED,
    GUESS,
    HIGH_FACTS,
    KEY_FACT,
    PII,
    REWRITE,
    SEEN,
    WIDENING,
    envelope,
    fact,
    failed,
    found,
    keyed,
    old,
    refused,
    result,
    trust,
    with_trust,
)

# Each: what it shows, the envelope, the rules that it breaks.
ENVELOPES: list[tuple[str, Any, str]] = [
    # Principle 1: statuses and what goes with them.
    ("success", envelope(), ""),
    ("success with an empty list", envelope(data=[]), "empty-success"),
    ("success with empty rows", envelope(data={"rows": []}), "empty-success"),
    ("success with false", envelope(data=False), ""),
    ("success with null", envelope(data=None), "data-missing"),
    ("empty with an empty list", envelope(status="empty", data=[]), ""),
    ("empty with a list", envelope(status="empty", data=[1, 2, 3]), "data-on-empty"),
    ("partial without a caveat", envelope(status="partial"), "partial-caveat"),
    ("partial with a caveat", envelope(status="partial", data={"n": 1, "skipped": ["a"]}), ""),
    ("partial with null", envelope(status="partial", data=None), ""),
    ("degraded with null", envelope(status="degraded", data=None, degradation_reason="fan_out_join"), ""),
    ("a status of another word", envelope(status="ok"), "status"),
    ("no status", {k: v for k, v in envelope().items() if k != "status"}, "status"),
    ("an error", failed(), ""),
    ("an error without its object", envelope(status="error", data=None), "error-missing"),
    ("a refusal without its object", envelope(status="refused", data=None), "error-missing"),
    ("an error with data", {**failed(), "data": {}}, "data-with-error"),
    ("an error that is a text", envelope(status="error", data=None, error="Table not found"), "field-type"),
    # Refusals and their kinds.
    ("a refusal", refused(), ""),
    ("a refusal by an allowlist", refused(kind="allowlist_violation"), ""),
    ("a refusal of an unknown name", failed("refused"), "refused-kind"),
    ("an error of a refusal's kind", failed(kind="pii_blocked"), "refusal-status"),
    ("a rewrite on a refusal", refused(recovery={"suggested_rewrite": REWRITE}), ""),
    ("a rewrite on an error", failed(recovery={"suggested_rewrite": REWRITE}), "refusal-fields"),
    ("a widening hint on a refusal", refused(kind="allowlist_violation", recovery={"widening_hint": WIDENING}), ""),
    ("a widening hint on an error", failed(recovery={"widening_hint": WIDENING}), "refusal-fields"),
    ("a null rewrite on an error", failed(recovery={"fuzzy_matches": ["a"], "suggested_rewrite": None}), ""),
    ("a rewrite without a reason", refused(recovery={"suggested_rewrite": {"rewritten": "a"}}), "field-type"),
    (
        "a widening hint that is unsure",
        refused(kind="allowlist_violation", recovery={"widening_hint": {**WIDENING, "would_unblock": "yes"}}),
        "field-type",
    ),
    ("a widening hint for personal data", refused(recovery={"widening_hint": WIDENING}), "widening-kind"),
    ("categories on a refusal", refused(pii_categories=["contact", "health"]), ""),
    ("all twelve categories", refused(pii_categories=PII), ""),
    ("an unknown category", refused(pii_categories=["email"]), "pii-category"),
    ("categories on an error", failed(pii_categories=["contact"]), "refusal-fields"),
    ("categories as a text", refused(pii_categories="contact"), "field-type"),
    ("an anchor entity", failed(anchor_entity="user"), ""),
    ("an anchor entity that is a number", failed(anchor_entity=7), "field-type"),
    # Principle 3: kinds.
    ("a kind of 1.0", failed(kind="cost_cap_exceeded"), ""),
    ("a kind of nobody", failed(kind="not_found"), "error-kind"),
    ("a kind of the protocol layer", failed(kind="invalid_argument"), "dispatch-kind"),
    ("no kind", failed(kind=None), "field-type"),
    # Principle 3: the message.
    ("two sentences", failed(message="Table 'user' was not found. Call list_tables."), "message-sentence"),
    ("an empty message", failed(message=""), "message-sentence"),
    ("no message", failed(message=None), "field-type"),
    ("an exception's name", failed(message="KeyError: 'user'"), "message-leak"),
    (
        "a trace",
        failed(message='Traceback (most recent call last):\n  File "a.py", line 1'),
        "message-leak message-sentence",
    ),
    # Principle 3: the recovery block.
    ("an empty recovery", failed(recovery={}), "recovery-empty"),
    (
        "a recovery of nulls",
        failed(recovery={"suggested_tool": None, "suggested_args": None, "fuzzy_matches": []}),
        "recovery-empty",
    ),
    ("a recovery that is a text", failed(recovery="try again"), "field-type"),
    ("fuzzy matches alone", failed(recovery={"fuzzy_matches": ["a", "b"]}), ""),
    ("a tool alone", failed(recovery={"suggested_tool": "list_all"}), ""),
    ("a tool that is a list", failed(recovery={"suggested_tool": ["list_all"]}), "field-type"),
    ("fuzzy matches that are a text", failed(recovery={"fuzzy_matches": "users"}), "field-type"),
    (
        "arguments for no tool",
        failed(recovery={"suggested_args": {"query": "user"}, "fuzzy_matches": ["a"]}),
        "",
    ),
    ("an internal error with nothing to try", failed(kind="internal_error", recovery={}), ""),
    ("a key of its own in the error", failed(details={"id": 3}), "unknown-key"),
    ("a trace in the error", failed(traceback="Traceback (most recent call last):"), "message-leak"),
    ("a key of its own in the recovery", failed(recovery={"fuzzy_matches": ["a"], "next_tool": "b"}), "unknown-key"),
    # Degradation.
    ("degraded with a reason", envelope(**DEGRADED), ""),
    ("degraded without a reason", envelope(status="degraded"), "degraded-reason"),
    (
        "degraded for a reason of its own",
        envelope(status="degraded", degradation_reason="keyword_fallback"),
        "degradation-reason",
    ),
    ("a reason that is a number", envelope(status="degraded", degradation_reason=3), "field-type"),
    ("a success with a reason", envelope(degradation_reason="fan_out_join"), "reason-unexpected"),
    # Principle 4: confidence.
    ("HIGH", envelope(confidence="HIGH"), ""),
    ("high", envelope(confidence="high"), "confidence"),
    ("manual applied", with_trust("HIGH", "manually_authored", "applied"), ""),
    ("manual draft", with_trust("MEDIUM", "manually_authored", "draft"), ""),
    ("manual draft overstated", with_trust("HIGH", "manually_authored", "draft"), "confidence-derivation"),
    ("a key applied", keyed("HIGH"), ""),
    ("a key understated", with_trust("LOW", "fk_constraint", "applied"), "confidence-derivation"),
    ("a model's draft", with_trust("LOW", "llm_suggested", "draft", "llm"), ""),
    ("a model's draft overstated", with_trust("MEDIUM", "llm_suggested", "draft", "llm"), "confidence-derivation"),
    (
        "a model's applied guess overstated",
        with_trust("HIGH", "llm_suggested", "applied", "llm"),
        "confidence-derivation",
    ),
    ("observed and applied", with_trust("MEDIUM", "observed_in_query_log", "applied", "inferred"), ""),
    (
        "observed, a draft, overstated",
        with_trust("HIGH", "observed_in_query_log", "draft", "inferred"),
        "confidence-derivation",
    ),
    ("no confidence where one follows", with_trust(None, "fk_constraint", "applied"), "confidence-derivation"),
    ("one axis is no signal", envelope(confidence="LOW", provenance=trust("fk_constraint", None)), ""),
    ("degraded caps at MEDIUM", keyed("MEDIUM", **DEGRADED), ""),
    ("degraded and HIGH", keyed("HIGH", **DEGRADED), "confidence-derivation"),
    ("redacted caps at MEDIUM", keyed("MEDIUM", data={"redacted_columns": ["a"]}), ""),
    ("redacted and HIGH", keyed("HIGH", data={"redacted_columns": ["a"]}), "confidence-derivation"),
    ("nothing redacted", keyed("HIGH", data={"redacted_columns": [], "redacted": False}), ""),
    ("a redacted item", keyed("HIGH", data=[{"redacted": True}]), "confidence-derivation"),
    ("the worst item of a list", keyed("MEDIUM", data=[KEY_FACT, GUESS]), ""),
    ("a list better than its worst item", keyed("HIGH", data=[KEY_FACT, GUESS]), "confidence-derivation"),
    (
        "the fact itself",
        with_trust("HIGH", "manually_authored", "applied", data=fact("manually_authored", "applied")),
        "",
    ),
    (
        "a fact worse than its provenance",
        with_trust("HIGH", "manually_authored", "applied", data=fact("llm_suggested", "draft")),
        "confidence-derivation",
    ),
    # Principle 4: provenance.
    ("a schema's fact", envelope(provenance={"source": "schema"}), ""),
    ("a named model", envelope(provenance={"source": "llm", "model": "m-1"}), ""),
    ("an inference", envelope(provenance={"source": "inferred", "observed_in": SEEN}), ""),
    ("an inference from nowhere", envelope(provenance={"source": "inferred"}), "observed-in"),
    ("a model without its name", envelope(provenance={"source": "llm"}), "provenance-model"),
    ("a key of its own in the provenance", envelope(provenance={"source": "schema", "foo": 1}), "unknown-key"),
    ("a raw confidence in the data", envelope(data={"columns": [{"confidence": 0.8}]}), "field-trust"),
    ("a raw score in the data", envelope(data={"description": "Users", "score": 0.847}), "raw-score"),
    ("an unknown source", envelope(provenance={"source": "human"}), "provenance"),
    ("no source", envelope(provenance={}), "provenance"),
    ("an unknown method", envelope(provenance=trust("guessed", None)), "provenance"),
    ("an unknown state", envelope(provenance=trust(None, "final")), "provenance"),
    (
        "a source against its method",
        envelope(confidence="HIGH", provenance=trust("fk_constraint", "applied", "llm", model="m")),
        "provenance-source",
    ),
    ("a model that is a number", envelope(provenance={"source": "llm", "model": 4}), "field-type"),
    ("an observation that is a number", envelope(provenance={"source": "inferred", "observed_in": 4}), "field-type"),
    # Follow-up hints.
    ("one hint", envelope(follow_up_hints=["a"]), ""),
    ("three hints", envelope(follow_up_hints=["a", "b", "c"]), ""),
    ("no hint at all", envelope(follow_up_hints=[]), "hint-count"),
    ("four hints", envelope(follow_up_hints=["a", "b", "c", "d"]), "hint-count"),
    ("hints as a text", envelope(follow_up_hints="a"), "field-type"),
    ("hints that are numbers", envelope(follow_up_hints=[1]), "field-type"),
    # The charter's version.
    ("a patch on the wire", envelope(charter_version="1.2.0"), "charter-version"),
    ("a letter before it", envelope(charter_version="v1.2"), "charter-version"),
    ("a version of the future", envelope(charter_version="2.0"), "charter-version"),
    ("a numeric version", envelope(charter_version=1.2), "charter-version"),
    ("no version", envelope(charter_version=None), "charter-version"),
    ("1.0", old("1.0"), ""),
    ("1.1", old("1.1"), ""),
    ("an error of 1.0", failed(version="1.0"), ""),
    ("an error of 1.1", failed(version="1.1"), ""),
    ("degraded in 1.0", old("1.0", status="degraded"), ""),
    ("degraded in 1.1", old("1.1", status="degraded"), ""),
    ("a reason in 1.1", old("1.1", **DEGRADED), "version-feature"),
    ("a refusal in 1.1", {**refused(), "charter_version": "1.1"}, ""),
    ("a refusal in 1.0", {**refused(), "charter_version": "1.0"}, "version-feature version-feature"),
    ("a kind of 1.1 in 1.0", failed(version="1.0", kind="unknown_metric"), "version-feature"),
    ("a kind of 1.1 in 1.1", failed(version="1.1", kind="unknown_metric"), ""),
    ("a kind of 1.2 in 1.1", failed(version="1.1", kind="ambiguous_time_dimension"), "version-feature"),
    ("an anchor in 1.1", failed(version="1.1", anchor_entity="user"), "version-feature"),
    ("trust axes in 1.1", old("1.1", confidence="HIGH", provenance=HIGH_FACTS), "version-feature version-feature"),
    ("plain provenance in 1.0", old("1.0", provenance={"source": "schema"}), ""),
    # The root is closed.
    ("an own key", envelope(meta={}), "unknown-key"),
    ("two own keys", envelope(meta={}, warnings=[]), "unknown-key unknown-key"),
    ("the least that names its version", {"status": "empty", "charter_version": "1.2"}, "keys-absent"),
]


@pytest.mark.parametrize(("value", "rules"), [case[1:] for case in ENVELOPES], ids=[case[0] for case in ENVELOPES])
def test_an_envelope(value, rules):
    assert found(value) == rules
    assert found(result(value)) == rules


# Envelopes of the two documents as they are there: excerpts, which leave out keys and the version among them.
DOCUMENTS: list[tuple[str, Any, str]] = [
    (
        "principle 1, wrong",
        {"data": [], "error": None},
        "status",
    ),
    (
        "principle 1, right",
        {"status": "empty", "data": [], "error": None, "follow_up_hints": ["list_indexed_schemas"]},
        "",
    ),
    (
        "principle 3, right; structured recovery, the same with another tool",
        {
            "status": "error",
            "error": {
                "kind": "unknown_name",
                "message": "Table 'user' not found in the indexed schema.",
                "recovery": {
                    "suggested_tool": "find_relevant_tables",
                    "suggested_args": {"query": "user"},
                    "fuzzy_matches": ["users", "user_profiles", "auth.users"],
                },
            },
        },
        "",
    ),
    (
        "principle 4, wrong, in the data of a response",
        {"status": "success", "data": {"description": "User account record", "score": 0.847}},
        "raw-score",
    ),
    (
        "principle 4, right",
        {
            "status": "success",
            "data": {
                "description": "User account record",
                "confidence": "MEDIUM",
                "provenance": {"source": "llm", "model": "claude-haiku-4-5"},
            },
        },
        "",
    ),
    (
        "structured recovery, degraded",
        {"status": "degraded", "data": {"rows": [{"n": 1}]}, "degradation_reason": "fan_out_join"},
        "",
    ),
    (
        "structured recovery, hints",
        {"status": "success", "data": {"entities": [{"name": "a"}]}, "follow_up_hints": ["describe_entity"]},
        "",
    ),
    (
        "structured recovery, the candidate to retry with",
        {
            "status": "error",
            "error": {
                "kind": "ambiguous_time_dimension",
                "message": "Two dates would do.",
                "recovery": {"suggested_args": {"time_dimension": "order.placed_at"}},
            },
        },
        "",
    ),
]


@pytest.mark.parametrize(("value", "rules"), [case[1:] for case in DOCUMENTS], ids=[case[0] for case in DOCUMENTS])
def test_an_example_of_the_documents(value, rules):
    assert found(value) == rules
    assert found(result(value)) == rules


def test_what_a_server_sends_is_not_an_excerpt():
    checker = ResponseChecker(select(LintSettings(profiles=("charter",))))
    for _, value, rules in DOCUMENTS:
        reported = {finding.rule.removeprefix("envelope/") for finding in checker.check(result(value), live=True)}
        assert reported == {*rules.split(), "charter-version"}


# Text of the mirror against structured content.
MIRRORED = envelope(data={"a": 1, "b": [True, None, "é"], "c": 0.5})
MIRRORS: list[tuple[str, str, bool]] = [
    ("compact", json.dumps(MIRRORED, separators=(",", ":")), True),
    ("other order", json.dumps(MIRRORED, sort_keys=True), True),
    ("escapes", json.dumps(MIRRORED, ensure_ascii=True), True),
    ("1.0 for 1", json.dumps(MIRRORED).replace('"a": 1', '"a": 1.0'), True),
    ("true for 1", json.dumps(MIRRORED).replace('"a": 1', '"a": true'), False),
    ('"1" for 1', json.dumps(MIRRORED).replace('"a": 1', '"a": "1"'), False),
    ("a key less", json.dumps({k: v for k, v in MIRRORED.items() if k != "provenance"}), False),
    ("another order of items", json.dumps(MIRRORED).replace("true, null", "null, true"), False),
    ("a key twice", json.dumps(MIRRORED).replace('"a": 1', '"a": 1, "a": 1'), False),
    ("a summary", "One row was found.", False),
    ("nothing", "", False),
    ("nested too deep", "[" * 50_000, False),
    ("not a number", json.dumps(MIRRORED).replace("0.5", "NaN"), False),
    ("fenced", f"```json\n{json.dumps(MIRRORED)}\n```", False),
]


@pytest.mark.parametrize(("text", "same"), [case[1:] for case in MIRRORS], ids=[case[0] for case in MIRRORS])
def test_a_mirror(text, same):
    assert found(result(MIRRORED, text)) == ("" if same else "text-mirror")


def test_the_mirror_is_the_first_block():
    structured = envelope()
    text = {"type": "text", "text": json.dumps(structured)}
    image = {"type": "image", "data": "AA==", "mimeType": "image/png"}
    assert found(result(structured) | {"content": [text, image]}) == ""
    assert found(result(structured) | {"content": [image, text]}) == "text-mirror"
    assert found(result(structured) | {"content": []}) == "text-mirror"


def test_size_is_what_a_model_reads():
    small = result(envelope())
    padding = {"type": "text", "text": "x" * 100_000}
    assert found(small | {"content": [*small["content"], padding]}) == "size"
    # 25,000 tokens at four characters each; the largest that is under the cap, and the smallest that is not.
    base = len(json.dumps(envelope(data="")))
    assert found(result(envelope(data="x" * (99_996 - base)))) == ""
    assert found(result(envelope(data="x" * (100_000 - base)))) == "size"
    # A summary instead of the mirror hides nothing: hosts pass the structured content on.
    large = result(envelope(data="x" * 100_000), "Much was found.")
    assert found(large) == "size text-mirror"
