"""``policy.assert-formats``: formats are compared like patterns."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.change.vocabulary import Side
from mcp_governor.findings import Verdict
from tests.change.conftest import Comparer

B, C, U = Verdict.BREAKING, Verdict.COMPATIBLE, Verdict.UNKNOWN
STR = {"type": "string"}
DIGITS = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"


def form(name: str, **more: Any) -> dict[str, Any]:
    return {**STR, "format": name, **more}


LINES: dict[str, tuple[Any, Any, dict[str, Verdict]]] = {
    "lengths that each value has": (form("uuid"), form("uuid", minLength=36, maxLength=36), {"length-tightened": C}),
    "a length that some lack": (form("date-time"), form("date-time", maxLength=20), {"length-tightened": B}),
    "a pattern that each value matches": (form("uuid"), form("uuid", pattern="^[0-9A-Fa-f-]*$"), {}),
    "a pattern becomes its format": ({**STR, "pattern": DIGITS}, form("uuid"), {"format-added": C}),
    "a wider format": (form("uri"), form("uri-reference"), {"format-changed": C}),
    "a narrower format": (form("uri-reference"), form("uri"), {"format-changed": B}),
    "one that cannot be compared": (STR, form("regex"), {"schema-undecided": U}),
    "one of no draft": (STR, form("int64"), {"format-added": B}),
    "gone": (form("ipv4"), STR, {"format-removed": C}),
}


@pytest.mark.parametrize("line", LINES)
def test_a_format_is_what_its_strings_are(comparer: Comparer, line: str) -> None:
    before, after, expected = LINES[line]
    old, new = ({"type": "object", "properties": {"a": part}} for part in (before, after))
    found = comparer.schemas(old, new, Side.INPUT, assert_formats=True)
    verdicts = {change.kind: change.verdict for change in found}
    for kind, verdict in expected.items():
        assert verdicts.get(kind, C) is verdict
    if not expected:
        assert {change.verdict for change in found} <= {C}
    for change in found:
        if change.verdict is B and change.kind != "format-added":
            assert change.has_witness


def test_a_neighbour_keeps_its_formats(comparer: Comparer) -> None:
    old = {"type": "object", "properties": {"a": form("email"), "b": STR}}
    new = {"type": "object", "properties": {"a": form("email", minLength=3), "b": {"type": "integer"}}}
    [change] = [
        change for change in comparer.schemas(old, new, Side.INPUT, assert_formats=True) if change.verdict is not C
    ]
    assert (change.kind, change.witness) == ("type-changed", {"b": "example"})


@pytest.mark.parametrize("form", [{"dependencies": {"a": ["b"]}}, {"exclusiveMinimum": True, "minimum": 0}])
def test_what_2020_12_lacks_is_no_respelling(comparer: Comparer, form: dict[str, Any]) -> None:
    modern = {"dependentRequired": {"a": ["b"]}} if "dependencies" in form else {"exclusiveMinimum": 0}
    old, new = (
        {"type": "object", "properties": {"p": {"type": ["object", "number"], **part}}} for part in (modern, form)
    )
    for one, other in ((old, new), (new, old)):
        verdicts = {change.verdict for change in comparer.schemas(one, other, Side.INPUT)}
        assert U in verdicts
    assert not comparer.schemas(new, {**new}, Side.INPUT)
