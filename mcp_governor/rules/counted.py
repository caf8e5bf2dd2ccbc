"""The JSONPath library with every step counted. Loaded only for queries that need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonpath_rfc9535 import JSONPathEnvironment, JSONPathQuery
from jsonpath_rfc9535.exceptions import JSONPathError
from jsonpath_rfc9535.function_extensions import ExpressionType, FilterFunction
from jsonpath_rfc9535.parse import Parser
from jsonpath_rfc9535.segments import JSONPathChildSegment, JSONPathRecursiveDescentSegment

from mcp_governor.errors import ConfigError
from mcp_governor.schemas.patterns import linear_pattern
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MAX_DEPTH = 400
"""Maximum depth of a descent: twice what a surface may nest (``MAX_DEPTH``), and well within Python's recursion
limit."""


class Counted(JSONPathEnvironment):
    """Counts steps: values that a segment of a query selects, and values that a descent visits.

    Args:
        expression: the one query to compile.
        left: remaining steps; using more raises a ConfigError.
    """

    def __init__(self, expression: str, left: int) -> None:
        self.parser_class = _Parser
        super().__init__()
        self.left = left
        self._expression = expression
        self.function_extensions["match"] = _Pattern(whole=True)
        self.function_extensions["search"] = _Pattern(whole=False)

    def count(self) -> None:
        """Use up one step."""
        self.left -= 1
        if self.left < 0:
            raise ConfigError(
                f"{one_line(self._expression)!r} visits every value over and over.",
                "Use one descent (..), none within a filter, and each selector once.",
            )

    @property
    def max_recursion_depth(self) -> int:  # type: ignore[override]
        """Read by the library at every value of a descent."""
        self.count()
        return _MAX_DEPTH

    def compiled(self) -> JSONPathQuery:
        """The compiled query.

        Raises:
            ConfigError: the expression is not a JSONPath, or nests too deep.
        """
        try:
            return self.compile(self._expression)
        except (JSONPathError, ValueError, OverflowError) as error:
            raise ConfigError(
                f"{one_line(self._expression)!r} is not a JSONPath: {one_line(str(error))}.", "See RFC 9535."
            ) from None
        except RecursionError:
            raise self._too_deep() from None

    def found(self, query: JSONPathQuery, value: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
        """The places that the query selects in a value, each with its path from the root.

        Raises:
            ConfigError: the query takes too many steps, or nests too deep.
        """
        try:
            for node in query.finditer(value):
                yield tuple(node.location), node.value
        except RecursionError:
            raise self._too_deep() from None

    def _too_deep(self) -> ConfigError:
        hint = "Use fewer parentheses, negations and filters."
        return ConfigError(f"{one_line(self._expression)!r} nests too deep.", hint)


class _Pattern(FilterFunction):
    arg_types = [ExpressionType.VALUE, ExpressionType.VALUE]  # noqa: RUF012 - as the base class has it
    return_type = ExpressionType.LOGICAL

    def __init__(self, whole: bool) -> None:
        self._whole = whole

    def __call__(self, value: object, pattern: object) -> bool:
        if not isinstance(value, str) or not isinstance(pattern, str):
            return False
        return linear_pattern(f"^(?:{pattern})$" if self._whole else pattern).search(value)


class _Children(JSONPathChildSegment):
    def resolve(self, nodes: Iterable[Any]) -> Iterator[Any]:
        return _counting(self.env, super().resolve(nodes))


class _Descendants(JSONPathRecursiveDescentSegment):
    def resolve(self, nodes: Iterable[Any]) -> Iterator[Any]:
        return _counting(self.env, super().resolve(nodes))


def _counting(environment: Any, nodes: Iterable[Any]) -> Iterator[Any]:
    environment.count()  # A query within a filter has a cost even if it selects nothing.
    for node in nodes:
        environment.count()
        yield node


class _Parser(Parser):
    def parse_query(self, *arguments: Any, **options: Any) -> Iterator[Any]:
        for part in super().parse_query(*arguments, **options):
            made = _Children if isinstance(part, JSONPathChildSegment) else _Descendants
            yield made(env=part.env, token=part.token, selectors=part.selectors)
