"""An evaluation in words and tables, the same for a terminal, Markdown and HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.evaluation.comparison import Verdict
from mcp_governor.evaluation.model import GUARDED, LIMIT, UNDECIDED, WRITES, Kind
from mcp_governor.report.groups import count_of
from mcp_governor.report.word_diff import plain_words, word_diff
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.evaluation.assessment import Assessment, Edit, Step, ToolMove
    from mcp_governor.evaluation.comparison import Comparison, Moved
    from mcp_governor.evaluation.metrics import Agreement, Confusion, Metrics, Share
    from mcp_governor.evaluation.running import Plan

MAX_CONFUSIONS = 10
"""Confusions that are written out, the most frequent first; the JSON document has all of them."""

MAX_QUERIES = 5
"""Ids of queries that are written out for a confusion: enough to look some of them up."""

MAX_MOVES = 20
"""Tools that are written out for a step of the history: a screen full."""

_NAME = 40
"""Characters of a name in a table, as wide as most names of models with a date."""


class Heading(Struct, frozen=True):
    """The title of a part."""

    text: str


class Sentence(Struct, frozen=True):
    """A paragraph; ``tone`` is ``good``, ``bad``, ``quiet`` or empty."""

    text: str
    tone: str = ""


class Table(Struct, frozen=True):
    """Rows of cells; columns after the first are numbers unless ``words`` has them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: frozenset[int] = frozenset()


Block = Heading | Sentence | Table


def percent(share: Share) -> str:
    """``92 %``, or a dash."""
    return "–" if share.value is None else f"{share.value:.0%}".replace("%", " %")


def _interval(share: Share) -> str:
    """``80 % to 97 %``, or a dash."""
    return "–" if share.interval is None else "{:.0%} to {:.0%}".format(*share.interval).replace("%", " %")


def _points(value: float) -> str:
    return f"{value * 100:+.1f}".replace("-", "−")


def _dollars(value: float | None) -> str:
    if value is None:
        return "unknown"
    return "$0" if value == 0 else f"${value:.4f}" if value < 0.01 else f"${value:.2f}"


def _name(one: Metrics) -> str:
    return one_line(one.runner.name, _NAME) + (" (proxy)" if one.runner.is_proxy else "")


def assessment_blocks(made: Assessment) -> Iterator[Block]:
    """One evaluation."""
    evaluation = made.evaluation
    asked = max((one.asked for one in made.measured), default=0)
    split = f", split {one_line(evaluation.split, 20)}" if evaluation.split else ""
    yield Sentence(
        f"{one_line(evaluation.server, 80) or 'The server'}: {count_of(len(evaluation.tools), 'tool')}, "
        f"{count_of(asked, 'query', 'queries')} ({one_line(evaluation.queries.name, 60)}{split}), "
        f"seed {evaluation.seed}, {one_line(evaluation.started, 30)}"
    )
    executed = any(one.executed for one in made.measured)
    more = ("end to end",) if executed else ()
    yield Table(
        ("runner", "right", "95 % interval", *more, *(kind.value for kind in Kind), "arguments", "expected", "cost"),
        tuple(_row(one, executed=executed) for one in made.measured),
    )
    for one in made.measured:
        yield from _remarks(one)
        if executed:
            yield from _end_to_end(one)
    yield from _agreement_blocks(made.agreement)
    for one in made.measured:
        yield from _confusions(one)


def _row(one: Metrics, *, executed: bool) -> tuple[str, ...]:
    return (
        _name(one),
        percent(one.accuracy),
        _interval(one.accuracy),
        *([percent(one.end_to_end)] if executed else []),
        *(percent(one.accuracy_of(kind)) for kind in Kind),
        percent(one.arguments),
        percent(one.matched),
        _dollars(one.usage.dollars),
    )


def _remarks(one: Metrics) -> Iterator[Block]:
    """What a reader must not miss: what is not measured, and what must not be called."""
    kinds = ", ".join(f"{number} {one_line(kind, 40)}" for kind, number in sorted(one.failures.items()))
    named = ", ".join(one_line(tool, _NAME) for tool, _ in one.unknown.most_common(MAX_QUERIES))
    for number, said, tone in (
        (one.asked - len(one.scores), f"of {one.asked} not asked", "bad"),
        (one.failures.total(), f"without an answer ({kinds})", "bad"),
        (one.forbidden, "for which a forbidden tool was called", "bad"),
        (one.unknown.total(), f"for which tools that do not exist were called ({named})", "bad"),
        (one.refused, "refused", ""),
        (one.abstained.hits, f"of {one.abstained.trials} that a tool fits, for which nothing was called", ""),
        (one.undecided, "with arguments that could not be validated", "quiet"),
    ):
        if number:
            yield Sentence(f"{_name(one)}: {count_of(number, 'query', 'queries')} {said}.", tone)


_REASONS = {
    WRITES: "tool not known to only read",
    GUARDED: "argument that may not be sent",
    UNDECIDED: "arguments that could not be validated",
    LIMIT: "no calls or time left",
}


def _end_to_end(one: Metrics) -> Iterator[Block]:
    """What came of the calls."""
    name = _name(one)
    if not one.executed:
        why = "a ranking chooses no arguments" if one.runner.is_proxy else "no answer to a query that a tool fits"
        yield Sentence(f"{name}: no calls made ({why}).", "quiet")
        return
    share = one.end_to_end
    if share.trials:
        statuses = ", ".join(f"{number} {one_line(status, 40)}" for status, number in sorted(one.statuses.items()))
        yield Sentence(
            f"{name}: {share.hits} of {count_of(share.trials, 'task')} succeeded end to end (95 % interval "
            f"{_interval(share)}); "
            f"results of calls: {statuses or 'none'}."
        )
    if one.not_called:
        kinds = sorted(one.not_called.items())
        reasons = ", ".join(f"{_REASONS.get(kind, one_line(kind, 40))}: {number}" for kind, number in kinds)
        yield Sentence(f"{name}: {count_of(one.not_called.total(), 'task')} not called and not counted ({reasons}).")
    for score in one.scores:
        outcome = score.outcome
        if outcome is not None and outcome.made and not outcome.succeeded:
            words = one_line(" ".join(filter(None, (outcome.status, outcome.kind))), 80)
            said = f": {one_line(outcome.said, 120)}" if outcome.said else ""
            yield Sentence(f"{name}: the call for {one_line(score.query.id, 20)} failed ({words}){said}", "quiet")


def _agreement_blocks(agreement: Agreement | None) -> Iterator[Block]:
    if agreement is None:
        return
    yield Heading("Agreement of the models")
    alpha = "not defined" if agreement.alpha is None else f"{agreement.alpha:.2f}"
    interval = agreement.interval
    around = f" ({interval[0]:.2f} to {interval[1]:.2f})" if interval is not None else ""
    yield Sentence(f"Krippendorff's alpha of the chosen tools: {alpha}{around}. Models can agree and be wrong.")
    yield Table(
        ("models", "same choice", "both right"),
        tuple(
            (
                " and ".join(one_line(name, _NAME) for name in pair.models),
                percent(pair.same),
                percent(pair.both_right),
            )
            for pair in agreement.pairs
        ),
    )
    if agreement.spread is not None and agreement.deviation is not None:
        families = ", ".join(f"{one_line(one.name, _NAME)} {one.accuracy:.0%}" for one in agreement.families)
        yield Sentence(
            f"Families: {families.replace('%', ' %')}; {agreement.spread * 100:.1f} points apart, standard deviation "
            f"{agreement.deviation * 100:.1f}; they differ on {agreement.split.hits} of "
            f"{agreement.split.trials} queries."
        )


def _confusions(one: Metrics) -> Iterator[Block]:
    repeated = [confusion for confusion in one.confusions if len(confusion.queries) > 1]
    shown = (repeated or list(one.confusions))[:MAX_CONFUSIONS]
    if not shown:
        return
    yield Heading(f"Confusions of {_name(one)}")
    yield Table(("right", "chosen", "queries", "ids"), tuple(map(_confusion_row, shown)), frozenset({1, 3}))
    left = len(one.confusions) - len(shown)
    if left:
        yield Sentence(f"{count_of(left, 'other confusion')} not shown; see --json-out.", "quiet")


def _confusion_row(one: Confusion) -> tuple[str, ...]:
    gold = " or ".join(one_line(tool, _NAME) for tool in one.gold[:3]) or "no tool"
    ids = ", ".join(one_line(query, 20) for query in one.queries[:MAX_QUERIES])
    more = ", …" if len(one.queries) > MAX_QUERIES else ""
    return (gold, one_line(one.chosen, _NAME) if one.chosen else "no tool", str(len(one.queries)), ids + more)


_TONES = {Verdict.PASS: "good", Verdict.REGRESSED: "bad", Verdict.INSENSITIVE: "bad"}


def comparison_blocks(made: Comparison, baseline: str) -> Iterator[Block]:
    """A comparison with an earlier evaluation."""
    yield Heading(f"Compared with {one_line(baseline, 80)}")
    yield Table(
        ("runner", "before", "now", "change in points", "95 % interval", "lost", "gained", "p (Holm)", "detectable"),
        tuple(_moved_row(one) for one in made.moved),
    )
    yield Sentence(f"Verdict: {made.verdict.value}. {_reason(made)}", _TONES[made.verdict])
    if made.not_compared:
        yield Sentence(
            f"{count_of(made.not_compared, 'query', 'queries')} not compared: the query set is not the same, or the "
            "answers are missing.",
            "quiet",
        )
    for names, where in ((made.only_before, "the baseline"), (made.only_after, "this evaluation")):
        if names:
            yield Sentence(f"Only in {where}: {', '.join(one_line(name, _NAME) for name in names)}.", "quiet")


def _reason(made: Comparison) -> str:
    if made.verdict is Verdict.REGRESSED:
        return f"Worse than chance explains: {', '.join(one_line(one.runner, _NAME) for one in made.worse)}."
    limits = [one.detectable for one in made.judged]
    if made.verdict is Verdict.PASS:
        most = max(limit for limit in limits if limit is not None)
        return f"No drop was found, and one of {most * 100:.1f} points would have been (in four of five cases)."
    finds = "no drop at all" if None in limits else f"a drop of {max(filter(None, limits)) * 100:.1f} points at best"
    return (
        f"This set finds {finds}, and {(made.tolerated or 0) * 100:g} points are asked for: add queries, "
        "or raise tolerated-drop."
    )


def _moved_row(one: Moved) -> tuple[str, ...]:
    interval = one.interval
    return (
        one_line(one.runner, _NAME) + (" (proxy)" if one.proxy else ""),
        f"{one.before} of {one.queries}",
        f"{one.after} of {one.queries}",
        _points(one.change),
        f"{_points(interval[0])} to {_points(interval[1])}" if interval is not None else "–",
        str(len(one.lost)),
        str(len(one.gained)),
        f"{one.adjusted or 0:.3f}",
        "none" if one.detectable is None else f"{one.detectable * 100:.1f}",
    )


def plan_blocks(plans: Sequence[Plan]) -> Iterator[Block]:
    """What a run would send."""
    yield Table(
        ("runner", "kept", "to ask", "input tokens", "output tokens at most", "expected", "at most"),
        tuple(
            (
                one_line(one.runner, _NAME),
                str(one.kept),
                str(one.asked),
                "–" if one.free else f"{one.estimate.input_tokens:,}",
                "–" if one.free else f"{one.estimate.output_tokens:,}",
                _dollars(one.estimate.dollars),
                _dollars(one.estimate.most_dollars),
            )
            for one in plans
        ),
    )
    known = [one.estimate.dollars for one in plans if one.estimate.dollars is not None]
    most = [one.estimate.most_dollars for one in plans if one.estimate.most_dollars is not None]
    rest = "" if len(known) == len(plans) else "; runners without a known price are not in it"
    yield Sentence(
        f"{count_of(sum(one.asked for one in plans), 'request')}, {_dollars(sum(known))} expected, "
        f"{_dollars(sum(most))} at most{rest}. Nothing was sent."
    )


def history_blocks(steps: Sequence[Step]) -> Iterator[Block]:
    """How accuracy and agreement developed, the newest evaluation last."""
    names = list(dict.fromkeys(one.runner.name for step in steps for one in step.assessment.measured))
    yield Heading("History")
    yield Table(
        ("evaluation", "server", "wording", *(one_line(name, _NAME) for name in names), "alpha"),
        tuple(_history_row(step, names) for step in steps),
        frozenset({1, 2}),
    )
    executed = [step for step in steps if any(one.executed for one in step.assessment.measured)]
    if executed:
        yield Heading("End-to-end success")
        yield Table(
            ("evaluation", *(one_line(name, _NAME) for name in names)),
            tuple(_end_to_end_row(step, names) for step in executed),
        )
    for step in steps[1:]:
        yield from _step_blocks(step)


def _history_row(step: Step, names: Sequence[str]) -> tuple[str, ...]:
    made = step.assessment
    shares = {one.runner.name: percent(one.accuracy) for one in made.measured}
    alpha = made.agreement.alpha if made.agreement is not None else None
    return (
        label_of(step),
        one_line(made.evaluation.server, 30),
        made.evaluation.wording.rpartition(":")[2][:8],
        *(shares.get(name, "–") for name in names),
        "–" if alpha is None else f"{alpha:.2f}",
    )


def _end_to_end_row(step: Step, names: Sequence[str]) -> tuple[str, ...]:
    shares = {one.runner.name: one.end_to_end for one in step.assessment.measured}
    cells = (shares.get(name) for name in names)
    return (
        label_of(step),
        *(f"{one.hits} of {one.trials}, {percent(one)}" if one is not None and one.trials else "–" for one in cells),
    )


def label_of(step: Step) -> str:
    """``3, 2026-11-23``."""
    day = one_line(step.assessment.evaluation.started[:10], 10)
    return day if step.number is None else f"{step.number}, {day}"


def _step_blocks(step: Step) -> Iterator[Block]:
    if step.other_set:
        yield Sentence(f"Evaluation {label_of(step)} has another query set: only common queries are compared.", "quiet")
    if not step.moves:
        return
    yield Heading(f"What moved at evaluation {label_of(step)}")
    runners = list(dict.fromkeys(name for move in step.moves for name in move.shares))
    yield Table(
        ("tool", "edited", *(one_line(name, _NAME) for name in runners)),
        tuple(_move_row(move, runners) for move in step.moves[:MAX_MOVES]),
        frozenset({1}),
    )
    for move in step.moves[:MAX_MOVES]:
        for edit in move.edits[:2] if move.moved else ():
            yield from _edit_sentences(move.tool, edit)
    left = len(step.moves) - MAX_MOVES
    if left > 0:
        yield Sentence(f"{count_of(left, 'other tool')} not shown.", "quiet")


def _move_row(move: ToolMove, runners: Sequence[str]) -> tuple[str, ...]:
    cells = []
    for name in runners:
        before, after = move.shares.get(name, (None, None))
        if before is None or after is None or not (before.trials or after.trials):
            cells.append("–")
        else:
            cells.append(f"{before.hits} of {before.trials} → {after.hits} of {after.trials}")
    edited = ", ".join(one_line(edit.part, _NAME) for edit in move.edits[:3]) or "no"
    return (one_line(move.tool, _NAME), edited, *cells)


def _edit_sentences(tool: str, edit: Edit) -> Iterator[Block]:
    if edit.part in ("tool", "schema"):
        return
    said = plain_words(word_diff(edit.old or "", edit.new or ""))
    yield Sentence(f"{one_line(tool, _NAME)}, {one_line(edit.part, _NAME)}: {said}", "quiet")
