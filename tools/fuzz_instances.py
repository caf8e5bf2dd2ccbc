"""Values for checking verdicts, created without any part of ``mcp_governor.containment``.

There are two sources. The *universe* of some schemas: their constants, bounds, lengths, keys and patterns with the
neighbours of each, in arrays of up to four items and in objects with the mentioned keys and new ones. And *samples*:
values created by walking a schema, which reach what a universe of small values does not (required members three levels
down, sixty-one items, a string of 1,001 characters). The validators decide if a value is valid.
"""

from __future__ import annotations

import json
import re
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from fuzz_schemas import VALUES

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator

LONGEST = 4_000
"""Maximum number of items, members and characters: above the limits that can be exceeded within a second."""
DEEPEST = 40
_FRESH = ["zz", "-", "a1", "Q", "_", "x2", "aa", "bb", "p1_", "0"]
_EXTRA: list[Any] = [4, 6, -2, 0.25, 100, 2.5, 7, "zz", "-", "ba", "1", "a1b", [[]], [None], {"c": None}, 10**20, -0.5]
_EXTRA += [-0.0, "\n", "a\n", "é", "aaa", "abb", "a a", "٣", 1e2]

_re_parser = re._parser  # the only parser of Python's patterns


@lru_cache(maxsize=4_096)
def _parsed(pattern: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _re_parser.parse(pattern)
        except (re.error, OverflowError, RecursionError, ValueError):
            return None


def matching(pattern: str, rng: random.Random) -> str:
    """A string that a pattern probably matches."""
    tree = _parsed(pattern)
    if tree is None:
        return "a"
    text = "".join(_walk(tree, rng))[:LONGEST]
    if rng.random() < 0.2:
        text = rng.choice(["", "a", "z", "1"]) + text + rng.choice(["", "b", "z", "1"])
    return text


def _walk(tree: Any, rng: random.Random) -> Iterator[str]:
    for operation, argument in tree:
        name = str(operation)
        if name == "LITERAL":
            yield chr(argument)
        elif name == "ANY":
            yield rng.choice("ab1-")
        elif name == "NOT_LITERAL":
            yield rng.choice([c for c in "ab1z" if ord(c) != argument])
        elif name == "IN":
            yield _one_of(argument, rng)
        elif name == "BRANCH":
            yield from _walk(rng.choice(argument[1]), rng)
        elif name == "SUBPATTERN":
            yield from _walk(argument[3], rng)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            low, high, part = argument
            count = min(low + int(rng.random() * 3), int(high)) if rng.random() < 0.9 else min(low + 6, int(high))
            for _ in range(min(count, LONGEST)):
                yield from _walk(part, rng)


def _one_of(members: Any, rng: random.Random) -> str:
    if str(members[0][0]) == "NEGATE":
        barred = {chr(value) for name, value in members[1:] if str(name) == "LITERAL"}
        return rng.choice([c for c in "abcxz019_- é" if c not in barred])
    name, value = rng.choice(members)
    if str(name) == "LITERAL":
        return chr(value)
    if str(name) == "RANGE":
        return chr(rng.choice([value[0], value[1], (value[0] + value[1]) // 2]))
    return rng.choice(
        {"CATEGORY_DIGIT": "019", "CATEGORY_SPACE": " \t", "CATEGORY_WORD": "a_1Z"}.get(str(value), "-a é")
    )


class Mentions:
    """The values and names that some schemas contain, at any place."""

    def __init__(self, schemas: Iterable[Any]) -> None:
        self.values: list[Any] = []
        self.numbers: dict[Any, None] = {}
        self.lengths: dict[int, None] = {}
        self.keys: dict[str, None] = {}
        self.patterns: dict[str, None] = {}
        for schema in schemas:
            self._read(schema)

    def _read(self, schema: Any) -> None:
        pending = [schema]
        while pending:
            part = pending.pop()
            if isinstance(part, list):
                pending.extend(part)
            elif isinstance(part, dict):
                for word, value in part.items():
                    self._word(word, value)
                    if isinstance(value, dict | list) and word not in ("const", "enum", "required"):
                        pending.append(value)

    def _word(self, word: str, value: Any) -> None:
        if word == "const":
            self.values.append(value)
        elif word == "enum" and isinstance(value, list):
            self.values.extend(value if len(value) < 40 else [*value[:10], *value[-10:]])
        elif word in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"):
            if type(value) in (int, float):
                self.numbers[value] = None
        elif word.startswith(("min", "max")) and isinstance(value, int):
            self.lengths[value] = None
        elif word == "pattern" and isinstance(value, str):
            self.patterns[value] = None
        elif word == "patternProperties" and isinstance(value, dict):
            self.patterns.update(dict.fromkeys(value))
        elif word in ("properties", "dependentRequired", "dependentSchemas", "dependencies") and isinstance(
            value, dict
        ):
            self.keys.update(dict.fromkeys(value))
            for names in value.values():
                if isinstance(names, list):
                    self.keys.update(dict.fromkeys(name for name in names if isinstance(name, str)))
        elif word == "required" and isinstance(value, list):
            self.keys.update(dict.fromkeys(name for name in value if isinstance(name, str)))


class Universe:
    """Small values around those that some schemas contain.

    Args:
        schemas: the schemas.
        rng: the source of choices.
    """

    def __init__(self, schemas: list[Any], rng: random.Random) -> None:
        self.rng = rng
        mentions = Mentions(schemas)
        scalars = [*VALUES, *_EXTRA, *mentions.values]
        for number in list(mentions.numbers)[:20]:
            step = [0.5, 1] if abs(number) < 1e15 else [1]
            scalars += [number, *(number + by for by in step), *(number - by for by in step), number * 2, number * 3]
        self.strings = ["", *_FRESH]
        chosen = list(mentions.patterns)
        chosen = chosen if len(chosen) <= 60 else rng.sample(chosen, 60)
        for pattern in chosen:
            self.strings += [matching(pattern, rng), matching(pattern, rng)]
        self.lengths = sorted(
            {*range(5), *(n + by for n in list(mentions.lengths)[:8] for by in (-1, 0, 1) if n + by >= 0)}
        )
        self.strings += [rng.choice(["a", "ab", "b"])[:1] * n for n in self.lengths if 4 < n <= LONGEST * 30]
        self.scalars = distinct([*scalars, *self.strings])
        self.keys = list(dict.fromkeys([*mentions.keys, *(text for text in self.strings if len(text) < 100)]))
        self.mentioned = list(mentions.keys) or self.keys

    def composites(self, count: int) -> Iterator[Any]:
        """Arrays and objects over the universe."""
        rng = self.rng
        pick = rng.choice
        palette = [value for value in self.scalars if not isinstance(value, str) or len(value) < 50]
        lengths = [n for n in self.lengths if n <= 200] or [1]
        for turn in range(count):
            few = [pick(palette) for _ in range(1 + int(rng.random() * 3))]
            if turn & 1:
                length = pick(lengths) if rng.random() < 0.3 else int(rng.random() * 5)
                yield [pick(few) for _ in range(length)]
            else:
                size = pick(lengths) if rng.random() < 0.15 else int(rng.random() * 4)
                keys = [pick(self.mentioned if rng.random() < 0.6 else self.keys) for _ in range(size)]
                yield {key: pick(few) if rng.random() < 0.6 else pick(palette) for key in keys}
        large = [n for n in self.lengths if 200 < n <= LONGEST]
        for length in large[:3]:
            for value in few[:2]:
                yield [value] * length
                yield {f"k{n}": value for n in range(length)}
            yield list(range(length))

    def values(self, count: int) -> list[Any]:
        """All scalars, and a number of composites."""
        return [*self.scalars, *self.composites(count)]


def distinct(values: Iterable[Any]) -> list[Any]:
    """The values without duplicates; 1, 1.0 and true are different."""
    seen: dict[str, Any] = {}
    for value in values:
        seen.setdefault(value if type(value) is str else json.dumps(value), value)
    return list(seen.values())


class Sampler:
    """Values that a schema probably accepts.

    Args:
        root: the document in which references are resolved.
        universe: provides values if the schema is open.
    """

    def __init__(self, root: Any, universe: Universe) -> None:
        self.root = root
        self.universe = universe
        self.rng = universe.rng
        self.left = 0
        self.wild = 0.0

    def values(self, count: int) -> Iterator[Any]:
        for _ in range(count):
            self.left = 300 + LONGEST * (self.rng.random() < 0.1)
            # an array of sixty items is never valid if each of them is left to chance
            self.wild = self.rng.choice([0.0, 0.0, 0.06, 0.2])
            try:
                yield self.value([self.root], 0)
            except RecursionError:
                continue

    def free(self) -> Any:
        return self.rng.choice(self.universe.scalars)

    def value(self, schemas: list[Any], depth: int) -> Any:
        """A value for several schemas at once."""
        self.left -= 1
        parts = self.flat(schemas)
        if not parts or depth > DEEPEST or self.left < 0 or self.rng.random() < self.wild:
            return self.free()
        for part in parts:
            if "const" in part and self.rng.random() >= self.wild:
                return part["const"]
        for part in parts:
            if isinstance(part.get("enum"), list) and part["enum"] and self.rng.random() >= self.wild:
                return self.rng.choice(part["enum"])
        kind = self.kind(parts)
        if kind == "object":
            return self.object(parts, depth)
        if kind == "array":
            return self.array(parts, depth)
        if kind == "string":
            return self.string(parts)
        if kind in ("integer", "number"):
            return self.number(parts, kind)
        return None if kind == "null" else self.rng.random() < 0.5

    def flat(self, schemas: list[Any]) -> list[dict[str, Any]]:
        """The schema objects that apply in place, with one of each set of alternatives."""
        rng = self.rng
        found: list[dict[str, Any]] = []
        seen: set[int] = set()
        pending = list(schemas)
        while pending and len(found) < 200:
            part = pending.pop()
            if not isinstance(part, dict) or id(part) in seen:
                continue
            seen.add(id(part))
            found.append(part)
            references = (part.get(word) for word in ("$ref", "$dynamicRef", "$recursiveRef"))
            pending += [self.target(reference) for reference in references if isinstance(reference, str)]
            pending.extend(part.get("allOf", ()))
            pending += [rng.choice(part[word]) for word in ("anyOf", "oneOf") if part.get(word)]
            if "if" in part:
                if rng.random() < 0.5:
                    pending += [part["if"], part.get("then")]
                else:
                    pending.append(part.get("else"))
        return found

    def target(self, reference: str) -> Any:
        if not reference.startswith("#/"):
            return self.root if reference in ("#", "#node") else self.root.get("$defs", {}).get("A")
        reference = unquote(reference)
        part = self.root
        for step in reference[2:].split("/"):
            if not isinstance(part, dict):
                return None
            part = part.get(step.replace("~1", "/").replace("~0", "~"))
        return part

    def kind(self, parts: list[dict[str, Any]]) -> str:
        kinds: set[str] | None = None
        hints: list[str] = []
        for part in parts:
            named = part.get("type")
            if isinstance(named, str | list):
                own = {named} if isinstance(named, str) else set(named)
                if "number" in own:
                    own.add("integer")
                kinds = own if kinds is None else kinds & own
            for words, kind in _HINTS:
                if any(word in part for word in words):
                    hints.append(kind)
        if kinds:
            fitting = [hint for hint in hints if hint in kinds]
            return self.rng.choice(fitting or sorted(kinds))
        return self.rng.choice(hints or ["object", "array", "string", "number", "null", "boolean"])

    def object(self, parts: list[dict[str, Any]], depth: int) -> Any:
        rng = self.rng
        keys: dict[str, None] = {}
        share = rng.random()
        low = 0
        for part in parts:
            keys.update(dict.fromkeys(name for name in part.get("required", ()) if isinstance(name, str)))
            named = part.get("properties", {})
            keys.update(dict.fromkeys(name for name in named if rng.random() < share))
            patterns = part.get("patternProperties", {})
            some = list(patterns) if len(patterns) < 4 else rng.sample(list(patterns), 4)
            keys.update(dict.fromkeys(matching(name, rng) for name in some if rng.random() < share))
            low = max(low, part.get("minProperties", 0))
        if rng.random() < 0.3:
            keys[rng.choice(self.universe.keys)] = None
        for part in parts:
            for word in ("dependentRequired", "dependencies"):
                for name, needs in part.get(word, {}).items():
                    if name in keys and isinstance(needs, list):
                        keys.update(dict.fromkeys(needs))
        turn = 0
        while len(keys) < min(low, max(4, self.left)) and turn < LONGEST * 2:
            turn += 1
            keys[rng.choice(self.universe.keys) if turn < 50 else f"k{turn}"] = None
        return {key: self.value(self.of_member(parts, key), depth + 1) for key in keys}

    @staticmethod
    def of_member(parts: list[dict[str, Any]], key: str) -> list[Any]:
        found: list[Any] = []
        for part in parts:
            before = len(found)
            if key in part.get("properties", {}):
                found.append(part["properties"][key])
            for pattern, schema in part.get("patternProperties", {}).items():
                if fits(pattern, key):
                    found.append(schema)
            if len(found) == before:
                found += [part[word] for word in ("additionalProperties", "unevaluatedProperties") if word in part]
        return found

    def array(self, parts: list[dict[str, Any]], depth: int) -> Any:
        rng = self.rng
        low = max((part.get("minItems", 0) for part in parts), default=0)
        high = min((part["maxItems"] for part in parts if "maxItems" in part), default=None)
        unique = any(part.get("uniqueItems") for part in parts) and rng.random() < 0.9
        wanted = [part for part in parts if "contains" in part]
        length = low + int(rng.random() * 3)
        length = max(length, *(len(part.get("prefixItems") or ()) for part in parts)) if rng.random() < 0.4 else length
        length = max(length, sum(part.get("minContains", 1) for part in wanted))
        length = min(length, max(4, self.left), high if high is not None else LONGEST)
        placed: list[Any] = [None] * length
        free = list(range(length))
        rng.shuffle(free)
        for part in wanted:
            for _ in range(min(len(free), part.get("minContains", 1) + (rng.random() < 0.2))):
                placed[free.pop()] = part["contains"]
        result: list[Any] = []
        seen: set[str] = set()
        for index in range(length):
            schemas = self.of_item(parts, index)
            if placed[index] is not None:
                schemas = [*schemas, placed[index]]
            value = self.value(schemas, depth + 1)
            if unique:
                value = self.unseen(value, schemas, depth, seen, index)
            result.append(value)
        return result

    def unseen(self, value: Any, schemas: list[Any], depth: int, seen: set[str], index: int) -> Any:
        for _ in range(2):
            if json.dumps(value) not in seen:
                break
            value = self.value(schemas, depth + 1)
        else:
            value = self.other(schemas, seen, index)
        seen.add(json.dumps(value))
        return value

    def other(self, schemas: list[Any], seen: set[str], index: int) -> Any:
        """An unused value, preferably from the schemas' lists or bounds."""
        start = 0
        for part in self.flat(schemas):
            for value in part.get("enum", ()):
                if json.dumps(value) not in seen:
                    return value
            if type(part.get("minimum")) is int:
                start = part["minimum"]
        return next(value for value in range(start, start + index + 2) if json.dumps(value) not in seen)

    @staticmethod
    def of_item(parts: list[dict[str, Any]], index: int) -> list[Any]:
        found: list[Any] = []
        for part in parts:
            fixed = part.get("prefixItems")
            rest = part.get("items", part.get("unevaluatedItems"))
            if isinstance(rest, list):
                fixed, rest = rest, part.get("additionalItems")
            if fixed and index < len(fixed):
                found.append(fixed[index])
            elif rest is not None:
                found.append(rest)
        return found

    def string(self, parts: list[dict[str, Any]]) -> str:
        rng = self.rng
        low = max((part.get("minLength", 0) for part in parts), default=0)
        patterns = [part["pattern"] for part in parts if isinstance(part.get("pattern"), str)]
        text = matching(rng.choice(patterns), rng) if patterns else rng.choice(self.universe.strings)
        if len(text) < low:
            text += rng.choice("ab") * (low - len(text) + int(rng.random() * 2))
        return text

    def number(self, parts: list[dict[str, Any]], kind: str) -> Any:
        rng = self.rng
        bounds = [part[word] for part in parts for word in _BOUNDS if type(part.get(word)) in (int, float)]
        steps = [part["multipleOf"] for part in parts if type(part.get("multipleOf")) in (int, float)]
        base = rng.choice(bounds) if bounds and rng.random() < 0.8 else rng.choice([0, 1, 2, -1, 10])
        value = base + rng.choice([0, 0, 1, -1, 0.5, -0.5, 2])
        if steps and rng.random() < 0.8 and abs(value / steps[0]) < 1e15:
            value = round(value / steps[0] + rng.choice([0, 1, -1])) * steps[0]
        return int(value) if kind == "integer" and abs(value) < 1e300 else value


_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_HINTS = (
    (
        ("properties", "required", "patternProperties", "additionalProperties", "minProperties", "propertyNames"),
        "object",
    ),
    (("maxProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties"), "object"),
    (("items", "prefixItems", "contains", "minItems", "uniqueItems", "maxItems", "unevaluatedItems"), "array"),
    ((*_BOUNDS, "multipleOf"), "number"),
    (("pattern", "minLength", "maxLength"), "string"),
)


@lru_cache(maxsize=8_192)
def fits(pattern: str, text: str) -> bool:
    """True if a pattern matches, in Python's syntax."""
    tree = _parsed(pattern)
    if tree is None:
        return False
    return re.search(pattern, text) is not None
