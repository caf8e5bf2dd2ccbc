"""``mcp-governor eval report``, and what it shares with ``eval run``: the verdict of an evaluation and its forms."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
from msgspec import Struct

from mcp_governor.cli.common import FILE, Run, configured, write_lines, write_text
from mcp_governor.errors import Exit, NothingCheckedError, UsageError
from mcp_governor.evaluation.assessment import assess, compare, document, history
from mcp_governor.evaluation.comparison import Verdict
from mcp_governor.evaluation.record import answers_text, read_record
from mcp_governor.evaluation.store import DEFAULT_STORE, Store
from mcp_governor.report.evaluation_words import Sentence, assessment_blocks, comparison_blocks, history_blocks
from mcp_governor.secrets import redact
from mcp_governor.text import escape_json, one_line, visible
from mcp_governor.writing import write_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcp_governor.config.model import EvaluationConfig
    from mcp_governor.evaluation.assessment import Assessment, Step
    from mcp_governor.evaluation.comparison import Comparison, Moved
    from mcp_governor.evaluation.record import Evaluation
    from mcp_governor.report.evaluation_words import Block


_NUMBER = re.compile(r"[1-9][0-9]{0,8}")


baseline_option = click.option(
    "--baseline",
    metavar="RUN",
    help="Compare with an earlier evaluation: last, a number of the history, or a recorded file  "
    "[default: none; eval report: the one before]",
)
tolerance_option = click.option(
    "--tolerated-drop",
    type=click.FloatRange(0, 100, min_open=True),
    metavar="POINTS",
    help="Drop of accuracy that the comparison has to be able to find, in points  "
    "[default: tolerated-drop in the configuration, or 10]",
)
store_option = click.option(
    "--store",
    type=FILE,
    help="File of kept answers and the history  [default: .mcp-governor/evaluation.db]",
)
json_option = click.option(
    "--json-out",
    type=FILE,
    metavar="FILE",
    help="Also write everything that was measured to this file, as JSON  [default: no file]",
)


def store_of(typed: Path | None, run: Run) -> Store:
    """The store that a command line means."""
    return Store(typed) if typed is not None else Store(run.config.resolve(DEFAULT_STORE), run.config.root)


class Earlier(NamedTuple):
    """The evaluation to compare with, and what the user called it."""

    name: str
    evaluation: Evaluation


def baseline_of(named: str | None, store: Store, *, other_than: Evaluation | None = None) -> Earlier | None:
    """The evaluation that ``--baseline`` names; one is not its own baseline."""
    if named is None:
        return None
    if named == "last":
        own = answers_text(other_than) if other_than is not None else ""
        for stored in reversed(store.evaluations()):
            if answers_text(stored.evaluation) != own:
                return Earlier(f"evaluation {stored.number}", stored.evaluation)
        raise UsageError("The history has no earlier evaluation.", "Run one first, or name a recorded file.")
    if _NUMBER.fullmatch(named):
        found = store.evaluation(int(named))
        if found is None:
            raise UsageError(f"The history has no evaluation {named}.", "List them: mcp-governor eval report")
        return Earlier(f"evaluation {named}", found.evaluation)
    return Earlier(visible(named), read_record(Path(named)))


class Result(Struct, frozen=True):
    """An evaluation with its verdict.

    Attributes:
        assessment: what was measured.
        comparison: with the baseline; ``None`` without one.
        baseline: what it is called.
        failures: why it does not pass, one sentence each.
        warnings: what else has to be said.
    """

    assessment: Assessment
    comparison: Comparison | None
    baseline: str
    failures: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Every query was asked."""
        return all(run.ended is None for run in self.assessment.evaluation.runs)

    @property
    def code(self) -> int:
        """The exit code."""
        return int(Exit.FINDINGS if self.failures else Exit.PASS)

    @property
    def json(self) -> str:
        """The JSON document, without known secrets."""
        import json

        made = document(self.assessment, self.comparison, self.failures)
        return escape_json(redact(json.dumps(made, indent=2, sort_keys=True))) + "\n"

    def write(self, run: Run, more: Iterable[Block], steps: Sequence[Step] = ()) -> None:
        """Write everything in the format of the command line, what is said besides, and the history as the picture of
        a page."""
        if run.output.format == "json":
            write_text(self.json, run.output, form="json")
            return
        title = f"Evaluation of {one_line(self.assessment.evaluation.server, 120) or 'the server'}"
        blocks = [*assessment_blocks(self.assessment)]
        blocks += comparison_blocks(self.comparison, self.baseline) if self.comparison is not None else ()
        blocks += [*map(Sentence, self.warnings), *(Sentence(one, "bad") for one in self.failures), *more]
        if run.output.format == "html":
            from mcp_governor.report.evaluation_picture import as_page

            write_text(as_page(title, blocks, steps), run.output, form="markup")
        elif run.output.format == "markdown":
            from mcp_governor.report.evaluation_picture import as_markdown

            write_text(as_markdown(title, blocks), run.output)
        else:
            from mcp_governor.report.evaluation_picture import evaluation_lines

            write_lines(evaluation_lines(blocks), run.output)


def result_of(evaluation: Evaluation, earlier: Earlier | None, run: Run, tolerated_points: float | None) -> Result:
    """Measure an evaluation, compare it, and judge it by the configuration."""
    wanted = run.config.evaluation
    tolerated = (tolerated_points if tolerated_points is not None else wanted.tolerated_drop) / 100
    assessment = assess(evaluation)
    if not any(one.accuracy.trials for one in assessment.measured):
        raise _nothing(assessment)
    comparison = None
    if earlier is not None:
        comparison = compare(assess(earlier.evaluation), assessment, tolerated=tolerated)
    failures, warnings = _judged(assessment, comparison, wanted)
    return Result(assessment, comparison, earlier.name if earlier else "", tuple(failures), tuple(warnings))


def _nothing(made: Assessment) -> NothingCheckedError:
    kinds = sorted({kind for one in made.measured for kind in one.failures})
    why = f"failures: {', '.join(one_line(kind, 40) for kind in kinds)}" if kinds else "proxies cannot abstain"
    return NothingCheckedError(
        f"Nothing was measured: no answer is right or wrong ({why}).",
        "Run it again; what was answered is kept." if kinds else "Add queries that a tool fits.",
    )


def _judged(made: Assessment, comparison: Comparison | None, wanted: EvaluationConfig) -> tuple[list[str], list[str]]:
    """Why an evaluation does not pass, and what else has to be said."""
    failures = [
        f"{one_line(run.runner.name, 60)} ended early: {one_line(run.ended, 200)}."
        for run in made.evaluation.runs
        if run.ended is not None
    ]
    for one in made.measured:
        accuracy = 100 * (one.accuracy.value or 0)
        if wanted.min_accuracy is not None and one.accuracy.trials and accuracy < wanted.min_accuracy:
            failures.append(
                f"{one_line(one.runner.name, 60)} is right for {accuracy:.1f} % of the queries; "
                f"min-accuracy is {wanted.min_accuracy:g} %."
            )
    if wanted.min_agreement is not None:
        alpha = made.agreement.alpha if made.agreement is not None else None
        if alpha is None:
            failures.append("min-agreement is configured, but the agreement is not defined for these runners.")
        elif alpha < wanted.min_agreement:
            failures.append(f"The agreement of the models is {alpha:.2f}; min-agreement is {wanted.min_agreement:g}.")
    if comparison is None:
        return failures, []
    if comparison.verdict is Verdict.REGRESSED:
        return [*failures, *dict.fromkeys(_cause(one, comparison) for one in comparison.worse)], []
    warnings = [f"{_other_model(one)} A change may be the model's." for one in comparison.moved if one.model_changed]
    if comparison.verdict is Verdict.INSENSITIVE:
        said = "The comparison could not have found a drop that matters, so it is not a pass."
        (failures if wanted.insensitive == "fail" else warnings).append(said)
    return failures, warnings


def _cause(one: Moved, made: Comparison) -> str:
    """What a drop is due to, as far as the evaluations show it: the words, the model, or either of them."""
    name = one_line(one.runner, 60)
    if one.model_changed and made.same_tools:
        return f"The model changed: {_other_model(one)} The tools and their descriptions are the same."
    if one.model_changed:
        return (
            f"Fewer answers are right, and two things changed: the tools, and the model. {_other_model(one)} To "
            "see which of them it is, ask it about the tools of the baseline."
        )
    if made.same_tools:
        return f"Fewer answers of {name} are right, and neither the tools nor the model it names changed."
    return "The descriptions are understood less well than before."


def _other_model(one: Moved) -> str:
    before, now = (", ".join(one_line(name, 80) for name in names) for names in (one.served_before, one.served_after))
    return f"{one_line(one.runner, 60)} was answered by {before} in the baseline, and is by {now} now."


def next_step(result: Result) -> str:
    """The command to type next; empty if nothing is left to do."""
    if not result.is_whole:
        return "Next: run the same command again; it continues from the kept answers."
    if any(one.failures for one in result.assessment.measured):
        return "Next: run the same command again; it asks only the queries without an answer."
    if result.comparison is None:
        return "Next: edit a description, then compare with: mcp-governor eval run --baseline last"
    regressed = result.comparison.verdict is Verdict.REGRESSED
    if regressed and result.comparison.same_tools and any(one.model_changed for one in result.comparison.moved):
        return "Next: name a dated model with --runner, or take this evaluation as the baseline from now on."
    if regressed:
        return "Next: see which edit moved which tool: mcp-governor eval report"
    if result.comparison.verdict is Verdict.INSENSITIVE:
        return "Next: add queries (100 to 200 find a drop of 10 points), then run both evaluations again."
    return ""


@click.command(name="report")
@click.argument("records", nargs=-1, type=FILE, metavar="[RECORD]…")
@click.option("--last", type=click.IntRange(1, 1000), default=10, show_default=True, help="Number of evaluations")
@baseline_option
@tolerance_option
@store_option
@json_option
@configured("output", formats=click.Choice(["text", "markdown", "html", "json"]))
def eval_report(
    run: Run,
    records: tuple[Path, ...],
    last: int,
    baseline: str | None,
    tolerated_drop: float | None,
    store: Path | None,
    json_out: Path | None,
) -> int:
    """Show the last evaluation, the history, and which edits moved which tool.

    The evaluations are those of the history, or recorded files, the oldest first.
    """
    evaluations: list[tuple[int | None, Evaluation]] = []
    with store_of(store, run) as opened:
        if records:
            evaluations += [(None, read_record(record)) for record in records[-last:]]
        else:
            evaluations += [(one.number, one.evaluation) for one in opened.evaluations(last)]
        if not evaluations:
            raise NothingCheckedError("The history has no evaluation.", "Run one: mcp-governor eval run")
        newest = evaluations[-1][1]
        earlier = baseline_of(baseline, opened, other_than=newest)
    if earlier is None and len(evaluations) > 1 and baseline is None:
        number, before = evaluations[-2]
        earlier = Earlier(f"evaluation {number}" if number else str(records[-2]), before)
    steps = history(evaluations)
    try:
        result = result_of(newest, earlier, run, tolerated_drop)
    except UsageError:
        # The two have nothing in common, and nobody asked for a comparison.
        if baseline is not None:
            raise
        result = result_of(newest, None, run, tolerated_drop)
    if json_out is not None:
        write_file(json_out, result.json)
    result.write(run, history_blocks(steps) if len(steps) > 1 else (), steps)
    return result.code
