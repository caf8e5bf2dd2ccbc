"""A "yes" is a proof: what stops a search early ends in "unknown"."""

from __future__ import annotations

from typing import Any

import pytest
from asking import answer, verdict
from test_solver import search

from mcp_governor.containment import arrays, expand, numbers, objects, outcome, product
from mcp_governor.containment.outcome import EMPTY, Found, Outcome, Pool, Unknown, first_found, represent


def look(number: int) -> Outcome:
    return Found(number) if number in (3, 5) else Unknown("four") if number == 4 else EMPTY


def test_cases_are_empty_only_where_all_of_them_are() -> None:
    assert first_found(range(10), look) == Found(3)
    assert first_found((4,), look) == Unknown("four")
    assert first_found(range(6, 99), look) == EMPTY
    assert first_found(range(6, 16), look, limit=10, beyond="beyond") == EMPTY
    assert first_found(range(6, 17), look, limit=10, beyond="beyond") == Unknown("beyond")
    found = {0: EMPTY, 1: Unknown("x"), 2: Found(2, "doubt"), 3: Found(3)}
    assert first_found((0, 1, 2), found.__getitem__) == Found(2, "doubt")
    assert first_found(found, found.__getitem__) == Found(3)


def pool(keys: str, rest: Any = EMPTY) -> Pool:
    return Pool([(key, Found(key)) for key in keys], rest)


def test_each_pool_is_represented_by_a_key_of_its_own() -> None:
    for keys in ("ab bc a", "abcd ab bc a", "ab bc cd da", "abc abc abc"):
        chosen = represent([pool(word) for word in keys.split()])
        assert isinstance(chosen, list)
        assert len(set(chosen)) == len(keys.split())
        assert all(key in word for key, word in zip(chosen, keys.split(), strict=True))
    assert represent([pool("ab"), pool("ab"), pool("abcd", None), pool("ab")]) == EMPTY
    assert represent([pool("a"), pool("a", Unknown("x"))]) == Unknown("x")
    assert isinstance(represent([pool("a", None), pool("a", None)]), Unknown)


def patterned(count: int, changed: int | None = None, form: str = "^p{}_", value: str = "string") -> dict[str, Any]:
    kinds = {form.format(n): {"type": value if n == changed else "integer"} for n in range(count)}
    return {"type": "object", "patternProperties": kinds}


@pytest.mark.parametrize("form", ["^p{}_", "<{}>", "_{}$"])
@pytest.mark.parametrize("count", [3, 11, 50, 120])
def test_one_of_many_patterns_changed(count: int, form: str) -> None:
    plain = patterned(count, form=form)
    for changed in (0, count // 2, count - 1):
        assert verdict(patterned(count, changed, form, "number"), plain) == "yes"
        assert verdict(plain, patterned(count, changed, form, "number")) == "no"
        assert verdict(patterned(count, changed, form, "string"), {**plain, "minProperties": 1}) == "no"
    assert verdict(plain, {**plain, "minProperties": 2}) == "yes"


def test_patterns_that_overlap_in_every_way() -> None:
    def schema(low: int) -> Any:
        patterns = {f"{chr(97 + n)}": {"type": "integer", "minimum": low if n == 25 else n} for n in range(26)}
        return {"type": "object", "patternProperties": patterns, "additionalProperties": False}

    assert verdict(schema(24), schema(25)) == "yes"
    assert answer(schema(25), schema(24)).witness == {"z": 24}


def test_what_many_patterns_leave_over() -> None:
    patterns = {f"^{chr(97 + n)}": {"type": "integer"} for n in range(26)}
    closed = {"type": "object", "patternProperties": patterns, "additionalProperties": False}
    assert verdict({"propertyNames": {"pattern": "^[a-z]"}}, closed) == "yes"
    assert verdict({"propertyNames": {"pattern": "^[a-y]"}}, closed) == "no"
    assert verdict({"additionalProperties": {"type": "number"}}, closed) == "yes"
    assert verdict({"maxProperties": 9}, {**closed, "propertyNames": {"enum": ["a", "b", "1"]}}) == "yes"


def test_fixed_places_count_where_two_items_are_equal() -> None:
    apart = [
        {"uniqueItems": True},
        {"prefixItems": [{"not": {"const": 1}}]},
        {"prefixItems": [True, {"not": {"const": 2}}]},
    ]
    found = answer({"anyOf": apart}, {"type": "array"})
    assert found.witness == [1, 2, 1]
    shifted = [{"uniqueItems": True}, *({"prefixItems": [*[True] * n, {"not": {"const": n}}]} for n in range(5))]
    assert verdict({"anyOf": shifted}, {"type": "array"}) == "no"
    assert verdict({"anyOf": shifted}, {"type": "array", "maxItems": 5}) == "yes"


def test_two_equal_items_count_twice() -> None:
    twice = {"type": "array", "not": {"uniqueItems": True}, "maxItems": 2, "contains": {"const": 7}}
    assert answer(False, {**twice, "minContains": 2}).witness == [7, 7]
    assert verdict(False, {**twice, "maxContains": 1}) == "yes"
    three = {**twice, "maxItems": 3, "allOf": [{"contains": {"const": 8}, "maxContains": 1}]}
    assert verdict(False, {**three, "minContains": 2}) == "no"
    assert verdict(False, {**three, "minContains": 3}) == "yes"


def test_an_item_that_counts_may_stand_beyond_all_others() -> None:
    # the one item that may count is the sixth: an atom about any item has to find it there
    places = {"prefixItems": [*[True] * 5, {"not": {"const": 7}}]}
    inner = {"type": "array", "maxItems": 6, "contains": {"const": 7}, "maxContains": 1}
    outer = {"anyOf": [places, {"items": {"not": {"const": 7}}}]}
    assert verdict(outer, inner) == "no"


def test_members_that_share_a_name() -> None:
    inner = {"maxProperties": 1, "not": {"additionalProperties": {"not": {"enum": [2, 0]}}}}
    assert answer({"properties": {"a": {"const": 0}}}, inner).witness == {"a": 2}
    starts = {"not": {"patternProperties": {"^a": {"type": "null"}}}}
    ends = {"not": {"patternProperties": {"b$": {"type": "integer"}}}}
    one = {"type": "object", "maxProperties": 1, "allOf": [starts, ends]}
    assert verdict(False, one) == "no"
    assert verdict({"not": {"type": "object"}}, {**one, "propertyNames": {"maxLength": 1}}) == "yes"
    assert verdict(False, {**one, "propertyNames": {"enum": ["ab", "b", "a"]}}) == "no"
    assert verdict(False, {**one, "propertyNames": {"enum": ["b", "a"]}, "type": "object"}) == "yes"


def test_names_that_are_few() -> None:
    def some(pattern: str, value: Any) -> Any:
        return {"not": {"patternProperties": {pattern: {"not": {"const": value}}}}}

    few = {"type": "object", "propertyNames": {"pattern": "^[ab]$"}}
    assert verdict(False, {**few, "allOf": [some("[ab]", 1), some("a", 2)]}) == "no"
    assert verdict(False, {**few, "allOf": [some("[ab]", 1), some("[ab]", 2), some("[ab]", 3)]}) == "yes"
    assert verdict(False, {**few, "allOf": [some("a", 1), some("a", 2)]}) == "yes"
    assert verdict(False, {**few, "minProperties": 3}) == "yes"
    assert verdict(False, {**few, "minProperties": 2}) == "no"


LIMITS: list[tuple[Any, str, Any, Any]] = [
    (
        numbers,
        "MAX_TRIES",
        {"type": "integer", "not": {"anyOf": [{"multipleOf": n} for n in (2, 3, 5, 7)]}},
        range(2, 11),
    ),
    (arrays, "MAX_ITEMS", {"type": "array", "minItems": 3, "items": False}, None),
    (arrays, "MAX_COUNTED", {"type": "array", "contains": {"const": 1}, "minContains": 3, "maxItems": 2}, None),
    (
        arrays,
        "MAX_CONTAINS",
        {"type": "array", "allOf": [{"contains": {"const": n}} for n in (1, 2)], "maxItems": 1},
        None,
    ),
    (arrays, "MAX_DISTINCT", {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True, "minItems": 3}, None),
    (
        arrays,
        "MAX_PAIRS",
        {"not": {"uniqueItems": True}, "prefixItems": [{"const": n} for n in range(4)], "maxItems": 4},
        None,
    ),
    (objects, "MAX_FILLERS", {"type": "object", "propertyNames": {"maxLength": 0}, "minProperties": 3}, None),
    (objects, "MAX_PLACED", {"type": "object", "maxProperties": 0, "not": {"propertyNames": {"maxLength": 3}}}, None),
    (product, "MAX_STATES", {"type": "string", "pattern": "^(aa)+$", "not": {"pattern": "^(a|bb)*$"}}, None),
    (outcome, "MAX_SIZE", {"type": "array", "minItems": 9, "maxItems": 8}, None),
    (expand, "MAX_PAIRS", {"oneOf": [{"type": "string", "minLength": n} for n in range(9)], "minLength": 9}, None),
]


@pytest.mark.parametrize(
    ("module", "name", "schema", "extra"), LIMITS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_no_limit_makes_a_proof(
    module: Any, name: str, schema: Any, extra: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if extra is not None:
        schema = {**schema, "minimum": extra.start, "maximum": extra.stop - 1}
    assert search(False, schema) == EMPTY
    allowed = {Unknown} if name != "MAX_SIZE" and name != "MAX_PLACED" else {Unknown, outcome.Empty}
    monkeypatch.setattr(module, name, 0)
    assert type(search(False, schema)) in {*allowed, Found}
