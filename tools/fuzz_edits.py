"""Edits of schemas, equivalent spellings, and complements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fuzz_schemas import (
    APART,
    ARRAYS,
    GENERAL,
    LISTS,
    LOGIC,
    MAPS,
    NAMES,
    NUMBERS,
    OBJECTS,
    PATTERNS,
    SINGLE,
    STRINGS,
    TYPES,
    VALUES,
    Maker,
    children,
    copied,
    places,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Callable


class Editor:
    """Edits that people make, and some that they do not, at any place in a schema."""

    def __init__(self, maker: Maker) -> None:
        self.maker = maker
        self.edits: list[Callable[[dict[str, Any]], bool]] = [
            self.drop,
            self.put,
            self.nudge,
            self.nudge,
            self.swap,
            self.shrink,
            self.grow,
            self.flip,
            self.replace,
            self.replace,
            self.retype,
            self.rename,
            self.negate,
        ]

    def edited(self, schema: Any, count: int = 1) -> Any:
        """The schema after a number of edits."""
        if not isinstance(schema, dict):
            return self.maker.schema(1)
        schema = copied(schema)
        for _ in range(count):
            found = places(schema)
            for _ in range(20):
                place = self.maker.pick(found)
                if self.maker.pick(self.edits)(place):
                    break
        return schema

    def drop(self, place: dict[str, Any]) -> bool:
        words = [word for word in place if word not in ("$schema", "$defs", "definitions", "$anchor", APART)]
        if not words:
            return False
        del place[self.maker.pick(words)]
        return True

    def put(self, place: dict[str, Any]) -> bool:
        words = self.maker.pick([ARRAYS, OBJECTS, NUMBERS, STRINGS, LOGIC, GENERAL])
        self.maker.add(place, self.maker.pick(words), 1)
        return True

    def nudge(self, place: dict[str, Any]) -> bool:
        words = [word for word, value in place.items() if type(value) in (int, float) and word not in ("const",)]
        if not words:
            return False
        word = self.maker.pick(words)
        step = self.maker.pick([1, -1, 1, -1, 2, 0.5])
        value = place[word] + step
        if word not in NUMBERS:
            value = max(0, int(value))
        if word == "multipleOf" and value <= 0:
            value = 3
        place[word] = value
        return True

    def swap(self, place: dict[str, Any]) -> bool:
        for words in (["anyOf", "oneOf", "allOf"], ["minimum", "exclusiveMinimum"], ["maximum", "exclusiveMaximum"]):
            here = [word for word in words if word in place]
            if here:
                place[self.maker.pick(words)] = place.pop(here[0])
                return True
        return False

    def shrink(self, place: dict[str, Any]) -> bool:
        """Remove something from a list or a map."""
        words = [word for word, value in place.items() if isinstance(value, list | dict) and len(value) > 1]
        words = [word for word in words if word not in SINGLE and word not in ("$defs", "definitions", "const")]
        if not words:
            return False
        value = place[self.maker.pick(words)]
        del value[self.maker.pick(list(value) if isinstance(value, dict) else list(range(len(value))))]
        return True

    def grow(self, place: dict[str, Any]) -> bool:
        """Add something to a list or a map."""
        words = [word for word in (*MAPS, *LISTS, "enum", "required") if word in place]
        if not words:
            return False
        word = self.maker.pick(words)
        value = place[word]
        if isinstance(value, dict):
            name = self.maker.pick(PATTERNS if word == "patternProperties" else NAMES)
            value.setdefault(name, self.maker.schema(1))
        elif word in ("enum", "required"):
            item = self.maker.pick(VALUES if word == "enum" else NAMES)
            if item not in value:
                value.append(item)
        else:
            value.insert(self.maker.below(len(value) + 1), self.maker.schema(1))
        return True

    def flip(self, place: dict[str, Any]) -> bool:
        if "uniqueItems" in place:
            place["uniqueItems"] = not place["uniqueItems"]
        elif "additionalProperties" in place:
            place["additionalProperties"] = not place["additionalProperties"]
        elif "properties" in place and isinstance(place["properties"], dict):
            place["additionalProperties"] = False
        else:
            return False
        return True

    def replace(self, place: dict[str, Any]) -> bool:
        """Replace one subschema with another."""
        found = [(holder, key) for holder, key in children(place) if not isinstance(holder[key], list)]
        if not found:
            return False
        holder, key = self.maker.pick(found)
        holder[key] = self.maker.schema(1) if self.maker.chance(0.5) else self.maker.leaf()
        return True

    def retype(self, place: dict[str, Any]) -> bool:
        if not isinstance(place.get("type"), str | list):
            return False
        named = [place["type"]] if isinstance(place["type"], str) else place["type"]
        other = self.maker.pick(TYPES)
        place["type"] = sorted({*named, other}) if self.maker.chance(0.5) else other
        return True

    def rename(self, place: dict[str, Any]) -> bool:
        words = [word for word in ("properties", "patternProperties") if isinstance(place.get(word), dict)]
        if not words or not place[words[0]]:
            return False
        names = place[words[0]]
        part = names.pop(self.maker.pick(list(names)))
        names[self.maker.pick(NAMES if words[0] == "properties" else PATTERNS)] = part
        return True

    def negate(self, place: dict[str, Any]) -> bool:
        found = [(holder, key) for holder, key in children(place) if isinstance(holder[key], dict)]
        if not found:
            return False
        holder, key = self.maker.pick(found)
        holder[key] = {"not": holder[key]}
        return True


def respelled(schema: Any, rng: random.Random) -> Any:
    """A schema that accepts exactly the same values."""
    if not isinstance(schema, dict) or any(word in schema for word in ("$schema", "$ref", "$anchor", "$dynamicAnchor")):
        return copied(schema)
    out = {key: schema[key] for key in sorted(schema, key=lambda _: rng.random())}
    out = copied(out)
    for word in ("enum", "required", "anyOf", "oneOf", "allOf"):
        if isinstance(out.get(word), list):
            rng.shuffle(out[word])
    if "const" in out and "enum" not in out:
        out["enum"] = [out.pop("const")]
    if isinstance(out.get("type"), str) and rng.random() < 0.5:
        out["type"] = [out["type"]]
    return out


def opposite(schema: Any, rng: random.Random) -> Any:
    """A schema that accepts what another rejects, and a little more, without ``not`` as far as possible.

    Sometimes a side condition is omitted: the type, or an array that is long enough for the forbidden place.
    """
    if isinstance(schema, bool):
        return not schema
    parts = [_opposite_word(word, value, schema, rng) for word, value in schema.items()]
    if not parts:
        return False
    return parts[0] if len(parts) == 1 else {"anyOf": parts}


def _opposite_word(word: str, value: Any, schema: dict[str, Any], rng: random.Random) -> Any:  # noqa: C901 - a table
    def typed(kind: str, rest: dict[str, Any]) -> dict[str, Any]:
        return {"type": kind, **rest} if rng.random() < 0.7 else rest

    def inner(part: Any) -> Any:
        return opposite(part, rng) if rng.random() < 0.5 else {"not": part}

    if word == "not":
        return copied(value)
    if word in ("anyOf", "allOf"):
        return {"allOf" if word == "anyOf" else "anyOf": [inner(part) for part in value]}
    if word == "type":
        named = {value} if isinstance(value, str) else set(value)
        if "integer" not in named:
            return {"type": [kind for kind in TYPES if kind not in named | {"integer"}] or ["integer"]}
    if word == "properties":
        return {
            "anyOf": [typed("object", {"required": [key], "properties": {key: inner(value[key])}}) for key in value]
        }
    if word == "required":
        return {"anyOf": [typed("object", {"properties": {key: False}}) for key in value]} if value else False
    if word == "prefixItems":
        longs = [
            typed("array", {"minItems": at + 1, "prefixItems": [*([True] * at), inner(part)]})
            for at, part in enumerate(value)
        ]
        if rng.random() < 0.4:
            for part in longs:
                part.pop("minItems")
        return {"anyOf": longs}
    if word == "items" and "prefixItems" not in schema and not isinstance(value, list):
        return typed("array", {"contains": inner(value)})
    if word == "contains" and "minContains" not in schema and "maxContains" not in schema:
        return typed("array", {"items": inner(value)})
    if word in _TURNED and type(value) in (int, float):
        kind, turned, step = _TURNED[word]
        if value + step >= 0 or kind == "number":
            return typed(kind, {turned: value + step})
    return {"not": {key: copied(schema[key]) for key in schema if key == word or key in _TOGETHER.get(word, ())}}


_TURNED = {
    "minimum": ("number", "exclusiveMaximum", 0),
    "maximum": ("number", "exclusiveMinimum", 0),
    "exclusiveMinimum": ("number", "maximum", 0),
    "exclusiveMaximum": ("number", "minimum", 0),
    "minItems": ("array", "maxItems", -1),
    "maxItems": ("array", "minItems", 1),
    "minLength": ("string", "maxLength", -1),
    "maxLength": ("string", "minLength", 1),
    "minProperties": ("object", "maxProperties", -1),
    "maxProperties": ("object", "minProperties", 1),
}
_TOGETHER = {
    "items": ("prefixItems",),
    "additionalProperties": ("properties", "patternProperties"),
    "contains": ("minContains", "maxContains"),
    "minContains": ("contains", "maxContains"),
    "maxContains": ("contains", "minContains"),
    "if": ("then", "else"),
    "then": ("if", "else"),
    "else": ("if", "then"),
    "unevaluatedProperties": tuple(OBJECTS) + tuple(LOGIC) + ("then", "else"),
    "unevaluatedItems": tuple(ARRAYS) + tuple(LOGIC) + ("then", "else"),
}
"""Keywords whose meaning depends on others."""
