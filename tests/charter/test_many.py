"""A response with very many mistakes of one kind is reported by the first of them."""

from __future__ import annotations

from collections import Counter

import pytest

from mcp_governor import validate_response
from mcp_governor.surface import build_surface


def test_mistakes_of_one_kind_are_reported_up_to_a_number() -> None:
    surface = build_surface({"tools": [{"name": "get_thing", "inputSchema": {"type": "object"}}]})
    envelope = {
        "status": "success",
        "data": {"a": 1},
        "error": None,
        "confidence": None,
        "provenance": None,
        "follow_up_hints": [f"tool_{number}" for number in range(5_000)],
        "degradation_reason": None,
        "charter_version": "1.2",
        **{f"key_{number}": 1 for number in range(5_000)},
    }
    found = Counter(one.rule for one in validate_response({"structuredContent": envelope}, surface=surface))
    assert (found["envelope/hint-exists"], found["envelope/unknown-key"]) == (20, 20)


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        ({"hits": [{"table": "orders", "relevanceScore": 0.847}]}, "envelope/raw-score"),
        ({"rows": [], "rowCount": 0}, "envelope/empty-success"),
    ],
)
def test_names_in_camel_case_mean_the_same(data: dict, rule: str) -> None:
    envelope = {"status": "success", "data": data, "error": None, "charter_version": "1.2"}
    assert rule in {one.rule for one in validate_response({"structuredContent": envelope})}


def test_suggestions_in_camel_case_are_not_matches() -> None:
    envelope = {"status": "empty", "data": {"rows": [], "didYouMean": ["orders"]}, "error": None}
    found = {one.rule for one in validate_response({"structuredContent": {**envelope, "charter_version": "1.2"}})}
    assert "envelope/data-on-empty" not in found
