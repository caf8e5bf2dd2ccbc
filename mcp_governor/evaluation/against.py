"""A query set against the tools of a server: do the tools and arguments that it names exist?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.evaluation.queries import Problem
from mcp_governor.text import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mcp_governor.evaluation.model import Query, QuerySet
    from mcp_governor.surface import Surface, Tool


def unknown_tools(names: Iterable[str], surface: Surface) -> list[str]:
    """Names that are not those of tools of a server."""
    return [name for name in names if name not in surface.by_name]


def mismatches(queries: QuerySet, surface_of: Callable[[Query], Surface]) -> Iterator[Problem]:
    """What a set names and the server does not publish.

    Args:
        queries: the set.
        surface_of: the surface that a query is about: the one under test, or that of its ``tools_file``.
    """
    for query in queries.queries:
        tools = surface_of(query).by_name
        unknown = [
            (key, name)
            for key, names in (("gold_tools", query.gold), ("forbidden", query.forbidden))
            for name in unknown_tools(names, surface_of(query))
        ]
        for key, name in unknown:
            yield Problem(
                query.line, f'The server has no tool "{one_line(name, 80)}" ({key}).{did_you_mean(name, tools)}'
            )
        gold = [tools[name] for name in query.gold if name in tools]
        if gold and not unknown:
            yield from _unknown_arguments(query, gold)


def _unknown_arguments(query: Query, gold: list[Tool]) -> Iterator[Problem]:
    known = [name for tool in gold for name in parameters(tool)]
    if any(takes_others(tool) for tool in gold):
        return
    for name in query.arguments:
        if name not in known:
            tools = " nor ".join(f'"{one_line(tool.name, 60)}"' for tool in gold)
            yield Problem(
                query.line,
                f'The argument "{one_line(name, 60)}" is not a parameter of {tools}.{did_you_mean(name, known)}',
            )


def parameters(tool: Tool) -> tuple[str, ...]:
    """The names of the properties that the root of an input schema declares."""
    schema = tool.input_schema
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return tuple(properties) if isinstance(properties, dict) else ()


def takes_others(tool: Tool) -> bool:
    """True if arguments may be declared elsewhere than in the properties of the root."""
    schema = tool.input_schema
    if not isinstance(schema, dict):
        return True
    elsewhere = ("$ref", "allOf", "anyOf", "oneOf", "patternProperties", "if", "dependentSchemas")
    return any(key in schema for key in elsewhere) or isinstance(schema.get("additionalProperties"), dict)
