"""Patterns that are not ECMA-262 are sets of strings that nobody knows, and leave the rest of a schema decided."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.containment import contains
from mcp_governor.containment.validating import Validating
from mcp_governor.schemas.foreign import foreign_patterns, without_foreign
from mcp_governor.schemas.values import text_of

FOREIGN = [r"\A[a-z]+\Z", "[a", r"\h", "(?>a)b", "a{,3}", "(a", r"(?P<n>a)\h"]


def verdict(outer: Any, inner: Any) -> str:
    return contains(outer, inner, deadline=30.0).verdict


def answer(outer: Any, inner: Any) -> Any:
    return contains(outer, inner, deadline=30.0)


def string(**keywords: Any) -> dict[str, Any]:
    return {"type": "string", **keywords}


def args(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize("pattern", FOREIGN)
def test_it_is_equal_to_itself_only(pattern: str) -> None:
    this = string(pattern=pattern)
    assert verdict(string(), this) == "yes"
    assert verdict({"anyOf": [this, {"type": "null"}]}, this) == "yes"
    assert verdict(this, string(pattern=pattern, maxLength=3)) == "yes"
    assert verdict({"type": ["string", "integer"]}, this) == "yes"
    assert verdict({"type": "integer"}, this) == "unknown"
    assert verdict(this, string()) == "unknown"
    assert verdict(this, string(pattern="^[a-z]+$")) == "unknown"
    assert answer(this, {"type": ["string", "null"], "pattern": pattern}).witness is None


@pytest.mark.parametrize("draft", [4, 6, 7, 19, 20])
@pytest.mark.parametrize("pattern", [*FOREIGN, r"\Ab"])
def test_it_is_read_in_every_dialect(pattern: str, draft: int) -> None:
    this = {"type": "object", "properties": {"a": string(pattern=pattern), "b": string()}}
    assert contains({"type": "object"}, this, default_dialect=draft, deadline=30.0).verdict == "yes"
    assert contains({"required": ["a"]}, this, default_dialect=draft, deadline=30.0).witness == {}


@pytest.mark.parametrize("pattern", FOREIGN)
def test_its_neighbours_are_decided(pattern: str) -> None:
    this = string(pattern=pattern)
    found = answer(args(a=this, b={"type": "integer"}), args(a=this, b=string()))
    assert found.witness == {"b": "example"}
    assert verdict(args(a=this, b=string()), args(a=this, b=string(maxLength=3))) == "yes"
    named = {"type": "object", "patternProperties": {pattern: string()}}
    assert verdict(named, {**named, "required": ["x"]}) == "yes"
    assert verdict({**named, "required": ["x"]}, named) == "no"


def test_a_witness_holds_whatever_the_pattern_means() -> None:
    # accepted if all strings match, and if none does; but not if "(a" matches and "[b" does not
    either = {"anyOf": [{"pattern": "(a"}, {"not": {"pattern": "[b"}}]}
    assert verdict(False, {"type": "string", **either}) == "unknown"
    assert verdict(False, either) == "no"


def test_a_validator_decides_what_does_not_depend_on_it() -> None:
    schema = args(a=string(pattern="[a"), b={"type": "integer"})
    assert not Validating(schema).readable
    tolerant = Validating(schema, foreign=True)
    assert tolerant.accepts({"b": 1}) is True
    assert tolerant.accepts({"b": "x", "a": "y"}) is False
    assert tolerant.accepts({"a": "y"}) is None


def test_members_keep_apart() -> None:
    schema = {"patternProperties": {"[a": {"type": "integer"}, "(b": {"minimum": 1}, "^c": {}}, "pattern": "[a"}
    found = foreign_patterns(schema, text_of(schema))
    assert found == {"[a", "(b"}
    for matching in (True, False):
        read = without_foreign(schema, found, matching=matching)
        assert len(read["patternProperties"]) == 3
        assert Validating(read).accepts({"x": 0}) is not matching
        assert Validating(read).accepts("x") is matching
