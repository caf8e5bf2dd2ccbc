"""Make arguments that an input schema refuses, each of which violates one keyword of the schema."""

from __future__ import annotations

import copy
import itertools
import math
from typing import TYPE_CHECKING, Any, TypeGuard

from msgspec import Struct

from mcp_governor.call.arguments import in_scope
from mcp_governor.containment import contains
from mcp_governor.containment.validators import compile_schema, compiled
from mcp_governor.schemas.branches import branches
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mcp_governor.containment.validating import Validating

UNKNOWN = "mcp_governor_unknown"
"""A name that tools do not declare."""

_MAX_DEPTH = 3
"""Deepest value that is made wrong: generous, because servers check all arguments with one validator. Deeper values
stay valid."""
_MAX_LENGTH = 100_000
"""Largest ``maxLength`` that is violated; beyond it, each call would send more than 100 KB. Larger limits are not
checked."""
_MAX_ITEMS = 10_000
"""Largest ``maxItems`` that is violated, to keep calls small. Larger limits are not checked."""

Path = tuple[str | int, ...]


class Wrong(Struct, frozen=True):
    """Arguments that violate one keyword.

    Attributes:
        purpose: the kind of violation: ``missing``, ``unknown``, ``type``, ``bound``, ``length``, ``enum``,
            ``pattern``, ``items``.
        detail: where and how, safe to show.
        arguments: the whole arguments.
    """

    purpose: str
    detail: str
    arguments: dict[str, Any]


def wrong_arguments(schema: Any, good: dict[str, Any], *, late: Callable[[], bool] = lambda: False) -> Iterator[Wrong]:
    """Violate each keyword of an input schema once.

    Args:
        schema: the input schema.
        good: valid arguments; keywords for members that are absent from them cannot be violated.
        late: called before each attempt; if it returns true, the iteration stops.

    Yields:
        Different arguments that the schema refuses, if possible for the named reason only.
    """
    validator = compiled(schema)
    if validator is None:
        return
    yielded: list[dict[str, Any]] = []
    for _, attempts in itertools.groupby(_attempts(schema, good), key=lambda attempt: attempt.wrong.detail):
        refused = [
            attempt
            for attempt in itertools.takewhile(lambda _: not late(), attempts)
            if attempt.wrong.arguments not in yielded and validator.accepts(attempt.wrong.arguments) is False
        ]
        if late():
            return
        exact = next((attempt for attempt in refused if _exact(validator, attempt)), None)
        # An inexact violation will do, because a pattern may exclude all shorter strings. Not for "unknown", where the
        # schema may refuse the value of the new member and not its name.
        chosen = exact or next((attempt for attempt in refused if attempt.wrong.purpose != "unknown"), None)
        if chosen is not None:
            yielded.append(chosen.wrong.arguments)
            yield chosen.wrong


_PURPOSES: Mapping[str, str] = {
    "required": "missing",
    "additionalProperties": "unknown",
    "type": "type",
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), "bound"),
    **dict.fromkeys(("minLength", "maxLength"), "length"),
    "enum": "enum",
    "pattern": "pattern",
    **dict.fromkeys(("minItems", "maxItems", "uniqueItems"), "items"),
}
"""The violated keyword → the kind of violation."""

_SAME = {"const": "enum", "dependentRequired": "required", "unevaluatedProperties": "additionalProperties"}


class _Attempt(Struct, frozen=True):
    """Arguments that should violate one keyword, and the place where validation should report it."""

    place: Path
    keyword: str
    wrong: Wrong


def _exact(validator: Validating, attempt: _Attempt) -> bool:
    """True if arguments violate one keyword only. Validators report errors inside of a union at the union."""
    try:
        errors = validator.flaws(attempt.wrong.arguments)[:2]
    except ValueError:
        return False
    if len(errors) != 1 or not errors[0].keyword:
        return False
    path, keyword = tuple(errors[0].instance_path), str(errors[0].schema_path[-1])
    return keyword in ("anyOf", "oneOf") or (path, _SAME.get(keyword, keyword)) == (attempt.place, attempt.keyword)


def unknown_argument(good: dict[str, Any]) -> Wrong:
    """Arguments with an undeclared name, which the schema may or may not refuse."""
    return Wrong("unknown", f'"{UNKNOWN}"', {**good, UNKNOWN: "example"})


def _attempts(schema: Any, good: dict[str, Any]) -> Iterator[_Attempt]:
    """Ways to violate each keyword; those for the same keyword are adjacent."""
    for path, place in _places(schema, schema, good, ()):
        shown = join_pointer("", *path) or "the arguments"
        value = _at(good, path)
        for keyword, how, other in itertools.chain(
            _members(schema, place, value, path), _others(schema, place, value, shown) if path else ()
        ):
            yield _Attempt(path, keyword, Wrong(_PURPOSES[keyword], _shown(how), _put(good, path, other)))


def _members(root: Any, schema: Any, value: Any, path: Path) -> Iterator[tuple[str, str, Any]]:
    """An object without one of its required members, and an object with an undeclared member."""
    if not isinstance(value, dict):
        return
    for name in dict.fromkeys(_names(root, schema, value)):
        if name in value:
            without = {key: item for key, item in value.items() if key != name}
            yield "required", join_pointer("", *path, name), without
    if path:
        yield "additionalProperties", join_pointer("", *path, UNKNOWN), {**value, UNKNOWN: 1}


def _places(root: Any, schema: Any, value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Every place in a value and the schema that applies there; for lists, the first item only."""
    yield path, schema
    if len(path) >= _MAX_DEPTH:
        return
    if isinstance(value, dict):
        for here in branches(root, schema):
            properties = here.get("properties") if here is not None else None
            for name, item in properties.items() if isinstance(properties, dict) else ():
                if name in value:
                    yield from _places(root, item, value[name], (*path, name))
            yield from _mapped(root, here, value, path)
    elif isinstance(value, list) and value:
        for here in branches(root, schema):
            items = here.get("items") if here is not None else None
            if isinstance(items, dict):
                yield from _places(root, items, value[0], (*path, 0))


def _mapped(root: Any, schema: dict[str, Any] | None, value: dict[str, Any], path: Path) -> Iterator[tuple[Path, Any]]:
    """The first member that only ``additionalProperties`` describes."""
    items = schema.get("additionalProperties") if schema is not None else None
    if schema is None or not isinstance(items, dict) or "patternProperties" in schema:
        return
    properties = schema.get("properties")
    for name in value:
        if not isinstance(properties, dict) or name not in properties:
            yield from _places(root, items, value[name], (*path, name))
            return


def _names(root: Any, schema: Any, value: dict[str, Any]) -> Iterator[str]:
    """Required names: always required ones, and those that present members require."""
    for here in branches(root, schema):
        if here is None:
            continue
        dependent = here.get("dependentRequired")
        lists = [here.get("required")]
        if isinstance(dependent, dict):
            lists += [names for name, names in dependent.items() if name in value]
        for names in lists:
            yield from (name for name in names or () if isinstance(name, str))


_OTHER_TYPES: tuple[Any, ...] = ({"not": "expected"}, "not expected", 1.5, True, ["not expected"], None)


def _others(root: Any, schema: Any, value: Any, shown: str) -> Iterator[tuple[str, str, Any]]:
    """Values that violate a keyword at one place: keyword, where and how, value."""
    if not isinstance(schema, dict):
        return
    scoped = in_scope(root, schema)
    for here in branches(root, schema):
        if here is None:
            continue
        for keyword, how, other in itertools.chain(
            _bounds(here, value), _lengths(here, value), _choices(here), _pattern(here, scoped), _counts(here, value)
        ):
            yield keyword, f"{shown} {how}", other
    for keyword, how, other in _types(scoped, value):
        yield keyword, f"{shown} {how}", other


def _pattern(schema: dict[str, Any], scoped: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    if isinstance(schema.get("pattern"), str):
        sizes = {key: schema[key] for key in ("minLength", "maxLength") if key in schema}
        found = contains(scoped, {"type": "string", "minLength": 1, "maxLength": 200, **sizes})
        if found.has_witness:
            yield "pattern", "does not match its pattern", found.witness


def _types(scoped: dict[str, Any], value: Any) -> Iterator[tuple[str, str, Any]]:
    """The first value of another type that is refused; one is enough."""
    validator = compile_schema(scoped)
    for other in _OTHER_TYPES:
        if type(other) is not type(value) and validator is not None and validator.accepts(other) is False:
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


def _bounds(schema: dict[str, Any], value: Any) -> Iterator[tuple[str, str, Any]]:
    factor = schema.get("multipleOf")
    step = factor if _is_number(factor) and factor > 0 else None
    for key, sign in (("minimum", -1), ("maximum", 1), ("exclusiveMinimum", -1), ("exclusiveMaximum", 1)):
        bound = schema.get(key)
        if not _is_number(bound):
            continue
        how = f"breaks its {key} {bound}"
        if step is not None and math.isfinite(bound / step):
            beyond = (math.floor(bound / step) if sign < 0 else math.ceil(bound / step)) * step
            yield from ((key, how, other) for other in (beyond, beyond + sign * step))
        yield key, how, bound if key.startswith("exclusive") else bound + sign
    if step is not None:
        near = value if _is_number(value) else step
        how = f"is not a multiple of {step}"
        yield from (("multipleOf", how, other) for other in (near + 1, near - 1, near + step / 2, near - step / 2))


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _lengths(schema: dict[str, Any], value: Any) -> Iterator[tuple[str, str, Any]]:
    text = value if isinstance(value, str) and value else "example"
    low, high = schema.get("minLength"), schema.get("maxLength")
    if isinstance(low, int) and low > 0:
        for short in _of_pattern(schema, text[: low - 1], maxLength=low - 1):
            yield "minLength", f"is shorter than {low}", short
    if isinstance(high, int) and 0 <= high < _MAX_LENGTH:
        for long in _of_pattern(schema, (text * (high // len(text) + 1))[: high + 1], minLength=high + 1):
            yield "maxLength", f"is longer than {high}", long


def _of_pattern(schema: dict[str, Any], text: str, **size: int) -> Iterator[str]:
    """A string of the wrong length; if it does not match the pattern, then also one that does, if possible."""
    yield text
    validator = compile_schema({"pattern": schema["pattern"]}) if isinstance(schema.get("pattern"), str) else None
    if validator is not None and validator.accepts(text) is False:
        found = contains(False, {"type": "string", "pattern": schema["pattern"], **size})
        if found.has_witness:
            yield found.witness


def _choices(schema: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    if "const" not in schema and not isinstance(schema.get("enum"), list):
        return
    values = [schema["const"]] if "const" in schema else schema["enum"]
    how = "is not one of the allowed values"
    numbers = [item for item in values if isinstance(item, int) and not isinstance(item, bool)]
    if numbers:
        yield "enum", how, max(numbers) + 1
    yield "enum", how, UNKNOWN


def _counts(schema: dict[str, Any], value: Any) -> Iterator[tuple[str, str, Any]]:
    if not isinstance(value, list) or not value:
        return
    low, high = schema.get("minItems"), schema.get("maxItems")
    if isinstance(low, int) and low > 0:
        yield "minItems", f"has fewer than {low} items", value[: low - 1]
    if isinstance(high, int) and 0 <= high < _MAX_ITEMS:
        how = f"has more than {high} items"
        if schema.get("uniqueItems") is True and isinstance(value[0], int | str):
            yield "maxItems", how, _distinct(value, high + 1)
        yield "maxItems", how, (value * (high // len(value) + 1))[: high + 1]
    if schema.get("uniqueItems") is True:
        how = "repeats an item"
        yield "uniqueItems", how, [value[0], *value]
        yield "uniqueItems", how, [value[0], value[0], *value[2:]]


def _distinct(items: list[Any], count: int) -> list[Any]:
    """A list of ``count`` different items, which starts with the given ones."""
    first = items[0]
    more = (f"{first}{number}" if isinstance(first, str) else int(first) + number for number in itertools.count(1))
    out = list(items)
    while len(out) < count:
        out += [item for item in itertools.islice(more, 1) if item not in out]
    return out[:count]


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
