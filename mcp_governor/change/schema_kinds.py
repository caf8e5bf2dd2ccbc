"""Kinds of edits in input and output schemas: declared keys, listed values, annotations, and the families."""

from __future__ import annotations

from typing import Any

from mcp_governor.change.family_kinds import ENUM_KINDS, FAMILY_KINDS
from mcp_governor.change.kind_model import Example, Kind, both_sides, value, with_opposites
from mcp_governor.change.note_kinds import NOTE_KINDS
from mcp_governor.change.vocabulary import Event, Side
from mcp_governor.findings import Bump, Verdict

_BREAKING, _COMPATIBLE, _UNKNOWN = Verdict.BREAKING, Verdict.COMPATIBLE, Verdict.UNKNOWN


def _object(**keywords: Any) -> dict[str, Any]:
    return {"type": "object", **keywords}


_STRING, _INTEGER = {"type": "string"}, {"type": "integer"}


def _schema(old: dict[str, Any], new: dict[str, Any]) -> Example:
    return Example("schema", old, new)


_CALLS_GO_ON = "No client reads an input schema before it calls, so calls may work all the same: that is undecided."
_INPUTS_ONLY = "An output schema that allows nothing is reported as the values that it no longer allows."
_A, _AB = {"a": _STRING}, {"a": _STRING, "n": _INTEGER}

_CASE = {"action": {"const": "create"}}, {"action": {"const": "delete"}}


def _cases(*keys: dict[str, Any]) -> dict[str, Any]:
    return _object(
        oneOf=[
            _object(properties={**case, **more}, required=["action"]) for case, more in zip(_CASE, keys, strict=True)
        ]
    )


_KEYS = [
    *both_sides(
        "argument-removed",
        "output-field-removed",
        (
            "A parameter is no longer declared: calls that pass it are refused, or what they asked for is "
            "silently ignored.",
            "A field is no longer declared: clients that read it find nothing.",
        ),
        (_BREAKING, _BREAKING),
        _schema(_object(properties=_AB), _object(properties=_A)),
        reverse="argument-added",
        messages="{thing} is gone",
        entries=("{tool} no longer [takes|take] {field}.", "{tool} no longer [returns|return] {field}."),
        event=Event.REMOVED,
    ),
    *both_sides(
        "argument-added",
        "output-field-added",
        (
            "A new optional parameter; calls without it still work.",
            "A new field; clients ignore fields that they do not know, unless they validate against a cached "
            "closed schema.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        _schema(_object(properties=_A), _object(properties=_AB)),
        reverse="argument-removed",
        messages=("optional {thing} is new", "{thing} is new"),
        entries=("{tool} [takes|take] an optional {field}.", "{tool} [returns|return] a new field {field}."),
        event=Event.ADDED,
    ),
    *both_sides(
        "argument-renamed",
        "output-field-renamed",
        (
            "A parameter was renamed: calls that pass the old name are refused, or the value is ignored.",
            "A field was renamed: clients that read the old name find nothing.",
        ),
        (_BREAKING, _BREAKING),
        _schema(_object(properties={"path": _STRING}), _object(properties={"file_path": _STRING})),
        messages="{thing} was renamed to {successor}",
        entries=(
            "{tool} [takes|take] {successor} instead of {field}.",
            "{tool} [returns|return] {successor} instead of {field}.",
        ),
        event=Event.RENAMED,
    ),
    *both_sides(
        "argument-required",
        "output-field-guaranteed",
        (
            "An optional parameter became required: calls without it are refused.",
            "A field that could be missing is now always present.",
        ),
        (_BREAKING, _COMPATIBLE),
        _schema(_object(properties=_AB), _object(properties=_AB, required=["n"])),
        reverse="argument-optional",
        messages=("{thing} is now required", "{thing} is now always present"),
        entries=("{tool} now [requires|require] {field}.", "{tool} always [returns|return] {field}."),
    ),
    *both_sides(
        "argument-optional",
        "output-field-optional",
        (
            "A required parameter became optional.",
            "A field that was always present may now be missing: clients that read it without a check fail.",
        ),
        (_COMPATIBLE, _BREAKING),
        _schema(_object(properties=_AB, required=["n"]), _object(properties=_AB)),
        reverse="argument-required",
        messages=("{thing} is now optional", "{thing} may now be missing"),
        entries=("{tool} no longer [requires|require] {field}.", "{tool} may leave out {field}."),
    ),
    *both_sides(
        "branch-argument-removed",
        "output-branch-field-removed",
        (
            "One of several alternatives no longer declares a parameter that others still declare: a call of this form "
            "that passes it is refused, or what it asked for is silently ignored.",
            "One of several alternatives no longer declares a field that others still declare: clients that read it "
            "in a result of this form find nothing.",
        ),
        (_BREAKING, _BREAKING),
        _schema(_cases(_A, _A), _cases({}, _A)),
        reverse="branch-argument-added",
        messages="{thing} is no longer declared {detail}",
        entries=(
            "{tool} no longer [takes|take] {field} {detail}.",
            "{tool} no longer [returns|return] {field} {detail}.",
        ),
        event=Event.REMOVED,
    ),
    *both_sides(
        "branch-argument-added",
        "output-branch-field-added",
        (
            "One of several alternatives now declares a parameter that others declared before; calls without it still "
            "work.",
            "One of several alternatives now declares a field that others declared before.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        _schema(_cases({}, _A), _cases(_A, _A)),
        reverse="branch-argument-removed",
        messages="{thing} is now declared {detail} as well",
        entries=(
            "{tool} [takes|take] {field} {detail} as well.",
            "{tool} [returns|return] {field} {detail} as well.",
        ),
        event=Event.ADDED,
    ),
    *both_sides(
        "key-pattern-removed",
        "output-key-pattern-removed",
        (
            "Keys that match a pattern are no longer declared: they may be silently ignored.",
            "Fields that match a pattern are no longer declared: clients that read them may find nothing.",
        ),
        (_BREAKING, _BREAKING),
        _schema(_object(properties=_A, patternProperties={"^x-": _STRING}), _object(properties=_A)),
        reverse="key-pattern-added",
        entries=(
            "{tool} [accepts|accept] fewer key patterns{for_field}.",
            "{tool} [returns|return] fewer key patterns{in_field}.",
        ),
        what="key pattern",
    ),
    *both_sides(
        "key-pattern-added",
        "output-key-pattern-added",
        (
            "Keys that match a pattern are now declared; calls without them still work.",
            "Fields that match a pattern may now be returned; clients ignore fields that they do not know.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        _schema(_object(properties=_A), _object(properties=_A, patternProperties={"^x-": _STRING})),
        reverse="key-pattern-removed",
        entries=(
            "{tool} [accepts|accept] more key patterns{for_field}.",
            "{tool} may return more key patterns{in_field}.",
        ),
        event=Event.EXTENDED,
        what="key pattern",
    ),
    Kind(
        "required-argument-added",
        Side.INPUT,
        "A new parameter is required: every call that worked before is refused.",
        _BREAKING,
        reverse="argument-removed",
        other_side="output-field-added",
        example=_schema(_object(properties=_A), _object(properties=_AB, required=["n"])),
        contract=True,
        message="required {thing} is new",
        entry="{tool} now [requires|require] the new {field}.",
        event=Event.EXTENDED,
        thing="parameter",
    ),
    *both_sides(
        "undeclared-key-restricted",
        "output-undeclared-key-widened",
        (
            "A key that callers could already pass, since the object allows undeclared ones, is now a declared "
            "parameter: other values that were accepted for it are refused.",
            "A key that results could already have, since the schema of undeclared ones allows it, is now a declared "
            "field with other values: clients that read all keys alike do not expect them.",
        ),
        (_BREAKING, _BREAKING),
        _schema(
            _object(properties={"m": _object(additionalProperties={"type": "integer"})}),
            _object(properties={"m": _object(properties=_A, additionalProperties={"type": "integer"})}),
        ),
        reverse="argument-removed",
        messages=(
            (
                "{thing} is now declared; {parent} accepted this key undeclared, with other values",
                "{thing} is now declared; this key was accepted undeclared, with other values",
            ),
            (
                "{thing} is now declared; {parent} could have this key undeclared, with other values",
                "{thing} is now declared; this key could be there undeclared, with other values",
            ),
        ),
        entries=(
            "{tool} now [declares|declare] {field}, which accepted other values as an undeclared key.",
            "{tool} now [declares|declare] {field} in the result, which had other values as an undeclared key.",
        ),
        event=Event.ADDED,
    ),
    Kind(
        "schema-repaired",
        Side.INPUT,
        "The old schema was unusable: it accepted no object, or its root stated nothing. No "
        "client could call the tool with it, so the new requirements break no client. The finding is about the old "
        "release.",
        _COMPATIBLE,
        reverse="schema-unusable",
        unmirrored=_INPUTS_ONLY,
        example=_schema({"type": "string"}, _object(properties=_A, required=["a"])),
        contract=True,
        message="the unusable schema was repaired: {detail}",
        entry="{tool} [has|have] a usable input schema; it was unusable: {detail}.",
    ),
    Kind(
        "schema-unusable",
        Side.INPUT,
        "The schema can no longer be used: its root does not describe an object, or states nothing. "
        "No client can call the tool with it.",
        _BREAKING,
        reverse="schema-repaired",
        unmirrored=_INPUTS_ONLY,
        example=_schema(_object(properties=_A, required=["a"]), {"type": "string"}),
        contract=True,
        message="the schema is now unusable: {detail}",
        entry="{tool} [has|have] an input schema that no client can use: {detail}.",
    ),
    Kind(
        "output-reference-repaired",
        Side.OUTPUT,
        "A `$ref` of the old output schema points to nothing, and the place can be read now. Clients that compile the "
        "schema could not use the tool, and others failed at this place, so the new schema breaks none of them. The "
        "finding is about the old release.",
        _COMPATIBLE,
        reverse="output-reference-broken",
        unmirrored=_CALLS_GO_ON,
        example=_schema(_object(properties={"a": {"$ref": "#/$defs/A"}}), _object(properties=_A)),
        contract=True,
        message="{what}{of} can be read now (in the old release, {detail})",
        entry="{tool} [has|have] an output schema{for_field} that can be read (in the old release, {detail}).",
        what="the schema",
    ),
    Kind(
        "output-reference-broken",
        Side.OUTPUT,
        "A `$ref` of the new output schema points to nothing. Clients that compile the schema refuse the tool, and "
        "others fail at this place.",
        _BREAKING,
        reverse="output-reference-repaired",
        unmirrored=_CALLS_GO_ON,
        example=_schema(_object(properties=_A), _object(properties={"a": {"$ref": "#/$defs/A"}})),
        contract=True,
        message="{what}{of} can no longer be read: {detail}",
        entry="{tool} [has|have] an output schema{for_field} that cannot be read: {detail}.",
        what="the schema",
    ),
    *both_sides(
        "input-closed",
        "output-closed",
        (
            "Undeclared keys are now refused. Callers that pass only declared keys see no "
            "difference, unless the old schema explicitly allowed others.",
            "Results now hold only declared fields.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        _schema(_object(properties=_A), _object(properties=_A, additionalProperties=False)),
        (Bump.PATCH, Bump.PATCH),
        reverse="input-opened",
        messages=("undeclared keys are now refused", "undeclared fields are now ruled out"),
        entries=(
            "{tool} [refuses|refuse] undeclared keys{of_field}.",
            "{tool} [returns|return] only declared fields{of_field}.",
        ),
    ),
    *both_sides(
        "input-opened",
        "output-opened",
        (
            "Undeclared keys are now accepted.",
            "Results may hold undeclared fields; only a client that validates against a cached closed schema notices.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        _schema(_object(properties=_A, additionalProperties=False), _object(properties=_A)),
        reverse="input-closed",
        messages=("undeclared keys are now accepted", "undeclared fields may now be returned"),
        entries=(
            "{tool} [accepts|accept] undeclared keys{of_field}.",
            "{tool} may return undeclared fields{of_field}.",
        ),
    ),
]


_WHOLE = [
    *both_sides(
        "schema-description-changed",
        "output-schema-description-changed",
        (
            "The description of a parameter changed; the accepted calls are the same.",
            "The description of a field changed; the possible results are the same.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        value({"type": "string", "description": "City."}, {"type": "string", "description": "A town."}),
        (Bump.PATCH, Bump.PATCH),
        wording=True,
        contract=False,
        messages="{what}{of} <is new|is gone|is reworded>",
        entries=(
            "{tool} [has|have] a new description of {field}.",
            "{tool} [has|have] a new description of {field} in the result.",
        ),
    ),
    *both_sides(
        "argument-descriptions-lost",
        "output-field-descriptions-lost",
        (
            "No parameter has a description any more: models have only the names to go by. An upgrade of a library can "
            "do that without anybody noticing.",
            "No field of the result has a description any more.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        value({"type": "string", "description": "City."}, _STRING),
        (Bump.PATCH, Bump.PATCH),
        reverse="schema-description-changed",
        contract=False,
        messages=(
            "the descriptions of all parameters are gone: {lost}",
            "the descriptions of all fields are gone: {lost}",
        ),
        entries=(
            "{tool} no longer [describes|describe] {lost}.",
            "{tool} no longer [describes|describe] {lost} in the result.",
        ),
    ),
    *both_sides(
        "choice-labels-changed",
        "output-choice-labels-changed",
        (
            "The labels of listed values changed; the accepted calls are the same.",
            "The labels of listed values changed; the possible results are the same.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        value({"oneOf": [{"const": "a", "title": "A"}]}, {"oneOf": [{"const": "a", "title": "The first"}]}),
        (Bump.PATCH, Bump.PATCH),
        wording=True,
        contract=False,
        messages="labels of the values{of} <are new: {new}|are gone, were {old}|changed from {old} to {new}|changed>",
        entries=(
            "{tool} [has|have] other labels for the values of {field}.",
            "{tool} [has|have] other labels for the values of {field} in the result.",
        ),
    ),
    *both_sides(
        "schema-rewritten",
        "output-schema-rewritten",
        (
            "The schema is written differently and means the same: every call that was valid still is, and no other.",
            "The schema is written differently and means the same: the same answers are possible as before.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        value({"enum": ["a"]}, {"const": "a"}),
        (Bump.NONE, Bump.NONE),
        wording=True,
        messages="{what} is written differently and means the same",
        entries=(
            "{tool} [writes|write] the input schema differently; it means the same.",
            "{tool} [writes|write] the output schema differently; it means the same.",
        ),
        what="the schema",
    ),
    *both_sides(
        "schema-undecided",
        "output-schema-undecided",
        (
            "A part that cannot be read as a schema changed, so it is unknown which calls are now refused.",
            "A part that cannot be read as a schema changed, so it is unknown which results are now possible.",
        ),
        (_UNKNOWN, _UNKNOWN),
        value({"$ref": "https://example.com/a.json"}, {"$ref": "https://example.com/b.json"}),
        entries=(
            ("{tool} [has|have] a different schema for {field}.", "{tool} [has|have] a different input schema."),
            (
                "{tool} [has|have] a different schema for {field} in the result.",
                "{tool} [has|have] a different output schema.",
            ),
        ),
        what="the schema",
    ),
]

SCHEMA_KINDS = with_opposites((*_KEYS, *FAMILY_KINDS, *ENUM_KINDS, *_WHOLE, *NOTE_KINDS))
