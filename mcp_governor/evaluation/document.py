"""What was measured as JSON, ``eval run --json-out``: the same bytes for the same evaluation."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field

from mcp_governor.documents import Count, joined, written
from mcp_governor.evaluation.agreement import Family  # noqa: TC001
from mcp_governor.evaluation.comparison import Verdict  # noqa: TC001
from mcp_governor.evaluation.model import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.evaluation.agreement import Agreement
    from mcp_governor.evaluation.assessment import Assessment
    from mcp_governor.evaluation.comparison import Comparison
    from mcp_governor.evaluation.metrics import Metrics, Score
    from mcp_governor.evaluation.model import Run

_DIGITS = 6
"""Decimal places of computed numbers: the last digits of a double differ between systems."""

Ends = tuple[float, float]


class ShareDocument(Struct, frozen=True):
    """How many of how many, with Wilson's interval."""

    hits: Count
    trials: Count
    value: float | None = field(name="share")
    known_interval: Ends | None = field(name="interval")


class ArgumentsDocument(Struct, frozen=True):
    """Arguments of calls of right tools."""

    arguments: ShareDocument = field(name="valid")
    matched: ShareDocument = field(name="expected")
    undecided: Count


class TasksDocument(Struct, frozen=True):
    """Tasks on the live server."""

    end_to_end: ShareDocument = field(name="success")
    statuses: Mapping[str, Count]
    not_called: Mapping[str, Count]


class ConfusionDocument(Struct, frozen=True):
    """A tool that was chosen, or none, where another one is right."""

    gold: tuple[str, ...] = field(name="right")
    chosen: str | None
    queries: tuple[str, ...]


class UsageDocument(Struct, frozen=True):
    """What the answers took."""

    input_tokens: Count
    output_tokens: Count
    cached_tokens: Count
    requests: Count
    dollars: float | None


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
    accuracy: ShareDocument
    kinds: Mapping[str, ShareDocument]
    by_tool: Mapping[str, ShareDocument] = field(name="tools")
    arguments: ArgumentsDocument
    end_to_end: TasksDocument | None
    abstained: ShareDocument
    refused: Count
    forbidden: Count
    unknown: Mapping[str, Count]
    failures: Mapping[str, Count]
    confusions: tuple[ConfusionDocument, ...]
    usage: UsageDocument
    scores: tuple[AnswerDocument, ...] = field(name="answers")


class PairDocument(Struct, frozen=True):
    """How often two models chose the same tool."""

    models: tuple[str, ...]
    same: ShareDocument
    both_right: ShareDocument


class AgreementDocument(Struct, frozen=True):
    """Several models compared on the same queries."""

    alpha: float | None
    interval: Ends | None
    pairs: tuple[PairDocument, ...]
    families: tuple[Family, ...]
    deviation: float | None
    spread: float | None
    split: ShareDocument


class MovedDocument(Struct, frozen=True):
    """One runner, before and after.

    Attributes:
        detectable: The smallest drop that is found in four of five cases.
        model_changed: Another model has answered than before.
    """

    runner: str
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


class ComparisonDocument(Struct, frozen=True):
    """The evaluation compared with a baseline.

    Attributes:
        same_tools: Both offered the same tools, so no wording is the cause.
    """

    verdict: Verdict
    deciding: tuple[str, ...]
    tolerated: float | None
    interval: Ends | None
    not_compared: Count
    same_tools: bool
    moved: tuple[MovedDocument, ...] = field(name="runners")


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
    agreement: AgreementDocument | None
    comparison: ComparisonDocument | None
    failures: tuple[str, ...]
    verdict: Literal["pass", "fail"]


def document(
    made: Assessment, comparison: Comparison | None, *, failures: Sequence[str] = (), code: int = 0
) -> dict[str, Any]:
    """The document.

    Args:
        made: the evaluation, measured.
        comparison: with a baseline.
        failures: why it does not pass.
        code: the exit code.
    """
    evaluation = made.evaluation
    whole = joined(
        evaluation,
        split=evaluation.split or None,
        runners=[_runner(one, run) for one, run in zip(made.measured, evaluation.runs, strict=True)],
        agreement=made.agreement and _agreement(made.agreement),
        comparison=comparison,
        failures=failures,
        verdict="pass" if code == 0 else "fail",
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
        confusions=[joined(each, chosen=each.chosen or None) for each in one.confusions],
        usage=one,
        scores=[_answer(score) for score in one.scores],
    )


def _answer(score: Score) -> Any:
    return joined(score, query=score.query.id, chosen=score.label or None)


def _agreement(made: Agreement) -> Any:
    return joined(made, pairs=[joined(pair, models=(pair.one, pair.other)) for pair in made.pairs])
