"""How often a comparison of evaluations raises a false alarm, and how often it finds a drop, by simulation.

``python tools/evaluation_simulation.py [--times N] [--seed S]`` simulates evaluations of an unchanged server, and of
one whose models lose so many points, and prints the share of comparisons that end in *regressed*. Models find the same
queries hard, so their answers depend on each other.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from random import Random

from mcp_governor.evaluation import comparison
from mcp_governor.evaluation.comparison import Verdict, compare_runs
from mcp_governor.evaluation.metrics import Metrics, Score
from mcp_governor.evaluation.model import Query, RunnerInfo
from mcp_governor.evaluation.statistics import power

CASES = [(100, 1, 0.02), (100, 3, 0.02), (100, 3, 0.1), (300, 3, 0.05), (300, 5, 0.05)]
"""Queries, models, and the share of answers that flip by chance."""

DROPS = [(100, 1, 0.02, 0.1), (100, 3, 0.02, 0.125), (300, 3, 0.02, 0.05)]
"""The same with the drop of every model."""


def scores(name: str, rights: list[bool]) -> Metrics:
    """A measured run."""
    judged = tuple(Score(Query(f"q{at}", "", ("t",)), "t" if right else "", right) for at, right in enumerate(rights))
    return Metrics(RunnerInfo(name, name, name, False), judged, len(rights))


def evaluations(random: Random, queries: int, models: int, churn: float, drop: float) -> tuple[list[Metrics], ...]:
    """Two evaluations. Before, half of the answers are right, so that flips go both ways at the same rate."""
    hard = [random.random() for _ in range(queries)]
    before, after = [], []
    for number in range(models):
        old = [random.random() < one for one in hard]
        # Of the right answers, those that are lost: half of all queries are right, so twice the drop.
        new = [right != (random.random() < churn) for right in old]
        new = [right and random.random() >= 2 * drop for right in new]
        before.append(scores(f"m{number}", old))
        after.append(scores(f"m{number}", new))
    return before, after


def simulate(random: Random, times: int, queries: int, models: int, churn: float, drop: float) -> Counter[Verdict]:
    """The verdicts of so many comparisons."""
    common = frozenset(f"q{at}" for at in range(queries))
    return Counter(
        compare_runs(*evaluations(random, queries, models, churn, drop), common).verdict for _ in range(times)
    )


def main() -> int:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description="False alarms and power of comparisons of evaluations, by simulation.")
    parser.add_argument("--times", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    random = Random(given.seed)
    # Neither decides about the verdict that is counted here.
    comparison.bootstrap = lambda *_, **__: None
    comparison.smallest_drop = lambda *_: 0.0
    failed = False
    error = 3 * (0.05 * 0.95 / given.times) ** 0.5
    for queries, models, churn in CASES:
        share = simulate(random, given.times, queries, models, churn, 0.0)[Verdict.REGRESSED] / given.times
        failed |= share > 0.05 + error
        print(f"unchanged: {queries} queries, {models} models, {churn:.0%} flips: {share:.2%} false alarms")
    for queries, models, churn, drop in DROPS:
        share = simulate(random, given.times, queries, models, churn, drop)[Verdict.REGRESSED] / given.times
        # Flips of this simulation go both ways among all queries, half as many each way.
        alone = power(queries, drop, churn / 2, 0.05 / models)
        print(
            f"a drop of {drop:.1%}: {queries} queries, {models} models, {churn:.0%} flips: found in {share:.1%}; "
            f"one model alone, computed: {alone:.1%}"
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
