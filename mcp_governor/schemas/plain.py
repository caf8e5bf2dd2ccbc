"""Plain schemas and plain conditions, judged without the engine, whose import takes as long as forty of our modules.

What is not plain is left to the engine, so both functions may say less than is true, and never more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from mcp_governor.schemas.dialects import DIALECT_2020_12

Test = Callable[[Any], bool]

_DIALECTS = frozenset({DIALECT_2020_12, "http://json-schema.org/draft-07/schema#"})
_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value) and len(set(value)) == len(value)


def _is_type(value: Any) -> bool:
    return value in _TYPES if isinstance(value, str) else bool(value) and _is_names(value) and _TYPES.issuperset(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


_HOLDS: Mapping[str, Test] = {
    **dict.fromkeys(("title", "description", "$comment", "format", "contentMediaType", "contentEncoding"), _is_text),
    **dict.fromkeys(("readOnly", "writeOnly", "deprecated", "uniqueItems"), _is_flag),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number),
    **dict.fromkeys(
        [f"{end}{what}" for end in ("min", "max") for what in ("Items", "Length", "Properties")], _is_count
    ),
    **dict.fromkeys(("default", "const"), lambda _: True),
    **dict.fromkeys(("enum", "examples"), lambda value: isinstance(value, list)),
    "type": _is_type,
    "required": _is_names,
}
"""Keyword → if its value is valid in draft 7 and in draft 2020-12; a pattern is left to the engine."""
_ONE = frozenset({"additionalProperties", "items", "propertyNames", "contains", "not"})
_MAX_DEPTH = 50
"""Maximum depth of a plain schema; the engine refuses 255 levels of JSON."""
_LISTS = frozenset({"allOf", "anyOf", "oneOf"})


def is_plain(schema: Any) -> bool:
    """True if a schema certainly is one of draft 7 and of draft 2020-12, has no references and compiles.

    Args:
        schema: a JSON value.
    """
    pending = [(schema, 0)]
    while pending:
        part, depth = pending.pop()
        if isinstance(part, bool):
            continue
        if not isinstance(part, dict) or depth > _MAX_DEPTH:
            return False
        inner: list[Any] = []
        for key, value in part.items():
            holds = _HOLDS.get(key)
            if holds is not None:
                if not holds(value):
                    return False
            elif key == "properties" and isinstance(value, dict):
                inner += value.values()
            elif key in _ONE:
                inner.append(value)
            elif key in _LISTS and isinstance(value, list) and value:
                inner += value
            elif not (
                key.startswith("x-")
                or (key == "$schema" and not depth and isinstance(value, str) and value in _DIALECTS)
            ):
                return False
        pending += [(one, depth + 1) for one in inner]
    return True


def condition(schema: Any) -> Test | None:
    """A test if a value satisfies a schema of a rule; ``None`` if only the engine knows.

    Args:
        schema: of a rule, which the engine would compile.
    """
    if isinstance(schema, bool):
        return lambda _: schema
    tests: list[Test] = []
    for key, value in schema.items():
        make = _CONDITIONS.get(key)
        test = make(value) if make is not None else None
        if test is None:
            return None
        tests.append(test)
    return tests[0] if len(tests) == 1 else lambda value: all(test(value) for test in tests)


def _typed(names: Any) -> Test | None:
    kinds = {"string": str, "object": dict, "array": list, "boolean": bool}
    kind = kinds.get(names) if isinstance(names, str) else None
    return None if kind is None else lambda value: isinstance(value, kind)


def _equal(constant: Any) -> Test | None:
    if not isinstance(constant, str | bool):
        return None
    return lambda value: type(value) is type(constant) and value == constant


def _among(constants: Any) -> Test | None:
    if not all(isinstance(one, str) for one in constants):
        return None
    known = frozenset(constants)
    return lambda value: isinstance(value, str) and value in known


def _requires(names: Any) -> Test:
    return lambda value: not isinstance(value, dict) or all(name in value for name in names)


def _members(schemas: Any) -> Test | None:
    tests = {name: condition(schema) for name, schema in schemas.items()}
    known = {name: test for name, test in tests.items() if test is not None}
    if len(known) < len(tests):
        return None
    return lambda value: (
        not isinstance(value, dict) or all(test(value[name]) for name, test in known.items() if name in value)
    )


def _not(schema: Any) -> Test | None:
    test = condition(schema)
    return None if test is None else lambda value: not test(value)


def _any_of(schemas: Any) -> Test | None:
    tests = [test for schema in schemas if (test := condition(schema)) is not None]
    return (lambda value: any(test(value) for test in tests)) if len(tests) == len(schemas) else None


def _items(schema: Any) -> Test | None:
    test = condition(schema)
    return None if test is None else lambda value: not isinstance(value, list) or all(map(test, value))


def _contains(schema: Any) -> Test | None:
    test = condition(schema)
    return None if test is None else lambda value: not isinstance(value, list) or any(map(test, value))


def _no_longer(most: Any) -> Test:
    return lambda value: not isinstance(value, str) or len(value) <= most


def _no_more_items(most: Any) -> Test:
    return lambda value: not isinstance(value, list) or len(value) <= most


def _members_at_least(least: Any) -> Test:
    return lambda value: not isinstance(value, dict) or len(value) >= least


_MAX_TEXT = 256
"""Maximum number of characters that are searched without the engine."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]|\n\Z")
"""What Python takes for a blank, or for a part of the last line, and the engine does not."""
_MAX_REPEATS = 2
"""Maximum number of repetitions in such an expression, so that a search takes few steps."""


def search(pattern: str, *, ours: bool = False) -> Test:
    """A search for a pattern, with the result of the engine.

    Python searches ASCII, in which a pattern means the same to both, if the pattern takes few steps.

    Args:
        pattern: to search for.
        ours: we wrote it, so it takes few steps whatever the text is; of others, only one without groups and with
            few repetitions does, in a short text.
    """
    tame = "(" not in pattern and sum(map(pattern.count, "*+{")) <= _MAX_REPEATS

    def found(value: str) -> bool:
        if (ours or (tame and len(value) <= _MAX_TEXT)) and value.isascii() and _CONTROL.search(value) is None:
            return re.search(pattern, value) is not None
        from mcp_governor.schemas.patterns import linear_pattern

        return linear_pattern(pattern).search(value)

    return found


def _matches(pattern: Any) -> Test:
    test = search(pattern)
    return lambda value: not isinstance(value, str) or test(value)


_CONDITIONS: Mapping[str, Callable[[Any], Test | None]] = {
    "type": _typed,
    "const": _equal,
    "enum": _among,
    "required": _requires,
    "properties": _members,
    "not": _not,
    "anyOf": _any_of,
    "items": _items,
    "contains": _contains,
    "maxItems": _no_more_items,
    "maxLength": _no_longer,
    "minProperties": _members_at_least,
    "pattern": _matches,
}
