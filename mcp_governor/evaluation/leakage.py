"""Queries that repeat the words of the description: they test if a model can copy, not if it understands.

Three signs. A query has the **name** of its tool. It shares a **run** of content words with the description of its
tool: :data:`MIN_RUN` stems in a row, stop words left out. Or most of its content words are in the description
(:data:`MIN_SHARE`). Of the 345 queries of three labelled sets (docs/evaluation.md), 3.7 % have such a run and 2.0 %
such a share: what is flagged is worth a look, and not always wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.evaluation.terms import split_identifier, terms
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcp_governor.evaluation.fields import ToolText
    from mcp_governor.evaluation.model import Query

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
        run = longest_run(asked, described)
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


def longest_run(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """The longest row of words that two rows share."""
    best: tuple[int, int] = (0, 0)
    before = [0] * (len(other) + 1)
    for place, word in enumerate(one):
        now = [0] * (len(other) + 1)
        for column, candidate in enumerate(other):
            if word == candidate:
                now[column + 1] = before[column] + 1
                best = max(best, (now[column + 1], place + 1))
        before = now
    length, end = best
    return list(one[end - length : end])
