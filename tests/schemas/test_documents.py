"""Where references lead, dialect by dialect."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.schemas.references import Components, Document
from mcp_governor.schemas.translation import modern
from mcp_governor.schemas.values import text_of

LEAF = {"type": "null"}

LEADS: dict[str, tuple[int, dict[str, Any], str, str, str | None]] = {
    # draft, schema, base URI of the reference, the reference, the pointer that it leads to
    "to the root": (20, {"$defs": {"a": LEAF}}, "", "#", ""),
    "by a pointer": (20, {"$defs": {"a b": LEAF}}, "", "#/$defs/a%20b", "/$defs/a b"),
    "by an anchor": (20, {"$defs": {"a": {"$anchor": "x"}}}, "", "#x", "/$defs/a"),
    "not to a property of that name": (20, {"x": LEAF}, "", "#x", None),
    "by an address": (20, {"$defs": {"a": {"$id": "https://a.example/x"}}}, "", "https://a.example/x", "/$defs/a"),
    "by a relative address": (
        20,
        {"$id": "https://a.example/dir/s", "$defs": {"a": {"$id": "../x"}}},
        "https://a.example/dir/s",
        "/x",
        "/$defs/a",
    ),
    "by a pointer from an embedded resource": (
        20,
        {"$defs": {"a": {"$id": "https://a.example/x", "$defs": {"b": LEAF}}}},
        "https://a.example/x",
        "#/$defs/b",
        "/$defs/a/$defs/b",
    ),
    "not out of an embedded resource": (
        20,
        {"$defs": {"a": {"$id": "https://a.example/x"}, "b": LEAF}},
        "https://a.example/x",
        "#/$defs/b",
        None,
    ),
    "by a plain name of draft 7": (7, {"definitions": {"a": {"$id": "#x"}}}, "", "#x", "/definitions/a"),
    "by a plain name of draft 4": (4, {"definitions": {"a": {"id": "#x"}}}, "", "#x", "/definitions/a"),
    "not by a plain name of draft 7 in 2020-12": (20, {"$defs": {"a": {"$id": "#x"}}}, "", "#x", None),
    "not by the name of another dialect": (7, {"definitions": {"a": {"id": "#x"}}}, "", "#x", None),
    "not by a name beside a reference of draft 7": (
        7,
        {"definitions": {"a": {"$id": "#x", "$ref": "#/definitions/b"}, "b": LEAF}},
        "",
        "#x",
        None,
    ),
    "not into a value": (20, {"required": ["a"]}, "", "#/required", None),
    "within a resource whose name is no address": (
        20,
        {"$id": "http://[", "$defs": {"a": LEAF}},
        "http://[",
        "#/$defs/a",
        "/$defs/a",
    ),
    "not to something that is no address": (20, {"$id": "http://[", "$defs": {"a": LEAF}}, "", "//[#/$defs/a", None),
}


@pytest.mark.parametrize("name", LEADS)
def test_a_reference_leads(name: str) -> None:
    draft, schema, base, reference, pointer = LEADS[name]
    found = Document(schema, draft=draft).find(base, reference)
    assert (None if found is None else found.pointer) == pointer


def test_a_relative_name_is_joined_once() -> None:
    document = Document({"$id": "https://a.example/d/", "$defs": {"a": {"$id": "d/", "$defs": {"b": {"$id": "x"}}}}})
    found = document.find("https://a.example/d/", "d/")
    assert found is not None
    assert document.base_of(found.schema, found.base) == "https://a.example/d/d/"
    assert document.find("", "https://a.example/d/d/x") is not None


def test_what_is_not_there_is_distinguished_from_what_is_elsewhere() -> None:
    document = Document({"$id": "https://a.example/s", "$defs": {"a": LEAF}})
    base = "https://a.example/s"
    assert [document.leads_out(base, reference) for reference in ("#gone", "s#/gone", "t", "https://b.example/s")] == [
        False,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize("alone", [True, False])
def test_the_meta_schemas_are_there_where_they_are_wanted(alone: bool) -> None:
    document = Document({}, alone=alone)
    found = document.find("", "http://json-schema.org/draft-07/schema#/definitions/nonNegativeInteger")
    assert (found is None) is alone


def test_components_share_a_number() -> None:
    steps = {"a": "b", "b": "cd", "c": "a", "d": "e", "e": "e", "f": "a"}
    components = Components(steps.__getitem__)
    assert sorted(components.settle("a")) == list("abcde")
    assert components.settle("f") == ["f"]
    assert components.settle("b") == []
    of = components.of
    assert of["a"] == of["b"] == of["c"]
    assert len({of[name] for name in "adef"}) == 4


@pytest.mark.parametrize(("draft", "word"), [(4, "id"), (6, "$id"), (7, "$id"), (19, "$id")])
def test_a_pointer_starts_at_what_the_dialect_takes_for_an_address(draft: int, word: str) -> None:
    inner = {word: "https://a.example/x", "items": [LEAF], "properties": {"b": {"$ref": "#/items/0"}}}
    schema = {"items": LEAF, "properties": {"a": inner}}
    assert modern(schema, draft, text_of(schema)) == {
        "items": LEAF,
        "properties": {
            "a": {
                "$id": "https://a.example/x",
                "prefixItems": [LEAF],
                "properties": {"b": {"$ref": "#/prefixItems/0"}},
            }
        },
    }
