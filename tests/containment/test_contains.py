"""Every keyword, both directions, by hand."""

from __future__ import annotations

from typing import Any

import pytest
from asking import answer, verdict

CLOSED = {"additionalProperties": False}
A = {"properties": {"a": {"type": "string"}}}
AB = {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}}


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, **CLOSED}


# (wide, narrow): the wide one contains the narrow one, and not the other way round.
WIDER = {
    "anything and a type": (True, {"type": "string"}),
    "empty object schema and a type": ({}, {"type": "null"}),
    "a type and nothing": ({"type": "string"}, False),
    "number and integer": ({"type": "number"}, {"type": "integer"}),
    "type list and type": ({"type": ["string", "null"]}, {"type": "string"}),
    "type and enum": ({"type": "string"}, {"enum": ["a", "b"]}),
    "enum with more values": ({"enum": ["a", "b", "c"]}, {"enum": ["c", "a"]}),
    "enum and const": ({"enum": [1, 2]}, {"const": 1.0}),
    "const list": ({"type": "array"}, {"const": [1, "a"]}),
    "integer bound and number list": ({"type": "integer", "minimum": 0}, {"enum": [0, 3.0]}),
    "lower minimum": ({"type": "number", "minimum": 1}, {"type": "number", "minimum": 1.5}),
    "minimum and exclusive minimum": (
        {"type": "number", "minimum": 0},
        {"type": "number", "exclusiveMinimum": 0},
    ),
    "higher maximum": ({"type": "number", "maximum": 10}, {"type": "number", "maximum": 9.5}),
    "maximum and exclusive maximum": (
        {"type": "integer", "maximum": 5},
        {"type": "integer", "exclusiveMaximum": 5},
    ),
    "multiple of a divisor": ({"type": "integer", "multipleOf": 2}, {"type": "integer", "multipleOf": 6}),
    "multiple of a half": ({"type": "number", "multipleOf": 0.5}, {"type": "integer"}),
    "tenths and fifths": ({"type": "number", "multipleOf": 0.1}, {"type": "number", "multipleOf": 0.2}),
    "two divisors": (
        {"multipleOf": 2, "type": "integer"},
        {"allOf": [{"multipleOf": 2}, {"multipleOf": 3}, {"type": "integer"}]},
    ),
    "shorter minimum length": ({"type": "string", "minLength": 1}, {"type": "string", "minLength": 2}),
    "longer maximum length": ({"type": "string", "maxLength": 3}, {"type": "string", "maxLength": 2}),
    "length and const": ({"type": "string", "maxLength": 3}, {"const": "abc"}),
    "length counts characters, not bytes": ({"type": "string", "maxLength": 1}, {"const": "\U0001f600"}),
    "items": (
        {"type": "array", "items": {"type": "number"}},
        {"type": "array", "items": {"type": "integer"}},
    ),
    "no items at all and items": ({"type": "array", "items": {"type": "string"}}, {"type": "array", "maxItems": 0}),
    "prefix and longer prefix": (
        {"type": "array", "prefixItems": [{"type": "string"}]},
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "null"}]},
    ),
    "prefix and items alike": (
        {"type": "array", "prefixItems": [{"type": "string"}]},
        {"type": "array", "items": {"type": "string"}},
    ),
    "closed prefix": (
        {"type": "array", "prefixItems": [{"type": "string"}]},
        {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
    ),
    "fewer items required": ({"type": "array", "minItems": 1}, {"type": "array", "minItems": 2}),
    "more items allowed": ({"type": "array", "maxItems": 2}, {"type": "array", "maxItems": 1}),
    "unique items": ({"type": "array"}, {"type": "array", "uniqueItems": True}),
    "one item is always unique": ({"type": "array", "uniqueItems": True}, {"type": "array", "maxItems": 1}),
    "only so many booleans": (
        {"type": "array", "maxItems": 2},
        {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True},
    ),
    "contains": (
        {"type": "array", "contains": {"type": "number"}},
        {"type": "array", "contains": {"type": "integer"}},
    ),
    "contains and a required first item": (
        {"type": "array", "contains": {"const": 1}},
        {"type": "array", "prefixItems": [{"const": 1}], "minItems": 1},
    ),
    "contains fewer": (
        {"type": "array", "contains": {"const": 1}, "minContains": 1},
        {"type": "array", "contains": {"const": 1}, "minContains": 2},
    ),
    "contains at most": (
        {"type": "array", "contains": {"const": 1}, "maxContains": 3},
        {"type": "array", "contains": {"const": 1}, "maxContains": 2},
    ),
    "minContains zero": (
        {"type": "array", "contains": {"const": 1}, "minContains": 0},
        {"type": "array", "contains": {"const": 1}},
    ),
    "optional and required": (A | {"type": "object"}, A | {"type": "object", "required": ["a"]}),
    "open and closed": (A | {"type": "object"}, closed(A) | {"type": "object"}),
    "closed with one more": (closed(AB) | {"type": "object"}, closed(A) | {"type": "object"}),
    "a property of any kind": ({"type": "object"}, A | {"type": "object"}),
    "open object with another typed property and closed object": (
        AB | {"type": "object"},
        closed(A) | {"type": "object"},
    ),
    "pattern properties and a property": (
        {"type": "object", "patternProperties": {"^a": {"type": "string"}}, "additionalProperties": False},
        closed({"type": "object", "properties": {"ab": {"type": "string"}}}),
    ),
    "pattern properties overlap": (
        {"type": "object", "patternProperties": {"^a": {"type": "string"}}},
        {"type": "object", "patternProperties": {"^a": {"type": "string"}, "b$": {"type": "number"}}},
    ),
    "map and object": (
        {"type": "object", "additionalProperties": {"type": "string"}},
        closed(A) | {"type": "object"},
    ),
    "wider map": (
        {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
        {"type": "object", "additionalProperties": {"type": "string"}},
    ),
    "property names": (
        {"type": "object", "propertyNames": {"maxLength": 3}},
        {"type": "object", "propertyNames": {"maxLength": 2}},
    ),
    "property names listed and closed": (
        {"type": "object", "propertyNames": {"enum": ["a", "b"]}},
        {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
    ),
    "fewer members required": ({"type": "object", "minProperties": 1}, {"type": "object", "minProperties": 2}),
    "members and required names": ({"type": "object", "minProperties": 2}, {"type": "object", "required": ["a", "b"]}),
    "more members allowed": ({"type": "object", "maxProperties": 2}, {"type": "object", "maxProperties": 1}),
    "at most as many members as names": (
        {"type": "object", "maxProperties": 2},
        {"type": "object", "propertyNames": {"enum": ["a", "b"]}},
    ),
    "dependent required and required": (
        {"type": "object", "dependentRequired": {"a": ["b"]}},
        {"type": "object", "required": ["b"]},
    ),
    "dependent required and forbidden": (
        {"type": "object", "dependentRequired": {"a": ["b"]}},
        {"type": "object", "properties": {"a": False}},
    ),
    "dependent schemas": (
        {"type": "object", "dependentSchemas": {"a": {"required": ["b"]}}},
        {"type": "object", "dependentSchemas": {"a": {"required": ["b", "c"]}}},
    ),
    "allOf": ({"type": "number", "minimum": 1}, {"allOf": [{"type": "number"}, {"minimum": 2}]}),
    "anyOf with more branches": (
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]},
    ),
    "anyOf and oneOf that overlaps": (
        {"anyOf": [{"minimum": 0}, {"multipleOf": 2}], "type": "integer"},
        {"oneOf": [{"minimum": 0}, {"multipleOf": 2}], "type": "integer"},
    ),
    "a range from two": (
        {"type": "integer", "anyOf": [{"maximum": 4}, {"minimum": 3}]},
        {"type": "integer", "minimum": 2, "maximum": 5},
    ),
    "union by discriminator": (
        {
            "oneOf": [
                {"type": "object", "properties": {"k": {"const": "x"}, "n": {"type": "number"}}, "required": ["k"]},
                {"type": "object", "properties": {"k": {"const": "y"}}, "required": ["k"]},
            ]
        },
        {"type": "object", "properties": {"k": {"const": "x"}, "n": {"type": "integer"}}, "required": ["k"]},
    ),
    "not": ({"not": {"type": "integer", "minimum": 5}}, {"not": {"type": "integer"}}),
    "not required": (
        {"type": "object", "not": {"required": ["a", "b"]}},
        {"type": "object", "not": {"required": ["a"]}},
    ),
    "if, then": (
        {
            "type": "object",
            "if": {"properties": {"k": {"const": 1}}, "required": ["k"]},
            "then": {"required": ["v"]},
        },
        {"type": "object", "required": ["v"]},
    ),
    "if, else": (
        {"if": {"type": "string"}, "else": {"type": "integer"}},
        {"type": ["string", "integer"], "maxLength": 3},
    ),
    "unevaluated properties and closed": (
        {"type": "object", "allOf": [A], "unevaluatedProperties": False},
        {"type": "object", "properties": {"a": {"const": "x"}}, "additionalProperties": False},
    ),
    "unevaluated properties through anyOf": (
        {
            "type": "object",
            "anyOf": [A | {"required": ["a"]}, {"properties": {"b": True}}],
            "unevaluatedProperties": False,
        },
        {"type": "object", "properties": {"b": {"type": "null"}}, "additionalProperties": False},
    ),
    "unevaluated items": (
        {"type": "array", "prefixItems": [{"type": "string"}], "unevaluatedItems": {"type": "number"}},
        {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}},
    ),
    "unevaluated items and contains": (
        {"type": "array", "contains": {"type": "string"}, "unevaluatedItems": False},
        {"type": "array", "items": {"const": "a"}, "minItems": 1},
    ),
    "an enum of objects": (
        {"type": "object", "required": ["k"]},
        {"enum": [{"k": 1}, {"k": 2, "v": None}]},
    ),
    "everything but one object": ({"not": {"const": {"a": 1}}}, {"type": "object", "required": ["b"]}),
    "everything but one list": ({"not": {"const": [1]}}, {"type": "array", "minItems": 2}),
    "everything but one string": ({"type": "string", "not": {"const": ""}}, {"type": "string", "minLength": 3}),
}

# Two spellings of one set of values.
SAME = {
    "const and enum": ({"const": "a"}, {"enum": ["a"]}),
    "type list and anyOf": ({"type": ["string", "null"]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
    "nullable with a bound": (
        {"type": ["integer", "null"], "minimum": 0},
        {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]},
    ),
    "merged allOf": ({"allOf": [{"type": "string"}, {"maxLength": 3}]}, {"type": "string", "maxLength": 3}),
    "inlined definition": (
        {"$defs": {"n": {"type": "integer"}}, "properties": {"a": {"$ref": "#/$defs/n"}}},
        {"properties": {"a": {"type": "integer"}}},
    ),
    "moved definition": (
        {"$defs": {"n": {"type": "integer"}}, "$ref": "#/$defs/n"},
        {"definitions": {"m": {"type": "integer"}}, "$ref": "#/definitions/m"},
    ),
    "booleans written out": ({"type": "boolean"}, {"enum": [True, False]}),
    "integer as a multiple": ({"type": "integer"}, {"type": "number", "multipleOf": 1}),
    "exclusive integer bound": (
        {"type": "integer", "exclusiveMinimum": 0},
        {"type": "integer", "minimum": 1},
    ),
    "uninhabited": ({"type": "string", "minLength": 3, "maxLength": 2}, False),
    "uninhabited by required": ({"type": "object", "properties": {"a": False}, "required": ["a"]}, False),
    "uninhabited array": ({"type": "array", "items": False, "minItems": 1}, False),
    "double negation": ({"not": {"not": {"type": "string"}}}, {"type": "string"}),
    "closed in two ways": (
        {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
        {"type": "object", "propertyNames": {"const": "a"}},
    ),
    "required through dependency": (
        {"type": "object", "required": ["a"], "dependentRequired": {"a": ["b"]}},
        {"type": "object", "required": ["a", "b"]},
    ),
    "disjoint oneOf and anyOf": (
        {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        {"anyOf": [{"type": "integer"}, {"type": "string"}]},
    ),
    "if, then, else by cases": (
        {"if": {"type": "string"}, "then": {"maxLength": 3}, "else": {"type": "null"}},
        {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]},
    ),
    "formats are annotations": ({"type": "string", "format": "date"}, {"type": "string", "format": "uri"}),
    "content is an annotation": (
        {"$schema": "http://json-schema.org/draft-07/schema#", "type": "string", "contentEncoding": "base64"},
        {"type": "string"},
    ),
    "annotations": ({"title": "T", "default": 1, "type": "integer"}, {"type": "integer", "x-mine": {"a": 1}}),
}

# Neither contains the other.
APART = {
    "types": ({"type": "string"}, {"type": "integer"}),
    "true is not one": ({"const": True}, {"const": 1}),
    "false is not zero": ({"enum": [False]}, {"enum": [0]}),
    "zero and the empty string": ({"const": 0}, {"const": ""}),
    "enum values": ({"enum": ["a", "b"]}, {"enum": ["b", "c"]}),
    "ranges": ({"type": "integer", "minimum": 2}, {"type": "integer", "maximum": 4}),
    "steps": ({"type": "integer", "multipleOf": 2}, {"type": "integer", "multipleOf": 3}),
    "required names": ({"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}),
    "renamed property": (closed(A), closed({"properties": {"c": {"type": "string"}}})),
    "items order": (
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": 2},
        {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2},
    ),
    "patterns": ({"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "b$"}),
    "deep in an array of objects": (
        {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
        {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}}}},
    ),
}


@pytest.mark.parametrize("name", WIDER)
def test_the_wide_schema_contains_the_narrow_one(name: str) -> None:
    wide, narrow = WIDER[name]
    assert verdict(wide, narrow) == "yes"


@pytest.mark.parametrize("name", WIDER)
def test_the_narrow_schema_does_not_contain_the_wide_one(name: str) -> None:
    wide, narrow = WIDER[name]
    assert verdict(narrow, wide) == "no"


@pytest.mark.parametrize("name", SAME)
def test_spellings_contain_each_other(name: str) -> None:
    one, other = SAME[name]
    assert verdict(one, other) == "yes"
    assert verdict(other, one) == "yes"


@pytest.mark.parametrize("name", APART)
def test_neither_contains_the_other(name: str) -> None:
    one, other = APART[name]
    assert verdict(one, other) == "no"
    assert verdict(other, one) == "no"


@pytest.mark.parametrize("name", [*WIDER, *SAME, *APART])
def test_every_schema_contains_itself(name: str) -> None:
    for schema in {**WIDER, **SAME, **APART}[name]:
        assert verdict(schema, schema) == "yes"
        if "$ref" in str(schema):
            continue
        respelled = {"allOf": [schema]}
        assert verdict(schema, respelled) == "yes"
        assert verdict(respelled, schema) == "yes"


@pytest.mark.parametrize("name", WIDER)
def test_containment_survives_nesting(name: str) -> None:
    wide, narrow = WIDER[name]
    outer = {"type": "object", "properties": {"v": wide}, "required": ["v"]}
    inner = {"type": "object", "properties": {"v": narrow}, "required": ["v"]}
    assert verdict(outer, inner) == "yes"
    if narrow is not False:
        assert verdict(inner, outer) == "no"


@pytest.mark.parametrize(
    ("outer", "inner", "witness"),
    [
        ({"type": "string"}, {"type": ["string", "null"]}, None),
        ({"enum": ["a"]}, {"enum": ["a", "b"]}, "b"),
        ({"type": "integer", "maximum": 10}, {"type": "integer", "minimum": 10}, 11),
        ({"type": "string", "maxLength": 2}, {"type": "string"}, "aaa"),
        ({"type": "string", "minLength": 1}, {"type": "string"}, ""),
        ({"type": "array", "maxItems": 1}, {"type": "array", "items": {"const": 0}}, [0, 0]),
        ({"type": "object", "required": ["a"]}, {"type": "object"}, {}),
        ({"type": "string", "pattern": "^[ab]$"}, {"type": "string", "pattern": "^[abc]$"}, "c"),
        (
            {"type": "object", "properties": {"n": {"maximum": 5}}},
            {"type": "object", "properties": {"n": {"type": "integer"}, "m": {}}, "required": ["m"]},
            {"m": None, "n": 6},
        ),
    ],
)
def test_the_witness_is_the_smallest(outer: Any, inner: Any, witness: Any) -> None:
    found = answer(outer, inner)
    assert found.has_witness
    assert found.witness == witness
    assert type(found.witness) is type(witness)


def test_the_witness_of_an_input_break_is_a_whole_arguments_object() -> None:
    old = {
        "type": "object",
        "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}, "tag": {"type": "string"}},
        "required": ["query"],
        "additionalProperties": False,
    }
    new = {**old, "properties": {**old["properties"], "limit": {"type": "integer", "maximum": 100}}}
    assert answer(new, old).witness == {"query": "", "limit": 101}


def test_a_schema_may_be_changed_after_it_was_asked_about() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert verdict({"type": "object"}, schema) == "yes"
    schema["properties"]["a"]["type"] = "integer"
    assert verdict({"type": "object", "properties": {"a": {"type": "integer"}}}, schema) == "yes"
    assert verdict({"type": "object", "properties": {"a": {"type": "string"}}}, schema) == "no"


def test_key_order_and_number_spelling_do_not_matter() -> None:
    one = {"type": "object", "properties": {"a": {"maximum": 1.0}, "b": {}}}
    other = {"properties": {"b": {}, "a": {"maximum": 1}}, "type": "object"}
    assert verdict(one, other) == "yes"
