"""Determines kind and verdict of a settled edit: containment first, then policy where a schema cannot settle it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change.family_kinds import family_step
from mcp_governor.change.note_kinds import NOTE_FAMILIES
from mcp_governor.change.registry import catalogue
from mcp_governor.change.vocabulary import MISSING, Side, Verdict

if TYPE_CHECKING:
    from mcp_governor.change.edit import Edit
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
    """The effect of the edit on a client.

    Args:
        edit: a settled edit.
        kind: its kind.
        place: its pointer, relative to the tool.
        options: the policy.
    """
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
