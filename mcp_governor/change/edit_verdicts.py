"""The final decision: compares the whole documents, and tries every edit alone for its verdict and witness.

Containment decides first, then policy where a schema cannot settle it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change.budget import OverBudgetError
from mcp_governor.change.edit import YES, Edit, Questions
from mcp_governor.change.family_kinds import family_step
from mcp_governor.change.model import catalogue
from mcp_governor.change.note_kinds import NOTE_FAMILIES
from mcp_governor.change.usable import UNREAD
from mcp_governor.change.vocabulary import MISSING, Side
from mcp_governor.change.walk import Walk
from mcp_governor.containment import Containment
from mcp_governor.findings import Verdict

if TYPE_CHECKING:
    from mcp_governor.change.options import ChangeOptions


def kind_of(edit: Edit, side: Side) -> str:
    """The name of the edit's kind: the one for inputs, or its mirror."""
    name = edit.kind
    if name is None:
        lost, gained = edit.forward.verdict != "yes", edit.backward.verdict != "yes"
        if side is Side.OUTPUT:
            lost, gained = gained, lost
        name = _enum_step(edit, lost, gained) if edit.family == "enum" else family_step(edit.family, lost, gained)
    elif name in ("closed", "opened"):
        name = f"input-{name}"
    elif name == "argument-added" and edit.forward.verdict == "no" and (side is Side.INPUT or "typed" in edit.note):
        name = "undeclared-key-restricted"  # It broke because the key was accepted before, with other values.
    return name if side is Side.INPUT else catalogue()[name].other_side or name


def _enum_step(edit: Edit, lost: bool, gained: bool) -> str:
    if edit.old is MISSING:
        return "enum-added"
    if edit.new is MISSING:
        return "enum-dropped"
    if lost == gained:
        return "enum-changed"
    return "enum-value-removed" if lost else "enum-value-added"


def verdict_of(edit: Edit, kind: str, place: str, options: ChangeOptions) -> Verdict:
    """The effect on a client of a settled edit whose pointer, relative to the tool, is ``place``."""
    excused = _excused(edit, kind, place, options)
    if excused:
        return Verdict.COMPATIBLE
    if edit.forward.verdict == "no" or _forbidden(edit, kind, options):
        return Verdict.BREAKING
    return Verdict.UNKNOWN if edit.forward.verdict == "unknown" else Verdict.COMPATIBLE


def _excused(edit: Edit, kind: str, place: str, options: ChangeOptions) -> bool:
    """True if the policy accepts what containment rejects."""
    if kind in ("output-enum-value-added", "output-enum-changed"):
        open_enum = options.is_open_enum(place) or options.is_open_enum(edit.trail)
        grown = kind == "output-enum-value-added"
        return open_enum or (grown and options.output_enum_value_added == "compatible")
    if kind in ("required-argument-added", "argument-required") and "default" in edit.note:
        return options.required_with_default == "compatible"
    return False


def _forbidden(edit: Edit, kind: str, options: ChangeOptions) -> bool:
    """True if the policy calls a break what containment accepts."""
    closed = "closed" in edit.note
    return {
        "argument-removed": options.argument_removed,
        "argument-renamed": options.argument_removed,
        "branch-argument-removed": options.argument_removed,
        "key-pattern-removed": options.argument_removed,
        "output-key-pattern-removed": options.optional_field_removed,
        "output-field-removed": options.optional_field_removed,
        "output-branch-field-removed": options.optional_field_removed,
        "output-field-renamed": options.optional_field_removed,
        "output-field-added": options.closed_output if closed else "compatible",
        "output-opened": options.closed_output,
        "input-closed": _closing(edit, options),
        "extra-values-tightened": _explicit(edit, options),
        "extra-values-changed": _explicit(edit, options),
        "default-changed": options.default_changed,
        "default-added": _presence(edit, edit.new, options),
        "default-removed": _presence(edit, edit.old, options),
        "format-added": _asserted(edit, options),
        "format-changed": _asserted(edit, options),
        "output-format-removed": _asserted(edit, options),
        "output-format-changed": _asserted(edit, options),
        "output-reference-broken": "breaking",
        "schema-unusable": "breaking",
    }.get(kind, _of_note(edit, kind)) == "breaking"


def _of_note(edit: Edit, kind: str) -> str:
    """The verdict for an annotation, which containment does not cover."""
    return catalogue()[kind].verdict if edit.family in NOTE_FAMILIES.values() else "compatible"


def _explicit(edit: Edit, options: ChangeOptions) -> str:
    return options.declared_openness_closed if "explicit" in edit.note else "compatible"


def _closing(edit: Edit, options: ChangeOptions) -> str:
    """The verdict for a closed input object. A tool without parameters accepts none before and after."""
    if "explicit" in edit.note:
        return options.declared_openness_closed
    return "compatible" if "bare" in edit.note else options.input_closed


def _presence(edit: Edit, stated: Any, options: ChangeOptions) -> str:
    """The verdict for an added or removed default: an omitted boolean has a meaning without one, an omitted number has
    not.

    Surface governance, "What counts as a breaking change", Behaviour: a default that flips a downstream decision.
    """
    if options.default_presence != "flips":
        return options.default_presence
    return "breaking" if stated is True and "stated" not in edit.note else "compatible"


def _asserted(edit: Edit, options: ChangeOptions) -> str:
    """The verdict for a format; that of JSON Schema's own formats is containment's (``graph.parse``)."""
    return "breaking" if options.assert_formats and edit.family == "format" else "compatible"


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
