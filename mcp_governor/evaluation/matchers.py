"""Matchers: what a query set expects of the arguments of a call.

A matcher is a JSON value. A string, a number, a boolean, ``null`` or an array has to be equal to the argument. An
object is a set of conditions, which all have to hold: ``equal``, ``enum``, ``pattern``, ``minimum``, ``maximum``,
``present``. An object that has to be equal is written as ``{"equal": {…}}``.
"""

from __future__ import annotations

from typing import Any

from mcp_governor.errors import ConfigError
from mcp_governor.text import did_you_mean, one_line

CONDITIONS = ("equal", "enum", "pattern", "minimum", "maximum", "present")
"""What an object may say about an argument."""

MAX_PATTERN = 500
"""Maximum length of a pattern in characters; the longest useful one that we saw (a URL with its query) has 120."""

MAX_SEARCHED = 10_000
"""Number of characters of an argument that a pattern is searched in; what a model invents beyond does not match."""

ABSENT: Any = object()
"""The argument of a call that does not have it."""


def problem_of(matcher: Any) -> str | None:
    """What is wrong with a matcher, as the end of a sentence; ``None`` if it can be used."""
    if not isinstance(matcher, dict):
        return None
    if not matcher:
        return 'has no condition; {"present": true} accepts any value'
    for name, value in matcher.items():
        said = _condition_problem(name, value)
        if said:
            return said
    if matcher.get("present") is False and len(matcher) > 1:
        return "must be absent, so other conditions cannot hold"
    low, high = matcher.get("minimum"), matcher.get("maximum")
    if low is not None and high is not None and low > high:
        return f"has a minimum of {low}, above its maximum of {high}"
    return None


def _condition_problem(name: str, value: Any) -> str | None:
    if name not in CONDITIONS:
        known = ", ".join(CONDITIONS)
        return (
            f'has the unknown condition "{one_line(name, 40)}" (known: {known}).{did_you_mean(name, CONDITIONS)} '
            'An object that has to be equal is written as {"equal": {…}}'
        )
    if name == "enum" and not (isinstance(value, list) and value):
        return 'has an "enum" that is not an array of values'
    if name in ("minimum", "maximum") and not _is_number(value):
        return f'has a "{name}" that is not a number'
    if name == "present" and not isinstance(value, bool):
        return 'has a "present" that is neither true nor false'
    if name == "pattern":
        return _pattern_problem(value)
    return None


def _pattern_problem(value: Any) -> str | None:
    if not isinstance(value, str):
        return 'has a "pattern" that is not a string'
    if len(value) > MAX_PATTERN:
        return f"has a pattern of {len(value):,} characters, more than {MAX_PATTERN}"
    from mcp_governor.schemas.patterns import compile_schema

    try:
        compile_schema({"pattern": value})
    except ConfigError:
        return (
            f'has the pattern "{one_line(value, 60)}", which is not a regular expression of a linear-time engine '
            "(no look-around, no back-references)"
        )
    return None


def matches(matcher: Any, value: Any = ABSENT) -> bool:
    """True if an argument is what a matcher expects: a matcher is a JSON Schema in other words.

    An answer of a model and a set of a stranger meet here: the engine takes linear time, whatever they are.

    Args:
        matcher: one without a problem (:func:`problem_of`).
        value: the argument, or :data:`ABSENT`.
    """
    from mcp_governor.schemas.patterns import compile_schema, encodable

    if value is ABSENT or (isinstance(matcher, dict) and matcher.get("present") is False):
        return value is ABSENT and isinstance(matcher, dict) and matcher.get("present") is False
    if isinstance(value, str) and isinstance(matcher, dict) and "pattern" in matcher:
        value = value[:MAX_SEARCHED]
    parts = matcher.items() if isinstance(matcher, dict) else [("equal", matcher)]
    schema = {"allOf": [{_KEYWORDS.get(name, name): item, **_TYPES.get(name, {})} for name, item in parts]}
    return bool(compile_schema(encodable(schema)).is_valid(encodable(value)))


_KEYWORDS = {"equal": "const"}
_TYPES = {"pattern": {"type": "string"}, "minimum": {"type": "number"}, "maximum": {"type": "number"}}
"""What a condition asks of the type; in JSON Schema, a keyword says nothing of other types."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
