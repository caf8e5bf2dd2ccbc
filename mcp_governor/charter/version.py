"""Checks that an envelope declares its charter version and uses only features of that version."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.charter import facts
from mcp_governor.charter.breach import Breach

if TYPE_CHECKING:
    from collections.abc import Mapping

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
