"""Schemas that are made to be dear: the comparison ends, and says what it could not decide."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.change import Side, Verdict
from mcp_governor.change.budget import OverBudgetError
from mcp_governor.change.walk import Walk
from tests.change.conftest import Comparer, meaningful

STR, INT = {"type": "string"}, {"type": "integer"}


def doubling(keyword: str, leaf: Any, levels: int = 40) -> dict[str, Any]:
    """A schema to which 2 ** levels ways lead."""
    chain = {f"d{n}": {keyword: [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(levels)}
    return {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/d0"}},
        "$defs": {**chain, f"d{levels}": leaf},
    }


# exactly one of two that are the same: nothing at all, before and after
@pytest.mark.parametrize(("keyword", "count"), [("allOf", 1), ("anyOf", 1), ("oneOf", 0)])
@pytest.mark.parametrize("side", [Side.INPUT, Side.OUTPUT], ids=str)
@pytest.mark.parametrize("leaf", [STR, {"type": "object", "properties": {"a": STR}}], ids=["text", "object"])
def test_many_ways_to_one_definition(comparer: Comparer, keyword: str, count: int, side: Side, leaf: Any) -> None:
    narrower = {"type": "string", "maxLength": 5} if leaf is STR else {"type": "object", "properties": {"a": INT}}
    # The witness of a change cannot be confirmed, because validators try every way; without a change nothing waits for
    # them, and it takes half a second of a machine that may be busy.
    deadline = 0.5 if count else 30
    changes = comparer.schemas(doubling(keyword, leaf), doubling(keyword, narrower), side, deadline=deadline)
    assert len(meaningful(changes)) == count


def test_when_time_is_up_policy_still_speaks_and_the_rest_is_unknown(comparer: Comparer) -> None:
    def schema(letter: str, **more: Any) -> dict[str, Any]:
        patterns = {f"p{n}": {"type": "string", "pattern": f"^{letter}{{{n}}}[x-z]+$"} for n in range(1, 9)}
        return {"type": "object", "properties": {**more, **patterns}}

    changes = comparer.schemas(schema("[ab]", gone=STR), schema("[bc]"), tool_deadline=1e-9)
    assert [change.verdict for change in changes if change.kind == "argument-removed"] == [Verdict.BREAKING]
    others = [change for change in changes if change.kind != "argument-removed"]
    assert {change.verdict for change in others} == {Verdict.UNKNOWN}
    assert all(change.reason for change in others)


@pytest.mark.parametrize("place", ["", "/$defs/All"])
def test_what_was_not_reached_in_time_is_unknown_at_the_root(
    monkeypatch: pytest.MonkeyPatch, comparer: Comparer, place: str
) -> None:
    def schema(leaf: Any) -> dict[str, Any]:
        root = {"type": "object", "properties": {"x": leaf}}
        return {"$ref": "#/$defs/All", "$defs": {"All": root}} if place else root

    def stopped(*_: object, **__: object) -> None:
        raise OverBudgetError("the time is up")

    monkeypatch.setattr(Walk, "_views", stopped)
    [change] = comparer.schemas(schema(STR), schema(INT))
    assert (change.kind, change.path) == ("schema-undecided", f"/inputSchema{place}")
    assert (change.verdict, change.reason) == (Verdict.UNKNOWN, "the time is up")


def test_a_number_that_json_does_not_have_is_unknown(comparer: Comparer) -> None:
    old, new = ({"type": "object", "properties": {"n": {"maximum": limit}}} for limit in (float("inf"), 1))
    [change] = comparer.schemas(old, new)
    assert (change.kind, change.verdict) == ("contract-undecided", Verdict.UNKNOWN)
    assert "a number that JSON cannot represent" in change.reason
