"""Matchers: what a query set expects of the arguments of a call.

A matcher is a JSON value. A string, a number, a boolean, ``null`` or an array has to be equal to the argument. An
object is a set of conditions, which all have to hold (:class:`Conditions`). An object that has to be equal is written
as ``{"equal": {…}}``.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from mcp_governor.documents import Wrong, read
from mcp_governor.errors import ConfigError
from mcp_governor.text import one_line

MAX_PATTERN = 500
"""Maximum length of a pattern in characters; the longest useful one that we saw (a URL with its query) has 120."""

MAX_SEARCHED = 10_000
"""Number of characters of an argument that a pattern is searched in; what a model invents beyond does not match."""

ABSENT: Any = object()
"""The argument of a call that does not have it."""


class Conditions(Struct, frozen=True, forbid_unknown_fields=True):
    """What an object says about an argument."""

    equal: Any = UNSET
    enum: Annotated[list[Any], Meta(min_length=1)] | UnsetType = UNSET
    pattern: Annotated[str, Meta(max_length=MAX_PATTERN)] | UnsetType = UNSET
    minimum: float | UnsetType = UNSET
    maximum: float | UnsetType = UNSET
    present: bool | UnsetType = UNSET


def problem_of(matcher: Any) -> str | None:
    """What is wrong with a matcher, as the end of a sentence; ``None`` if it can be used."""
    if not isinstance(matcher, dict):
        return None
    if not matcher:
        return 'has no condition; {"present": true} accepts any value'
    found = read(Conditions, matcher)
    if isinstance(found, Wrong):
        return f'cannot be used: {found.sentence} An object that has to be equal is written as {{"equal": {{…}}}}'
    if found.present is False and len(matcher) > 1:
        return "must be absent, so other conditions cannot hold"
    if found.minimum is not UNSET and found.maximum is not UNSET and found.minimum > found.maximum:
        return f"has a minimum of {found.minimum:g}, above its maximum of {found.maximum:g}"
    from mcp_governor.schemas.patterns import compile_schema

    try:
        compile_schema({} if found.pattern is UNSET else {"pattern": found.pattern})
    except ConfigError:
        return (
            f'has the pattern "{one_line(str(found.pattern), 60)}", which is not a regular expression of a linear-time '
            "engine (no look-around, no back-references)"
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
