"""What was measured as JSON, ``eval run --json-out``: the same bytes for the same evaluation."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field

from mcp_governor.documents import Count, joined, written
from mcp_governor.evaluation.agreement import Agreement  # noqa: TC001
from mcp_governor.evaluation.comparison import Comparison  # noqa: TC001
from mcp_governor.evaluation.metrics import Confusion, Metrics, Score, Share  # noqa: TC001
from mcp_governor.evaluation.model import Kind, Run, Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.evaluation.assessment import Assessment

_DIGITS = 6
"""Decimal places of computed numbers: the last digits of a double differ between systems."""


class ArgumentsDocument(Struct, frozen=True):
    """Arguments of calls of right tools."""

    arguments: Share = field(name="valid")
    matched: Share = field(name="expected")
    undecided: Count


class TasksDocument(Struct, frozen=True):
    """Tasks on the live server."""

    end_to_end: Share = field(name="success")
    statuses: Mapping[str, Count]
    not_called: Mapping[str, Count]


class OutcomeDocument(Struct, frozen=True):
    """What came of a call on the live server."""

    status: str
    kind: str


class AnswerDocument(Struct, frozen=True):
    """One answer.

    Attributes:
        arguments: valid, invalid, malformed or undecided; others may come.
    """

    query: str
    chosen: str | None
    right: bool | None
    failure: str | None
    arguments: str | None
    matched: bool | None = field(name="expected")
    outcome: OutcomeDocument | None


class RunnerDocument(Struct, frozen=True):
    """Who answered, and how well.

    Attributes:
        is_proxy: A ranking by words, which is never model agreement.
        served: Ids of the models that the provider says have answered.
        ended: Why it ended early.
        end_to_end: Tasks that succeeded on the live server; null if no calls were made (without --execute).
    """

    name: str
    family: str
    model: str
    is_proxy: bool = field(name="proxy")
    temperature: int | float | None
    version: str
    served: tuple[str, ...]
    asked: Count
    answered: Count
    ended: str | None
    accuracy: Share
    kinds: Mapping[str, Share]
    by_tool: Mapping[str, Share] = field(name="tools")
    arguments: ArgumentsDocument
    end_to_end: TasksDocument | None
    abstained: Share
    refused: Count
    forbidden: Count
    unknown: Mapping[str, Count]
    failures: Mapping[str, Count]
    confusions: tuple[Confusion, ...]
    usage: Usage
    scores: tuple[AnswerDocument, ...] = field(name="answers")


class NamedSet(Struct, frozen=True):
    """The query set."""

    name: str
    digest: str


class EvaluationDocument(Struct, frozen=True, tag_field="format", tag="mcp-governor/evaluation-1"):
    """What an evaluation measured (`mcp-governor eval run --json-out`)."""

    server: str
    fingerprint: str
    wording: str
    queries: NamedSet
    split: str | None
    seed: Count
    started: str
    runners: tuple[RunnerDocument, ...]
    agreement: Agreement | None
    comparison: Comparison | None
    failures: tuple[str, ...]
    verdict: Literal["pass", "fail"]


def document(made: Assessment, comparison: Comparison | None, failures: Sequence[str] = ()) -> dict[str, Any]:
    """The document.

    Args:
        made: the evaluation, measured.
        comparison: with a baseline.
        failures: why it does not pass.
    """
    evaluation = made.evaluation
    whole = joined(
        evaluation,
        split=evaluation.split or None,
        runners=[_runner(one, run) for one, run in zip(made.measured, evaluation.runs, strict=True)],
        agreement=made.agreement,
        comparison=comparison,
        failures=failures,
        verdict="fail" if failures else "pass",
    )
    return written(EvaluationDocument, whole, digits=_DIGITS)


def _runner(one: Metrics, run: Run) -> Any:
    return joined(
        one,
        one.runner,
        ended=run.ended,
        answered=len(one.scores) - one.failures.total(),
        kinds={kind.value: one.accuracy_of(kind) for kind in Kind},
        arguments=one,
        end_to_end=one if one.executed else None,
        scores=[_answer(score) for score in one.scores],
    )


def _answer(score: Score) -> Any:
    return joined(score, query=score.query.id, chosen=score.label or None)
