"""The own procedure by itself: on small schemas the native engine would answer first and hide its mistakes."""

from __future__ import annotations

from typing import Any

import pytest
from asking import accepts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tables import APART, SAME, WIDER

from mcp_governor.containment.formulas import negate
from mcp_governor.containment.outcome import Empty, Found, Outcome, StoppedError
from mcp_governor.containment.schema import Schema
from mcp_governor.containment.solver import Solver
from mcp_governor.schemas.dialects import LATEST, dialect_of
from mcp_governor.schemas.values import text_of

FOREVER = float("inf")


class Forgetful(dict[Any, Any]):
    """Where a solver keeps its results, without keeping any."""

    def __setitem__(self, key: Any, value: Any) -> None:
        return


def formula(schema: Any) -> Any:
    return Schema(schema, text_of(schema), dialect_of(schema, LATEST), trusted=True).formula()


def search(outer: Any, inner: Any, *, forgetful: bool = False, steps: int = 200_000) -> Outcome:
    """An instance of ``inner`` that ``outer`` refuses."""
    solver = Solver(FOREVER, steps)
    if forgetful:
        solver._memo = Forgetful()
    return solver.solve([formula(inner), negate(formula(outer))])


def check(outer: Any, inner: Any, contained: bool) -> None:
    found = search(outer, inner)
    if contained:
        assert isinstance(found, Empty), found
    else:
        assert isinstance(found, Found), found
        assert not found.doubt
        assert accepts(inner, found.value)
        assert not accepts(outer, found.value)


@pytest.mark.parametrize("name", WIDER)
def test_wide_and_narrow(name: str) -> None:
    wide, narrow = WIDER[name]
    check(wide, narrow, contained=True)
    check(narrow, wide, contained=False)


@pytest.mark.parametrize("name", SAME)
def test_spellings(name: str) -> None:
    one, other = SAME[name]
    check(one, other, contained=True)
    check(other, one, contained=True)


@pytest.mark.parametrize("name", APART)
def test_apart(name: str) -> None:
    one, other = APART[name]
    check(one, other, contained=False)
    check(other, one, contained=False)


DEFINITIONS = ["d0", "d1", "d2", "d3"]
_to = st.sampled_from(DEFINITIONS).map(lambda name: {"$ref": f"#/$defs/{name}"})
_body = st.one_of(
    st.sampled_from([{"type": "null"}, {"const": 1}]),
    _to.map(lambda part: {"type": "array", "items": part, "minItems": 1, "maxItems": 2}),
    st.tuples(_to, _to).map(lambda pair: {"type": "array", "prefixItems": list(pair), "minItems": 2, "items": False}),
    _to.map(lambda part: {"type": "object", "properties": {"a": part}, "required": ["a"], "maxProperties": 1}),
)
_definition = st.one_of(_body, st.lists(_body, min_size=2, max_size=3).map(lambda parts: {"anyOf": parts}))
recursive = st.tuples(
    st.fixed_dictionaries(dict.fromkeys(DEFINITIONS, _definition)), st.lists(_to, min_size=1, max_size=3)
).map(
    lambda parts: {
        "$defs": parts[0],
        "type": "array",
        "prefixItems": parts[1],
        "minItems": len(parts[1]),
        "items": False,
    }
)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(recursive)
def test_what_is_remembered_of_a_recursion_is_true(schema: Any) -> None:
    # without a memory every conclusion is drawn anew, below no assumption but its own
    found = search(False, schema)
    try:
        again = search(False, schema, forgetful=True, steps=20_000)
    except StoppedError:
        return
    assert isinstance(found, Empty) == isinstance(again, Empty)
    if isinstance(found, Found):
        assert accepts(schema, found.value)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(recursive, recursive)
def test_recursive_schemas_against_each_other(outer: Any, inner: Any) -> None:
    try:
        found = search(outer, inner)
        again = search(False, inner) if isinstance(found, Empty) else found
    except (StoppedError, RecursionError):
        return  # what decides turns either into "unknown"
    if isinstance(found, Empty):
        assert isinstance(again, Empty) or accepts(outer, again.value)  # type: ignore[union-attr]
    elif isinstance(found, Found):
        assert accepts(inner, found.value)
        assert not accepts(outer, found.value)


def ref(number: int) -> dict[str, str]:
    return {"$ref": f"#/$defs/d{number}"}


def wrapped(part: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": part}, "required": ["a"], "maxProperties": 1}


def test_an_assumption_is_dropped_with_the_goal_it_was_made_under() -> None:
    # d2 is met first inside d3, where its items lead back to d3; asked again outside, it has instances
    schema = {
        "$defs": {
            "d0": {"anyOf": [{"const": 1}, {"type": "array", "items": ref(0), "minItems": 1, "maxItems": 2}]},
            "d1": wrapped(ref(3)),
            "d2": {"type": "array", "items": ref(1), "minItems": 1, "maxItems": 2},
            "d3": {"anyOf": [wrapped(ref(0)), {"type": "array", "prefixItems": [ref(3), ref(2)], "minItems": 2}]},
        },
        "type": "array",
        "prefixItems": [ref(1), ref(2)],
        "minItems": 2,
    }
    found = search(False, schema)
    assert isinstance(found, Found)
    assert found.value == [{"a": {"a": [1]}}, [{"a": {"a": [1]}}]]


def test_a_definition_cut_short_in_a_circle_is_whole_elsewhere() -> None:
    inner = {
        "$defs": {
            "d0": {"allOf": [ref(1), {"type": "string"}]},
            "d1": {"allOf": [ref(0), {"maxLength": 3}]},
        },
        "type": "object",
        "properties": {"x": ref(0), "y": ref(1)},
    }
    assert isinstance(search({"properties": {"y": {"type": "string", "maxLength": 3}}}, inner), Empty)
    assert isinstance(search({"properties": {"x": {"type": "string", "maxLength": 3}}}, inner), Empty)


def test_long_lists_that_differ_in_one_value_take_few_steps() -> None:
    every = list(range(5_000))
    found = search({"enum": [value for value in every if value != 777]}, {"enum": every}, steps=50)
    assert isinstance(found, Found)
    assert found.value == 777
    assert isinstance(search({"enum": every}, {"enum": every[1:]}, steps=50), Empty)


def test_time_is_limited() -> None:
    inner = formula({"enum": list(range(5_000))})
    with pytest.raises(StoppedError):
        Solver(0.0).solve([inner, negate(formula({"minimum": 0}))])


BOUNDS = ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"]


@pytest.mark.parametrize("word", BOUNDS)
@pytest.mark.parametrize("other", BOUNDS)
@pytest.mark.parametrize("kind", ["number", "integer"])
def test_bounds_at_the_same_number(word: str, other: str, kind: str) -> None:
    def holds(name: str, value: float) -> bool:
        return {"minimum": value >= 3, "exclusiveMinimum": value > 3, "maximum": value <= 3}.get(name, value < 3)

    around = [2, 3, 4] if kind == "integer" else [2, 2.5, 3, 3.5, 4]
    contained = all(holds(word, value) for value in around if holds(other, value))
    check({word: 3}, {"type": kind, other: 3}, contained)
    together = {"type": kind, word: 3, other: 3}
    check(False, together, not any(holds(word, value) and holds(other, value) for value in around))


@pytest.mark.parametrize(
    ("keyword", "size", "value"),
    [("Length", "string", "aaa"), ("Items", "array", [None] * 3), ("Properties", "object", {"a": 1, "b": 1, "c": 1})],
)
def test_sizes_at_the_limit(keyword: str, size: str, value: Any) -> None:
    least, most = f"min{keyword}", f"max{keyword}"
    check({least: 3}, {"type": size, least: 3}, contained=True)
    check({least: 4}, {"type": size, least: 3}, contained=False)
    check({most: 2}, {"type": size, most: 3}, contained=False)
    check({most: 3}, {"not": {least: 4}, "type": size}, contained=True)
    check({most: 2}, {"not": {least: 4}, "type": size}, contained=False)
    check(False, {"type": size, least: 4, most: 3}, contained=True)
    check(False, {"type": size, least: 3, most: 3}, contained=False)
    check({"not": {"const": value}}, {"type": size, least: 3, most: 3, "not": {"const": value}}, contained=True)


@pytest.mark.parametrize(
    ("outer", "bounds", "number"),
    [
        (False, {"exclusiveMinimum": 0.1, "exclusiveMaximum": 0.2}, 0.11),
        ({"multipleOf": 0.5}, {}, 0.1),
        ({"multipleOf": 0.5}, {"minimum": 3}, 3.1),
        ({"multipleOf": 0.5}, {"maximum": 3}, 0.1),
        ({"multipleOf": 0.5}, {"maximum": -3}, -3.9),
    ],
)
def test_a_number_is_a_short_one(outer: Any, bounds: dict[str, float], number: float) -> None:
    """People read it, so 0.11 rather than the first of two hundred parts of an interval."""
    found = search(outer, {"type": "number", **bounds})
    assert isinstance(found, Found)
    assert found.value == number
