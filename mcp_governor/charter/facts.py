"""The charter's closed sets and tables, free of Pydantic so that lint and call load them quickly.

Sources: the charter, version 1.2 (principles 1 to 5, "Response envelope", "Per-tool metadata", "Versioning"), the page
on structured recovery (registry of kinds, degradation reasons), and four releases of the reference server: the first
release that lists a kind shows which charter version added it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.surface.deprecations import META_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CharterVersion = Literal["1.0", "1.1", "1.2"]
"""The version of the contract in responses: ``major.minor``, never a patch (charter, "Versioning")."""

VERSIONS: Final[tuple[str, ...]] = get_args(CharterVersion)
LATEST: Final = "1.2"

Status10 = Literal["success", "empty", "partial", "degraded", "error"]
Status = Literal[Status10, "refused"]
"""Principle 1."""

Confidence = Literal["HIGH", "MEDIUM", "LOW"]
"""Principle 4, from the most to the least certain."""

ErrorKind10 = Literal[
    "unknown_name",
    "malformed_name",
    "missing_credential",
    "index_not_ready",
    "schema_drift",
    "cost_cap_exceeded",
    "internal_error",
]

ErrorKind11 = Literal[
    ErrorKind10,
    "pii_blocked",
    "policy_blocked",
    "allowlist_violation",
    "no_canonical_join",
    "ambiguous_join",
    "unknown_join_name",
    "join_name_mismatch",
    "unknown_metric",
    "unreachable_entity",
    "invalid_time_grain",
    "grain_mismatch",
    "invalid_argument",
]

ErrorKind = Literal[
    ErrorKind11,
    "ambiguous_path",
    "unknown_via_join",
    "unknown_order_by_column",
    "unknown_group_by_column",
    "unknown_filter_column",
    "unknown_measure_column",
    "ambiguous_time_dimension",
]
"""Principle 3 and its registry: 26 kinds. A server may add its own (a minor step of its charter version)."""

DegradationReason = Literal["fan_out_join", "missing_order_by_with_limit", "time_dimension_unavailable"]

PiiCategory = Literal[
    "contact",
    "financial",
    "payment_card",
    "health",
    "genetic",
    "biometric",
    "behavioral",
    "online_identifier",
    "credential",
    "government_id",
    "location",
    "demographic_protected",
]

Source = Literal["schema", "llm", "inferred"]

InferenceMethod = Literal["manually_authored", "llm_suggested", "fk_constraint", "dbt_import", "observed_in_query_log"]
"""How a fact was obtained (charter 1.2)."""

ValidationState = Literal["draft", "applied", "confirmed"]
"""How far a fact was validated (charter 1.2)."""

SideEffects = Literal["none", "read", "write"]
LatencyHint = Literal["fast", "moderate", "slow"]
ResponseFormat = Literal["concise", "detailed"]

STATUSES: Final[frozenset[str]] = frozenset(get_args(Status))
CONFIDENCES: Final[frozenset[str]] = frozenset(get_args(Confidence))
KINDS: Final[frozenset[str]] = frozenset(get_args(ErrorKind))
DEGRADATION_REASONS: Final[frozenset[str]] = frozenset(get_args(DegradationReason))
PII_CATEGORIES: Final[frozenset[str]] = frozenset(get_args(PiiCategory))
SOURCES: Final[frozenset[str]] = frozenset(get_args(Source))
INFERENCE_METHODS: Final[frozenset[str]] = frozenset(get_args(InferenceMethod))
VALIDATION_STATES: Final[frozenset[str]] = frozenset(get_args(ValidationState))

FAILURE_STATUSES: Final[frozenset[str]] = frozenset({"error", "refused"})
"""The statuses with an error and without data."""

REFUSAL_KINDS: Final[frozenset[str]] = frozenset({"pii_blocked", "policy_blocked", "allowlist_violation"})
"""The kinds that a refusal must have, and that only a refusal may have (principle 1, ``refused``)."""

DISPATCH_KINDS: Final[frozenset[str]] = frozenset({"invalid_argument"})
"""Kinds that are handled at the protocol layer and never appear in an envelope (registry, "MCP dispatch")."""

ENVELOPE_KEYS: Final[tuple[str, ...]] = (
    "status",
    "data",
    "error",
    "confidence",
    "provenance",
    "follow_up_hints",
    "degradation_reason",
    "charter_version",
)
ERROR_KEYS: Final[frozenset[str]] = frozenset({"kind", "message", "recovery", "pii_categories", "anchor_entity"})
RECOVERY_KEYS: Final[frozenset[str]] = frozenset(
    {"suggested_tool", "suggested_args", "fuzzy_matches", "suggested_rewrite", "widening_hint"}
)
REFUSAL_RECOVERY_KEYS: Final[frozenset[str]] = frozenset({"suggested_rewrite", "widening_hint"})
PROVENANCE_KEYS: Final[frozenset[str]] = frozenset(
    {"source", "model", "observed_in", "inference_method", "validation_state"}
)
REWRITE_MEMBERS: Final[Mapping[str, str]] = {"rewritten": "a string", "reason": "a string"}
WIDENING_MEMBERS: Final[Mapping[str, str]] = {
    "scope_requested": "a string",
    "would_unblock": "a boolean",
    "reason": "a string",
}
"""Members of what a refusal may suggest, with their types in the reference server's models. The sources define no type,
so a plain string is accepted as well."""

WIDENING_KIND: Final = "allowlist_violation"
"""The only kind that may have a widening hint (structured recovery, "The Recovery block")."""

NO_RETRY_KIND: Final = "internal_error"
"""A bug: the agent should not retry, so there may be nothing to try (registry)."""

SINCE: Final[dict[str, str]] = {
    **{f"kind {kind}": "1.1" for kind in set(get_args(ErrorKind11)) - set(get_args(ErrorKind10))},
    **{f"kind {kind}": "1.2" for kind in set(get_args(ErrorKind)) - set(get_args(ErrorKind11))},
    "status refused": "1.1",
    "field pii_categories": "1.1",
    "field suggested_rewrite": "1.1",
    "field widening_hint": "1.1",
    "field degradation_reason": "1.2",
    "field inference_method": "1.2",
    "field validation_state": "1.2",
    "field anchor_entity": "1.2",
}
"""What was added after 1.0, by ``kind NAME``, ``status NAME`` or ``field NAME``."""

HINT_RANGE: Final = (1, 3)
"""Number of follow-up hints in a response that has any ("Response envelope")."""


HIGH_FROM: Final = 0.8
"""Lower bound of the highest bucket (principle 4); configurable upstream, fixed here."""
MEDIUM_FROM: Final = 0.5
"""Lower bound of the middle bucket, like ``HIGH_FROM`` for the highest."""

LATENCY_FAST_BELOW_MS: Final = 100.0
"""Upper bound of ``fast`` ("Hint semantics")."""
LATENCY_SLOW_FROM_MS: Final = 1000.0
"""Lower bound of ``slow`` ("Hint semantics")."""

DERIVED: Final[dict[str, tuple[str, str, str, str]]] = {
    "manually_authored": ("MEDIUM", "HIGH", "HIGH", "schema"),
    "fk_constraint": ("MEDIUM", "HIGH", "HIGH", "schema"),
    "dbt_import": ("MEDIUM", "HIGH", "HIGH", "schema"),
    "llm_suggested": ("LOW", "MEDIUM", "HIGH", "llm"),
    "observed_in_query_log": ("LOW", "MEDIUM", "HIGH", "inferred"),
}
"""Inference method → confidence as draft, applied, confirmed; and the source it implies (charter 1.2)."""

_STATE_INDEX: Final = {"draft": 0, "applied": 1, "confirmed": 2}
CONFIDENCE_RANK: Final = {"LOW": 0, "MEDIUM": 1, "HIGH": 2}

HINTS_OF_SIDE_EFFECTS: Final[dict[str, dict[str, bool]]] = {
    "none": {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False},
    "read": {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": True},
    "write": {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": True},
}
"""The charter's side effects → the protocol's hints ("Canonical MCP hint mapping")."""


def bucket(score: float) -> Confidence:
    """The bucket for an internal score between 0 and 1 (principle 4).

    Raises:
        ValueError: the score is not between 0 and 1.
    """
    if not 0.0 <= score <= 1.0:
        raise ValueError(f"a confidence score lies between 0 and 1, not at {score}")
    if score >= HIGH_FROM:
        return "HIGH"
    return "MEDIUM" if score >= MEDIUM_FROM else "LOW"


def derive_confidence(
    inference_method: InferenceMethod, validation_state: ValidationState, *, capped: bool = False
) -> Confidence:
    """The confidence that follows from the two trust axes (charter 1.2, "2D trust signal").

    Args:
        inference_method: how the fact was obtained.
        validation_state: how far it was validated.
        capped: the result is degraded or redacted, so that MEDIUM is the maximum.
    """
    derived = DERIVED[inference_method][_STATE_INDEX[validation_state]]
    if capped and derived == "HIGH":
        return "MEDIUM"
    return cast("Confidence", derived)


def worst_confidence(confidences: Iterable[Confidence]) -> Confidence | None:
    """The confidence in a list of facts: that of its worst item; ``None`` for an empty list."""
    return min(confidences, key=CONFIDENCE_RANK.__getitem__, default=None)


def canonical_hints(side_effects: SideEffects, *, idempotent: bool) -> dict[str, bool]:
    """The protocol's four hints for a tool that declares these charter fields ("Canonical MCP hint mapping")."""
    return {**HINTS_OF_SIDE_EFFECTS[side_effects], "idempotentHint": idempotent}


def latency_hint(milliseconds: float) -> LatencyHint:
    """The latency hint for a typical response time ("Hint semantics")."""
    if milliseconds < LATENCY_FAST_BELOW_MS:
        return "fast"
    return "moderate" if milliseconds < LATENCY_SLOW_FROM_MS else "slow"


META_KEY: Final = f"{META_PREFIX}charter"
"""The ``_meta`` key under which our models publish a tool's charter metadata."""

METADATA_KEYS: Final[tuple[str, ...]] = (
    "cost_hint",
    "latency_hint",
    "idempotent",
    "side_effects",
    "charter_version",
)
"""The metadata that the charter requires for a tool ("Per-tool metadata"), apart from the protocol's own fields."""


def declared_metadata(tool: Mapping[str, Any]) -> dict[str, Any]:
    """The charter metadata of a raw tool: under our ``_meta`` key, else as plain keys.

    Returns:
        The keys of :data:`METADATA_KEYS` that are present, with any values.
    """
    meta = tool.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    own = meta.get(META_KEY)
    for place in (own, meta, tool):
        if isinstance(place, dict) and any(key in place for key in METADATA_KEYS):
            return {key: place[key] for key in METADATA_KEYS if key in place}
    return {}


def metadata_place(tool: Mapping[str, Any], key: str) -> str:
    """JSON pointer to a metadata field of a raw tool, or to where it belongs."""
    meta = tool.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    if isinstance(meta.get(META_KEY), dict):
        return join_pointer("/_meta", META_KEY, key)
    return f"/_meta/{key}" if key in meta else join_pointer("", key) if key in tool else ""


def estimate_tokens(characters: int) -> int:
    """Estimated number of tokens, at four characters each (no tokenizer is that of every reader)."""
    return -(-characters // 4)
