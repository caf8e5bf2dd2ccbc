"""Checks of the fields in an envelope's data: their confidence, raw scores, and strings that show internals.

Principle 4 is about fields, so it applies to every object in the data. Principle 3 forbids internals in the server's
own words; data that was requested and contains such text (logs, code, somebody's comments) is ignored.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

from mcp_governor.charter import facts, vocabulary
from mcp_governor.charter.breach import MAX_BREACHES, Breach, pointer_token
from mcp_governor.charter.failure import leak, strings_of
from mcp_governor.charter.trust import (
    bucket_breaches,
    derived_confidence,
    is_redacted,
    not_derived,
    provenance_breaches,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


def field_breaches(envelope: Mapping[str, Any], about: Iterable[str] = ()) -> Iterator[Breach]:
    """Violations in the fields of the data, each once per list, at the first item that has it.

    Args:
        envelope: the envelope as JSON.
        about: words of the tool's name, which hint at the content of its data.
    """
    data, words = envelope.get("data"), frozenset(about)
    capped = envelope.get("status") == "degraded"
    seen: set[tuple[str, str, str]] = set()
    spoken: dict[tuple[Any, ...], bool] = {}
    for place, item in _objects(data):
        # The rows of a table have the same keys.
        shape = tuple(itertools.islice(item, _MAX_MEMBERS))
        if shape not in spoken:
            spoken[shape] = not _NAMES.isdisjoint(vocabulary.member_name(key) for key in shape)
        if not spoken[shape]:
            continue
        for breach in (*_trust(item, capped=capped), *_raw_scores(item, words)):
            key = (breach.rule, _pointer(place, general=True) + breach.path, breach.says)
            if key not in seen and len(seen) < MAX_BREACHES:
                seen.add(key)
                yield breach.under(_pointer(place))
    if words.isdisjoint(vocabulary.FAILURE_TOOLS):
        yield from _leaks(envelope.get("status"), data)


_MAX_MEMBERS = 200
"""Maximum number of members read per object: no described thing has so many, but a map from names may. Later ones are
not read."""

_NAMES = vocabulary.RANKINGS | {"score", "confidence", "provenance"}

_Place = tuple["_Place | None", str | int]
"""A place in the data: its parent place, and its key or index there. Pointers for all places would take quadratic space
in the depth of the data."""


def _pointer(place: _Place | None, *, general: bool = False) -> str:
    """The JSON pointer to a place; a general one has ``*`` for the items of lists."""
    tokens: list[str] = []
    while place is not None:
        place, token = place
        tokens.append("*" if general and isinstance(token, int) else pointer_token(token))
    return "/".join(["", *reversed(tokens)])


def _objects(data: Any) -> Iterator[tuple[_Place, dict[str, Any]]]:
    """Every object in the data with its place.

    Iterative, because data may nest to any depth; each value is visited once.
    """
    stack: list[tuple[_Place, Any]] = [((None, "data"), data)]
    while stack:
        place, here = stack.pop()
        if isinstance(here, dict):
            yield place, here
            inner: Iterable[tuple[Any, Any]] = ((key, here[key]) for key in here if key != "provenance")
        else:
            inner = enumerate(here) if isinstance(here, list) else ()
        further = [((place, token), value) for token, value in inner if isinstance(value, dict | list)]
        stack.extend(reversed(further))


def _trust(item: Mapping[str, Any], *, capped: bool) -> Iterator[Breach]:
    """Check the trust signal of one object in the data (principle 4: per field).

    Where the whole result is degraded, the confidence is ``capped``: MEDIUM is the maximum.
    """
    confidence, provenance = item.get("confidence"), item.get("provenance")
    if isinstance(confidence, dict | list) or not vocabulary.STATISTICS.isdisjoint(item):
        confidence = None
    if confidence is not None and not (isinstance(confidence, str) and confidence in facts.CONFIDENCES):
        yield Breach("envelope/field-trust", "/confidence", confidence, "confidence")
        confidence = None
    signal = isinstance(provenance, dict) and not facts.PROVENANCE_KEYS.isdisjoint(provenance)
    if signal:
        yield from map(_of_field, provenance_breaches(provenance, of_field=True))
    expected = derived_confidence(provenance if signal else item)
    allowed = {expected, "MEDIUM"} if expected == "HIGH" and (capped or is_redacted(item)) else {expected}
    if confidence is not None and expected is not None and confidence not in allowed:
        yield not_derived(confidence, expected)
    if expected is None and signal:
        yield from bucket_breaches(confidence, provenance)


def _of_field(breach: Breach) -> Breach:
    """The breach of a provenance in the data, which the reference server's models do not check."""
    says = {"envelope/provenance": "provenance", "envelope/field-type": "type"}.get(breach.rule)
    return breach if says is None else Breach("envelope/field-trust", breach.path, breach.value, says, breach.facts)


_SCORE = "score"


def _raw_scores(item: Mapping[str, Any], words: frozenset[str]) -> Iterator[Breach]:
    """Principle 4: a figure by which a server ranks its own results stays internal.

    A float between 0 and 1 is such a figure if its name says so, or if it is called ``score`` and the object is a
    described thing and not the result of a game, an exam or an audit.
    """
    names = {vocabulary.member_name(key): key for key in itertools.islice(item, _MAX_MEMBERS)}
    described = not vocabulary.DESCRIBED.isdisjoint(names)
    rankings = vocabulary.RANKINGS | {_SCORE} if described else vocabulary.CONFIDENCES
    if not described and not vocabulary.STATISTICS.isdisjoint(names):
        return
    of_domain = not vocabulary.SCORED.isdisjoint(names) or not vocabulary.SCORING_TOOLS.isdisjoint(words)
    for name in sorted(names.keys() & rankings):
        value = item[names[name]]
        if not isinstance(value, float) or value.is_integer() or not math.isfinite(value):
            continue
        if name != _SCORE or (0 < value < 1 and not of_domain):
            yield Breach.of("envelope/raw-score", f"/{pointer_token(names[name])}", value, field=name)


def _leaks(status: Any, data: Any) -> Iterator[Breach]:
    if isinstance(data, str) and status != "success":
        yield from _leak("/data", data)
        return
    if not isinstance(data, dict):
        return
    names = {vocabulary.member_name(key): key for key in itertools.islice(data, _MAX_MEMBERS)}
    for name, key in names.items():
        path, value = f"/data/{pointer_token(key)}", data[key]
        remark = name in vocabulary.REMARKS and vocabulary.OUTPUT.isdisjoint(names)
        failure = name in vocabulary.FAILURES and isinstance(value, str)
        if remark or (failure and vocabulary.FAILED_THINGS.isdisjoint(names)):
            yield from _leak(path, value)
        elif name in vocabulary.LEFT_OUT and status in ("partial", "degraded") and isinstance(value, list | dict):
            yield from _reasons(path, value)


def _reasons(path: str, value: Any) -> Iterator[Breach]:
    """The reasons for omissions in a partial result; the first one that shows internals stands for all."""
    items = enumerate(value) if isinstance(value, list) else value.items()
    for token, item in itertools.islice(items, _MAX_MEMBERS):
        here = f"{path}/{pointer_token(token)}"
        strings = [(here, item)] if isinstance(item, str) else []
        if isinstance(item, dict):
            strings = [(f"{here}/{key}", item[key]) for key in sorted(vocabulary.REASONS & item.keys())]
        for place, text in strings:
            for breach in _leak(place, text):
                yield breach
                return


def _leak(path: str, value: Any) -> Iterator[Breach]:
    text = strings_of(value)
    shows = leak(text)
    if shows is not None:
        field = path.rsplit("/", 1)[1]
        yield Breach.of("envelope/data-leak", path, text, field=field, shown=shows)
