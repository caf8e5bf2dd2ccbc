r"""Patterns of other languages than ECMA-262: ``\A…\Z`` of Python, ``\h`` of PCRE, an unclosed class.

A validator refuses a whole schema for one of them. What does not depend on its strings is known all the same: the
schema is read once as if all strings matched it, and once as if none did.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import jsonschema_rs

from mcp_governor.schemas.dialects import uri_of
from mcp_governor.schemas.soundness import compiles
from mcp_governor.schemas.walking import patterns_of, rebuilt
from mcp_governor.schemas.weight import MAX_WEIGHT, pattern_weight


def foreign_patterns(schema: Any, text: str) -> frozenset[str]:
    """The patterns of a schema that are not ECMA-262.

    Args:
        schema: any JSON value.
        text: the schema as JSON text.

    Returns:
        The patterns; none of a schema whose patterns together are too heavy for any validator.
    """
    # Each is compiled to see, which takes 5 to 40 ms for those that weigh most.
    if '"pattern' not in text or pattern_weight(schema) > MAX_WEIGHT:
        return frozenset()
    return frozenset(pattern for pattern in patterns_of(schema) if isinstance(pattern, str) and _is_foreign(pattern))


# as many as :func:`compiles` keeps
@lru_cache(maxsize=1_024)
def _is_foreign(pattern: str) -> bool:
    # The engine takes \A of Rust, and the meta-schemas of early drafts do not, because they assert the format.
    return not compiles(pattern) or not jsonschema_rs.meta.is_valid({"$schema": uri_of(7), "pattern": pattern})


def readings(schema: Any, text: str) -> list[Any]:
    """The schema with patterns that match everything, and nothing, in place of foreign ones; empty if it has none."""
    foreign = foreign_patterns(schema, text)
    return [without_foreign(schema, foreign, matching=matching) for matching in (True, False) if foreign]


def without_foreign(schema: Any, patterns: frozenset[str], *, matching: bool) -> Any:
    """The schema with patterns that every string matches, or none, in place of foreign ones."""
    # Names of members must stay different, so each pattern gets its own number of empty groups.
    stead = {
        pattern: ("" if matching else r"[^\s\S]") + "(?:)" * number
        for number, pattern in enumerate(sorted(patterns), 1)
    }

    def replaced(part: Any) -> Any:
        if not isinstance(part, dict):
            return part
        out = rebuilt(part, replaced)
        if isinstance(part.get("pattern"), str):
            out["pattern"] = stead.get(part["pattern"], part["pattern"])
        if isinstance(part.get("patternProperties"), dict):
            out["patternProperties"] = {stead.get(name, name): held for name, held in out["patternProperties"].items()}
        return out

    return replaced(schema)
