"""What the tests of containment share: the data, and answers that are checked before they are believed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs

from mcp_governor.containment import Containment, contains

REPO = Path(__file__).resolve().parents[2]
FIXTURES = REPO / "fixtures" / "containment"
SHARED_ORACLE = REPO.parent / "shared" / "oracle" / "containment.jsonl"
PATIENCE = 20.0
"""Seconds: no test asserts speed, and a busy machine must not turn an answer into "unknown"."""

_NATIVE = {
    4: jsonschema_rs.Draft4Validator,
    6: jsonschema_rs.Draft6Validator,
    7: jsonschema_rs.Draft7Validator,
    19: jsonschema_rs.Draft201909Validator,
    20: jsonschema_rs.Draft202012Validator,
}
_PYTHON = {
    4: jsonschema.Draft4Validator,
    6: jsonschema.Draft6Validator,
    7: jsonschema.Draft7Validator,
    19: jsonschema.Draft201909Validator,
    20: jsonschema.Draft202012Validator,
}
_NAMES = {"draft-04": 4, "draft-06": 6, "draft-07": 7, "2019-09": 19, "2020-12": 20}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def accepts(schema: Any, value: Any, draft: int = 20) -> bool:
    """What both validators say; fails where they differ."""
    if isinstance(schema, dict):
        draft = next((number for name, number in _NAMES.items() if name in schema.get("$schema", "")), draft)
    first = _NATIVE[draft](schema, validate_formats=False).is_valid(value)
    second = _PYTHON[draft](schema).is_valid(value)
    assert first is second, f"validators differ on {value!r}"
    return first


def answer(outer: Any, inner: Any, draft: int = 20) -> Containment:
    """The answer of ``contains``, with its witness checked independently."""
    found = contains(outer, inner, deadline=PATIENCE, default_dialect=draft)
    if found.has_witness:
        assert found.verdict == "no"
        assert accepts(inner, found.witness, draft)
        assert not accepts(outer, found.witness, draft)
    if found.verdict == "unknown":
        assert found.reason
    return found


def verdict(outer: Any, inner: Any, draft: int = 20) -> str:
    """``yes``, ``no`` (always with a checked witness) or ``unknown``."""
    found = answer(outer, inner, draft)
    assert found.has_witness == (found.verdict == "no"), found
    return found.verdict
