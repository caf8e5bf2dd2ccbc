"""``given``/``then`` rules: a JSONPath finds values, a JSON Schema or a pattern judges them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import ConfigError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.linting.context import Check, Context, Hit, Item, Node, hit
from mcp_governor.linting.cost import count_values
from mcp_governor.linting.patterns import compile_schema, errors, linear_pattern
from mcp_governor.linting.texts import Text
from mcp_governor.schemas.pointers import join_pointer, resolve_pointer
from mcp_governor.surface.model import Surface, Tool
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from mcp_governor.linting.rule import Rule

Query = Callable[[Any], Iterable[tuple[tuple[str | int, ...], Any]]]
"""A value → the places in it that a JSONPath finds, each with its way from the root."""

_DEEPEST = 400
_LEAST_STEPS = 100_000
_STEPS_PER_VALUE = 200

# A singular query of plain member names: most rules need no more, and then the JSONPath library is not loaded.
_MEMBERS = lazy_pattern(r"\$(?:\.[A-Za-z_]\w*|\['[^'\\]+'\])*", re.ASCII)
_MEMBER = lazy_pattern(r"\.(\w+)|\['([^']+)'\]", re.ASCII)


def compile_query(expression: str) -> Query:
    """A JSONPath (RFC 9535) as a function.

    ``match()`` and ``search()`` in filters run on the linear-time engine, and descents have a number of steps
    for each value of the document, so no expression can hang.

    Raises:
        ConfigError: the expression is not a JSONPath; the function raises it where there are too many steps.
    """
    if _MEMBERS.fullmatch(expression):
        return _members(tuple(first or second for first, second in _MEMBER.findall(expression)))
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


def _members(names: tuple[str, ...]) -> Query:
    def find(value: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
        for name in names:
            if not isinstance(value, dict) or name not in value:
                return
            value = value[name]
        yield names, value

    return find


def declarative_check(rule: Rule) -> Check:
    """The check that a rule's ``given`` and ``then``, ``pattern`` or ``forbid`` describe.

    Raises:
        ConfigError: an expression, a schema or a pattern does not compile; the message names the rule.
    """
    try:
        query = compile_query(rule.given)
        judge = _judge(rule)
    except ConfigError as error:
        raise _about(rule, error) from None

    def check(subject: Any, _context: Context) -> Iterator[Hit]:
        base, document = _document(subject)
        try:
            for way, value in query(document):
                for where, message in judge(value):
                    pointer = join_pointer("", *where)
                    yield hit(join_pointer(base, *way) + pointer, resolve_pointer(value, pointer), error=message)
        except ConfigError as error:
            raise _about(rule, error) from None

    return check


def _about(rule: Rule, error: ConfigError) -> ConfigError:
    return ConfigError(f"Rule {rule.id} ({rule.origin}): {error.message}", error.hint)


Judge = Callable[[Any], "list[tuple[list[str | int], str]]"]


def _judge(rule: Rule) -> Judge:
    """A value → the ways from it to what is wrong, each with the engine's words for it."""
    if rule.pattern is not None or rule.forbid is not None:
        pattern = linear_pattern(rule.pattern or rule.forbid or "")
        wanted = rule.pattern is not None

        def by_pattern(value: Any) -> list[tuple[list[str | int], str]]:
            if not isinstance(value, str) or pattern.search(value) is wanted:
                return []
            return [([], "does not match" if wanted else "matches")]

        return by_pattern
    validator = compile_schema(rule.then if rule.then is not None else True)
    return lambda value: errors(validator, value)


def _document(subject: Any) -> tuple[str, Any]:
    """What a check looks at as JSON, and the pointer of its root."""
    if isinstance(subject, Tool):
        return "", subject.raw
    if isinstance(subject, Node):
        return subject.pointer, subject.schema
    if isinstance(subject, Item):
        return subject.pointer, subject.raw
    if isinstance(subject, Text):
        return subject.pointer, subject.value
    assert isinstance(subject, Surface)
    return "", {
        "serverInfo": dict(subject.server),
        "protocolVersion": subject.protocol,
        "capabilities": dict(subject.capabilities),
        "instructions": subject.instructions,
        "tools": list(subject.entries),
        "prompts": list(subject.prompts),
        "resources": list(subject.resources),
        "resourceTemplates": list(subject.templates),
    }
