"""Every way of saying more about a value, said and unsaid, on both sides and in every place it may stand.

The rows are those of ``tests/schema_pairs.py``, pairs of schemas of which the second is the stricter one. From that
follow four verdicts:

=================  ==========  ==========
edit               input       output
=================  ==========  ==========
loose → strict     breaking    compatible
strict → loose     compatible  breaking
=================  ==========  ==========
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from schema_pairs import APART, WIDER, arr, obj

from mcp_governor.change import Change, Side, Verdict
from tests.change.conftest import Comparer


def _in_property(schema: Any) -> Any:
    return obj(properties={"x": schema}, required=["x"])


def _in_items(schema: Any) -> Any:
    return obj(properties={"list": arr(items=schema)})


def _in_definition(schema: Any) -> Any:
    return {
        **obj(properties={"one": {"$ref": "#/$defs/D"}, "two": arr(items={"$ref": "#/$defs/D"})}),
        "$defs": {"D": schema},
    }


def _in_recursion(schema: Any) -> Any:
    tree = obj(properties={"value": schema, "children": arr(items={"$ref": "#/$defs/Tree"})})
    return {**obj(properties={"root": {"$ref": "#/$defs/Tree"}}), "$defs": {"Tree": tree}}


def _in_map(schema: Any) -> Any:
    return obj(properties={"map": obj(additionalProperties=schema)})


def _in_draft_7(schema: Any) -> Any:
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        **obj(properties={"x": {"$ref": "#/definitions/D"}}),
        "definitions": {"D": schema},
    }


PLACES: dict[str, Callable[[Any], Any]] = {
    "property": _in_property,
    "items": _in_items,
    "definition": _in_definition,
    "recursion": _in_recursion,
    "map": _in_map,
}
NEWER = re.compile("prefixItems|minContains|maxContains|dependent|unevaluated")
"""Keywords that draft 7 does not know."""


def _verdicts(changes: list[Any]) -> set[Verdict]:
    return {change.verdict for change in changes}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("row", WIDER)
def test_one_edit_one_finding_with_the_right_verdict(comparer: Comparer, row: str, place: str) -> None:
    loose, strict = WIDER[row]
    wrap = PLACES[place]
    loose, strict = wrap(loose), wrap(strict)
    expected = [
        (loose, strict, Side.INPUT, Verdict.BREAKING),
        (strict, loose, Side.INPUT, Verdict.COMPATIBLE),
        (loose, strict, Side.OUTPUT, Verdict.COMPATIBLE),
        (strict, loose, Side.OUTPUT, Verdict.BREAKING),
    ]
    for old, new, side, verdict in expected:
        changes = comparer.schemas(old, new, side)
        reported = [(change.kind, change.verdict, change.path, change.reason) for change in changes]
        assert [change.verdict for change in changes] == [verdict], (side, old, new, reported)
        if verdict is Verdict.BREAKING:
            _check_witness(changes[0], old, new, side)


def _check_witness(change: Change, old: Any, new: Any, side: Side) -> None:
    assert change.has_witness
    takes, refuses = (old, new) if side is Side.INPUT else (new, old)
    assert jsonschema.validators.validator_for(takes)(takes).is_valid(change.witness)
    assert not jsonschema.validators.validator_for(refuses)(refuses).is_valid(change.witness)


@pytest.mark.parametrize("row", [row for row in WIDER if not NEWER.search(str(WIDER[row]))])
def test_the_same_in_draft_7(comparer: Comparer, row: str) -> None:
    loose, strict = WIDER[row]
    loose, strict = _in_draft_7(loose), _in_draft_7(strict)
    assert _verdicts(comparer.schemas(loose, strict)) == {Verdict.BREAKING}
    assert _verdicts(comparer.schemas(strict, loose)) == {Verdict.COMPATIBLE}
    assert _verdicts(comparer.schemas(strict, loose, Side.OUTPUT)) == {Verdict.BREAKING}
    assert _verdicts(comparer.schemas(loose, strict, Side.OUTPUT)) == {Verdict.COMPATIBLE}


@pytest.mark.parametrize("place", ["property", "items", "definition", "recursion"])
# A renamed key breaks by policy, which needs no witness.
@pytest.mark.parametrize("row", sorted(APART.keys() - {"renamed property"}))
def test_what_is_apart_breaks_both_ways(comparer: Comparer, row: str, place: str) -> None:
    one, other = map(PLACES[place], APART[row])
    for side in (Side.INPUT, Side.OUTPUT):
        for old, new in ((one, other), (other, one)):
            changes = comparer.schemas(old, new, side)
            assert Verdict.BREAKING in _verdicts(changes), changes
            assert Verdict.UNKNOWN not in _verdicts(changes)
            for change in changes:
                if change.verdict is Verdict.BREAKING:
                    _check_witness(change, old, new, side)
