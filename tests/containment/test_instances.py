"""Values that a schema accepts."""

from __future__ import annotations

from typing import Any

import pytest
from asking import PATIENCE, accepts
from sampling import instances


@pytest.mark.parametrize(
    ("schema", "first"),
    [
        (True, "example"),
        ({"type": "string"}, "example"),
        ({"type": "string", "minLength": 9}, "exampleaa"),
        ({"type": "integer", "minimum": 7}, 7),
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 1}, 1),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, 0.5),
        ({"type": "boolean"}, False),
        ({"enum": ["longer", "b"]}, "b"),
        ({"type": "array", "items": {"type": "string"}}, []),
        ({"type": "array", "items": {"type": "boolean"}, "minItems": 2, "uniqueItems": True}, [False, True]),
        ({"type": "array", "contains": {"const": "x"}, "minContains": 2}, ["x", "x"]),
        (
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "pattern": r"^\d{3}-x$"}}},
            {"a": "000-x"},
        ),
        ({"type": "object", "minProperties": 1, "additionalProperties": {"const": 5}}, {"example": 5}),
        ({"type": "object", "minProperties": 1, "propertyNames": {"pattern": "^k_"}}, {"k_": "example"}),
        ({"type": "integer", "multipleOf": 7, "minimum": 50}, 56),
        ({"allOf": [{"type": "integer", "multipleOf": 4}, {"multipleOf": 6}], "minimum": 1}, 12),
        ({"type": "array", "prefixItems": [{"const": 1}, {"const": 2}], "not": {"maxItems": 1}}, [1, 2]),
        ({"type": "array", "items": {"enum": [0, 1]}, "not": {"uniqueItems": True}}, [0, 0]),
    ],
)
def test_the_first_is_small_and_usual(schema: Any, first: Any) -> None:
    found = instances(schema, limit=3, deadline=PATIENCE)
    assert found[0] == first
    assert type(found[0]) is type(first)


def test_each_declared_member_appears_with_different_values() -> None:
    schema = {
        "type": "object",
        "properties": {"q": {"type": "string"}, "n": {"type": "integer", "minimum": 1}, "f": {"enum": ["x", "y"]}},
        "required": ["q"],
    }
    found = instances(schema, limit=12, deadline=PATIENCE)
    assert found[0] == {"q": "example"}
    assert {"q": "example", "n": 2, "f": "x"} in found
    assert {value.get("f") for value in found} == {None, "x", "y"}
    assert all(accepts(schema, value) for value in found)


def test_all_of_a_finite_schema() -> None:
    found = instances({"enum": [1, "a", None], "type": ["integer", "null"]}, limit=9, deadline=PATIENCE)
    assert sorted(map(repr, found)) == ["1", "None"]


@pytest.mark.parametrize(
    "schema", [False, {"type": "string", "enum": [1]}, {"type": "integer", "minimum": 2, "maximum": 1}]
)
def test_an_uninhabited_schema_has_none(schema: Any) -> None:
    assert instances(schema, deadline=PATIENCE) == []


def test_recursive_schemas_end() -> None:
    schema = {"type": "object", "properties": {"next": {"$ref": "#"}, "v": {"type": "integer"}}, "required": ["v"]}
    found = instances(schema, limit=4, deadline=PATIENCE)
    assert found[0] == {"v": 2}
    assert any("next" in value for value in found)
