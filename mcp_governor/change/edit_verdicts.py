"""The final decision: compares the whole documents, and tries every edit alone for its verdict and witness."""

from __future__ import annotations

from mcp_governor.change.budget import OverBudgetError
from mcp_governor.change.edit import YES, Edit, Questions
from mcp_governor.change.usable import UNREAD
from mcp_governor.change.walk import Walk
from mcp_governor.containment import Containment

_MAX_WITNESSES = 1_000
"""Maximum number of breaks in one schema with a witness of their own; the others are only known to break. Nobody reads
so many, and finding a witness takes five times as long as knowing that there is one."""


def settled_edits(questions: Questions) -> list[Edit]:
    """The edits between two documents that are not the same text, with their verdicts and, for breaks, witnesses.

    If the whole is contained, no edit breaks by containment; otherwise at least one does, or one is unknown. If no edit
    can be named, the documents are proved to mean the same, or they differ as a whole: there is always something to
    report.
    """
    walk = Walk(questions)
    try:
        return _settled(questions, walk)
    except OverBudgetError as error:
        stopped = Containment("unknown", reason=str(error))
        for edit in walk.edits:
            if edit.forward.verdict == "no" and not edit.settled:
                edit.forward = stopped
        rest = Edit("schema", walk.pairs[0][1].pointer if walk.pairs else "", kind="schema-undecided")
        rest.forward = rest.backward = stopped
        return [*_kept(walk.edits), rest]


def _settled(questions: Questions, walk: Walk) -> list[Edit]:
    edits = walk.run()
    if not walk.pairs:
        return edits
    if any(edit.kind in UNREAD for edit in edits):
        _settle_alone(questions, edits)
        return _kept(edits)
    nothing_seen = not edits
    forward, backward = questions.whole()
    if backward.verdict == "yes":
        for edit in edits:
            edit.backward = YES
    if forward.verdict == "yes":
        for edit in edits:
            edit.forward = YES
    elif forward.verdict == "no":
        _settle_break(questions, walk, edits, forward, backward)
        _sharpen(questions, edits)
    else:
        _settle_unknown(questions, walk, edits, forward, backward)
    kept = _kept(edits)
    if kept:
        return kept
    shown = nothing_seen and "no" not in (forward.verdict, backward.verdict) and _localised(walk)
    # What changes nothing at its place, as callers and readers see it, may still change what the schema says.
    equal = questions.equal() if walk.silent or not shown else True
    same = equal or (equal is None and shown)
    return [] if same else [_somewhere(questions, walk, forward, backward)]


def _localised(walk: Walk) -> bool:
    """True if the walk saw every difference, at places where a result for the place also holds for the whole."""
    return walk.complete and all(edit.trusted for edit in (*walk.edits, *walk.silent))


def _sharpen(questions: Questions, edits: list[Edit]) -> None:
    """Give each break a witness that depends on it alone, if there is one."""
    breaks = [edit for edit in edits if edit.forward.verdict == "no"]
    for edit in breaks[:_MAX_WITNESSES]:
        decisive = questions.decisive(edit)
        if decisive is not None and decisive.has_witness:
            edit.forward = decisive


def _kept(edits: list[Edit]) -> list[Edit]:
    return [edit for edit in edits if edit.is_change]


def _settle_alone(questions: Questions, edits: list[Edit]) -> None:
    """Ask about each suspect edit alone."""
    shown = 0
    for edit in edits:
        if edit.kind != "schema-undecided" and edit.forward.verdict != "yes":
            answer = questions.alone(edit, witness=shown < _MAX_WITNESSES)
            if answer is not None:
                edit.forward, edit.settled = answer, True
                shown += answer.has_witness


def _settle_break(questions: Questions, walk: Walk, edits: list[Edit], whole: Containment, back: Containment) -> None:
    suspects = [edit for edit in edits if edit.forward.verdict != "yes"]
    if len(suspects) == 1:
        suspects[0].forward = whole
        return
    _settle_alone(questions, suspects)
    _spare(questions, suspects)
    if any(edit.forward.verdict == "no" for edit in suspects):
        return
    suspected = set(map(id, suspects))
    for edit in edits:
        if id(edit) not in suspected and edit.with_it is not None:
            answer = questions.alone(edit)
            # A result that the other document keeps in another way says nothing of the break that is to be explained.
            if answer is not None and not (answer.has_witness and questions.is_kept(answer.witness)):
                edit.forward = answer
    if any(edit.forward.verdict == "no" for edit in edits):
        return
    edits.append(_somewhere(questions, walk, whole, back))


def _spare(questions: Questions, suspects: list[Edit]) -> None:
    """Ask again about edits that break alone, if the new document accepts in another way what they refuse."""
    for edit in suspects[:_MAX_WITNESSES]:
        if edit.forward.verdict == "no" and edit.forward.has_witness and questions.is_kept(edit.forward.witness):
            others = [other for other in suspects if other is not edit and other.forward.verdict != "yes"]
            edit.forward = questions.without(others)


def _settle_unknown(questions: Questions, walk: Walk, edits: list[Edit], whole: Containment, back: Containment) -> None:
    suspects = [edit for edit in edits if edit.forward.verdict != "yes"]
    for edit in suspects[:_MAX_WITNESSES]:
        shown = questions.lifted(edit)
        if shown is not None:
            edit.forward, edit.settled = shown, True
    _settle_alone(questions, [edit for edit in suspects if not edit.settled])
    if any(edit.forward.verdict != "yes" for edit in suspects):
        return
    if not suspects and _localised(walk):
        return  # Every edit keeps its promise at its own place, and so the whole does.
    edits.append(_somewhere(questions, walk, whole, back))


def _somewhere(questions: Questions, walk: Walk, whole: Containment, back: Containment) -> Edit:
    """The difference as a whole, at the deepest place that shows it."""
    place = walk.pairs[0][1].pointer
    for old, new in reversed(walk.pairs[1:]):
        if questions.forward(old, new).verdict == "no":
            place = new.pointer
            break
    return Edit("schema", place, forward=whole, backward=back)
