"""Arguments that an input schema refuses, one rule of the schema broken at a time."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from mcp_governor.call.arguments import in_scope
from mcp_governor.charter.schemas import branches, compile_schema, compiled
from mcp_governor.containment import contains
from mcp_governor.frozen import frozen
from mcp_governor.text import one_line
from mcp_governor.vocabulary import join_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

UNKNOWN = "mcp_governor_unknown"
"""A name that no tool declares."""

_DEEPEST = 3
_LONGEST = 100_000
_MOST_ITEMS = 10_000

Path = tuple[str | int, ...]


@frozen
class Wrong:
    """Arguments that break one rule.

    Attributes:
        purpose: which kind of rule: ``missing``, ``unknown``, ``type``, ``bound``, ``length``, ``enum``,
            ``pattern``, ``items``.
        detail: where and how, safe to show.
        arguments: the whole arguments.
    """

    purpose: str
    detail: str
    arguments: dict[str, Any]


def wrong_arguments(schema: Any, good: dict[str, Any]) -> Iterator[Wrong]:
    """Every rule of an input schema, broken once.

    Args:
        schema: the input schema.
        good: arguments that it accepts, the fuller the better: rules about absent members cannot be broken.

    Yields:
        Arguments that the schema refuses, each different from all before.
    """
    validator = compiled(schema)
    if validator is None:
        return
    told: list[dict[str, Any]] = []
    for wrong in _attempts(schema, good):
        if wrong.arguments not in told and not validator.is_valid(wrong.arguments):
            told.append(wrong.arguments)
            yield wrong


def unknown_argument(good: dict[str, Any]) -> Wrong:
    """Arguments with one that no tool declares; whether a schema refuses them is for it to say."""
    return Wrong("unknown", f'"{UNKNOWN}"', {**good, UNKNOWN: "example"})


def _attempts(schema: Any, good: dict[str, Any]) -> Iterator[Wrong]:
    for path, place in _places(schema, schema, good, ()):
        shown = join_pointer("", *path) or "the arguments"
        value = _at(good, path)
        if isinstance(value, dict):
            for name in _names(schema, place):
                if name in value:
                    without = {key: item for key, item in value.items() if key != name}
                    yield Wrong("missing", _shown(join_pointer("", *path, name)), _put(good, path, without))
            if path:
                yield Wrong(
                    "unknown", _shown(join_pointer("", *path, UNKNOWN)), _put(good, path, {**value, UNKNOWN: 1})
                )
        if path:
            for purpose, how, other in _others(schema, place, value):
                yield Wrong(purpose, _shown(f"{shown} {how}"), _put(good, path, other))


def _places(root: Any, schema: Any, value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Every place of a value with the schema that applies there, first item of each list."""
    yield path, schema
    if len(path) >= _DEEPEST:
        return
    if isinstance(value, dict):
        for here in branches(root, schema):
            properties = here.get("properties") if here is not None else None
            for name, item in properties.items() if isinstance(properties, dict) else ():
                if name in value:
                    yield from _places(root, item, value[name], (*path, name))
    elif isinstance(value, list) and value:
        for here in branches(root, schema):
            items = here.get("items") if here is not None else None
            if isinstance(items, dict):
                yield from _places(root, items, value[0], (*path, 0))


def _names(root: Any, schema: Any) -> Iterator[str]:
    for here in branches(root, schema):
        names = here.get("required") if here is not None else None
        yield from (name for name in names or () if isinstance(name, str))


_OTHER_TYPES: tuple[Any, ...] = ({"not": "expected"}, "not expected", 1.5, True, ["not expected"], None)


def _others(root: Any, schema: Any, value: Any) -> Iterator[tuple[str, str, Any]]:
    """Values for one place that break a rule there: purpose, how, value."""
    if not isinstance(schema, dict):
        return
    scoped = in_scope(root, schema)
    for here in branches(root, schema):
        if here is None:
            continue
        yield from _bounds(here)
        yield from _lengths(here, value)
        yield from _choices(here)
        if isinstance(here.get("pattern"), str):
            sizes = {key: here[key] for key in ("minLength", "maxLength") if key in here}
            found = contains(scoped, {"type": "string", "minLength": 1, "maxLength": 200, **sizes})
            if found.has_witness:
                yield "pattern", "does not match its pattern", found.witness
        yield from _counts(here, value)
    yield from _types(scoped, value)


def _types(scoped: dict[str, Any], value: Any) -> Iterator[tuple[str, str, Any]]:
    """The first value of another type that the place refuses; a JSON type is wrong or it is not."""
    validator = compile_schema(scoped)
    for other in _OTHER_TYPES:
        if type(other) is not type(value) and validator is not None and not validator.is_valid(other):
            yield "type", f"is {_TYPE_NAMES[type(other)]}", other
            return


_TYPE_NAMES = {
    dict: "an object",
    str: "a string",
    float: "a number",
    bool: "a boolean",
    list: "a list",
    type(None): "null",
}


def _bounds(schema: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    for key, step in (("minimum", -1), ("maximum", 1), ("exclusiveMinimum", 0), ("exclusiveMaximum", 0)):
        bound = schema.get(key)
        if isinstance(bound, int | float) and not isinstance(bound, bool):
            yield "bound", f"breaks its {key} {bound}", bound + step
    factor = schema.get("multipleOf")
    if isinstance(factor, int | float) and not isinstance(factor, bool) and factor > 0:
        yield "bound", f"is no multiple of {factor}", factor + 1
        yield "bound", f"is no multiple of {factor}", factor * 1.5


def _lengths(schema: dict[str, Any], value: Any) -> Iterator[tuple[str, str, Any]]:
    text = value if isinstance(value, str) and value else "example"
    low, high = schema.get("minLength"), schema.get("maxLength")
    if isinstance(low, int) and low > 0:
        yield "length", f"is shorter than {low}", text[: low - 1]
    if isinstance(high, int) and 0 <= high < _LONGEST:
        yield "length", f"is longer than {high}", (text * (high // len(text) + 1))[: high + 1]


def _choices(schema: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    values = schema.get("enum")
    if isinstance(values, list) or "const" in schema:
        yield "enum", "is none of the allowed values", UNKNOWN
        numbers = [item for item in values or [] if isinstance(item, int) and not isinstance(item, bool)]
        if numbers:
            yield "enum", "is none of the allowed values", max(numbers) + 1


def _counts(schema: dict[str, Any], value: Any) -> Iterator[tuple[str, str, Any]]:
    if not isinstance(value, list) or not value:
        return
    low, high = schema.get("minItems"), schema.get("maxItems")
    if isinstance(low, int) and low > 0:
        yield "items", f"has fewer than {low} items", value[: low - 1]
    if isinstance(high, int) and 0 <= high < _MOST_ITEMS:
        yield "items", f"has more than {high} items", (value * (high // len(value) + 1))[: high + 1]
    if schema.get("uniqueItems") is True:
        yield "items", "repeats an item", [value[0], *value]


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _put(value: Any, path: Path, new: Any) -> Any:
    if not path:
        return new
    out = copy.copy(value)
    out[path[0]] = _put(value[path[0]], path[1:], new)
    return out


def _shown(text: str) -> str:
    return one_line(text, 100)
