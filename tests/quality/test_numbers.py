"""Shares, intervals and agreement, against values worked out by hand or known from the literature."""

from __future__ import annotations

import pytest
from quality_corpus import Share, kappa, table


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),  # z² / (n + z²) = 3.8415 / 13.8415
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),  # 0.5 ± z·√(0.25/10 + z²/400) / (1 + z²/10)
    ],
)
def test_intervals_are_wilsons(hits: int, total: int, low: float, high: float) -> None:
    assert Share(hits, total).interval == pytest.approx((low, high), abs=5e-5)


def test_nothing_counted_is_not_a_share() -> None:
    assert (str(Share(0, 0)), Share(0, 0).as_json(), Share(0, 0).interval) == ("-", {"hits": 0, "total": 0}, (0.0, 1.0))


def test_a_share_shows_its_counts_and_its_interval() -> None:
    assert str(Share(5, 10)) == "5/10 50% [24-76]"
    assert Share(5, 10).as_json() == {"hits": 5, "total": 10, "share": 0.5, "low": 0.2366, "high": 0.7634}


def test_kappa_is_agreement_beyond_chance() -> None:
    # Cohen's own kind of example: 20 + 15 of 50 agree, 0.5 by chance.
    pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    assert kappa(pairs) == pytest.approx(0.4)
    assert kappa([("yes", "no"), ("no", "yes")]) == pytest.approx(-1)


def test_kappa_is_not_defined_where_chance_explains_everything() -> None:
    assert kappa([]) is None
    assert kappa([("yes", "yes")] * 3) is None


def test_tables_are_markdown() -> None:
    assert table(("rule", "n"), [("a/b", 12)]).splitlines() == ["| rule |  n |", "| ---- | -: |", "| a/b  | 12 |"]
