"""At which rank a query finds its tool, among the tools of its server and among many others; and which words help.

Searches over tools rank by BM25 or by a pattern and return the first few; a tool that is not among them does not exist
for the model. A rank is the worst of equals: tools with the same score may come in any order.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.evaluation.bm25 import Bm25
from mcp_governor.evaluation.embedding import Embedding
from mcp_governor.evaluation.regex_search import RegexSearch
from mcp_governor.evaluation.terms import STOP_WORDS, split_identifier, stem, terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.evaluation.fields import ToolText
    from mcp_governor.evaluation.proxies import Index

Method = Literal["bm25", "regex", "minilm"]
METHODS: tuple[Method, ...] = ("bm25", "regex", "minilm")

RETURNED = 5
"""Number of tools that a search returns to the model: three to five in Anthropic's API, five to ten elsewhere."""

MAX_WORDS = 4
"""Number of words that are tried together. A description that needs five words of one sentence is of another tool."""

_MAX_CANDIDATES = 12
"""Number of words of a query that are tried: 793 combinations of up to four. Of more, the longest."""


class Rank(Struct, frozen=True):
    """The place of a tool in a ranking.

    Attributes:
        rank: from 1, the worst of equals; ``None`` if the search does not find the tool at all.
        count: number of tools that were ranked.
        above: names of tools that come before it or are equal to it, the best first, at most :data:`RETURNED`.
    """

    rank: int | None
    count: int
    above: tuple[str, ...] = ()


class Lift(Struct, frozen=True):
    """Words of the query that change the rank if the description has them.

    Attributes:
        words: as the query spells them, as few as possible.
        own: rank with them among the tools of the server.
        among: rank with them among all; the same as ``own`` without others.
        lost: other queries that find their tool first now, and would not any more.
    """

    words: tuple[str, ...]
    own: Rank
    among: Rank
    lost: tuple[str, ...] = ()


class Searched:
    """The tools of a server, and others, under one search.

    Args:
        method: how it ranks.
        own: the tools of the server.
        others: the tools of other servers.
        pattern: for ``regex``, the pattern instead of one made of each query.

    Raises:
        GovernorError: the pattern is invalid, or an extra is missing.
    """

    def __init__(
        self, method: Method, own: Sequence[ToolText], others: Sequence[ToolText] = (), pattern: str | None = None
    ) -> None:
        self.method: Method = method
        self.own = tuple(own)
        known = set(own)
        # A folder of many servers may have this one, too.
        self.all = (*own, *(tool for tool in others if tool not in known))
        self._own_index = _index(method, self.own, pattern)
        self._index = _index(method, self.all, pattern) if len(self.all) > len(self.own) else self._own_index

    def order(self, query: str) -> list[tuple[ToolText, float]]:
        """The tools of the server that are found, the best first, with their scores."""
        scores = self._own_index.scores(query)
        places = sorted(range(len(scores)), key=lambda place: (-scores[place], self.own[place].name))
        return [(self.own[place], scores[place]) for place in places if self.method == "minilm" or scores[place] > 0]

    def ranks(self, query: str, gold: Sequence[str]) -> tuple[str, Rank, Rank]:
        """The tool of ``gold`` that comes first, with its rank in its server, and among all."""
        scores = self._own_index.scores(query)
        places = [place for place, tool in enumerate(self.own) if tool.name in gold]
        best = max(places, key=lambda place: (scores[place], -place))
        right = {tool.name for tool in self.own if tool.name in gold}
        own = self._rank(scores, best, self.own, right)
        among = own if self._index is self._own_index else self._rank(self._index.scores(query), best, self.all, right)
        return self.own[best].name, own, among

    def _rank(self, scores: Sequence[float], best: int, tools: Sequence[ToolText], right: set[str]) -> Rank:
        if scores[best] <= 0 and self.method != "minilm":
            return Rank(None, len(tools))
        # Tools of the server that are right as well do not push this one away; others of the same name do.
        above = [
            place
            for place, score in enumerate(scores)
            if score >= scores[best] and place != best and not (place < len(self.own) and tools[place].name in right)
        ]
        above.sort(key=lambda place: (-scores[place], tools[place].name))
        return Rank(len(above) + 1, len(tools), tuple(tools[place].name for place in above[:RETURNED]))

    def lift(
        self, query: str, tool: str, gold: Sequence[str], others: Sequence[tuple[str, Sequence[str]]] = ()
    ) -> Lift | None:
        """The fewest words of a query that bring a tool to the first place if its description has them.

        The first place among all tools and among those of the server; if no words do both, among those of the server.
        Every answer is verified: the tools are indexed again with the words in the description.

        Args:
            query: the query.
            tool: name of the tool.
            gold: the tools that are right.
            others: the other queries of the set, with their tools, of which none should lose its first place.

        Returns:
            ``None`` if no :data:`MAX_WORDS` words of the query do that, or the search is not ``bm25``.
        """
        if not isinstance(self._index, Bm25) or not isinstance(self._own_index, Bm25):
            return None
        place = next(number for number, one in enumerate(self.own) if one.name == tool)
        right = {one.name for one in self.own if one.name in gold}
        for index, tools in ((self._index, self.all), (self._own_index, self.own)):
            for words in _combinations(query, self.own[place]):
                added = [stem(word.lower()) for word in words]
                if self._rank(index.scores_with(query, place, added), place, tools, right).rank != 1:
                    continue
                # The same word says less in a server that is about it than among all, and the other way round.
                own = self._own_index.scores_with(query, place, added)
                if tools is self.own or self._rank(own, place, self.own, right).rank == 1:
                    return self._verified(words, place, query, gold, others)
            if tools is self.own:
                break
        return None

    def _verified(
        self,
        words: tuple[str, ...],
        place: int,
        query: str,
        gold: Sequence[str],
        others: Sequence[tuple[str, Sequence[str]]],
    ) -> Lift | None:
        old = self.own[place]
        own = list(self.own)
        own[place] = replace_description(old, f"{old.description} {' '.join(words)}")
        changed = Searched(self.method, own, self.all[len(self.own) :])
        _, rank, among = changed.ranks(query, gold)
        if 1 not in (rank.rank, among.rank):
            return None
        lost = tuple(
            text
            for text, tools in others
            if text != query and self.ranks(text, tools)[1].rank == 1 and changed.ranks(text, tools)[1].rank != 1
        )
        return Lift(words, rank, among, lost)


def replace_description(tool: ToolText, description: str) -> ToolText:
    """The tool with another description."""
    return replace(tool, description=description.strip())


def _combinations(query: str, tool: ToolText) -> Iterator[tuple[str, ...]]:
    """Words of the query that the tool does not have, fewer first: to repeat its words would only be louder."""
    by_stem: dict[str, str] = {}
    has = set(terms(" ".join((tool.name, tool.description, *tool.parameters, *tool.details))))
    for word in split_identifier(query):
        if word.lower() not in STOP_WORDS and stem(word.lower()) not in has:
            by_stem.setdefault(stem(word.lower()), word)
    words = sorted(by_stem.values(), key=len, reverse=True)[:_MAX_CANDIDATES]
    for count in range(1, MAX_WORDS + 1):
        yield from itertools.combinations(words, count)


def _index(method: Method, tools: Sequence[ToolText], pattern: str | None) -> Index:
    if method == "regex":
        return RegexSearch(tools, pattern)
    return Bm25(tools) if method == "bm25" else Embedding(tools)
