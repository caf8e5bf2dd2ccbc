"""Sentences that name a value, "only" or "any" are true of the schemas; jsonschema is the referee."""

from __future__ import annotations

import json
import re
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from mcp_governor.change import compare
from mcp_governor.surface import build_surface

POOL: list[Any] = [
    *(None, True, False, 0, 1, 2, 3, 5, 9, 92, -1, 1.5, 1e9, "", "a", "b", "c", "ab", "zzzzzz", "9"),
    *([], ["a"], [1], ["a", "b"], {}, {"a": 1}, {"a": "b"}),
]
"""Values that a sentence may forget."""

LISTED = st.lists(st.sampled_from([0, 1, 2, 3, 9, True, None, 1.5, "a", "b", "c", "ab"]), min_size=1, max_size=4)
TYPES = ["string", "integer", "number", "boolean", "null", "array", "object"]


def _unique(values: list[Any]) -> list[Any]:
    return [json.loads(text) for text in dict.fromkeys(json.dumps(value) for value in values)]


KEYWORDS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(TYPES) | st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True),
        "enum": LISTED.map(_unique),
        "const": st.sampled_from([1, 2, "a", "b", None]),
        "minimum": st.sampled_from([0, 1, 2]),
        "maximum": st.sampled_from([1, 2, 92]),
        "maxLength": st.sampled_from([1, 2]),
        "pattern": st.sampled_from(["^a", "^[ab]$", "b"]),
    },
)
LISTS = st.one_of(
    LISTED.map(lambda values: {"enum": _unique(values)}),
    st.sampled_from([{}, {"type": "string"}, {"type": "integer"}, {"type": ["string", "null"]}]),
    KEYWORDS,
)
SCHEMAS = st.one_of(
    LISTS,
    LISTS,
    st.builds(
        lambda key, parts, more: {**more, key: parts},
        st.sampled_from(["anyOf", "oneOf", "allOf"]),
        st.lists(LISTS, min_size=1, max_size=3),
        KEYWORDS,
    ),
    st.builds(lambda part, other: {**part, "not": other}, LISTS, LISTS),
    LISTS.map(lambda part: {"$ref": "#/$defs/D", "$defs": {"D": part}}),
    LISTS.map(lambda part: {"type": "array", "items": part}),
    LISTS.map(lambda part: {"type": "object", "additionalProperties": part}),
)


JOINS = st.sampled_from(["anyOf", "oneOf", "allOf"])


def _around(key: str, other: Any, more: Any, nested: bool) -> Any:
    """A function that puts a schema beside another one, and below keywords that stay the same."""

    def around(part: Any) -> Any:
        joined = {**more, key: [part, other]}
        return {"anyOf": [{"type": "array"}, {"allOf": [joined, {"not": {"const": "zz"}}]}]} if nested else joined

    return around


PAIRS = st.one_of(
    st.tuples(SCHEMAS, SCHEMAS),
    # One part changes, which does not decide alone.
    st.builds(
        lambda around, old, new: (around(old), around(new)),
        st.builds(_around, JOINS, LISTS, KEYWORDS, st.booleans()),
        LISTS,
        LISTS,
    ),
)


def _tool(schema: Any, side: str) -> Any:
    schema = dict(schema)
    whole = {"type": "object", "properties": {"d": schema}}
    if "$defs" in schema:
        whole["$defs"] = schema.pop("$defs")
    given = {"inputSchema": {"type": "object"}, side: whole}
    return build_surface({"tools": [{"name": "t", **given}]})


def messages(old: Any, new: Any, side: str = "inputSchema") -> list[tuple[str, str, str]]:
    return [(one.kind, one.path, one.message) for one in compare(_tool(old, side), _tool(new, side))]


def _part(schema: Any, subject: str) -> Any:
    """The schema of what a sentence is about: the parameter, or what is in it."""
    inside = schema["$defs"]["D"] if "$ref" in schema else schema
    if subject.startswith("an item of"):
        return inside["items"]
    return inside["additionalProperties"] if subject.startswith("a value of") else inside


def _values(text: str) -> list[Any]:
    listed: list[Any] = json.loads(f"[{text}]")
    return listed


SENTENCE = re.compile(
    r"(?P<subject>.*?`[dD]`) (?:"
    r"(?:no longer accepts|can no longer be) (?P<lost>.*?)(?:, and (?:now accepts|may now be) (?P<instead>.*))?"
    r"|(?:also accepts|may also be) (?P<gained>.*)"
    r"|(?:now accepts only|is now one of) (?P<only>.*)"
    r"|(?:now accepts|may now be) (?P<any>null|any .*?)(?:; it was one of (?P<was>.*))?"
    r"|no longer has a list of values; it was one of (?P<former>.*)"
    r"|now has a list of values|no longer has a list of values"
    r"|(?:now accepts|may now have) (?:fewer|more|different) values)$"
)
ANY = {
    "any string": {"type": "string"},
    "any integer": {"type": "integer"},
    "any number": {"type": "number"},
    "any boolean": {"type": "boolean"},
    "any array": {"type": "array"},
    "any object": {"type": "object"},
    "null": {"type": "null"},
}


def _stated(words: str) -> Any:
    """The schema that "any string or null", "any integer from 1 to 92" describe."""
    if words == "any value":
        return {}
    match = re.fullmatch(r"(any (?:integer|number))(?: from (\S+))?(?: (?:up )?to (\S+))?", words)
    if match is not None:
        bounds = {"minimum": match[2], "maximum": match[3]}
        return {**ANY[match[1]], **{key: json.loads(text) for key, text in bounds.items() if text is not None}}
    return {"anyOf": [ANY[word] for word in words.split(" or ")]}


def false_claims(old: Any, new: Any, side: str) -> list[str]:
    wrong = []
    for kind, _, message in messages(old, new, side):
        if "enum" not in kind:
            continue
        match = SENTENCE.match(message)
        if match is None:
            wrong.append(f"not understood: {message}")
            continue
        before, after = (Draft202012Validator(_part(schema, match["subject"])).is_valid for schema in (old, new))
        claims: list[bool] = []
        for value in _values(match["lost"] or ""):
            claims.append(before(value) and not after(value))
        for value in _values(match["gained"] or match["instead"] or ""):
            claims.append(after(value) and not before(value))
        if match["only"] is not None:
            listed = _values(match["only"])
            claims += [after(value) for value in listed]
            claims += [not after(value) or value_in(value, listed) for value in POOL]
        if match["any"] is not None:
            stated = Draft202012Validator(_stated(match["any"])).is_valid
            claims += [after(value) == stated(value) for value in POOL]
        if match["was"] or match["former"]:
            listed = _values(match["was"] or match["former"])
            claims += [before(value) for value in listed]
            claims += [not before(value) or value_in(value, listed) for value in POOL]
        if not all(claims):
            wrong.append(message)
    return wrong


def value_in(value: Any, values: list[Any]) -> bool:
    return Draft202012Validator({"enum": values}).is_valid(value)


@settings(max_examples=300, deadline=None)
@given(PAIRS, st.sampled_from(["inputSchema", "outputSchema"]))
def test_no_sentence_claims_more_than_the_schemas_show(pair: tuple[Any, Any], side: str) -> None:
    assert false_claims(*pair, side) == []


INTEGERS, NULLABLE = {"type": "integer", "enum": [1, 2]}, {"type": ["string", "null"]}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            INTEGERS,
            {"type": "integer", "minimum": 1, "maximum": 92},
            "now accepts any integer from 1 to 92; it was one of 1, 2",
        ),
        (INTEGERS, {"type": "integer", "minimum": 1}, "now accepts any integer from 1; it was one of 1, 2"),
        (INTEGERS, {"type": "number", "maximum": 2.5}, "now accepts any number up to 2.5; it was one of 1, 2"),
        (INTEGERS, {"type": "integer"}, "now accepts any integer; it was one of 1, 2"),
        ({"type": "string", "enum": ["a"]}, {"type": "string"}, 'now accepts any string; it was one of "a"'),
        ({**NULLABLE, "enum": ["a", None]}, NULLABLE, 'now accepts any string or null; it was one of "a", null'),
        (
            {"type": "string", "enum": ["a"]},
            {"type": "string", "pattern": "^a"},
            'no longer has a list of values; it was one of "a"',
        ),
        ({"type": "string", "enum": ["a", "b"]}, {"type": "string", "enum": ["a"]}, 'no longer accepts "b"'),
        ({"type": "string"}, {"type": "string", "enum": ["a", "b"]}, 'now accepts only "a", "b"'),
        ({"type": "string"}, {"type": "string", "enum": ["a", 1]}, 'now accepts only "a"'),
    ],
)
def test_the_sentence_says_what_is_accepted_now(old: Any, new: Any, message: str) -> None:
    assert f"`d` {message}" in [said for _, _, said in messages(old, new)]


def test_what_is_listed_for_items_and_for_the_values_of_a_map_is_said_of_them() -> None:
    for key, around, subject in (("items", "array", "an item of"), ("additionalProperties", "object", "a value of")):
        old, new = ({"type": around, key: {"enum": values}} for values in (["a", "b"], ["a"]))
        assert [said for _, _, said in messages(old, new)] == [f'{subject} `d` no longer accepts "b"']


def test_a_parameter_may_be_called_as_a_keyword_is() -> None:
    for name in ("definitions", "properties", "items", "d"):
        old, new = (
            build_surface({"tools": [{"name": "t", "inputSchema": {"properties": {name: {"items": part}}}}]})
            for part in ({"type": "integer"}, {"type": "integer", "minimum": 1})
        )
        assert [one.message for one in compare(old, new)] == [f"minimum of an item of `{name}` is new: 1"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ({}, {"openWorldHint": False}, "openWorldHint is now false; it was not stated, which means true"),
        ({"destructiveHint": False}, {}, "destructiveHint is no longer stated, which means true; it was false"),
        ({"readOnlyHint": True}, {"readOnlyHint": False}, "readOnlyHint changed from true to false"),
        (
            {"readOnlyHint": "yes"},
            {"readOnlyHint": True},
            "readOnlyHint is now true; it was not stated, which means false",
        ),
    ],
)
def test_a_hint_changes_from_what_was_stated(old: Any, new: Any, message: str) -> None:
    surfaces = (
        build_surface({"tools": [{"name": "t", "inputSchema": {"type": "object"}, "annotations": hints}]})
        for hints in (old, new)
    )
    (change,) = compare(*surfaces)
    assert change.message == message
    assert f"{change.new}".lower() in change.entry()


@pytest.mark.parametrize("side", ["inputSchema", "outputSchema"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        # a branch lists other values, and the parameter as a whole accepts and refuses others than the branch
        ({"oneOf": [{"enum": [2]}, {}]}, {"oneOf": [{"enum": [0, 9]}, {}]}),
        ({"maximum": 2, "oneOf": [{"enum": [1, 9]}, {}]}, {"maximum": 2, "oneOf": [{"enum": [2, 9]}, {}]}),
        ({"allOf": [{"anyOf": [{}, {"enum": [0]}]}, {"not": {"const": 9}}]}, {"allOf": [{"enum": [0]}]}),
        # a list goes, beside other values and other bounds
        ({"maxLength": 2, "oneOf": [{"enum": [9, 1]}, {"enum": [3]}]}, {"maxLength": 2, "oneOf": [{}, {"enum": [3]}]}),
        ({"anyOf": [{"type": "array"}, {"enum": [0]}]}, {"anyOf": [{"type": "array"}, {"type": "integer"}]}),
        ({"type": ["string", "null"], "enum": ["a", None]}, {"type": ["string", "null"], "pattern": "^a"}),
    ],
)
def test_a_list_in_a_branch_is_not_all_of_it(old: Any, new: Any, side: str) -> None:
    assert false_claims(old, new, side) == []
    assert false_claims(new, old, side) == []
