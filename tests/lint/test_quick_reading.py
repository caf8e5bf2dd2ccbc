"""What lets lint read less of a surface, and must leave out nothing."""

import itertools
import json
import re

import pytest

from mcp_governor.prose import words
from mcp_governor.prose.guarded import Cues, Guarded, spaced
from mcp_governor.rules.run import lint
from mcp_governor.schemas.patterns import compile_schema
from mcp_governor.schemas.plain import condition, is_plain
from mcp_governor.schemas.soundness import native_validator, surely_compiles
from mcp_governor.surface import build_surface

PATTERNS = [
    r"\bat (?:least|MOST)\s(?P<Number>\d+)",
    r"[A-Z]{2}-\d",
    r"\S+\.(?=[A-Z])",
    r"(?P<one>a+)-(?P=one)",
    r"(?-i:K)ey",
    r"[^a-z\s]+\Z",
    r"stra(?:ss|ß)e|\bkey\b",
]
STRINGS = [
    "At Least 5",
    "at most 3",
    "AB-1, ab-2",
    "one.Two three.",
    "aA-Aa",
    "Key KEY key",
    "End 42",
    "STRASSE und Straße",
    "a K (Kelvin) ey, ſ, İ: \u212aey",
    "",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_guarded_expression_finds_what_the_plain_one_finds(pattern):
    guarded, plain = Guarded(pattern), re.compile(pattern, re.IGNORECASE)
    for text in (*STRINGS, *map("".join, itertools.product("aAbB-. 1", repeat=4))):
        assert [match.span() for match in guarded.finditer(text)] == [match.span() for match in plain.finditer(text)]
        assert (guarded.search(text) is None) == (plain.search(text) is None)


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        (("b",), "abc", True),
        (("b", "x"), "ac", False),
        (("a.c",), "abc", False),
        (("a.c", r"(\[^$|", "{2}"), r"in (\[^$| it", True),
        (("\n",), "one\ntwo", True),
        (("<=", "≤"), "n ≤ 5", True),
        (("B",), "abc", False),
        (("",), "", True),
        (("b",), "\ud800 b", True),
        (("b",), "\ud800", False),
        ((" min ",), "admin", False),
        ((" min ",), "(min: 5)", True),
        ((" at most ",), "at\nmost—5", True),
        ((" größe ",), "die „größe“", True),
    ],
)
def test_cues_are_found_as_they_are_written(words, text, expected):
    cues = Cues(*words)
    assert cues.are_in(text, spaced(text)) is expected


def test_a_lone_surrogate_does_not_hide_a_match():
    guarded = Guarded(r"\bkey\d", "key")
    found = [guarded.search("\ud800 KEY1") for _ in range(50)]
    assert all(match is not None and match[0] == "KEY1" for match in found)
    assert [match[0] for _ in range(50) for match in guarded.finditer("\ud800 key2")] == ["key2"] * 50


def test_a_rule_is_reported_wherever_a_string_is():
    description = "Reads it. <!-- hidden -->"
    surface = build_surface({"tools": [_tool("a", description), _tool("b", description)]}, source="x")
    found = [finding for finding in lint(surface) if finding.rule == "hygiene/comments"]
    assert [(finding.tool, finding.path) for finding in found] == [("a", "/description"), ("b", "/description")]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "object", "properties": {"a": {"type": "string"}}}, True),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}, True),
        ({"type": "strin"}, False),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}}, False),
        ({"type": "object", "properties": {"a": {"pattern": "("}}}, False),
        ({"$id": "http://[", "type": "object"}, False),
        ({"properties": {"a": {"$schema": "http://json-schema.org/draft-04/schema#"}}}, False),
        ({"default": float("nan")}, False),
        ({"description": "\ud800"}, False),
    ],
)
def test_a_schema_surely_compiles(schema, expected):
    text = json.dumps(schema)
    assert surely_compiles(schema, text, 20) is expected
    if expected:
        native_validator(schema, text, 20)


def _tool(name, description):
    return {"name": name, "description": description, "inputSchema": {"type": "object"}}


def test_a_word_is_remembered_only_while_there_is_room():
    split = words._Known(str.split)
    for number in range(words._MAX_KEPT + 1):
        assert split[f"a {number}"] == ["a", str(number)]
    split["b" * (words._MAX_CACHED + 1)]
    assert list(split) == [f"a {words._MAX_KEPT}"]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]}, True),
        ({"type": "object", "properties": {"a": {"type": "strin"}}}, False),
        ({"$ref": "#/$defs/a"}, False),
        ({"type": "string", "pattern": "("}, False),
        ({"properties": {"properties": {"type": "integer", "minimum": 0}}}, True),
        ({"required": ["a", "a"]}, False),
        ({"exclusiveMinimum": True}, False),
        ({"anyOf": []}, False),
        ({"anyOf": [{"type": "null"}, True], "x-note": 3}, True),
        ({"items": [{"type": "string"}]}, False),
    ],
)
def test_a_plain_schema_is_one_of_every_draft(schema, expected):
    assert is_plain(schema) is expected
    if expected:
        native_validator(schema, json.dumps(schema), 20)
        native_validator(schema, json.dumps(schema), 7)


CONDITIONS = [
    {"type": "object", "required": ["a"], "properties": {"a": {"const": "x"}}},
    {"not": {"enum": ["a", "b"]}},
    {"anyOf": [{"type": "array", "contains": {"const": ""}}, {"type": "string", "maxLength": 2}]},
    {"items": {"not": {"const": ""}}},
    {"properties": {"a": {"pattern": "^[a-z_]{1,3}$"}}},
    {"pattern": r"^\s+\w|\w\s+$"},
    {"maxItems": 1},
    {"minProperties": 1},
    {"properties": {"a": {"const": True}}},
]
VALUES = [
    {},
    {"a": "x"},
    {"a": True},
    {"a": 1},
    [],
    ["", "a"],
    ["b"],
    "",
    "abc",
    " a",
    "a ",
    "a\n",
    "é ",
    "a_b",
    1,
    None,
]


@pytest.mark.parametrize("schema", CONDITIONS)
def test_a_condition_says_what_the_engine_says(schema):
    test = condition(schema)
    assert test is not None
    engine = compile_schema(schema)
    for value in VALUES:
        assert test(value) is engine.is_valid(value), value
