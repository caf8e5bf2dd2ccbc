"""What a runner is shown, and the key under which its answer is kept."""

from __future__ import annotations

import hashlib
from random import Random
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcp_governor.errors import UsageError
from mcp_governor.evaluation.model import Offer
from mcp_governor.evaluation.store import Kept
from mcp_governor.surface.canonical import canonical_bytes
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.evaluation.model import Answer, Query, RunnerInfo
    from mcp_governor.evaluation.record import Evaluation
    from mcp_governor.evaluation.store import Store

_SEED_BYTES = 6
"""Bytes of a seed: 48 bits, which are the same number in every program that reads JSON."""


def offer_for(tools: Sequence[Mapping[str, Any]], query: Query, seed: int) -> Offer:
    """The tools in an order of their own for each query, which depends on the seed of the run and the query alone.

    Models prefer what comes first, so one order would be measured together with the descriptions.
    """
    digest = hashlib.sha256(f"{seed}\n{query.id}".encode("utf-8", "surrogatepass")).digest()
    own = int.from_bytes(digest[:_SEED_BYTES], "big")
    ordered = sorted(tools, key=lambda tool: str(tool["name"]))
    Random(own).shuffle(ordered)  # noqa: S311  an order that can be repeated, not a secret
    return Offer(tuple(ordered), own)


def answer_key(runner: RunnerInfo, query: Query, offer: Offer) -> str:
    """The digest of everything that an answer depends on.

    That is who answers (name, family, model, version, temperature, address without credentials), what is asked, and
    the tools with every word in their order. No key of an API belongs to it.
    """
    parts = {
        "runner": [
            runner.name,
            runner.family,
            runner.model,
            runner.version,
            runner.temperature,
            runner.endpoint,
        ],
        "query": query.text,
        "tools": list(offer.tools),
        "seed": offer.seed,
    }
    return hashlib.sha256(canonical_bytes(parts)).hexdigest()


class Keeper:
    """Where answers are kept: a recorded file, then the store; a replay of a file uses nothing else.

    Args:
        store: the store, which gets new answers.
        recorded: the evaluation in the file.
        replay: kept answers only are used.
    """

    def __init__(self, store: Store, recorded: Evaluation | None = None, *, replay: bool = False) -> None:
        self._store, self._recorded, self._replay = store, recorded, replay
        self._answers: dict[str, Kept] = {}
        if recorded is None:
            return
        queries = {query.id: query for query in recorded.queries.queries}
        for run in recorded.runs:
            for answer in run.answers:
                query = queries[answer.query]
                # What came of a call says nothing about the server of now.
                kept = answer if replay else replace(answer, outcome=None)
                key = answer_key(run.runner, query, offer_for(recorded.tools, query, recorded.seed))
                self._answers[key] = Kept(kept, run.started)

    def get(self, key: str) -> Kept | None:
        """The answer under a key."""
        found = self._answers.get(key)
        if (self._replay and self._recorded is not None) or (found is not None and found.answer.failure is None):
            return found
        return self._store.get(key) or found

    def put(self, key: str, runner: str, answer: Answer, asked: str) -> None:
        """Keep an answer."""
        self._store.put(key, runner, answer, asked)

    def runners(self) -> tuple[str, ...]:
        """The runners whose answers a replay shows: those of the recorded file, or of the last evaluation."""
        last = (
            [self._recorded] if self._recorded is not None else [one.evaluation for one in self._store.evaluations(1)]
        )
        return tuple(one.runner.name for evaluation in last for one in evaluation.runs)

    def replayed(self, name: str) -> Replayed:
        """A runner of a name, as it was when its answers were recorded.

        Raises:
            UsageError: they were not.
        """
        evaluations = [self._recorded] if self._recorded is not None else []
        evaluations += [one.evaluation for one in reversed(self._store.evaluations())]
        infos = (run.runner for one in evaluations for run in one.runs if run.runner.name == name)
        info = next(infos, None)
        if info is None:
            raise UsageError(
                f"No evaluation with {one_line(name, 60)} was recorded.",
                "Run without --replay, with --record, and commit the recorded file.",
            )
        return Replayed(info)


class Replayed:
    """A runner whose answers are recorded, so that neither its key nor its package is needed."""

    def __init__(self, info: RunnerInfo) -> None:
        self.info = info

    def estimate(self, query: Query, offer: Offer) -> None:
        """It costs nothing."""

    async def answer(self, query: Query, offer: Offer) -> Answer:  # noqa: ARG002
        """Never called: a replay fails before."""
        raise AssertionError("a replay asks nobody")

    async def aclose(self) -> None:
        """Nothing is open."""
