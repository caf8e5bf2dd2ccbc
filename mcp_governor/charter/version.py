"""Checks that an envelope declares its charter version and uses only features of that version."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.charter import facts
from mcp_governor.charter.breach import Breach

if TYPE_CHECKING:
    from collections.abc import Mapping

_VERSION_FORM = re.compile(r"\d+\.\d+", re.ASCII)


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
    used: list[tuple[str, str]] = []
    error, provenance = envelope.get("error"), envelope.get("provenance")
    if envelope.get("status") == "refused":
        used.append(("status refused", "/status"))
    if envelope.get("degradation_reason") is not None:
        used.append(("field degradation_reason", "/degradation_reason"))
    if isinstance(error, dict):
        if isinstance(error.get("kind"), str):
            used.append((f"kind {error['kind']}", "/error/kind"))
        used += [(f"field {key}", f"/error/{key}") for key in ("pii_categories", "anchor_entity") if error.get(key)]
        recovery = error.get("recovery")
        if isinstance(recovery, dict):
            used += [
                (f"field {key}", f"/error/recovery/{key}")
                for key in sorted(facts.REFUSAL_RECOVERY_KEYS)
                if recovery.get(key)
            ]
    if isinstance(provenance, dict):
        used += [
            (f"field {key}", f"/provenance/{key}")
            for key in ("inference_method", "validation_state")
            if provenance.get(key)
        ]
    return [
        Breach.of(
            "envelope/version-feature", path, [version, what], version=version, feature=what, since=facts.SINCE[what]
        )
        for what, path in used
        if facts.SINCE.get(what, "1.0") > version
    ]
