"""An evaluation with everything that was measured in it, several of them as a history, and one as JSON:
the same bytes for the same evaluation."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field

from mcp_governor.documents import Count, joined, written
from mcp_governor.evaluation.comparison import TOLERATED_DROP, Comparison, compare_runs, same_queries
from mcp_governor.evaluation.metrics import Agreement, Confusion, Metrics, Score, Share, agreement, measure
from mcp_governor.evaluation.model import Kind, Run, Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.evaluation.record import Evaluation


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


MAX_EDITS = 100
"""Maximum number of tools whose edits are listed: a release that rewords more has no single edit to blame."""


class Assessment(Struct, frozen=True):
    """An evaluation, measured.

    Attributes:
        evaluation: the answers.
        measured: one for each run.
        agreement: of the models; ``None`` with fewer than two.
    """

    evaluation: Evaluation
    measured: tuple[Metrics, ...]
    agreement: Agreement | None


class Edit(Struct, frozen=True):
    """Words of a tool that differ between two evaluations; ``None`` where the tool or the text is missing."""

    part: str
    old: str | None
    new: str | None


class ToolMove(Struct, frozen=True):
    """A tool whose words were edited, or that is chosen more or less often where it is right.

    Attributes:
        tool: its name.
        edits: what was edited; empty if only the choices differ.
        shares: runner → accuracy before and after, over the queries that both evaluations have.
    """

    tool: str
    edits: tuple[Edit, ...]
    shares: Mapping[str, tuple[Share, Share]]

    @property
    def moved(self) -> bool:
        """The accuracy of a runner differs."""
        return any(before.hits != after.hits for before, after in self.shares.values())


class Step(Struct, frozen=True):
    """One evaluation of a history, and what changed since the one before it.

    Attributes:
        number: in the store; ``None`` for a file.
        assessment: what was measured.
        moves: edited and moved tools; empty for the first one.
        other_set: the query set is another one than before, and only common queries are compared.
    """

    number: int | None
    assessment: Assessment
    moves: tuple[ToolMove, ...] = ()
    other_set: bool = False


def assess(evaluation: Evaluation) -> Assessment:
    """Measure every run of an evaluation."""
    measured = tuple(
        measure(run, evaluation.queries, evaluation.tools, split=evaluation.split or None) for run in evaluation.runs
    )
    return Assessment(evaluation, measured, agreement(measured, seed=evaluation.seed))


def compare(before: Assessment, after: Assessment, *, tolerated: float = TOLERATED_DROP) -> Comparison:
    """Compare two evaluations on the queries that they have in common, unchanged.

    Raises:
        UsageError: they have no query or no runner in common.
    """
    common = same_queries(before.evaluation.queries, after.evaluation.queries)
    return compare_runs(
        before.measured,
        after.measured,
        common,
        tolerated=tolerated,
        seed=after.evaluation.seed,
        # Whatever the order of keys in a file is.
        same_tools=before.evaluation.tools == after.evaluation.tools,
    )


def history(evaluations: Sequence[tuple[int | None, Evaluation]]) -> list[Step]:
    """Measure a history, the oldest evaluation first."""
    steps: list[Step] = []
    for number, evaluation in evaluations:
        made = assess(evaluation)
        before = steps[-1].assessment if steps else made
        other = before.evaluation.queries.digest != evaluation.queries.digest
        steps.append(Step(number, made, moved_tools(before, made), other))
    return steps


def moved_tools(before: Assessment, after: Assessment) -> tuple[ToolMove, ...]:
    """Tools whose words were edited, or whose accuracy differs; edited ones that moved come first."""
    old_tools = {str(tool["name"]): tool for tool in before.evaluation.tools}
    new_tools = {str(tool["name"]): tool for tool in after.evaluation.tools}
    common = {one.id: one for one in before.evaluation.queries.queries}
    kept = {one.id for one in after.evaluation.queries.queries if one.id in common and one.text == common[one.id].text}
    moves = []
    for name in sorted(old_tools.keys() | new_tools.keys()):
        edits = tuple(_edits(old_tools.get(name), new_tools.get(name)))
        move = ToolMove(name, edits, _shares(name, before, after, kept))
        if edits or move.moved:
            moves.append(move)
    moves.sort(key=lambda move: (not (move.edits and move.moved), not move.moved, move.tool))
    return tuple(moves[:MAX_EDITS])


def _shares(tool: str, before: Assessment, after: Assessment, kept: set[str]) -> dict[str, tuple[Share, Share]]:
    def share(measured: Metrics) -> Share:
        scores = (one for one in measured.scores if one.query.gold == (tool,) and one.query.id in kept)
        return Share.of(score.right for score in scores)

    old = {one.runner.name: one for one in before.measured}
    return {
        one.runner.name: (share(old[one.runner.name]), share(one)) for one in after.measured if one.runner.name in old
    }


def _edits(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> list[Edit]:
    if old is None or new is None:
        return [Edit("tool", None if old is None else str(old["name"]), None if new is None else str(new["name"]))]
    edits = []
    if _text(old) != _text(new):
        edits.append(Edit("description", _text(old), _text(new)))
    before, after = _parameters(old), _parameters(new)
    differing = (name for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name))
    edits += [Edit(f"parameter {name}", before.get(name), after.get(name)) for name in differing]
    if not edits and old.get("inputSchema") != new.get("inputSchema"):
        edits.append(Edit("schema", None, None))
    return edits


def _text(tool: Mapping[str, Any]) -> str | None:
    text = tool.get("description")
    return text if isinstance(text, str) else None


def _parameters(tool: Mapping[str, Any]) -> dict[str, str]:
    """The parameters with their descriptions."""
    schema = tool.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return {}
    return {
        name: str(part.get("description", "")) if isinstance(part, dict) else "" for name, part in properties.items()
    }
