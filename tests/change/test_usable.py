"""Input schemas that no client could follow, before or now."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.change import Verdict
from mcp_governor.findings import Bump
from tests.change.conftest import Comparer

STR = {"type": "string"}
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
GOOD: dict[str, Any] = {"type": "object", "properties": {"path": STR}, "required": ["path"]}

BROKEN_ROOTS: dict[str, Any] = {
    # what server-filesystem published up to 2025.8.21, because its schema generator met another zod
    "a dialect and nothing else": {"$schema": DRAFT_7},
    "a dialect and words": {"$schema": DRAFT_7, "title": "Arguments", "$defs": {"A": STR}},
    "a string": STR,
    "an array or null": {"type": ["array", "null"]},
    "false": False,
}
NO_OBJECT: dict[str, Any] = {
    "required and forbidden": {"type": "object", "required": ["a"], "properties": {"a": False}},
    "too many required keys": {"type": "object", "required": ["a", "b"], "maxProperties": 1},
    "a reference to a string": {"$ref": "#/$defs/A", "$defs": {"A": STR}},
}


@pytest.mark.parametrize("old", [*BROKEN_ROOTS.values(), *NO_OBJECT.values()], ids=[*BROKEN_ROOTS, *NO_OBJECT])
def test_a_repair_breaks_nobody(comparer: Comparer, old: Any) -> None:
    [change] = comparer.schemas(old, GOOD)
    assert (change.kind, change.path) == ("schema-repaired", "/inputSchema")
    assert (change.verdict, change.bump, change.wording) == (Verdict.COMPATIBLE, Bump.MINOR, False)
    assert change.message.startswith("the unusable schema was repaired: it")


@pytest.mark.parametrize("new", BROKEN_ROOTS.values(), ids=BROKEN_ROOTS)
def test_a_root_that_breaks_is_called_what_it_is(comparer: Comparer, new: Any) -> None:
    [change] = comparer.schemas(GOOD, new)
    assert (change.kind, change.verdict, change.bump) == ("schema-unusable", Verdict.BREAKING, Bump.MAJOR)
    assert change.message.startswith("the schema is now unusable: it")


@pytest.mark.parametrize("new", list(NO_OBJECT.values())[:2], ids=list(NO_OBJECT)[:2])
def test_what_makes_a_schema_accept_nothing_is_reported_edit_by_edit(comparer: Comparer, new: Any) -> None:
    changes = comparer.schemas({"type": "object", "properties": {"a": STR, "b": STR}}, new)
    assert Verdict.BREAKING in {change.verdict for change in changes}
    assert "schema-unusable" not in {change.kind for change in changes}


USABLE: dict[str, Any] = {
    "empty, as people write it for a tool without arguments": {},
    "true": True,
    "type left out beside properties": {"properties": {"path": STR}},
    "a reference to an object": {"$ref": "#/$defs/A", "$defs": {"A": {"type": "object"}}},
    "an object or null": {"type": ["object", "null"]},
}


@pytest.mark.parametrize("old", USABLE.values(), ids=USABLE)
def test_what_could_be_used_is_checked_against_its_word(comparer: Comparer, old: Any) -> None:
    changes = comparer.schemas(old, GOOD)
    assert Verdict.BREAKING in {change.verdict for change in changes}
    assert not {"schema-repaired", "schema-unusable"} & {change.kind for change in changes}


def test_a_schema_that_stays_unusable_is_compared_as_usual(comparer: Comparer) -> None:
    kinds = {change.kind for change in comparer.schemas(STR, {"type": "integer"})}
    assert not {"schema-repaired", "schema-unusable"} & kinds
    assert kinds
