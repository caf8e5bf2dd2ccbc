"""What validators disagree on is unknown, the same in both directions; what is no schema is none anywhere."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from mcp_governor.containment import contains
from mcp_governor.schemas.dialects import DIALECTS

NEEDS = {"a": ["b"]}
LATE = [None, DIALECTS[19].uri, DIALECTS[20].uri]


def named(uri: str | None, schema: dict[str, Any]) -> dict[str, Any]:
    return schema if uri is None else {"$schema": uri, **schema}


@pytest.mark.parametrize("uri", LATE)
def test_dependencies_of_a_late_draft(uri: str | None) -> None:
    disputed = named(uri, {"type": "object", "dependencies": NEEDS})
    needed = {"type": "object", "dependentRequired": NEEDS}
    assert contains(disputed, needed).verdict == contains(needed, disputed).verdict == "unknown"
    assert "dependencies" in contains(needed, disputed).reason
    assert contains(disputed, {"enum": [{"a": 1}]}).verdict == "unknown"
    assert contains({"type": "object"}, disputed).verdict == "yes"
    assert contains(disputed, {**disputed, "required": ["c"]}).verdict == "yes"
    assert contains({"type": "integer"}, named(uri, {"dependencies": NEEDS})).verdict == "no"
    # a property of this name is no keyword
    members = [named(uri, {"properties": {"dependencies": {"type": kind}}}) for kind in ("string", "integer")]
    assert contains(*members).verdict == "no"


@pytest.mark.parametrize(("one", "other"), [*product(LATE, repeat=2)])
def test_dependencies_are_the_same_in_all_late_drafts(one: str | None, other: str | None) -> None:
    schema = {"dependencies": {"a": ["b"], "c": {"type": "object"}}}
    assert contains(named(one, schema), named(other, schema)).verdict == "yes"


@pytest.mark.parametrize("draft", [4, 6, 7])
def test_dependencies_of_an_early_draft(draft: int) -> None:
    early = named(DIALECTS[draft].uri, {"type": "object", "dependencies": NEEDS})
    needed = {"type": "object", "dependentRequired": NEEDS}
    assert contains(early, needed).verdict == contains(needed, early).verdict == "yes"
    assert contains(early, {"type": "object"}).witness.keys() == {"a"}


PLACES = {
    "$defs": lambda part: {"$ref": "#/$defs/a", "$defs": {"a": part}},
    "components": lambda part: {"allOf": [{"$ref": "#/components/schemas/a"}], "components": {"schemas": {"a": part}}},
    "through another": lambda part: {
        "$ref": "#/$defs/a",
        "$defs": {"a": {"items": {"$ref": "#/$defs/b"}}, "b": part},
    },
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("draft", "flaw"), [(4, {"exclusiveMinimum": 1.5}), (7, {"exclusiveMinimum": True})])
def test_what_a_reference_reaches_is_a_schema_of_the_dialect(draft: int, flaw: Any, place: str) -> None:
    part = {"type": "number", "maximum": 0, **flaw}
    broken = named(DIALECTS[draft].uri, PLACES[place](part))
    for outer, inner in ((broken, {"type": "number"}), ({"type": "number"}, broken), (True, broken)):
        found = contains(outer, inner)
        assert found.verdict == "unknown"
        assert "breaks its meta-schema at /" in found.reason
    unused = named(DIALECTS[draft].uri, {"type": "number", "$defs" if draft == 4 else "components": {"a": part}})
    assert contains({"type": "number"}, unused).verdict == "yes"


def test_half_of_a_pair_has_a_sentence() -> None:
    found = contains({"enum": ["\ud83d\ude00"]}, {"enum": ["\ud83d"]})
    assert found.verdict == "unknown"
    assert "surrogate pair" in found.reason
    assert "codec" not in found.reason


@pytest.mark.parametrize(
    ("schema", "verdict"),
    [
        # 3e30 is a multiple of 1e20 for the validator in Rust, and not for the one in Python
        ({"const": 3e30, "multipleOf": 1e20}, "unknown"),
        ({"type": "number", "minimum": 1e25, "maximum": 1e25, "multipleOf": 1e20}, "unknown"),
        # within 64 bits, and of numbers that both divide without a rest, all is decided
        ({"type": "number", "minimum": 2**62 + 1, "maximum": 2**62 + 1, "multipleOf": 2}, "yes"),
        ({"type": "number", "minimum": 1e25, "maximum": 1e25, "not": {"multipleOf": 8}}, "yes"),
        ({"const": 2**62 + 1, "multipleOf": 2}, "yes"),
        ({"const": 1e25, "multipleOf": 8}, "no"),
    ],
)
def test_multiples_beyond_64_bits_are_unknown_where_validators_differ(schema: dict[str, Any], verdict: str) -> None:
    """Is the schema empty?"""
    assert contains(False, schema).verdict == verdict
