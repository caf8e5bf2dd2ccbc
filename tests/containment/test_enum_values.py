"""Schemas that list their values."""

from __future__ import annotations

from typing import Any

import pytest
from asking import answer, verdict

from mcp_governor.containment import contains
from mcp_governor.containment.enum_values import refused
from mcp_governor.containment.outcome import Empty, Found, Outcome
from mcp_governor.schemas.values import text_of

NOTHING = object()
DRAFT_4 = "http://json-schema.org/draft-04/schema#"


def left(outer: Any, inner: Any, dialect: int = 20) -> Outcome | None:
    return refused(outer, inner, text_of(outer), text_of(inner), dialect)


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        ({"type": "string"}, {"enum": ["a", None, 1]}, 1),
        # what a server takes for a boolean or leaves out comes last
        ({"type": "string"}, {"enum": [None, False, 0, 1, "a", 2]}, 2),
        ({"type": "integer"}, {"enum": [None, True, "", "7", "seven"]}, "seven"),
        ({"type": "string"}, {"enum": ["a", 1, None], "type": ["string", "integer"]}, 1),
        ({"minimum": 3}, {"const": 3.0}, NOTHING),
        ({"type": "object", "required": ["a"]}, {"enum": [{"b": 1}, {"a": 1}, {}]}, {}),
        (False, {"enum": [1], "type": "string"}, NOTHING),
        ({"minimum": 2}, {"anyOf": [{"const": 1}, {"enum": [2, 3]}, {"oneOf": [{"const": -5}]}]}, -5),
        # both branches hold for 1, so that it is not exactly one
        ({"minimum": 2}, {"oneOf": [{"const": 1}, {"enum": [1, 0]}]}, 0),
    ],
)
def test_what_is_refused(outer: Any, inner: Any, expected: Any) -> None:
    found = left(outer, inner)
    if expected is NOTHING:
        assert isinstance(found, Empty)
    else:
        assert isinstance(found, Found)
        assert found.value == expected


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ({"type": "string"}, {"type": "string", "maxLength": 1}),  # nothing is listed
        ({"type": "string", "pattern": "^(a+)+$"}, {"const": "aab"}),  # validating could take long
        ({"$ref": "#/$defs/a", "$defs": {"a": {}}}, {"const": 1}),
        ({"type": "string"}, {"enum": list(range(200))}),
        ({"type": "string"}, {"anyOf": [{"const": "a"}, {"type": "null"}]}),  # one branch lists nothing
        ({"type": "text"}, {"const": 1}),  # no schema
        ({"$schema": "urn:x"}, {"const": 1}),
        (True, {"$schema": DRAFT_4, "const": 1}),  # draft 4 does not know the keyword
    ],
)
def test_what_is_left_to_others(outer: Any, inner: Any) -> None:
    assert left(outer, inner) is None


def test_answers() -> None:
    assert verdict({"type": ["integer", "null"]}, {"enum": [1, None]}) == "yes"
    assert answer({"type": "integer"}, {"enum": ["long text", 1, "b"]}).witness == "b"
    bare = contains({"type": "integer"}, {"const": "b"}, witness=False)
    assert (bare.verdict, bare.has_witness) == ("no", False)
    assert verdict({"multipleOf": 0.123456789, "type": "integer"}, {"const": 1e308}) == "no"


@pytest.mark.parametrize(
    ("outer", "inner", "witness"),
    [
        # 1 and 1.0 are one value, and only the one that is written without a dot is an integer of draft 4
        ({"not": {}}, {"type": "integer", "enum": [1.0]}, 1),
        ({"enum": [2]}, {"type": "integer", "enum": [1.0]}, 1),
        ({"not": {}}, {"type": "array", "items": {"type": "integer"}, "enum": [[1.0]]}, [1]),
        ({"enum": []}, {"properties": {"a": {"type": "integer"}}, "enum": [{"a": 1.0}]}, {"a": 1}),
    ],
)
def test_a_whole_number_is_listed_in_both_spellings(outer: Any, inner: Any, witness: Any) -> None:
    found = contains(outer, inner, default_dialect=4)
    assert (found.verdict, found.witness) == ("no", witness)
    assert "." not in str(found.witness)
