"""What a runner is shown, and the key under which its answer is kept."""

from __future__ import annotations

import hashlib
from random import Random
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import UsageError
from mcp_governor.evaluation.model import Offer
from mcp_governor.evaluation.store import Kept
from mcp_governor.surface.canonical import canonical_bytes
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.evaluation.model import Answer, Query, RunnerInfo
    from mcp_governor.evaluation.record import Evaluation

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

    That is who answers (name, family, model, version, temperature, address without credentials, system prompt), what is
    asked, and the tools with every word in their order. No key of an API belongs to it.
    """
    parts = {
        "runner": [
            runner.name,
            runner.family,
            runner.model,
            runner.version,
            runner.temperature,
            runner.endpoint,
            runner.system,
        ],
        "query": query.text,
        "tools": list(offer.tools),
        "seed": offer.seed,
    }
    return hashlib.sha256(canonical_bytes(parts)).hexdigest()


def recorded_answers(evaluation: Evaluation) -> dict[str, Kept]:
    """The answers of a recorded evaluation by their keys."""
    queries = {query.id: query for query in evaluation.queries.queries}
    found = {}
    for run in evaluation.runs:
        for answer in run.answers:
            query = queries[answer.query]
            key = answer_key(run.runner, query, offer_for(evaluation.tools, query, run.seed))
            found[key] = Kept(answer, run.started)
    return found


def recorded_runner(name: str, evaluations: Sequence[Evaluation]) -> RunnerInfo:
    """Who a runner was when its answers were recorded.

    Args:
        name: of the runner.
        evaluations: where it is looked for, in this order.

    Raises:
        UsageError: it is in none of them.
    """
    for evaluation in evaluations:
        for run in evaluation.runs:
            if run.runner.name == name:
                return run.runner
    raise UsageError(
        f"No evaluation with {one_line(name, 60)} was recorded.",
        "Run without --replay, with --record, and commit the recorded file.",
    )


class Replayed:
    """A runner whose answers are recorded, so that neither its key nor its package is needed."""

    def __init__(self, info: RunnerInfo) -> None:
        self.info = info

    async def answer(self, query: Query, offer: Offer) -> Answer:  # noqa: ARG002
        """Never called: a replay fails before."""
        raise AssertionError("a replay asks nobody")

    async def aclose(self) -> None:
        """Nothing is open."""
