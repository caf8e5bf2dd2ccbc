"""Sizes of a list, and what compaction would save."""

from __future__ import annotations

import json

import pytest

from mcp_governor.load.payload import payload, savings
from mcp_governor.surface import build_surface


def measured(*tools: dict, **fields: object):
    surface = build_surface({"tools": list(tools)})
    return payload(surface, list(tools), fields)


def tool(name: str, schema: dict | None = None, **more: object) -> dict:
    return {"name": name, "inputSchema": schema or {"type": "object"}, **more}


def test_bytes_are_those_of_compact_json_with_the_other_members():
    small = tool("a", description="é")
    result = {"tools": [small], "ttlMs": 5}
    expected = len(json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode())
    assert measured(small, ttlMs=5).bytes == expected


def test_tools_are_listed_from_the_largest_and_tokens_leave_out_what_no_model_gets():
    heavy = tool("output", outputSchema={"type": "object", "description": "x" * 4_000})
    wordy = tool("wordy", description="y" * 400)
    sizes = measured(tool("a"), heavy, wordy)
    assert [size.name for size in sizes.tools] == ["wordy", "output", "a"]
    by_name = {size.name: size for size in sizes.tools}
    assert by_name["output"].bytes > 4_000 > 100 > by_name["output"].tokens
    assert sizes.tokens == sum(size.tokens for size in sizes.tools)


@pytest.mark.parametrize(
    ("schema", "kept"),
    [
        ({"type": "object", "description": "d", "title": "t"}, {"type": "object"}),
        # A property of that name is contract, and so is a value.
        ({"properties": {"title": {"type": "null", "title": "D"}}}, {"properties": {"title": {"type": "null"}}}),
        ({"enum": [{"description": "a value"}]}, {"enum": [{"description": "a value"}]}),
        ({"const": {"title": 1}}, {"const": {"title": 1}}),
        ({"required": ["title"], "default": {}}, {"required": ["title"]}),
        # Any depth, every place of a schema.
        (
            {"items": {"anyOf": [{"$comment": "c"}, {"not": {"examples": [1]}}]}},
            {"items": {"anyOf": [{}, {"not": {}}]}},
        ),
        ({"items": [{"title": "old tuple"}]}, {"items": [{}]}),
        ({"$defs": {"default": {"markdownDescription": "m"}}}, {"$defs": {"default": {}}}),
        (True, True),
    ],
)
def test_compaction_drops_keywords_and_nothing_that_only_has_such_a_name(schema, kept):
    before, after = (len(json.dumps(one, separators=(",", ":"))) for one in (schema, kept))
    assert savings(build_surface({"tools": [tool("a", schema)]})).keys == before - after


def test_descriptions_are_saved_beyond_the_cap_only():
    exact, longer = "x" * 140, "x" * 141
    assert savings(build_surface({"tools": [tool("a", description=exact)]})).descriptions == 0
    # 141 characters become 137 and three dots.
    assert savings(build_surface({"tools": [tool("a", description=longer)]})).descriptions == 1
    assert savings(build_surface({"tools": [tool("a", description="a  \n b")]})).descriptions == len("a  \\n b") - len(
        "a b"
    )


def test_equal_definitions_are_copies_across_tools_and_sides():
    point = {"type": "object", "properties": {"x": {"type": "number"}}}
    one = tool("a", {"type": "object", "$defs": {"P": point}}, outputSchema={"$defs": {"P": point}})
    other = tool("b", {"type": "object", "$defs": {"P": point, "Q": {"type": "null"}}})
    found = savings(build_surface({"tools": [one, other]}))
    text = '"P":' + json.dumps(point, separators=(",", ":"), sort_keys=True)
    assert (found.copies, found.definitions) == (2, 2 * len(text))
    assert savings(build_surface({"tools": [tool("c", {"$defs": {"P": point, "R": point}})]})).copies == 0


def test_properties_that_the_guides_compaction_loses_are_named():
    lossy = tool("a", {"type": "object", "properties": {"title": {}, "x": {"properties": {"default": {}}}}})
    assert savings(build_surface({"tools": [lossy]})).lost == ("a.title", "a.default")
