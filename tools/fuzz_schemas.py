"""Random schemas from a seeded generator, for ``make fuzz``.

Hypothesis generates the schemas of the property tests. It takes over three milliseconds for a schema and an edit of it,
and a fuzzing run would spend its time on that; this generator takes 0.03. ``fuzz_reduce`` reduces failures on the
documents, without a history of draws.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

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
    ".+",
    r"^\p{L}+$",
    r"[^\p{Lu}]",
]
FOREIGN = {
    r"\A[a-c]+\Z": "^[a-c]+$",
    r"\Ab": "^b",
    "(?P<n>a)(?P=n)": "^aa$",
    "[ab": "x",
    "(?>a|ab)c": "^ac$",
    r"\h": "[ ]",
}
"""Patterns that are not ECMA-262, each with one that it may mean: an answer must hold whatever it means."""
ONLY_NATIVE = {r"\p{L}": r"[^\W\d_]", r"[^\p{Lu}]": "[^A-Z]"}
"""What Python lacks → a spelling that it reads alike for the characters of the samples."""
FORMATS = ["date", "date-time", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference"]
FORMATS += ["uuid", "json-pointer", "regex", "int32"]
SCALARS: list[Any] = [None, True, False, 0, 1, 2, -1, 1.0, 1.5, 0.5, 3, "", "a", "b", "ab", "abc", "x1", "é", "a b"]
VALUES: list[Any] = [*SCALARS, [], [1], [1, 1], ["a"], [1, 2], [0, True], {}, {"a": 1}, {"b": "a"}, {"a": "a", "b": 1}]
TYPES = ["string", "integer", "number", "null", "boolean", "array", "object"]

ARRAYS = ["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"]
ARRAYS += ["contains", "prefixItems", "unevaluatedItems"]
OBJECTS = ["properties", "patternProperties", "additionalProperties", "propertyNames", "required", "minProperties"]
OBJECTS += ["maxProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties", "properties"]
NUMBERS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
STRINGS = ["minLength", "maxLength", "pattern", "pattern", "format", "format", "default", "examples"]
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
APART = "components"
"""Not a keyword: documents of other formats have their schemas there, and references lead to it."""
MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies", APART)
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
    """Generates schemas.

    Args:
        rng: the source of choices.
        references: references that a schema may make, such as ``#/$defs/A``.
        circles: how often a reference may apply to the same value as the schema. In a definition this is usually a
            circle, whose meaning the specification leaves open.
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
        """True if a reference is allowed here."""
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
        if self.chance(0.08):
            return self.union(depth)
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

    def union(self, depth: int) -> dict[str, Any]:
        """A union of objects, as SDKs write it: distinguished by a member, or each with members of its own."""
        tag = self.pick(NAMES) if self.chance(0.6) else None
        branches: list[Any] = []
        for index in range(2 + self.below(2)):
            members = {name: self.schema(depth - 2) for name in self.names(2)}
            if tag is not None:
                members[tag] = {"const": self.pick(["a", "b", index, f"k{index}"])}
            branch: dict[str, Any] = {"type": "object", "properties": members, "required": [tag or next(iter(members))]}
            if self.chance(0.4):
                branch["additionalProperties"] = False
            branches.append(branch)
        out: dict[str, Any] = {self.pick(["anyOf", "oneOf"]): branches}
        if self.chance(0.4):
            out["properties"] = {name: self.schema(depth - 2) for name in self.names(2)}
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
            return self.pick(PATTERNS) if self.chance(0.95) else self.pick(list(FOREIGN))
        if word == "format":
            return self.pick(FORMATS)
        if word == "default":
            return copy.deepcopy(self.pick(VALUES))
        if word == "examples":
            return [copy.deepcopy(self.pick(VALUES)) for _ in range(1 + self.below(2))]
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
        elif self.chance(0.3):
            _make_elsewhere(out, self)
        return out


def _make_dynamic(document: dict[str, Any]) -> None:
    """References to the root by a dynamic anchor."""
    document["$dynamicAnchor"] = "node"
    for place in places(document):
        if place.get("$ref") == "#":
            del place["$ref"]
            place["$dynamicRef"] = "#node"


def _make_escaped(document: dict[str, Any]) -> None:
    """Add a definition whose name has to be escaped in a pointer."""
    document["$defs"]["a/b~c%"] = document["$defs"].pop("A")
    for place in places(document):
        if place.get("$ref") == "#/$defs/A":
            place["$ref"] = "#/$defs/a~1b~0c%25"


def _make_elsewhere(document: dict[str, Any], maker: Maker) -> None:
    """Add a schema outside the definitions, and a property to which another reference leads."""
    document[APART] = {"A": document["$defs"].pop("A")}
    moved = {"#/$defs/A": f"#/{APART}/A"}
    if maker.chance(0.5):
        name = maker.pick(["a", "items", "dependencies", "additionalItems"])
        document["properties"] = {**document.get("properties", {}), name: document["$defs"].pop("B")}
        moved["#/$defs/B"] = f"#/properties/{name}"
    for place in places(document):
        place.update({"$ref": moved[place["$ref"]]} if place.get("$ref") in moved else {})


def _make_identified(document: dict[str, Any]) -> None:
    """Add a definition with an identifier of its own."""
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


def meant(schema: Any, *, python: bool = False) -> Any:
    """The schema with patterns that a validator reads, of the same meaning.

    Args:
        schema: any JSON value.
        python: true for a validator with the patterns of Python.
    """
    schema = copied(schema)
    steads = {**FOREIGN, **({pattern: _for_python(pattern) for pattern in PATTERNS} if python else {})}
    for place in places(schema):
        if isinstance(place.get("pattern"), str):
            place["pattern"] = steads.get(place["pattern"], place["pattern"])
        if isinstance(place.get("patternProperties"), dict):
            place["patternProperties"] = {
                steads.get(name, name): part for name, part in place["patternProperties"].items()
            }
    return schema


def _for_python(pattern: str) -> str:
    for native, stead in ONLY_NATIVE.items():
        pattern = pattern.replace(native, stead)
    return pattern


def spelled(schema: Any, draft: int) -> Any:
    """The schema, written in 2020-12 keywords, in the keywords of an older draft; some that the draft ignores stay."""
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
