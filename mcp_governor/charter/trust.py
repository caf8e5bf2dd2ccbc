"""Does an envelope's trust signal keep the charter (principle 4; version 1.2)? Provenance and confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.charter import facts
from mcp_governor.charter.breach import Breach, wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


def confidence_breaches(envelope: Mapping[str, Any]) -> Iterator[Breach]:
    """Whether the confidence is a bucket, and the one that the trust signal gives."""
    confidence = envelope.get("confidence")
    if confidence is not None and not (isinstance(confidence, str) and confidence in facts.CONFIDENCES):
        yield Breach("envelope/confidence", "/confidence", confidence)
        return
    expected = expected_confidence(envelope)
    if expected is None or confidence == expected:
        return
    said = "none" if confidence is None else confidence
    value = [confidence, expected]
    yield Breach.of("envelope/confidence-derivation", "/confidence", value, said=said, expected=expected)


def expected_confidence(envelope: Mapping[str, Any]) -> str | None:
    """The confidence that an envelope's own trust signal gives.

    Returns:
        What follows from the worst of the provenance, the data and, for a list, its items, at most MEDIUM where
        the result is degraded or redacted; ``None`` where nothing carries both axes.
    """
    data = envelope.get("data")
    items = data if isinstance(data, list) else [data]
    found = [derived for item in (envelope.get("provenance"), *items) if (derived := _derived(item)) is not None]
    worst = min(found, key=facts.CONFIDENCE_RANK.__getitem__, default=None)
    capped = worst == "HIGH" and (envelope.get("status") == "degraded" or any(map(_redacted, items)))
    return "MEDIUM" if capped else worst


def _derived(item: Any) -> str | None:
    if not isinstance(item, dict):
        return None
    method, state = item.get("inference_method"), item.get("validation_state")
    if not (isinstance(method, str) and isinstance(state, str)):
        return None
    if method not in facts.DERIVED or state not in facts.VALIDATION_STATES:
        return None
    return facts.derive_confidence(method, state)  # type: ignore[arg-type]


def _redacted(item: Any) -> bool:
    """Whether data says that something was left out: ``redacted`` or ``redacted_…`` that is not empty."""
    return isinstance(item, dict) and any(value and key.startswith("redacted") for key, value in item.items())


def provenance_breaches(provenance: Any) -> Iterator[Breach]:
    """Whether a provenance names its source and both axes by registered names that agree."""
    if provenance is None:
        return
    if not isinstance(provenance, dict):
        yield wrong_type("/provenance", "an object or null", provenance)
        return
    source = provenance.get("source")
    if not (isinstance(source, str) and source in facts.SOURCES):
        yield _unregistered("source", source, facts.SOURCES)
        source = None
    for key, known in (("inference_method", facts.INFERENCE_METHODS), ("validation_state", facts.VALIDATION_STATES)):
        value = provenance.get(key)
        if value is not None and not (isinstance(value, str) and value in known):
            yield _unregistered(key, value, known)
    for key, wanted, name in (("model", str, "a string"), ("observed_in", dict, "an object")):
        value = provenance.get(key)
        if value is not None and not isinstance(value, wanted):
            yield wrong_type(f"/provenance/{key}", f"{name} or null", value)
    if source is not None:
        yield from _source(provenance, source)


def _unregistered(key: str, value: Any, known: Iterable[str]) -> Breach:
    return Breach.of("envelope/provenance", f"/provenance/{key}", value, field=key, known=sorted(known))


def _source(provenance: dict[str, Any], source: str) -> Iterator[Breach]:
    method = provenance.get("inference_method")
    implied = facts.DERIVED[method][3] if isinstance(method, str) and method in facts.DERIVED else source
    if source != implied:
        value = [source, method]
        yield Breach.of(
            "envelope/provenance-source",
            "/provenance/source",
            value,
            source=source,
            method=method,
            implied=implied,
        )
    if source == "llm" and not provenance.get("model"):
        yield Breach("envelope/provenance-model", "/provenance/model")
