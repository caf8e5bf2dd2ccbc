"""A schema that is not a schema: equal to itself, unknown when it changes, never a crash."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.change import Side, Verdict
from tests.change.conftest import Comparer

STR: dict[str, Any] = {"type": "string"}


def prop(schema: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"x": schema}, **more}


BAD: dict[str, Any] = {
    "type is no type": prop({"type": "strng"}),
    "type list with a stranger": prop({"type": ["string", "nil"]}),
    "properties is a list": {"type": "object", "properties": ["x"]},
    "required at the root is a word": prop(STR, required="x"),
    "enum is a word": prop({"enum": "a"}),
    "negative length": prop({"type": "string", "minLength": -1}),
    "a property is a word": {"type": "object", "properties": {"x": "string"}},
    "empty anyOf": prop({"anyOf": []}),
    "multipleOf zero": prop({"type": "integer", "multipleOf": 0}),
    "pattern is no string": prop({"type": "string", "pattern": 7}),
    "unknown dialect": {"$schema": "https://example.com/my-dialect", **prop(STR)},
    "dialect is no string": {"$schema": 7, **prop(STR)},
    "dangling reference": prop({"$ref": "#/$defs/Missing"}),
    "remote reference": prop({"$ref": "https://example.com/schema.json"}),
    "reference is no string": prop({"$ref": 7}),
    "circular reference": {
        **prop({"$ref": "#/$defs/A"}),
        "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
    },
    "circular behind another circle": {
        **prop({"$ref": "#/$defs/C"}),
        "$defs": {
            "A": {"allOf": [{"$ref": "#/$defs/B"}, {"$ref": "#/$defs/C"}]},
            "B": {"$ref": "#/$defs/A"},
            "C": {"$ref": "#/$defs/A"},
        },
    },
    "dependentRequired is a list beside dependencies": prop(
        {"dependentRequired": ["a"], "dependencies": {"a": ["b"]}, "type": "object"}
    ),
    "reference to a list": {**prop({"$ref": "#/$defs/A"}), "$defs": {"A": []}},
    "a list": [],
    "a number": 7,
}


DANGLING = ("dangling reference", "reference to a list")


@pytest.mark.parametrize(
    ("side", "name"),
    [
        *((Side.INPUT, name) for name in BAD),
        *((Side.OUTPUT, name) for name in BAD if name not in DANGLING),
    ],
    ids=str,
)
def test_equal_to_itself_and_unknown_when_it_changes(comparer: Comparer, name: str, side: Side) -> None:
    bad, good = BAD[name], prop({"type": "integer"})
    assert comparer.schemas(bad, bad, side) == []
    for old, new in ((bad, good), (good, bad)):
        changes = comparer.schemas(old, new, side)
        assert changes, name
        assert {change.verdict for change in changes} == {Verdict.UNKNOWN}
        assert all(change.reason for change in changes)
        assert all(change.reason in change.message for change in changes)


@pytest.mark.parametrize("name", DANGLING)
def test_an_output_whose_reference_led_nowhere_is_repaired(comparer: Comparer, name: str) -> None:
    """No official client could read the place, so that whatever stands there now is compatible, and the reverse not."""
    bad, good = BAD[name], prop({"type": "integer"})
    [change] = comparer.schemas(bad, good, Side.OUTPUT)
    assert (change.kind, change.verdict) == ("output-reference-repaired", Verdict.COMPATIBLE)
    [change] = comparer.schemas(good, bad, Side.OUTPUT)
    assert (change.kind, change.verdict) == ("output-reference-broken", Verdict.BREAKING)
    assert "points to nothing in this schema" in change.message


def test_the_repair_of_a_reference_excuses_nothing_beside_it(comparer: Comparer) -> None:
    old = {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}, "b": STR}}
    new = {"type": "object", "properties": {"a": STR, "b": {"type": "integer"}}}
    assert {change.kind: change.verdict for change in comparer.schemas(old, new, Side.OUTPUT)} == {
        "output-reference-repaired": Verdict.COMPATIBLE,
        "output-type-changed": Verdict.BREAKING,
    }
    remote = {"type": "object", "properties": {"a": {"$ref": "https://example.com/a.json"}, "b": STR}}
    [change] = comparer.schemas(old, remote, Side.OUTPUT)
    assert change.verdict is Verdict.UNKNOWN


WHOLE = {
    "properties is a list",
    "required at the root is a word",
    "unknown dialect",
    "dialect is no string",
}
LOCAL = {name: bad for name, bad in BAD.items() if isinstance(bad, dict) and name not in WHOLE}


@pytest.mark.parametrize("name", LOCAL)
def test_an_edit_next_to_it_is_decided(comparer: Comparer, name: str) -> None:
    """The unreadable part is the same on both sides; what changed is another argument."""

    def next_to(schema: Any, **more: Any) -> dict[str, Any]:
        return {**schema, "properties": {**schema["properties"], **more}}

    bad = LOCAL[name]
    [change] = comparer.schemas(next_to(bad, n={"maximum": 9}), next_to(bad, n={"maximum": 5}))
    assert (change.kind, change.verdict) == ("bound-tightened", Verdict.BREAKING)
    [change] = comparer.schemas(bad, next_to(bad, n=STR))
    assert (change.kind, change.verdict) == ("argument-added", Verdict.COMPATIBLE)


def test_two_edits_one_of_them_unreadable(comparer: Comparer) -> None:
    old = {"type": "object", "properties": {"a": {"$ref": "https://example.com/1"}, "b": {"enum": ["x", "y"]}}}
    new = {"type": "object", "properties": {"a": {"$ref": "https://example.com/2"}, "b": {"enum": ["x"]}}}
    changes = comparer.schemas(old, new)
    assert [(change.kind, change.verdict) for change in changes] == [
        ("enum-value-removed", Verdict.BREAKING),
        ("schema-undecided", Verdict.UNKNOWN),
    ]
    assert changes[1].path == "/inputSchema/properties/a"


def test_what_can_be_read_around_it_counts(comparer: Comparer) -> None:
    """An array is no integer, whatever its items are; a string may be what cannot be read."""
    unreadable = {"$ref": "https://example.com/1"}
    [change] = comparer.schemas(prop({"type": "array", "items": unreadable}), prop({"type": "integer"}))
    assert (change.kind, change.verdict) == ("type-changed", Verdict.BREAKING)
    [change] = comparer.schemas(prop({"anyOf": [STR, unreadable]}), prop(STR))
    assert change.verdict is Verdict.UNKNOWN
    [change] = comparer.schemas(prop(STR), prop({"anyOf": [STR, unreadable]}))
    assert change.verdict is Verdict.UNKNOWN


def test_a_witness_never_shows_a_stand_in(comparer: Comparer) -> None:
    """Every call must pass a part that nobody can read: the break is certain, a call that shows it is not."""

    def schema(most: int) -> dict[str, Any]:
        parts = {"u": {"$ref": "https://example.com/1"}, "n": {"type": "integer", "maximum": most}}
        return {"type": "object", "properties": parts, "required": ["u", "n"]}

    [change] = comparer.schemas(schema(9), schema(5))
    assert (change.kind, change.verdict, change.has_witness) == ("bound-tightened", Verdict.BREAKING, False)


def _deep(depth: int, leaf: Any) -> Any:
    schema = leaf
    for _ in range(depth):
        schema = {"type": "object", "properties": {"n": schema}}
    return schema


def test_depth_is_survived(comparer: Comparer) -> None:
    [change] = comparer.schemas(_deep(60, STR), _deep(60, {"type": "integer"}))
    assert (change.kind, change.verdict) == ("type-changed", Verdict.BREAKING)
    changes = comparer.schemas(_deep(5000, STR), _deep(5001, STR))
    assert {change.verdict for change in changes} == {Verdict.UNKNOWN}
    assert comparer.schemas(_deep(5000, STR), _deep(5000, STR)) == []


def test_pathological_schemas_end(comparer: Comparer) -> None:
    def lattice(size: int, top: int) -> dict[str, Any]:
        bits = [{"anyOf": [prop_of(f"p{i}", 0), prop_of(f"p{i}", top)]} for i in range(size)]
        return {"type": "object", "properties": {f"p{i}": {"type": "integer"} for i in range(size)}, "allOf": bits}

    def prop_of(name: str, value: int) -> dict[str, Any]:
        return {"properties": {name: {"const": value}}, "required": [name]}

    changes = comparer.schemas(lattice(16, 1), lattice(16, 2), deadline=0.3)
    assert changes
    assert all(change.verdict is not Verdict.COMPATIBLE for change in changes)


@pytest.mark.parametrize(
    "part",
    [{"$ref": "https://example.com/a.json"}, {"$ref": "#/$defs/missing"}, {"type": "text"}, 7, {"items": [{}, {}]}],
)
def test_a_break_next_to_a_part_that_no_validator_reads_has_its_witness(comparer: Comparer, part: Any) -> None:
    def schema(**value: Any) -> dict[str, Any]:
        return {"type": "object", "properties": {"odd": part, "n": {"type": "integer", **value}}, "required": ["n"]}

    [change] = comparer.schemas(schema(), schema(maximum=5))
    assert (change.kind, change.verdict, change.witness) == ("bound-tightened", Verdict.BREAKING, {"n": 6})
    [change] = comparer.schemas(schema(maximum=5), schema(), Side.OUTPUT)
    assert (change.kind, change.verdict, change.witness) == ("output-bound-loosened", Verdict.BREAKING, {"n": 6})


def test_a_reference_to_another_document_says_so(comparer: Comparer) -> None:
    def schema(reference: str) -> dict[str, Any]:
        return {"type": "object", "properties": {"x": {"$ref": reference}}}

    [change] = comparer.schemas(schema("https://example.com/a.json"), schema("https://example.com/b.json"))
    assert change.reason == 'its $ref "https://example.com/b.json" points to another document, which is not fetched'
    [change] = comparer.schemas(schema("#/$defs/a"), schema("#/$defs/b"))
    assert change.reason == 'its $ref "#/$defs/b" points to nothing in this schema'
