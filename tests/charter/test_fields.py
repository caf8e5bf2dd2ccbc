"""What fields of the data say, by name: which are found, and which near misses are left alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from mcp_governor.call.words import words
from mcp_governor.charter.fields import field_breaches
from tests.charter.envelopes import DEGRADED, ERROR, SUCCESS, envelopes

TRACE = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: 1'
HIGH = {"source": "schema", "inference_method": "fk_constraint", "validation_state": "applied"}


def found(data, status="success", tool=""):
    envelope = {**SUCCESS, "status": status, "data": data}
    return " ".join(
        f"{breach.rule.removeprefix('envelope/')} {breach.path}" for breach in field_breaches(envelope, words(tool))
    )


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        # Principle 4: buckets on every field.
        ({"confidence": "HIGH"}, ""),
        ({"confidence": 0.8}, "field-trust /data/confidence"),
        ({"confidence": True}, "field-trust /data/confidence"),
        ({"confidence": "high"}, "field-trust /data/confidence"),
        ({"cols": [{"confidence": "LOW"}, {"confidence": "high"}]}, "field-trust /data/cols/1/confidence"),
        ({"a": {"b": {"confidence": 0.5}}}, "field-trust /data/a/b/confidence"),
        ([[{"confidence": 0.5}]], "field-trust /data/0/0/confidence"),
        # once for a list, however long
        ([{"confidence": 0.5}] * 1000, "field-trust /data/0/confidence"),
        ({"a/b": {"confidence": 1}}, "field-trust /data/a~1b/confidence"),
        # figures of statistics, and a name for something else
        ({"low": 1.0, "high": 2.0, "confidence": 0.95}, ""),
        ({"rule": "a→b", "support": 0.2, "confidence": 0.8, "lift": 1.4}, ""),
        ({"confidence": {"interval": [1, 2]}}, ""),
        # Provenance on fields.
        ({"provenance": {"source": "llm", "model": "m-1"}}, ""),
        ({"provenance": {"source": "oracle"}}, "field-trust /data/provenance/source"),
        ({"provenance": {"source": "llm"}}, "provenance-model /data/provenance/model"),
        ({"provenance": {"source": "llm", "model": 4}}, "field-trust /data/provenance/model"),
        ({"provenance": {"source": "inferred"}}, "observed-in /data/provenance/observed_in"),
        ({"provenance": {"source": "schema", "by": "me"}}, "unknown-key /data/provenance/by"),
        ({"provenance": {**HIGH, "source": "llm", "model": "m"}}, "provenance-source /data/provenance/source"),
        ({"provenance": "Bought in 1887 from the painter's estate."}, ""),
        ({"provenance": {"bought": 1887}}, ""),
        # Both.
        ({"confidence": "HIGH", "provenance": HIGH}, ""),
        ({"confidence": "LOW", "provenance": HIGH}, "confidence-derivation /data/confidence"),
        ({"confidence": "MEDIUM", "redacted": True, "provenance": HIGH}, ""),
        ([{"confidence": "LOW", **HIGH}], "confidence-derivation /data/0/confidence"),
        ({"provenance": HIGH}, ""),
    ],
)
def test_trust_in_fields(data, expected):
    assert found(data) == expected


def test_a_degraded_result_may_cap_its_fields():
    data = {"confidence": "MEDIUM", "provenance": HIGH}
    assert [*field_breaches({**DEGRADED, "data": data})] == []


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"description": "User account record", "score": 0.847}, "/data/score"),
        ([{"title": "a", "url": "b", "score": 0.83}], "/data/0/score"),
        ({"hits": [{"text": "a", "Similarity": 0.3}]}, "/data/hits/0/Similarity"),
        ({"name": "a", "_score": 11.25}, "/data/_score"),
        ({"value": "x", "confidence_score": 0.9}, "/data/confidence_score"),
        # a ranking names its figures, whatever stands beside them
        ({"name": "a", "similarity": 0.5, "rank": 1}, "/data/similarity"),
        # domain figures
        ({"name": "Final", "score": 12}, ""),
        ({"name": "Final", "score": 0.5, "home": "a", "away": "b"}, ""),
        ({"name": "a", "score": 1.0}, ""),
        ({"name": "a", "score": "A+"}, ""),
        ({"name": "a", "score": 0.84, "max_score": 1}, ""),
        ({"first": "a b", "second": "a c", "similarity": 0.83}, ""),
        ({"similarity": 0.83}, ""),
        ({"name": "a", "probability": 0.3}, ""),
    ],
)
def test_raw_scores(data, expected):
    assert found(data) == (f"raw-score {expected}" if expected else "")


@pytest.mark.parametrize(("tool", "finds"), [("search_docs", True), ("runAudit", False), ("league_results", False)])
def test_a_tool_that_is_asked_for_scores_may_give_them(tool, finds):
    assert bool(found([{"name": "a", "score": 0.84}], tool=tool)) is finds


@pytest.mark.parametrize(
    ("data", "status", "expected"),
    [
        # the server speaks
        ({"rows": [], "warnings": ["sqlite3.OperationalError: locked"]}, "success", "/data/warnings"),
        ({"rows": [1], "note": f"It failed: {TRACE}"}, "partial", "/data/note"),
        ({"rows": [1], "err": TRACE}, "success", "/data/err"),
        ({"err": TRACE}, "success", "/data/err"),
        ({"Traceback": TRACE}, "partial", "/data/Traceback"),
        ({"a": 1, "skipped": [{"item": "x", "reason": "ok"}, {"item": "y", "reason": "KeyError: 1"}]}, "partial",
         "/data/skipped/1/reason"),
        ({"failed": {"b": "ENOENT: no such file"}}, "partial", "/data/failed/b"),
        ({"errors": ["ConnectionResetError"]}, "degraded", "/data/errors/0"),
        ("TypeError: x is undefined", "partial", "/data"),
        # data
        ({"lines": [TRACE]}, "success", ""),
        ({"content": TRACE}, "success", ""),
        ({"job": "a", "state": "failed", "error": TRACE}, "success", ""),
        ({"stdout": "", "exit_code": 1, "warnings": ["DeprecationWarning: old"]}, "success", ""),
        ({"items": [{"note": "KeyError: 1"}]}, "success", ""),
        ({"errors": [{"message": "KeyError: 1"}]}, "success", ""),
        (TRACE, "success", ""),
        ([TRACE], "success", ""),
        ({"warnings": ["3 of 8 tables timed out"]}, "partial", ""),
        ({"warnings": ["No event named 'KeyError' was seen."]}, "success", ""),
    ],
)  # fmt: skip
def test_internals_in_the_data(data, status, expected):
    assert found(data, status) == (f"data-leak {expected}" if expected else "")


@pytest.mark.parametrize("tool", ["get_build_log", "list_errors", "runTests", "sentry_issue"])
def test_a_tool_that_is_asked_for_failures_may_show_them(tool):
    assert found({"err": TRACE}) == "data-leak /data/err"
    assert found({"err": TRACE}, tool=tool) == ""


@given(envelopes())
@settings(max_examples=60, deadline=None)
def test_a_good_envelope_has_no_such_field(envelope):
    assert [*field_breaches(envelope)] == []


def test_data_as_deep_as_they_like_are_read_to_the_end():
    data = {"confidence": 0.5}
    for _ in range(100_000):
        data = {"n": data}
    (breach,) = field_breaches({**SUCCESS, "data": data})
    assert breach.path.endswith("/n/confidence")
    assert [*field_breaches(ERROR)] == []
