"""Published schemas against derived ones: the type map of the tool schema guide, both ways."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.schema_files.parity import gaps
from mcp_governor.schema_files.parity_check import plain_name

TEXT, INT, NUMBER, NULL = {"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": "null"}


def one(schema: Any, *, required: bool = False) -> dict[str, Any]:
    return {"type": "object", "properties": {"p": schema}, **({"required": ["p"]} if required else {})}


def found(published: Any, derived: Any, **excluded: str) -> list[tuple[str, str, str]]:
    made = gaps(published, derived, excluded=excluded, deadline=1.0)
    return [(gap.rule.removeprefix("parity-"), gap.says, gap.name) for gap in made]


OPTIONAL = {"anyOf": [TEXT, NULL], "default": None}
LIST = {"type": "array", "items": TEXT}
TREE = {
    "$defs": {
        "T": {"type": "object", "properties": {"n": TEXT, "kids": {"type": "array", "items": {"$ref": "#/$defs/T"}}}}
    }
}
NODE = {"$ref": "#/$defs/T"}


@pytest.mark.parametrize(
    ("published", "derived", "expected"),
    [
        (TEXT, TEXT, []),
        (TEXT, {**TEXT, "title": "P", "description": "words", "default": "x", "maxLength": 3}, []),
        (INT, TEXT, [("type", "type", "p")]),
        (INT, NUMBER, [("type", "type", "p")]),
        (NUMBER, INT, [("type", "type", "p")]),
        ({"type": ["integer", "number"]}, NUMBER, []),
        ({}, TEXT, [("type", "type", "p")]),
        (TEXT, {}, [("type", "type", "p")]),
        ({}, {}, []),
        # X | None that may be left out is X (sections 2 and 8)
        (TEXT, OPTIONAL, []),
        (OPTIONAL, OPTIONAL, []),
        ({"type": ["string", "null"]}, OPTIONAL, []),
        (OPTIONAL, TEXT, [("type", "type", "p")]),
        # lists
        (LIST, LIST, []),
        ({"type": "array"}, LIST, [("type", "items", "p")]),
        ({"type": "array", "items": INT}, LIST, [("type", "type", "p[]")]),
        (LIST, {"anyOf": [LIST, NULL]}, []),
        # dict[str, str] is an object (section 2)
        ({"type": "object"}, {"type": "object", "additionalProperties": TEXT}, []),
        (
            {"type": "object", "additionalProperties": INT},
            {"type": "object", "additionalProperties": TEXT},
            [("type", "type", "p.*")],
        ),
        # Literal
        ({"enum": ["a", "b"]}, {"type": "string", "enum": ["b", "a"]}, []),
        ({"const": "a"}, {"enum": ["a"], "type": "string"}, []),
        ({"enum": ["a"]}, {"enum": ["a", "b"]}, [("enum", "missing", "p")]),
        ({"enum": ["a", "b"]}, {"enum": ["a"]}, [("enum", "extra", "p")]),
        ({"enum": ["a", "c"]}, {"enum": ["a", "b"]}, [("enum", "missing", "p"), ("enum", "extra", "p")]),
        (TEXT, {"enum": ["a"]}, [("enum", "open", "p")]),
        ({"enum": ["a"]}, TEXT, [("enum", "closed", "p")]),
        ({"enum": ["a", None]}, {"anyOf": [{"enum": ["a"]}, NULL]}, []),
        ({"enum": [1]}, {"enum": [True]}, [("type", "type", "p")]),
        # objects, through references and inline
        (one(TEXT), one(TEXT), []),
        (
            one(TEXT),
            {"type": "object", "properties": {"q": TEXT}},
            [("key", "missing", "p.q"), ("key", "extra", "p.p")],
        ),
        (one(TEXT), one(TEXT, required=True), [("required", "missing", "p.p")]),
        (one(TEXT, required=True), one(TEXT), [("required", "extra", "p.p")]),
        ({"type": "object"}, one(TEXT), [("key", "missing", "p.*")]),
        ({"allOf": [one(TEXT)], "description": "x"}, one(TEXT), []),
        # unions are compared by what they accept
        ({"anyOf": [TEXT, INT]}, {"anyOf": [INT, TEXT]}, []),
        ({"type": ["string", "integer"]}, {"anyOf": [INT, TEXT]}, []),
        ({"anyOf": [one(TEXT), one(INT)]}, {"anyOf": [one(INT), one(TEXT)]}, []),
        ({"anyOf": [one(TEXT), one(INT)]}, {"anyOf": [one(INT), one(NUMBER)]}, [("type", "type", "p")]),
    ],
)
def test_a_parameter(published: Any, derived: Any, expected: list[tuple[str, str, str]]) -> None:
    assert found(one(published), one(derived)) == expected


def test_recursive_models_end() -> None:
    assert found({**TREE, **one(NODE)}, {**TREE, **one(NODE)}) == []
    other = {"$defs": {"T": {**TREE["$defs"]["T"], "properties": {"n": INT, "kids": {"items": NODE, "type": "array"}}}}}
    assert found({**TREE, **one(NODE)}, {**other, **one(NODE)}) == [("type", "type", "p.n")]


def test_a_reference_to_itself_or_to_nothing_ends() -> None:
    loop = {"$defs": {"T": {"$ref": "#/$defs/T"}}, **one(NODE)}
    assert found(loop, loop) == []
    assert found(one({"$ref": "#/$defs/gone"}), one(TEXT)) == [("type", "type", "p")]


def test_models_that_repeat_each_other_are_bounded() -> None:
    """Ten levels with forty references each: what is not compared is said."""
    levels = {
        f"T{n}": {"type": "object", "properties": {f"k{k}": {"$ref": f"#/$defs/T{n + 1}"} for k in range(40)}}
        for n in range(10)
    }
    wide = {"$defs": {**levels, "T10": TEXT}, **one({"$ref": "#/$defs/T0"})}
    assert {(rule, says) for rule, says, _ in found(wide, wide)} == {("type", "undecided")}


def test_injected_parameters_are_not_published() -> None:
    published = {"type": "object", "properties": {"p": TEXT, "ctx": {}}, "required": ["p", "ctx"]}
    assert found(published, one(TEXT, required=True), ctx="Context is injected") == [("injected", "", "ctx")]
    assert found(one(TEXT), one(TEXT), ctx="Context is injected") == []


@pytest.mark.parametrize("schema", [None, [], "x", True, {"properties": []}, {"properties": {"p": 1}, "required": 3}])
def test_a_schema_of_any_shape(schema: Any) -> None:
    found(schema, one(TEXT))
    found(one(TEXT), schema)


@pytest.mark.parametrize(
    ("tool", "model"),
    [
        ("git_log", "GitLog"),
        ("git-log", "GitLogArguments"),
        ("searchCode", "SearchCodeInputModel"),
        ("http_get2", "HTTPGet2Params"),
        ("fetch", "Fetch"),
        ("größe", "größe"),
    ],
)
def test_models_are_named_after_tools(tool: str, model: str) -> None:
    assert plain_name(tool) == plain_name(model)


@pytest.mark.parametrize(("tool", "other"), [("get", "get_all"), ("検索", "取得")])
def test_other_names_are_other_names(tool: str, other: str) -> None:
    assert plain_name(tool) != plain_name(other)
