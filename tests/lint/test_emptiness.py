"""Schemas that no value fits: the forms that are seen, and those that a value fits."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mcp_governor.packs.clarity.schema import Emptiness

NEVER: dict[str, Any] = {
    "not anything": {"not": {}},
    "not true": {"not": True},
    "not an unknown keyword": {"not": {"any": True}},
    "false": False,
    "two types": {"allOf": [{"type": "string"}, {"type": "object"}]},
    "a type and a constant": {"type": "string", "const": 3},
    "a type and other values": {"type": "string", "enum": [1, 2]},
    "an empty enum": {"enum": []},
    "lengths": {"type": "string", "minLength": 5, "maxLength": 3},
    "numbers": {"type": "integer", "minimum": 5, "maximum": 3},
    "no integer between": {"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2},
    "no multiple": {"type": "integer", "minimum": 1, "maximum": 4, "multipleOf": 5},
    "a pattern and a length": {"type": "string", "pattern": "^a$", "minLength": 4},
    "branches": {"anyOf": [False, {"not": {}}]},
    "equal alternatives": {"oneOf": [{"type": "string"}, {"type": "string"}]},
    "a member": {"type": "object", "properties": {"a": False}, "required": ["a"]},
    "a closed object": {"type": "object", "required": ["a"], "additionalProperties": False},
    "too few members": {"type": "object", "maxProperties": 0, "minProperties": 1},
    "no item": {"type": "array", "items": False, "minItems": 1},
    "not that many items": {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True, "minItems": 3},
    "a reference": {"$ref": "#/$defs/never"},
    "a circle": {"$ref": "#/$defs/circle"},
}
FITS: dict[str, Any] = {
    "true": True,
    "anything": {},
    "an unknown keyword": {"any": True},
    "no value 0": {"not": {"const": 0}},
    "an empty list": {"type": "array", "items": False},
    "no members": {"type": "object", "properties": {"a": False}},
    "null": {"anyOf": [{"not": {}}, {"type": "null"}]},
    "one integer": {"type": "integer", "minimum": 3, "maximum": 3},
    "a format that no string of this length has": {"type": "string", "format": "uuid", "maxLength": 3},
}
NOBODY_KNOWS: dict[str, Any] = {
    "no schema": {"type": []},
    "a reference to nothing": {"$ref": "#/$defs/gone"},
    "elsewhere": {"$ref": "https://example.com/x"},
}
DEFS = {
    "never": {"not": {}},
    "circle": {"type": "object", "required": ["c"], "properties": {"c": {"$ref": "#/$defs/circle"}}},
}


def _root(schema: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"p": schema, "q": {"type": "string"}}, "$defs": DEFS, **more}


@pytest.mark.parametrize("schema", NEVER.values(), ids=NEVER)
def test_no_value_fits(schema: Any) -> None:
    assert Emptiness().impossible(_root(schema)) == (False, ["p"])
    assert Emptiness().impossible(_root(schema, required=["p"])) == (True, ["p"])


@pytest.mark.parametrize("schema", [*FITS.values(), *NOBODY_KNOWS.values()], ids=[*FITS, *NOBODY_KNOWS])
def test_a_value_fits_or_nobody_knows(schema: Any) -> None:
    assert Emptiness().impossible(_root(schema, required=["p"])) == (False, [])


@pytest.mark.parametrize("more", [{"required": "p"}, {"properties": []}, {"$schema": "https://example.com/dialect"}])
def test_a_root_that_cannot_be_read_has_no_finding(more: dict[str, Any]) -> None:
    assert Emptiness().impossible(_root({}, allOf=[False], **more)) == (False, [])


def test_a_parameter_is_seen_beside_one_that_breaks_the_meta_schema() -> None:
    assert Emptiness().impossible({"properties": {"p": {"not": {}}, "q": {"type": []}}}) == (False, ["p"])


def test_the_budget_ends_the_questions() -> None:
    assert Emptiness(budget=0).impossible(_root({"not": {}})) == (False, [])


def test_many_alternatives_are_not_compared() -> None:
    assert Emptiness().dead_choices({}, {"oneOf": [{"const": 1}] * 101}) == []
    assert Emptiness().dead_choices({}, {"oneOf": [{"const": 1}] * 3}) == [{"const": 1}] * 3


def test_a_reference_to_the_root_is_not_moved() -> None:
    """``#`` in a part means the whole schema, which the part on its own no longer is: it would never end."""
    part = {"type": "object", "required": ["c"], "properties": {"c": {"$ref": "#"}}}
    assert Emptiness().impossible({"type": "object", "properties": {"p": part, "n": False}}) == (False, ["n"])


VALUES: list[Any] = [None, True, False, 0, 1, 2, 1.5, "", "a", "ab", [], [1], ["a"], {}, {"a": 1}, {"a": "x"}]
LEAVES = st.sampled_from(
    [
        *({"type": kind} for kind in ("null", "boolean", "integer", "number", "string", "array", "object")),
        *({"const": value} for value in VALUES),
        {"minLength": 1},
        {"maximum": 0},
        {"required": ["a"]},
        {"properties": {"a": {"type": "integer"}}},
        True,
        False,
    ]
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(
            lambda key, parts: {key: parts},
            st.sampled_from(["allOf", "anyOf", "oneOf"]),
            st.lists(inner, min_size=1, max_size=3),
        ),
        st.builds(lambda part: {"not": part}, inner),
    ),
    max_leaves=5,
)


@settings(max_examples=60, deadline=None)
@given(SCHEMAS)
def test_what_is_impossible_refuses_every_value_that_is_tried(schema: Any) -> None:
    root = _root(schema)
    judge = Draft202012Validator(root)
    if Emptiness().impossible(root)[1]:
        assert not [value for value in VALUES if judge.is_valid({"p": value})], json.dumps(schema)
