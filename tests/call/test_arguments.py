"""Sample arguments: accepted by the schema, as its author wrote them, the same every time; and wrong ones."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_governor.call.arguments import sample_arguments
from mcp_governor.call.wrong import wrong_arguments
from mcp_governor.schemas.formats import EXAMPLES

CORPUS = Path(__file__).resolve().parents[2].parent / "shared" / "corpus"


def of(**properties):
    return {"type": "object", "properties": properties, "required": list(properties)}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "object"}, {}),
        (None, {}),
        ({}, {}),
        (True, {}),
        (of(a={"type": "string", "examples": ["orders"], "default": "users"}), {"a": "orders"}),
        (of(a={"type": "string", "examples": [3, "orders"]}), {"a": "orders"}),
        (of(a={"type": "string", "default": "users"}), {"a": "users"}),
        (of(a={"type": ["string", "null"], "default": None}), {"a": "example"}),
        (of(a={"enum": ["x", "y"]}), {"a": "x"}),
        (of(a={"const": 7}), {"a": 7}),
        (of(a={"type": "string"}), {"a": "example"}),
        (of(a={"type": "string", "minLength": 9}), {"a": "exampleaa"}),
        (of(a={"type": "string", "maxLength": 3}), {"a": "exa"}),
        (of(a={"type": "integer", "minimum": 5}), {"a": 5}),
        (of(a={"type": "integer", "exclusiveMaximum": -3}), {"a": -4}),
        (of(a={"type": "number", "multipleOf": 0.5}), {"a": 0.5}),
        (of(a={"type": "boolean"}), {"a": False}),
        (of(a={"type": "null"}), {"a": None}),
        (of(a={"type": "array", "items": {"type": "integer"}, "minItems": 2}), {"a": [1, 1]}),
        (of(a={"type": "array", "prefixItems": [{"type": "integer"}, {"const": "b"}]}), {"a": [1, "b"]}),
        (of(a={"anyOf": [{"type": "integer"}, {"type": "null"}]}), {"a": 1}),
        (of(a={"$ref": "#/$defs/A"}) | {"$defs": {"A": of(b={"type": "boolean"})}}, {"a": {"b": False}}),
        ({"allOf": [of(a={"type": "integer"}), of(b={"type": "integer"})]}, {"a": 1, "b": 1}),
        ({"type": "object", "examples": [{"a": "whole"}]}, {"a": "whole"}),
        (of(a={"type": "string", "format": "uri"}), {"a": "https://example.com/"}),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, {}),
    ],
)
def test_what_a_person_would_type(schema, expected):
    assert sample_arguments(schema) == expected


@pytest.mark.parametrize(
    "schema",
    [
        of(a={"type": "string", "pattern": "^[a-z]{2}-[0-9]+$"}),
        of(a={"type": "string", "pattern": "^file:", "minLength": 12}),
        of(a={"type": "array", "items": {"type": "string"}, "uniqueItems": True, "minItems": 3}),
        of(a={"type": "integer", "minimum": 7, "multipleOf": 5}),
        of(a={"not": {"type": "string"}}),
        {"type": "object", "properties": {"a": {}, "b": {}}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"type": "object", "minProperties": 1},
    ],
)
def test_what_simple_rules_cannot_give_is_found_all_the_same(schema):
    arguments = sample_arguments(schema)
    assert arguments is not None
    assert jsonschema_rs.is_valid(schema, arguments)


@pytest.mark.parametrize(
    "schema", [False, of(a=False), {"type": "array"}, {"type": 7}, {"$ref": "http://127.0.0.1:9/"}]
)
def test_what_cannot_be_satisfied_gives_nothing(schema):
    assert sample_arguments(schema) is None


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_a_format_has_a_value_that_is_of_it(name):
    schema = {"type": "string", "format": name}
    assert jsonschema_rs.validator_for(schema, validate_formats=True).is_valid(EXAMPLES[name][0])


def test_optional_arguments_are_given_as_far_as_they_go_together():
    schema = {
        "type": "object",
        "properties": {"q": {"type": "string"}, "a": {"type": "integer"}, "b": {"type": "integer"}, "c": False},
        "required": ["q"],
        "not": {"required": ["a", "b"]},
    }
    assert sample_arguments(schema, optional=True) == {"q": "example", "a": 1}


def test_a_seed_chooses_and_chooses_the_same_again():
    schema = of(a={"enum": list(range(100))}, b={"type": "boolean"})
    by_seed = [sample_arguments(schema, seed=seed) for seed in range(5)]
    assert by_seed == [sample_arguments(schema, seed=seed) for seed in range(5)]
    assert len({json.dumps(arguments) for arguments in by_seed}) > 1


def test_a_recursive_schema_ends():
    schema = {
        "type": "object",
        "properties": {"child": {"$ref": "#"}, "name": {"type": "string"}},
        "required": ["name"],
    }
    assert sample_arguments(schema) == {"name": "example"}
    assert sample_arguments(schema, optional=True)["name"] == "example"


def purposes(schema, good):
    return [(wrong.purpose, wrong.arguments) for wrong in wrong_arguments(schema, good)]


@pytest.mark.parametrize(
    ("schema", "good", "expected"),
    [
        (of(a={"type": "string"}), {"a": "x"}, [("missing", {}), ("type", {"a": {"not": "expected"}})]),
        (
            of(a={"type": "integer", "minimum": 1, "maximum": 9}),
            {"a": 1},
            [("missing", {}), ("bound", {"a": 0}), ("bound", {"a": 10}), ("type", {"a": {"not": "expected"}})],
        ),
        (
            of(a={"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5}),
            {"a": 0.5},
            [("missing", {}), ("bound", {"a": 0}), ("bound", {"a": 0.1}), ("type", {"a": {"not": "expected"}})],
        ),
        (
            of(a={"type": "string", "minLength": 2, "maxLength": 3}),
            {"a": "ab"},
            [
                ("missing", {}),
                ("length", {"a": "e"}),
                ("length", {"a": "example"}),
                ("type", {"a": {"not": "expected"}}),
            ],
        ),
        (
            of(a={"type": "string", "minLength": 1, "pattern": "^[a-z]+$"}),
            {"a": "ab"},
            [
                ("missing", {}),
                ("pattern", {"a": "1"}),
                ("type", {"a": {"not": "expected"}}),
            ],
        ),
        (
            of(a={"enum": ["x", 3]}),
            {"a": "x"},
            [
                ("missing", {}),
                ("enum", {"a": "mcp_governor_unknown"}),
                ("type", {"a": {"not": "expected"}}),
            ],
        ),
        (
            of(a={"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2, "uniqueItems": True}),
            {"a": [1]},
            [
                ("missing", {}),
                ("items", {"a": []}),
                ("items", {"a": [2, 3, 1]}),
                ("items", {"a": [2, 2]}),
                ("type", {"a": {"not": "expected"}}),
                ("type", {"a": [{"not": "expected"}]}),
            ],
        ),
        (of(a={"type": ["string", "null"]}), {"a": None}, [("missing", {}), ("type", {"a": {"not": "expected"}})]),
        (of(a={}), {"a": 1}, [("missing", {})]),
        (
            of(a={"type": "integer", "allOf": [{"minimum": 1}, {"minimum": 1}]}),
            {"a": 1},
            [("missing", {}), ("bound", {"a": 0}), ("type", {"a": {"not": "expected"}})],
        ),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, {}, []),
        (
            of(a=of(b={"type": "boolean"}) | {"additionalProperties": False}),
            {"a": {"b": True}},
            [
                ("missing", {}),
                ("missing", {"a": {}}),
                ("unknown", {"a": {"b": True, "mcp_governor_unknown": 1}}),
                ("type", {"a": "not expected"}),
                ("type", {"a": {"b": {"not": "expected"}}}),
            ],
        ),
    ],
)
def test_each_rule_is_broken_once(schema, good, expected):
    assert purposes(schema, good) == expected


def test_a_pattern_is_broken_by_a_string_of_the_right_length():
    schema = of(a={"type": "string", "pattern": "^[a-z]+$", "minLength": 3, "maxLength": 5})
    (wrong,) = [wrong for wrong in wrong_arguments(schema, {"a": "abc"}) if wrong.purpose == "pattern"]
    assert 3 <= len(wrong.arguments["a"]) <= 5
    assert not jsonschema_rs.is_valid(schema, wrong.arguments)


@pytest.mark.parametrize(("length", "exceeded"), [(10, 201), (20_000, 0)])
def test_a_list_is_exceeded_where_its_items_are_small(length, exceeded):
    schema = of(items={"type": "array", "maxItems": 200, "items": {"type": "string", "minLength": length}})
    made = [wrong.arguments["items"] for wrong in wrong_arguments(schema, {"items": ["x" * length]}) if wrong.arguments]
    assert max((len(items) for items in made if len(items) > 1), default=0) == exceeded


def test_the_good_arguments_stay_as_they_are():
    good = {"a": {"b": [1, 2]}}
    list(wrong_arguments(of(a=of(b={"type": "array", "items": {"type": "integer"}})), good))
    assert good == {"a": {"b": [1, 2]}}


SCALARS = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer", "minimum": 2, "maximum": 8},
        {"type": "string", "minLength": 2, "maxLength": 4},
        {"enum": ["a", "b", 3]},
        {"type": "boolean"},
        {"type": "number", "multipleOf": 0.25, "exclusiveMinimum": 1},
        {"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]},
        {"type": "string", "format": "date"},
        {"type": "string", "pattern": "^x+$"},
        {"type": "string", "pattern": "^[a-z]{2,9}$", "minLength": 3, "maxLength": 5},
        {"type": "integer", "enum": [2, 4]},
        {"type": "integer", "multipleOf": 5, "minimum": 12, "maximum": 18},
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        {"const": {"k": [1]}},
        {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2, "uniqueItems": True},
        {"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 1, "uniqueItems": True},
        {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1},
        {"type": "object", "patternProperties": {"^x-": {}}, "additionalProperties": False, "minProperties": 1},
        of(k={"type": "string"}) | {"properties": {"k": {}, "l": {}}, "dependentRequired": {"k": ["l"]}},
        {"oneOf": [of(kind={"const": "a"}, n={"type": "integer"}), of(kind={"const": "b"})]},
    ]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.builds(lambda item, low: {"type": "array", "items": item, "minItems": low}, inner, st.integers(0, 2))
        | st.builds(
            lambda members, closed: of(**members) | ({"additionalProperties": False} if closed else {}),
            st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
            st.booleans(),
        )
    ),
    max_leaves=4,
)
SCHEMAS = st.dictionaries(st.sampled_from("pqr"), VALUES, max_size=3).map(lambda members: of(**members))


# What a wrong value is named after; and what it cannot help breaking as well, where the schema says both: a value of
# another type is none of the listed ones, and a pattern may allow no text of another length.
MAY_BREAK = {
    "missing": {"required", "dependentRequired"},
    # One more member in an object that has one value is not that value.
    "unknown": {"additionalProperties", "enum", "const"},
    "type": {"type", "enum", "const"},
    "bound": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
    "length": {"minLength", "maxLength"},
    "enum": {"enum", "const"},
    "pattern": {"pattern"},
    "items": {"minItems", "maxItems", "uniqueItems"},
}


@given(SCHEMAS, st.integers(0, 3), st.booleans())
@settings(max_examples=100, deadline=None)
def test_samples_are_accepted_and_wrong_arguments_refused(schema, seed, optional):
    good = sample_arguments(schema, seed=seed, optional=optional)
    assert good is not None
    assert jsonschema_rs.is_valid(schema, good)
    reported = []
    reference = jsonschema.Draft202012Validator(schema)
    for wrong in wrong_arguments(schema, good):
        errors = list(reference.iter_errors(wrong.arguments))
        assert errors
        for error in errors:
            reported_union = any(word in ("anyOf", "oneOf") for word in error.absolute_schema_path)
            assert reported_union or str(error.validator) in MAY_BREAK[wrong.purpose], (wrong, error)
        assert len({tuple(error.absolute_path) for error in errors}) == 1
        assert wrong.arguments not in reported
        reported.append(wrong.arguments)
    assert len(reported) >= len(schema["properties"])


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not here")
@pytest.mark.parametrize(
    "server", ["pypi/mcp-server-git", "npm/modelcontextprotocol__server-filesystem", "npm/mongodb-mcp-server"]
)
def test_real_schemas_get_arguments(server):
    versions = json.loads(gzip.decompress((CORPUS / f"{server}.json.gz").read_bytes()))
    for tool in versions[max(versions)]["tools"]:
        for optional in (False, True):
            arguments = sample_arguments(tool["inputSchema"], optional=optional)
            assert arguments is not None, tool["name"]
            assert jsonschema_rs.is_valid(tool["inputSchema"], arguments)
