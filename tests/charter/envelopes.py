"""Envelopes for tests: the smallest good ones, strategies for all good ones, and how to break them."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import strategies as st

from mcp_governor.charter import facts

SUCCESS: dict[str, Any] = {
    "status": "success",
    "data": {},
    "error": None,
    "confidence": None,
    "provenance": None,
    "follow_up_hints": None,
    "degradation_reason": None,
    "charter_version": "1.2",
}
RECOVERY: dict[str, Any] = {"suggested_tool": "find", "suggested_args": {"q": "user"}, "fuzzy_matches": ["users"]}
ERROR: dict[str, Any] = {
    **SUCCESS,
    "status": "error",
    "data": None,
    "error": {"kind": "unknown_name", "message": "No table is called user.", "recovery": RECOVERY},
}
REFUSAL: dict[str, Any] = {
    **SUCCESS,
    "status": "refused",
    "data": None,
    "error": {
        "kind": "pii_blocked",
        "message": "The column holds contact data.",
        "recovery": RECOVERY,
        "pii_categories": ["contact"],
    },
}
DEGRADED: dict[str, Any] = {**SUCCESS, "status": "degraded", "degradation_reason": "fan_out_join"}


def without(envelope: dict[str, Any], *keys: str) -> dict[str, Any]:
    """The envelope without some of its keys."""
    return {key: value for key, value in envelope.items() if key not in keys}


def with_error(envelope: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """The envelope with other fields of its error."""
    return {**envelope, "error": {**envelope["error"], **fields}}


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
_DATA = {
    "success": st.fixed_dictionaries({"n": st.integers(min_value=1), "value": _json}),
    "empty": st.sampled_from([None, [], {"rows": []}]),
    "partial": st.none() | st.fixed_dictionaries({"value": _json, "skipped": st.just(["a"])}),
    "degraded": _json,
}
_words = st.text("abcdefghij _-", min_size=1, max_size=30).filter(lambda text: text.strip() != "")
messages = _words.map(lambda words: f"Nothing is called {words.strip()}.")
hints = st.none() | st.lists(st.sampled_from(["find", "list"]), min_size=1, max_size=3)

_REFUSALS = sorted(facts.REFUSAL_KINDS)
_ERRORS = sorted(facts.KINDS - facts.REFUSAL_KINDS - facts.DISPATCH_KINDS)

recoveries = st.fixed_dictionaries(
    {},
    optional={
        "suggested_tool": st.just("list"),
        "suggested_args": st.none(),
        "fuzzy_matches": st.lists(st.text(max_size=5), max_size=3),
    },
).map(lambda block: {**block, "suggested_tool": "list"} if not block.get("fuzzy_matches") else block)


@st.composite
def provenances(draw: st.DrawFn) -> tuple[dict[str, Any] | None, str | None]:
    """A provenance, and the confidence that goes with it."""
    if draw(st.booleans()):
        return None, draw(st.none() | st.sampled_from(get_args(facts.Confidence)))
    method = draw(st.sampled_from(sorted(facts.DERIVED)))
    state = draw(st.sampled_from(get_args(facts.ValidationState)))
    provenance = {"source": facts.DERIVED[method][3], "model": "model-1", "inference_method": method}
    return {**provenance, "validation_state": state}, facts.derive_confidence(method, state)


@st.composite
def envelopes(draw: st.DrawFn) -> dict[str, Any]:
    """A good envelope of charter 1.2, of any status."""
    status = draw(st.sampled_from(get_args(facts.Status)))
    out: dict[str, Any] = {**SUCCESS, "status": status, "data": None}
    if status in facts.FAILURE_STATUSES:
        refused = status == "refused"
        out["error"] = {
            "kind": draw(st.sampled_from(_REFUSALS if refused else _ERRORS)),
            "message": draw(messages),
            "recovery": draw(recoveries),
        }
        if refused and draw(st.booleans()):
            out["error"]["pii_categories"] = draw(st.lists(st.sampled_from(sorted(facts.PII_CATEGORIES)), max_size=3))
            out["error"]["recovery"]["suggested_rewrite"] = {"rewritten": "a", "reason": "b"}
        return out
    provenance, confidence = draw(provenances())
    out |= {"provenance": provenance, "confidence": confidence, "follow_up_hints": draw(hints)}
    out["data"] = draw(_DATA[status])
    if status == "degraded":
        out["degradation_reason"] = draw(st.sampled_from(sorted(facts.DEGRADATION_REASONS)))
        if provenance is not None and confidence == "HIGH":
            out["confidence"] = "MEDIUM"
    return out
