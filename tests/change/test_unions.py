"""A flat object and a union of objects say the same things about the same calls, and are compared as such."""

from __future__ import annotations

import re
from typing import Any

import jsonschema
import pytest

from mcp_governor.change import Change, Side, Verdict
from mcp_governor.change.graph import parse
from mcp_governor.change.names import known_fields
from tests.change.conftest import Comparer, meaningful

STR, INT, NUM = {"type": "string"}, {"type": "integer"}, {"type": "number"}
B, C = "breaking", "compatible"


def obj(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {}), **more}


def union(*branches: Any, key: str = "oneOf", **more: Any) -> dict[str, Any]:
    return {"type": "object", key: list(branches), **more}


def case(action: str, *required: str, **properties: Any) -> dict[str, Any]:
    return obj({"action": {"const": action}, **properties}, "action", *required)


ACTIONS = {"action": {"enum": ["create", "delete"]}}
FLAT = obj({**ACTIONS, "name": STR, "parent": STR, "id": STR}, "action")
CASES = union(case("create", "name", name=STR, parent=STR), case("delete", "id", id=STR))
MIXED = obj(
    ACTIONS,
    "action",
    oneOf=[
        {"properties": {"action": {"const": "create"}, "name": STR, "parent": STR}, "required": ["name"]},
        {"properties": {"action": {"const": "delete"}, "id": STR}, "required": ["id"]},
    ],
)
CONDITIONS = {
    **FLAT,
    "allOf": [
        {"if": {"properties": {"action": {"const": action}}}, "then": {"required": [name]}}
        for action, name in (("create", "name"), ("delete", "id"))
    ],
}
EITHER = obj({"id": STR, "url": STR}, anyOf=[{"required": ["id"]}, {"required": ["url"]}])
BRANCHES = union(obj({"id": STR}, "id"), obj({"url": STR}, "url"), key="anyOf")
CLOSED = {"additionalProperties": False}
NARROWER = ("type-narrowed", "the alternatives changed", B)
WIDER = ("type-widened", "the alternatives changed", C)


def gone(*names: str) -> list[tuple[str, str, str]]:
    return [("argument-removed", f"parameter `{name}` is gone", B) for name in names]


PAIRS: dict[str, tuple[Any, Any, list[tuple[str, str, str]]]] = {
    "flat to branches": (EITHER, BRANCHES, [WIDER]),
    # {"id": "", "url": null} was valid
    "branches to flat": (BRANCHES, EITHER, [NARROWER]),
    # the same declared calls; {"action": "create", "name": "", "id": 5} is valid in one of them only
    "conditions to cases": (CONDITIONS, CASES, [("schema-changed", "the schema changed", C)]),
    "cases to conditions": (CASES, CONDITIONS, [("schema-changed", "the schema changed", C)]),
    "flat to cases": (FLAT, CASES, [NARROWER]),
    "cases to flat": (CASES, FLAT, [WIDER]),
    "common keys moved out": (CASES, MIXED, []),
    "common keys moved in": (MIXED, CASES, []),
    "cases to nothing": (CASES, {"type": "object"}, gone("action", "id", "name", "parent")),
    "an action less": (
        obj({**FLAT["properties"], "action": {"enum": ["create", "delete", "update"]}}, "action"),
        CASES,
        [("enum-value-removed", '`action` no longer accepts "update"', B), NARROWER],
    ),
    "an action more": (
        CASES,
        obj({**FLAT["properties"], "action": {"enum": ["create", "delete", "update"]}}, "action"),
        [("enum-value-added", '`action` also accepts "update"', C), WIDER],
    ),
    "a tighter value": (
        obj({**ACTIONS, "name": STR, "id": STR}, "action"),
        union(case("create", name={"type": "string", "minLength": 3}), case("delete", id=STR)),
        [("length-tightened", "minLength of `name` is new: 3", B)],
    ),
    "a new key": (
        obj({**ACTIONS, "id": STR}, "action"),
        union(case("create", name=STR), case("delete", id=STR)),
        [("argument-added", "optional parameter `name` is new", C)],
    ),
    "one case in two": (
        union(obj({"k": {"enum": ["a", "b"]}, "v": STR}, "k"), obj({"k": {"const": "c"}}, "k")),
        union(*(obj({"k": {"const": k}, **v}, "k") for k, v in (("a", {"v": STR}), ("b", {"v": STR}), ("c", {})))),
        [],
    ),
    "a key moved to another case": (
        union(case("create", name=STR, parent=STR), case("delete", id=STR)),
        union(case("create", name=STR), case("delete", id=STR, parent=STR)),
        [
            ("branch-argument-added", 'parameter `parent` is now declared where `action` is "delete" as well', C),
            ("branch-argument-removed", 'parameter `parent` is no longer declared where `action` is "create"', B),
        ],
    ),
    "a key moved between alternatives that may hold together": (
        union(obj({"id": STR, "n": True}, "id"), obj({"url": STR}, "url"), key="anyOf"),
        union(obj({"id": STR}, "id"), obj({"url": STR, "n": True}, "url"), key="anyOf"),
        [],
    ),
    "a union beside keys that loses it": (
        obj({"a": STR}, anyOf=[{"properties": {"b": STR}}, {"properties": {"c": STR}}]),
        obj({"a": STR}),
        gone("b", "c"),
    ),
    "a key moved out of an alternative": (
        obj({"n": INT}, anyOf=[obj({"a": STR, "x": STR}, "a"), obj({"b": STR}, "b")]),
        obj({"n": INT, "x": STR}, anyOf=[obj({"a": STR}, "a"), obj({"b": STR}, "b")]),
        # {"b": "", "x": null} was valid
        [("schema-tightened", "the schema changed", B)],
    ),
    "an action less, and nothing else": (
        obj({"action": {"enum": ["create", "delete", "update"]}, "name": STR, "id": STR}, "action"),
        union(case("create", name=STR), case("delete", id=STR)),
        [("enum-value-removed", '`action` no longer accepts "update"', B)],
    ),
    "values that differ between alternatives": (
        union(case("create", n={**NUM, "maximum": 5}), case("delete", n={**NUM, "minimum": 1})),
        obj({**ACTIONS, "n": INT}, "action"),
        [("type-narrowed", "the type of `n` changed from number to integer", B), WIDER],
    ),
    "the widest of them": (
        obj({**ACTIONS, "n": {**INT, "default": 3}}, "action"),
        union(*(case(name, n={**INT, "maximum": most, "default": 3}) for name, most in (("create", 5), ("delete", 9)))),
        [NARROWER, ("bound-tightened", "maximum of `n` is new: 9", B)],
    ),
    "an alternative that keeps its tag, and a new one": (
        obj({"kind": {"enum": ["image", "audio", "blob"]}, "data": STR}, "kind", "data"),
        union(
            obj({"kind": {"enum": ["image", "audio"]}, "data": STR}, "kind", "data"),
            obj({"kind": {"const": "file"}}, "kind"),
        ),
        [("enum-value-removed", '`kind` no longer accepts "blob"', B), WIDER],
    ),
}
PLACES: dict[str, Any] = {
    "root": lambda schema: schema,
    "nested": lambda schema: obj({"q": schema}, "q"),
    "items": lambda schema: obj({"q": {"type": "array", "items": schema}}),
    "reference": lambda schema: {**obj({"x": {"$ref": "#/$defs/q"}}), "$defs": {"q": schema}},
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", PAIRS)
def test_one_object_and_several(comparer: Comparer, name: str, place: str) -> None:
    old, new, expected = PAIRS[name]
    changes = meaningful(comparer.schemas(*map(PLACES[place], (old, new))))
    told = [
        (change.kind, re.sub(" of (an item of )?`q` changed", " changed", change.message), str(change.verdict))
        for change in changes
    ]
    assert sorted(told) == sorted(expected)
    for change in changes:
        assert change.has_witness == (change.verdict is Verdict.BREAKING and "removed" not in change.kind) or (
            change.kind == "enum-value-removed"
        )


def test_results_too(comparer: Comparer) -> None:
    status = {"status": {"enum": ["done", "failed"]}}
    old = obj({**status, "result": STR, "error": STR}, "status")
    new = union(
        obj({"status": {"const": "done"}, "result": STR}, "status", "result"),
        obj({"status": {"const": "failed"}, "error": STR}, "status", "error"),
    )
    [change] = comparer.schemas(old, new, Side.OUTPUT)
    assert (change.kind, change.verdict) == ("output-type-narrowed", Verdict.COMPATIBLE)
    [change] = comparer.schemas(new, old, Side.OUTPUT)
    assert (change.kind, change.verdict) == ("output-type-widened", Verdict.BREAKING)
    assert change.witness in ({"status": "done"}, {"status": "failed"})
    more = union(*(obj({**part["properties"], "n": INT}, *part["required"]) for part in new["oneOf"]))
    assert {change.kind for change in comparer.schemas(new, more, Side.OUTPUT)} == {"output-field-added"}


@pytest.mark.parametrize("name", ["flat to cases", "values that differ between alternatives"])
def test_an_edit_beside_a_union_keeps_its_own_witness(comparer: Comparer, name: str) -> None:
    old, new = (
        obj({"q": part, "n": {"type": "integer", "maximum": most}})
        for part, most in zip(PAIRS[name][:2], (9, 5), strict=True)
    )
    broken = {c.kind: c for c in comparer.schemas(old, new) if c.verdict is Verdict.BREAKING}
    assert broken.keys() == {"type-narrowed", "bound-tightened"}
    assert broken["bound-tightened"].witness.keys() == {"n"}
    assert broken["type-narrowed"].witness.keys() == {"q"}


def test_a_value_that_is_gone_does_not_show_what_the_union_refuses(comparer: Comparer) -> None:
    changes = {change.kind: change for change in comparer.schemas(*PAIRS["an action less"][:2])}
    assert changes["type-narrowed"].witness == {"action": "create"}
    assert changes["enum-value-removed"].witness["action"] == "update"


def test_readers_who_tolerate_more_do_not_make_two_schemas_the_same(comparer: Comparer) -> None:
    """A reader reads a closed alternative as an open one, so the two say the same to it; {"k": "y"} is a result now."""
    parts = case("y", n=STR) | CLOSED, {"properties": {"n": STR}}
    old, new = ({"type": "object", "properties": {"q": union(*parts, key=key)}} for key in ("oneOf", "anyOf"))
    for before, after in ((old, new), (new, old)):
        [change] = comparer.schemas(before, after, Side.OUTPUT)
        assert (change.kind, change.verdict) == ("output-schema-changed", Verdict.COMPATIBLE)


def test_an_edit_is_not_blamed_for_what_both_documents_do(comparer: Comparer) -> None:
    """That the second alternative needs ``c`` frees {"k": "y"}, which was possible before; another tag was not."""
    one = obj({"k": {"const": "y"}})
    old = {"oneOf": [one, obj({"k": {"const": "z"}, "c": INT}, "k")]}
    new = {"oneOf": [one, obj({"c": INT}, "k", "c")]}
    old, new = ({"type": "object", "properties": {"q": schema}} for schema in (old, new))
    broken, sound = comparer.schemas(old, new, Side.OUTPUT)
    assert (broken.kind, broken.verdict) == ("output-schema-changed", Verdict.BREAKING)
    validators = (jsonschema.Draft202012Validator(schema) for schema in (old, new))
    assert [validator.is_valid(broken.witness) for validator in validators] == [False, True]
    assert (sound.kind, sound.verdict) == ("output-field-guaranteed", Verdict.COMPATIBLE)


def test_what_one_alternative_refuses_another_one_may_accept(comparer: Comparer) -> None:
    """The pairs of alternatives swap a bound, at a place where the walk does not ask for the union as a whole."""

    def schema(first: int, second: int, most: int) -> dict[str, Any]:
        parts = [obj({name: True, "v": {**STR, "maxLength": length}}) for name, length in (("a", first), ("b", second))]
        condition = {"if": {"required": ["x"]}, "then": {"minProperties": 1}}
        return obj(
            {"n": {**INT, "maximum": most}}, allOf=[{"properties": {"q": union(*parts, key="anyOf")}, **condition}]
        )

    changes = comparer.schemas(schema(5, 9, 9), schema(9, 5, 5))
    [broken] = [change for change in changes if change.verdict is not Verdict.COMPATIBLE]
    assert (broken.kind, broken.path) == ("bound-tightened", "/inputSchema/properties/n/maximum")


def closed(**properties: Any) -> dict[str, Any]:
    return obj(properties, **CLOSED)


def breaks(changes: list[Change]) -> bool:
    return any(change.verdict is not Verdict.COMPATIBLE for change in changes)


@pytest.mark.parametrize("key", ["anyOf", "oneOf"])
@pytest.mark.parametrize("nested", [False, True])
def test_a_field_that_another_closed_result_leaves_out_is_no_unknown_one(
    comparer: Comparer, key: str, nested: bool
) -> None:
    """Readers skip keys that they do not know, and `error` is one that they read."""

    def result(error: dict[str, Any], *more: dict[str, Any]) -> dict[str, Any]:
        results = union(closed(ok=STR), closed(error=error), *more, key=key)
        return obj({"r": results}) if nested else results

    [change] = comparer.schemas(result(STR), result(INT), Side.OUTPUT)
    assert (change.kind, change.verdict) == ("output-type-changed", Verdict.BREAKING)
    # a third result, with a field that no reader knows
    assert not breaks(comparer.schemas(result(STR), result(STR, closed(note=INT)), Side.OUTPUT))
    # both at once, each as it was declared
    assert not breaks(comparer.schemas(result(STR), result(STR, closed(ok=STR, error=STR)), Side.OUTPUT))


KNOWN = {
    "nothing tells them apart": ([closed(ok=STR), closed(error=STR)], {"ok", "error"}),
    "one requires what the other lacks": ([obj({"ok": STR}, "ok", **CLOSED), closed(error=STR)], {"ok"}),
    "a tag tells them apart": ([case("a", ok=STR) | CLOSED, case("b", error=STR) | CLOSED], set()),
    "an open one takes any error": ([obj({"ok": STR}), closed(error=STR), closed(note=STR)], {"ok"}),
    "one declares it by a pattern": ([closed(ok=STR), obj({}, patternProperties={"^err": STR}, **CLOSED)], set()),
    "one cannot be read": ([closed(ok=STR), closed(error=STR), {"$ref": "https://example.com/a.json"}], set()),
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_field_is_known_if_a_result_that_leaves_it_out_could_be_taken_for_one_that_has_it(name: str) -> None:
    branches, expected = KNOWN[name]
    nodes = parse({"anyOf": branches}).root.keywords["anyOf"]
    assert known_fields(nodes, lambda _: None).keys() == expected


def test_results_that_a_tag_tells_apart_cost_no_more_than_they_are_many() -> None:
    many = [obj({"kind": {"const": number}, f"f{number}": STR}, "kind", **CLOSED) for number in range(500)]
    work: list[int] = []
    known_fields(parse({"anyOf": many}).root.keywords["anyOf"], work.append)
    assert sum(work) < 10 * len(many)
