"""BM25F over the fields of tools: a lexical proxy for how easily a tool is found by its words.

Score of a tool for a query (Robertson, Zaragoza, Taylor: Simple BM25 extension to multiple weighted fields, CIKM 2004),
with tf the weighted count of a term, n the number of tools that have it, and N the number of tools::

    tf(t)  = sum over fields f of  weight(f) * count(t, f) / (1 - B + B * length(f) / mean length(f))
    idf(t) = ln(1 + (N - n(t) + 0.5) / (n(t) + 0.5))
    score  = sum over terms t of the query of  idf(t) * tf(t) / (K1 + tf(t))

It sees words, not meanings, and is never called agreement with a model.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.evaluation.terms import terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.evaluation.fields import ToolText

# The values of the literature (Okapi at TREC); other ones between 0.6 and 4, and between 0.25 and 0.75, moved the mean
# reciprocal rank on the dev halves of our three sets by less than 0.01.
K1, B = 1.2, 0.75

WEIGHTS: Mapping[str, float] = {"name": 2.0, "description": 1.0, "parameters": 1.0, "details": 1.0}
"""How often a term of a field counts. A name has three words, all of them chosen: 2 was best on the dev halves (mean
reciprocal rank .677 with 1, .684 with 2, .682 with 3); other weights of the other fields were within noise of 1."""

VERSION = "bm25f-1"
"""Moves whenever scores may: it belongs to the key of cached answers."""


class _Document(Struct, frozen=True):
    counts: Mapping[str, Mapping[str, int]]
    lengths: Mapping[str, int]


class Bm25:
    """An index over tools.

    Args:
        tools: the tools, in the order of the scores.
    """

    def __init__(self, tools: Sequence[ToolText]) -> None:
        self._documents = [_document(tool) for tool in tools]
        self._totals = {field: sum(one.lengths[field] for one in self._documents) for field in WEIGHTS}
        self._having: dict[str, list[int]] = {}
        for number, document in enumerate(self._documents):
            for term in {term for counts in document.counts.values() for term in counts}:
                self._having.setdefault(term, []).append(number)

    def scores(self, query: str) -> list[float]:
        """The score of each tool, 0 for one that shares no term with the query."""
        return self.scores_with(query, 0, ())

    def scores_with(self, query: str, changed: int, added: Sequence[str]) -> list[float]:
        """The scores if the description of one tool had more words.

        Args:
            query: the query.
            changed: number of the tool.
            added: terms that its description has besides.
        """
        found = [0.0] * len(self._documents)
        if not found:
            return found
        more = Counter(added)
        means = {field: total / len(found) for field, total in self._totals.items()}
        means["description"] += len(added) / len(found)
        for term in dict.fromkeys(terms(query)):
            having = self._having.get(term, [])
            if more[term] and changed not in having:
                having = [*having, changed]
            idf = math.log(1 + (len(found) - len(having) + 0.5) / (len(having) + 0.5))
            for number in having:
                weighted = self._weighted(number, term, means, more if number == changed else _NOTHING)
                found[number] += idf * weighted / (K1 + weighted)
        return found

    def _weighted(self, number: int, term: str, means: Mapping[str, float], more: Counter[str]) -> float:
        document, total = self._documents[number], 0.0
        for field, weight in WEIGHTS.items():
            count, length = document.counts[field].get(term, 0), document.lengths[field]
            if field == "description":
                count, length = count + more[term], length + more.total()
            if count:
                total += weight * count / (1 - B + B * length / means[field])
        return total


_NOTHING: Counter[str] = Counter()


def _document(tool: ToolText) -> _Document:
    strings = {
        "name": tool.name,
        "description": tool.description,
        "parameters": " ".join(tool.parameters),
        "details": "\n".join(tool.details),
    }
    counts = {field: Counter(terms(text)) for field, text in strings.items()}
    return _Document(counts, {field: sum(count.values()) for field, count in counts.items()})
