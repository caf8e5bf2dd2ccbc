"""Runners without a model: rankings of the tools by words (``bm25``) and by a small sentence model (``minilm``).

They are proxies. They show which tools are hard to find, and a regression of the descriptions. That a model would
choose the same tool is unproven, so nothing calls their results agreement with one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from mcp_governor.errors import UsageError
from mcp_governor.evaluation import bm25, embedding
from mcp_governor.evaluation.fields import tool_text
from mcp_governor.evaluation.model import Answer, Choice, RunnerInfo, Usage
from mcp_governor.text import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.evaluation.fields import ToolText
    from mcp_governor.evaluation.model import Offer, Query

PROXIES = ("bm25", "minilm")
"""The names of the proxies."""

MAX_CHOICES = 20
"""Number of ranked tools in an answer: twice what the most generous search offers (ten)."""


class Index(Protocol):
    """Scores the tools of one surface."""

    def scores(self, query: str) -> list[float]:
        """The score of each tool; higher is better."""


def index_of(name: str, tools: Sequence[ToolText]) -> Index:
    """The index of a proxy.

    Raises:
        MissingDependencyError: the extra of the embedding proxy is not installed.
    """
    return bm25.Bm25(tools) if name == "bm25" else embedding.Embedding(tools)


def ranking(scores: Sequence[float], names: Sequence[str]) -> list[int]:
    """Numbers of the tools, the best first; equal scores by name, so that the order of the list does not decide."""
    return sorted(range(len(names)), key=lambda number: (-scores[number], names[number]))


class Proxy:
    """A runner that ranks the tools of an offer.

    ``bm25`` answers only with tools that share a word with the query; ``minilm`` ranks every tool, so it never
    abstains.

    Args:
        name: one of :data:`PROXIES`.

    Raises:
        UsageError: there is no proxy of this name.
        MissingDependencyError: the extra of the embedding proxy is not installed.
    """

    def __init__(self, name: str) -> None:
        if name not in PROXIES:
            raise UsageError(
                f'Runner "{one_line(name, 60)}" is unknown.{did_you_mean(name, PROXIES)}',
                f"Name {', '.join(PROXIES)} or PROVIDER:MODEL, for example anthropic:MODEL.",
            )
        version = bm25.VERSION if name == "bm25" else embedding.version()
        self.info = RunnerInfo(name, "proxy", name, is_proxy=True, version=version)
        self._indexes: dict[tuple[int, ...], tuple[Sequence[Mapping[str, Any]], list[str], Index]] = {}

    def estimate(self, query: Query, offer: Offer) -> None:
        """It costs nothing."""

    async def answer(self, query: Query, offer: Offer) -> Answer:
        """Rank the tools; the order in which they are offered does not matter."""
        names, index = self._index(offer.tools)
        scores = index.scores(query.text)
        found = [
            number for number in ranking(scores, names)[:MAX_CHOICES] if self.info.name != "bm25" or scores[number] > 0
        ]
        return Answer(
            query.id,
            tuple(Choice(names[number], None) for number in found),
            scores=tuple(round(scores[number], _DIGITS) for number in found),
            usage=Usage(dollars=0.0, requests=0),
        )

    async def aclose(self) -> None:
        """Nothing is open."""

    def _index(self, tools: Sequence[Mapping[str, Any]]) -> tuple[list[str], Index]:
        """The index of the tools, which every query of a run is asked of in another order."""
        key = tuple(sorted(map(id, tools)))
        if key not in self._indexes:
            ordered = sorted(tools, key=lambda tool: str(tool["name"]))
            found = [tool_text(tool) for tool in ordered]
            # The tools are kept, so that no other one gets the id of one of them.
            self._indexes = {key: (ordered, [text.name for text in found], index_of(self.info.name, found))}
        _, names, index = self._indexes[key]
        return names, index


_DIGITS = 6
"""Digits of a score: beyond them, machines of different kinds differ."""
