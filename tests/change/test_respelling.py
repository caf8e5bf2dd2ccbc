"""Two spellings of one schema are no change, on either side, in either direction, at the declared level."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.change import Level, Side, Verdict
from mcp_governor.findings import Bump
from mcp_governor.surface.fingerprint import strip
from tests.change.conftest import Comparer

STR, INT, NULL = {"type": "string"}, {"type": "integer"}, {"type": "null"}


def obj(**more: Any) -> dict[str, Any]:
    return {"type": "object", **more}


def prop(schema: Any, **more: Any) -> dict[str, Any]:
    return obj(properties={"x": schema}, **more)


ITEM = obj(properties={"sku": STR, "count": INT}, required=["sku"])
TREE = obj(properties={"value": INT, "next": {"$ref": "#/$defs/Tree"}})
TWO_ARGUMENTS = {"a": STR, "b": INT}

SPELLINGS: dict[str, tuple[Any, Any]] = {
    "lists without an order": (
        prop({"type": ["string", "null"], "enum": ["a", "b", None]}, required=["x", "y"]),
        prop({"type": ["null", "string"], "enum": [None, "b", "a"]}, required=["y", "x"]),
    ),
    # references
    "ref-inlined": ({**prop({"$ref": "#/$defs/Item"}), "$defs": {"Item": ITEM}}, prop(ITEM)),
    "ref-renamed": (
        {**prop({"$ref": "#/$defs/Item"}), "$defs": {"Item": ITEM}},
        {**prop({"$ref": "#/$defs/OrderItem"}), "$defs": {"OrderItem": ITEM}},
    ),
    "ref-wrapped-in-allOf": (
        {**prop({"allOf": [{"$ref": "#/$defs/Item"}], "description": "An item."}), "$defs": {"Item": ITEM}},
        {**prop({"$ref": "#/$defs/Item", "description": "An item."}), "$defs": {"Item": ITEM}},
    ),
    "ref-by-anchor": (
        {**prop({"$ref": "#item"}), "$defs": {"Item": {"$anchor": "item", **ITEM}}},
        prop(ITEM),
    ),
    "ref-by-address": (
        {
            "$id": "https://a.example/tools/find",
            **prop({"$ref": "../item"}),
            "$defs": {"Item": {"$id": "/item", "$defs": {"I": ITEM}, "$ref": "#/$defs/I"}},
        },
        prop(ITEM),
    ),
    "ref-by-plain-name-of-draft-7": (
        {
            "$schema": "https://json-schema.org/draft-07/schema",
            **prop({"$ref": "#item"}),
            "definitions": {"Item": {"$id": "#item", **ITEM}},
        },
        prop(ITEM),
    ),
    "recursive-definition-renamed": (
        {**prop({"$ref": "#/$defs/Tree"}), "$defs": {"Tree": TREE}},
        {
            **prop({"$ref": "#/$defs/Node"}),
            "$defs": {"Node": obj(properties={"value": INT, "next": {"$ref": "#/$defs/Node"}})},
        },
    ),
    "recursion-unrolled-once": (
        {**prop({"$ref": "#/$defs/Tree"}), "$defs": {"Tree": TREE}},
        {**prop(TREE), "$defs": {"Tree": TREE}},
    ),
    "root-is-a-reference": ({"$ref": "#/$defs/Args", "$defs": {"Args": prop(STR)}}, prop(STR)),
    # null
    "optional-anyOf-to-type-list": (prop({"anyOf": [STR, NULL]}), prop({"type": ["string", "null"]})),
    "optional-oneOf-to-anyOf": (prop({"oneOf": [STR, NULL]}), prop({"anyOf": [STR, NULL]})),
    "optional-with-keywords": (
        prop({"anyOf": [{"type": "string", "maxLength": 5}, NULL]}),
        prop({"type": ["string", "null"], "maxLength": 5}),
    ),
    "optional-enum": (
        prop({"anyOf": [{"type": "string", "enum": ["a", "b"]}, NULL]}),
        prop({"enum": ["a", "b", None]}),
    ),
    "optional-object": (
        {**prop({"anyOf": [{"$ref": "#/$defs/Item"}, NULL]}), "$defs": {"Item": ITEM}},
        prop({**ITEM, "type": ["object", "null"]}),
    ),
    # listed values
    "const-to-enum": (prop({"const": "a"}), prop({"enum": ["a"]})),
    "anyOf-const-to-enum": (
        prop({"anyOf": [{"const": "a"}, {"const": "b"}]}),
        prop({"type": "string", "enum": ["a", "b"]}),
    ),
    "enum-order": (prop({"enum": ["a", "b"]}), prop({"enum": ["b", "a"]})),
    "boolean-as-enum": (prop({"type": "boolean"}), prop({"enum": [True, False]})),
    "type-list-to-anyOf": (prop({"type": ["string", "integer"]}), prop({"anyOf": [STR, INT]})),
    "integer-within-number": (prop({"type": ["integer", "number"]}), prop({"type": "number"})),
    "true-and-empty": (prop({}), prop(True)),
    # bounds
    "integer-bounds": (
        prop({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10}),
        prop({"type": "integer", "minimum": 1, "maximum": 9}),
    ),
    "safe-integers": (
        prop({"type": "integer", "minimum": -(2**53 - 1), "maximum": 2**53 - 1}),
        prop(INT),
    ),
    "empty-requirements": (
        prop({"type": "string", "minLength": 0}, required=[]),
        prop(STR),
    ),
    # composition
    "allOf-merged": (
        prop({"allOf": [{"type": "string", "minLength": 1}, {"maxLength": 5}]}),
        prop({"type": "string", "minLength": 1, "maxLength": 5}),
    ),
    "allOf-of-objects-merged": (
        obj(allOf=[obj(properties={"a": STR}, required=["a"]), obj(properties={"b": INT})]),
        obj(properties=TWO_ARGUMENTS, required=["a"]),
    ),
    "anyOf-with-a-redundant-branch": (
        prop({"anyOf": [STR, {"type": "string", "minLength": 3}]}),
        prop(STR),
    ),
    "oneOf-of-exclusive-branches": (
        prop(
            {
                "oneOf": [
                    obj(properties={"k": {"const": "x"}}, required=["k"]),
                    obj(properties={"k": {"const": "y"}}, required=["k"]),
                ]
            }
        ),
        prop(
            {
                "anyOf": [
                    obj(properties={"k": {"const": "x"}}, required=["k"]),
                    obj(properties={"k": {"const": "y"}}, required=["k"]),
                ]
            }
        ),
    ),
    "not-not": (prop({"type": "string", "not": {"not": {"minLength": 1}}}), prop({"type": "string", "minLength": 1})),
    "draft-7-to-2020": (
        {"$schema": "http://json-schema.org/draft-07/schema#", **prop(STR)},
        {"$schema": "https://json-schema.org/draft/2020-12/schema", **prop(STR)},
    ),
    "tuples-across-dialects": (
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            **prop({"type": "array", "items": [STR, INT], "additionalItems": False}),
        },
        prop({"type": "array", "prefixItems": [STR, INT], "items": False}),
    ),
    "dependencies-across-dialects": (
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            **obj(properties=TWO_ARGUMENTS, dependencies={"a": ["b"]}),
        },
        obj(properties=TWO_ARGUMENTS, dependentRequired={"a": ["b"]}),
    ),
    "draft-4-exclusive": (
        {
            "$schema": "http://json-schema.org/draft-04/schema#",
            **prop({"type": "number", "minimum": 0, "exclusiveMinimum": True}),
        },
        prop({"type": "number", "exclusiveMinimum": 0}),
    ),
    "unknown-keywords": (prop({**STR, "x-order": 1, "nullable": True}), prop(STR)),
    "fastmcp-wrapping-marker": (
        {**prop(STR, required=["x"]), "x-fastmcp-wrap-result": True},
        prop(STR, required=["x"]),
    ),
    "empty-properties": (obj(), obj(properties={})),
    "pydantic-to-fastmcp-3": (
        {
            "title": "orderArguments",
            "type": "object",
            "properties": {
                "items": {"title": "Items", "type": "array", "items": {"$ref": "#/$defs/Item"}},
                "note": {"anyOf": [STR, NULL], "default": None, "title": "Note"},
                "mode": {"const": "fast", "default": "fast", "title": "Mode"},
            },
            "required": ["items"],
            "$defs": {"Item": {"title": "Item", **ITEM}},
        },
        {
            "type": "object",
            "properties": {
                "items": {"type": "array", "items": ITEM},
                "note": {"type": ["string", "null"]},
                "mode": {"enum": ["fast"], "default": "fast"},
            },
            "required": ["items"],
        },
    ),
}


def assert_respelled(comparer: Comparer, old: Any, new: Any, side: Side = Side.INPUT, **more: Any) -> None:
    """Nothing but a note that the spelling is another, where the contract fingerprint sees that it is."""
    changes = comparer.schemas(old, new, side, **more)
    expected = [] if strip(old) == strip(new) else [("schema-rewritten", Verdict.COMPATIBLE, Bump.NONE, True)]
    reported = [
        (change.kind.removeprefix("output-"), change.verdict, change.bump, change.wording) for change in changes
    ]
    assert reported == expected, [(change.kind, change.path, change.verdict, change.reason) for change in changes]


@pytest.mark.parametrize("name", SPELLINGS)
@pytest.mark.parametrize("side", [Side.INPUT, Side.OUTPUT], ids=str)
def test_a_respelling_is_not_a_change(comparer: Comparer, name: str, side: Side) -> None:
    one, other = SPELLINGS[name]
    for old, new in ((one, other), (other, one)):
        assert_respelled(comparer, old, new, side)


NOT_STRICTLY = {"safe-integers"}


@pytest.mark.parametrize("name", sorted(SPELLINGS.keys() - NOT_STRICTLY))
def test_nor_at_the_strict_level(comparer: Comparer, name: str) -> None:
    one, other = SPELLINGS[name]
    assert_respelled(comparer, one, other, level=Level.STRICT)


def test_the_strict_level_counts_every_integer(comparer: Comparer) -> None:
    bounded, free = SPELLINGS["safe-integers"]
    [lower, upper] = comparer.schemas(free, bounded, level=Level.STRICT)
    assert lower.kind == upper.kind == "bound-tightened"


SELF_CONTAINED = [name for name in SPELLINGS if not {"$ref", "$schema"} & set(str(SPELLINGS[name]).split("'"))]


@pytest.mark.parametrize("name", SELF_CONTAINED)
def test_an_edit_below_a_respelling_is_the_only_finding(comparer: Comparer, name: str) -> None:
    """The spelling changes and, in the same release, one argument goes from optional to required."""
    one, other = SPELLINGS[name]
    old = obj(properties={"whole": one, "limit": INT})
    new = obj(properties={"whole": other, "limit": INT}, required=["limit"])
    [change] = comparer.schemas(old, new)
    assert (change.kind, change.path) == ("argument-required", "/inputSchema/properties/limit")
    assert change.has_witness
    assert change.witness == {}


@pytest.mark.parametrize("draft", [4, 6, 7])
def test_up_to_draft_7_nothing_counts_beside_a_reference(comparer: Comparer, draft: int) -> None:
    def schema(uri: str, most: int) -> dict[str, Any]:
        text = {"$ref": "#/definitions/Text", "maxLength": most}
        return {"$schema": uri, **prop(text), "definitions": {"Text": STR}}

    old, new = (schema(f"http://json-schema.org/draft-0{draft}/schema#", most) for most in (9, 5))
    assert [change.kind for change in comparer.schemas(old, new)] == ["schema-rewritten"]
    old, new = (schema("https://json-schema.org/draft/2019-09/schema", most) for most in (9, 5))
    assert [change.kind for change in comparer.schemas(old, new)] == ["length-tightened"]
