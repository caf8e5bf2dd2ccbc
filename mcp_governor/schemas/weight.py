"""The size of a value, and the memory of a validator, so that a heavy one is only built in a process with a limit.

A schema of 20 KB with a thousand patterns ``.{1000}`` needs a validator of 1 GB, and the engine cannot be interrupted
while it builds one.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator


def extent(value: Any) -> tuple[int, int]:
    """The number of values in a value, including itself, and their depth."""
    places = deepest = 0
    stack = [(value, 0)]
    while stack:
        item, depth = stack.pop()
        places += 1
        deepest = max(deepest, depth)
        if isinstance(item, dict | list):
            below = item.values() if isinstance(item, dict) else item
            stack.extend((part, depth + 1) for part in below)
    return places, deepest


def count_values(value: Any) -> int:
    """The number of values in a value, including itself."""
    return extent(value)[0]


_OBJECT = 2_048
"""Memory of a JSON object in a validator, in bytes: measured for subschemas and values of ``enum``, with a margin."""
_PATTERN = 15_000
"""Measured memory of a pattern without repetitions, in bytes."""
_REPEAT, _COSTLY_REPEAT = 1_200, 60_000
"""Memory per counted repetition of a pattern, in bytes: ``.{1000}`` takes 1 MB. The larger number is for Unicode
classes and lookaround groups."""
_MAX_PATTERN = 10_000_000
"""Memory of the largest pattern that the engine accepts, in bytes."""
_COUNTED = lazy_pattern(r"\{(\d{1,6})(?:,(\d{0,6}))?\}")

HEAVY = 64_000_000
"""Largest validator that is built in this process, in bytes: 30,000 subschemas, more than real schemas have. A few are
alive at the same time."""
MAX_WEIGHT = 256_000_000
"""Largest validator that is built at all, in bytes. For larger ones, patterns are not weighed one by one either."""


def weight(schema: Any, text: str) -> int:
    """Approximate upper bound for the memory of a validator of the schema, in bytes.

    Args:
        schema: any JSON value.
        text: the schema as JSON text.
    """
    total = _OBJECT * text.count("{")
    return total + pattern_weight(schema) if '"pattern' in text else total


def pattern_weight(schema: Any) -> int:
    """Memory of all compiled patterns of a schema, in bytes."""
    return sum(map(_compiled, _patterns(schema)))


def _compiled(pattern: str) -> int:
    costly = "\\p" in pattern or "\\P" in pattern or "(?" in pattern
    repeats = prod(max(int(least), int(most or 0), 1) for least, most in _COUNTED.findall(pattern[:10_000]))
    each = _COSTLY_REPEAT if costly else _REPEAT
    return min(_MAX_PATTERN, _PATTERN + each * repeats + 100 * len(pattern))


def _patterns(schema: Any) -> Iterator[str]:
    """Everything that may be a pattern, anywhere, because not all parts of a schema are schemas."""
    pending = [schema]
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending.extend(part)
        elif isinstance(part, dict):
            pending.extend(part.values())
            if isinstance(part.get("pattern"), str):
                yield part["pattern"]
            if isinstance(part.get("patternProperties"), dict):
                yield from part["patternProperties"]
