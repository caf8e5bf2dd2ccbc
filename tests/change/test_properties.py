"""Laws of the comparison, on schemas and edits that hypothesis makes up.

The judge here is not containment: instances are made along with the schema, by hand, and asked of a validator.
"""

from __future__ import annotations

import copy
import json
from typing import Any

import jsonschema
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_governor.change import Change, ChangeOptions, Level, Side, Verdict, compare
from mcp_governor.change.graph import parse
from mcp_governor.change.names import declares
from mcp_governor.change.reading import Reading, render
from mcp_governor.containment import contains
from mcp_governor.surface import build_surface
from tests.change.conftest import meaningful

FAST = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
NAMES = ("a", "b", "kind", "items", "description")

scalars = st.sampled_from(
    [
        ({"type": "string"}, ["", "x", "long text"]),
        ({"type": "string", "enum": ["x", "y"]}, ["x", "y"]),
        ({"type": "string", "pattern": "^[a-z]+$"}, ["x", "abc"]),
        ({"type": "string", "maxLength": 3}, ["", "abc"]),
        ({"type": "integer"}, [-1, 0, 7]),
        ({"type": "integer", "minimum": 0, "maximum": 9}, [0, 9]),
        ({"type": "number"}, [0.5, 2]),
        ({"type": "boolean"}, [True, False]),
        ({"type": ["string", "null"]}, ["x", None]),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, [1, None]),
        ({"const": "only"}, ["only"]),
        ({}, [None, 1, "x"]),
    ]
)


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> Any:
    """An object schema, and instances that pass declared keys only."""
    chosen = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    members = {name: draw(inner) for name in chosen}
    required = [name for name in chosen if draw(st.booleans())]
    schema: dict[str, Any] = {"type": "object", "properties": {name: part for name, (part, _) in members.items()}}
    if required:
        schema["required"] = required
    openness = draw(st.sampled_from([None, None, True, False]))
    if openness is not None:
        schema["additionalProperties"] = openness
    least = {name: members[name][1][0] for name in required}
    instances = [least]
    for name, (_, values) in members.items():
        instances.extend({**least, name: value} for value in values[:3])
    return schema, instances


@st.composite
def arrays(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> Any:
    part, values = draw(inner)
    schema = {"type": "array", "items": part}
    if draw(st.booleans()):
        schema["maxItems"] = 2
    return schema, [[], [values[0]], [values[-1], values[0]]]


@st.composite
def maps(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> Any:
    part, values = draw(inner)
    return {"type": "object", "additionalProperties": part}, [{}, {"k": values[0]}, {"k": values[-1]}]


@st.composite
def tagged(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> Any:
    """A union of two objects told apart by a constant."""
    branches, instances = [], []
    for tag in ("one", "two"):
        part, values = draw(inner)
        branches.append({"type": "object", "properties": {"tag": {"const": tag}, "v": part}, "required": ["tag"]})
        instances += [{"tag": tag}, {"tag": tag, "v": values[0]}, {"tag": tag, "v": values[-1]}]
    return {draw(st.sampled_from(["anyOf", "oneOf"])): branches}, instances


def _deeper(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(objects(inner), arrays(inner), maps(inner), tagged(inner))


values = st.recursive(scalars, _deeper, max_leaves=6)
tools = objects(values)


def _places(schema: Any) -> list[dict[str, Any]]:
    found = []
    if isinstance(schema, dict):
        found.append(schema)
        for key in ("items", "additionalProperties"):
            found += _places(schema.get(key))
        for part in schema.get("properties", {}).values():
            found += _places(part)
        for key in ("anyOf", "oneOf"):
            for part in schema.get(key, []):
                found += _places(part)
    return found


@st.composite
def edited(draw: st.DrawFn, schema: Any) -> Any:
    """The schema after one to three random edits."""
    schema = copy.deepcopy(schema)
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.sampled_from(_places(schema)))
        edit = draw(st.sampled_from(["tighten", "replace", "require", "drop", "add", "close", "open", "loosen"]))
        if edit == "replace" and place is not schema:
            part, _ = draw(scalars)
            place.clear()
            place.update(part)
        elif edit == "tighten":
            place.update(draw(st.sampled_from([{"minimum": 1}, {"minLength": 1}, {"maxItems": 1}, {"enum": ["x"]}])))
            if place is schema:
                place.pop("enum", None)
        elif edit == "loosen":
            for key in ("enum", "pattern", "minimum", "maximum", "maxLength", "maxItems", "const"):
                place.pop(key, None)
        elif "properties" in place:
            _edit_object(draw, place, edit)
    return schema


def _edit_object(draw: st.DrawFn, place: dict[str, Any], edit: str) -> None:
    keys = sorted(place["properties"])
    if edit == "require" and keys:
        place["required"] = sorted({*place.get("required", []), draw(st.sampled_from(keys))})
    elif edit == "drop" and keys:
        name = draw(st.sampled_from(keys))
        del place["properties"][name]
        place["required"] = [key for key in place.get("required", []) if key != name]
    elif edit == "add":
        place["properties"]["extra"] = draw(scalars)[0]
    elif edit == "close":
        place["additionalProperties"] = False
    elif edit == "open":
        place.pop("additionalProperties", None)


def diff(old: Any, new: Any, side: Side = Side.INPUT, level: Level = Level.DECLARED) -> list[Change]:
    key = "inputSchema" if side is Side.INPUT else "outputSchema"
    tool = {"name": "t", "inputSchema": {"type": "object"}}
    one, other = (build_surface({"tools": [{**tool, key: schema}]}) for schema in (old, new))
    return compare(one, other, level=level, options=ChangeOptions(deadline=2.0))


def valid(schema: Any, instance: Any) -> bool:
    return bool(jsonschema.Draft202012Validator(schema).is_valid(instance))


@FAST
@given(st.data())
def test_a_call_that_worked_and_is_refused_is_reported(data: st.DataObject) -> None:
    old, instances = data.draw(tools)
    new = data.draw(edited(old))
    changes = diff(old, new)
    worked = [instance for instance in instances if valid(old, instance)]
    if any(not valid(new, instance) for instance in worked):
        assert {change.verdict for change in changes} & {Verdict.BREAKING, Verdict.UNKNOWN}


@FAST
@given(st.data())
def test_an_answer_that_was_ruled_out_and_may_come_is_reported(data: st.DataObject) -> None:
    new, instances = data.draw(tools)
    old = data.draw(edited(new))
    opened = render(parse(old).root, Reading.OPENED)
    if any(valid(new, instance) and not valid(opened, instance) for instance in instances):
        verdicts = {change.verdict for change in diff(old, new, Side.OUTPUT)}
        assert verdicts & {Verdict.BREAKING, Verdict.UNKNOWN}


@FAST
@given(st.data(), st.sampled_from(list(Side)[:2]), st.sampled_from(list(Level)))
def test_every_witness_holds(data: st.DataObject, side: Side, level: Level) -> None:
    old, _ = data.draw(tools)
    new = data.draw(edited(old))
    takes, refuses = (old, new) if side is Side.INPUT else (new, old)
    for change in diff(old, new, side, level):
        if change.has_witness:
            assert change.verdict is Verdict.BREAKING
            assert valid(takes, change.witness)
            assert not valid(refuses, change.witness)


POLICY = {
    "argument-removed",
    "argument-renamed",
    "default-changed",
    "extra-values-tightened",
    "input-closed",
    "output-field-removed",
    "output-field-renamed",
}


@FAST
@given(st.data(), st.sampled_from(list(Side)[:2]), st.sampled_from(list(Level)))
def test_the_whole_has_the_last_word(data: st.DataObject, side: Side, level: Level) -> None:
    """Contained as a whole: nothing breaks but by policy. Not contained: something breaks, or is unknown."""
    old, _ = data.draw(tools)
    new = data.draw(edited(old))
    one, other = parse(old).root, parse(new).root
    strict = level is Level.STRICT
    closed = Reading.RAW if strict else Reading.CLOSED
    opened = Reading.RAW if strict else Reading.OPENED
    if side is Side.INPUT:
        answer = contains(render(other), render(one, closed, arguments=True))
    else:
        answer = contains(render(one, opened), render(other, closed))
    changes = diff(old, new, side, level)
    breaking = [change for change in changes if change.verdict is not Verdict.COMPATIBLE]
    if answer.verdict == "yes":
        assert {change.kind for change in breaking} <= POLICY
    elif answer.verdict == "no":
        assert breaking


@FAST
@given(st.data(), st.sampled_from(list(Side)[:2]))
def test_nothing_differs_from_itself(data: st.DataObject, side: Side) -> None:
    schema, _ = data.draw(tools)
    assert diff(schema, json.loads(json.dumps(schema)), side) == []


@FAST
@given(st.data())
def test_no_place_is_reported_twice(data: st.DataObject) -> None:
    old, _ = data.draw(tools)
    new = data.draw(edited(old))
    places = [(change.kind, change.path) for change in diff(old, new)]
    assert len(places) == len(set(places))


@FAST
@given(tools)
def test_readings_are_sub_and_supersets(drawn: Any) -> None:
    schema, instances = drawn
    root = parse(schema).root
    raw, closed, opened = (render(root, reading) for reading in Reading)
    assert contains(raw, closed).verdict == "yes"
    assert contains(opened, raw).verdict == "yes"
    for instance in instances:
        if valid(schema, instance):
            assert valid(raw, instance)
            assert valid(closed, instance), (closed, instance)
    if declares(root):
        assert not valid(closed, {"never declared": 1})


def _respelled(schema: Any, spell: Any) -> Any:
    """The same schema in other words, chosen by ``spell``."""
    if not isinstance(schema, dict):
        return schema
    out = dict(schema.items())
    for key in ("items", "additionalProperties"):
        if isinstance(out.get(key), dict):
            out[key] = _respelled(out[key], spell)
    if "properties" in out:
        out["properties"] = {name: _respelled(part, spell) for name, part in reversed(out["properties"].items())}
    for key in ("anyOf", "oneOf"):
        if key in out:
            out[key] = [_respelled(part, spell) for part in reversed(out[key])]
    choice = spell()
    if "const" in out and choice % 2:
        out["enum"] = [out.pop("const")]
    if isinstance(out.get("type"), list) and choice % 2:
        out = {"anyOf": [{**out, "type": name} for name in out["type"]]}
    if choice == 3:
        out = {"allOf": [out]}
    if choice == 4:
        out = {**out, "title": "Anything", "x-order": 1}
    return out


@FAST
@given(st.data(), st.sampled_from(list(Side)[:2]))
def test_a_respelling_is_not_a_change(data: st.DataObject, side: Side) -> None:
    schema, _ = data.draw(tools)
    other = _respelled(schema, lambda: data.draw(st.integers(0, 5)))
    assert meaningful(diff(schema, other, side)) == []
