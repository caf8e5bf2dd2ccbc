"""Pairs of schemas, one table for each answer, written by hand."""

from __future__ import annotations

from typing import Any

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
    "enum and const": ({"enum": [1, 2]}, {"const": 1.0}),
    "lower minimum": ({"type": "number", "minimum": 1}, {"type": "number", "minimum": 1.5}),
    "higher maximum": ({"type": "number", "maximum": 10}, {"type": "number", "maximum": 9.5}),
    "multiple of a divisor": ({"type": "integer", "multipleOf": 2}, {"type": "integer", "multipleOf": 6}),
    "multiple of a half": ({"type": "number", "multipleOf": 0.5}, {"type": "integer"}),
    "tenths and fifths": ({"type": "number", "multipleOf": 0.1}, {"type": "number", "multipleOf": 0.2}),
    "longer maximum length": ({"type": "string", "maxLength": 3}, {"type": "string", "maxLength": 2}),
    "length counts characters, not bytes": ({"type": "string", "maxLength": 1}, {"const": "\U0001f600"}),
    "items": (
        {"type": "array", "items": {"type": "number"}},
        {"type": "array", "items": {"type": "integer"}},
    ),
    "prefix and longer prefix": (
        {"type": "array", "prefixItems": [{"type": "string"}]},
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "null"}]},
    ),
    "fewer items required": ({"type": "array", "minItems": 1}, {"type": "array", "minItems": 2}),
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
    "contains at most": (
        {"type": "array", "contains": {"const": 1}, "maxContains": 3},
        {"type": "array", "contains": {"const": 1}, "maxContains": 2},
    ),
    "optional and required": (A | {"type": "object"}, A | {"type": "object", "required": ["a"]}),
    "open and closed": (A | {"type": "object"}, closed(A) | {"type": "object"}),
    "a property of any kind": ({"type": "object"}, A | {"type": "object"}),
    "open object with another typed property and closed object": (
        AB | {"type": "object"},
        closed(A) | {"type": "object"},
    ),
    "pattern properties overlap": (
        {"type": "object", "patternProperties": {"^a": {"type": "string"}}},
        {"type": "object", "patternProperties": {"^a": {"type": "string"}, "b$": {"type": "number"}}},
    ),
    "wider map": (
        {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
        {"type": "object", "additionalProperties": {"type": "string"}},
    ),
    "property names listed and closed": (
        {"type": "object", "propertyNames": {"enum": ["a", "b"]}},
        {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
    ),
    "members and required names": ({"type": "object", "minProperties": 2}, {"type": "object", "required": ["a", "b"]}),
    "at most as many members as names": (
        {"type": "object", "maxProperties": 2},
        {"type": "object", "propertyNames": {"enum": ["a", "b"]}},
    ),
    "dependent required and required": (
        {"type": "object", "dependentRequired": {"a": ["b"]}},
        {"type": "object", "required": ["b"]},
    ),
    "dependent schemas": (
        {"type": "object", "dependentSchemas": {"a": {"required": ["b"]}}},
        {"type": "object", "dependentSchemas": {"a": {"required": ["b", "c"]}}},
    ),
    "allOf": ({"type": "number", "minimum": 1}, {"allOf": [{"type": "number"}, {"minimum": 2}]}),
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
    "if, then": (
        {
            "type": "object",
            "if": {"properties": {"k": {"const": 1}}, "required": ["k"]},
            "then": {"required": ["v"]},
        },
        {"type": "object", "required": ["v"]},
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
    "unevaluated items and contains": (
        {"type": "array", "contains": {"type": "string"}, "unevaluatedItems": False},
        {"type": "array", "items": {"const": "a"}, "minItems": 1},
    ),
    "everything but one object": ({"not": {"const": {"a": 1}}}, {"type": "object", "required": ["b"]}),
    "everything but one list": ({"not": {"const": [1]}}, {"type": "array", "minItems": 2}),
    "a multiple that is not another": (
        {"type": "integer", "not": {"multipleOf": 6}},
        {"type": "integer", "not": {"multipleOf": 3}},
    ),
    "at most two members, some by pattern": (
        {"type": "object", "maxProperties": 2},
        {
            "type": "object",
            "properties": {"a": {}},
            "patternProperties": {"^b$": {"type": "null"}},
            "additionalProperties": False,
        },
    ),
    "a pattern shields from the rest": (
        {"type": "object", "patternProperties": {"^x": {}}, "additionalProperties": {"type": "string"}},
        {"type": "object", "patternProperties": {"^x": {"type": "null"}}, "additionalProperties": {"const": "a"}},
    ),
    "two patterns share the names": (
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {
            "type": "object",
            "patternProperties": {"^a": {"type": "number"}, "^[^b]": {"multipleOf": 1}},
            "additionalProperties": False,
            "propertyNames": {"pattern": "^a"},
        },
    ),
    "an equal pair that is counted twice": (
        {"type": "array", "contains": {"const": 1}, "minContains": 2},
        {"type": "array", "items": {"enum": [1]}, "minItems": 2},
    ),
    "not unique with few of a kind": (
        {"type": "array", "contains": {"type": "null"}, "minContains": 2},
        {
            "type": "array",
            "prefixItems": [{"type": ["null", "string"]}, {"type": ["null", "integer"]}],
            "items": False,
            "not": {"uniqueItems": True},
        },
    ),
    "counts from below and above": (
        {"type": "array", "maxItems": 3},
        {
            "type": "array",
            "items": {"type": ["null", "integer"]},
            "allOf": [
                {"contains": {"type": "null"}, "maxContains": 1},
                {"contains": {"type": "integer"}, "maxContains": 2},
            ],
        },
    ),
    "distinct items from pools that overlap": (
        {"type": "array", "maxItems": 3},
        {
            "type": "array",
            "prefixItems": [{"enum": [1, 2]}, {"enum": [1, 2]}, {"enum": [2, 3]}, {"enum": [1, 3]}],
            "items": False,
            "uniqueItems": True,
        },
    ),
    "some member is wrong, but there may only be one": (
        {"type": "object", "properties": {"a": {"type": "string"}}},
        {"type": "object", "required": ["b"], "maxProperties": 1},
    ),
    "another member makes another object": (
        {"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"], "not": {"const": {"a": 1}}},
        {"type": "object", "properties": {"a": {"const": 1}}, "required": ["a", "b"]},
    ),
    "not exactly one": (
        {"not": {"oneOf": [{"minimum": 0}, {"multipleOf": 2}]}},
        {"type": "integer", "minimum": 0, "multipleOf": 2},
    ),
}

# Two spellings of one set of values.
SAME = {
    "integer as a multiple": ({"type": "integer"}, {"type": "number", "multipleOf": 1}),
    "uninhabited": ({"type": "string", "minLength": 3, "maxLength": 2}, False),
    "uninhabited by required": ({"type": "object", "properties": {"a": False}, "required": ["a"]}, False),
    "closed in two ways": (
        {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
        {"type": "object", "propertyNames": {"const": "a"}},
    ),
    "required through dependency": (
        {"type": "object", "required": ["a"], "dependentRequired": {"a": ["b"]}},
        {"type": "object", "required": ["a", "b"]},
    ),
    "if, then, else by cases": (
        {"if": {"type": "string"}, "then": {"maxLength": 3}, "else": {"type": "null"}},
        {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]},
    ),
    "content is an annotation": (
        {"$schema": "http://json-schema.org/draft-07/schema#", "type": "string", "contentEncoding": "base64"},
        {"type": "string"},
    ),
    "the same branch twice is never the only one": ({"oneOf": [{"type": "null"}, {"type": "null"}]}, False),
    "a negative lookahead speaks of texts": (
        {"pattern": "^(?!a)", "type": ["string", "null"]},
        {"anyOf": [{"type": "null"}, {"type": "string", "not": {"pattern": "^a"}}]},
    ),
    "more booleans than there are": (
        {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True, "minItems": 3},
        False,
    ),
    "between two whole numbers": ({"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2}, False),
    "every multiple is excluded": ({"type": "integer", "multipleOf": 6, "not": {"multipleOf": 3}}, False),
    "equal items count alike": (
        {
            "type": "array",
            "items": {"enum": [0, 1]},
            "minItems": 2,
            "maxItems": 2,
            "not": {"uniqueItems": True},
            "contains": {"const": 0},
            "maxContains": 1,
        },
        False,
    ),
    "unevaluated below unevaluated": (
        {
            "type": "object",
            "allOf": [{"unevaluatedProperties": {"type": "string"}}],
            "unevaluatedProperties": False,
        },
        {"type": "object", "additionalProperties": {"type": "string"}},
    ),
    "unique and repeated": ({"type": "array", "uniqueItems": True, "not": {"uniqueItems": True}}, False),
    "a name that no name can be": ({"type": "object", "propertyNames": {"type": "integer"}, "minProperties": 1}, False),
    "a dependency that leads nowhere": (
        {"type": "object", "required": ["a"], "dependentSchemas": {"a": False}},
        False,
    ),
}

# Neither contains the other.
APART = {
    "types": ({"type": "string"}, {"type": "integer"}),
    "true is not one": ({"const": True}, {"const": 1}),
    "enum values": ({"enum": ["a", "b"]}, {"enum": ["b", "c"]}),
    "a fraction in a list": ({"type": ["integer", "null"]}, {"enum": [1, 1.5]}),
    "ranges": ({"type": "integer", "minimum": 2}, {"type": "integer", "maximum": 4}),
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
