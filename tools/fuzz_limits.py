"""Schemas that exceed every limit of ``mcp_governor.containment`` and ``mcp_governor.change``.

Each family names the limit that it exceeds. Sizes are drawn from below the limit to above it, because failures at a
limit are often failures of the step across it. The limits are read from the modules, so that a changed limit is still
exceeded; a limit that was moved or renamed ends the fuzzer at its start.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from fuzz_schemas import NAMES, Maker

if TYPE_CHECKING:
    from collections.abc import Callable

Family = "Callable[[Maker], Any]"
FAMILIES: dict[str, Callable[[Maker], Any]] = {}
SLOW: set[str] = set()
"""Families whose questions take tens of milliseconds; they are drawn less often."""


def limit(module: str, name: str) -> int:
    """The current value of a limit in the package.

    Args:
        module: its module, below ``mcp_governor``.
        name: its name there.

    Raises:
        ImportError, AttributeError: a limit that was moved or renamed; correct its name below.
        TypeError: it is not an integer.
    """
    value = getattr(importlib.import_module(f"mcp_governor.{module}"), name)
    if type(value) is not int:
        raise TypeError(f"mcp_governor.{module}.{name} is not an integer.")
    return value


PATTERNS_MOST = 10
"""Patterns of member names have no limit of their own; with about ten, their overlaps exhaust the limit on steps."""
FILLERS_MOST = limit("containment.objects", "MAX_FILLERS")
ITEMS_MOST = limit("containment.arrays", "MAX_ITEMS")
COUNTED_MOST = limit("containment.arrays", "MAX_COUNTED")
CONTAINS_MOST = limit("containment.arrays", "MAX_CONTAINS")
DISTINCT_MOST = limit("containment.arrays", "MAX_DISTINCT")
LENGTH_MOST = limit("containment.strings", "MAX_LENGTH")
CASES_MOST = limit("schemas.cost", "MAX_CASES")
LISTED_MOST = limit("containment.enum_values", "MAX_VALUES")


def family(make: Callable[[Maker], Any]) -> Callable[[Maker], Any]:
    FAMILIES[make.__name__] = make
    return make


def slow(make: Callable[[Maker], Any]) -> Callable[[Maker], Any]:
    SLOW.add(make.__name__)
    return family(make)


def around(maker: Maker, most: int) -> int:
    """A size near a limit, usually above it."""
    return max(1, maker.pick([most - 1, most, most + 1, most + 1, most + 2, most + most // 2, most * 2]))


def _few(maker: Maker) -> Any:
    """A small schema that differs from others of its kind."""
    roll = maker.below(6)
    if roll == 0:
        return {"type": maker.pick(["string", "integer", "boolean", "number"])}
    if roll == 1:
        return {"type": "string", "maxLength": maker.below(4)}
    if roll == 2:
        return {"minimum": maker.below(4)}
    if roll == 3:
        return {"const": maker.pick([0, 1, 2, "a", None])}
    if roll == 4:
        return {"not": {"const": maker.pick([0, 1, 2, "a"])}}
    return {"enum": maker.rng.sample([0, 1, 2, "a", "b", None], 3)}


def _names(maker: Maker, count: int) -> list[str]:
    style = maker.below(5)
    spell = [
        lambda n: f"^p{n}_",
        lambda n: f"^{'a' * (n % 5)}b{n // 5}",
        lambda n: f"{n}$",
        lambda n: f"^[{chr(97 + n % 20)}-z]{{{n // 20 + 1}}}",
        lambda n: f"^{NAMES[n % 5]}{n // 5 or ''}",
    ][style]
    return [spell(n) for n in range(count)]


@family
def many_patterns(maker: Maker) -> Any:
    count = maker.pick([3, 4, 5, 8, *(around(maker, PATTERNS_MOST) for _ in range(4)), 50])
    same = _few(maker)
    out: dict[str, Any] = {
        "type": "object",
        "patternProperties": {name: same if maker.chance(0.5) else _few(maker) for name in _names(maker, count)},
    }
    for word, share in (("additionalProperties", 0.4), ("minProperties", 0.2), ("propertyNames", 0.15)):
        if maker.chance(share):
            maker.add(out, word, 1)
    if maker.chance(0.2):
        out["properties"] = {"p1_": _few(maker), "b": _few(maker)}
    return out


@family
def many_fixed_items(maker: Maker) -> Any:
    count = maker.pick([5, 12, 30, around(maker, COUNTED_MOST)])
    out: dict[str, Any] = {"type": "array", "prefixItems": [_few(maker) for _ in range(count)]}
    for word in ("uniqueItems", "contains", "items", "minItems"):
        if maker.chance(0.35):
            maker.add(out, word, 1)
    if maker.chance(0.4):
        out["minItems"] = count - maker.below(2)
    return out


@family
def unique_with_fixed_items(maker: Maker) -> Any:
    """Distinct items with fixed places that restrict others."""
    small = [
        True,
        {"not": {"const": 1}},
        {"not": {"const": 2}},
        {"enum": [1, 2]},
        {"const": 1},
        {"type": "integer"},
    ]
    parts = []
    for _ in range(1 + maker.below(4)):
        part: dict[str, Any] = {"prefixItems": [maker.pick(small) for _ in range(1 + maker.below(3))]}
        if maker.chance(0.3):
            part = {"uniqueItems": True}
        if maker.chance(0.25):
            part["items"] = maker.pick([*small, False])
        if maker.chance(0.25):
            part.update(
                {"contains": maker.pick(small), "minContains": maker.below(3), "maxContains": 1 + maker.below(2)}
            )
        if maker.chance(0.2):
            part[maker.pick(["minItems", "maxItems"])] = 1 + maker.below(3)
        parts.append(part if maker.chance(0.8) else {"not": part})
    return {maker.pick(["anyOf", "allOf", "oneOf"]): parts, **({"type": "array"} if maker.chance(0.5) else {})}


@family
def repeats_with_places(maker: Maker) -> Any:
    """Arrays with two equal items, and fixed items at some places, or at all others."""

    def at(place: int, item: Any) -> Any:
        return {"prefixItems": [*([True] * place), item]}

    some = [{"const": 1}, {"const": 2}, {"enum": [1, 2]}, {"const": 0}, {"type": "integer"}, {"enum": [True, 1]}]
    wanted = [at(place, maker.pick(some)) for place in maker.rng.sample(range(4), 1 + maker.below(3))]
    if maker.chance(0.3):
        wanted.append({"contains": maker.pick(some), "maxContains": 1 + maker.below(2)})
    if maker.chance(0.3):
        wanted.append({maker.pick(["minItems", "maxItems"]): 2 + maker.below(3)})
    if maker.chance(0.3):
        wanted.append({"items": maker.pick(some)})
    repeated: Any = {"not": {"uniqueItems": True}} if maker.chance(0.8) else {"uniqueItems": True}
    if maker.chance(0.4):
        return {"type": "array", "allOf": [repeated, *wanted]}
    if maker.chance(0.3):
        return {"anyOf": [{"not": part} for part in (repeated, *wanted)]}
    return {"anyOf": [{"uniqueItems": True}, *map(_barred, wanted)]}


def _barred(part: dict[str, Any]) -> dict[str, Any]:
    """The complement of a fixed place, as people write it."""
    if "prefixItems" in part:
        *before, item = part["prefixItems"]
        return {"prefixItems": [*before, {"not": item}]}
    return {"not": part}


@family
def many_counts(maker: Maker) -> Any:
    count = around(maker, CONTAINS_MOST)
    parts = [
        {"contains": {"const": n % 9}, **({"maxContains": 1 + maker.below(2)} if maker.chance(0.3) else {})}
        for n in range(count)
    ]
    out: dict[str, Any] = {"type": "array", "allOf": parts}
    if maker.chance(0.6):
        out["maxItems"] = count - maker.below(3)
    if maker.chance(0.3):
        out["items"] = {"enum": list(range(count - maker.below(2)))}
    if maker.chance(0.3):
        out["uniqueItems"] = True
    return out


@family
def long_counts(maker: Maker) -> Any:
    size = around(maker, COUNTED_MOST)
    out: dict[str, Any] = {"type": "array", "contains": _few(maker), "minContains": maker.pick([1, 2, size])}
    if maker.chance(0.5):
        out["maxContains"] = out["minContains"] + maker.below(2)
    if maker.chance(0.6):
        out["minItems"] = size
    if maker.chance(0.5):
        out["items"] = _few(maker)
    if maker.chance(0.4):
        out["prefixItems"] = [_few(maker) for _ in range(3)]
    return out


@family
def many_distinct(maker: Maker) -> Any:
    size = around(maker, DISTINCT_MOST)
    out: dict[str, Any] = {"type": "array", "uniqueItems": True, "minItems": size - maker.below(2)}
    out["items"] = (
        {"enum": list(range(size))} if maker.chance(0.5) else {"type": "integer", "maximum": size, "minimum": 1}
    )
    if maker.chance(0.3):
        out["prefixItems"] = [{"const": 0}, {"enum": [0, 1]}]
    return out


@slow
def long_arrays(maker: Maker) -> Any:
    size = maker.pick([ITEMS_MOST, ITEMS_MOST + 1, ITEMS_MOST + 2, ITEMS_MOST + 500])
    return {"type": "array", maker.pick(["minItems", "maxItems"]): size, "items": _few(maker)}


@slow
def wide_objects(maker: Maker) -> Any:
    size = maker.pick([FILLERS_MOST, FILLERS_MOST + 1, FILLERS_MOST + 2])
    return {"type": "object", maker.pick(["minProperties", "maxProperties"]): size, "additionalProperties": _few(maker)}


@slow
def long_strings(maker: Maker) -> Any:
    size = maker.pick([LENGTH_MOST, LENGTH_MOST + 1, LENGTH_MOST + 2, 17, 999, 1_001])
    out: dict[str, Any] = {"type": "string", maker.pick(["minLength", "maxLength"]): size}
    if maker.chance(0.4):
        out["pattern"] = maker.pick(["^a*$", "^(ab)*$", "b$"])
    return out


@slow
def wide_automata(maker: Maker) -> Any:
    size = maker.pick([5, 10, 14, 18])
    return {"type": "string", "pattern": f"^(a|b)*{maker.pick('ab')}(a|b){{{size}}}$"}


@family
def many_numbers_barred(maker: Maker) -> Any:
    """Numbers of which many are excluded one by one, or by their multiples."""
    size = maker.pick([5, 20, 60])
    out: dict[str, Any] = {"type": maker.pick(["integer", "number"]), "minimum": 0, "maximum": size}
    if maker.chance(0.5):
        out["not"] = {"enum": list(range(size + maker.below(2)))}
    else:
        out["allOf"] = [{"not": {"multipleOf": n}} for n in (2, 3, 5, 7, 11, 13, 1.5)[: 2 + maker.below(6)]]
    if maker.chance(0.3):
        out["multipleOf"] = maker.pick([1, 0.5, 0.1, 2])
    return out


@family
def odd_numbers(maker: Maker) -> Any:
    big = maker.pick([2**53, 2**53 - 1, 2**53 + 1, 2**63, 2**64 + 1, 10**30, 1e30, 1e-7, 1e-300, 1e308, 0.1, 1 / 3])
    out: dict[str, Any] = {"type": maker.pick(["integer", "number"])}
    for word in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        if maker.chance(0.35):
            out[word] = big + maker.pick([0, 1, -1]) if isinstance(big, int) else big * maker.pick([1, 0.5, 1.0000001])
    if maker.chance(0.5):
        out["multipleOf"] = maker.pick([0.1, 0.01, 1e-7, 0.3, 1.1, 2.5, 3, 7, 2**53 + 1, 1e20, 0.5, 12.34])
    if maker.chance(0.3):
        out["enum"] = [big, 0, 0.3, 1.1, 3.3, 1]
        del out["type"]
    return out


@family
def many_alternatives(maker: Maker) -> Any:
    size = maker.pick([6, 12, around(maker, CASES_MOST)])
    word = maker.pick(["anyOf", "oneOf"])
    if maker.chance(0.5):
        branches: list[Any] = [
            {"properties": {"kind": {"const": f"k{n}"}, "v": _few(maker)}, "required": ["kind"]} for n in range(size)
        ]
    else:
        branches = [_few(maker) for _ in range(size)]
    return {word: branches, **({"type": "object"} if maker.chance(0.3) else {})}


@family
def many_dependencies(maker: Maker) -> Any:
    count = 3 + maker.below(10)
    out: dict[str, Any] = {
        "type": "object",
        "dependentRequired": {f"a{n}": [f"a{(n + 1) % count}"] for n in range(count)},
    }
    if maker.chance(0.5):
        out["dependentSchemas"] = {f"a{n}": {"properties": {f"a{n + 1}": _few(maker)}} for n in range(3)}
    if maker.chance(0.5):
        out["required"] = [f"a{maker.below(count)}"]
    if maker.chance(0.3):
        out["maxProperties"] = count - maker.below(2)
    return out


@family
def long_lists(maker: Maker) -> Any:
    size = maker.pick([LISTED_MOST - 1, LISTED_MOST, LISTED_MOST + 1, LISTED_MOST * 3])
    kind = maker.below(3)
    values: list[Any] = [n if kind == 0 else f"v{n}" if kind == 1 else {"n": n} for n in range(size)]
    if maker.chance(0.4):
        values += [1.0, True, None, 0.0]
        values = [value for at, value in enumerate(values) if not any(_same(value, other) for other in values[:at])]
    return {"enum": values, **({"not": {"const": values[maker.below(size)]}} if maker.chance(0.2) else {})}


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other


@family
def unevaluated_with_branches(maker: Maker) -> Any:
    count = maker.pick([2, 3, 6, 7, 8, 9])
    parts = [
        {
            maker.pick(["anyOf", "oneOf"]): [
                {"properties": {f"a{n}": _few(maker)}},
                {"properties": {f"b{n}": _few(maker)}},
            ]
        }
        for n in range(count)
    ]
    return {"type": "object", "allOf": parts, "unevaluatedProperties": maker.pick([False, _few(maker)])}


@family
def unevaluated_items_with_branches(maker: Maker) -> Any:
    parts = [
        {maker.pick(["anyOf", "if", "not", "allOf"]): None, "prefixItems": [_few(maker)] * (1 + maker.below(3))}
        for _ in range(1 + maker.below(3))
    ]
    for part in parts:
        word = next(iter(part))
        part[word] = (
            [{"contains": _few(maker)}, _few(maker)] if word in ("anyOf", "allOf") else {"contains": _few(maker)}
        )
    return {"type": "array", "anyOf": parts, "unevaluatedItems": maker.pick([False, _few(maker)])}


@family
def deep(maker: Maker) -> Any:
    node = _few(maker)
    for _ in range(maker.pick([10, 30, 60, 100])):
        node = {"type": "array", "items": node} if maker.chance(0.5) else {"properties": {"a": node}}
        if maker.chance(0.1):
            node["minItems"] = 1
    return node


@family
def lists_and_trees(maker: Maker) -> Any:
    """Definitions that refer to themselves."""
    node: dict[str, Any] = {
        "type": "object",
        "properties": {"v": _few(maker), "next": {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]}},
    }
    if maker.chance(0.4):
        node["properties"]["all"] = {"type": "array", "items": {"$ref": "#/$defs/n"}, "minItems": maker.below(2)}
    if maker.chance(0.5):
        node["required"] = [maker.pick(["v", "next"])]
    if maker.chance(0.5):
        node["additionalProperties"] = False
    if maker.chance(0.3):
        node["properties"]["next"] = {"$ref": "#/$defs/n"}
    return {"$ref": "#/$defs/n", "$defs": {"n": node}}


@family
def mutual_recursion(maker: Maker) -> Any:
    def ref(name: str) -> Any:
        return {"$ref": f"#/$defs/{name}"}

    definitions: dict[str, Any] = {}
    for name in "ABC":
        other = maker.pick(["A", "B", "C"])
        shape = maker.below(4)
        if shape == 0:
            definitions[name] = {"type": "array", "items": ref(other), "maxItems": 2}
        elif shape == 1:
            definitions[name] = {"anyOf": [_few(maker), {"properties": {"a": ref(other)}, "required": ["a"]}]}
        elif shape == 2:
            definitions[name] = {"properties": {"a": ref(other), "b": _few(maker)}, "not": {"required": ["c"]}}
        else:
            definitions[name] = {"type": "object", "additionalProperties": ref(other), "minProperties": maker.below(2)}
    return {**ref("A"), "$defs": definitions}


@family
def doubled_references(maker: Maker) -> Any:
    definitions: dict[str, Any] = {"n0": _few(maker)}
    levels = maker.pick([3, 8, 16])
    for level in range(1, levels):
        before = {"$ref": f"#/$defs/n{level - 1}"}
        word = maker.pick(["allOf", "anyOf"])
        definitions[f"n{level}"] = (
            {word: [before, before]} if maker.chance(0.5) else {"properties": {"a": before, "b": before}}
        )
    return {"$defs": definitions, "$ref": f"#/$defs/n{levels - 1}"}


@family
def many_members(maker: Maker) -> Any:
    """Strings longer than the native engine checks in this process."""
    count = 8 + maker.below(30)
    out: dict[str, Any] = {"type": "object", "properties": {f"p{n}": _few(maker) for n in range(count)}}
    if maker.chance(0.5):
        out["additionalProperties"] = maker.pick([False, {"type": "string"}])
    if maker.chance(0.5):
        out["required"] = [f"p{n}" for n in range(maker.below(count))]
    if maker.chance(0.3):
        out["maxProperties"] = maker.below(count)
    return out


def beyond(maker: Maker) -> tuple[str, Any]:
    """A schema of one of the families, by name; slow ones are rare."""
    name = maker.pick(list(FAMILIES))
    if name in SLOW and not maker.chance(0.1):
        name = "many_patterns"
    return name, FAMILIES[name](maker)
