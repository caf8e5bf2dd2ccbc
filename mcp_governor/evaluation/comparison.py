"""Two evaluations compared: did a model get worse, and could the set have shown it?

Each runner is compared with itself by the exact McNemar test with one side, and Holm's correction over all models
keeps the rate of false alarms of the whole comparison at or below :data:`ALPHA`. Proxies are compared too, and never
decide unless they are all there is.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcp_governor.documents import Count  # noqa: TC001 - msgspec reads the types
from mcp_governor.errors import UsageError
from mcp_governor.evaluation.statistics import Ends, bootstrap, holm, mcnemar_drop, smallest_drop
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping, Sequence

    from mcp_governor.evaluation.metrics import Metrics
    from mcp_governor.evaluation.model import Query, QuerySet

ALPHA = 0.05
"""The rate of false alarms of a whole comparison, at most: one in twenty releases of an unchanged server."""

TOLERATED_DROP = 0.1
"""The drop of accuracy that a comparison has to be able to find, unless the configuration names another: 100 queries
find 9.5 points with one model (docs/evaluation.md)."""


class Verdict(StrEnum):
    """The result of a comparison."""

    PASS = "pass"  # noqa: S105  not a password
    REGRESSED = "regressed"
    INSENSITIVE = "not sensitive enough"


class Moved(Struct, frozen=True):
    """One runner, before and after.

    Attributes:
        proxy: A ranking by words, which decides nothing next to models.
        queries: Queries that both runs judged.
        before: Right answers among them.
        after: The same now.
        lost: Queries that were right and are not any more.
        gained: The reverse.
        p: Of the one-sided exact McNemar test.
        adjusted: The same after Holm's correction.
        interval: Of the change of accuracy, by drawing queries.
        detectable: The smallest drop that is found in four of five cases.
        served_before: Ids of the models that have answered, as the provider says; empty if it does not.
        served_after: The same now.
        model_changed: Another model has answered than before, under the same name.
    """

    runner: str
    proxy: bool
    queries: Count
    before: Count
    after: Count
    lost: tuple[str, ...]
    gained: tuple[str, ...]
    p: float | None
    adjusted: float | None
    interval: Ends | None
    detectable: float | None
    served_before: tuple[str, ...]
    served_after: tuple[str, ...]
    model_changed: bool

    @property
    def change(self) -> float:
        """The change of accuracy, from -1 to 1."""
        return (self.after - self.before) / self.queries if self.queries else 0.0

    @property
    def regressed(self) -> bool:
        """The drop is significant."""
        return self.adjusted is not None and self.adjusted <= ALPHA


class Comparison(Struct, frozen=True, kw_only=True):
    """The evaluation compared with a baseline.

    Attributes:
        deciding: The runners that the verdict is about: the models, or the proxies if there are no models.
        tolerated: The drop that has to be detectable.
        interval: Of the mean change of accuracy over the deciding runners, by drawing queries with the answers of all
            runners together.
        not_compared: Queries that only one of the sets has, or that differ.
        same_tools: Both offered the same tools, so no wording is the cause.
        moved: One for each runner that both have.
        only_before: Runners that only the baseline has.
        only_after: Runners that only this evaluation has.
    """

    verdict: Verdict
    deciding: tuple[str, ...]
    tolerated: float | None
    interval: Ends | None
    not_compared: Count
    same_tools: bool
    moved: tuple[Moved, ...] = field(name="runners")
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]

    @property
    def judged(self) -> list[Moved]:
        """The runners that the verdict is about."""
        return [one for one in self.moved if one.runner in self.deciding]

    @property
    def worse(self) -> list[Moved]:
        """Those of them that got worse."""
        return [one for one in self.judged if one.regressed]


def same_queries(before: QuerySet, after: QuerySet) -> frozenset[str]:
    """Ids of the queries that two sets have in common, unchanged.

    Raises:
        UsageError: there are none.
    """
    old = {query.id: _measured(query) for query in before.queries}
    common = frozenset(query.id for query in after.queries if old.get(query.id) == _measured(query))
    if not common:
        raise UsageError(
            f"{one_line(after.name, 80)} has no query in common with the set of the baseline.",
            "Compare with a run over the same set.",
        )
    return common


def _measured(query: Query) -> tuple[object, ...]:
    """What decides about an answer; notes and the place in the file do not."""
    from mcp_governor.surface.canonical import canonical_json

    return (query.text, frozenset(query.gold), query.kind, frozenset(query.forbidden), canonical_json(query.arguments))


def compare_runs(
    before: Sequence[Metrics],
    after: Sequence[Metrics],
    common: frozenset[str],
    *,
    tolerated: float = TOLERATED_DROP,
    seed: int = 0,
    same_tools: bool = False,
) -> Comparison:
    """Compare each runner with itself.

    Args:
        before, after: the runs, measured, over sets with common queries.
        common: ids of the queries to compare (:func:`same_queries`).
        tolerated: the drop of accuracy that has to be detectable, from 0 to 1.
        seed: of the bootstraps.
        same_tools: both offered the same tools.

    Raises:
        UsageError: no runner is in both.
    """
    old = {one.runner.name: one for one in before}
    new = {one.runner.name: one for one in after}
    shared = [name for name in new if name in old]
    if not shared:
        raise UsageError(
            f"No runner is in both evaluations (baseline: {_names(old)}; now: {_names(new)}).",
            "Run the same runners again.",
        )
    models = tuple(name for name in shared if not new[name].runner.is_proxy)
    deciding = models or tuple(shared)
    changes = {name: _changes(old[name], new[name], common) for name in shared}
    tests = {name: mcnemar_drop(*_counts(changes[name])) for name in shared}
    adjusted = dict(zip(deciding, holm([tests[name] for name in deciding]), strict=True))
    # A proxy next to models is not part of the family: its test decides nothing.
    moved = tuple(
        _moved(old[name], new[name], changes[name], adjusted.get(name, tests[name]), len(deciding), seed)
        for name in shared
    )
    return Comparison(
        verdict=_verdict([one for one in moved if one.runner in deciding], tolerated),
        moved=moved,
        deciding=deciding,
        interval=bootstrap(_clusters([changes[name] for name in deciding]), _mean, seed=seed),
        tolerated=tolerated,
        not_compared=len({score.query.id for one in (*before, *after) for score in one.scores} - common),
        only_before=tuple(name for name in old if name not in new),
        only_after=tuple(name for name in new if name not in old),
        same_tools=same_tools,
    )


def _names(runners: Mapping[str, Metrics]) -> str:
    return ", ".join(one_line(name, 60) for name in runners) or "none"


def _changes(before: Metrics, after: Metrics, common: frozenset[str]) -> dict[str, tuple[bool, bool]]:
    """Query → right before and after, for the queries that both runs judged."""
    old = {score.query.id: score.right for score in before.scores if score.right is not None}
    return {
        score.query.id: (old[score.query.id], score.right)
        for score in after.scores
        if score.right is not None and score.query.id in old and score.query.id in common
    }


def _counts(changes: Mapping[str, tuple[bool, bool]]) -> tuple[int, int]:
    values = list(changes.values())
    return values.count((True, False)), values.count((False, True))


def _moved(
    before: Metrics, after: Metrics, changes: Mapping[str, tuple[bool, bool]], adjusted: float, tests: int, seed: int
) -> Moved:
    steps: list[tuple[int, ...]] = [(int(now) - int(then),) for then, now in changes.values()]
    lost = tuple(query for query, change in changes.items() if change == (True, False))
    gained = tuple(query for query, change in changes.items() if change == (False, True))
    # What was gained shows how often an answer changes by chance; half a query is added, since none is not never.
    churn = (len(gained) + 0.5) / (len(changes) + 1)
    return Moved(
        runner=after.runner.name,
        proxy=after.runner.is_proxy,
        queries=len(changes),
        before=sum(then for then, _ in changes.values()),
        after=sum(now for _, now in changes.values()),
        lost=lost,
        gained=gained,
        p=mcnemar_drop(len(lost), len(gained)),
        adjusted=adjusted,
        interval=bootstrap(steps, _mean, seed=seed),
        # The level that Holm leaves in the worst case.
        detectable=smallest_drop(len(changes), min(churn, _MOST_CHURN), ALPHA / tests),
        served_before=before.served,
        served_after=after.served,
        model_changed=bool(before.served and after.served) and before.served != after.served,
    )


def _clusters(changes: Sequence[Mapping[str, tuple[bool, bool]]]) -> list[tuple[int, ...]]:
    """For each query that every runner answered, its changes."""
    if not changes:
        return []
    queries = [query for query in changes[0] if all(query in other for other in changes)]
    return [tuple(int(other[query][1]) - int(other[query][0]) for other in changes) for query in queries]


def _mean(counts: Counter[tuple[int, ...]]) -> float | None:
    total = sum(times * len(values) for values, times in counts.items())
    return sum(sum(values) * times for values, times in counts.items()) / total if total else None


def _verdict(judged: Sequence[Moved], tolerated: float) -> Verdict:
    if any(one.regressed for one in judged):
        return Verdict.REGRESSED
    if any(one.detectable is None or one.detectable > tolerated + _ROUNDING for one in judged):
        return Verdict.INSENSITIVE
    return Verdict.PASS


_MOST_CHURN = 0.25
"""Share of queries above which chance alone would change every second answer; nothing can be detected then."""

_ROUNDING = 1e-9
"""So that a tolerance of 0.1 admits a drop of 0.1 in steps of 0.001, whatever doubles make of it."""
