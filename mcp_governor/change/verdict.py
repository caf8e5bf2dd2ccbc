"""From a settled edit to its kind and verdict: containment first, policy where a schema cannot settle it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.change.family_kinds import family_kind
from mcp_governor.change.terms import MISSING, Side, Verdict

if TYPE_CHECKING:
    from mcp_governor.change.edit import Edit
    from mcp_governor.change.options import ChangeOptions

_OUTPUT_NAMES = {
    "argument-removed": "output-field-removed",
    "argument-added": "output-field-added",
    "required-argument-added": "output-field-added",
    "argument-renamed": "output-field-renamed",
    "argument-required": "output-field-guaranteed",
    "argument-optional": "output-field-optional",
}


def kind_of(edit: Edit, side: Side) -> str:
    """The name of the edit's kind."""
    output = side is Side.OUTPUT
    if edit.kind is not None:
        if edit.kind in ("closed", "opened"):
            return f"{'output' if output else 'input'}-{edit.kind}"
        if output:
            return _OUTPUT_NAMES.get(edit.kind, f"output-{edit.kind}")
        return edit.kind
    lost, gained = edit.forward.verdict != "yes", edit.backward.verdict != "yes"
    if output:
        lost, gained = gained, lost
    if edit.family == "enum":
        return ("output-" if output else "") + _enum_step(edit, lost, gained)
    return family_kind(edit.family, side, shrinks=lost, grows=gained)


def _enum_step(edit: Edit, lost: bool, gained: bool) -> str:
    if edit.old is MISSING:
        return "enum-added"
    if edit.new is MISSING:
        return "enum-dropped"
    if lost == gained:
        return "enum-changed"
    return "enum-value-removed" if lost else "enum-value-added"


def verdict_of(edit: Edit, kind: str, place: str, options: ChangeOptions) -> Verdict:
    """What the edit does to a client.

    Args:
        edit: a settled edit.
        kind: its kind.
        place: its pointer in the tool.
        options: the policy.
    """
    excused = _excused(edit, kind, place, options)
    if excused:
        return Verdict.COMPATIBLE
    if edit.forward.verdict == "no" or _forbidden(edit, kind, options):
        return Verdict.BREAKING
    return Verdict.UNKNOWN if edit.forward.verdict == "unknown" else Verdict.COMPATIBLE


def _excused(edit: Edit, kind: str, place: str, options: ChangeOptions) -> bool:
    """Whether the policy lets pass what containment would not."""
    if kind in ("output-enum-value-added", "output-enum-changed"):
        open_enum = options.is_open_enum(place) or options.is_open_enum(edit.trail)
        grown = kind == "output-enum-value-added"
        return open_enum or (grown and options.output_enum_value_added == "compatible")
    if kind in ("required-argument-added", "argument-required") and "default" in edit.note:
        return options.required_with_default == "compatible"
    return False


def _forbidden(edit: Edit, kind: str, options: ChangeOptions) -> bool:
    """Whether the policy calls a break what containment lets pass."""
    closed = "closed" in edit.note
    return {
        "argument-removed": options.argument_removed,
        "argument-renamed": options.argument_removed,
        "key-pattern-removed": options.argument_removed,
        "output-key-pattern-removed": options.optional_field_removed,
        "output-field-removed": options.optional_field_removed,
        "output-field-renamed": options.optional_field_removed,
        "output-field-added": options.closed_output if closed else "compatible",
        "output-opened": options.closed_output,
        "input-closed": options.declared_openness_closed if "explicit" in edit.note else options.input_closed,
        "extra-values-tightened": _explicit(edit, options),
        "extra-values-changed": _explicit(edit, options),
        "default-changed": options.default_changed,
        "default-added": options.default_presence,
        "default-removed": options.default_presence,
        "format-added": _asserted(options),
        "format-changed": _asserted(options),
        "output-format-removed": _asserted(options),
        "output-format-changed": _asserted(options),
        "schema-unusable": "breaking",
        "header-added": "breaking",
        "header-changed": "breaking",
    }.get(kind) == "breaking"


def _explicit(edit: Edit, options: ChangeOptions) -> str:
    return options.declared_openness_closed if "explicit" in edit.note else "compatible"


def _asserted(options: ChangeOptions) -> str:
    return "breaking" if options.assert_formats else "compatible"
