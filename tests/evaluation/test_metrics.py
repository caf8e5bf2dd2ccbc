"""What an answer counts as, and how answers are counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from evaluation_fakes import SCHEMAS, TOOLS, answer, info, query, query_set, run
from replacing import replace

from mcp_governor.evaluation.metrics import NO_TOOL, agreement, judge, measure, share
from mcp_governor.evaluation.model import Answer, Choice, Kind, Usage
from mcp_governor.evaluation.statistics import alpha_of_counts

ABSTAIN = query(1, "")


@pytest.mark.parametrize(
    ("asked", "calls", "right"),
    [
        (query(1), ["find_note"], True),
        (query(1), ["find_note", "add_note"], True),
        (query(1), ["add_note", "find_note"], False),
        (query(1), [], False),
        (query(1), ["no_such_tool"], False),
        (replace(query(1), gold=("find_note", "list_notes")), ["list_notes"], True),
        (ABSTAIN, [], True),
        (ABSTAIN, ["find_note"], False),
        (query(1, forbidden=("delete_note",)), ["find_note", "delete_note"], False),
        (query(1, forbidden=("delete_note",)), ["find_note"], True),
        (query(1, "", forbidden=("delete_note",)), [], True),
    ],
)
def test_what_is_right(asked: Any, calls: list[str], right: bool) -> None:
    score = judge(asked, answer(1, *calls), SCHEMAS)
    assert score.right is right
    assert score.label == (calls[0] if calls else NO_TOOL)


def test_a_failure_is_neither_right_nor_wrong() -> None:
    score = judge(query(1), answer(1, failure="timeout"), SCHEMAS)
    assert (score.right, score.failure) == (None, "timeout")


def test_tools_that_do_not_exist_are_counted_wherever_they_are_called() -> None:
    score = judge(query(1), answer(1, "find_note", "no_such", "no_such"), SCHEMAS)
    assert (score.right, score.unknown) == (True, ("no_such",))


def test_a_forbidden_tool_is_counted() -> None:
    score = judge(query(1, forbidden=("delete_note",)), answer(1, "delete_note"), SCHEMAS)
    assert score.forbidden == ("delete_note",)


def test_a_proxy_answers_with_its_first_place_and_cannot_abstain() -> None:
    ranking = answer(1, "find_note", "no_such", "delete_note")
    score = judge(query(1, forbidden=("delete_note",)), ranking, SCHEMAS, is_proxy=True)
    assert (score.right, score.unknown, score.forbidden, score.arguments) == (True, (), (), None)
    assert judge(ABSTAIN, ranking, SCHEMAS, is_proxy=True).right is None


@pytest.mark.parametrize(
    ("arguments", "validity"),
    [
        ({"id": 1}, "valid"),
        ({"id": "1"}, "invalid"),
        ({}, "invalid"),
        ({"id": 1, "other": 2}, "invalid"),
        (None, "malformed"),
    ],
)
def test_arguments_against_the_input_schema(arguments: dict[str, Any] | None, validity: str) -> None:
    given = Answer("q1", (Choice("find_note", arguments, "{"),))
    assert judge(query(1), given, SCHEMAS).arguments == validity


def test_arguments_of_a_wrong_tool_or_without_a_readable_schema_are_not_judged() -> None:
    assert judge(query(1), answer(1, "add_note"), SCHEMAS).arguments is None
    assert judge(query(1), answer(1, "find_note"), {"find_note": {"type": 7}}).arguments == "undecided"


@pytest.mark.parametrize(
    ("expected", "arguments", "matched"),
    [
        ({"id": 1}, {"id": 1}, True),
        ({"id": 2}, {"id": 1}, False),
        ({"id": 1, "text": {"present": True}}, {"id": 1}, False),
        ({"text": {"present": False}}, {"id": 1}, True),
        ({"id": 1}, None, False),
        ({}, {"id": 1}, None),
    ],
)
def test_arguments_against_the_query(
    expected: dict[str, Any], arguments: dict[str, Any] | None, matched: bool | None
) -> None:
    given = Answer("q1", (Choice("find_note", arguments),))
    assert judge(query(1, arguments=expected), given, SCHEMAS).matched is matched


def _mixed(**more: Any) -> Any:
    queries = query_set(
        query(1), query(2, "add_note", kind=Kind.SIBLING), query(3, ""), query(4), query(5, split="dev"), query(6)
    )
    made = run(
        answer(1, "find_note", usage=Usage(100, 10, 5, 0.5, 2)),
        answer(2, "find_note", usage=Usage(200, 20, 0, 0.25)),
        answer(3, usage=Usage(dollars=0.0)),
        answer(4, failure="http-500", usage=Usage(dollars=0.0)),
        answer(5, "ghost", refused=True, usage=Usage(dollars=0.0)),
    )
    return measure(made, queries, TOOLS, **more)


def test_a_run_is_counted() -> None:
    made = _mixed()
    assert made.asked == 6
    assert (made.accuracy.hits, made.accuracy.trials) == (2, 4)
    assert [made.accuracy_of(kind) for kind in Kind] == [share(1, 2), share(0, 1), share(1, 1)]
    assert made.by_tool == {"add_note": share(0, 1), "find_note": share(1, 2)}
    assert made.failures == {"http-500": 1}
    assert made.unknown == {"ghost": 1}
    assert made.refused == 1
    assert made.abstained == share(0, 3)
    assert made.arguments == share(1, 1)
    assert made.usage == Usage(300, 30, 5, 0.75, 6)
    assert [(one.gold, one.chosen, one.queries) for one in made.confusions] == [
        (("add_note",), "find_note", ("q2",)),
        (("find_note",), "ghost", ("q5",)),
    ]


def test_a_sum_of_which_a_part_is_unknown_is_unknown() -> None:
    assert Usage.of([Usage(dollars=1.0), Usage()]).dollars is None


def test_one_split() -> None:
    made = _mixed(split="dev")
    assert (made.asked, [score.query.id for score in made.scores]) == (1, ["q5"])


def _measured(name: str, *labels: str, proxy: bool = False) -> Any:
    queries = query_set(*(query(number, "a") for number in range(len(labels))))
    answers = [answer(number, *([label] if label else [])) for number, label in enumerate(labels) if label != "!"]
    return measure(run(*answers, runner=info(name, proxy=proxy)), queries, [{"name": "a"}, {"name": "b"}])


def test_agreement_next_to_accuracy() -> None:
    made = agreement([_measured("x:1", "a", "a", "b", ""), _measured("y:1", "a", "b", "b", "a")])
    assert made is not None
    (pair,) = made.pairs
    assert (pair.same, pair.both_right) == (share(2, 4), share(1, 4))
    assert made.alpha == pytest.approx(alpha_of_counts(Counter([("a", "a"), ("a", "b"), ("b", "b"), ("", "a")])))
    assert made.interval is not None
    assert made.interval[0] <= made.alpha <= made.interval[1]
    assert [(one.name, one.accuracy) for one in made.families] == [("x", 0.5), ("y", 0.5)]
    assert (made.spread, made.deviation) == (0.0, 0.0)
    assert made.split == share(2, 4)


def test_proxies_are_no_part_of_agreement() -> None:
    one, proxy = _measured("x:1", "a", "a"), _measured("bm25", "a", "b", proxy=True)
    assert agreement([one, proxy]) is None
    with_other = agreement([one, proxy, _measured("y:1", "a", "a")])
    assert with_other is not None
    assert [pair.models for pair in with_other.pairs] == [("x:1", "y:1")]
    assert [family.name for family in with_other.families] == ["x", "y"]


def test_failures_are_missing_values() -> None:
    made = agreement([_measured("x:1", "a", "!", "b"), _measured("y:1", "a", "a", "b")])
    assert made is not None
    assert made.pairs[0].same == share(2, 2)
    assert made.alpha == 1.0


def test_variance_is_between_families_and_not_between_models() -> None:
    made = agreement([_measured("x:1", "a", "a"), _measured("x:2", "b", "b"), _measured("y:1", "a", "a")])
    assert made is not None
    assert [(one.name, one.accuracy, one.models) for one in made.families] == [("x", 0.5, 2), ("y", 1.0, 1)]
    assert (made.spread, made.deviation) == (0.5, 0.25)
    one_family = agreement([_measured("x:1", "a"), _measured("x:2", "b")])
    assert one_family is not None
    assert (one_family.spread, one_family.deviation, one_family.split) == (None, None, share(0, 0))
