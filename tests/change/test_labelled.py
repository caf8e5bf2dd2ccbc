"""Labelled changes: which findings two schemas lead to, of which kind, where, and with which verdict.

The labels in ``fixtures/changes`` were written from the table in docs/changes.md before the comparison was run.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mcp_governor.change import Change, Side, Verdict
from mcp_governor.findings import Bump
from mcp_governor.schemas.pointers import resolve_pointer
from tests.change.conftest import Comparer

FIXTURES = Path(__file__).parents[2] / "fixtures" / "changes"
STRING, NULL = {"type": "string"}, {"type": "null"}


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FIXTURES / name).read_text(encoding="utf-8").splitlines()]


LABELLED = read("labelled.jsonl")
EDITS = read("edits.jsonl")


@pytest.mark.parametrize("case", LABELLED, ids=lambda case: f"{case['name']} ({case['side']})")
def test_labelled_change(comparer: Comparer, case: dict[str, Any]) -> None:
    side = Side(case["side"])
    changes = comparer.schemas(case["old"], case["new"], side)
    root = "/inputSchema" if side is Side.INPUT else "/outputSchema"
    reported = [[change.kind, change.path.removeprefix(root), change.verdict.value] for change in changes]
    assert sorted(item for item in reported if not item[0].endswith("schema-rewritten")) == case["changes"]
    for change in changes:
        assert _exists(case["new"], change, root) or _exists(case["old"], change, root), change.path


def _exists(schema: Any, change: Change, root: str) -> bool:
    try:
        resolve_pointer(schema, change.path.removeprefix(root))
    except KeyError:
        return False
    return True


def _object(**more: Any) -> dict[str, Any]:
    return {"type": "object", **more}


def _property(value: Any) -> Any:
    return _object(properties={"x": value}, required=["x"])


def _nullable_list(value: Any) -> Any:
    return _object(properties={"l": {"anyOf": [{"type": "array", "items": value}, NULL]}})


def _nullable_model(value: Any) -> Any:
    reference = {"anyOf": [{"$ref": "#/$defs/M"}, NULL], "default": None}
    return {**_object(properties={"x": reference}), "$defs": {"M": _object(properties={"v": value})}}


def _base_class(value: Any) -> Any:
    base = _object(properties={"x": value})
    return {**_object(allOf=[{"$ref": "#/$defs/B"}], properties={"own": STRING}), "$defs": {"B": base}}


def _tagged(value: Any) -> Any:
    one = _object(properties={"t": {"const": 1}, "x": value}, required=["t"])
    return _object(properties={"q": {"oneOf": [one, _object(properties={"t": {"const": 2}}, required=["t"])]}})


def _tuple(value: Any) -> Any:
    return _object(properties={"m": {"type": "array", "prefixItems": [STRING, value]}})


def _pattern_map(value: Any) -> Any:
    return _object(properties={"m": _object(patternProperties={"^k": value})})


def _tree(value: Any) -> Any:
    tree = _object(properties={"v": value, "kids": {"type": "array", "items": {"$ref": "#/$defs/T"}}})
    return {**_object(properties={"r": {"$ref": "#/$defs/T"}}), "$defs": {"T": tree}}


def _dependent(value: Any) -> Any:
    return _object(properties={"m": STRING, "x": {}}, dependentSchemas={"m": {"properties": {"x": value}}})


def _then(value: Any) -> Any:
    condition = {"if": {"required": ["m"]}, "then": {"properties": {"x": value}, "required": ["x"]}}
    return _object(properties={"m": STRING, "x": {}}, **condition)


def _draft_7(value: Any) -> Any:
    definition = {"definitions": {"D": value}, "$schema": "http://json-schema.org/draft-07/schema#"}
    return {**_object(properties={"x": {"$ref": "#/definitions/D"}}), **definition}


PLACES: list[tuple[Callable[[Any], Any], str]] = [
    (_property, "/properties/x"),
    (_nullable_list, "/properties/l/anyOf/0/items"),
    (_nullable_model, "/$defs/M/properties/v"),
    (_base_class, "/$defs/B/properties/x"),
    (_tagged, "/properties/q/oneOf/0/properties/x"),
    (_tuple, "/properties/m/prefixItems/1"),
    (_pattern_map, "/properties/m/patternProperties/^k"),
    (_tree, "/$defs/T/properties/v"),
    (_dependent, "/dependentSchemas/m/properties/x"),
    (_then, "/then/properties/x"),
]
NEWER = re.compile("prefixItems|minContains|maxContains|dependent|unevaluated|defs")
"""Keywords that draft 7 does not know."""


def test_the_stricter_schema_refuses_the_instance() -> None:
    for edit in EDITS:
        assert jsonschema.Draft202012Validator(edit["loose"]).is_valid(edit["instance"]), edit["name"]
        assert not jsonschema.Draft202012Validator(edit["strict"]).is_valid(edit["instance"]), edit["name"]


@pytest.mark.parametrize("index", range(len(EDITS)), ids=[edit["name"] for edit in EDITS])
def test_one_edit_is_one_change_of_its_kind_at_its_place(comparer: Comparer, index: int) -> None:
    edit = EDITS[index]
    places = [PLACES[(index + step) % len(PLACES)] for step in (0, 3, 6)]
    if not NEWER.search(json.dumps(edit)):
        places.append((_draft_7, "/definitions/D"))
    for (wrap, base), side in itertools.product(places, (Side.INPUT, Side.OUTPUT)):
        loose, strict = wrap(edit["loose"]), wrap(edit["strict"])
        for old, new, tighter in ((loose, strict, True), (strict, loose, False)):
            [change] = comparer.schemas(old, new, side)
            breaking = tighter is (side is Side.INPUT)
            assert change.verdict is (Verdict.BREAKING if breaking else Verdict.COMPATIBLE), wrap
            assert change.bump is (Bump.MAJOR if breaking else Bump.MINOR), wrap
            assert change.has_witness is breaking, wrap
            assert change.kind == _kind(edit["family"], side, tighter=tighter), wrap
            assert change.path.removeprefix(f"/{side.value}Schema") in [base + path for path in edit["path"]]


def _kind(family: str, side: Side, *, tighter: bool) -> str:
    names = {
        "required": ("argument-required", "argument-optional", "output-field-guaranteed", "output-field-optional"),
        "enum-added": ("enum-added", "enum-dropped", "output-enum-added", "output-enum-dropped"),
        "enum": ("enum-value-removed", "enum-value-added", "output-enum-value-removed", "output-enum-value-added"),
        "type": ("type-narrowed", "type-widened", "output-type-narrowed", "output-type-widened"),
    }
    usual = (f"{family}-tightened", f"{family}-loosened", f"output-{family}-tightened", f"output-{family}-loosened")
    index = (0 if tighter else 1) + (2 if side is Side.OUTPUT else 0)
    return names.get(family.partition(":")[0], usual)[index]
