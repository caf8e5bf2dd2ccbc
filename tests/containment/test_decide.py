"""Who is believed when those who are asked do not agree, or do not answer."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.containment import contains, decide, schema
from mcp_governor.containment.formulas import pool_size
from mcp_governor.containment.outcome import EMPTY, Found, Unknown
from mcp_governor.containment.validators import compile_schema

WIDE, NARROW = {"type": ["string", "null"], "maxLength": 9}, {"type": "string", "not": {"minLength": 9}}


@pytest.mark.parametrize(
    ("native", "own", "verdict"),
    [
        ("yes", Unknown("x"), "yes"),
        ("no", Unknown("x"), "no"),
        ("unknown", Unknown("what stopped it"), "unknown"),
        (None, Unknown("what stopped it"), "unknown"),
        ("unknown", EMPTY, "yes"),
        (None, EMPTY, "yes"),
        ("no", EMPTY, "unknown"),
        ("unknown", Found("not a witness"), "unknown"),
        ("no", Found("not a witness"), "no"),
    ],
)
def test_who_is_believed(monkeypatch: pytest.MonkeyPatch, native: Any, own: Any, verdict: str) -> None:
    monkeypatch.setattr(schema, "native_covers", lambda *_: native)
    monkeypatch.setattr(decide, "_search", lambda *_: own)
    found = contains(WIDE, NARROW)
    assert found.verdict == verdict
    assert not found.has_witness
    assert bool(found.reason) == (verdict == "unknown")


def test_a_question_without_time_is_not_answered_wrongly() -> None:
    names = [f"p{n}" for n in range(60)]
    wide = {"type": "object", "properties": {name: {"not": {"type": "array", "minItems": 3}} for name in names}}
    narrow = {"type": "object", "properties": {name: {"not": {"type": "array"}} for name in names}}
    assert contains(wide, narrow, deadline=0).verdict in ("yes", "unknown")
    assert contains(narrow, wide, deadline=0).verdict in ("no", "unknown")
    assert contains(wide, narrow, deadline=20).verdict == "yes"


def test_what_is_kept_of_schemas_is_dropped_beyond_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(length: int) -> int:
        text = f'{{"minLength":{length}}}'
        schema.load([({"minLength": length}, text)], 20)[0].formula()
        return pool_size()

    schema.clear()
    one = load(1)
    assert load(2) > one
    monkeypatch.setattr(schema, "MAX_NODES", 0)
    assert load(3) == one


def test_a_validator_is_made_of_schemas_only() -> None:
    made = compile_schema({"type": "string"})
    assert made is not None
    assert made.is_valid("a")
    assert not made.is_valid(1)
    assert compile_schema(["type", "string"]) is None
