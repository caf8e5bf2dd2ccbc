"""A query set against the tools of a server: what it names that does not exist, what it asks about, what it repeats.

Queries that repeat the words of the description test if a model can copy, not if it understands. Three signs. A query
has the **name** of its tool. It shares a **run** of content words with the description of its tool: :data:`MIN_RUN`
stems in a row, stop words left out. Or most of its content words are in the description (:data:`MIN_SHARE`). Of the 345
queries of three labelled sets (docs/evaluation.md), 3.7 % have such a run and 2.0 % such a share: what is flagged is
worth a look, and not always wrong.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.evaluation.model import Kind
from mcp_governor.evaluation.queries import Problem
from mcp_governor.evaluation.terms import split_identifier, terms
from mcp_governor.text import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mcp_governor.evaluation.model import Query, QuerySet
    from mcp_governor.evaluation.terms import ToolText
    from mcp_governor.surface import Surface, Tool


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
            for name in names
            if name not in tools
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


class ToolCoverage(Struct, frozen=True):
    """What a set asks about one tool.

    Attributes:
        tool: its name.
        positive, sibling: number of queries of these kinds for which it is right.
        parameters: names of its parameters.
        matched: those that a matcher of these queries names.
    """

    tool: str
    positive: int
    sibling: int
    parameters: tuple[str, ...]
    matched: tuple[str, ...]


def coverage(queries: Sequence[Query], tools: Iterable[Tool]) -> Iterator[ToolCoverage]:
    """What a set asks about each tool, in their order."""
    for tool in tools:
        about = [query for query in queries if tool.name in query.gold]
        kinds = [query.kind for query in about]
        known, matched = parameters(tool), {name for query in about for name in query.arguments}
        asked = tuple(name for name in known if name in matched)
        yield ToolCoverage(tool.name, kinds.count(Kind.POSITIVE), kinds.count(Kind.SIBLING), known, asked)


MIN_RUN = 4
"""Stems in a row that do not come by accident: 10.7 % of those queries share three, 3.7 % share four."""

MIN_SHARE = 2 / 3
"""Share of the content words of a query: at one half, 7.8 % of those queries would be flagged."""

MIN_WORDS = 4
"""Content words that a query needs before a share of them says anything."""

_MAX_TERMS = 400
"""Content words that are compared, of a query and of a description; the comparison takes their product."""


def leak_of(query: Query, tools: Iterable[ToolText]) -> str | None:
    """What a query repeats of its tool, as a sentence; ``None`` if it repeats nothing.

    Args:
        query: the query.
        tools: the tools that are right for it.
    """
    asked = terms(query.text)[:_MAX_TERMS]
    for tool in tools:
        if names_tool(query.text, tool.name):
            return f'The query has the name of its tool, "{one_line(tool.name, 60)}".'
        described = terms(tool.description)[:_MAX_TERMS]
        found = SequenceMatcher(None, asked, described, autojunk=False).find_longest_match()
        run = asked[found.a : found.a + found.size]
        if len(run) >= MIN_RUN:
            return f'The query repeats the description of {one_line(tool.name, 60)}: "{one_line(" ".join(run), 80)}".'
        different = set(asked)
        shared = different & set(described)
        if len(different) >= MIN_WORDS and len(shared) >= MIN_SHARE * len(different):
            return (
                f"The query has {len(shared)} of its {len(different)} content words from the description of "
                f"{one_line(tool.name, 60)}."
            )
    return None


def names_tool(text: str, name: str) -> bool:
    """True if a string has the name of a tool of two words or more, as written or as words in a row.

    A name of one word (``echo``, ``search``) is what a user may have to say.
    """
    parts = [part.lower() for part in split_identifier(name)]
    if len(parts) < 2:
        return False
    words = [part.lower() for part in split_identifier(text)]
    return any(words[start : start + len(parts)] == parts for start in range(len(words) - len(parts) + 1))
