"""What a schema costs an engine that cannot be interrupted: each number is counted by hand from the schema."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.schemas.cost import MAX_CASES, MAX_PATHS, SMALL_TEXT, Cost, Evaluations, _Cases, estimate
from mcp_governor.schemas.references import Document
from mcp_governor.schemas.values import text_of
from mcp_governor.schemas.weight import pattern_weight

A, B = {"const": 1}, {"const": 2}


def document(schema: Any) -> Document:
    return Document(schema, text_of(schema))


def doubled(levels: int) -> dict[str, Any]:
    """A schema in which a validator follows 2 to the power of ``levels`` paths."""
    ways = {f"d{level}": {"allOf": [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": {**ways, f"d{levels}": {}}}


@pytest.mark.parametrize(
    ("schema", "cases"),
    [
        (True, 1),
        ({"type": "string"}, 1),
        ({"anyOf": [A, B]}, 2),
        ({"anyOf": [A, {"anyOf": [A, B]}]}, 3),
        ({"allOf": [{"anyOf": [A, B]}, {"anyOf": [A, B, True]}]}, 6),
        # Each of two branches, while the other is refused.
        ({"oneOf": [A, B]}, 4),
        # Nothing to do with "if" and each of its three parts.
        ({"if": A, "then": B, "else": A}, 4),
        ({"if": A}, 4),
        ({"if": A, "then": {"anyOf": [A, B]}}, 5),
        # Any of the assertions may be the one that fails.
        ({"not": {"minimum": 1, "maximum": 2}}, 2),
        ({"not": {"anyOf": [A, B]}}, 2),
        ({"not": {}}, 1),
        ({"not": True}, 1),
        # The member is not there, or what it requires holds.
        ({"dependentRequired": {"a": ["b"], "c": ["d"]}}, 4),
        ({"dependentSchemas": {"a": {"anyOf": [A, B]}}}, 3),
        ({"dependencies": {"a": {"anyOf": [A, B]}, "b": ["c"]}}, 6),
        ({"$ref": "#/$defs/x", "anyOf": [A, B], "$defs": {"x": {"anyOf": [A, B, True]}}}, 6),
        # Other parts of the value are other questions.
        ({"properties": {"a": {"anyOf": [A, B]}}}, 1),
    ],
)
def test_the_cases_of_a_schema(schema: Any, cases: int) -> None:
    assert _Cases(document(schema)).of(schema, "") == cases


@pytest.mark.parametrize(
    ("schema", "count"),
    [
        (True, 1),
        ({}, 1),
        ({"properties": {"a": {}, "b": {"items": {}}}}, 4),
        # Definitions count where they are referred to, each time.
        ({"$defs": {"x": {"items": {}}}}, 1),
        ({"$ref": "#/$defs/x", "$defs": {"x": {"items": {}}}}, 3),
        ({"properties": {"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"items": {}}}}, 7),
        # A level is itself and two references to the next one: 1, 5, 13 and 29, and the root.
        (doubled(3), 30),
    ],
)
def test_the_evaluations_of_a_schema(schema: Any, count: int) -> None:
    assert Evaluations(document(schema), MAX_PATHS).of(schema, "") == count


def test_evaluations_know_recursion_and_what_they_reached() -> None:
    schema = {"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}}
    counted = Evaluations(document(schema), MAX_PATHS)
    assert counted.of(schema, "") == 5
    assert (counted.recursive, counted.dynamic, counted.reached) == (True, False, 3)
    plain = Evaluations(document({"$dynamicRef": "#x"}), MAX_PATHS)
    plain.of({"$dynamicRef": "#x"}, "")
    assert (plain.recursive, plain.dynamic) == (False, True)


def forks(count: int) -> dict[str, Any]:
    """As many forks as are looked at, none of which multiplies the cases of another."""
    return {
        "anyOf": [{"const": number} for number in range(count)],
        "properties": {name: {"not": A} for name in "abcd"},
    }


@pytest.mark.parametrize("over", [0, 1])
def test_the_depth_that_is_followed_through_references(over: int) -> None:
    last = 249 + over
    chain: dict[str, Any] = {f"d{number}": {"$ref": f"#/$defs/d{number + 1}"} for number in range(1, last)}
    schema = {"$ref": "#/$defs/d1", "$defs": {**chain, f"d{last}": {}}}
    assert Evaluations(document(schema), MAX_PATHS).of(schema, "") == (MAX_PATHS if over else 250)


@pytest.mark.parametrize(
    ("pattern", "weight"),
    [
        # 15,000 bytes, 100 for each character, and 1,200 for each repetition, or 60,000 for a costly one.
        ("ab", 15_000 + 200 + 1_200),
        ("a{3}", 15_000 + 400 + 3 * 1_200),
        ("(a{3}b{2,4}){5}", 15_000 + 1_500 + 3 * 4 * 5 * 1_200),
        ("a{2,}", 15_000 + 500 + 2 * 1_200),
        (r"\p{L}{3}", 15_000 + 800 + 3 * 60_000),
        ("(?=a{0})", 15_000 + 800 + 60_000),
        ("a{9999}", 10_000_000),
    ],
)
def test_what_a_pattern_weighs(pattern: str, weight: int) -> None:
    assert pattern_weight({"pattern": pattern}) == weight
    assert pattern_weight({"items": [{"patternProperties": {pattern: {}, "x": {}}}]}) == weight + 15_000 + 100 + 1_200


LONG = {"description": "x" * SMALL_TEXT}


@pytest.mark.parametrize(
    ("schema", "cost"),
    [
        ({"type": "string"}, Cost(quick=True, shallow=True)),
        (LONG, Cost(quick=False, shallow=True)),
        ({"items": {f"unevaluated{word}": False for word in ("Items", "Properties")}}, Cost(quick=True, shallow=True)),
        ({"items": [{"unevaluatedItems": False}] * 5}, Cost(quick=False, shallow=False)),
        (forks(MAX_CASES // 2), Cost(quick=True, shallow=True)),
        ({"allOf": [{"oneOf": [A] * 6}, {"anyOf": [A, B]}]}, Cost(quick=True, shallow=True)),
        ({"allOf": [{"oneOf": [A] * 7}], "properties": {n: {"not": A} for n in "abcd"}}, Cost(False, True)),
        # 2 to the power of 13 paths, and of 16.
        (doubled(11), Cost(quick=False, shallow=True)),
        (doubled(16), Cost(quick=False, shallow=False)),
    ],
)
def test_which_engines_may_run_in_this_process(schema: Any, cost: Cost) -> None:
    assert estimate(text_of(schema), lambda: schema) == cost
