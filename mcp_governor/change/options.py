"""The policy of the comparison: one option for each line of the table in docs/changes.md."""

from __future__ import annotations

import fnmatch
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal, get_args

from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

Policy = Literal["breaking", "compatible"]
CapabilityPolicy = Literal["note", "breaking"]


@frozen
class ChangeOptions:
    """What counts as a break where a schema alone cannot settle it.

    Attributes:
        argument_removed: an argument is no longer declared, even if the object is open.
        input_closed: an input object that left ``additionalProperties`` out now forbids further keys; the level
            ``strict`` calls it breaking whatever this says.
        declared_openness_closed: an explicit ``true``, ``{}`` or schema for further keys becomes narrower.
        closed_output: a field is added to a closed output, or a closed output is opened. ``breaking`` is for
            hosts that validate against a cached schema.
        optional_field_removed: an output field that was not required is no longer declared.
        output_enum_value_added: an output enum gains a value.
        open_enums: enums that may gain values: names of fields (``kind``), or globs over their pointer in the
            tool (``/outputSchema/*/kind``) or over the fields that lead to them (``/error/kind``).
        default_changed: the default of an argument becomes another one.
        default_presence: a default is added or removed.
        required_with_default: an argument that carries a default becomes required, or is added as required.
        hint_less_safe: a behaviour hint promises less than before.
        capabilities: the server declares fewer capabilities than before, within one protocol era: ``note`` for what
            comes and goes with the SDK, ``breaking`` where clients rely on them.
        assert_formats: ``format`` is asserted: added or changed, it refuses values.
        deadline: seconds for one containment question.
        tool_deadline: seconds for one tool; what is not decided by then is unknown. The largest tools that were seen
            take one second, and 20,000 edits about as many as this.
        run_deadline: the same for a whole comparison. 10,000 tools with an edit each take about half.
    """

    argument_removed: Policy = "breaking"
    input_closed: Policy = "compatible"
    declared_openness_closed: Policy = "breaking"
    closed_output: Policy = "compatible"
    optional_field_removed: Policy = "breaking"
    output_enum_value_added: Policy = "breaking"
    open_enums: tuple[str, ...] = ()
    default_changed: Policy = "breaking"
    default_presence: Policy = "compatible"
    required_with_default: Policy = "breaking"
    hint_less_safe: Policy = "breaking"
    capabilities: CapabilityPolicy = "note"
    assert_formats: bool = False
    deadline: float = 1.0
    tool_deadline: float = 10.0
    run_deadline: float = 20.0

    def is_open_enum(self, pointer: str) -> bool:
        """True if an enum may gain values.

        Args:
            pointer: of the ``enum`` keyword or of its schema, in the tool.
        """
        place = pointer.removesuffix("/enum").removesuffix("/const")
        steps = [step for step in place.split("/") if step]
        while len(steps) > 1 and (steps[-1] in ("items", "anyOf", "oneOf", "allOf") or steps[-1].isdecimal()):
            steps.pop()
        field = steps[-1] if steps else ""
        return any(glob == field or fnmatch.fnmatchcase(place, glob) for glob in self.open_enums)


DEFAULT_OPTIONS = ChangeOptions()

CHARTER_OPEN_ENUMS = ("*/error/kind", "*/degradation_reason")
"""Enums that the charter keeps open: error kinds and degradation reasons."""

_SUMMARIES = {
    "argument_removed": "An argument is no longer declared.",
    "input_closed": "An input object that left additionalProperties out forbids additional keys.",
    "declared_openness_closed": "Additional keys that were explicitly allowed are restricted.",
    "closed_output": "A field is added to a closed output, or a closed output is opened.",
    "optional_field_removed": "An optional output field is no longer declared.",
    "output_enum_value_added": "An output enum gains a value.",
    "open_enums": "Output enums that may gain values: names of fields, or globs over pointers.",
    "default_changed": "The default of an argument changes.",
    "default_presence": "The default of an argument is added or removed.",
    "required_with_default": "An argument with a default becomes required, or is added as required.",
    "hint_less_safe": "A behaviour hint promises less than before.",
    "capabilities": "The server drops capabilities, within one protocol era: a note, or a break.",
    "assert_formats": "Read `format` as an assertion that refuses values.",
    "deadline": "Time limit for one containment question, in seconds.",
    "tool_deadline": "Time limit for the comparison of one tool, in seconds; what is undecided then is unknown.",
    "run_deadline": "Time limit for a whole comparison, in seconds; what is undecided after four fifths is unknown.",
}


def option_schemas() -> dict[str, Any]:
    """The options as a configuration spells them: kebab-case name → JSON Schema with its default."""
    schemas: dict[str, Any] = {}
    for item in fields(ChangeOptions):
        default = getattr(DEFAULT_OPTIONS, item.name)
        schemas[item.name.replace("_", "-")] = {
            **_shape(default),
            "description": _SUMMARIES[item.name],
            "default": list(default) if isinstance(default, tuple) else default,
        }
    return schemas


def _shape(default: Any) -> dict[str, Any]:
    if isinstance(default, bool):
        return {"type": "boolean"}
    if isinstance(default, float):
        return {"type": "number", "exclusiveMinimum": 0}
    if isinstance(default, tuple):
        return {"type": "array", "items": {"type": "string"}}
    return {"enum": list(get_args(CapabilityPolicy if default == "note" else Policy))}


def options_from(table: Mapping[str, Any], *, open_enums: tuple[str, ...] = ()) -> ChangeOptions:
    """The options of a configuration table that :func:`option_schemas` accepts.

    Args:
        table: kebab-case names → values; names that are not options are left alone.
        open_enums: further open enums, those of a profile.
    """
    known = {item.name for item in fields(ChangeOptions)}
    given = {key.replace("-", "_"): value for key, value in table.items()}
    chosen = {key: value for key, value in given.items() if key in known}
    chosen["open_enums"] = (*chosen.get("open_enums", ()), *open_enums)
    return ChangeOptions(**chosen)
