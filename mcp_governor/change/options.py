"""The policy of the comparison: one knob for each line of the table in DESIGN section 5."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from typing import Literal

Policy = Literal["breaking", "compatible"]


@dataclass(frozen=True, slots=True)
class ChangeOptions:
    """What counts as a break where a schema alone cannot settle it.

    Attributes:
        argument_removed: an argument is no longer declared, whether or not the object is open.
        input_closed: an input object that left ``additionalProperties`` out now forbids further keys; the level
            ``strict`` calls it breaking whatever this says.
        declared_openness_closed: an explicit ``true``, ``{}`` or schema for further keys becomes narrower.
        closed_output: a field is added to a closed output, or a closed output is opened. ``breaking`` is for
            hosts that validate against a cached schema.
        optional_field_removed: an output field that was not required is no longer declared.
        output_enum_value_added: an output enum gains a value.
        open_enums: enums that may gain values: names of fields, or globs over the pointer
            (``/outputSchema/**/kind``).
        default_changed: the default of an argument becomes another one.
        default_presence: a default is added or removed.
        required_with_default: an argument that carries a default becomes required, or is added as required.
        hint_less_safe: a behaviour hint promises less than before.
        assert_formats: ``format`` is asserted: added or changed, it refuses values.
        deadline: seconds for one containment question.
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
    assert_formats: bool = False
    deadline: float = 1.0

    def is_open_enum(self, pointer: str) -> bool:
        """Whether an enum may gain values.

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
