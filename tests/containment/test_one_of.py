"""Which alternatives of an exclusive disjunction are seen to exclude each other."""

from __future__ import annotations

from typing import Any

import pytest
from test_solver import formula

from mcp_governor.containment.one_of import overlapping

MEMBER = {"type": "object", "required": ["k"]}


def kind(*values: Any, **more: Any) -> dict[str, Any]:
    return {**MEMBER, "properties": {"k": {"enum": list(values)}}, **more}


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ({"type": "string"}, {"type": ["null", "array"]}, True),
        ({"type": "integer"}, {"type": "number"}, False),
        ({"type": "string", "minLength": 1}, {"type": "string", "maxLength": 0}, False),  # seen by a search only
        ({"enum": [1, 2]}, {"const": 3}, True),
        ({"enum": [1, 2]}, {"const": 2}, False),
        (kind("a", "b"), kind("c"), True),
        (kind("a", "b"), kind("b"), False),
        (kind("a"), {**kind("b"), "required": []}, False),  # the member may be missing
        (kind("a"), {**kind("b"), "required": ["j"]}, False),
        (kind("a"), {key: value for key, value in kind("b").items() if key != "type"}, True),
        (kind("a", type=["object", "null"]), kind("b", type=["object", "null"]), False),  # both accept null
        ({"type": "object"}, kind("b"), False),
        (kind("a"), {"const": {"k": "b"}}, False),
    ],
)
def test_two_alternatives(one: Any, other: Any, apart: bool) -> None:
    parts = [formula(one), formula(other)]
    for ordered in (parts, parts[::-1]):
        found = overlapping(ordered, 9)
        assert found is not None
        assert [set(pair) for pair in found] == ([] if apart else [set(parts)])


def test_pairs_are_found_among_many() -> None:
    parts = [formula(kind(f"k{n // 2}", minProperties=n)) for n in range(100)]
    found = overlapping([*parts, formula({"type": "null"})], 50)
    assert found is not None
    assert {(parts.index(one), parts.index(other)) for one, other in found} == {(n, n + 1) for n in range(0, 100, 2)}
    assert overlapping(parts, 49) is None
