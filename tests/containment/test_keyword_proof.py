"""What is proved keyword by keyword, and what is left to the engines although it looks alike."""

from __future__ import annotations

from typing import Any

import pytest
from asking import answer

from mcp_governor.containment.keyword_proof import MAX_STEPS, Comparison
from mcp_governor.schemas.plain import is_plain
from mcp_governor.schemas.values import text_of

PROVED: list[tuple[Any, Any]] = [
    (True, {"type": "string"}),
    ({"title": "any"}, True),
    ({"type": "string"}, {"type": "string", "minLength": 1}),
    ({"type": ["number", "null"]}, {"type": "integer"}),
    ({"type": "integer"}, {"enum": [1, 2.0]}),
    ({"minimum": 1, "maxLength": 9}, {"minimum": 2, "maxLength": 9}),
    ({"enum": [1, "a", None]}, {"const": 1.0}),
    ({"required": ["a"]}, {"required": ["b", "a"]}),
    ({"properties": {"a": {"type": "number"}}}, {"properties": {"a": {"type": "integer"}, "b": False}}),
    ({"properties": {"a": {"type": "number"}}}, {"additionalProperties": {"type": "number"}}),
    ({"properties": {"a": True}, "additionalProperties": False}, {"additionalProperties": False}),
    ({"items": {"type": "number"}}, {"items": {"type": "integer"}}),
    ({"anyOf": [{"type": "null"}, {"type": "number"}]}, {"type": "integer"}),
    ({"type": "number"}, {"anyOf": [{"type": "integer"}, {"type": "number", "minimum": 1}]}),
    ({"type": "number"}, {"allOf": [{"minimum": 1}, {"type": "integer"}]}),
    ({"oneOf": [{"const": 1}, {"const": 2}]}, {"oneOf": [{"const": 1}, {"const": 2}], "minimum": 1}),
]
REFUTED: list[tuple[Any, Any]] = [
    ({"type": "string"}, {"minLength": 1}),
    ({"type": "integer"}, {"type": ["integer", "null"]}),
    ({"type": "integer"}, {"type": "number"}),
    ({"required": ["a", "b"]}, {"required": ["a"]}),
    ({"minimum": 2}, {"minimum": 1}),
    ({"enum": [1]}, {"enum": [True]}),
    ({"properties": {"a": {"const": True}}}, {"properties": {"a": {"const": 1}}}),
    ({"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "string"}}}),
    ({"additionalProperties": False}, {"properties": {"a": True}, "additionalProperties": False}),
    ({"oneOf": [{"type": "number"}, {"minimum": 1}]}, {"type": "number"}),
    ({"not": {"minimum": 1}}, {"not": {"minimum": 2}}),
    (False, {"type": "string"}),
]


def _proves(outer: Any, inner: Any) -> bool:
    assert is_plain(outer)
    assert is_plain(inner)
    return Comparison(text_of(outer), text_of(inner)).covers(outer, inner)


@pytest.mark.parametrize(("outer", "inner"), PROVED, ids=str)
def test_what_follows_keyword_by_keyword_is_proved(outer: Any, inner: Any) -> None:
    assert _proves(outer, inner)
    assert answer(outer, inner).verdict == "yes"


@pytest.mark.parametrize(("outer", "inner"), REFUTED, ids=str)
def test_what_has_a_witness_is_not(outer: Any, inner: Any) -> None:
    assert not _proves(outer, inner)
    assert answer(outer, inner).has_witness


def test_alternatives_that_multiply_are_left_to_the_engines() -> None:
    outer: Any = {"type": "string"}
    inner: Any = {"type": "number"}
    # 16 pairs at each of four levels: 65,536 comparisons, were there no end.
    for _ in range(4):
        outer, inner = {"anyOf": [outer] * 4}, {"anyOf": [inner] * 4}
    comparison = Comparison("", "")
    assert not comparison.covers(outer, inner)
    assert -MAX_STEPS < comparison._left < 0


@pytest.mark.parametrize(
    ("schema", "draft"),
    [
        ({"type": "strin"}, 20),
        ({"minimum": float("nan")}, 20),
        ({"type": "string", "minimum": "1"}, 20),
        ({"$schema": "https://example.com/none"}, 20),
        (True, 4),
    ],
    ids=str,
)
def test_an_unusable_schema_is_never_proved(schema: Any, draft: int) -> None:
    assert answer({}, schema, draft).verdict == "unknown"
