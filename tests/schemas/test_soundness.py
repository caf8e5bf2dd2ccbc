"""What is published as a schema and is none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_governor.containment import contains
from mcp_governor.schemas.dialects import LATEST, dialect_of
from mcp_governor.schemas.soundness import TooLargeError, find_problem, native_validator, unreadable
from mcp_governor.schemas.values import text_of


def schema_problem(schema: Any, default_dialect: int = LATEST) -> str | None:
    try:
        return find_problem(schema, text_of(schema), dialect_of(schema, default_dialect))
    except ValueError as error:
        return unreadable(error)


DEEP: Any = {"type": "string"}
for _ in range(400):
    DEEP = {"items": DEEP}

PROBLEMS: dict[str, tuple[Any, str]] = {
    "null": (None, "is neither an object nor a boolean"),
    "unknown type": ({"properties": {"a": {"type": "text"}}}, "breaks its meta-schema at /properties/a/type"),
    "properties is a list": ({"properties": ["a"]}, "breaks its meta-schema at /properties"),
    "required is a flag": (
        {"properties": {"a": {"required": True}}},
        "breaks its meta-schema at /properties/a/required",
    ),
    "negative length": ({"minLength": -1}, "breaks its meta-schema at /minLength"),
    "items is a list in 2020-12": ({"items": [{"type": "string"}]}, "breaks its meta-schema at /items"),
    "broken pattern": ({"pattern": "(["}, "breaks its meta-schema at /pattern"),
    "broken member pattern": ({"patternProperties": {"([": True}}, "breaks its meta-schema at /patternProperties"),
    "unknown dialect": ({"$schema": "urn:my-dialect"}, "names an unknown dialect, urn:my-dialect"),
    "dangling": ({"$ref": "#/$defs/gone"}, "refers to #/$defs/gone, which does not exist"),
    "dangling anchor": ({"$ref": "#gone"}, "refers to #gone, which does not exist"),
    "into something else": ({"required": ["a"], "$ref": "#/required"}, "breaks its meta-schema at /required"),
    "remote": ({"$ref": "https://example.com/s.json"}, "refers to another document, https://example.com/s.json"),
    "itself": ({"$ref": "#"}, "applies itself to the same value, without end, at #"),
    "a name with a slash": ({"properties": {"a/b": 5}}, "breaks its meta-schema at /properties/a~1b"),
    "two in a circle": (
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
        "applies itself to the same value, without end, at #/$defs/a",
    ),
    "its own negation": (
        {"$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"},
        "applies itself to the same value",
    ),
    # one validator hangs on these, or accepts whatever leads back; which keyword comes first decides
    "in a circle by a condition": (
        {"$defs": {"a": {"if": {"$ref": "#/$defs/a"}, "then": {"type": "null"}, "minItems": 1}}, "$ref": "#/$defs/a"},
        "applies itself to the same value",
    ),
    "in a circle beside content": (
        {"if": True, "then": {"$ref": "#"}, "allOf": [{"const": "x"}]},
        "applies itself to the same value, without end, at #",
    ),
    "in a circle by a dynamic reference": (
        {"$dynamicAnchor": "n", "oneOf": [{"$dynamicRef": "#n"}, {"type": "null"}]},
        "applies itself to the same value",
    ),
    "not a number": ({"enum": [float("nan")]}, "contains a number that JSON cannot represent"),
    "too deep": (DEEP, "is nested too deeply"),
    "not JSON": ({"const": {1, 2}}, "is not JSON"),
    "half a character": ({"const": "\ud800"}, "has half of a surrogate pair"),
}

SOUND: dict[str, Any] = {
    "empty": {},
    "unknown keywords": {"x-mine": 5, "typ": "string"},
    "every dialect": {"$schema": "http://json-schema.org/draft-07/schema"},
    "tuples in draft 7 by its other address": {
        "$schema": "https://json-schema.org/draft-07/schema",
        "items": [{"type": "string"}],
    },
    "flags in draft 4": {"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": True},
    "recursive": {"type": "object", "properties": {"next": {"$ref": "#"}}},
    "recursive in place, with content": {
        "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]}},
        "$ref": "#/$defs/a",
    },
    "the same definition twice": {
        "$defs": {"a": {"minimum": 1}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}},
        "anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}],
    },
    "a meta-schema": {"$ref": "http://json-schema.org/draft-07/schema#"},
    "an embedded resource": {"$id": "https://a.example/s", "$defs": {"b": {"$id": "b", "type": "null"}}, "$ref": "b"},
    "a property called $ref": {"properties": {"$ref": {"type": "string"}}},
    "an annotation that looks like a reference": {"default": {"$ref": "#/gone"}},
    "a null that is a value": {"default": None, "type": ["string", "null"]},
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_problem_is_reported_in_one_clause(name: str) -> None:
    schema, clause = PROBLEMS[name]
    problem = schema_problem(schema)
    assert problem is not None
    assert problem.startswith(clause)
    assert "\n" not in problem


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_schema_has_no_problem(name: str) -> None:
    assert schema_problem(SOUND[name]) is None


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_question_about_no_schema_is_unknown_and_says_why(name: str) -> None:
    schema, _ = PROBLEMS[name]
    if name == "not a number" or "pattern" in name:
        # a cache knows the former as null; the latter has unknown strings, see test_foreign
        return
    for outer, inner in ((schema, {"type": "string"}), ({"type": "string"}, schema)):
        found = contains(outer, inner)
        assert found.verdict == "unknown"
        assert found.reason


def test_what_a_server_says_is_made_safe_to_show() -> None:
    problem = schema_problem({"$ref": "#/$defs/\x1b[31mred\u202e"})
    assert problem is not None
    assert "\x1b" not in problem
    assert "\u202e" not in problem


def test_the_dialect_that_is_not_named_is_the_callers() -> None:
    tuple_schema = {"items": [{"type": "string"}]}
    assert schema_problem(tuple_schema) is not None
    assert schema_problem(tuple_schema, default_dialect=7) is None


@pytest.mark.parametrize("reference", ["#/$defs/gone", "https://example.com/s.json"])
def test_what_does_not_resolve_is_equal_only_to_itself(reference: str) -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": reference}}}
    assert contains(schema, dict(schema)).verdict == "yes"
    assert contains(schema, {**schema, "required": ["a"]}).verdict == "unknown"


def test_what_no_validator_can_hold_is_not_compiled() -> None:
    schema: Any = {"enum": list(range(1_500))}
    for _ in range(70):
        schema = {"not": schema}
    assert "would not fit into memory" in (schema_problem(schema, default_dialect=4) or "")
    with pytest.raises(TooLargeError):
        native_validator(schema, json.dumps(schema), 20)


def test_a_long_chain_of_references_is_followed_once() -> None:
    count = 3_000
    chain = {f"n{n}": {"$ref": f"#/$defs/n{n + 1}"} for n in range(count)}
    sound = {"$defs": {**chain, f"n{count}": {"type": "string"}}, "$ref": "#/$defs/n0"}
    circle = {"$defs": {**chain, f"n{count}": {"$ref": "#/$defs/n5"}}, "$ref": "#/$defs/n0"}
    assert schema_problem(sound) is None
    assert "applies itself to the same value" in (schema_problem(circle) or "")
    assert contains({"type": "string"}, sound).verdict in ("yes", "unknown")


def test_a_boolean_is_not_a_schema_of_draft_4() -> None:
    assert "draft 4" in (schema_problem(False, default_dialect=4) or "")
    for outer, inner in ((False, {"enum": ["a"]}), ({"enum": ["a"]}, True), (True, {"type": "string"})):
        found = contains(outer, inner, default_dialect=4)
        assert found.verdict == "unknown"
        assert "draft 4" in found.reason
