"""Of several witnesses, the one that convinces: what a client might send and no server takes for something else."""

from __future__ import annotations

import re
from typing import Any

import pytest
from asking import answer
from pydantic import TypeAdapter, ValidationError

from mcp_governor.containment.likely import is_coercible, rank
from mcp_governor.schemas.formats import format_patterns

TYPES: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "null": None}
# An integer that is a number, and the other way round only with a fraction.
INSIDE = {("integer", "number")}


def refuses(kind: str, value: Any) -> bool:
    try:
        TypeAdapter(TYPES[kind]).validate_python(value)
    except ValidationError:
        return True
    return False


@pytest.mark.parametrize("new", TYPES)
@pytest.mark.parametrize("old", [*TYPES, "anything"])
def test_a_server_that_coerces_refuses_it_too(old: str, new: str) -> None:
    if old == new or (old, new) in INSIDE:
        return
    found = answer({"type": new}, {} if old == "anything" else {"type": old})
    assert found.has_witness
    if (old, new) in {("boolean", "integer"), ("boolean", "number")}:
        return  # every boolean is a number to pydantic
    assert refuses(new, found.witness), found.witness


@pytest.mark.parametrize(
    ("outer", "inner", "witness"),
    [
        ({"type": ["string", "integer", "null"]}, {"default": None}, {}),
        ({"type": "integer", "minimum": 5}, {"type": "integer", "default": 1}, 1),
        ({"type": "boolean"}, {"type": "integer", "default": 1}, 2),
        ({"type": "boolean"}, {"type": "integer", "default": 1, "examples": [9]}, 9),
        ({"type": "string", "maxLength": 3}, {"type": "string", "examples": ["x", "hello"]}, "hello"),
        ({"enum": ["slow"]}, {"type": "string", "default": "fast"}, "fast"),
        ({"type": "string"}, {"type": ["string", "null"], "default": None}, None),
        ({"type": "string", "minLength": 1}, {"type": "string", "default": "x"}, ""),
        # JavaScript has every integer up to 2**53
        ({"type": "integer", "maximum": 2**53 - 1}, {"type": "integer", "default": 2**60}, 2**53),
        ({"type": "string"}, {"type": "integer", "default": 2**60}, 2),
        ({"properties": {"a": {"enum": [1]}}}, {"properties": {"a": {"type": "integer", "example": 7}}}, {"a": 7}),
        ({"items": {"maxLength": 2}}, {"type": "array", "items": {"type": "string", "default": "word"}}, ["word"]),
        ({"maxProperties": 0}, {"type": "object", "examples": [{"a": 1}], "required": ["a"]}, {"a": 1}),
    ],
)
def test_the_author_suggests_it(outer: Any, inner: Any, witness: Any) -> None:
    found = answer(outer, inner)
    assert found.has_witness
    assert found.witness == witness
    assert type(found.witness) is type(witness)


ZOD = {
    "uuid": "^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}"
    "|00000000-0000-0000-0000-000000000000)$",
    "email": r"^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$",
    "date-time": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$",
    "date": r"^20\d\d-\d\d-\d\d$",
    "ipv4": "^192",
    "uri": "^https?:",
}


@pytest.mark.parametrize("name", ZOD)
def test_a_string_has_its_format(name: str) -> None:
    plain = {"type": "string", "format": name}
    for inner in (plain, {"anyOf": [plain, {"type": "null"}]}, {"allOf": [plain]}):
        found = answer({**inner, "pattern": ZOD[name]}, inner)
        assert all(re.search(pattern, found.witness) for pattern in format_patterns(name)), found.witness
        assert not re.search(ZOD[name], found.witness)


def test_rank_puts_what_servers_coerce_last() -> None:
    values = [None, False, True, 0, 1, "", "1", "true", "No", " 7 ", 2**53, 2, 1.5, "a", {}, []]
    assert sorted(values, key=rank)[:5] == ["a", {}, [], 2, 1.5]
    assert [value for value in values if not is_coercible(value)] == [2, 1.5, "a", {}, []]


@pytest.mark.parametrize(
    ("schema", "value"),
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
def test_it_is_small_and_usual(schema: Any, value: Any) -> None:
    found = answer(False, schema).witness
    assert found == value
    assert type(found) is type(value)
