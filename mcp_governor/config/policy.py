"""The tables ``policy`` of the configuration: decisions about releases, and the options of the comparison.

Also the base of all tables, and the values that their keys take.
"""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

if TYPE_CHECKING:
    from mcp_governor.findings import Tier


MAX_SECONDS = 86_400
"""Maximum time for anything, in seconds: a day. The clocks of the system have limits somewhere above."""

NonEmpty = Annotated[str, Meta(min_length=1)]
Strings = tuple[NonEmpty, ...]
Seconds = Annotated[float, Meta(gt=0, le=MAX_SECONDS)]
Count = Annotated[int, Meta(ge=1)]
Ratio = Annotated[float, Meta(ge=1)]
Importable = Annotated[str, Meta(pattern="^[^:]+:[^:]+$")]


class Table(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """A table of the configuration: keys have dashes, and one that is not declared is a mistake."""


MAX_RELEASES = 100
"""Maximum deprecation window in minor releases: a year with two a week. A longer one forbids removals, and is more
likely a number of days."""

Releases = Annotated[int, Meta(ge=0, le=MAX_RELEASES)]

Policy = Literal["breaking", "compatible"]
CapabilityPolicy = Literal["note", "breaking"]
PresencePolicy = Literal["breaking", "flips", "compatible"]
TimeLimit = Annotated[float, Meta(gt=0)]


class ChangeOptions(Table, frozen=True):
    """Decides what counts as a break if schemas alone cannot settle it; each is a key of the ``policy`` table.

    Attributes:
        argument_removed: A parameter is no longer declared.
        input_closed: An input object that left additionalProperties out forbids additional keys.
        declared_openness_closed: Additional keys that were explicitly allowed are restricted.
        closed_output: A field is added to a closed output, or a closed output is opened.
        optional_field_removed: An optional output field is no longer declared.
        output_enum_value_added: An output enum gains a value.
        open_enums: Output enums that may gain values: names of fields, or globs over pointers.
        default_changed: The default of a parameter changes.
        default_presence: The default of a parameter is added or removed; `flips`: breaking for a boolean `true`.
        required_with_default: A parameter with a default becomes required, or is added as required.
        hint_less_safe: A behaviour hint promises less than before.
        capabilities: The server drops capabilities, within one protocol era: a note, or a break.
        assert_formats: Read `format` as an assertion that refuses values.
        deadline: Time limit for one containment question, in seconds.
        tool_deadline: Time limit for the comparison of one tool, in seconds; what is undecided then is unknown.
        run_deadline: Time limit for a whole comparison, in seconds; what is undecided after four fifths is unknown.
    """

    # Even if the object is open.
    argument_removed: Policy = "breaking"
    # Except that of a tool without parameters; the level `strict` always calls it breaking.
    input_closed: Policy = "compatible"
    # An explicit `true`, `{}` or schema for undeclared keys becomes narrower.
    declared_openness_closed: Policy = "breaking"
    # `breaking` is for hosts that validate against a cached schema.
    closed_output: Policy = "compatible"
    optional_field_removed: Policy = "breaking"
    output_enum_value_added: Policy = "breaking"
    # Globs over the pointer in the tool (`/outputSchema/*/kind`) or over the path of fields (`/error/kind`).
    open_enums: tuple[str, ...] = ()
    default_changed: Policy = "breaking"
    # `flips` breaks for `true`, because an omitted boolean is `false` to most servers, and the description did not
    # mention it.
    default_presence: PresencePolicy = "compatible"
    required_with_default: Policy = "breaking"
    hint_less_safe: Policy = "breaking"
    # `note` for capabilities that depend on the SDK, `breaking` if clients rely on them.
    capabilities: CapabilityPolicy = "note"
    # Except `regex` and `idn-hostname`, whose strings cannot be compared. Any other format that is added or changed
    # rejects values.
    assert_formats: bool = False
    deadline: TimeLimit = 1.0
    # The largest known tools take one second, and 20,000 edits about this long.
    tool_deadline: TimeLimit = 10.0
    # 10,000 tools with an edit each take about half as long.
    run_deadline: TimeLimit = 20.0

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


def option_schemas() -> dict[str, Any]:
    """The options in a configuration: kebab-case name → JSON Schema with its default."""
    from mcp_governor.documents import schema_of

    defaults = json.loads(msgspec.json.encode(ChangeOptions()))
    schemas = schema_of(ChangeOptions, "options")["properties"]
    return {name: {**schema, "default": defaults[name]} for name, schema in schemas.items()}


class Windows(Table, frozen=True):
    """``[tool.mcp-governor.policy.windows]``: number of minor releases with a warning before a removal, by tier.

    The defaults come from surface governance, "Deprecation policy", step 3.

    Attributes:
        facade: Minor releases that must carry the warning before a tool of tier facade is removed or moves down; 0
            asks for none.
        standard: Minor releases that must carry the warning before a tool of tier standard is removed or moves down; 0
            asks for none.
        advanced: Minor releases that must carry the warning before a tool of tier advanced is removed or moves down; 0
            asks for none.
        internal: Minor releases that must carry the warning before a tool of tier internal is removed or moves down; 0
            asks for none.
    """

    facade: Releases = 2
    standard: Releases = 2
    advanced: Releases = 1
    internal: Releases = 0

    def of(self, tier: Tier) -> int:
        """The window of a tier."""
        window: int = getattr(self, tier.value)
        return window


class PolicyConfig(Table, frozen=True):
    """``[tool.mcp-governor.policy]``: decisions that schemas cannot settle (docs/changes.md).

    Attributes:
        gate: When version and changelog must be right: with every change, or at a release. Between releases the
            version may stay the same, and changes are listed under ## Unreleased.
        evaluation: Changes that need an evaluation before a release: of descriptions, also of schemas, or none.
        zero_policy: What a version before 1.0.0 may break.
        calver: What a release may change where versions do not say it, as dates do not: up to a major, minor or patch
            step; refuse: nothing.
        unknown: How a change that cannot be decided counts in the verdict.
        definition_version: Experimental: a pointer to the identifier of its definition in a tool, for example
            "/_meta/com.example~1version"; a finding says where only one of the two has moved. Empty: none is compared.
        windows: How long a tool stays deprecated before it may be removed, by tier.
    """

    gate: Literal["change", "release"] = "change"
    evaluation: Literal["none", "descriptions", "descriptions-and-schemas"] = "none"
    zero_policy: Literal["minor-may-break", "anything-goes", "strict"] = "minor-may-break"
    calver: Literal["major", "minor", "patch", "refuse"] = "minor"
    unknown: Literal["breaking", "compatible"] = "breaking"
    definition_version: Annotated[str, Meta(pattern="^(/.+)?$")] = ""
    windows: Windows = field(default_factory=Windows)
    options: Mapping[str, Any] = field(default_factory=dict)
    """All other keys, as written: those of :class:`ChangeOptions` that the file sets, because profiles set others."""
