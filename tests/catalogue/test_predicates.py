"""The keywords that are asked without the engine mean what they mean to the engine."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_governor.errors import ConfigError
from mcp_governor.rules.predicates import predicate
from mcp_governor.schemas.patterns import compile_schema, errors

NAMES = st.sampled_from(["a", "type", "$ref", "\ud800"])
SCALARS = st.sampled_from([None, True, False, 0, 1, 1.0, -1, "", "a", "ab", "object", "\U0001f600", "\ud800"])
VALUES = st.recursive(
    SCALARS, lambda below: st.lists(below, max_size=3) | st.dictionaries(NAMES, below, max_size=3), max_leaves=8
)
TYPES = st.sampled_from(["object", "array", "string", "boolean", "null", "integer", "number"])
KNOWN = st.sampled_from(["a", "type", "$ref"])


def schemas_over(below):
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES | st.lists(TYPES, min_size=1, max_size=2, unique=True),
            "const": st.sampled_from([True, False, 0, 1, "a", "object", [], {}, ["a"]]),
            "enum": st.lists(st.sampled_from(["a", "ab", 1, False]), min_size=1, unique=True),
            "required": st.lists(KNOWN, max_size=2, unique=True),
            "properties": st.dictionaries(KNOWN, below, max_size=2),
            "items": below,
            "anyOf": st.lists(below, min_size=1, max_size=2),
            "not": below,
            "maxLength": st.integers(0, 2),
            "minItems": st.integers(0, 2),
        },
    )


SCHEMAS = st.recursive(st.booleans() | schemas_over(st.booleans()), schemas_over, max_leaves=4)


@settings(max_examples=200)
@given(SCHEMAS, VALUES)
def test_a_predicate_says_what_the_engine_says(schema, value):
    assert predicate(schema)(value) is (errors(compile_schema(schema), value) == [])


@pytest.mark.parametrize(
    ("value", "valid"), [({"a": {"b": 1}}, True), ({"a": {"b": "x"}}, False), ({"a": 1}, True), ({}, True)]
)
def test_a_reference_is_followed_from_the_root_of_the_schema(value, valid):
    schema = {"$defs": {"n": {"properties": {"b": {"type": "integer"}}}}, "properties": {"a": {"$ref": "#/$defs/n"}}}
    assert predicate(schema)(value) is valid


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"const": True}, 1),
        ({"const": False}, 0),
        ({"required": ["a", "b"]}, {"a": 1}),
        ({"required": ["a"]}, ["a"]),
        ({"enum": ["a"]}, ["a"]),
        ({"maxLength": 1}, "\U0001f600"),
        ({"properties": {"a": False}}, {"b": 1}),
    ],
)
def test_where_python_and_json_differ_json_counts(schema, value):
    assert predicate(schema)(value) is (errors(compile_schema(schema), value) == [])


@settings(max_examples=60)
@given(SCHEMAS, VALUES)
def test_a_schema_that_is_known_to_be_sound_says_the_same(schema, value):
    assert predicate(schema, sound=True)(value) is predicate(schema)(value)


def test_a_schema_that_is_known_to_be_sound_is_compiled_when_it_is_needed():
    schema = {"type": "object", "properties": {"a": {"pattern": "("}}}
    with pytest.raises(ConfigError, match="compile"):
        predicate(schema)
    late = predicate(schema, sound=True)
    assert late(1) is False
    assert late({"b": "x"}) is True
    with pytest.raises(ConfigError, match="compile"):
        late({"a": "x"})
