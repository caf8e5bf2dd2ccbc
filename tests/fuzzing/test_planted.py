"""The fuzzer finds what it is for: mistakes planted in ``contains`` and ``compare``, within so many cases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import fuzz_changes
import fuzz_limits
import fuzz_pool
import fuzz_surfaces
import fuzz_verdicts
import pytest

from mcp_governor.containment import Containment, contains
from mcp_governor.surface import build_surface

Rewrite = Callable[[dict[str, Any]], None]


def rewritten(schema: Any, change: Rewrite) -> Any:
    """The schema with every schema object in it changed."""
    if isinstance(schema, list):
        return [rewritten(part, change) for part in schema]
    if not isinstance(schema, dict):
        return schema
    out = {word: part if word in ("const", "enum") else rewritten(part, change) for word, part in schema.items()}
    change(out)
    return out


def without(word: str) -> Rewrite:
    return lambda schema: schema.pop(word, None)


def few_patterns(schema: dict[str, Any]) -> None:
    patterns = schema.get("patternProperties")
    if isinstance(patterns, dict):
        schema["patternProperties"] = dict(list(patterns.items())[: fuzz_limits.PATTERNS_MOST])


def mistaken(change: Rewrite) -> Callable[..., Containment]:
    """``contains`` that says yes where it would if both schemas lacked something."""

    def answer(outer: Any, inner: Any, **options: Any) -> Containment:
        found = contains(outer, inner, **options)
        if found.verdict == "no" and contains(rewritten(outer, change), inner, **options).verdict == "yes":
            return Containment("yes")
        return found

    return answer


def first_wrong(subject: Any, kind: str, cases: int, shown: Callable[[str], bool]) -> fuzz_pool.Failure:
    # About one case in a hundred shows each mistake; this seed is one of the many that show all of them in time.
    for index in range(cases):
        for failure in subject.run(3, index, fuzz_pool.Tally()):
            if failure.kind == kind:
                small = fuzz_pool.small(subject, failure, seconds=4)
                if shown(str(small.case)):
                    return small
    raise AssertionError(f"nothing found in {cases} cases")


PLANTED: dict[str, tuple[Rewrite, str, int]] = {
    "uniqueItems": (without("uniqueItems"), "uniqueItems", 400),
    "unevaluatedProperties": (without("unevaluatedProperties"), "unevaluatedProperties", 400),
    "else": (without("else"), "else", 400),
}
BEYOND: dict[str, tuple[str, Rewrite, str]] = {
    "eleventh-pattern": ("many_patterns", few_patterns, "patternProperties"),
    "maxContains": ("unique_with_fixed_items", without("maxContains"), "maxContains"),
    "dependentRequired": ("many_dependencies", without("dependentRequired"), "dependentRequired"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_wrong_yes_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change, word, cases = PLANTED[name]
    monkeypatch.setattr(fuzz_verdicts, "contains", mistaken(change))
    found = first_wrong(fuzz_verdicts, "wrong yes", cases, lambda text: word in text)
    assert fuzz_verdicts.refutes(found.case, found.case["instance"])


@pytest.mark.parametrize("name", BEYOND)
def test_a_wrong_yes_beyond_a_limit_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    family, change, word = BEYOND[name]
    monkeypatch.setattr(fuzz_verdicts, "contains", mistaken(change))
    monkeypatch.setattr(fuzz_verdicts, "BEYOND", 1.0)
    monkeypatch.setattr(fuzz_limits, "FAMILIES", {family: fuzz_limits.FAMILIES[family]})
    found = first_wrong(fuzz_verdicts, "wrong yes", 150, lambda text: word in text)
    assert fuzz_verdicts.refutes(found.case, found.case["instance"])


def test_a_witness_that_does_not_hold_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(outer: Any, inner: Any, **options: Any) -> Containment:
        found = contains(outer, inner, **options)
        return Containment("no", [found.witness], has_witness=True) if found.has_witness else found

    monkeypatch.setattr(fuzz_verdicts, "contains", answer)
    first_wrong(fuzz_verdicts, "wrong witness", 20, lambda _: True)


@pytest.mark.parametrize("error", [RecursionError, BaseException])
def test_an_exception_is_found(error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(outer: Any, inner: Any, **options: Any) -> Containment:
        if "uniqueItems" in str(outer):
            raise error("planted")
        return contains(outer, inner, **options)

    monkeypatch.setattr(fuzz_verdicts, "contains", answer)
    found = first_wrong(fuzz_verdicts, "crash", 100, lambda _: True)
    assert "planted" in found.note
    assert len(str(found.case)) < 120


def test_a_change_that_is_not_reported_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    compare = fuzz_changes.compare

    def forgetful(old: Any, new: Any, **options: Any) -> list[Any]:
        return [change for change in compare(old, new, **options) if not change.kind.startswith("type-")]

    monkeypatch.setattr(fuzz_changes, "compare", forgetful)
    first_wrong(fuzz_changes, "break not reported", 200, lambda text: "type" in text)


def test_a_change_out_of_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    compare = fuzz_changes.compare

    def nervous(old: Any, new: Any, **options: Any) -> list[Any]:
        if str(old.tools[0].raw) != str(new.tools[0].raw):
            new = build_surface({"tools": [*(tool.raw for tool in new.tools), {"name": "extra", "inputSchema": {}}]})
        return compare(old, new, **options)

    monkeypatch.setattr(fuzz_changes, "compare", nervous)
    first_wrong(fuzz_changes, "differs from itself", 50, lambda _: True)
    first_wrong(fuzz_changes, "fingerprint stays", 50, lambda _: True)


def test_a_spelling_that_breaks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz_surfaces, "respelled", lambda schema, _: {**schema, "not": {}})
    first_wrong(fuzz_changes, "differs when respelled", 5, lambda _: True)
