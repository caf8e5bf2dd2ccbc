"""What a runner is shown, and the key under which its answer is kept."""

from __future__ import annotations

import hashlib
from random import Random
from typing import TYPE_CHECKING, Any

from mcp_governor.evaluation.model import Offer
from mcp_governor.surface.canonical import canonical_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.evaluation.model import Query, RunnerInfo

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

    That is who answers (name, family, model, version, temperature, system prompt), what is asked, and the tools with
    every word in their order. No key of an API and no address belongs to it.
    """
    parts = {
        "runner": [runner.name, runner.family, runner.model, runner.version, runner.temperature, runner.system],
        "query": query.text,
        "tools": list(offer.tools),
        "seed": offer.seed,
    }
    return hashlib.sha256(canonical_bytes(parts)).hexdigest()
