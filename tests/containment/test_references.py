"""References, recursion and dialects."""

from __future__ import annotations

from typing import Any

import pytest
from asking import PATIENCE, answer, verdict

from mcp_governor.containment import contains

DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_19 = "https://json-schema.org/draft/2019-09/schema"


def tree(value: Any, *, name: str = "node", keyword: str = "$defs", extra: dict[str, Any] | None = None) -> Any:
    """A tree of nodes, each with a value and children."""
    node = {
        "type": "object",
        "properties": {"value": value, "children": {"type": "array", "items": {"$ref": f"#/{keyword}/{name}"}}},
        **(extra or {}),
    }
    return {keyword: {name: node}, "$ref": f"#/{keyword}/{name}"}


def test_recursive_definitions_are_compared_by_what_they_say() -> None:
    wide, narrow = tree({"type": "number"}), tree({"type": "integer"}, name="branch")
    assert verdict(wide, narrow) == "yes"
    assert verdict(narrow, wide) == "no"
    assert verdict(tree({"type": "number"}), tree({"type": "number"}, name="other")) == "yes"


def test_a_difference_deep_inside_a_recursion_is_found() -> None:
    limited = {"type": "array", "maxItems": 2}
    wide = tree({}, extra={"required": ["value"]})
    narrow = tree({}, extra={"required": ["value"]})
    narrow["$defs"]["node"]["properties"]["children"].update(limited)
    assert verdict(wide, narrow) == "yes"
    found = answer(narrow, wide)
    assert found.witness == {"value": "example", "children": [{"value": "example"}] * 3}


def test_definitions_that_call_each_other() -> None:
    def pair(leaf: Any) -> Any:
        return {
            "$defs": {
                "even": {
                    "anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#/$defs/odd"}, "minItems": 1}]
                },
                "odd": {"type": "array", "items": {"anyOf": [leaf, {"$ref": "#/$defs/even"}]}, "maxItems": 3},
            },
            "$ref": "#/$defs/even",
        }

    wide, narrow = pair({"type": ["string", "null"]}), pair({"type": "string", "minLength": 1})
    assert verdict(wide, narrow) == "yes"
    assert verdict(narrow, wide) == "no"


def test_a_recursion_that_nothing_satisfies() -> None:
    # every value would need a smaller one of the same kind inside it
    endless = {
        "$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}, "required": ["next"]}},
        "$ref": "#/$defs/n",
    }
    assert verdict(False, endless) == "yes"
    assert verdict({"type": "string"}, endless) == "yes"


def test_an_assumption_made_inside_a_recursion_is_not_kept() -> None:
    # "b" is empty below "a" only as long as "a" is taken for empty, which it is not: "b" must be asked again
    outer = {"type": "object", "properties": {"b": False}}
    inner = {
        "$defs": {
            "a": {"anyOf": [{"type": "object", "properties": {"b": {"$ref": "#/$defs/b"}}}, {"type": "null"}]},
            "b": {"type": "array", "items": {"$ref": "#/$defs/a"}, "minItems": 1},
        },
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/a"}, "b": {"$ref": "#/$defs/b"}},
        "required": ["a"],
    }
    found = answer(outer, inner)
    assert found.witness == {"a": {}, "b": [{}]}


def test_a_definition_that_applies_itself_to_the_same_value() -> None:
    inner = {"$defs": {"v": {"allOf": [{"$ref": "#/$defs/v"}, {"type": "string"}]}}, "$ref": "#/$defs/v"}
    assert verdict({"type": "string"}, inner) == "yes"
    assert verdict({"type": ["string", "null"]}, inner) == "yes"


@pytest.mark.parametrize(
    "applied",
    [
        {"if": {"$ref": "#/$defs/v"}, "then": {"type": "boolean"}},
        {"if": True, "then": {"$ref": "#/$defs/v"}},
        {"oneOf": [{"$ref": "#/$defs/v"}, {"type": "null"}]},
        {"not": {"allOf": [{"$ref": "#/$defs/v"}, {"minimum": 1}]}},
        {"dependentSchemas": {"a": {"$ref": "#/$defs/v"}}},
    ],
)
def test_a_definition_in_a_circle_that_means_nothing_is_not_guessed_at(applied: Any) -> None:
    circle = {"$defs": {"v": {**applied, "contains": {"enum": ["abc", {}]}}}, "$ref": "#/$defs/v"}
    for outer, inner in ((False, circle), ({"const": 1}, circle), (circle, True), (circle, {"const": "x"})):
        found = answer(outer, inner)
        assert found.verdict == "unknown"
        assert "the same value" in found.reason


@pytest.mark.parametrize(
    ("modern", "old"),
    [
        (
            {"prefixItems": [{"type": "string"}], "items": False},
            {"items": [{"type": "string"}], "additionalItems": False},
        ),
        ({"prefixItems": [{"type": "string"}]}, {"items": [{"type": "string"}]}),
        ({"items": {"type": "string"}}, {"items": {"type": "string"}, "additionalItems": False}),
        ({"dependentRequired": {"a": ["b"]}}, {"dependencies": {"a": ["b"]}}),
        ({"dependentSchemas": {"a": {"minProperties": 2}}}, {"dependencies": {"a": {"minProperties": 2}}}),
        (
            {"$defs": {"x": {"type": "null"}}, "$ref": "#/$defs/x"},
            {"definitions": {"x": {"type": "null"}}, "$ref": "#/definitions/x"},
        ),
        # beside a reference nothing counts, and keywords from the future are unknown
        ({"type": "null"}, {"definitions": {"x": {"type": "null"}}, "$ref": "#/definitions/x", "type": "string"}),
        (
            True,
            {
                "dependentRequired": {"a": ["b"]},
                "unevaluatedProperties": False,
                "prefixItems": [False],
                "minContains": 2,
            },
        ),
        ({"contains": {"const": 1}}, {"contains": {"const": 1}, "minContains": 2, "maxContains": 0}),
        ({"if": {"type": "string"}, "then": {"minLength": 1}}, {"if": {"type": "string"}, "then": {"minLength": 1}}),
    ],
)
def test_draft_7_says_the_same_in_its_own_words(modern: Any, old: dict[str, Any]) -> None:
    old = {"$schema": DRAFT_7, **old}
    assert verdict(modern, old) == "yes"
    assert verdict(old, modern) == "yes"


@pytest.mark.parametrize(
    ("modern", "old"),
    [
        ({"type": "number", "exclusiveMinimum": 1}, {"type": "number", "minimum": 1, "exclusiveMinimum": True}),
        ({"type": "number", "maximum": 1}, {"type": "number", "maximum": 1, "exclusiveMaximum": False}),
        (True, {"const": 1, "contains": False, "if": True, "then": False, "propertyNames": False}),
        (
            {"type": "null"},
            {"id": "http://x.example/a", "definitions": {"x": {"id": "#n", "type": "null"}}, "allOf": [{"$ref": "#n"}]},
        ),
    ],
)
def test_draft_4_says_the_same_in_its_own_words(modern: Any, old: dict[str, Any]) -> None:
    old = {"$schema": DRAFT_4, **old}
    assert verdict(modern, old) == "yes"
    assert verdict(old, modern) == "yes"


def test_the_dialect_is_the_schemas_own() -> None:
    # the same text in two dialects is not the same schema
    keywords = {"prefixItems": [{"type": "string"}]}
    assert verdict(keywords, {"$schema": DRAFT_7, **keywords}) == "no"
    assert verdict({"$schema": DRAFT_7, **keywords}, keywords) == "yes"


def test_embedded_resources_and_anchors() -> None:
    named = {
        "$id": "https://a.example/root",
        "$defs": {"x": {"$id": "leaf", "$defs": {"y": {"$anchor": "here", "type": "integer"}}, "$ref": "#here"}},
        "$ref": "leaf",
    }
    assert verdict({"type": "integer"}, named) == "yes"
    assert verdict(named, {"type": "integer"}) == "yes"


def test_a_dynamic_reference_leads_to_the_outermost_anchor() -> None:
    # the list of the inner resource holds what the outer one says: texts
    schema = {
        "$id": "https://a.example/texts",
        "$ref": "list",
        "$defs": {
            "item": {"$dynamicAnchor": "item", "type": "string"},
            "list": {
                "$id": "list",
                "type": "array",
                "items": {"$dynamicRef": "#item"},
                "$defs": {"any": {"$dynamicAnchor": "item"}},
            },
        },
    }
    assert verdict({"type": "array", "items": {"type": "string"}}, schema) == "yes"
    assert verdict(schema, {"type": "array", "items": {"type": "string"}}) == "yes"
    assert verdict(schema, {"type": "array"}) == "no"


def test_recursive_references_of_2019() -> None:
    closed = {
        "$schema": DRAFT_19,
        "$recursiveAnchor": True,
        "type": "object",
        "properties": {"next": {"$recursiveRef": "#"}},
        "additionalProperties": False,
    }
    assert verdict({"type": "object", "properties": {"next": {"type": "object"}}}, closed) == "yes"
    assert verdict(closed, {"type": "object", "properties": {"next": {"type": "object"}}}) == "no"


def test_a_tool_that_takes_a_schema() -> None:
    takes_schema = {"type": "object", "properties": {"schema": {"$ref": "http://json-schema.org/draft-07/schema#"}}}
    narrower = {
        "type": "object",
        "properties": {
            "schema": {"type": "object", "properties": {"type": {"const": "string"}}, "additionalProperties": False}
        },
    }
    assert verdict(takes_schema, narrower) == "yes"
    # a witness that both validators confirmed, given the published meta-schemas
    assert contains(narrower, takes_schema, deadline=PATIENCE).has_witness


def test_what_is_unevaluated_may_be_the_schema_again() -> None:
    def tree(keyword: str, kind: str) -> Any:
        return {"$defs": {"b": {keyword: {"$ref": "#/$defs/b"}, "type": kind}}, "$ref": "#/$defs/b"}

    assert verdict(tree("unevaluatedProperties", "object"), {"type": "object"}) == "no"
    assert verdict(tree("unevaluatedItems", "array"), {"type": "array"}) == "no"
    assert verdict(tree("unevaluatedItems", "array"), {"type": "array", "items": {"const": []}}) == "yes"
    contained = {
        "$defs": {
            "b": {"contains": {"$ref": "#/$defs/b"}, "minContains": 0, "unevaluatedItems": False, "type": "array"}
        },
        "$ref": "#/$defs/b",
    }
    assert verdict(contained, {"type": "array"}) == "no"
    assert verdict(contained, {"type": "array", "items": {"const": []}}) == "yes"


def test_an_integer_of_draft_4_is_written_as_one() -> None:
    # both validators: 1.0 is an integer in every later draft, and none in draft 4
    old, whole = {"$schema": DRAFT_4, "type": "integer"}, {"type": "number", "multipleOf": 1}
    assert verdict({**old, "minimum": 0}, {**old, "minimum": 1}) == "yes"
    assert verdict({**old, "minimum": 1}, {**old, "minimum": 0}) == "no"
    assert verdict({**old, "type": ["integer", "null"]}, {**old, "enum": [1, 2]}) == "yes"
    assert answer(old, {"$schema": DRAFT_4, "enum": [1]}).verdict == "unknown"
    assert verdict(old, {"$schema": DRAFT_4, "enum": [1, "a"]}) == "no"
    assert verdict({"$schema": DRAFT_4, "type": "number"}, {"$schema": DRAFT_4, "enum": [1]}) == "yes"
    assert verdict(whole, old) == "yes"
    assert verdict({"$schema": DRAFT_4, "type": "number"}, old) == "yes"
    assert verdict({"$schema": DRAFT_4, "type": "string"}, old) == "no"
    for inner in (whole, {"type": "integer"}, {"$schema": DRAFT_4, **whole}):
        assert answer(old, inner).verdict == "unknown"
    # 0.0 is accepted once here, as no integer, and refused there
    assert (
        answer({"$schema": DRAFT_4, "not": {}}, {"$schema": DRAFT_4, "oneOf": [{}, old], **whole}).verdict == "unknown"
    )


def refers(place: str, part: Any, **rest: Any) -> Any:
    """An object that must have a member ``b``, which is what the reference leads to."""
    return {"type": "object", "properties": {"b": {"$ref": place}}, "required": ["b"], **rest, **part}


PLACES = {
    "beside the keywords": lambda part: refers("#/x", {"x": part}),
    "as in OpenAPI": lambda part: refers("#/components/schemas/X", {"components": {"schemas": {"X": part}}}),
    "a group of definitions": lambda part: refers("#/definitions/g/X", {"definitions": {"g": {"X": part}}}),
    "a definition named like a keyword that moved": lambda part: refers(
        "#/definitions/additionalItems", {"definitions": {"additionalItems": part, "items": {"type": "string"}}}
    ),
    "what stands beside a reference": lambda part: {
        "definitions": {"any": {}},
        "type": "object",
        "properties": {
            "a": {"$ref": "#/definitions/any", "properties": {"q": part}},
            "b": {"$ref": "#/properties/a/properties/q"},
        },
        "required": ["b"],
    },
    "additionalItems beside one schema for all items": lambda part: refers(
        "#/additionalItems", {"additionalItems": part, "items": {"type": "string"}}
    ),
    "items that are a list": lambda part: refers("#/items/0", {"items": [part]}),
}


@pytest.mark.parametrize("draft", [4, 6, 7, 19, 20])
@pytest.mark.parametrize("place", PLACES)
def test_a_reference_may_lead_anywhere_in_any_dialect(place: str, draft: int) -> None:
    """Old dialects ignore some of these places; two documents that say different things there were taken for equal."""
    if draft == 20 and place == "items that are a list":
        pytest.skip("no schema of that draft")
    wide, narrow = PLACES[place]({"type": "number"}), PLACES[place]({"type": "integer"})
    assert verdict(wide, narrow, draft) == "yes"
    assert verdict(narrow, wide, draft) == "no"


@pytest.mark.parametrize("draft", [4, 6, 7])
def test_a_reference_that_is_read_as_a_map_proves_nothing(draft: int) -> None:
    # the map of the properties, read as a schema: no keyword of a translation says what it says
    wide, narrow = (
        {"properties": {"items": {"type": kind}, "b": {"$ref": "#/properties"}}} for kind in ("number", "integer")
    )
    assert answer(narrow, wide, draft).verdict != "yes"
    assert answer(wide, {"properties": {"b": True}}, draft).verdict != "yes"


@pytest.mark.parametrize("place", ["#", "#/properties/v", "#/x"])
def test_equal_strings_mean_different_things_where_the_documents_differ(place: str) -> None:
    """What a negation refers to narrowed, so the negation widened."""
    wide, narrow = (
        {"properties": {"v": {"type": kind}, "n": {"not": {"$ref": place}}}, "x": {"properties": {"v": {"type": kind}}}}
        for kind in ("number", "integer")
    )
    assert verdict(wide, narrow) == "no"
    assert verdict(narrow, wide) == "no"
