"""Every keyword, both directions, by hand."""

from __future__ import annotations

from typing import Any

import pytest
from asking import answer, verdict
from tables import APART, SAME, WIDER


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
        ({"type": "string", "maxLength": 2}, {"type": "string"}, "example"),
        ({"type": "string", "minLength": 1}, {"type": "string"}, ""),
        ({"type": "array", "maxItems": 1}, {"type": "array", "items": {"const": 0}}, [0, 0]),
        ({"type": "object", "required": ["a"]}, {"type": "object"}, {}),
        ({"type": "string", "pattern": "^[ab]$"}, {"type": "string", "pattern": "^[abc]$"}, "c"),
        (
            {"type": "object", "properties": {"n": {"maximum": 5}}},
            {"type": "object", "properties": {"n": {"type": "integer"}, "m": {}}, "required": ["m"]},
            {"m": "example", "n": 6},
        ),
    ],
)
def test_the_witness_is_small_and_usual(outer: Any, inner: Any, witness: Any) -> None:
    found = answer(outer, inner)
    assert found.has_witness
    assert found.witness == witness
    assert type(found.witness) is type(witness)


def test_a_schema_may_be_changed_after_it_was_asked_about() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert verdict({"type": "object"}, schema) == "yes"
    schema["properties"]["a"]["type"] = "integer"
    assert verdict({"type": "object", "properties": {"a": {"type": "integer"}}}, schema) == "yes"
    assert verdict({"type": "object", "properties": {"a": {"type": "string"}}}, schema) == "no"
