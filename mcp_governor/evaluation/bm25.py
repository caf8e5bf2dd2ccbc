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

from mcp_governor.evaluation.terms import terms
from mcp_governor.frozen import frozen

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


@frozen
class _Document:
    counts: Mapping[str, Mapping[str, int]]
    lengths: Mapping[str, int]


class Bm25:
    """An index over tools.

    Args:
        tools: the tools, in the order of the scores.
    """

    def __init__(self, tools: Sequence[ToolText]) -> None:
        self._documents = [_document(tool) for tool in tools]
        self._means = {
            field: sum(document.lengths[field] for document in self._documents) / max(1, len(tools))
            for field in WEIGHTS
        }
        # term → tool → weighted count
        self._postings: dict[str, dict[int, float]] = {}
        for number, document in enumerate(self._documents):
            for term in {term for counts in document.counts.values() for term in counts}:
                self._postings.setdefault(term, {})[number] = self._weighted(document, term)

    def scores(self, query: str) -> list[float]:
        """The score of each tool, 0 for one that shares no term with the query."""
        found = [0.0] * len(self._documents)
        for term in dict.fromkeys(terms(query)):
            postings = self._postings.get(term, {})
            for number, weighted in postings.items():
                found[number] += self.idf(term) * weighted / (K1 + weighted)
        return found

    def idf(self, term: str) -> float:
        """How much a term says: of one tool a lot, of all tools nearly nothing."""
        having = len(self._postings.get(term, ()))
        return math.log(1 + (len(self._documents) - having + 0.5) / (having + 0.5))

    def _weighted(self, document: _Document, term: str) -> float:
        total = 0.0
        for field, weight in WEIGHTS.items():
            count = document.counts[field].get(term, 0)
            if count:
                total += weight * count / (1 - B + B * document.lengths[field] / self._means[field])
        return total


def _document(tool: ToolText) -> _Document:
    strings = {
        "name": tool.name,
        "description": tool.description,
        "parameters": " ".join(tool.parameters),
        "details": "\n".join(tool.details),
    }
    counts = {field: Counter(terms(text)) for field, text in strings.items()}
    return _Document(counts, {field: sum(count.values()) for field, count in counts.items()})
