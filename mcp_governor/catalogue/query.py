"""JSONPath (RFC 9535), the language in which a rule says where it looks: bounded, and without its library if it can."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from mcp_governor.catalogue.cost import count_values
from mcp_governor.catalogue.patterns import linear_pattern
from mcp_governor.errors import ConfigError
from mcp_governor.text import one_line

Query = Callable[[Any], Iterable[tuple[tuple[str | int, ...], Any]]]
"""A value → the places in it that a JSONPath finds, each with its way from the root."""

_DEEPEST = 400
"""Depth of a descent: twice what a surface may nest (``MAX_DEPTH``), and well within Python's recursion limit."""
_LEAST_STEPS = 100_000
"""Steps that any query may take: less than a second. A query that takes more, and more than ``_STEPS_PER_VALUE``, is a
configuration error."""
_STEPS_PER_VALUE = 200
"""Steps for each value of the document. One descent takes about one; a second one within it takes as many as there are
levels below, which ``MAX_DEPTH`` bounds by the same number. A query that goes through the whole document for each value
runs out."""

# Names, lists of names and wildcards: our own rules need no more, and then the JSONPath library is not loaded.
_STEPS = re.compile(r"\$(?:\.[A-Za-z_]\w*|\.\*|\[\*\]|\['[^'\\]+'(?:, ?'[^'\\]+')*\])*", re.ASCII)
_STEP = re.compile(r"\.([A-Za-z_]\w*)|\.\*|\[\*\]|\[('[^\]]*')\]", re.ASCII)
_NAME = re.compile(r"'([^']*)'")


def compile_query(expression: str) -> Query:
    """A JSONPath (RFC 9535) as a function.

    ``match()`` and ``search()`` in filters run on the linear-time engine, and descents have a number of steps
    for each value of the document, so no expression can hang.

    Raises:
        ConfigError: the expression is not a JSONPath; the function raises it where there are too many steps.
    """
    if _STEPS.fullmatch(expression):
        steps = [tuple(_NAME.findall(names)) if names else (name,) for name, names in _STEP.findall(expression)]
        singular = all(len(step) == 1 and step[0] for step in steps)
        return _member(tuple(step[0] for step in steps)) if singular else _members(steps)
    from jsonpath_rfc9535 import JSONPathEnvironment
    from jsonpath_rfc9535.exceptions import JSONPathError
    from jsonpath_rfc9535.function_extensions import ExpressionType, FilterFunction

    class _Pattern(FilterFunction):
        arg_types = [ExpressionType.VALUE, ExpressionType.VALUE]  # noqa: RUF012 - as the base class has it
        return_type = ExpressionType.LOGICAL

        def __init__(self, whole: bool) -> None:
            self._whole = whole

        def __call__(self, value: object, pattern: object) -> bool:
            if not isinstance(value, str) or not isinstance(pattern, str):
                return False
            return linear_pattern(f"^(?:{pattern})$" if self._whole else pattern).search(value)

    class _Bounded(JSONPathEnvironment):
        """Asked for its greatest depth at every step of a descent, it counts the steps."""

        def __init__(self) -> None:
            super().__init__()
            self.steps = 0
            self.most = _LEAST_STEPS

        @property
        def max_recursion_depth(self) -> int:  # type: ignore[override]
            self.steps += 1
            if self.steps > self.most:
                raise ConfigError(
                    f"{one_line(expression)!r} visits every value over and over.",
                    "Use one descent (..), and none within a filter.",
                )
            return _DEEPEST

    environment = _Bounded()
    environment.function_extensions["match"] = _Pattern(whole=True)
    environment.function_extensions["search"] = _Pattern(whole=False)
    try:
        query = environment.compile(expression)
    except JSONPathError as error:
        raise ConfigError(
            f"{one_line(expression)!r} is not a JSONPath: {one_line(str(error))}.", "See RFC 9535."
        ) from None

    def find(value: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
        environment.steps, environment.most = 0, max(_LEAST_STEPS, _STEPS_PER_VALUE * count_values(value))
        for node in query.find(value):
            yield tuple(node.location), node.value

    return find


def _member(names: tuple[str, ...]) -> Query:
    """One name after the other, which most queries are: run on every schema of a surface."""

    def find(value: Any) -> Sequence[tuple[tuple[str | int, ...], Any]]:
        for name in names:
            if not isinstance(value, dict) or name not in value:
                return ()
            value = value[name]
        return ((names, value),)

    return find


def _members(steps: list[tuple[str, ...]]) -> Query:
    """Any of several names at each step; the empty name is the wildcard."""

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
