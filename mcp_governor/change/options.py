"""The policy of the comparison, with one option for each line of the table in docs/changes.md."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Any, Literal, get_args

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

Policy = Literal["breaking", "compatible"]
CapabilityPolicy = Literal["note", "breaking"]
PresencePolicy = Literal["breaking", "flips", "compatible"]


class ChangeOptions(Struct, frozen=True):
    """Decides what counts as a break if schemas alone cannot settle it.

    Attributes:
        argument_removed: a parameter is no longer declared, even if the object is open.
        input_closed: an input object without ``additionalProperties`` now forbids undeclared keys, except that of a
            tool without parameters; the level ``strict`` always calls it breaking.
        declared_openness_closed: an explicit ``true``, ``{}`` or schema for undeclared keys becomes narrower.
        closed_output: a field is added to a closed output, or a closed output is opened. ``breaking`` is for hosts that
            validate against a cached schema.
        optional_field_removed: an output field that was not required is no longer declared.
        output_enum_value_added: an output enum gains a value.
        open_enums: enums that may gain values: names of fields (``kind``), or globs over their pointer in the tool
            (``/outputSchema/*/kind``) or over the path of fields (``/error/kind``).
        default_changed: the default of a parameter changes.
        default_presence: a default is added or removed. ``flips``: it breaks if it is ``true``, because an omitted
            boolean is ``false`` to most servers, and the description did not mention it.
        required_with_default: a parameter with a default becomes required, or is added as required.
        hint_less_safe: a behaviour hint promises less than before.
        capabilities: the server declares fewer capabilities than before, within one protocol era: ``note`` for
            capabilities that depend on the SDK, ``breaking`` if clients rely on them.
        assert_formats: formats of JSON Schema restrict strings, except ``regex`` and ``idn-hostname``, whose strings
            cannot be compared. Any other format that is added or changed rejects values.
        deadline: seconds for one containment question.
        tool_deadline: seconds for one tool; anything undecided by then is unknown. The largest known tools take one
            second, and 20,000 edits about this long.
        run_deadline: the same for a whole comparison. 10,000 tools with an edit each take about half as long.
    """

    argument_removed: Policy = "breaking"
    input_closed: Policy = "compatible"
    declared_openness_closed: Policy = "breaking"
    closed_output: Policy = "compatible"
    optional_field_removed: Policy = "breaking"
    output_enum_value_added: Policy = "breaking"
    open_enums: tuple[str, ...] = ()
    default_changed: Policy = "breaking"
    default_presence: PresencePolicy = "compatible"
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
            pointer: to the ``enum`` keyword or to its schema, relative to the tool.
        """
        place = pointer.removesuffix("/enum").removesuffix("/const")
        steps = [step for step in place.split("/") if step]
        while len(steps) > 1 and (steps[-1] in ("items", "anyOf", "oneOf", "allOf") or steps[-1].isdecimal()):
            steps.pop()
        field = steps[-1] if steps else ""
        return any(glob == field or fnmatch.fnmatchcase(place, glob) for glob in self.open_enums)


DEFAULT_OPTIONS = ChangeOptions()

CHARTER_OPEN_ENUMS = ("*/error/kind", "*/degradation_reason")
"""Enums that the charter leaves open: error kinds and degradation reasons."""

_SUMMARIES = {
    "argument_removed": "A parameter is no longer declared.",
    "input_closed": "An input object that left additionalProperties out forbids additional keys.",
    "declared_openness_closed": "Additional keys that were explicitly allowed are restricted.",
    "closed_output": "A field is added to a closed output, or a closed output is opened.",
    "optional_field_removed": "An optional output field is no longer declared.",
    "output_enum_value_added": "An output enum gains a value.",
    "open_enums": "Output enums that may gain values: names of fields, or globs over pointers.",
    "default_changed": "The default of a parameter changes.",
    "default_presence": "The default of a parameter is added or removed; `flips`: breaking for a boolean `true`.",
    "required_with_default": "A parameter with a default becomes required, or is added as required.",
    "hint_less_safe": "A behaviour hint promises less than before.",
    "capabilities": "The server drops capabilities, within one protocol era: a note, or a break.",
    "assert_formats": "Read `format` as an assertion that refuses values.",
    "deadline": "Time limit for one containment question, in seconds.",
    "tool_deadline": "Time limit for the comparison of one tool, in seconds; what is undecided then is unknown.",
    "run_deadline": "Time limit for a whole comparison, in seconds; what is undecided after four fifths is unknown.",
}


def option_schemas() -> dict[str, Any]:
    """The options in a configuration: kebab-case name → JSON Schema with its default."""
    schemas: dict[str, Any] = {}
    for name in ChangeOptions.__struct_fields__:
        default = getattr(DEFAULT_OPTIONS, name)
        schemas[name.replace("_", "-")] = {
            **_shape(name, default),
            "description": _SUMMARIES[name],
            "default": list(default) if isinstance(default, tuple) else default,
        }
    return schemas


_CHOICES = {"capabilities": CapabilityPolicy, "default_presence": PresencePolicy}


def _shape(name: str, default: Any) -> dict[str, Any]:
    if isinstance(default, bool):
        return {"type": "boolean"}
    if isinstance(default, float):
        return {"type": "number", "exclusiveMinimum": 0}
    if isinstance(default, tuple):
        return {"type": "array", "items": {"type": "string"}}
    return {"enum": list(get_args(_CHOICES.get(name, Policy)))}


def options_from(table: Mapping[str, Any], *, open_enums: tuple[str, ...] = ()) -> ChangeOptions:
    """The options from a configuration table that :func:`option_schemas` accepts.

    Args:
        table: kebab-case names → values; other names are ignored.
        open_enums: additional open enums, from a profile.
    """
    given = {key.replace("-", "_"): value for key, value in table.items()}
    chosen = {key: value for key, value in given.items() if key in ChangeOptions.__struct_fields__}
    chosen["open_enums"] = (*chosen.get("open_enums", ()), *open_enums)
    return ChangeOptions(**chosen)
