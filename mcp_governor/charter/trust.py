"""Checks of an envelope's trust signal (principle 4; version 1.2): provenance and confidence."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from mcp_governor.charter import facts
from mcp_governor.charter.breach import Breach, unknown_keys, wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


def confidence_breaches(envelope: Mapping[str, Any]) -> Iterator[Breach]:
    """Check that the confidence is a bucket, and the one that follows from the trust signal."""
    confidence = envelope.get("confidence")
    if confidence is not None and not (isinstance(confidence, str) and confidence in facts.CONFIDENCES):
        yield Breach("envelope/confidence", "/confidence", confidence)
        return
    expected = expected_confidence(envelope)
    if expected is None:
        yield from bucket_breaches(confidence, envelope.get("provenance"))
        return
    if confidence != expected:
        yield not_derived(confidence, expected)


def not_derived(confidence: Any, expected: str, says: str = "") -> Breach:
    """A confidence that is not the one that follows from the trust signal."""
    said = "none" if confidence is None else confidence
    rule, value = "envelope/confidence-derivation", [confidence, expected]
    return Breach.of(rule, "/confidence", value, says=says, said=said, expected=expected)


def bucket_breaches(confidence: Any, provenance: Any) -> Iterator[Breach]:
    """Check a confidence against a provenance without both trust axes, by the table of principle 4.

    HIGH is for facts of the schema; what a model wrote and what was inferred is MEDIUM at most, and what was observed
    once is LOW.
    """
    if confidence not in ("HIGH", "MEDIUM") or not isinstance(provenance, dict):
        return
    source, observed = provenance.get("source"), provenance.get("observed_in")
    if source not in ("llm", "inferred") or derived_confidence(provenance) is not None:
        return
    named = {_plain(key): value for key, value in observed.items()} if isinstance(observed, dict) else {}
    once = source == "inferred" and _is_count(count := _count(named)) and count == 1
    expected = "LOW" if once else "MEDIUM"
    if once or confidence == "HIGH":
        yield not_derived(confidence, expected, "once" if once else source)


def expected_confidence(envelope: Mapping[str, Any]) -> str | None:
    """The confidence that follows from an envelope's own trust signal.

    Returns:
        The worst confidence from the provenance, the data and, for a list, its items; at most MEDIUM if the result is
        degraded or redacted; ``None`` if nothing has both axes.
    """
    data = envelope.get("data")
    items = data if isinstance(data, list) else [data]
    found = [
        derived for item in (envelope.get("provenance"), *items) if (derived := derived_confidence(item)) is not None
    ]
    worst = min(found, key=facts.CONFIDENCE_RANK.__getitem__, default=None)
    capped = worst == "HIGH" and (envelope.get("status") == "degraded" or any(map(is_redacted, items)))
    return "MEDIUM" if capped else worst


def derived_confidence(item: Any) -> str | None:
    """The confidence that follows from the two trust axes of one object; ``None`` if it does not have both."""
    if not isinstance(item, dict):
        return None
    method, state = item.get("inference_method"), item.get("validation_state")
    if not (isinstance(method, str) and isinstance(state, str)):
        return None
    if method not in facts.DERIVED or state not in facts.VALIDATION_STATES:
        return None
    return facts.derive_confidence(method, state)  # type: ignore[arg-type]


def is_redacted(item: Any) -> bool:
    """True if data says that something was redacted: ``redacted`` or ``redacted_…`` that is not empty."""
    return isinstance(item, dict) and any(value and key.startswith("redacted") for key, value in item.items())


def provenance_breaches(provenance: Any, *, of_field: bool = False) -> Iterator[Breach]:
    """Check that a provenance has a source and both axes, with registered names that agree, and no other keys.

    Args:
        provenance: the value as JSON.
        of_field: the provenance belongs to a field of the data.

    Yields:
        Breaches with pointers into the object that contains the provenance.
    """
    path = "/provenance"
    if provenance is None:
        return
    if not isinstance(provenance, dict):
        yield wrong_type(path, "an object or null", provenance)
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
            yield wrong_type(f"{path}/{key}", f"{name} or null", value)
    if source is not None:
        yield from _source(provenance, source)
    # In the data, an object with a source of another kind is somebody else's provenance, which is reported once.
    if source is not None or not of_field:
        yield from unknown_keys("provenance", provenance, facts.PROVENANCE_KEYS, path)


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
    if source == "inferred":
        yield from _observed(provenance)


def _observed(provenance: dict[str, Any]) -> Iterator[Breach]:
    """Principle 4: an inferred fact says how often it was seen, and when first and last.

    From 1.2 on the inference method says how it was derived, which is enough; if the object is present, it is complete.
    """
    rule, path, observed = "envelope/observed-in", "/provenance/observed_in", provenance.get("observed_in")
    if observed is None:
        if provenance.get("inference_method") is None:
            yield Breach(rule, path, None, "absent")
        return
    if not isinstance(observed, dict):
        return
    named = {_plain(key): value for key, value in observed.items()}
    count, *seen = _count(named), *(_first(named, _OBSERVED[name]) for name in ("first-seen", "last-seen"))
    dates = [value if isinstance(value, str | int | float) else None for value in seen]
    missing = [name for name, value in zip(_OBSERVED, (count, *dates), strict=True) if value is None]
    if missing:
        yield Breach(rule, path, missing, "members")
    elif not _is_count(count):
        yield Breach(rule, path, count, "count")
    elif _is_after(*seen):
        yield Breach(rule, path, seen, "order")


_OBSERVED = {
    "count": ("count", "observations", "times", "occurrences", "queries", "n"),
    "first-seen": ("firstseen", "firstseenat", "firstseents", "firstseenms", "firstobserved", "first", "earliest"),
    "last-seen": ("lastseen", "lastseenat", "lastseents", "lastseenms", "lastobserved", "last", "latest"),
}
"""The three members of ``observed_in``, with the names accepted for each: principle 4 describes them only in words."""


def _plain(key: Any) -> str:
    return str(key).lower().replace("_", "").replace("-", "").replace(" ", "")


def _first(named: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((named[name] for name in names if named.get(name) is not None), None)


def _count(named: Mapping[str, Any]) -> Any:
    """The count of an ``observed_in``, under a name of :data:`_OBSERVED` or any other that ends in "count"."""
    found = _first(named, _OBSERVED["count"])
    return _first(named, (name for name in named if name.endswith("count"))) if found is None else found


def _is_count(value: Any) -> bool:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return whole and not isinstance(value, bool) and value > 0


def _is_after(first: Any, last: Any) -> bool:
    """True if the first time is later than the last; times in different notations are not compared."""
    try:
        times = [datetime.fromisoformat(time) if isinstance(time, str) else time for time in (first, last)]
        return bool(times[0] > times[1])
    except (TypeError, ValueError):
        return False
