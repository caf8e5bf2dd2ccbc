"""One edit gives one finding, at the place of the edit; several edits give several, each with its own witness."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from mcp_governor.change import Change, Side, Verdict
from tests.change.conftest import Comparer, meaningful

STR, INT, NULL = {"type": "string"}, {"type": "integer"}, {"type": "null"}
B, C, U = Verdict.BREAKING, Verdict.COMPATIBLE, Verdict.UNKNOWN


def obj(**more: Any) -> dict[str, Any]:
    return {"type": "object", **more}


def reported(changes: list[Change]) -> list[tuple[str, str]]:
    return [(change.kind, change.path) for change in changes]


ORDER = {
    **obj(
        properties={
            "id": {"type": "string", "pattern": "^[A-Z]+$"},
            "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
            "gift": {"anyOf": [{"$ref": "#/$defs/Item"}, NULL], "default": None},
            "tags": {"type": "object", "additionalProperties": STR},
            "mode": {"enum": ["fast", "safe"]},
            "when": {
                "oneOf": [
                    obj(properties={"kind": {"const": "now"}}, required=["kind"]),
                    obj(
                        properties={"kind": {"const": "later"}, "days": {"type": "integer", "maximum": 30}},
                        required=["kind", "days"],
                    ),
                ]
            },
        },
        required=["id"],
    ),
    "$defs": {
        "Item": obj(
            properties={
                "sku": {"type": "string", "minLength": 1},
                "count": INT,
                "parts": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
            },
            required=["sku"],
        )
    },
}


def edited(*edits: tuple[str, Any]) -> dict[str, Any]:
    """The order schema with values set at dotted paths; ``...`` removes one."""
    schema = copy.deepcopy(ORDER)
    for path, value in edits:
        *steps, last = path.split(".")
        place: Any = schema
        for step in steps:
            place = place[int(step)] if isinstance(place, list) else place[step]
        if value is ...:
            del place[last]
        elif isinstance(place, list):
            place[int(last)] = value
        else:
            place[last] = value
    return schema


EDITS: dict[str, tuple[tuple[str, Any], str, str]] = {
    "pattern": (("properties.id.pattern", "^[A-Z]{3}$"), "pattern-tightened", "/properties/id/pattern"),
    "in a definition used twice": (
        ("$defs.Item.properties.sku.minLength", 3),
        "length-tightened",
        "/$defs/Item/properties/sku/minLength",
    ),
    "required in a definition": (
        ("$defs.Item.required", ["sku", "count"]),
        "argument-required",
        "/$defs/Item/properties/count",
    ),
    "type in a definition": (
        ("$defs.Item.properties.count", {"type": "integer", "minimum": 1}),
        "bound-tightened",
        "/$defs/Item/properties/count/minimum",
    ),
    "argument removed in a definition": (
        ("$defs.Item.properties.count", ...),
        "argument-removed",
        "/$defs/Item/properties/count",
    ),
    "default added": (("properties.mode.default", "fast"), "default-added", "/properties/mode/default"),
    "enum value": (("properties.mode.enum", ["fast"]), "enum-value-removed", "/properties/mode/enum"),
    "in a tagged alternative": (
        ("properties.when.oneOf.1.properties.days.maximum", 20),
        "bound-tightened",
        "/properties/when/oneOf/1/properties/days/maximum",
    ),
    "alternative without its null": (
        ("properties.gift.anyOf", [{"$ref": "#/$defs/Item"}]),
        "type-narrowed",
        "/properties/gift",
    ),
    "whole object closed": (
        ("additionalProperties", False),
        "input-closed",
        "/additionalProperties",
    ),
}


PAIRS = [
    (one, other)
    for index, one in enumerate(EDITS)
    for other in list(EDITS)[index + 1 :]
    # the two rewrite the same keyword
    if not {one, other} <= {"alternative without its null", "alternative with one more"}
    and not {one, other} <= {"type in a definition", "argument removed in a definition", "required in a definition"}
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_two_edits_are_two_findings(comparer: Comparer, one: str, other: str) -> None:
    edits = [EDITS[one], EDITS[other]]
    changes = comparer.schemas(ORDER, edited(*(edit for edit, _, _ in edits)))
    assert sorted(reported(changes)) == sorted((kind, f"/inputSchema{path}") for _, kind, path in edits)
    for change in changes:
        # an open object that loses an argument still takes it: only policy calls that a break
        if change.verdict is B and change.kind != "argument-removed":
            assert change.has_witness, change


def test_each_witness_shows_its_own_break(comparer: Comparer) -> None:
    new = edited(("properties.mode.enum", ["fast"]), ("properties.id.pattern", "^[A-Z]{3}$"))
    [mode, name] = sorted(comparer.schemas(ORDER, new), key=lambda change: change.kind)
    assert mode.has_witness
    assert name.has_witness
    assert mode.witness["mode"] == "safe"
    assert "mode" not in name.witness or name.witness["mode"] == "fast"
    assert len(name.witness["id"]) != 3


CANCELLING: dict[str, tuple[Any, Any]] = {
    "moved into allOf": (
        obj(properties={"a": {"type": "string", "minLength": 2, "pattern": "^x"}}),
        obj(properties={"a": {"type": "string", "allOf": [{"minLength": 2}, {"pattern": "^x"}]}}),
    ),
    "moved to the alternatives": (
        obj(properties={"a": {"type": "string", "maxLength": 5, "anyOf": [{"pattern": "^x"}, {"pattern": "^y"}]}}),
        obj(
            properties={
                "a": {
                    "anyOf": [
                        {"type": "string", "maxLength": 5, "pattern": "^x"},
                        {"type": "string", "maxLength": 5, "pattern": "^y"},
                    ]
                }
            }
        ),
    ),
    "bounds as a list": (
        obj(properties={"a": {"type": "integer", "minimum": 1, "maximum": 3}}),
        obj(properties={"a": {"enum": [1, 2, 3]}}),
    ),
}


@pytest.mark.parametrize("name", CANCELLING)
@pytest.mark.parametrize("side", [Side.INPUT, Side.OUTPUT], ids=str)
def test_edits_that_undo_each_other_are_none(comparer: Comparer, name: str, side: Side) -> None:
    old, new = CANCELLING[name]
    assert meaningful(comparer.schemas(old, new, side)) == []
    assert meaningful(comparer.schemas(new, old, side)) == []


# composition: keys that several schemas declare count together
def branch(tag: str, **properties: Any) -> dict[str, Any]:
    return obj(properties={"kind": {"const": tag}, **properties}, required=["kind"])


COMPOSED: dict[str, tuple[Any, Any, list[tuple[str, Verdict]]]] = {
    "keys over allOf": (
        obj(allOf=[obj(properties={"a": STR}), obj(properties={"b": STR})]),
        obj(allOf=[obj(properties={"a": STR}), obj(properties={"b": STR, "c": INT})]),
        [("argument-added", C)],
    ),
    "a key of one of two exclusive alternatives, known from the other": (
        obj(properties={"q": {"oneOf": [branch("x", size=STR), branch("y")]}}),
        obj(properties={"q": {"oneOf": [branch("x", size=STR), branch("y", size=INT)]}}),
        [("branch-argument-added", C)],
    ),
    "below alternatives that exclude each other only as a whole": (
        obj(
            properties={
                "q": {
                    "oneOf": [
                        obj(properties={"a": obj(properties={"x": STR})}, required=["a"]),
                        obj(properties={"b": STR}, required=["b"]),
                    ]
                }
            }
        ),
        obj(
            properties={
                "q": {
                    "oneOf": [
                        obj(properties={"a": obj(properties={"x": STR, "y": INT})}, required=["a"]),
                        obj(properties={"b": STR}, required=["b"]),
                    ]
                }
            }
        ),
        [("argument-added", C)],
    ),
    "a key of alternatives that may both hold": (
        obj(anyOf=[obj(properties={"path": STR}, required=["path"]), obj(properties={"url": STR}, required=["url"])]),
        obj(oneOf=[obj(properties={"path": STR}, required=["path"]), obj(properties={"url": STR}, required=["url"])]),
        [("union-tightened", B)],
    ),
    "a key of two unions that count together": (
        obj(anyOf=[branch("x"), obj(required=["a"])], oneOf=[obj(properties={"c": STR}), obj(required=["d"])]),
        obj(anyOf=[branch("x"), obj(required=["a"])], oneOf=[obj(properties={"c": INT}), obj(required=["d"])]),
        [("type-changed", B)],
    ),
    "a key moved from the object to a condition": (
        obj(properties={"mode": STR, "n": INT}),
        obj(
            properties={"mode": STR},
            **{"if": {"properties": {"mode": {"const": "x"}}}, "then": {"properties": {"n": INT}}},
        ),
        [("schema-loosened", C)],  # {"mode": "y", "n": "text"} is valid now
    ),
    "a nested object that declares nothing is a map": (
        obj(properties={"m": obj()}),
        obj(properties={"m": obj(additionalProperties=False)}),
        [("input-closed", B)],
    ),
    "a map that gets its first declared key": (
        obj(properties={"m": obj()}),
        obj(properties={"m": obj(properties={"k": INT})}),
        [("undeclared-key-restricted", B)],
    ),
    "a tool without arguments is closed": (obj(), obj(additionalProperties=False), [("input-closed", C)]),
    "a new argument that a pattern covered": (
        obj(patternProperties={"^x": INT}, properties={"a": STR}),
        obj(patternProperties={"^x": INT}, properties={"a": STR, "xy": STR}),
        [("undeclared-key-restricted", B)],
    ),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_closing_respects_composition(comparer: Comparer, name: str) -> None:
    old, new, expected = COMPOSED[name]
    changes = comparer.schemas(old, new)
    assert [(change.kind, change.verdict) for change in changes] == expected, changes


def test_a_break_of_a_map_that_no_single_edit_makes_is_at_the_map(comparer: Comparer) -> None:
    """A nested object without properties takes any key, unlike the root: only five keys are too many for one
    alternative and too few for the other."""

    def counts(most: int, least: int) -> dict[str, Any]:
        return obj(properties={"n": {"anyOf": [obj(maxProperties=most), obj(minProperties=least)]}, "m": STR})

    [change] = comparer.schemas(counts(10, 0), counts(4, 6))
    assert reported([change]) == [("schema-tightened", "/inputSchema/properties/n")]
    assert len(change.witness["n"]) == 5


def test_a_break_that_no_single_edit_makes_is_reported_as_a_whole(comparer: Comparer) -> None:
    """Two overlapping ranges shrink: either alone leaves every number covered, both together leave out 5."""

    def ranges(low: int, high: int) -> dict[str, Any]:
        return {"anyOf": [{"type": "number", "maximum": low}, {"type": "number", "minimum": high}]}

    old = obj(properties={"n": ranges(10, 0), "m": STR})
    new = obj(properties={"n": ranges(4, 6), "m": STR})
    [change] = comparer.schemas(old, new)
    assert (change.kind, change.verdict) == ("schema-tightened", B)
    assert change.path == "/inputSchema/properties/n"
    assert change.has_witness
    assert 4 < change.witness["n"] < 6
    assert [change.verdict for change in comparer.schemas(new, old)] == [C] * len(comparer.schemas(new, old))


@pytest.mark.parametrize("name", CANCELLING)
@pytest.mark.parametrize("side", [Side.INPUT, Side.OUTPUT], ids=str)
def test_edits_that_undo_each_other_next_to_one_that_counts(comparer: Comparer, name: str, side: Side) -> None:
    one, other = CANCELLING[name]
    old = obj(properties={"whole": one, "mode": {"enum": ["a", "b"]}})
    new = obj(properties={"whole": other, "mode": {"enum": ["a", "c"]}})
    [change] = comparer.schemas(old, new, side)
    assert change.path.endswith("/properties/mode/enum")
    assert change.verdict is B


def sharing(gift: Any, *, also: str = "Whole") -> dict[str, Any]:
    """Two definitions, one of them in use elsewhere, and a property of one's choice."""
    return obj(
        properties={"gift": gift, "other": {"$ref": f"#/$defs/{also}"}},
        **{"$defs": {"Any": {"type": "number"}, "Whole": INT}},
    )


@pytest.mark.parametrize("before", [{"$ref": "#/$defs/Any"}, {"type": "number"}, {"type": ["number", "integer"]}])
@pytest.mark.parametrize("also", ["Any", "Whole"])
def test_a_place_that_refers_elsewhere_changed_and_the_definition_did_not(
    comparer: Comparer, before: Any, also: str
) -> None:
    changes = comparer.schemas(sharing(before, also=also), sharing({"$ref": "#/$defs/Whole"}, also=also))
    assert reported(meaningful(changes)) == [("type-narrowed", "/inputSchema/properties/gift")]
    assert changes[0].message == "the type of `gift` changed from number to integer"


def test_below_a_place_that_refers_elsewhere_the_path_goes_through_it(comparer: Comparer) -> None:
    def schema(name: str) -> Any:
        parts = {"Old": obj(properties={"v": STR}), "New": obj(properties={"v": STR}, required=["v"])}
        return obj(properties={"a": {"$ref": f"#/$defs/{name}"}, "b": {"$ref": "#/$defs/New"}}, **{"$defs": parts})

    changes = comparer.schemas(schema("Old"), schema("New"))
    assert reported(meaningful(changes)) == [("argument-required", "/inputSchema/properties/a/properties/v")]


def test_a_definition_that_was_renamed_is_where_it_changed(comparer: Comparer) -> None:
    def schema(name: str, kind: str) -> Any:
        return obj(properties={"a": {"$ref": f"#/$defs/{name}"}}, **{"$defs": {name: {"type": kind}}})

    changes = comparer.schemas(schema("Old", "number"), schema("New", "integer"))
    assert reported(meaningful(changes)) == [("type-narrowed", "/inputSchema/$defs/New")]
