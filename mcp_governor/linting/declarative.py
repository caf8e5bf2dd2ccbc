"""``given``/``then`` rules: a JSONPath finds values, a JSON Schema or a pattern judges them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from mcp_governor.catalogue.patterns import compile_schema, errors, linear_pattern
from mcp_governor.catalogue.query import compile_query
from mcp_governor.errors import ConfigError
from mcp_governor.linting.context import Check, Context, Hit, Item, SchemaPlace, hit
from mcp_governor.linting.texts import Text
from mcp_governor.schemas.pointers import join_pointer, resolve_pointer
from mcp_governor.surface.model import Surface, Tool

if TYPE_CHECKING:
    from mcp_governor.catalogue.rule import Rule


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
    if isinstance(subject, SchemaPlace):
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
