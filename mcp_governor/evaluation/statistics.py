"""The statistics of an evaluation, with the standard library alone: exact tests, intervals, agreement, power.

Sources: McNemar 1947 with the exact binomial distribution; Holm 1979; Wilson 1927; Krippendorff, *Computing
Krippendorff's Alpha-Reliability*, 2011; resampling of units, Efron 1979, for alpha as in Zapf and others 2016. Every
function is compared with reference values in ``tests/evaluation/test_statistics.py``.
"""

from __future__ import annotations

import functools
import math
from bisect import bisect_left
from collections import Counter
from random import Random
from statistics import NormalDist, quantiles
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_T = TypeVar("_T")

RESAMPLES = 2_000
"""Number of resamples of a bootstrap: enough that the ends of a 95 % interval move by less than a tenth of its width
(Efron and Tibshirani ask for 1,000)."""

MAX_DRAWS = 4_000_000
"""Maximum number of draws of one bootstrap, about a second; for more units than 2,000 there are fewer resamples."""

Z95 = NormalDist().inv_cdf(0.975)
"""The quantile that belongs to intervals at the level of 95 %, as most readers expect it."""

POWER = 0.8
"""Probability with which a drop has to be found for a set to count as able to detect it: the usual convention
(Cohen 1988)."""

_DEVIATIONS = 9
"""Standard deviations around the mean of a binomial distribution that are summed: what lies outside has a probability
below 1e-9 for every number of queries, also where the distribution is far from normal."""


_ROUNDING = 1e-18
"""Share of a sum below which a term of a falling series cannot change a double any more."""


Ends = tuple[float, float]
"""A confidence interval at the level of 95 %."""


def binomial_tail(successes: int, trials: int, probability: float = 0.5) -> float:
    """The probability of at least ``successes`` in ``trials`` independent trials, each with ``probability``."""
    if successes <= 0:
        return 1.0
    if successes > trials or probability <= 0:
        return 0.0
    if probability >= 1:
        return 1.0
    mean, total = trials * probability, 0.0
    if successes < mean - _DEVIATIONS * math.sqrt(mean * (1 - probability)) - 1:
        return 1.0
    for hits in range(successes, trials + 1):
        mass = _mass(hits, trials, probability)
        total += mass
        if hits > mean and mass < total * _ROUNDING:
            break
    return min(1.0, total)


def _mass(successes: int, trials: int, probability: float) -> float:
    """The probability of exactly ``successes``; ``probability`` lies between 0 and 1, exclusively."""
    ways = math.lgamma(trials + 1) - math.lgamma(successes + 1) - math.lgamma(trials - successes + 1)
    return math.exp(ways + successes * math.log(probability) + (trials - successes) * math.log1p(-probability))


def mcnemar_drop(lost: int, gained: int) -> float:
    """The p value of the one-sided exact McNemar test that a model got worse.

    Args:
        lost: queries that were answered rightly before, and are not now.
        gained: queries that are answered rightly now, and were not before.
    """
    return binomial_tail(lost, lost + gained)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p values, in the order given: the family-wise error stays below the level at which each is
    compared, however the tests depend on each other."""
    order = sorted(range(len(p_values)), key=lambda at: p_values[at])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[at]))
        adjusted[at] = highest
    return adjusted


def wilson(successes: int, trials: int) -> Ends:
    """Wilson's score interval of a share; ``(0, 1)`` without trials."""
    if trials == 0:
        return (0.0, 1.0)
    share, z2 = successes / trials, Z95 * Z95
    middle = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = Z95 / (1 + z2 / trials) * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials))
    # The ends are exact where there is nothing to estimate: rounding would leave 1e-17 there.
    return (0.0 if successes == 0 else middle - half, 1.0 if successes == trials else middle + half)


def bootstrap(
    units: Sequence[_T], statistic: Callable[[Counter[_T]], float | None], *, seed: int = 0, resamples: int = RESAMPLES
) -> Ends | None:
    """The percentile bootstrap interval of a statistic of independent units.

    Args:
        units: one value for each query, with everything that was observed for it, so that what belongs together is
            drawn together; equal values are counted once.
        statistic: of a resample, as a count for each distinct value; ``None`` if it is not defined for it.
        seed: of the draws; the interval is the same for the same seed.
        resamples: number of resamples.

    Returns:
        ``None`` if there are no units, or the statistic is not defined for most resamples.
    """
    if not units:
        return None
    random = Random(seed)  # noqa: S311  for statistics, not for secrets
    times = max(MAX_DRAWS // len(units), 100) if len(units) * resamples > MAX_DRAWS else resamples
    counts = Counter(units)
    # In the order of their representation: a set of strings has another order in every process.
    values = sorted(counts, key=repr)
    weights = [counts[value] for value in values]
    found = []
    for _ in range(times):
        value = statistic(Counter(random.choices(values, weights, k=len(units))))
        if value is not None:
            found.append(value)
    if len(found) * 2 < times:
        return None
    ends = quantiles(found, n=40, method="inclusive")
    return ends[0], ends[-1]


def alpha_of_counts(counts: Counter[tuple[str, ...]]) -> float | None:
    """Krippendorff's alpha for nominal data.

    Args:
        counts: for each query the values that the raters gave it, sorted and without those that are missing → how many
            queries have them.

    Returns:
        1 for complete agreement, 0 for agreement by chance; ``None`` if no query has two values, or if all values are
        the same, so that chance alone would agree.
    """
    observed, totals = 0.0, Counter[str]()
    for values, times in counts.items():
        number = len(values)
        if number < 2:
            continue
        inside = Counter(values)
        # Ordered pairs of two raters that differ, divided by the number of the others: the coincidence matrix.
        differing = number * number - sum(one * one for one in inside.values())
        observed += times * differing / (number - 1)
        for value, one in inside.items():
            totals[value] += one * times
    size = sum(totals.values())
    expected = size * size - sum(one * one for one in totals.values())
    if size == 0 or expected == 0:
        return None
    return 1 - (size - 1) * observed / expected


# The search for a smallest drop asks for each number ten times; 4,096 are those of the largest set, twice.
@functools.lru_cache(maxsize=4096)
def critical_losses(discordant: int, level: float) -> int | None:
    """The fewest losses among so many discordant queries that are significant; ``None`` if not even all of them are."""
    # Half of them are never: the level is far below one half.
    losses = range(discordant // 2, discordant + 1)
    return next((lost for lost in losses if mcnemar_drop(lost, discordant - lost) <= level), None)


def power(queries: int, drop: float, churn: float, level: float) -> float:
    """The probability that the exact McNemar test finds a drop.

    Args:
        queries: number of queries.
        drop: the true drop of accuracy, from 0 to 1.
        churn: share of queries that change from right to wrong by chance, and as many from wrong to right.
        level: the significance level of the one-sided test.
    """
    loss, gain = min(1.0, churn + drop), churn
    discordant = min(1.0, loss + gain)
    if discordant <= 0:
        return 0.0
    share, total = loss / (loss + gain), 0.0
    middle, wide = queries * discordant, _DEVIATIONS * math.sqrt(queries * discordant * (1 - discordant)) + 1
    for number in range(max(0, math.floor(middle - wide)), min(queries, math.ceil(middle + wide)) + 1):
        weight = _mass(number, queries, discordant) if discordant < 1 else float(number == queries)
        least = critical_losses(number, level)
        if least is not None:
            total += weight * binomial_tail(least, number, share)
    return min(1.0, total)


def smallest_drop(queries: int, churn: float, level: float) -> float | None:
    """The smallest drop of accuracy that is found with a probability of :data:`POWER`, in steps of 0.1 points.

    Returns:
        ``None`` if no drop is found as often as that.
    """
    steps = range(1, math.floor(1000 * (1 - 2 * churn)) + 1)
    at = bisect_left(steps, POWER, key=lambda step: power(queries, step / 1000, churn, level))
    return steps[at] / 1000 if at < len(steps) else None
