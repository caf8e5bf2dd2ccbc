"""Search by regular expression: which tools a pattern finds in their names, descriptions and parameters.

A provider's search takes a pattern that the model writes (Anthropic's API: ``re.search`` of Python, at most 200
characters). What a model would write for a query is not known; the words of the query as alternatives are the most
generous guess. Matches have no order, so a tool's rank is the number of tools that match: the worst case.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.errors import UsageError
from mcp_governor.evaluation.terms import STOP_WORDS, split_identifier
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.evaluation.fields import ToolText

MAX_PATTERN = 200
"""Maximum length of a pattern in characters, as Anthropic's API has it."""

_SHORTEST = 3
"""Characters of a word that becomes part of a pattern; shorter ones ("to", "me") are found within most others."""


class RegexSearch:
    """An index over tools.

    Args:
        tools: the tools, in the order of the scores.
        pattern: the pattern to search, instead of one that is made of each query.

    Raises:
        UsageError: the pattern is not a regular expression of Python, or longer than :data:`MAX_PATTERN`.
    """

    def __init__(self, tools: Sequence[ToolText], pattern: str | None = None) -> None:
        self._documents = ["\n".join((tool.name, tool.description, *tool.parameters, *tool.details)) for tool in tools]
        self._pattern = None if pattern is None else _compiled(pattern)

    def scores(self, query: str) -> list[float]:
        """1 for each tool that matches, else 0."""
        pattern = self._pattern or pattern_of(query)
        if pattern is None:
            return [0.0] * len(self._documents)
        return [float(pattern.search(document) is not None) for document in self._documents]


def pattern_of(query: str) -> re.Pattern[str] | None:
    """The words of a query as alternatives, as many as a pattern holds; ``None`` if it has none."""
    words = (word.lower() for word in split_identifier(query))
    kept: list[str] = []
    for word in dict.fromkeys(words):
        if word not in STOP_WORDS and len(word) >= _SHORTEST and len("|".join((*kept, word))) <= MAX_PATTERN:
            kept.append(word)
    return re.compile("|".join(map(re.escape, kept)), re.IGNORECASE) if kept else None


def _compiled(pattern: str) -> re.Pattern[str]:
    if len(pattern) > MAX_PATTERN:
        raise UsageError(
            f"The pattern has {len(pattern)} characters; a tool search takes {MAX_PATTERN} at most.", "Shorten it."
        )
    try:
        return re.compile(pattern)
    except re.error as error:
        raise UsageError(
            f"{one_line(pattern, 80)} is not a regular expression: {error}.", "Correct it, or search by --method bm25."
        ) from None
