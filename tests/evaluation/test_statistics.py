"""Statistics against SciPy 1.17.1, statsmodels 0.15.0, krippendorff 0.8 and published examples, and by properties."""

from __future__ import annotations

import math
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_governor.evaluation.statistics import (
    alpha_of_counts,
    binomial_tail,
    bootstrap,
    critical_losses,
    holm,
    mcnemar_drop,
    power,
    smallest_drop,
    wilson,
)


@pytest.mark.parametrize(
    ("successes", "trials", "probability", "expected"),
    [  # scipy.stats.binomtest(k, n, p, alternative="greater").pvalue
        (8, 10, 0.5, 0.0546875),
        (15, 20, 0.5, 0.020694732666015625),
        (3, 50, 0.02, 0.07842774835096904),
        (60, 100, 0.5, 0.028443966820490444),
        (550, 1000, 0.5, 0.0008652680424881513),
        (0, 5, 0.3, 1.0),
        (6, 5, 0.3, 0.0),
        (1, 5, 0.0, 0.0),
        (5, 5, 1.0, 1.0),
    ],
)
def test_the_tail_of_the_binomial_distribution(
    successes: int, trials: int, probability: float, expected: float
) -> None:
    assert binomial_tail(successes, trials, probability) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("lost", "gained", "expected"),
    [  # statsmodels.stats.contingency_tables.mcnemar(table, exact=True).pvalue
        (121, 59, 4.4344492637551645e-06),  # the table of Agresti 1990, 101: 121 and 59
        (10, 2, 0.03857421875),
        (5, 0, 0.0625),
        (6, 0, 0.03125),
        (7, 7, 1.0),
        (1, 0, 1.0),
    ],
)
def test_twice_the_one_sided_mcnemar_is_the_two_sided_one(lost: int, gained: int, expected: float) -> None:
    assert min(1.0, 2 * mcnemar_drop(lost, gained)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("lost", "gained", "expected"), [(5, 0, 1 / 32), (4, 0, 1 / 16), (0, 5, 1.0), (0, 0, 1.0)])
def test_mcnemar_of_a_drop_has_one_side(lost: int, gained: int, expected: float) -> None:
    assert mcnemar_drop(lost, gained) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("given", "expected"),
    [  # statsmodels.stats.multitest.multipletests(p, method="holm")
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.001, 0.01, 0.02, 0.04, 0.5], [0.005, 0.04, 0.06, 0.08, 0.5]),
        ([0.05, 0.05], [0.1, 0.1]),
        ([0.7], [0.7]),
        ([], []),
    ],
)
def test_holm(given: list[float], expected: list[float]) -> None:
    assert holm(given) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("successes", "trials", "expected"),
    [  # statsmodels.stats.proportion.proportion_confint(k, n, method="wilson")
        (0, 10, (0.0, 0.27753279986288926)),
        (10, 10, (0.7224672001371106, 1.0)),
        (8, 10, (0.49016247153664183, 0.9433178485456247)),
        (45, 50, (0.7863976856252034, 0.9565242350681095)),
        (1, 3, (0.06149194472039626, 0.7923403991979523)),
        (0, 0, (0.0, 1.0)),
    ],
)
def test_wilson(successes: int, trials: int, expected: tuple[float, float]) -> None:
    assert wilson(successes, trials) == pytest.approx(expected)


# Krippendorff 2011, example C: 4 observers, 12 units; None is missing.
EXAMPLE_C = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
# The same source, example B: 2 observers, 10 units, 2 values.
EXAMPLE_B = [[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]
# Made with numpy.random.default_rng(5); -1 is missing. alpha by krippendorff 0.8.
RANDOM = [
    [2, 3, 0, -1, 1, -1, 2, 1, 3, 0, 1, 1, 2, 1, 0, 0, 0, 0, 0, -1, 0, 2, 3, 0, -1, 1, 1, 3, 0, 3],
    [3, 3, 0, 1, -1, 1, 2, 2, 2, 0, 3, 2, 3, -1, 1, 3, 0, 0, 1, 2, -1, 3, -1, 0, -1, 3, 3, -1, 1, 0],
    [3, 2, -1, 0, 0, 2, -1, -1, -1, 0, 2, 1, 1, 3, 0, 1, 0, 0, 1, 2, 2, 1, 0, 3, -1, -1, -1, 1, 0, -1],
]


def alpha_of(units):
    return alpha_of_counts(Counter(tuple(sorted(map(repr, unit))) for unit in units))


@pytest.mark.parametrize(
    ("raters", "expected"),
    [(EXAMPLE_C, 0.743421052631579), (EXAMPLE_B, 0.09523809523809534), (RANDOM, 0.07359081419624214)],
)
def test_alpha(raters: list[list[int | None]], expected: float) -> None:
    units = [[value for value in unit if value is not None and value != -1] for unit in zip(*raters, strict=True)]
    assert alpha_of(units) == pytest.approx(expected)


UNITS = st.lists(st.lists(st.sampled_from("abc"), max_size=4), max_size=12)


@given(UNITS)
def test_alpha_does_not_depend_on_order_or_names_and_is_at_most_one(units: list[list[str]]) -> None:
    alpha = alpha_of(units)
    renamed = [[{"a": "x", "b": "y", "c": "z"}[value] for value in reversed(unit)] for unit in reversed(units)]
    other = alpha_of(renamed)
    if alpha is None:
        assert other is None
    else:
        assert other == pytest.approx(alpha)
        assert alpha <= 1.0


def _mean(counts: Counter[int]) -> float:
    return sum(value * times for value, times in counts.items()) / sum(counts.values())


def test_a_bootstrap_interval_is_that_of_the_normal_distribution_for_many_units() -> None:
    units = [1] * 300 + [0] * 100
    low, high = bootstrap(units, _mean, seed=3) or (0.0, 0.0)
    half = 1.96 * math.sqrt(0.75 * 0.25 / 400)
    assert (low, high) == pytest.approx((0.75 - half, 0.75 + half), abs=0.008)


def test_a_bootstrap_depends_on_its_seed_alone() -> None:
    units = ["b", "a", "a", "c"] * 10

    def share(counts: Counter[str]) -> float:
        return counts["a"] + 2.7 * counts["c"]

    assert bootstrap(units, share, seed=1) == bootstrap(list(reversed(units)), share, seed=1)
    assert bootstrap(units, share, seed=1) != bootstrap(units, share, seed=2)


def test_a_bootstrap_without_units_or_without_a_value_has_no_interval() -> None:
    assert bootstrap([], _mean) is None
    assert bootstrap([1, 2], lambda _: None) is None


@pytest.mark.parametrize("level", [0.05, 0.05 / 3, 0.001])
@pytest.mark.parametrize("discordant", [0, 1, 4, 5, 6, 20, 77])
def test_critical_losses_are_the_fewest_that_are_significant(discordant: int, level: float) -> None:
    least = critical_losses(discordant, level)
    significant = [lost for lost in range(discordant + 1) if mcnemar_drop(lost, discordant - lost) <= level]
    assert least == (min(significant) if significant else None)


def _share_of_alarms(queries: int, drop: float, churn: float, level: float, *, times: int, seed: int) -> float:
    random = Random(seed)
    alarms = 0
    for _ in range(times):
        draws = [random.random() for _ in range(queries)]
        lost = sum(draw < churn + drop for draw in draws)
        gained = sum(churn + drop <= draw < 2 * churn + drop for draw in draws)
        alarms += mcnemar_drop(lost, gained) <= level
    return alarms / times


@pytest.mark.parametrize(("queries", "drop", "churn"), [(100, 0.1, 0.02), (60, 0.2, 0.05), (40, 0.15, 0.0)])
def test_power_is_that_of_simulated_runs(queries: int, drop: float, churn: float) -> None:
    simulated = _share_of_alarms(queries, drop, churn, 0.05, times=2_000, seed=11)
    # Three standard errors of a share of 2,000 are at most 3.4 points.
    assert power(queries, drop, churn, 0.05) == pytest.approx(simulated, abs=0.034)


@settings(max_examples=25, deadline=None)
@given(st.integers(min_value=5, max_value=300), st.floats(min_value=0, max_value=0.1))
def test_the_smallest_drop_is_found_and_a_smaller_one_is_not(queries: int, churn: float) -> None:
    drop = smallest_drop(queries, churn, 0.05)
    if drop is None:
        assert power(queries, math.floor(1000 * (1 - 2 * churn)) / 1000, churn, 0.05) < 0.8
    else:
        assert power(queries, drop, churn, 0.05) >= 0.8
        assert power(queries, round(drop - 0.001, 3), churn, 0.05) < 0.8


def test_four_queries_detect_nothing() -> None:
    assert smallest_drop(4, 0.0, 0.05) is None
