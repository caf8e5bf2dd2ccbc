"""A document is a type: its schema, what is read with it, and the sentence and the line of a mistake."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, Literal

import jsonschema
import msgspec
import pytest
import tomli
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta, Struct, field

from mcp_governor import documents
from mcp_governor.config.model import ConfigFile
from mcp_governor.documents import ALSO, Wrong, read, schema_of, toml_line
from mcp_governor.findings import Severity, Tier


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Leaf(Struct, frozen=True, forbid_unknown_fields=True):
    """A leaf of it.

    More for programmers.

    Attributes:
        size: How large it is,
            in ``mm``.
    """

    size: Annotated[int, Meta(ge=1)]


class Tree(Struct, frozen=True, rename="kebab", tag_field="format", tag="mcp-governor/tree-1"):
    """A tree."""

    first_leaf: Leaf | None
    name: str | None
    colour: Colour = Colour.RED
    kind: Literal["z", "a"] = "z"
    pair: tuple[int, int] | None = None
    leaves: tuple[Leaf, ...] = ()
    by_name: Mapping[str, Leaf] = field(default_factory=dict)
    free: Annotated[int, Meta(extra_json_schema={ALSO: {"type": None, "minimum": 2}})] = 3


LEAF = {
    "type": "object",
    "description": "A leaf of it.",
    "properties": {"size": {"type": "integer", "minimum": 1, "description": "How large it is, in `mm`."}},
    "required": ["size"],
    "additionalProperties": False,
}


def test_the_schema_of_a_type() -> None:
    assert schema_of(Tree) == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "mcp-governor/tree-1",
        "description": "A tree.",
        "type": "object",
        "properties": {
            "format": {"const": "mcp-governor/tree-1"},
            # Null if there is no default; with the default None, left out.
            "first-leaf": LEAF | {"type": ["object", "null"]},
            "name": {"type": ["string", "null"]},
            # As declared, not sorted.
            "colour": {"enum": ["red", "blue"]},
            "kind": {"enum": ["z", "a"]},
            "pair": {"type": "array", "prefixItems": [{"type": "integer"}] * 2, "minItems": 2, "maxItems": 2},
            "leaves": {"type": "array", "items": LEAF},
            "by-name": {"type": "object", "additionalProperties": LEAF},
            "free": {"minimum": 2},
        },
        "required": ["format", "first-leaf", "name"],
    }


GOOD: dict[str, Any] = {"format": "mcp-governor/tree-1", "first-leaf": None, "name": "x"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "zz"}, '"kind" cannot be "zz". Did you mean "z"?'),
        ({"by-name": {"a b": {"sise": 1, "size": 1}}}, 'unknown key "by-name.a b.sise". Did you mean "size"?'),
        ({"leaves": [{"size": 1}, {"size": 0}]}, '"leaves.1.size" is wrong: 0 is less than the minimum of 1.'),
        ({"leaves": [{}]}, '"leaves.0" is wrong: "size" is a required property.'),
        ({"format": "mcp-governor/tree-2"}, '"format" is wrong: "mcp-governor/tree-1" was expected.'),
        ({"format": None}, '"format" is a required property.'),
        ({"name": "\ud800", "kind": 1}, '"kind" cannot be 1.'),
        ({"\x1b[31m": 1, "pair": [1]}, '"pair" is wrong: [1] has less than 2 items.'),
    ],
)
def test_a_wrong_document_gets_one_sentence_with_the_place(change: dict[str, Any], said: str) -> None:
    value = {key: item for key, item in {**GOOD, **change}.items() if item is not None or key not in change}
    wrong = read(Tree, value)
    assert isinstance(wrong, Wrong)
    assert wrong.sentence == said


def test_an_integer_may_have_a_point() -> None:
    assert read(Tree, {**GOOD, "leaves": [{"size": 2.0}]}) == Tree(None, "x", leaves=(Leaf(2),))


class Grove(Struct, frozen=True, tag_field="format", tag="mcp-governor/grove-1", kw_only=True):
    """What is written of a wood."""

    count: int = field(name="trees")
    share: float
    owner: str | None = None
    first: GroveLeaf | None = None


class GroveLeaf(Struct, frozen=True, omit_defaults=True):
    """What is written of a leaf."""

    size: int
    worn: str | None = None


class Wood:
    """Has what is written of it, partly computed, and more."""

    share = 2 / 3
    first = Leaf(4)
    age = 80

    @property
    def count(self) -> int:
        return 12


def test_a_document_is_read_from_the_attributes_of_a_value() -> None:
    document = {"format": "mcp-governor/grove-1", "trees": 12, "share": 0.67, "owner": None, "first": {"size": 4}}
    assert documents.written(Grove, Wood(), digits=2) == document
    schema = schema_of(Grove, written=True)
    # What is written is always there, null or not; and so nothing has a default.
    assert schema["required"] == list(document)
    assert schema["properties"]["owner"] == {"type": ["string", "null"]}
    leaf = schema["properties"]["first"]
    assert (leaf["required"], leaf["properties"]["worn"]) == (["size"], {"type": "string"})
    jsonschema.validate(document, schema)


def test_literals_have_the_words_of_the_enums_that_they_spell() -> None:
    properties = schema_of(ConfigFile, "x")["properties"]
    severities = [severity.value for severity in Severity]
    assert properties["fail-on"]["enum"] == [*severities, "never"]
    assert properties["lint"]["properties"]["severity"]["additionalProperties"]["enum"] == [*severities, "off"]
    tiers = [tier.value for tier in Tier]
    assert list(properties["tiers"]["properties"]) == tiers
    assert list(properties["policy"]["properties"]["windows"]["properties"]) == tiers


def test_a_default_in_a_description_is_the_default() -> None:
    defaults = msgspec.to_builtins(ConfigFile())
    schemas = schema_of(ConfigFile, "x")["properties"]
    tables = {"": {"properties": schemas}, **schemas}
    said = [
        (defaults[table][key] if table else defaults[key], schema["description"])
        for table, held in tables.items()
        for key, schema in held.get("properties", {}).items()
        if re.search(r"\d by default", schema.get("description", ""))
    ]
    assert len(said) == 4
    assert all(f"{default:g} by default" in text for default, text in said)


# Keys that need quotes, dots in them, and words that are also tables of the same document.
KEYS = st.sampled_from(["a", "b", "c", "x y", "d.e", "tool"])
VALUES = st.recursive(
    st.one_of(st.integers(0, 9), st.text("a=[]\n#\"'", max_size=6)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=6,
)


def toml(value: Any) -> str:
    """A value as TOML, strings over several lines where they can be."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[\n" + "".join(f"  {toml(item)},\n" for item in value) + "]"
    if isinstance(value, str) and "\n" in value:
        return '"""\n' + value.replace('"', '\\"') + '"""'
    return json.dumps(value)


@settings(max_examples=20)
@given(st.lists(st.tuples(KEYS, st.dictionaries(KEYS, VALUES, max_size=3)), max_size=4))
def test_the_line_of_every_value_is_that_of_its_statement(tables: list[tuple[str, dict[str, Any]]]) -> None:
    text, expected = "# begins\n", {}
    seen: dict[str, int] = {}
    for name, table in tables:
        index = seen[name] = seen.get(name, -1) + 1
        expected[(name, index)] = text.count("\n") + 1
        text += f"[[{json.dumps(name)}]]\n"
        for key, value in table.items():
            for path in _paths(value, (name, index, key)):
                expected[path] = text.count("\n") + 1
            text += f"{json.dumps(key)} = {toml(value)}\n\n"
    tomli.loads(text)
    assert {path: toml_line(text, path) for path in expected} == expected
    # What is not there has the line of the table that holds it.
    assert {path: toml_line(text, (*path, "none")) for path in expected} == expected
    assert toml_line(text, ("none",)) == 0


def _paths(value: Any, path: tuple[str | int, ...]) -> list[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, item in items for found in _paths(item, (*path, key)))]


def test_the_line_of_a_huge_document_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"k{number} = [\n'=',\n]\n" for number in range(50))
    assert toml_line(text, ("k49",)) == 3 * 49 + 1
    monkeypatch.setattr(documents, "_MAX_PARSED", 100)
    assert toml_line(text, ("k49",)) == 0


WORDS = st.sampled_from(["x", "a:b", "https://x", "pypi:x", "schemas/a"])
LEAVES = st.one_of(st.booleans(), st.integers(-1, 200), st.floats(0, 2), st.just(""), WORDS)
PLAIN = {"boolean": st.booleans(), "integer": st.integers(1, 99), "number": st.floats(1, 9), "string": WORDS}


def values_of(schema: Any) -> st.SearchStrategy[Any]:
    """Values of a table of the configuration; one in eight is wrong, or has a key that the table has not."""
    kind = schema.get("type")
    if "properties" in schema:
        keys = {key: values_of(held) for key, held in schema["properties"].items()} | {"x": LEAVES}
        some = st.lists(st.sampled_from([*keys][:-1]), max_size=3, unique=True)
        some |= st.lists(st.sampled_from([*keys]), max_size=3, unique=True)
        good = some.flatmap(lambda names: st.fixed_dictionaries({key: keys[key] for key in names}))
    elif "enum" in schema:
        good = st.sampled_from(schema["enum"])
    elif "anyOf" in schema:
        good = st.one_of(*map(values_of, schema["anyOf"]))
    elif kind == "object":
        good = st.dictionaries(st.sampled_from("ab"), values_of(schema.get("additionalProperties", {})), max_size=2)
    elif kind == "array":
        good = st.lists(values_of(schema.get("items", {})), max_size=2)
    else:
        good = PLAIN.get(kind, LEAVES)
    return st.integers(0, 7).flatmap(lambda number: good if number else LEAVES)


SCHEMA = schema_of(ConfigFile, "x")
# What only the schema says, and what is spelled out before the type reads it.
del SCHEMA["properties"]["servers"]["additionalProperties"]["oneOf"]
del SCHEMA["properties"]["servers"]["additionalProperties"]["dependentRequired"]
del SCHEMA["properties"]["accept"]["items"]["properties"]["until"]
for name in ("calls", "profile"):
    SCHEMA["properties"][name]["type"] = "array"
JUDGE = jsonschema.Draft202012Validator(SCHEMA)


@settings(max_examples=40)
@given(values_of(SCHEMA))
def test_the_type_takes_what_the_schema_takes(table: Any) -> None:
    """msgspec against another validator."""
    found = read(ConfigFile, table, schema=lambda: SCHEMA)
    assert isinstance(found, ConfigFile) == JUDGE.is_valid(table), found
