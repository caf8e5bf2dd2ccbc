"""Contract fingerprints differ ⇔ a change of the contract is reported, whatever a part of the comparison does not know.

``tests/fuzzing/test_laws.py`` holds the same on surfaces that nobody chose.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from mcp_governor.change import Change, ChangeOptions, Level, Side, Verdict, catalogue, compare
from mcp_governor.change.budget import Budget
from mcp_governor.change.edit import Questions
from mcp_governor.change.graph import parse
from mcp_governor.containment import Containment
from mcp_governor.surface import Surface, build_surface, fingerprint
from tests.change.conftest import Comparer

STR, INT = {"type": "string"}, {"type": "integer"}


def surface(**tool: Any) -> Surface:
    return build_surface({"tools": [{"name": "t", "inputSchema": {"type": "object"}, **tool}]})


def of_contract(changes: list[Change]) -> list[Change]:
    return [change for change in changes if change.tool is not None and catalogue()[change.kind].contract]


def hold(old: Surface, new: Surface, level: Level = Level.DECLARED, deadline: float = 0.01) -> list[Change]:
    changes = compare(old, new, level=level, options=ChangeOptions(deadline=deadline))
    assert bool(of_contract(changes)) == (fingerprint(old) != fingerprint(new)), changes
    return changes


@pytest.mark.parametrize("count", [3, 10, 11, 50])
@pytest.mark.parametrize("side", list(Side)[:2], ids=str)
def test_one_of_many_patterns_is_never_passed_over(count: int, side: Side) -> None:
    """A limit of containment shows as *undecided* or is none; it is never "no changes"."""
    old: dict[str, Any] = {
        "type": "object",
        "patternProperties": {f"^p{number}_": INT for number in range(count)},
        "additionalProperties": False,
    }
    new = copy.deepcopy(old)
    new["patternProperties"]["^p1_"] = STR
    key = "inputSchema" if side is Side.INPUT else "outputSchema"
    changes = hold(surface(**{key: old}), surface(**{key: new}), deadline=1.0)
    assert Verdict.COMPATIBLE not in {change.verdict for change in changes}


UNKNOWN = Containment("unknown", reason="there are too many patterns")


@pytest.mark.parametrize("side", list(Side)[:2], ids=str)
def test_where_containment_knows_nothing_an_edit_is_undecided(
    monkeypatch: pytest.MonkeyPatch, comparer: Comparer, side: Side
) -> None:
    monkeypatch.setattr("mcp_governor.change.edit.contains", lambda *_, **__: UNKNOWN)
    old, new = ({"type": "object", "properties": {"x": {"type": "string", "maxLength": most}}} for most in (9, 5))
    for one, other in ((old, new), (new, old)):
        [change] = comparer.schemas(one, other, side)
        assert (change.verdict, change.reason) == (Verdict.UNKNOWN, UNKNOWN.reason)
        assert change.path.endswith("/properties/x/maxLength")


PLACES = [
    {},
    *({"type": name} for name in ("integer", "number", "string", "array", "object")),
    *({"const": value} for value in (None, 0, "a", [], {})),
    *({"enum": values} for values in ([True, False], [None, 1], ["a", "b"])),
    {"type": ["string", "null"]},
    {"minimum": 1},
    {"maxLength": 3},
    {"not": {"type": "null"}},
    {"anyOf": [{"const": None}, {"type": "string", "minLength": 1}]},
]
"""Schemas of which no two accept the same values."""


@pytest.mark.parametrize("old", PLACES, ids=str)
def test_no_two_of_these_are_ever_taken_for_the_same(
    monkeypatch: pytest.MonkeyPatch, comparer: Comparer, old: dict[str, Any]
) -> None:
    """The walk alone finds where they differ, if containment knows only that a schema covers itself."""
    monkeypatch.setattr(
        "mcp_governor.change.edit.contains",
        lambda outer, inner, **_: Containment("yes") if outer == inner else UNKNOWN,
    )
    for new in PLACES:
        if new != old:
            one, other = ({"type": "object", "properties": {"x": {"prefixItems": [place]}}} for place in (old, new))
            changes = comparer.schemas(one, other)
            assert Verdict.UNKNOWN in {change.verdict for change in changes}, new


# A property that moved: its own edit is none, but only the whole can say that what declares it now says the same.
MOVED = (
    {"type": "object", "properties": {"a": STR, "b": STR}},
    {"type": "object", "properties": {"a": STR}, "allOf": [{"properties": {"b": INT}}, {"minProperties": 1}]},
)


@pytest.mark.parametrize("side", list(Side)[:2], ids=str)
def test_what_the_walk_did_not_follow_is_not_taken_for_equal(
    monkeypatch: pytest.MonkeyPatch, comparer: Comparer, side: Side
) -> None:
    monkeypatch.setattr("mcp_governor.change.edit.contains", lambda *_, **__: UNKNOWN)
    for old, new in (MOVED, MOVED[::-1]):
        changes = comparer.schemas(old, new, side)
        assert Verdict.UNKNOWN in {change.verdict for change in changes}


def test_a_comparison_that_misses_something_says_so(monkeypatch: pytest.MonkeyPatch, comparer: Comparer) -> None:
    """Whatever goes wrong in a part of the comparison, the digests see it."""
    monkeypatch.setattr("mcp_governor.change.tools._hints", lambda *_: ())
    [change] = comparer.tools({}, {"annotations": {"readOnlyHint": True}})
    assert (change.kind, change.tool, change.path) == ("contract-undecided", "t", "/annotations")
    assert (change.verdict, change.reason) == (Verdict.UNKNOWN, "this comparison cannot name the change")
    monkeypatch.setattr("mcp_governor.change.tools._schemas", lambda *_: ())
    schema = {"type": "object", "properties": {"a": STR}}
    changes = comparer.tools({}, {"annotations": {"readOnlyHint": True}, "outputSchema": schema, "inputSchema": schema})
    assert [(change.side, change.path) for change in changes] == [
        (Side.SURFACE, "/annotations"),
        (Side.INPUT, "/inputSchema"),
        (Side.OUTPUT, "/outputSchema"),
    ]
    assert {change.kind for change in changes} == {"contract-undecided"}


EXAMPLES = [kind for kind in catalogue().values() if kind.example and kind.example.at in ("tool", "value", "schema")]


@pytest.mark.parametrize("kind", EXAMPLES, ids=lambda kind: kind.name)
def test_a_kind_is_of_the_contract_if_its_example_moves_the_fingerprint(kind: Any) -> None:
    def made(fragment: Any) -> Surface:
        if kind.example.at == "tool":
            return surface(**fragment)
        key = "outputSchema" if kind.side is Side.OUTPUT else "inputSchema"
        whole = {"type": "object", "properties": {"x": fragment}}
        return surface(**{key: fragment if kind.example.at == "schema" else whole})

    assert (fingerprint(made(kind.example.old)) != fingerprint(made(kind.example.new))) is kind.contract


YES, NO = Containment("yes"), Containment("no")
HELD = {"if": {"required": ["a"]}, "then": {"minProperties": 1}}
"""Keywords that keep a schema from being merged with the one that holds it."""


def of_whole(monkeypatch: pytest.MonkeyPatch, forward: Containment, backward: Containment) -> None:
    """Let containment say this of the documents as wholes, and nothing of their equality as sets."""
    monkeypatch.setattr("mcp_governor.change.edit.Questions.whole", lambda _: (forward, backward))
    monkeypatch.setattr("mcp_governor.change.edit.Questions.equal", lambda _: None)


def test_a_key_that_another_schema_declares_now_is_not_taken_for_kept(
    monkeypatch: pytest.MonkeyPatch, comparer: Comparer
) -> None:
    """The walk sees no edit: what declares ``b`` now was there before, and asks nothing of it."""
    next_to = {"allOf": [{"properties": {"b": True}, **HELD}]}
    old = {"type": "object", "properties": {"a": STR, "b": STR}, **next_to}
    new = {"type": "object", "properties": {"a": STR}, **next_to}
    [change] = comparer.schemas(old, new)
    assert (change.kind, change.verdict) == ("schema-loosened", Verdict.COMPATIBLE)
    of_whole(monkeypatch, UNKNOWN, UNKNOWN)
    for one, other in ((old, new), (new, old)):
        [change] = comparer.schemas(one, other)
        assert (change.kind, change.verdict, change.reason) == ("schema-changed", Verdict.UNKNOWN, UNKNOWN.reason)


def quiet_edit(place: Any) -> tuple[Any, Any]:
    """Two schemas with a bound that says nothing beside a list, at a place of one's choice."""
    return place({"type": "integer", "maximum": 9, "enum": [1, 2]}), place(
        {"type": "integer", "maximum": 8, "enum": [1, 2]}
    )


def test_an_edit_that_changes_nothing_in_place_proves_nothing_below_a_condition(
    monkeypatch: pytest.MonkeyPatch, comparer: Comparer
) -> None:
    def plainly(value: Any) -> Any:
        return {"type": "object", "properties": {"x": value}}

    def conditionally(value: Any) -> Any:
        return {"type": "object", "properties": {"x": True, "a": STR}, "allOf": [{"properties": {"x": value}, **HELD}]}

    def exclusively(value: Any) -> Any:
        one, other = ({"type": "object", "properties": {name: part}} for name, part in (("v", value), ("w", STR)))
        return {"type": "object", "properties": {"x": {"oneOf": [one, other]}}}

    of_whole(monkeypatch, UNKNOWN, UNKNOWN)
    [change] = comparer.schemas(*quiet_edit(plainly))
    assert change.kind == "schema-rewritten"
    for place in conditionally, exclusively:
        [change] = comparer.schemas(*quiet_edit(place))
        assert (change.kind, change.verdict) == ("schema-changed", Verdict.UNKNOWN)


@pytest.mark.parametrize("side", list(Side)[:2], ids=str)
def test_documents_that_are_too_large_to_search_have_the_witness_of_the_place(
    monkeypatch: pytest.MonkeyPatch, comparer: Comparer, side: Side
) -> None:
    of_whole(monkeypatch, UNKNOWN, UNKNOWN)
    monkeypatch.setattr(Questions, "alone", lambda *_, **__: None)

    def schema(most: int) -> dict[str, Any]:
        inner = {"type": "object", "properties": {"x": {"type": "string", "maxLength": most}}, "required": ["x"]}
        return {"type": "object", "properties": {"a": {"type": "array", "items": inner}, "b": STR}, "required": ["b"]}

    [change] = comparer.schemas(*map(schema, (9, 5) if side is Side.INPUT else (5, 9)), side)
    assert change.verdict is Verdict.BREAKING
    assert change.witness.keys() == {"a", "b"}
    assert 5 < len(change.witness["a"][0]["x"]) <= 9


def test_documents_are_equal_where_neither_accepts_more() -> None:
    def equal(one: Any, other: Any) -> bool:
        budget = Budget.of_run(ChangeOptions())
        documents = parse(one), parse(other)
        return Questions(*documents, Side.INPUT, Level.DECLARED, deadline=1.0, budget=budget).equal()

    # arguments that callers pass as declared are valid either way; others are not
    more, fewer = ({"type": "object", "properties": {"a": STR}, **rest} for rest in ({}, {"maxProperties": 1}))
    assert not equal(more, fewer)
    assert not equal(fewer, more)
    assert equal(more, {**more, "minProperties": 0})


@pytest.mark.parametrize("order", [("p", "q"), ("q", "p")])
def test_of_two_verdicts_on_one_edit_the_graver_counts(comparer: Comparer, order: tuple[str, str]) -> None:
    """Two schemas become one: a key that is new to both breaks the one that was a map."""
    old_of = {"p": "#/$defs/Map", "q": "#/$defs/Record"}
    old = {
        "type": "object",
        "properties": {name: {"$ref": old_of[name]} for name in order},
        "$defs": {"Map": {"type": "object"}, "Record": {"type": "object", "properties": {"z": STR}}},
    }
    new = {
        "type": "object",
        "properties": {name: {"$ref": "#/$defs/Both"} for name in order},
        "$defs": {"Both": {"type": "object", "properties": {"z": STR, "k": INT}}},
    }
    changes = [change for change in comparer.schemas(old, new) if change.path == "/inputSchema/$defs/Both/properties/k"]
    assert [(change.kind, change.verdict) for change in changes] == [("undeclared-key-restricted", Verdict.BREAKING)]
