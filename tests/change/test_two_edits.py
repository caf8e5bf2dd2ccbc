"""Two edits on one node are two changes, each with a witness that shows that edit and no other."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from compatibility_page import surface_of
from documents import reported

from mcp_governor.change import Change, Side, Verdict, catalogue, compare, edit
from mcp_governor.change.reading import render
from mcp_governor.change.vocabulary import MISSING
from tests.change.conftest import Comparer

B, C = Verdict.BREAKING, Verdict.COMPATIBLE
NUM, INT, STR, NULL = ({"type": name} for name in ("number", "integer", "string", "null"))


def accepts(schema: Any, value: Any) -> bool:
    return jsonschema.Draft202012Validator(schema).is_valid(value)


def wrapped(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"x": schema}, "required": ["x"]}


# name → old, new, and for each kind the node as it would be with every edit but that one
NARROWED: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "number to integer above 0": (
        NUM,
        {"type": "integer", "exclusiveMinimum": 0},
        {"type-narrowed": {"type": "number", "exclusiveMinimum": 0}, "bound-tightened": INT},
    ),
    "number or null to integer above 0": (
        {"type": ["number", "null"]},
        {"type": "integer", "minimum": 1},
        {"type-narrowed": {"type": ["number", "null"], "minimum": 1}, "bound-tightened": INT},
    ),
    "null dropped as an alternative, pattern added": (
        {"anyOf": [STR, NULL]},
        {"type": "string", "pattern": "^[a-z]+$"},
        {"type-narrowed": {"anyOf": [{"type": "string", "pattern": "^[a-z]+$"}, NULL]}, "pattern-tightened": STR},
    ),
    "null dropped, values listed": (
        {"type": ["string", "null"]},
        {"type": "string", "enum": ["a", "b"]},
        {"type-narrowed": {"enum": ["a", "b", None]}, "enum-added": STR},
    ),
    "null dropped, a key required": (
        {"type": ["object", "null"], "properties": {"k": STR}},
        {"type": "object", "properties": {"k": STR}, "required": ["k"]},
        {
            "type-narrowed": {"type": ["object", "null"], "properties": {"k": STR}, "required": ["k"]},
            "argument-required": {"type": "object", "properties": {"k": STR}},
        },
    ),
    "a type stated, length added": (
        {},
        {"type": "string", "minLength": 2},
        {"type-narrowed": {"minLength": 2}, "length-tightened": STR},
    ),
    "length and pattern": (
        STR,
        {"type": "string", "minLength": 2, "pattern": "^[a-z]*$"},
        {"length-tightened": {"type": "string", "pattern": "^[a-z]*$"}, "pattern-tightened": {**STR, "minLength": 2}},
    ),
    "two lengths": (
        STR,
        {"type": "string", "minLength": 2, "maxLength": 4},
        {},
    ),
}


@pytest.mark.parametrize("name", NARROWED)
def test_each_edit_of_an_input_is_a_break_with_its_own_witness(comparer: Comparer, name: str) -> None:
    old, new, undone = NARROWED[name]
    changes = comparer.schemas(wrapped(old), wrapped(new))
    assert {change.verdict for change in changes} == {B}
    if undone:
        assert sorted(change.kind for change in changes) == sorted(undone)
    for change in changes:
        value = change.witness["x"]
        assert change.has_witness
        assert accepts(old, value), change
        assert not accepts(new, value), change
        if undone:
            assert accepts(undone[change.kind], value), change


@pytest.mark.parametrize("name", NARROWED)
def test_each_edit_of_an_output_is_a_break_with_its_own_witness(comparer: Comparer, name: str) -> None:
    """The same pair the other way round: what was narrowed is widened."""
    new, old, undone = NARROWED[name]
    changes = comparer.schemas(wrapped(old), wrapped(new), Side.OUTPUT)
    assert {change.verdict for change in changes} == {B}
    assert len(changes) == 2
    witnesses = [change.witness["x"] for change in changes]
    for value in witnesses:
        assert accepts(new, value)
        assert not accepts(old, value)
    if undone:  # each value is possible by one edit alone, and not by the other
        alone = list(undone.values())
        assert sorted([accepts(schema, value) for schema in alone] for value in witnesses) == [
            [False, True],
            [True, False],
        ]


def test_a_witness_of_each_repro_edit(comparer: Comparer) -> None:
    new = {"type": "integer", "exclusiveMinimum": 0, "maximum": 2**53 - 1}
    changes = {change.kind: change for change in comparer.schemas(wrapped(NUM), wrapped(new))}
    assert changes["type-narrowed"].witness["x"] > 0
    assert changes["type-narrowed"].witness["x"] % 1
    assert changes["bound-tightened"].witness["x"] in range(-1000, 1)
    assert changes["bound-tightened"].path == "/inputSchema/properties/x/exclusiveMinimum"
    # the bound as it is written, not as integers read it
    assert (changes["bound-tightened"].has_old, changes["bound-tightened"].new) == (False, 0)
    assert changes["bound-tightened"].message == "exclusiveMinimum of `x` is new: 0"


MIXED = {
    "wider type, tighter bound": (
        {"type": "integer", "maximum": 9},
        {"type": "number", "maximum": 5},
        {("type-widened", C), ("bound-tightened", B)},
    ),
    "integers above a fraction": (
        {"type": "integer", "exclusiveMinimum": 0.5},
        {"type": "integer", "minimum": 2},
        {("bound-tightened", B)},
    ),
    "the tighter of two bounds": (
        {"type": "number", "minimum": 1, "exclusiveMinimum": 0},
        {"type": "number", "minimum": 2, "exclusiveMinimum": 0},
        {("bound-tightened", B)},
    ),
    "narrower type, a format": (
        NUM,
        {"type": "integer", "format": "int32"},
        {("type-narrowed", B), ("format-added", C)},
    ),
    "null added, length tightened": (
        {"type": "string", "maxLength": 9},
        {"type": ["string", "null"], "maxLength": 5},
        {("type-widened", C), ("length-tightened", B)},
    ),
    "a bound that reads the same for integers": (
        {"type": "number", "exclusiveMinimum": 0},
        {"type": "integer", "minimum": 1},
        {("type-narrowed", B)},
    ),
    "listed integers of a number": (NUM, {"enum": [1, 2]}, {("enum-added", B)}),
    "an object in place of anything": (
        {},
        {"type": "object", "properties": {"k": STR}, "required": ["k"]},
        {("type-narrowed", B)},
    ),
}


@pytest.mark.parametrize("name", MIXED)
def test_a_type_hides_no_other_edit_and_invents_none(comparer: Comparer, name: str) -> None:
    old, new, expected = MIXED[name]
    changes = comparer.schemas(wrapped(old), wrapped(new))
    assert {(change.kind, change.verdict) for change in changes} == expected
    for change in changes:
        if change.verdict is B:
            assert accepts(old, change.witness["x"])
            assert not accepts(new, change.witness["x"])


def default(comparer: Comparer, old: Any, new: Any) -> Change:
    before, after = (
        {"type": ["integer", "null"], **({} if value is MISSING else {"default": value})} for value in (old, new)
    )
    [change] = comparer.schemas(wrapped(before), wrapped(after))
    return change


def test_null_is_a_value_and_nothing_is_none(comparer: Comparer) -> None:
    changed = default(comparer, 5, None)
    assert (changed.kind, changed.verdict) == ("default-changed", B)
    assert changed.message == "default of `x` changed from 5 to null"
    assert (changed.has_old, changed.old, changed.has_new, changed.new) == (True, 5, True, None)
    assert reported(changed)["old"] == 5
    assert reported(changed)["new"] is None
    back = default(comparer, None, 5)
    assert (back.kind, back.message) == ("default-changed", "default of `x` changed from null to 5")
    gone = default(comparer, 5, MISSING)
    assert (gone.kind, gone.message) == ("default-removed", "default of `x` is gone, was 5")
    assert (gone.has_old, gone.has_new) == (True, False)
    assert "new" not in reported(gone)
    come = default(comparer, MISSING, 5)
    assert (come.kind, come.message) == ("default-added", "default of `x` is new: 5")
    assert "old" not in reported(come)


QUIET = ["schema-description-changed", "choice-labels-changed", "title-changed", "meta-changed", "schema-rewritten"]
SHOWN = ["argument-descriptions-lost", "input-closed", "default-added", "category-changed", "deprecation-changed"]


@pytest.mark.parametrize("name", [*QUIET, *SHOWN])
def test_only_words_and_spelling_are_wording(name: str) -> None:
    """A contract change that asks for a patch is not folded away with the words."""
    kind = catalogue()[name]
    assert kind.example is not None
    [change] = compare(surface_of(kind, kind.example.old), surface_of(kind, kind.example.new))
    assert change.kind == name
    assert change.wording is (name in QUIET)
    assert reported(change)["wording"] is (name in QUIET)


def test_each_reading_of_a_document_is_written_once(comparer: Comparer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every edit is asked about in the whole documents; writing them for each would be quadratic."""
    written: list[tuple[Any, ...]] = []

    def counted(node: Any, *how: Any, replaced: Any = None, arguments: bool = False, **more: Any) -> Any:
        if not node.pointer and not replaced:
            written.append((id(node), *how, arguments))
        return render(node, *how, replaced=replaced, arguments=arguments, **more)

    monkeypatch.setattr(edit, "render", counted)
    old = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(6)}}
    new = {"type": "object", "properties": {f"p{n}": {"type": "string", "maxLength": n} for n in range(6)}}
    assert [change.kind for change in comparer.schemas(old, new)] == ["length-tightened"] * 6
    assert written
    assert len(written) == len(set(written))
