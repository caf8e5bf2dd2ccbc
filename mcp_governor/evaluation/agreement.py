"""How far models agree, and how far families differ. Proxies never take part: they are not models.

Agreement says nothing about being right, because models share mistakes; it is always shown next to accuracy.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.documents import Count  # noqa: TC001 - msgspec reads the types
from mcp_governor.evaluation.metrics import Share, share
from mcp_governor.evaluation.statistics import Ends, alpha_of_counts, bootstrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.evaluation.metrics import Metrics


class Pair(Struct, frozen=True):
    """How often two models chose the same tool.

    Attributes:
        both_right: Queries that both answered rightly, among those that both answered.
    """

    models: tuple[str, ...]
    same: Share
    both_right: Share


class Family(Struct, frozen=True):
    """The models of one provider: the mean of their accuracies."""

    name: str
    accuracy: float
    models: Count


class Agreement(Struct, frozen=True):
    """Several models compared on the same queries.

    Attributes:
        alpha: Krippendorff's alpha of the chosen tools, nominal; null if it is not defined.
        interval: Of alpha, by drawing queries.
        pairs: Each two models.
        families: By name.
        deviation: Standard deviation of the accuracies of families; null with fewer than two.
        spread: The highest accuracy of a family minus the lowest; null as above.
        split: Queries, answered by every family, that some families answer rightly and others do not.
    """

    alpha: float | None
    interval: Ends | None
    pairs: tuple[Pair, ...]
    families: tuple[Family, ...]
    deviation: float | None
    spread: float | None
    split: Share


def agreement(measured: Sequence[Metrics], *, seed: int = 0) -> Agreement | None:
    """Compare models on the queries that they answered.

    Args:
        measured: the runs over one query set; proxies are left out.
        seed: of the bootstrap.

    Returns:
        ``None`` with fewer than two models.
    """
    models = [one for one in measured if not one.runner.is_proxy]
    if len(models) < 2:
        return None
    labels: dict[str, dict[str, str]] = {}
    for one in models:
        for score in one.scores:
            if score.failure is None:
                labels.setdefault(score.query.id, {})[one.runner.name] = score.label
    units = [tuple(sorted(given.values())) for given in labels.values() if len(given) > 1]
    families = _families(models)
    accuracies = [family.accuracy for family in families]
    several = len(families) > 1
    return Agreement(
        pairs=tuple(_pair(one, other) for one, other in combinations(models, 2)),
        alpha=alpha_of_counts(Counter(units)),
        interval=bootstrap(units, alpha_of_counts, seed=seed),
        families=families,
        deviation=pstdev(accuracies) if several else None,
        spread=max(accuracies) - min(accuracies) if several else None,
        split=_split(models),
    )


def _pair(one: Metrics, other: Metrics) -> Pair:
    of_other = {score.query.id: score for score in other.scores if score.failure is None}
    shared = [
        (score, of_other[score.query.id])
        for score in one.scores
        if score.failure is None and score.query.id in of_other
    ]
    return Pair(
        (one.runner.name, other.runner.name),
        Share.of(left.label == right.label for left, right in shared),
        Share.of(left.right is True and right.right is True for left, right in shared),
    )


def _families(models: Sequence[Metrics]) -> tuple[Family, ...]:
    found: dict[str, list[float]] = {}
    for one in models:
        if one.accuracy.value is not None:
            found.setdefault(one.runner.family, []).append(one.accuracy.value)
    return tuple(Family(name, fmean(values), len(values)) for name, values in sorted(found.items()))


def _split(models: Sequence[Metrics]) -> Share:
    """A family answers a query rightly if most of its models do."""
    votes: dict[str, dict[str, list[bool]]] = {}
    families = {one.runner.family for one in models}
    for one in models:
        for score in one.scores:
            if score.right is not None:
                votes.setdefault(score.query.id, {}).setdefault(one.runner.family, []).append(score.right)
    complete = [by_family for by_family in votes.values() if by_family.keys() == families]
    if len(families) < 2:
        return share(0, 0)
    return Share.of(len({2 * sum(rights) > len(rights) for rights in by_family.values()}) > 1 for by_family in complete)
