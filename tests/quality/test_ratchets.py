"""The recorded figures hold: what was reached is not lost, and no rule stays that is not worth its lines.

What has to be linted anew needs the recordings beside the repository and is skipped without them. Where a figure rises,
record it: ``make recall UPDATE=1``, ``make precision UPDATE=1``, ``make docs``.
"""

from __future__ import annotations

from typing import Any

import precision
import pytest
import recall
from precision import Given, Tally, by_rule, given, read_verdicts
from quality_corpus import CORPUS, default_selection, read_figures
from quality_labels import SPLITS, corpus_of

from mcp_governor.findings import Severity

NOW = read_figures()["now"]

with_corpus = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="NOT MEASURED: the recorded servers (../shared/corpus) are not here"
)

FEWEST = 8
"""Judged findings from which a rule's share says something: at 60 %, the interval reaches from 29 to 85."""

ENOUGH = 0.6


@pytest.fixture(scope="module")
def today() -> list[Given]:
    return given(CORPUS)


@pytest.mark.parametrize("split", SPLITS)
def test_what_was_found_is_found_and_no_more_traps_are_hit(split: str) -> None:
    if not corpus_of(split).is_dir():
        pytest.skip(f"NOT MEASURED: the recorded servers of {split} are not here")
    outcomes, skipped = recall.measure(split)
    assert skipped == []
    found, recorded = recall.figures(outcomes), NOW["recall"][split]
    for measure in recall.MEASURES:
        assert found["recall"][measure]["hits"] >= recorded["recall"][measure]["hits"], measure
    assert found["traps"]["hits"] <= recorded["traps"]["hits"]


@with_corpus
def test_no_smaller_share_of_the_judged_findings_is_useful(today: list[Given]) -> None:
    standing = precision.standing(read_verdicts(), today)
    recorded = NOW.get("precision", {})
    for split in precision.SPLITS:
        of_split = precision.demanding(precision.of_split(standing, split))
        errors = Tally.of(verdict for verdict in of_split if verdict.severity == "error")
        was = recorded.get(split, {})
        # Four digits are recorded.
        assert Tally.of(of_split).share("useful").value >= was.get("judged", {}).get("share", 0) - 1e-4, split
        assert errors.share("true").value >= was.get("errors", {}).get("share", 0) - 1e-4, split


def below_the_bar(rules: dict[str, Tally]) -> dict[str, str]:
    """Recommended rules of which enough findings were judged and too few are useful. Remarks, which say that a thing is
    small and share a line, may be called small by a judge."""
    recommended = {active.id for active in default_selection().linted if active.severity is not Severity.INFO}
    return {
        rule: str(tally.share("useful"))
        for rule, tally in rules.items()
        if rule in recommended and tally.n >= FEWEST and tally.share("useful").value < ENOUGH
    }


def test_recommended_rules_are_useful_by_the_recorded_figures() -> None:
    rules: dict[str, Any] = NOW.get("precision", {}).get("all", {}).get("rules", {})
    recorded = {rule: Tally(*(tally[name] for name in Tally._fields)) for rule, tally in rules.items()}
    assert below_the_bar(recorded) == {}


@with_corpus
def test_recommended_rules_are_useful_by_what_they_report_today(today: list[Given]) -> None:
    assert below_the_bar(by_rule(precision.standing(read_verdicts(), today))) == {}


def test_the_bar_asks_for_enough_useful_findings_of_recommended_rules() -> None:
    linted = default_selection().linted
    some = next(active.id for active in linted if active.severity is Severity.WARNING)
    remark = next(active.id for active in linted if active.severity is Severity.INFO)
    assert below_the_bar({remark: Tally(8, 0, 8, 0)}) == {}
    assert list(below_the_bar({some: Tally(8, 4, 4, 0)})) == [some]
    assert below_the_bar({some: Tally(7, 0, 7, 0)}) == {}
    assert below_the_bar({some: Tally(10, 6, 0, 4)}) == {}
    assert below_the_bar({"nobody/recommends": Tally(8, 0, 8, 0)}) == {}
