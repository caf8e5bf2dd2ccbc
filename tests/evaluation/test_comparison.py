"""Two evaluations compared: the verdict, what it rests on, and how often it is wrong."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from evaluation_fakes import TOOLS, answer, info, query, query_set, run
from replacing import replace

from mcp_governor.errors import UsageError
from mcp_governor.evaluation.comparison import Verdict, compare_runs, same_queries
from mcp_governor.evaluation.metrics import Metrics, Score, measure
from mcp_governor.evaluation.model import Usage
from mcp_governor.evaluation.statistics import smallest_drop


def _measured(rights: str, name: str = "x:1", *, proxy: bool = False) -> Metrics:
    """A run of which each letter says what became of a query: right, wrong or failed."""
    queries = query_set(*(query(number) for number in range(len(rights))))
    answers = [
        answer(number, "find_note" if letter == "r" else "add_note", failure="timeout" if letter == "f" else None)
        for number, letter in enumerate(rights)
    ]
    return measure(run(*answers, runner=info(name, proxy=proxy)), queries, TOOLS)


def _common(number: int) -> frozenset[str]:
    return frozenset(f"q{at}" for at in range(number))


def _compare(before: str, after: str, **more: Any) -> Any:
    return compare_runs([_measured(before)], [_measured(after)], _common(len(before)), **more)


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ("r" * 100, "r" * 100, Verdict.PASS),
        ("r" * 100, "r" * 96 + "w" * 4, Verdict.PASS),
        ("r" * 100, "r" * 95 + "w" * 5, Verdict.REGRESSED),
        ("r" * 60 + "w" * 40, "r" * 100, Verdict.INSENSITIVE),  # so many changes that a drop would not be seen
        ("r" * 20, "r" * 20, Verdict.INSENSITIVE),
        ("r" * 20, "r" * 15 + "w" * 5, Verdict.REGRESSED),
        ("r" * 100, "f" * 100, Verdict.INSENSITIVE),  # nothing was compared
    ],
)
def test_verdicts(before: str, after: str, verdict: Verdict) -> None:
    assert _compare(before, after).verdict is verdict


def test_what_moved() -> None:
    (moved,) = _compare("rrrrwwf", "rrwwrwr").moved
    assert (moved.queries, moved.before, moved.after) == (6, 4, 3)
    assert (moved.lost, moved.gained) == (("q2", "q3"), ("q4",))
    assert moved.p == pytest.approx(0.5)
    assert moved.change == pytest.approx(-1 / 6)
    assert moved.interval is not None
    assert moved.interval[0] <= moved.change <= moved.interval[1]


def test_the_smallest_drop_is_the_one_at_the_level_that_holm_leaves() -> None:
    names = ["x:1", "y:1", "z:1"]
    before = [_measured("r" * 200, name) for name in names]
    made = compare_runs(before, before, _common(200))
    assert [one.detectable for one in made.moved] == [smallest_drop(200, 0.5 / 201, 0.05 / 3)] * 3


def test_the_tolerated_drop_decides_what_is_sensitive_enough() -> None:
    same = "r" * 50
    detectable = _compare(same, same).moved[0].detectable
    assert detectable == smallest_drop(50, 0.5 / 51, 0.05)
    assert _compare(same, same, tolerated=detectable).verdict is Verdict.PASS
    assert _compare(same, same, tolerated=detectable - 0.001).verdict is Verdict.INSENSITIVE


def test_holm_corrects_over_models_and_proxies_decide_nothing_next_to_them() -> None:
    before, after = "r" * 100, "r" * 95 + "w" * 5
    made = compare_runs(
        [_measured(before), _measured(before, "y:1"), _measured(before, "bm25", proxy=True)],
        [_measured(after), _measured(before, "y:1"), _measured("w" * 100, "bm25", proxy=True)],
        _common(100),
    )
    assert made.deciding == ("x:1", "y:1")
    assert [one.adjusted for one in made.moved][:2] == pytest.approx([2 / 32, 1.0])
    assert made.verdict is Verdict.PASS
    alone = compare_runs(
        [_measured(before, "bm25", proxy=True)], [_measured("w" * 100, "bm25", proxy=True)], _common(100)
    )
    assert (alone.deciding, alone.verdict) == (("bm25",), Verdict.REGRESSED)


def test_runners_of_one_side_are_named_and_without_a_common_one_nothing_is_compared() -> None:
    made = compare_runs([_measured("r" * 9), _measured("r" * 9, "y:1")], [_measured("r" * 9)], _common(9))
    assert (made.only_before, made.only_after) == (("y:1",), ())
    with pytest.raises(UsageError, match=r"baseline: y:1; now: x:1"):
        compare_runs([_measured("r", "y:1")], [_measured("r")], _common(1))


def test_sets_that_differ_are_compared_on_the_unchanged_queries() -> None:
    before = query_set(query(1), query(2), query(3), query(4, note="old"))
    after = query_set(query(1), query(2, "add_note"), replace(query(3), text="other"), query(4, note="new"), query(5))
    assert same_queries(before, after) == {"q1", "q4"}
    with pytest.raises(UsageError, match="has no query in common"):
        same_queries(before, query_set(query(9)))


def test_queries_that_are_not_compared_are_counted() -> None:
    made = compare_runs([_measured("rrrr")], [_measured("rrrr")], frozenset({"q0", "q1"}))
    assert (made.moved[0].queries, made.not_compared) == (2, 2)


def _simulated(random: Random, models: int, churn: float, queries: int) -> tuple[list[Metrics], list[Metrics]]:
    """Two evaluations of an unchanged server: models find the same queries hard, and some answers flip by chance."""
    difficulty = [random.random() for _ in range(queries)]
    before, after = [], []
    for number in range(models):
        old = [random.random() < hard for hard in difficulty]
        new = [right != (random.random() < churn) for right in old]
        before.append(_scores(f"f{number}:m", old))
        after.append(_scores(f"f{number}:m", new))
    return before, after


def _scores(name: str, rights: list[bool]) -> Metrics:
    scores = tuple(Score(query(at), "find_note", right) for at, right in enumerate(rights))
    return Metrics(info(name), scores, len(rights), Usage())


@pytest.mark.parametrize(("models", "churn"), [(1, 0.05), (3, 0.02), (3, 0.1), (5, 0.2)])
def test_false_alarms_of_a_whole_comparison_are_below_five_percent(models: int, churn: float, monkeypatch: Any) -> None:
    """Of 400 comparisons without a change, at most 5 % may be alarms; three standard errors are 3.3 points."""
    monkeypatch.setattr("mcp_governor.evaluation.comparison.bootstrap", lambda *_, **__: None)
    monkeypatch.setattr("mcp_governor.evaluation.comparison.smallest_drop", lambda *_: 0.0)
    random = Random(models * 1000 + int(churn * 100))
    alarms = 0
    for _ in range(400):
        before, after = _simulated(random, models, churn, 60)
        alarms += compare_runs(before, after, _common(60)).verdict is Verdict.REGRESSED
    assert alarms / 400 <= 0.05 + 0.033
