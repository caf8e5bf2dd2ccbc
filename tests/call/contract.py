"""Envelopes and results to edit: good ones, and what a check says of them."""

from __future__ import annotations

import json
from typing import Any

from mcp_governor.call.validate import validate_response


def envelope(**fields: Any) -> dict[str, Any]:
    return {
        "status": "success",
        "data": {"n": 1},
        "error": None,
        "confidence": None,
        "provenance": None,
        "follow_up_hints": None,
        "degradation_reason": None,
        "charter_version": "1.2",
        **fields,
    }


def failed(status: str = "error", version: str = "1.2", recovery: Any = None, **fields: Any) -> dict[str, Any]:
    given = {"fuzzy_matches": ["users"]} if recovery is None else recovery
    error = {"kind": "unknown_name", "message": "Table 'user' was not found.", "recovery": given, **fields}
    return envelope(status=status, data=None, charter_version=version, error=error)


def refused(**fields: Any) -> dict[str, Any]:
    return failed("refused", **{"kind": "pii_blocked", **fields})


def old(version: str, **fields: Any) -> dict[str, Any]:
    """An envelope of an older charter, which has no degradation_reason."""
    out = envelope(charter_version=version, **fields)
    if "degradation_reason" not in fields:
        del out["degradation_reason"]
    return out


def trust(method: str | None, state: str | None, source: str = "schema", **fields: Any) -> dict[str, Any]:
    return {"source": source, "inference_method": method, "validation_state": state, **fields}


def with_trust(
    confidence: str | None, method: str, state: str, source: str = "schema", **fields: Any
) -> dict[str, Any]:
    model = {"model": "m-1"} if source == "llm" else {}
    return envelope(confidence=confidence, provenance=trust(method, state, source, **model), **fields)


def fact(method: str, state: str, **fields: Any) -> dict[str, Any]:
    return {"inference_method": method, "validation_state": state, **fields}


REWRITE = {"rewritten": "count users", "reason": "Counts only."}
WIDENING = {"scope_requested": "finance", "would_unblock": True, "reason": "The table is in finance."}
SEEN = {"count": 3, "first_seen": "2026-01-05", "last_seen": "2026-02-01"}
HIGH_FACTS = trust("fk_constraint", "applied")

DEGRADED = {"status": "degraded", "degradation_reason": "fan_out_join"}
KEY_FACT, GUESS = fact("fk_constraint", "applied"), fact("llm_suggested", "applied")
PII = [
    *("contact", "financial", "payment_card", "health", "genetic", "biometric"),
    *("behavioral", "online_identifier", "credential", "government_id", "location", "demographic_protected"),
]


def keyed(confidence: str, **fields: Any) -> dict[str, Any]:
    """What follows from a foreign key, which alone would be worth HIGH."""
    return with_trust(confidence, "fk_constraint", "applied", **fields)


def result(structured: Any, text: str | None = None, **more: Any) -> dict[str, Any]:
    shown = json.dumps(structured) if text is None else text
    return {"content": [{"type": "text", "text": shown}], "structuredContent": structured, "isError": False, **more}


def found(value: Any, **more: Any) -> str:
    """The rules of the pack ``envelope`` that a response breaks, and no other pack's."""
    rules = [finding.rule for finding in validate_response(value, **more)]
    assert all(rule.startswith("envelope/") for rule in rules)
    return " ".join(sorted(rule.removeprefix("envelope/") for rule in rules))
