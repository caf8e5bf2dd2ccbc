"""Every way of saying more about a value, said and unsaid, on both sides and in every place it may stand.

A row is a pair of schemas of which the second is the stricter one: each of its instances is one of the first, and
some instance of the first is none of its own. Both facts were worked out by hand. From them follow four verdicts:

=================  ==========  ==========
edit               input       output
=================  ==========  ==========
loose → strict     breaking    compatible
strict → loose     compatible  breaking
=================  ==========  ==========
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from mcp_governor.change import Change, Side, Verdict
from tests.change.conftest import Comparer

STR, INT, NUM, BOOL, NULL = ({"type": name} for name in ("string", "integer", "number", "boolean", "null"))


def arr(**more: Any) -> dict[str, Any]:
    return {"type": "array", **more}


def obj(**more: Any) -> dict[str, Any]:
    return {"type": "object", **more}


def s(**more: Any) -> dict[str, Any]:
    return {"type": "string", **more}


def i(**more: Any) -> dict[str, Any]:
    return {"type": "integer", **more}


def n(**more: Any) -> dict[str, Any]:
    return {"type": "number", **more}


AB = {"a": STR, "b": STR}

# name → (loose, strict, an instance of loose that strict refuses)
ROWS: dict[str, tuple[Any, Any, Any]] = {
    # types
    "null-dropped-from-type-list": (s(type=["string", "null"]), STR, None),
    "null-dropped-from-anyOf": ({"anyOf": [STR, NULL]}, STR, None),
    "null-dropped-across-spellings": ({"anyOf": [STR, NULL]}, s(type=["string"]), None),
    "number-to-integer": (NUM, INT, 1.5),
    "any-to-string": ({}, STR, 1),
    "true-to-string": (True, STR, 1),
    "union-loses-one-type": ({"anyOf": [STR, INT]}, INT, "x"),
    "type-list-loses-one": ({"type": ["string", "integer", "boolean"]}, {"type": ["string", "integer"]}, True),
    "any-to-false-but-null": ({}, NULL, 1),
    # numbers
    "minimum-added": (INT, i(minimum=0), -1),
    "minimum-raised": (i(minimum=0), i(minimum=1), 0),
    "maximum-added": (INT, i(maximum=10), 11),
    "maximum-lowered": (i(maximum=10), i(maximum=9), 10),
    "exclusive-minimum-added": (NUM, n(exclusiveMinimum=0), 0),
    "minimum-becomes-exclusive": (n(minimum=0), n(exclusiveMinimum=0), 0),
    "maximum-becomes-exclusive": (n(maximum=1), n(exclusiveMaximum=1), 1),
    "bound-without-type": ({"maximum": 10}, {"maximum": 5}, 7),
    "multipleOf-added": (INT, i(multipleOf=5), 1),
    "multipleOf-coarser": (i(multipleOf=2), i(multipleOf=6), 2),
    "multipleOf-of-number": (NUM, n(multipleOf=0.5), 0.25),
    "bounds-under-null": ({"anyOf": [INT, NULL]}, {"anyOf": [i(minimum=1), NULL]}, 0),
    # strings
    "minLength-added": (STR, s(minLength=1), ""),
    "minLength-raised": (s(minLength=1), s(minLength=2), "a"),
    "maxLength-added": (STR, s(maxLength=3), "abcd"),
    "maxLength-lowered": (s(maxLength=4), s(maxLength=3), "abcd"),
    "pattern-added": (STR, s(pattern="^[a-z]+$"), "A"),
    "pattern-narrowed": (s(pattern="^[a-z]+$"), s(pattern="^[a-f]+$"), "z"),
    "pattern-anchored": (s(pattern="ab"), s(pattern="^ab"), "xab"),
    "pattern-under-null": ({"type": ["string", "null"]}, {"type": ["string", "null"], "pattern": "^x"}, "y"),
    # listed values
    "enum-on-bare-type": (STR, s(enum=["a", "b"]), "c"),
    "enum-on-nothing": ({}, {"enum": ["a", 1]}, "c"),
    "enum-of-integers": (INT, {"enum": [1, 2, 3]}, 4),
    "enum-value-removed": (s(enum=["a", "b"]), s(enum=["a"]), "b"),
    "enum-loses-null": ({"enum": ["a", None]}, {"enum": ["a"]}, None),
    "enum-to-const": ({"enum": ["a", "b"]}, {"const": "a"}, "b"),
    "const-on-bare-type": (STR, s(const="a"), "b"),
    "const-of-object": ({"type": "object"}, {"const": {"k": 1}}, {"k": 2}),
    "enum-by-anyOf-of-const": ({"anyOf": [{"const": "a"}, {"const": "b"}]}, {"const": "a"}, "b"),
    "boolean-to-true": (BOOL, {"const": True}, False),
    # arrays
    "items-added": (arr(), arr(items=STR), [1]),
    "items-narrowed": (arr(items=NUM), arr(items=INT), [1.5]),
    "items-closed": (arr(items=STR), arr(items=False), ["a"]),
    "items-enum": (arr(items=STR), arr(items=s(enum=["a"])), ["b"]),
    "items-pattern": (arr(items=STR), arr(items=s(pattern="^a")), ["b"]),
    "items-of-items": (arr(items=arr(items=NUM)), arr(items=arr(items=INT)), [[0.5]]),
    "minItems-added": (arr(items=STR), arr(items=STR, minItems=1), []),
    "maxItems-added": (arr(items=STR), arr(items=STR, maxItems=1), ["a", "b"]),
    "maxItems-lowered": (arr(items=STR, maxItems=3), arr(items=STR, maxItems=2), ["a", "b", "c"]),
    "uniqueItems-added": (arr(items=STR), arr(items=STR, uniqueItems=True), ["a", "a"]),
    "prefixItems-added": (arr(), arr(prefixItems=[INT]), ["a"]),
    "prefixItems-narrowed": (arr(prefixItems=[NUM, STR]), arr(prefixItems=[INT, STR]), [0.5]),
    "tuple-closed": (arr(prefixItems=[STR]), arr(prefixItems=[STR], items=False), ["a", 1]),
    "tuple-longer": (arr(prefixItems=[STR]), arr(prefixItems=[STR, INT]), ["a", "b"]),
    "contains-added": (arr(items=INT), arr(items=INT, contains={"minimum": 5}), [1]),
    "contains-narrowed": (arr(contains=NUM), arr(contains=INT), [0.5]),
    "minContains-raised": (arr(contains=INT), arr(contains=INT, minContains=2), [1]),
    "maxContains-added": (arr(contains=INT), arr(contains=INT, maxContains=1), [1, 2]),
    # objects
    "required-added": (obj(properties=AB), obj(properties=AB, required=["a"]), {}),
    "required-more": (obj(properties=AB, required=["a"]), obj(properties=AB, required=["a", "b"]), {"a": "x"}),
    "property-narrowed": (obj(properties={"a": NUM}), obj(properties={"a": INT}), {"a": 0.5}),
    "map-values-typed": (obj(additionalProperties=True), obj(additionalProperties=STR), {"k": 1}),
    "map-values-narrowed": (obj(additionalProperties=NUM), obj(additionalProperties=INT), {"k": 0.5}),
    "map-values-enum": (obj(additionalProperties=STR), obj(additionalProperties=s(enum=["a"])), {"k": "b"}),
    "patternProperties-narrowed": (
        obj(patternProperties={"^x-": NUM}),
        obj(patternProperties={"^x-": INT}),
        {"x-a": 0.5},
    ),
    "patternProperties-added": (
        obj(additionalProperties=NUM),
        obj(additionalProperties=NUM, patternProperties={"^n": INT}),
        {"n": 0.5},
    ),
    "propertyNames-added": (
        obj(additionalProperties=STR),
        obj(additionalProperties=STR, propertyNames={"pattern": "^[a-z]+$"}),
        {"A": "x"},
    ),
    "propertyNames-shorter": (
        obj(additionalProperties=STR, propertyNames={"maxLength": 4}),
        obj(additionalProperties=STR, propertyNames={"maxLength": 2}),
        {"abc": "x"},
    ),
    "minProperties-added": (obj(additionalProperties=STR), obj(additionalProperties=STR, minProperties=1), {}),
    "minProperties-on-declared": (obj(properties=AB), obj(properties=AB, minProperties=1), {}),
    "maxProperties-added": (
        obj(properties=AB),
        obj(properties=AB, maxProperties=1),
        {"a": "x", "b": "y"},
    ),
    "dependentRequired-added": (
        obj(properties=AB),
        obj(properties=AB, dependentRequired={"a": ["b"]}),
        {"a": "x"},
    ),
    "dependentSchemas-added": (
        obj(properties=AB),
        obj(properties=AB, dependentSchemas={"a": {"required": ["b"]}}),
        {"a": "x"},
    ),
    "if-then-added": (
        obj(properties=AB),
        obj(properties=AB, **{"if": {"required": ["a"]}, "then": {"required": ["b"]}}),
        {"a": "x"},
    ),
    "if-then-stricter": (
        obj(properties={"k": STR, **AB}, **{"if": {"properties": {"k": {"const": "x"}}, "required": ["k"]}}),
        obj(
            properties={"k": STR, **AB},
            **{"if": {"properties": {"k": {"const": "x"}}, "required": ["k"]}, "then": {"required": ["a"]}},
        ),
        {"k": "x"},
    ),
    "anyOf-required-added": (
        obj(properties=AB),
        obj(properties=AB, anyOf=[{"required": ["a"]}, {"required": ["b"]}]),
        {},
    ),
    "anyOf-to-oneOf-required": (
        obj(properties=AB, anyOf=[{"required": ["a"]}, {"required": ["b"]}]),
        obj(properties=AB, oneOf=[{"required": ["a"]}, {"required": ["b"]}]),
        {"a": "x", "b": "y"},
    ),
    # combinators
    "allOf-branch-added": (s(allOf=[{"minLength": 1}]), s(allOf=[{"minLength": 1}, {"maxLength": 3}]), "abcd"),
    "allOf-branch-narrowed": (s(allOf=[{"maxLength": 4}]), s(allOf=[{"maxLength": 3}]), "abcd"),
    "allOf-pattern-added": (
        s(pattern="^a"),
        s(pattern="^a", allOf=[{"pattern": "z$"}]),
        "ab",
    ),
    "not-added": (STR, s(**{"not": {"const": "x"}}), "x"),
    "not-widened": (
        s(**{"not": {"enum": ["x"]}}),
        s(**{"not": {"enum": ["x", "y"]}}),
        "y",
    ),
    "not-of-type": ({}, {"not": NULL}, None),
    "anyOf-to-oneOf": ({"anyOf": [INT, n(minimum=0)]}, {"oneOf": [INT, n(minimum=0)]}, 1),
    "anyOf-branch-removed": (
        {"anyOf": [obj(properties={"a": STR}, required=["a"]), obj(properties={"b": STR}, required=["b"])]},
        obj(properties={"a": STR}, required=["a"]),
        {"b": "x"},
    ),
    "anyOf-branch-narrowed": (
        {"anyOf": [obj(properties={"a": NUM}, required=["a"]), NULL]},
        {"anyOf": [obj(properties={"a": INT}, required=["a"]), NULL]},
        {"a": 0.5},
    ),
    "tagged-branch-removed": (
        {
            "oneOf": [
                obj(properties={"k": {"const": "x"}}, required=["k"]),
                obj(properties={"k": {"const": "y"}}, required=["k"]),
            ]
        },
        {"oneOf": [obj(properties={"k": {"const": "x"}}, required=["k"])]},
        {"k": "y"},
    ),
    "tagged-branch-narrowed": (
        {
            "oneOf": [
                obj(properties={"k": {"const": "x"}, "v": NUM}, required=["k"]),
                obj(properties={"k": {"const": "y"}}, required=["k"]),
            ]
        },
        {
            "oneOf": [
                obj(properties={"k": {"const": "x"}, "v": INT}, required=["k"]),
                obj(properties={"k": {"const": "y"}}, required=["k"]),
            ]
        },
        {"k": "x", "v": 0.5},
    ),
}


def _in_property(schema: Any) -> Any:
    return obj(properties={"x": schema}, required=["x"])


def _in_items(schema: Any) -> Any:
    return obj(properties={"list": arr(items=schema)})


def _in_definition(schema: Any) -> Any:
    return {
        **obj(properties={"one": {"$ref": "#/$defs/D"}, "two": arr(items={"$ref": "#/$defs/D"})}),
        "$defs": {"D": schema},
    }


def _in_recursion(schema: Any) -> Any:
    tree = obj(properties={"value": schema, "children": arr(items={"$ref": "#/$defs/Tree"})})
    return {**obj(properties={"root": {"$ref": "#/$defs/Tree"}}), "$defs": {"Tree": tree}}


def _in_map(schema: Any) -> Any:
    return obj(properties={"map": obj(additionalProperties=schema)})


def _in_draft_7(schema: Any) -> Any:
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        **obj(properties={"x": {"$ref": "#/definitions/D"}}),
        "definitions": {"D": schema},
    }


PLACES: dict[str, Callable[[Any], Any]] = {
    "property": _in_property,
    "items": _in_items,
    "definition": _in_definition,
    "recursion": _in_recursion,
    "map": _in_map,
}
NEWER_THAN_DRAFT_7 = frozenset(
    {
        "prefixItems-added",
        "prefixItems-narrowed",
        "tuple-closed",
        "tuple-longer",
        "minContains-raised",
        "maxContains-added",
        "dependentRequired-added",
        "dependentSchemas-added",
    }
)


@pytest.mark.parametrize("row", ROWS)
def test_the_rows_are_what_they_say(row: str) -> None:
    loose, strict, instance = ROWS[row]
    jsonschema.Draft202012Validator(loose).validate(instance)
    assert not jsonschema.Draft202012Validator(strict).is_valid(instance)


def _verdicts(changes: list[Any]) -> set[Verdict]:
    return {change.verdict for change in changes}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("row", ROWS)
def test_one_edit_one_finding_with_the_right_verdict(comparer: Comparer, row: str, place: str) -> None:
    loose, strict, _ = ROWS[row]
    wrap = PLACES[place]
    loose, strict = wrap(loose), wrap(strict)
    expected = [
        (loose, strict, Side.INPUT, Verdict.BREAKING),
        (strict, loose, Side.INPUT, Verdict.COMPATIBLE),
        (loose, strict, Side.OUTPUT, Verdict.COMPATIBLE),
        (strict, loose, Side.OUTPUT, Verdict.BREAKING),
    ]
    for old, new, side, verdict in expected:
        changes = comparer.schemas(old, new, side)
        reported = [(change.kind, change.verdict, change.path, change.reason) for change in changes]
        assert [change.verdict for change in changes] == [verdict], (side, old, new, reported)
        if verdict is Verdict.BREAKING:
            _check_witness(changes[0], old, new, side)


def _check_witness(change: Change, old: Any, new: Any, side: Side) -> None:
    assert change.has_witness
    takes, refuses = (old, new) if side is Side.INPUT else (new, old)
    assert jsonschema.validators.validator_for(takes)(takes).is_valid(change.witness)
    assert not jsonschema.validators.validator_for(refuses)(refuses).is_valid(change.witness)


@pytest.mark.parametrize("row", sorted(ROWS.keys() - NEWER_THAN_DRAFT_7))
def test_the_same_in_draft_7(comparer: Comparer, row: str) -> None:
    loose, strict, _ = ROWS[row]
    loose, strict = _in_draft_7(loose), _in_draft_7(strict)
    assert _verdicts(comparer.schemas(loose, strict)) == {Verdict.BREAKING}
    assert _verdicts(comparer.schemas(strict, loose)) == {Verdict.COMPATIBLE}
    assert _verdicts(comparer.schemas(strict, loose, Side.OUTPUT)) == {Verdict.BREAKING}
    assert _verdicts(comparer.schemas(loose, strict, Side.OUTPUT)) == {Verdict.COMPATIBLE}


# pairs of which neither is the stricter one: breaking whichever way, on either side
APART: dict[str, tuple[Any, Any]] = {
    "string-to-integer": (STR, INT),
    "string-to-array": (STR, arr(items=STR)),
    "object-to-string": (obj(), STR),
    "enum-exchanged": (s(enum=["a", "b"]), s(enum=["a", "c"])),
    "const-exchanged": ({"const": "a"}, {"const": "b"}),
    "pattern-exchanged": (s(pattern="^[a-z]+$"), s(pattern="^[0-9]+$")),
    "multipleOf-exchanged": (i(multipleOf=2), i(multipleOf=3)),
    "items-exchanged": (arr(items=STR), arr(items=INT)),
    "prefixItems-exchanged": (arr(prefixItems=[STR, INT]), arr(prefixItems=[INT, STR])),
    "map-values-exchanged": (obj(additionalProperties=STR), obj(additionalProperties=INT)),
    "required-exchanged": (obj(properties=AB, required=["a"]), obj(properties=AB, required=["b"])),
    "null-exchanged": ({"type": ["string", "null"]}, {"type": ["string", "integer"]}),
    "not-exchanged": (s(**{"not": {"const": "x"}}), s(**{"not": {"const": "y"}})),
    "contains-exchanged": (arr(contains=INT), arr(contains=STR)),
    "dependent-exchanged": (
        obj(properties=AB, dependentRequired={"a": ["b"]}),
        obj(properties=AB, dependentRequired={"b": ["a"]}),
    ),
}


@pytest.mark.parametrize("place", ["property", "items", "definition", "recursion"])
@pytest.mark.parametrize("row", APART)
def test_what_is_apart_breaks_both_ways(comparer: Comparer, row: str, place: str) -> None:
    one, other = map(PLACES[place], APART[row])
    for side in (Side.INPUT, Side.OUTPUT):
        for old, new in ((one, other), (other, one)):
            changes = comparer.schemas(old, new, side)
            assert Verdict.BREAKING in _verdicts(changes), changes
            assert Verdict.UNKNOWN not in _verdicts(changes)
            for change in changes:
                if change.verdict is Verdict.BREAKING:
                    _check_witness(change, old, new, side)
