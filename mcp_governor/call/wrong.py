"""Make arguments that a call should fail with: each violates one keyword of the schema, or names what does not exist.

A server's framework refuses arguments that the schema refuses; the tool never sees them. What it says itself, and
what it suggests to do next, shows when the arguments are in order and mean nothing.
"""

from __future__ import annotations

import copy
import itertools
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.call.arguments import in_scope
from mcp_governor.call.cases import Case, Purpose
from mcp_governor.call.server_values import REFERENCES
from mcp_governor.call.words import singular, words
from mcp_governor.charter.recovery import misfit
from mcp_governor.containment import contains
from mcp_governor.containment.validators import compile_schema, compiled
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.schemas.walking import branches
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mcp_governor.call.cases import CaseResult
    from mcp_governor.surface.model import Surface, Tool

UNKNOWN = "mcp_governor_unknown"
"""A name that tools do not declare."""

_MAX_DEPTH = 3
"""Deepest value that is made wrong: generous, because servers check all arguments with one validator. Deeper values
stay valid."""

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
        Different arguments that the schema refuses.
    """
    validator = compiled(schema)
    if validator is None:
        return
    yielded: list[dict[str, Any]] = []
    done = ""
    for wrong in _attempts(schema, good):
        if late():
            return
        # Attempts at the same keyword are adjacent; one that the schema refuses is enough.
        if wrong.detail != done and wrong.arguments not in yielded and validator.accepts(wrong.arguments) is False:
            done = wrong.detail
            yielded.append(wrong.arguments)
            yield wrong


_KEYWORDS: Mapping[str, tuple[str, str]] = {
    "required": ("missing", ""),
    "additionalProperties": ("unknown", ""),
    "type": ("type", ""),
    "minimum": ("bound", "breaks its minimum {}"),
    "maximum": ("bound", "breaks its maximum {}"),
    "exclusiveMinimum": ("bound", "breaks its exclusiveMinimum {}"),
    "exclusiveMaximum": ("bound", "breaks its exclusiveMaximum {}"),
    "multipleOf": ("bound", "is not a multiple of {}"),
    "minLength": ("length", "is shorter than {}"),
    "maxLength": ("length", "is longer than {}"),
    "enum": ("enum", "is not one of the allowed values"),
    "const": ("enum", "is not one of the allowed values"),
    "pattern": ("pattern", "does not match its pattern"),
    "minItems": ("items", "has fewer than {} items"),
    "maxItems": ("items", "has more than {} items"),
    "uniqueItems": ("items", "repeats an item"),
}
"""The violated keyword → the kind of violation, and how it is said of a value."""


def unknown_argument(good: dict[str, Any]) -> Wrong:
    """Arguments with an undeclared name, which the schema may or may not refuse."""
    return Wrong("unknown", f'"{UNKNOWN}"', {**good, UNKNOWN: "example"})


def _attempts(schema: Any, good: dict[str, Any]) -> Iterator[Wrong]:
    """Ways to violate each keyword; those for the same keyword are adjacent."""
    for path, place in _places(schema, schema, good, ()):
        value = _at(good, path)
        ways = [_members(schema, place, value, path)]
        if path and isinstance(place, dict):
            ways.append(_others(schema, place, value, join_pointer("", *path)))
        for keyword, how, other in itertools.chain(*ways):
            yield Wrong(_KEYWORDS[keyword][0], one_line(how, 100), _put(good, path, other))


def _places(root: Any, schema: Any, value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Every place in a value and the schema that applies there; for lists and maps, the first item only."""
    yield path, schema
    for here in branches(root, schema) if len(path) < _MAX_DEPTH else ():
        inner: list[tuple[str | int, Any]] = []
        if here is not None and isinstance(value, dict):
            properties, others = here.get("properties"), here.get("additionalProperties")
            properties = properties if isinstance(properties, dict) else {}
            inner += [(name, item) for name, item in properties.items() if name in value]
            if isinstance(others, dict) and "patternProperties" not in here:
                inner += [(name, others) for name in value if name not in properties][:1]
        elif here is not None and isinstance(value, list) and value and isinstance(here.get("items"), dict):
            inner.append((0, here["items"]))
        for step, item in inner:
            yield from _places(root, item, value[step], (*path, step))


def _members(root: Any, schema: Any, value: Any, path: Path) -> Iterator[tuple[str, str, Any]]:
    """An object without one of its required members, and an object with an undeclared member."""
    if not isinstance(value, dict):
        return
    parts = [here for here in branches(root, schema) if here is not None]
    for name in dict.fromkeys(_names(parts, value)):
        if name in value:
            without = {key: item for key, item in value.items() if key != name}
            yield "required", join_pointer("", *path, name), without
    # Where a schema describes the other members, it may refuse the value of the new one and not its name.
    if path and not any(isinstance(here.get("additionalProperties"), dict) for here in parts):
        yield "additionalProperties", join_pointer("", *path, UNKNOWN), {**value, UNKNOWN: 1}


def _names(parts: list[dict[str, Any]], value: dict[str, Any]) -> Iterator[str]:
    """Required names: always required ones, and those that present members require."""
    for here in parts:
        dependent = here.get("dependentRequired")
        lists = [names for name, names in dependent.items() if name in value] if isinstance(dependent, dict) else []
        for names in (here.get("required"), *lists):
            yield from (name for name in names or () if isinstance(name, str))


_OTHER_TYPES: tuple[Any, ...] = ({"not": "expected"}, "not expected", 1.5, True, ["not expected"], None)


def _others(root: Any, schema: dict[str, Any], value: Any, shown: str) -> Iterator[tuple[str, str, Any]]:
    """Values that violate a keyword at one place: keyword, where and how, value."""
    scoped = in_scope(root, schema)
    shared: dict[str, Any] = {key: scoped[key] for key in ("$defs", "definitions", "$schema", "type") if key in scoped}
    for here in branches(root, schema):
        for keyword, stated in (here or {}).items():
            _, said = _KEYWORDS.get(keyword, ("", ""))
            if not said:
                continue
            how = f"{shown} {said.format(stated)}"
            # What this part accepts as soon as it does not have the keyword.
            without = {**shared, **{key: item for key, item in (here or {}).items() if key != keyword}}
            loose = compile_schema(without) if keyword in ("enum", "const") else None
            if loose is not None and loose.accepts(UNKNOWN):
                yield keyword, how, UNKNOWN
            found = contains({**shared, **(here or {})}, without)
            if found.has_witness:
                yield keyword, how, found.witness
    validator = compile_schema(scoped)
    for other in _OTHER_TYPES:
        if type(other) is not type(value) and validator is not None and validator.accepts(other) is False:
            yield "type", f"{shown} is {_TYPE_NAMES[type(other)]}", other
            return


_TYPE_NAMES = {
    dict: "an object",
    str: "a string",
    float: "a number",
    bool: "a boolean",
    list: "a list",
    type(None): "null",
}


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


_LONGEST = 200
"""Characters of a value that is misspelled: names are shorter, and a longer text is content, whose spelling is free."""


def misnamed_case(results: Sequence[CaseResult], bad: CaseResult, surface: Surface) -> Case | None:
    """The call to make after a bad one that the tool did not see; ``None`` if there is nothing more to learn.

    Args:
        results: of the run, the bad call included.
        bad: the bad call.
        surface: what the server publishes.
    """
    tool = surface.by_name.get(bad.case.tool)
    own = [result for result in results if result.case.tool == bad.case.tool]
    if (
        tool is None
        or not bad.outcome.failed
        or bad.case.good
        or any(one.outcome.failed and one.is_of_tool for one in own)
    ):
        return None
    case = next((result.case for result in own if result.case.good and not result.outcome.failed), None)
    if case is None:
        return None
    for name in _named(tool, case.arguments):
        for value in (f"{case.arguments[name]}x", UNKNOWN):
            arguments = {**case.arguments, name: value}
            if not misfit(tool, arguments):
                portable = case.portable_arguments
                said = {**portable, name: value if value == UNKNOWN else f"{portable[name]}x"}
                return Case(tool.name, arguments, Purpose.MISNAMED, detail=one_line(name, 60), portable=said)
    return None


def _named(tool: Tool, arguments: Mapping[str, Any]) -> list[str]:
    """Required arguments that name something, then other strings."""
    schema = tool.input_schema
    required = schema.get("required") if isinstance(schema, dict) else None
    found = [
        name
        for name in (required if isinstance(required, list) else ())
        if isinstance(name, str)
        and isinstance(value := arguments.get(name), str)
        and 0 < len(value) <= _LONGEST
        and "://" not in value
    ]
    return sorted(found, key=lambda name: singular((words(name) or ("",))[-1]) not in REFERENCES)
