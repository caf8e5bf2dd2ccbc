"""Random schemas and edits of them, from a seeded generator: what ``make fuzz`` asks about.

Hypothesis makes the schemas of the property tests; it takes about a millisecond for a draw of this size, and most
of a fuzzing run would be spent on that. These are made in a fiftieth of the time. What is found is reduced by
``fuzz_reduce``, which needs no history of draws.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

NAMES = ["a", "b", "ab", "c", "x1"]
PATTERNS = [
    "^a",
    "b$",
    "^a$",
    "^[a-c]+$",
    "a",
    r"^x\d$",
    "^(a|b)*$",
    r"\w",
    "^(?!a)",
    "^$",
    "^x",
    "1",
    "^.$",
    "^..",
    "[^a]",
    "^ab?$",
    "c|x",
    r"^\d+$",
    r"\s",
    r"^\S*$",
    "^(?=a)",
    r"\bb",
    "^[^a-b]*$",
    r"(a)\1",
    "^a{2,3}$",
    "^(?:ab|a)b?$",
    "^.*$",
    "é",
    r"^\w*$",
]
SCALARS: list[Any] = [None, True, False, 0, 1, 2, -1, 1.0, 1.5, 0.5, 3, "", "a", "b", "ab", "abc", "x1", "é", "a b"]
VALUES: list[Any] = [*SCALARS, [], [1], [1, 1], ["a"], [1, 2], [0, True], {}, {"a": 1}, {"b": "a"}, {"a": "a", "b": 1}]
TYPES = ["string", "integer", "number", "null", "boolean", "array", "object"]

ARRAYS = ["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"]
ARRAYS += ["contains", "prefixItems", "unevaluatedItems"]
OBJECTS = ["properties", "patternProperties", "additionalProperties", "propertyNames", "required", "minProperties"]
OBJECTS += ["maxProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties", "properties"]
NUMBERS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
STRINGS = ["minLength", "maxLength", "pattern", "pattern", "format"]
LOGIC = ["allOf", "anyOf", "oneOf", "not", "if"]
IN_PLACE = (*LOGIC, "dependentSchemas")
GENERAL = ["type", "enum", "const"]
THEMES = [ARRAYS, ARRAYS, OBJECTS, OBJECTS, OBJECTS, NUMBERS, STRINGS, [*ARRAYS, *OBJECTS, *NUMBERS, *STRINGS]]
KIND_OF = {id(ARRAYS): ["array"], id(OBJECTS): ["object"], id(NUMBERS): ["integer", "number"], id(STRINGS): ["string"]}

DRAFTS = {
    4: "http://json-schema.org/draft-04/schema#",
    6: "http://json-schema.org/draft-06/schema#",
    7: "http://json-schema.org/draft-07/schema#",
    19: "https://json-schema.org/draft/2019-09/schema",
    20: "https://json-schema.org/draft/2020-12/schema",
}
MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
SINGLE = (
    "items",
    "additionalItems",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "propertyNames",
    "contains",
    "not",
    "if",
    "then",
    "else",
)


class Maker:
    """Makes schemas.

    Args:
        rng: where the choices come from.
        references: references that a schema may make, such as ``#/$defs/A``.
        circles: how often a reference may apply to the very value that the schema is about. In a definition this
            is mostly a circle, whose meaning the specification leaves open.
    """

    def __init__(self, rng: random.Random, references: tuple[str, ...] = (), circles: float = 1.0) -> None:
        self.rng = rng
        self.references = references
        self.circles = circles
        self._in_place = True

    def pick(self, options: list[Any]) -> Any:
        return options[int(self.rng.random() * len(options))]

    def below(self, count: int) -> int:
        return int(self.rng.random() * count)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def refers(self) -> bool:
        """Whether a reference may be made here."""
        return bool(self.references) and not (self._in_place and not self.chance(self.circles))

    def leaf(self) -> Any:
        roll = self.rng.random()
        if self.refers() and roll < 0.35:
            return {"$ref": self.pick(list(self.references))}
        if roll < 0.45:
            return self.chance(0.5)
        if roll < 0.65:
            return {"type": self.pick(TYPES)}
        if roll < 0.8:
            return {"const": self.pick(VALUES)}
        if roll < 0.95:
            return {"enum": [self.pick(VALUES) for _ in range(1 + self.below(4))]}
        return {"type": self.rng.sample(TYPES, 1 + self.below(3))}

    def schema(self, depth: int = 3) -> Any:
        """A schema of at most this depth."""
        if depth <= 0 or self.chance(0.2):
            return self.leaf()
        theme = self.pick(THEMES)
        out: dict[str, Any] = {}
        for _ in range(1 + self.below(4)):
            roll = self.rng.random()
            words = theme if roll < 0.7 else LOGIC if roll < 0.88 else GENERAL
            self.add(out, self.pick(words), depth - 1)
        if self.chance(0.4) and id(theme) in KIND_OF and "enum" not in out:
            out["type"] = self.pick(KIND_OF[id(theme)])
        if self.refers() and self.chance(0.1):
            out["$ref"] = self.pick(list(self.references))
        return out

    def add(self, out: dict[str, Any], word: str, depth: int) -> None:
        """Add a keyword to a schema."""
        before = self._in_place
        self._in_place = before and word in IN_PLACE
        if word == "if":
            out.update({part: self.schema(depth - 1) for part in ("if", "then", "else") if self.chance(0.8)})
        else:
            out[word] = self.keyword(word, depth)
        self._in_place = before

    def keyword(self, word: str, depth: int) -> Any:  # noqa: C901 - a table, keyword by keyword
        if word in LISTS:
            return [self.schema(depth - 1) for _ in range(1 + self.below(3))]
        if word in SINGLE:
            if word == "propertyNames" and self.chance(0.8):
                return {"pattern": self.pick(PATTERNS)} if self.chance(0.6) else {"enum": self.names(3)}
            return self.schema(depth - 1) if self.chance(0.75) else False
        if word == "properties":
            return {name: self.schema(depth - 1) for name in self.names(3)}
        if word == "patternProperties":
            count = 1 + self.below(3) if self.chance(0.8) else 3 + self.below(3)
            return {pattern: self.schema(depth - 1) for pattern in self.rng.sample(PATTERNS, count)}
        if word == "dependentSchemas":
            return {name: self.schema(depth - 1) for name in self.names(2)}
        if word == "dependentRequired":
            return {name: self.names(2) for name in self.names(2)}
        if word == "required":
            return self.names(2)
        if word == "type":
            return self.pick(TYPES) if self.chance(0.6) else self.rng.sample(TYPES, 1 + self.below(3))
        if word == "const":
            return copy.deepcopy(self.pick(VALUES))
        if word == "enum":
            return [copy.deepcopy(self.pick(VALUES)) for _ in range(1 + self.below(5))]
        if word == "pattern":
            return self.pick(PATTERNS)
        if word == "format":
            return self.pick(["date", "ipv4", "uri"])
        if word == "uniqueItems":
            return self.chance(0.9)
        if word == "multipleOf":
            return self.pick([1, 2, 3, 0.5, 1.5, 0.1, 0.01, 1.0, 6])
        if word in NUMBERS:
            return self.pick([-1, 0, 1, 1.5, 2, 2.5, 3, 0.5, 1.0, -0.5])
        return self.below(4)  # lengths and counts

    def names(self, most: int) -> list[str]:
        return self.rng.sample(NAMES, 1 + self.below(most))

    def document(self, depth: int = 3) -> Any:
        """A schema, one in six of them with definitions that may refer to each other and to the whole."""
        if not self.chance(0.16):
            return self.schema(depth)
        anchored = self.chance(0.2)
        targets = ["#/$defs/A", "#/$defs/B", "#"] if not anchored else ["#/$defs/A", "#/$defs/B", "#anchor"]
        inner = Maker(self.rng, tuple(targets), circles=0.1)
        out: dict[str, Any] = {"$defs": {"A": inner.schema(depth - 1), "B": inner.schema(depth - 1)}}
        inner = Maker(self.rng, tuple(targets if self.chance(0.3) else targets[:2]))
        if anchored and isinstance(out["$defs"]["A"], dict):
            out["$defs"]["A"]["$anchor"] = "anchor"
        elif anchored:
            out["$defs"]["A"] = {"$anchor": "anchor", "type": "integer"}
        root = inner.schema(depth)
        if self.chance(0.3):
            root = {"$ref": self.pick(targets[:2])}
        if isinstance(root, dict):
            out.update(root)
        if self.chance(0.3):
            _make_dynamic(out)
        elif self.chance(0.15):
            _make_escaped(out)
        elif self.chance(0.1) and not anchored:
            _make_identified(out)
        return out


def _make_dynamic(document: dict[str, Any]) -> None:
    """References to the root by a dynamic anchor."""
    document["$dynamicAnchor"] = "node"
    for place in places(document):
        if place.get("$ref") == "#":
            del place["$ref"]
            place["$dynamicRef"] = "#node"


def _make_escaped(document: dict[str, Any]) -> None:
    """A definition whose name has to be escaped in a pointer."""
    document["$defs"]["a/b~c%"] = document["$defs"].pop("A")
    for place in places(document):
        if place.get("$ref") == "#/$defs/A":
            place["$ref"] = "#/$defs/a~1b~0c%25"


def _make_identified(document: dict[str, Any]) -> None:
    """A definition with an address of its own."""
    document["$id"] = "https://example.org/schemas/root"
    if isinstance(document["$defs"]["A"], dict) and "#" not in str(document["$defs"]["A"]):
        document["$defs"]["A"]["$id"] = "other"
        for place in places(document):
            if place.get("$ref") == "#/$defs/A":
                place["$ref"] = "other"


def children(schema: Any) -> Iterator[tuple[Any, Any]]:
    """Containers and keys under which a schema object holds its subschemas."""
    for word, value in schema.items() if isinstance(schema, dict) else ():
        if word in MAPS and isinstance(value, dict):
            for name, part in value.items():
                if not isinstance(part, list):
                    yield value, name
        elif word in LISTS or (word == "items" and isinstance(value, list)):
            for index in range(len(value)):
                yield value, index
        elif word in SINGLE:
            yield schema, word


def places(schema: Any) -> list[dict[str, Any]]:
    """Every schema object in a document, the root first."""
    found: list[dict[str, Any]] = []
    pending = [schema]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            found.append(part)
            pending.extend(holder[key] for holder, key in children(part))
    return found


def copied(value: Any) -> Any:
    """A deep copy of a JSON value; faster than ``copy.deepcopy``."""
    if isinstance(value, dict):
        return {key: copied(part) for key, part in value.items()}
    if isinstance(value, list):
        return [copied(part) for part in value]
    return value


class Editor:
    """Edits of the kind that people make, and some that they do not, at any place of a schema."""

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
        """The schema after so many edits."""
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
        words = [word for word in place if word not in ("$schema", "$defs", "definitions", "$anchor")]
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
        """Take something out of a list or a map."""
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
        """Another subschema in place of one."""
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
    """A schema that accepts what another refuses, and a little more, written without ``not`` as far as that goes.

    A side condition is left out now and then: the type, an array that is long enough for the place that is barred.
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
"""Words whose meaning hangs on others."""


def spelled(schema: Any, draft: int) -> Any:
    """The schema, made in the words of 2020-12, in the words of an older draft; some words stay that it ignores."""
    if draft == 20:
        return schema
    if isinstance(schema, bool):
        return schema if draft > 4 else {} if schema else {"not": {}}
    if not isinstance(schema, dict):
        return schema
    out: dict[str, Any] = {}
    for word, value in schema.items():
        if word in MAPS and isinstance(value, dict):
            value = {name: spelled(part, draft) for name, part in value.items()}
        elif word in LISTS and isinstance(value, list):
            value = [spelled(part, draft) for part in value]
        elif word in SINGLE:
            value = spelled(value, draft)
        out[word] = value
    _old_words(out, draft)
    return out


def _old_words(out: dict[str, Any], draft: int) -> None:
    if "prefixItems" in out:
        if "items" in out:
            out["additionalItems"] = out.pop("items")
        out["items"] = out.pop("prefixItems")
    if "$dynamicAnchor" in out:
        del out["$dynamicAnchor"]
        if draft == 19:
            out["$recursiveAnchor"] = True
    if "$dynamicRef" in out:
        del out["$dynamicRef"]
        out["$recursiveRef" if draft == 19 else "$ref"] = "#"
    if draft < 19:
        if isinstance(out.get("$ref"), str):
            out["$ref"] = out["$ref"].replace("#/$defs/", "#/definitions/").replace("#anchor", "#/definitions/A")
        if "$defs" in out:
            out["definitions"] = out.pop("$defs")
        out.pop("$anchor", None)
        needs = {**out.pop("dependentRequired", {}), **out.pop("dependentSchemas", {})}
        if needs:
            out["dependencies"] = needs
    if draft == 4:
        if "$id" in out:
            out["id"] = out.pop("$id")
        _old_bounds(out)


def _old_bounds(out: dict[str, Any]) -> None:
    for word, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if exclusive in out:
            out[word] = out[exclusive]
            out[exclusive] = True
    if "const" in out and "enum" not in out:
        out["enum"] = [out.pop("const")]
    if out.get("required") == []:
        del out["required"]
