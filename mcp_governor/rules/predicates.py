"""Compiles a rule's JSON Schema to a function.

A rule is checked against every schema of a surface, and each of them contains those below it. The engine copies its
input, so a rule on ``type`` alone would copy a surface once per level. The few keywords about a value and its members
are implemented here (in a third of the time, even for a small value); the engine handles the rest.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from typing import Any

from mcp_governor.schemas.patterns import compile_schema, errors

Predicate = Callable[[Any], bool]

_TYPES: Mapping[str, type] = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
_REFERRING = frozenset({"$ref", "$dynamicRef", "$id"})


def predicate(schema: Any, *, sound: bool = False) -> Predicate:
    """A function that returns true if a value satisfies a schema.

    Args:
        schema: the schema.
        sound: it is known to compile, so this is done for the first value that needs the engine. A surface without
            resources, for example, needs none of the schemas of the rules about them.

    Raises:
        ConfigError: the schema or a pattern in it does not compile.
    """
    try:
        text = json.dumps(schema)
    except (TypeError, ValueError, RecursionError):
        return _made(schema, sound=sound)
    return _known(text, sound)


# The schemas of all declarative rules, ours and a user's, as in `compile_schema`.
@functools.lru_cache(maxsize=512)
def _known(text: str, sound: bool) -> Predicate:
    return _made(json.loads(text), sound=sound)


def _made(schema: Any, *, sound: bool) -> Predicate:
    if not sound:
        compile_schema(schema)
    return _engine(schema) if _refers(schema) else _predicate(schema)


def _engine(schema: Any) -> Predicate:
    validator: Any = None

    def is_valid(value: Any) -> bool:
        nonlocal validator
        if validator is None:
            validator = compile_schema(schema)
        try:
            valid: bool = validator.is_valid(value)
        except UnicodeEncodeError:
            return not errors(validator, value)
        return valid

    return is_valid


def _refers(schema: Any) -> bool:
    """True if a part of a schema has a meaning only within the whole."""
    if isinstance(schema, list):
        return any(map(_refers, schema))
    return isinstance(schema, dict) and (bool(_REFERRING & schema.keys()) or any(map(_refers, schema.values())))


def _predicate(schema: Any) -> Predicate:
    if isinstance(schema, bool):
        return lambda _: schema
    if not all(_KEYWORDS[key][0](held) if key in _KEYWORDS else False for key, held in schema.items()):
        return _engine(schema)
    parts = [_KEYWORDS[key][1](held) for key, held in schema.items()]
    if len(parts) == 1:
        return parts[0]

    def every(value: Any) -> bool:
        for part in parts:  # noqa: SIM110 - a generator costs more than the parts
            if not part(value):
                return False
        return True

    return every


def _type(name: str) -> Predicate:
    kind = _TYPES[name]
    return lambda value: isinstance(value, kind)


def _required(names: list[str]) -> Predicate:
    if len(names) == 1:
        (only,) = names
        return lambda value: not isinstance(value, dict) or only in value
    wanted = frozenset(names)
    return lambda value: not isinstance(value, dict) or value.keys() >= wanted


def _properties(held: Mapping[str, Any]) -> Predicate:
    parts = [(name, _predicate(schema)) for name, schema in held.items()]

    def members(value: Any) -> bool:
        if isinstance(value, dict):
            for name, part in parts:
                if name in value and not part(value[name]):
                    return False
        return True

    return members


def _any_of(schemas: list[Any]) -> Predicate:
    if all(_one_name(schema) for schema in schemas):
        names = frozenset(schema["required"][0] for schema in schemas)
        return lambda value: not isinstance(value, dict) or not names.isdisjoint(value)
    parts = [_predicate(schema) for schema in schemas]

    def some(value: Any) -> bool:
        for part in parts:  # noqa: SIM110 - as above
            if part(value):
                return True
        return False

    return some


def _one_name(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.keys() == {"required"} and len(schema["required"]) == 1


def _not(schema: Any) -> Predicate:
    part = _predicate(schema)
    return lambda value: not part(value)


def _enum(values: list[str]) -> Predicate:
    known = frozenset(values)
    return lambda value: isinstance(value, str) and value in known


def _items(schema: Any) -> Predicate:
    part = _predicate(schema)
    return lambda value: not isinstance(value, list) or all(map(part, value))


def _always(_: Any) -> bool:
    return True


_KEYWORDS: Mapping[str, tuple[Predicate, Callable[[Any], Predicate]]] = {
    "type": (
        lambda held: isinstance(held, str) and held in _TYPES,
        _type,
    ),
    # The engine handles numbers: in JSON 1 equals 1.0, and in Python it also equals True.
    "const": (
        lambda held: isinstance(held, str | bool),
        lambda held: lambda value: value is held if isinstance(held, bool) else value == held,
    ),
    "enum": (lambda held: all(isinstance(value, str) for value in held), _enum),
    "maxLength": (
        lambda held: isinstance(held, int),
        lambda held: lambda value: not isinstance(value, str) or len(value) <= held,
    ),
    "required": (_always, _required),
    "properties": (_always, _properties),
    "items": (_always, _items),
    "anyOf": (_always, _any_of),
    "not": (_always, _not),
}
"""By keyword: a test for the arguments that are handled here, and the predicate for such an argument."""
