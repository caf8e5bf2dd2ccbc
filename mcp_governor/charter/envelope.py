"""Structural checks of one envelope against the charter, on plain dicts, fast enough for every response.

This module alone decides what the models reject (see :mod:`mcp_governor.charter.v1_2`) and what validation reports
about a server's responses. Checks that need the server's surface are in :mod:`mcp_governor.charter.recovery`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.charter import facts
from mcp_governor.charter.breach import Breach, absent_keys, are_strings, root_keys, wrong_type
from mcp_governor.charter.failure import error_breaches
from mcp_governor.charter.trust import confidence_breaches, provenance_breaches

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


_VERSION_FORM = re.compile(r"\d+\.\d+", re.ASCII)

_LATER = (
    ("degradation_reason",),
    *(("error", key) for key in ("pii_categories", "anchor_entity")),
    *(("error", "recovery", key) for key in sorted(facts.REFUSAL_RECOVERY_KEYS)),
    *(("provenance", key) for key in ("inference_method", "validation_state")),
)
"""Fields that came after 1.0, by their place."""


def version_breaches(envelope: Mapping[str, Any]) -> list[Breach]:
    """Check that an envelope has a known charter version, and no feature of a later one."""
    version = envelope.get("charter_version")
    if not isinstance(version, str):
        return [_bad("missing", version)]
    if _VERSION_FORM.fullmatch(version) is None:
        return [_bad("form", version)]
    if version not in facts.VERSIONS:
        return [_bad("unknown", version)]
    return _newer_features(envelope, version) if version != facts.LATEST else []


def _bad(says: str, version: Any) -> Breach:
    return Breach.of("envelope/charter-version", "/charter_version", version, says=says, known=facts.VERSIONS)


def is_older(envelope: Mapping[str, Any], than: str) -> bool:
    """True if an envelope follows a known charter version before ``than``."""
    version = envelope.get("charter_version")
    return isinstance(version, str) and version in facts.VERSIONS and version < than


def _newer_features(envelope: Mapping[str, Any], version: str) -> list[Breach]:
    """Features in an envelope that its own charter version does not have yet."""
    used = [("status refused", "/status")] if envelope.get("status") == "refused" else []
    error = envelope.get("error")
    if isinstance(error, dict) and isinstance(error.get("kind"), str):
        used.append((f"kind {error['kind']}", "/error/kind"))
    for path in _LATER:
        value: Any = envelope
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if value:
            used.append((f"field {path[-1]}", f"/{'/'.join(path)}"))
    return [
        Breach.of(
            "envelope/version-feature", path, [version, what], version=version, feature=what, since=facts.SINCE[what]
        )
        for what, path in used
        if facts.SINCE.get(what, "1.0") > version
    ]


_KEYS = frozenset(facts.ENVELOPE_KEYS)


def looks_like_envelope(value: Any) -> bool:
    """True if a JSON value is meant as an envelope: an object with a known status, or with two envelope keys."""
    if not isinstance(value, dict):
        return False
    status = value.get("status")
    return (isinstance(status, str) and status in facts.STATUSES) or len(_KEYS & value.keys()) > 1


def envelope_breaches(
    envelope: Mapping[str, Any],
    *,
    kinds: Iterable[str] | None = facts.KINDS,
    reasons: Iterable[str] | None = facts.DEGRADATION_REASONS,
    excerpt: bool = False,
) -> list[Breach]:
    """All violations in an envelope that depend neither on what the server publishes nor on the meaning of the data.

    Args:
        envelope: the envelope as JSON; missing keys count as ``null``, and are also reported as missing.
        kinds: the known error kinds; ``None`` to accept any.
        reasons: the known degradation reasons; ``None`` to accept any.
        excerpt: the envelope may lack keys (:func:`mcp_governor.charter.breach.is_excerpt`).

    Returns:
        Breaches with pointers into the envelope, in the order of its keys.
    """
    out: list[Breach] = []
    status = envelope.get("status")
    if not isinstance(status, str) or status not in facts.STATUSES:
        out.append(Breach("envelope/status", "/status", status))
        status = None
    _pairing(envelope, status, out)
    error = envelope.get("error")
    if isinstance(error, dict):
        out += error_breaches(error, status, kinds)
    elif error is not None:
        out.append(wrong_type("/error", "an object or null", error))
    out += confidence_breaches(envelope)
    out += provenance_breaches(envelope.get("provenance"))
    _hints(envelope.get("follow_up_hints"), out)
    _degradation(envelope, status, reasons, out)
    if not excerpt:
        out += version_breaches(envelope)
        out += absent_keys(envelope)
    out += root_keys(envelope)
    return out


def _pairing(envelope: Mapping[str, Any], status: str | None, out: list[Breach]) -> None:
    """The combination of status, data and error (enforced upstream)."""
    data, error = envelope.get("data"), envelope.get("error")
    if status is None:
        return
    if status in facts.FAILURE_STATUSES:
        if error is None:
            out.append(Breach("envelope/error-missing", "/error", status))
        if data is not None:
            out.append(Breach("envelope/data-with-error", "/data", status))
        return
    if error is not None:
        out.append(Breach("envelope/error-unexpected", "/error", status))
    if status == "success" and data is None:
        out.append(Breach("envelope/data-missing", "/data", status))


def _hints(hints: Any, out: list[Breach]) -> None:
    if hints is None:
        return
    if not are_strings(hints):
        out.append(wrong_type("/follow_up_hints", "a list of tool names or null", hints))
        return
    low, high = facts.HINT_RANGE
    if not low <= len(hints) <= high:
        path = "/follow_up_hints"
        out.append(Breach.of("envelope/hint-count", path, hints, count=len(hints), low=low, high=high))


def _degradation(
    envelope: Mapping[str, Any], status: str | None, reasons: Iterable[str] | None, out: list[Breach]
) -> None:
    reason = envelope.get("degradation_reason")
    path = "/degradation_reason"
    if reason is None:
        if status == "degraded" and not is_older(envelope, facts.SINCE["field degradation_reason"]):
            out.append(Breach("envelope/degraded-reason", path))
        return
    if not isinstance(reason, str):
        out.append(wrong_type(path, "a string or null", reason))
        return
    if reasons is not None and reason not in reasons:
        out.append(Breach("envelope/degradation-reason", path, reason))
    if status is not None and status != "degraded":
        out.append(Breach.of("envelope/reason-unexpected", path, [status, reason], status=status))
