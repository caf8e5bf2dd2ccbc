"""The fingerprint: what moves it, what does not, and the blind spots of the guard it replaces."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from mcp_governor.surface import build_surface, fingerprint, wording_fingerprint

TOOL: dict[str, Any] = {
    "name": "search",
    "title": "Search",
    "description": "Finds things.",
    "inputSchema": {
        "type": "object",
        "title": "SearchArguments",
        "properties": {
            "description": {"type": "string", "description": "Text to look for."},
            "order": {"type": ["string", "null"], "enum": ["up", "down", None], "default": "up"},
            "when": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        },
        "required": ["description", "order"],
    },
    "outputSchema": {"type": "object", "properties": {"hits": {"type": "integer"}}},
    "annotations": {"readOnlyHint": True},
}


def surface(tool: dict[str, Any], **more: Any) -> Any:
    return build_surface({"tools": [tool], **more})


def edited(path: str, value: Any) -> dict[str, Any]:
    """TOOL with the value at a dotted path replaced; ``...`` deletes it."""
    tool = copy.deepcopy(TOOL)
    *parents, last = path.split(".")
    here = tool
    for key in parents:
        here = here[key]
    if value is ...:
        del here[last]
    else:
        here[last] = value
    return tool


CONTRACT = {
    "a property named description goes": edited("inputSchema.properties.description", ...),
    "name": edited("name", "find"),
    "dialect": edited("inputSchema.$schema", "http://json-schema.org/draft-07/schema#"),
    "a property called title": edited("inputSchema.properties.title", {"type": "string"}),
}

WORDING = {
    "title": edited("title", "Find"),
    "description": edited("description", "Looks for things."),
    "description of a property": edited("inputSchema.properties.description.description", "Words."),
    "icons": edited("icons", [{"src": "https://example.com/a.png"}]),
    "examples": edited("inputSchema.properties.description.examples", ["a"]),
}

NOTHING = {
    "order of required": edited("inputSchema.required", ["order", "description"]),
    "order of enum": edited("inputSchema.properties.order.enum", [None, "down", "up"]),
    "order of anyOf": edited("inputSchema.properties.when.anyOf", [{"type": "integer"}, {"type": "string"}]),
    "explicit 2020-12": edited("inputSchema.$schema", "https://json-schema.org/draft/2020-12/schema"),
    "hint that says the default": edited("annotations.openWorldHint", True),
    "FastMCP's unwrap mark": edited("outputSchema.x-fastmcp-wrap-result", True),
    "tasks as without a word": edited("execution", {"taskSupport": "forbidden"}),
    "a title behind the title": edited("annotations.title", "Look"),
    "unrelated _meta": edited("_meta", {"com.example/build": 7}),
}


@pytest.mark.parametrize("name", CONTRACT)
def test_contract_edits_move_the_fingerprint(name: str) -> None:
    assert fingerprint(surface(CONTRACT[name])) != fingerprint(surface(TOOL))


@pytest.mark.parametrize("name", WORDING)
def test_wording_edits_move_only_the_wording_digest(name: str) -> None:
    assert fingerprint(surface(WORDING[name])) == fingerprint(surface(TOOL))
    assert wording_fingerprint(surface(WORDING[name])) != wording_fingerprint(surface(TOOL))


@pytest.mark.parametrize("name", NOTHING)
def test_respellings_move_neither(name: str) -> None:
    assert fingerprint(surface(NOTHING[name])) == fingerprint(surface(TOOL))
    assert wording_fingerprint(surface(NOTHING[name])) == wording_fingerprint(surface(TOOL))


def test_data_named_like_wording_is_contract() -> None:
    before = edited("inputSchema.properties.order", {"const": {"title": "a"}})
    after = edited("inputSchema.properties.order", {"const": {"title": "b"}})
    assert fingerprint(surface(before)) != fingerprint(surface(after))


def test_order_of_tools_and_server_version_do_not_matter() -> None:
    other = {"name": "Zebra", "inputSchema": {"type": "object"}}
    one = build_surface({"tools": [TOOL, other], "serverInfo": {"name": "s", "version": "1.0.0"}})
    two = build_surface({"tools": [other, TOOL], "serverInfo": {"name": "s", "version": "2.0.0"}})
    assert fingerprint(one) == fingerprint(two)


def test_instructions_are_wording() -> None:
    one, two = surface(TOOL, instructions="Be brief."), surface(TOOL, instructions="Be long.")
    assert fingerprint(one) == fingerprint(two)
    assert wording_fingerprint(one) != wording_fingerprint(two)


def test_format_and_a_known_digest() -> None:
    # sha256 of the canonical text, which was written out by hand and fed to sha256sum.
    empty = build_surface({"tools": []})
    assert fingerprint(empty) == "v1:sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"


def _digest_of(schema: Any) -> str:
    return fingerprint(build_surface({"tools": [{"name": "t", "inputSchema": schema}]}))


def test_order_counts_where_a_reference_points_at_a_place_in_it() -> None:
    one, other = {"required": ["a"]}, {"required": ["b"]}
    for reference, matters in (("#/anyOf/0", True), ("#/$defs/A", False), ("#/properties/anyOf/items/0", False)):
        schema = {"type": "object", "properties": {"x": {"$ref": reference}}, "$defs": {"A": {}}}
        digests = {_digest_of({**schema, "anyOf": order}) for order in ([one, other], [other, one])}
        assert (len(digests) == 2) is matters, reference


def test_an_example_counts_where_a_reference_makes_it_a_schema() -> None:
    for reference, matters in (("#/examples/0", True), ("#/properties/examples", False)):
        schema = {"type": "object", "properties": {"x": {"$ref": reference}, "examples": {}}}
        digests = {_digest_of({**schema, "examples": [{"type": name}]}) for name in ("string", "integer")}
        assert (len(digests) == 2) is matters, reference


def test_naming_2020_12_counts_where_it_silences_a_keyword() -> None:
    named = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    for keywords, matters in (
        ({}, False),
        ({"properties": {"a": {"items": {}}}}, False),
        ({"dependencies": {"a": ["b"]}}, True),
        ({"properties": {"a": {"items": [{}]}}}, True),
    ):
        plain = {"type": "object", **keywords}
        assert (_digest_of(plain) != _digest_of({**plain, **named})) is matters, keywords
