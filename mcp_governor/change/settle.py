"""The last word: the whole documents are asked, and every edit is tried alone, for its verdict and witness."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.change.edit import YES, Edit, Questions
from mcp_governor.change.walk import Walk

if TYPE_CHECKING:
    from mcp_governor.containment import Containment


def settled_edits(questions: Questions) -> list[Edit]:
    """The edits between two documents, each with its verdict and, for a break, its witness.

    Where the whole is contained, no edit breaks by containment; where it is not, at least one does, or one is
    unknown.
    """
    walk = Walk(questions)
    edits = walk.run()
    if not walk.pairs:
        return []
    if any(edit.kind == "schema-undecided" for edit in edits):
        _settle_alone(questions, edits)
        return _kept(edits)
    forward, backward = questions.whole()
    if backward.verdict == "yes":
        for edit in edits:
            edit.backward = YES
    if forward.verdict == "yes":
        for edit in edits:
            edit.forward = YES
    elif forward.verdict == "no":
        _settle_break(questions, walk, edits, forward)
    else:
        _settle_unknown(questions, walk, edits, forward)
    return _kept(edits)


def _kept(edits: list[Edit]) -> list[Edit]:
    return [edit for edit in edits if edit.is_change]


def _settle_alone(questions: Questions, edits: list[Edit]) -> None:
    """Ask about each suspect edit alone."""
    for edit in edits:
        if edit.kind != "schema-undecided" and edit.forward.verdict != "yes":
            edit.forward = questions.alone(edit) or edit.forward


def _settle_break(questions: Questions, walk: Walk, edits: list[Edit], whole: Containment) -> None:
    suspects = [edit for edit in edits if edit.forward.verdict != "yes"]
    if len(suspects) == 1:
        suspects[0].forward = whole
        return
    _settle_alone(questions, suspects)
    if any(edit.forward.verdict == "no" for edit in suspects):
        return
    for edit in edits:
        if edit not in suspects and edit.place is not None:
            edit.forward = questions.alone(edit) or edit.forward
    if any(edit.forward.verdict == "no" for edit in edits):
        return
    edits.append(_somewhere(questions, walk, whole))


def _settle_unknown(questions: Questions, walk: Walk, edits: list[Edit], whole: Containment) -> None:
    suspects = [edit for edit in edits if edit.forward.verdict != "yes"]
    _settle_alone(questions, suspects)
    if any(edit.forward.verdict != "yes" for edit in suspects):
        return
    if not suspects and walk.complete and all(edit.trusted for edit in edits):
        return  # every edit keeps its promise at its own place, and the places let the whole keep it too
    edits.append(_somewhere(questions, walk, whole))


def _somewhere(questions: Questions, walk: Walk, whole: Containment) -> Edit:
    """The break as a whole, at the deepest place that shows it."""
    root_old, root_new = walk.pairs[0]
    place = root_new.pointer
    for old, new in reversed(walk.pairs[1:]):
        if questions.forward(old, new).verdict == "no":
            place = new.pointer
            break
    backward = questions.backward(root_old, root_new, root=True)
    return Edit("schema", place, forward=whole, backward=backward)
