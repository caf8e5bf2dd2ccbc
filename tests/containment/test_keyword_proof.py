"""What is seen without an engine, and what is left to one."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.containment import contains, keyword_proof
from mcp_governor.containment.keyword_proof import comparable, surely_covers
from mcp_governor.schemas.cost import estimate
from mcp_governor.schemas.values import text_of

TOOL = {
    "type": "object",
    "properties": {"q": {"type": "string"}, "n": {"type": "integer", "minimum": 1}},
    "required": ["q"],
}


def tool(**changes: Any) -> dict[str, Any]:
    return {**TOOL, **changes}


def tree(**value: Any) -> dict[str, Any]:
    node = {"type": "object", "properties": {"value": value, "next": {"$ref": "#/$defs/node"}}}
    return {"$ref": "#/$defs/node", "$defs": {"node": node}}


CIRCLE = {"anyOf": [{"$ref": "#/$defs/d"}, {"type": "integer"}]}


def seen(outer: Any, inner: Any) -> bool:
    return surely_covers(outer, inner, text_of(outer), text_of(inner))


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        (tool(title="New words"), TOOL),
        (tool(required=[]), TOOL),
        (tool(properties={**TOOL["properties"], "n": {"type": "number"}}), TOOL),
        (TOOL, tool(additionalProperties=False)),
        (tool(properties={**TOOL["properties"], "new": {"type": "string"}}), tool(additionalProperties=False)),
        (tool(properties={"q": {"type": ["string", "null"]}}), TOOL),
        ({"anyOf": [TOOL, {"type": "null"}]}, TOOL),
        (TOOL, {"allOf": [TOOL, {"minProperties": 2}]}),
        ({"enum": ["a", "b"]}, {"const": "a"}),
        (
            {"type": "array", "items": {"type": "number"}},
            {"type": "array", "items": {"type": "integer"}, "minItems": 1},
        ),
        (
            {"$defs": {"d": {"type": "null"}}, "properties": {"a": {"$ref": "#/$defs/d"}}},
            {"$defs": {"d": {"type": "null"}}, "properties": {"a": {"$ref": "#/$defs/d"}}, "required": ["a"]},
        ),
        (tree(type="number"), tree(type="integer", minimum=1)),
        (
            {"properties": {"a": {"$ref": "#/$defs/d"}}, "$defs": {"d": {"type": ["string", "null"]}}},
            {"properties": {"a": {"type": "string"}}},
        ),
        (
            {"properties": {"a": {"type": ["string", "null"]}}},
            {"properties": {"a": {"$ref": "#/definitions/d"}}, "definitions": {"d": {"type": "string"}}},
        ),
        ({"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "^a", "minLength": 2}),
        ({"anyOf": [{"const": "a"}, {"const": "b"}]}, {"type": "string", "enum": ["a", "b"]}),
        ({"type": "string"}, {"enum": ["a", "b"]}),
        ({"type": ["number"]}, {"const": 1}),
        ({"propertyNames": {"type": "string"}}, TOOL),
        ({"type": "string", "nullable": True, "x-order": 1}, {"type": "string"}),
        (tool(properties={"content": {"type": "string"}}), tool(properties={"content": {"type": "string"}}, title="T")),
    ],
)
def test_small_edits_need_no_engine(outer: Any, inner: Any) -> None:
    assert seen(outer, inner)


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        (TOOL, tool(required=[])),
        (tool(additionalProperties=False), TOOL),
        (tool(properties={**TOOL["properties"], "new": {"type": "string"}}), TOOL),
        (tool(minProperties=1), TOOL),  # true, but not seen keyword by keyword
        ({"const": True}, {"const": 1}),
        ({"enum": [1]}, {"enum": [True]}),
        ({"multipleOf": 1}, {"multipleOf": 1.5}),
        ({"contains": {"const": 1}, "minContains": 1}, {"contains": {"const": 1}, "minContains": 0}),
        ({"if": {"type": "string"}, "then": {"minLength": 1}}, {"if": {"type": "string"}}),
        ({"items": False, "prefixItems": [True]}, {"items": False, "prefixItems": [True, True]}),
        (
            {"additionalProperties": False, "patternProperties": {"a": {}}},
            {"additionalProperties": False, "patternProperties": {"b": {}}},
        ),
        (
            {"$defs": {"d": {"type": "null"}}, "$ref": "#/$defs/d"},
            {"$defs": {"d": {"type": "string"}}, "$ref": "#/$defs/d"},
        ),
        ({"oneOf": [{"minimum": 0}]}, {"oneOf": [{"minimum": 0}, {"maximum": 9}]}),
        ({"not": {"minimum": 0}}, {"not": {"minimum": 1}}),
        (tree(type="integer"), tree(type="number")),
        # a definition that applies itself to the same value proves nothing
        ({"$ref": "#/$defs/d", "$defs": {"d": CIRCLE}}, {"$ref": "#/$defs/d", "$defs": {"d": CIRCLE | {"title": "d"}}}),
        ({"$ref": "#/$defs/d", "minimum": 1, "$defs": {"d": {}}}, {"$ref": "#/$defs/d", "$defs": {"d": {}}}),
        ({"$ref": "#/properties/a", "properties": {"a": {"type": "null"}}}, {"type": "null"}),
        (
            {"not": {"$ref": "#/$defs/d"}, "$defs": {"d": {"type": "null"}}},
            {"not": {"$ref": "#/$defs/d"}, "$defs": {"d": {"type": "string"}}},
        ),
        ({"type": "string"}, {"enum": ["a", 1]}),
        ({"type": "boolean"}, {"const": 1}),
        ({"propertyNames": {"maxLength": 1}}, TOOL),
    ],
)
def test_everything_else_does(outer: Any, inner: Any) -> None:
    assert not seen(outer, inner)


@pytest.mark.parametrize(
    ("text", "drafts", "expected"),
    [
        ('{"items":{}}', (20, 7), True),
        ('{"items":[{}]}', (20, 7), False),
        ('{"items":[{}]}', (7, 7), True),
        ('{"prefixItems":[{}]}', (20, 19), False),
        ('{"minContains":2}', (20, 7), False),
        ('{"dependencies":{}}', (7, 20), False),
        ("{}", (6, 6), False),
    ],
)
def test_dialects_that_read_a_schema_alike(text: str, drafts: tuple[int, int], expected: bool) -> None:
    assert comparable(text, "{}", drafts) is expected


def test_a_pattern_that_is_none_has_the_same_strings_everywhere() -> None:
    for place in ({"pattern": "["}, {"patternProperties": {"[": {}}}, {"items": [{"pattern": "["}]}):
        schema = {"$schema": "http://json-schema.org/draft-07/schema#", **place}
        assert contains({**schema, "title": "t"}, schema).verdict == "yes"
        assert contains(schema, {**schema, "type": ["string", "object", "array"]}).verdict == "yes"


def test_a_long_list_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []
    monkeypatch.setattr(keyword_proof, "text_of", lambda value: read.append(value) or text_of(value))
    values = [f"v{index}" for index in range(600)]
    outer = {"anyOf": [{"type": "string", "enum": values[:-1]}, {"type": "null"}]}
    assert not seen(outer, {"type": "string", "enum": values})
    assert len(read) < 3 * len(values)


def test_alternatives_do_not_multiply() -> None:
    node: Any = {"type": "string"}
    other: Any = {"type": "string"}
    for level in range(12):
        node = {"anyOf": [{"minimum": level}, node, node]}
        other = {"anyOf": [{"maximum": level}, other, other]}
    assert not seen(node, other)


@pytest.mark.parametrize(
    ("schema", "quick", "shallow"),
    [
        (TOOL, True, True),
        ({"properties": {f"p{n}": {"type": "array", "items": {"minimum": n}} for n in range(30)}}, False, True),
        ({"allOf": [{"anyOf": [{"minimum": n}, {"type": "null"}]} for n in range(7)]}, False, True),
        ({"dependentRequired": {f"a{n}": [f"b{n}"] for n in range(8)}}, False, True),
        (
            {
                "$defs": {
                    "n0": {"type": "null"},
                    **{f"n{n}": {"allOf": [{"$ref": f"#/$defs/n{n - 1}"}] * 2} for n in range(1, 18)},
                },
                "$ref": "#/$defs/n17",
            },
            False,
            False,
        ),
    ],
)
def test_what_is_kept_from_engines_that_cannot_be_interrupted(schema: Any, quick: bool, shallow: bool) -> None:
    found = estimate(text_of(schema), lambda: schema)
    assert (found.quick, found.shallow) == (quick, shallow)
