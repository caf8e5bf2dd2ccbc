"""Values and calls that a text writes out: how they are read, and whether a schema takes them."""

from __future__ import annotations

import pytest

from mcp_governor.prose.snippets import calls, misfit, snippets

READ = [
    ('a {"x": [1, "}"]} b', []),
    ('a {"x": [1, "y"]} b', [({"x": [1, "y"]}, "")]),
    ("{'x': True, \"y\": null}", [({"x": True, "y": None}, "")]),
    ("f({x: 1}) [a-z] {name}", []),
    ('["a"] then ["b"]', [(["a"], ""), (["b"], "")]),
    ('{"f": "{"x": 1}"}', [(None, "quotes within a string are not escaped")]),
    (r'{"f": "{\"x\": 1}"}', [({"f": '{"x": 1}'}, "")]),
    ('{"a": 1, # first\n "b": 2}', [({"a": 1, "b": 2}, "it holds comments")]),
    ('{"a": 1, // first\n "b": 2}', [(None, "it holds comments")]),
    ('[{"a": 1},]', [([{"a": 1}], "there is a comma before the closing bracket")]),
    ('["a, "b"]', [(None, "a quotation mark is missing")]),
    # Code, and what is left out on purpose.
    ('rows = [{"a": 1},]', [([{"a": 1}], "")]),
    ('{"a": ..., # first\n "b": 2}', []),
    ('{"a": "<id>", "b": c}', []),
    ("[" * 5000, []),
    # A template, in which Python sees a set of dictionaries.
    ('As {{"a": 1}}', [({"a": 1}, "")]),
]


@pytest.mark.parametrize(("text", "expected"), READ)
def test_snippets(text, expected):
    assert [(one.value, one.broken) for one in snippets(text)] == expected


def test_calls():
    text = "Call find(limit=3), find('x', limit=3), find(a, *rest), find(**more), other(x=1), x.find(y=2), find()."
    assert [call.named for call in calls(text, frozenset({"find"}))] == [{"limit": 3}, {"limit": 3}, {}, {}, {}]


ROOT = {"$defs": {"mode": {"type": "string"}}}
FITS = [
    ({"type": "string"}, 1, "it is a number and not string"),
    ({"type": "integer"}, 1.0, ""),
    ({"type": "integer"}, True, "it is a boolean and not integer"),
    ({"type": ["string", "null"]}, None, ""),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, [1], "it is a list and not string"),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, None, ""),
    ({"$ref": "#/$defs/mode"}, 1, "it is a number and not string"),
    ({"type": "array", "items": {"type": "string"}}, ["a", 1], "[] is a number and not string"),
    ({"type": "object", "properties": {"a": {"type": "array"}}}, {"a": "x"}, "a is a string and not array"),
    ({"type": "object", "properties": {"a": {}}}, {"b": 1}, "b is not declared"),
    ({"allOf": [{"type": "string"}]}, 1, ""),
    ({"type": "string"}, ..., ""),
    ({}, 1, ""),
    (True, 1, ""),
]


@pytest.mark.parametrize(("schema", "value", "reason"), FITS)
def test_why_a_value_does_not_fit(schema, value, reason):
    assert misfit(ROOT, schema, value) == reason


def test_escapes_that_python_warns_of_are_read_in_silence(recwarn):
    [call] = calls(r"find(pattern='a\.b')", frozenset({"find"}))
    assert call.named == {"pattern": r"a\.b"}
    assert list(snippets(r"{'pattern': 'a\.b'}"))
    assert list(recwarn) == []
