"""JSONPath (RFC 9535), with which a rule selects values: bounded, and without the library where possible."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from mcp_governor.errors import ConfigError
from mcp_governor.lazy import lazy_pattern

Query = Callable[[Any], Iterable[tuple[tuple[str | int, ...], Any]]]
"""Maps a value to the places that a JSONPath selects in it, each with its path from the root."""

_LEAST_STEPS = 100_000
"""Steps that every query may take in a run: less than a second. A query that takes more than this, and more than
``_STEPS_PER_VALUE``, is a configuration error."""
_STEPS_PER_VALUE = 200
"""Maximum number of steps per value of the document. One descent takes two or three; a second one within it takes as
many as there are levels below, which ``MAX_DEPTH`` limits to the same number. A query that walks the whole document for
each value runs out."""
_MANY_STEPS = 1_000_000
"""Number of steps for one document, a second or two, beyond which only ``_STEPS_PER_LATER_VALUE`` per value are
allowed."""
_STEPS_PER_LATER_VALUE = 10
"""Only ten steps per value beyond a million: a filter keeps its results in memory, and one plain descent takes
three."""
_LONGEST = 1_000
"""Maximum length of a query in characters; ours have 40. Parts of a query multiply: every selector is tried at every
value."""

# Names, lists of names and wildcards. Our own rules need no more, so they do not load the JSONPath library.
_STEPS = lazy_pattern(r"\$(?:\.[A-Za-z_]\w*|\.\*|\[\*\]|\['[^'\\]+'(?:, ?'[^'\\]+')*\])*", re.ASCII)
_STEP = lazy_pattern(r"\.([A-Za-z_]\w*)|\.\*|\[\*\]|\[('[^\]]*')\]", re.ASCII)
_NAME = lazy_pattern(r"'([^']*)'")
_FIRST = lazy_pattern(r"\$(?:\.([A-Za-z_]\w*)|\['([^']*)'\])", re.ASCII)


def compile_query(expression: str) -> Query:
    """Compile a JSONPath (RFC 9535) to a function.

    ``match()`` and ``search()`` in filters run on the linear-time engine, and the number of steps per value of a
    document is limited, so no expression can hang.

    Raises:
        ConfigError: the expression is not a JSONPath. The function raises it if there are too many steps.
    """
    if len(expression) > _LONGEST:
        raise ConfigError(f"The JSONPath has more than {_LONGEST} characters.", "Make two rules of it, or two cases.")
    plain = _plain_query(expression)
    if plain is not None:
        return plain
    from mcp_governor.rules.counted import Counted
    from mcp_governor.schemas.weight import count_values

    environment = Counted(expression, _LEAST_STEPS)
    query = environment.compiled()

    def find(value: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
        # Later documents may use the steps that earlier ones left over: the limit is for the run.
        values = count_values(value)
        environment.left += min(_STEPS_PER_VALUE * values, _MANY_STEPS + _STEPS_PER_LATER_VALUE * values)
        return environment.found(query, value)

    return find


# The queries of all our rules, which keep no state between runs.
@functools.lru_cache(maxsize=512)
def _plain_query(expression: str) -> Query | None:
    """The query for an expression that consists of names and wildcards; ``None`` for any other."""
    if _STEPS.fullmatch(expression):
        steps = [tuple(_NAME.findall(names)) if names else (name,) for name, names in _STEP.findall(expression)]
        # A repeated name selects its value twice, and so do repeated names in later steps: these have to be counted.
        if all(len(set(step)) == len(step) for step in steps):
            singular = all(len(step) == 1 and step[0] for step in steps)
            return _member(tuple(step[0] for step in steps)) if singular else _members(steps)
    return None


def first_name(expression: str) -> str | None:
    """The member without which a JSONPath selects nothing; ``None`` if there is no single one."""
    found = _FIRST.match(expression)
    return found[1] or found[2] if found is not None and _STEPS.fullmatch(expression) else None


def _member(names: tuple[str, ...]) -> Query:
    """One name per step, as in most queries; runs on every schema of a surface."""

    def find(value: Any) -> Sequence[tuple[tuple[str | int, ...], Any]]:
        for name in names:
            if not isinstance(value, dict) or name not in value:
                return ()
            value = value[name]
        return ((names, value),)

    return find


def _members(steps: list[tuple[str, ...]]) -> Query:
    """Several names per step; the empty name is the wildcard."""

    def find(value: Any) -> list[tuple[tuple[str | int, ...], Any]]:
        found: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
        for names in steps:
            found = [((*way, key), item) for way, held in found for key, item in _below(held, names)]
        return found

    return find


def _below(value: Any, names: tuple[str, ...]) -> Iterable[tuple[str | int, Any]]:
    if names == ("",):
        return value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(name, value[name]) for name in names if name in value] if isinstance(value, dict) else ()
