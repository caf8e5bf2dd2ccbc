"""How much memory a validator would take, so that a heavy one is only ever built where memory has a limit.

A schema of 20 KB with a thousand patterns ``.{1000}`` takes a validator of a gigabyte, and nothing interrupts the
engine while it builds one.
"""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_OBJECT = 2_048
"""Bytes of a JSON object in a validator: measured, with a margin, for subschemas and for values of ``enum``."""
_PATTERN = 15_000
"""Bytes of a pattern that repeats nothing, as measured."""
_REPEAT, _COSTLY_REPEAT = 1_200, 60_000
"""Bytes of a pattern, and of each repetition that it counts: ``.{1000}`` takes a megabyte. Unicode classes and groups
that look around take the larger number."""
_MOST_PATTERN = 10_000_000
"""The engine itself refuses larger patterns."""
_COUNTED = re.compile(r"\{(\d{1,6})(?:,(\d{0,6}))?\}")

HEAVY = 64_000_000
"""Bytes of one validator from which on it is not built in this process: 30,000 subschemas, more than honest
schemas have. A few are alive at a time."""
MOST = 256_000_000
"""Bytes of a validator that is not built at all, or whose patterns are not even looked at one by one."""


def weight(schema: Any, text: str) -> int:
    """Bytes that a validator of the schema takes, at most about so many.

    Args:
        schema: any JSON value.
        text: it as JSON.
    """
    total = _OBJECT * text.count("{")
    return total + pattern_weight(schema) if '"pattern' in text else total


def pattern_weight(schema: Any) -> int:
    """Bytes that all patterns of a schema take when they are compiled."""
    return sum(map(_compiled, _patterns(schema)))


def _compiled(pattern: str) -> int:
    costly = "\\p" in pattern or "\\P" in pattern or "(?" in pattern
    repeats = prod(max(int(least), int(most or 0), 1) for least, most in _COUNTED.findall(pattern[:10_000]))
    each = _COSTLY_REPEAT if costly else _REPEAT
    return min(_MOST_PATTERN, _PATTERN + each * repeats + 100 * len(pattern))


def _patterns(schema: Any) -> Iterator[str]:
    """All that may be a pattern, wherever it stands: not all places of a schema are places of schemas."""
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
