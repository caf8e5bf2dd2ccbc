"""Random schemas, values and edits, for property tests."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

NAMES = ["a", "b", "ab", "c", "x1"]
PATTERNS = ["^a", "b$", "^a$", "^[a-c]+$", "a", r"^x\d$", "^(a|b)*$", r"\w", "^(?!a)", "^$"]
SCALARS: list[Any] = [None, True, False, 0, 1, 2, -1, 1.5, 0.5, 3, "", "a", "b", "ab", "abc", "x1"]
VALUES: list[Any] = [*SCALARS, [], [1], [1, 1], ["a"], [1, 2], ["a", 1], {}, {"a": 1}, {"b": "a"}, {"a": "a", "b": 1}]
TYPES = ["string", "integer", "number", "null", "boolean", "array", "object"]

small = st.integers(0, 3)
names = st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True)
leaf = st.one_of(
    st.booleans(),
    st.sampled_from(TYPES).map(lambda name: {"type": name}),
    st.sampled_from(VALUES).map(lambda value: {"const": value}),
    st.lists(st.sampled_from(VALUES), min_size=1, max_size=4).map(lambda values: {"enum": values}),
)


def keywords(schema: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """One keyword, or two that belong together."""
    some = st.lists(schema, min_size=1, max_size=3)
    several = {
        "type": st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True),
        "enum": st.lists(st.sampled_from(VALUES), min_size=1, max_size=5),
        "minimum": st.sampled_from([-1, 0, 1.5]),
        "maximum": st.sampled_from([0, 2, 2.5]),
        "exclusiveMinimum": small,
        "exclusiveMaximum": small,
        "multipleOf": st.sampled_from([1, 2, 3, 0.5, 1.5]),
        "minLength": small,
        "maxLength": small,
        "pattern": st.sampled_from(PATTERNS),
        "items": schema,
        "prefixItems": some,
        "minItems": small,
        "maxItems": small,
        "uniqueItems": st.just(True),
        "contains": schema,
        "minContains": small,
        "maxContains": small,
        "properties": st.dictionaries(st.sampled_from(NAMES), schema, min_size=1, max_size=3),
        "patternProperties": st.dictionaries(st.sampled_from(PATTERNS), schema, min_size=1, max_size=4),
        "additionalProperties": schema,
        "propertyNames": st.one_of(
            st.sampled_from(PATTERNS).map(lambda pattern: {"pattern": pattern}),
            names.map(lambda listed: {"enum": listed}),
        ),
        "required": names,
        "minProperties": small,
        "maxProperties": small,
        "dependentRequired": st.dictionaries(st.sampled_from(NAMES), names, min_size=1, max_size=1),
        "dependentSchemas": st.dictionaries(st.sampled_from(NAMES), schema, min_size=1, max_size=1),
        "allOf": some,
        "anyOf": some,
        "oneOf": some,
        "not": schema,
        "unevaluatedProperties": schema,
        "unevaluatedItems": schema,
    }
    single = st.sampled_from(sorted(several)).flatmap(lambda word: several[word].map(lambda value: {word: value}))
    conditional = st.tuples(schema, schema, schema).map(
        lambda parts: dict(zip(("if", "then", "else"), parts, strict=True))
    )
    return st.one_of(single, single, single, conditional)


def _merged(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {word: value for part in parts for word, value in part.items()}


schemas = st.recursive(leaf, lambda inner: st.lists(keywords(inner), min_size=1, max_size=4).map(_merged), max_leaves=6)


def subschemas(schema: Any) -> list[dict[str, Any]]:
    """Every object in a schema that is one of its schemas (or looks like one), the root first."""
    found = [schema] if isinstance(schema, dict) else []
    for word, value in schema.items() if isinstance(schema, dict) else ():
        if word in ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas"):
            for part in value.values() if isinstance(value, dict) else ():
                found += subschemas(part)
        elif word in ("allOf", "anyOf", "oneOf", "prefixItems") or (word == "items" and isinstance(value, list)):
            for part in value:
                found += subschemas(part)
        elif word in ("items", "additionalProperties", "not", "if", "then", "else", "contains"):
            found += subschemas(value)
    return found


@st.composite
def edited(draw: st.DrawFn, schema: Any) -> Any:
    """The schema after one or two edits of the kind that people make."""
    schema = copy.deepcopy(schema)
    for _ in range(draw(st.integers(1, 2))):
        places = subschemas(schema)
        place = draw(st.sampled_from(places)) if places else None
        if place is None:
            return draw(schemas)
        _edit(draw, place)
    return schema


def _edit(draw: st.DrawFn, place: dict[str, Any]) -> None:
    edit = draw(st.sampled_from(["drop", "require", "close", "optional", "bound", "nullable", "enum", "keyword"]))
    if edit == "drop":
        loose = sorted(word for word in place if word not in ("$schema", "$defs", "definitions", "properties"))
        if loose:
            del place[draw(st.sampled_from(loose))]
    elif edit == "require":
        place["required"] = sorted({*place.get("required", ()), *list(place.get("properties", {}))[:1]})
        if not place["required"]:
            del place["required"]
    elif edit == "close":
        place["additionalProperties"] = not place.get("additionalProperties", True)
    elif edit == "optional":
        place["properties"] = {**place.get("properties", {}), draw(st.sampled_from(NAMES)): draw(leaf)}
    elif edit == "bound":
        place[draw(st.sampled_from(["minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"]))] = draw(
            small
        )
    elif edit == "nullable" and isinstance(place.get("type"), str):
        place["type"] = sorted({place["type"], "null"})
    elif edit == "enum" and isinstance(place.get("enum"), list):
        place["enum"] = place["enum"][1:] or ["a"]
    else:
        place.update(draw(keywords(leaf)))
