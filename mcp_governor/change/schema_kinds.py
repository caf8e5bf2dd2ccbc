"""Kinds of edits in input and output schemas: declared keys, listed values, annotations, and the families."""

from __future__ import annotations

from typing import Any

from mcp_governor.change.family_kinds import FAMILY_KINDS, KEYWORD
from mcp_governor.change.kind_model import Example, Kind, both_sides, value
from mcp_governor.change.note_kinds import NOTE_KINDS
from mcp_governor.change.terms import Event, Side, Verdict
from mcp_governor.findings import Bump

_BREAKING, _COMPATIBLE, _UNKNOWN = Verdict.BREAKING, Verdict.COMPATIBLE, Verdict.UNKNOWN


def _object(**keywords: Any) -> dict[str, Any]:
    return {"type": "object", **keywords}


_STRING, _INTEGER = {"type": "string"}, {"type": "integer"}


def _schema(old: dict[str, Any], new: dict[str, Any]) -> Example:
    return Example("schema", old, new)


_INPUTS_ONLY = "An output schema that allows nothing is told by what it no longer allows."
_A, _AB = {"a": _STRING}, {"a": _STRING, "n": _INTEGER}
_ONE, _TWO, _THREE = ({"type": "string", "enum": list(values)} for values in ("a", "ab", "ac"))

_ENUMS = [
    *both_sides(
        "enum-value-removed",
        "output-enum-value-removed",
        (
            "A value that callers may be sending is refused now.",
            "A value is not sent any more; clients that handle it still work.",
        ),
        (_BREAKING, _COMPATIBLE),
        "enum-value-added",
        "output-enum-value-added",
        value(_TWO, _ONE),
        messages=("{value} does not take {lost_values} any more", "{value} is never {lost_values} any more"),
        entries=(
            "{tool} no longer [accepts|accept] these values for {field}: {lost}.",
            "{tool} never [returns|return] these values in {field} any more: {lost}.",
        ),
    ),
    *both_sides(
        "enum-value-added",
        "output-enum-value-added",
        (
            "A further value is accepted; old calls are not touched.",
            "A client that switches over the closed list meets a value that it does not know.",
        ),
        (_COMPATIBLE, _BREAKING),
        "enum-value-removed",
        "output-enum-value-removed",
        value(_ONE, _TWO),
        messages=("{value} also takes {gained_values}", "{value} may also be {gained_values}"),
        entries=(
            "{tool} [accepts|accept] further values for {field}: {gained}.",
            "{tool} may return further values in {field}: {gained}.",
        ),
        event=Event.EXTENDED,
    ),
    *both_sides(
        "enum-changed",
        "output-enum-changed",
        (
            "Some listed values went and others came: calls that send the old ones are refused.",
            "Some listed values went and others came: clients meet values that they do not know.",
        ),
        (_BREAKING, _BREAKING),
        "enum-changed",
        "output-enum-changed",
        value(_TWO, _THREE),
        messages=(
            (
                "{value} does not take {lost_values} any more, and takes {gained_values} now",
                "{value} takes other values now",
            ),
            ("{value} is never {lost_values} any more, and may be {gained_values}", "{value} may be other values now"),
        ),
        entries=(
            "{tool} [accepts|accept] {gained} for {field}, and no longer {lost}.",
            "{tool} may return {gained} in {field}, and never {lost} any more.",
        ),
    ),
    *both_sides(
        "enum-added",
        "output-enum-added",
        (
            "Any value of the type was accepted, now only the listed ones are.",
            "Answers are now limited to a list; clients that handle any value still work.",
        ),
        (_BREAKING, _COMPATIBLE),
        "enum-dropped",
        "output-enum-dropped",
        value(_STRING, _TWO),
        messages=("{value} takes only {gained_values} now", "{value} is one of {gained_values} now"),
        entries=(
            "{tool} [accepts|accept] only these values for {field}: {gained}.",
            "{tool} [returns|return] only these values in {field}: {gained}.",
        ),
        event=Event.EXTENDED,
    ),
    *both_sides(
        "enum-dropped",
        "output-enum-dropped",
        (
            "Only listed values were accepted, now any value of the type is.",
            "Only listed values could come, now any value of the type may.",
        ),
        (_COMPATIBLE, _BREAKING),
        "enum-added",
        "output-enum-added",
        value(_TWO, _STRING),
        messages=(
            "{value} takes any value now, was one of {lost_values}",
            "{value} may be any value now, was one of {lost_values}",
        ),
        entries=(
            "{tool} [accepts|accept] any value for {field}, and not only {lost}.",
            "{tool} may return any value in {field}, and not only {lost}.",
        ),
    ),
]

_KEYS = [
    *both_sides(
        "argument-removed",
        "output-field-removed",
        (
            "An argument is no longer declared: calls that pass it are refused, or what they asked for is "
            "silently ignored.",
            "A field is no longer declared: clients that read it find nothing.",
        ),
        (_BREAKING, _BREAKING),
        "argument-added",
        "output-field-added",
        _schema(_object(properties=_AB), _object(properties=_A)),
        messages=("{thing} is gone", "{thing} is gone"),
        entries=("{tool} no longer [takes|take] {field}.", "{tool} no longer [returns|return] {field}."),
        event=Event.REMOVED,
    ),
    *both_sides(
        "argument-added",
        "output-field-added",
        (
            "A new optional argument; calls without it are as good as before.",
            "A new field; clients ignore fields that they do not know, unless they validate against a cached "
            "closed schema.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        "argument-removed",
        "output-field-removed",
        _schema(_object(properties=_A), _object(properties=_AB)),
        messages=("optional {thing} is new", "{thing} is new"),
        entries=("{tool} [takes|take] an optional {field}.", "{tool} [returns|return] a new field {field}."),
        event=Event.ADDED,
    ),
    *both_sides(
        "argument-renamed",
        "output-field-renamed",
        (
            "An argument goes by another name: calls that pass the old one are refused or ignored.",
            "A field goes by another name: clients that read the old one find nothing.",
        ),
        (_BREAKING, _BREAKING),
        "argument-renamed",
        "output-field-renamed",
        _schema(_object(properties={"path": _STRING}), _object(properties={"file_path": _STRING})),
        messages=("{thing} is called {successor} now", "{thing} is called {successor} now"),
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
            "An argument that could be left out must be passed now: calls without it are refused.",
            "A field that could be missing is always there now.",
        ),
        (_BREAKING, _COMPATIBLE),
        "argument-optional",
        "output-field-optional",
        _schema(_object(properties=_AB), _object(properties=_AB, required=["n"])),
        messages=("{thing} must be passed now", "{thing} is always there now"),
        entries=("{tool} now [requires|require] {field}.", "{tool} always [returns|return] {field}."),
    ),
    *both_sides(
        "argument-optional",
        "output-field-optional",
        (
            "An argument that had to be passed may be left out now.",
            "A field that was always there may be missing now: clients that read it unchecked fail.",
        ),
        (_COMPATIBLE, _BREAKING),
        "argument-required",
        "output-field-guaranteed",
        _schema(_object(properties=_AB, required=["n"]), _object(properties=_AB)),
        messages=("{thing} may be left out now", "{thing} may be missing now"),
        entries=("{tool} no longer [requires|require] {field}.", "{tool} may leave out {field}."),
    ),
    *both_sides(
        "key-pattern-removed",
        "output-key-pattern-removed",
        (
            "Keys of a certain form are no longer declared: what they asked for may be silently ignored.",
            "Fields of a certain form are no longer declared: clients that read them may find nothing.",
        ),
        (_BREAKING, _BREAKING),
        "key-pattern-added",
        "output-key-pattern-added",
        _schema(_object(properties=_A, patternProperties={"^x-": _STRING}), _object(properties=_A)),
        messages=(KEYWORD, KEYWORD),
        entries=(
            "{tool} [takes|take] fewer keys by pattern{for_field}.",
            "{tool} [returns|return] fewer keys by pattern{in_field}.",
        ),
        what="keys by pattern",
    ),
    *both_sides(
        "key-pattern-added",
        "output-key-pattern-added",
        (
            "Keys of a certain form are declared now; calls without them are as good as before.",
            "Fields of a certain form may come now; clients ignore fields that they do not know.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        "key-pattern-removed",
        "output-key-pattern-removed",
        _schema(_object(properties=_A), _object(properties=_A, patternProperties={"^x-": _STRING})),
        messages=(KEYWORD, KEYWORD),
        entries=(
            "{tool} [takes|take] more keys by pattern{for_field}.",
            "{tool} may return more keys by pattern{in_field}.",
        ),
        event=Event.EXTENDED,
        what="keys by pattern",
    ),
    Kind(
        "required-argument-added",
        Side.INPUT,
        "A new argument must be passed: every call that worked is refused.",
        _BREAKING,
        reverse="argument-removed",
        other_side="output-field-added",
        example=_schema(_object(properties=_A), _object(properties=_AB, required=["n"])),
        contract=True,
        message="required {thing} is new",
        entry="{tool} now [requires|require] the new {field}.",
        event=Event.EXTENDED,
        thing="argument",
    ),
    Kind(
        "schema-repaired",
        Side.INPUT,
        "The old schema was unusable: it accepted no object, or its root said nothing at all. No "
        "client could call the tool by it, so what the new one asks for breaks none. The finding is about the old "
        "release.",
        _COMPATIBLE,
        reverse="schema-unusable",
        unmirrored=_INPUTS_ONLY,
        example=_schema({"type": "string"}, _object(properties=_A, required=["a"])),
        contract=True,
        message="the schema was unusable and is repaired: {detail}",
        entry="{tool} [has|have] a usable input schema; it was unusable: {detail}.",
    ),
    Kind(
        "schema-unusable",
        Side.INPUT,
        "The schema cannot be used any more: its root is not that of an object, or says nothing at all. "
        "No client can call the tool by it.",
        _BREAKING,
        reverse="schema-repaired",
        unmirrored=_INPUTS_ONLY,
        example=_schema(_object(properties=_A, required=["a"]), {"type": "string"}),
        contract=True,
        message="the schema is unusable now: {detail}",
        entry="{tool} [has|have] an input schema that no client can use: {detail}.",
    ),
    *both_sides(
        "input-closed",
        "output-closed",
        (
            "Keys that are not declared are refused now. Callers that pass only what is declared see no "
            "difference, unless the openness was declared.",
            "Answers hold declared fields only, from now on.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        "input-opened",
        "output-opened",
        _schema(_object(properties=_A), _object(properties=_A, additionalProperties=False)),
        (Bump.PATCH, Bump.PATCH),
        messages=("keys that are not declared are refused now", "fields that are not declared are ruled out now"),
        entries=(
            "{tool} [refuses|refuse] keys{of_field} that are not declared.",
            "{tool} [returns|return] no fields{of_field} but the declared ones.",
        ),
    ),
    *both_sides(
        "input-opened",
        "output-opened",
        (
            "Keys that are not declared are accepted now.",
            "Answers may hold fields that are not declared; only a client that validates against a cached "
            "closed schema notices.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        "input-closed",
        "output-closed",
        _schema(_object(properties=_A, additionalProperties=False), _object(properties=_A)),
        messages=("keys that are not declared are accepted now", "fields that are not declared may come now"),
        entries=(
            "{tool} [takes|take] keys{of_field} that are not declared.",
            "{tool} may return fields{of_field} that are not declared.",
        ),
    ),
]


_WHOLE = [
    *both_sides(
        "schema-description-changed",
        "output-schema-description-changed",
        (
            "The words about an argument changed; which calls are accepted did not.",
            "The words about a field changed; what may be sent did not.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        "schema-description-changed",
        "output-schema-description-changed",
        value({"type": "string", "description": "City."}, {"type": "string", "description": "A town."}),
        (Bump.PATCH, Bump.PATCH),
        wording=True,
        contract=False,
        messages=("{what}{of} <is new|is gone|is reworded>", "{what}{of} <is new|is gone|is reworded>"),
        entries=(
            "{tool} [describes|describe] {field} in new words.",
            "{tool} [describes|describe] {field} of the result in new words.",
        ),
    ),
    *both_sides(
        "schema-respelled",
        "output-schema-respelled",
        (
            "The schema is written differently and means the same: every call that was valid still is, and no other.",
            "The schema is written differently and means the same: the same answers are possible as before.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        "schema-respelled",
        "output-schema-respelled",
        value({"enum": ["a"]}, {"const": "a"}),
        (Bump.NONE, Bump.NONE),
        wording=True,
        messages=(
            "{what} is written differently and means the same",
            "{what} is written differently and means the same",
        ),
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
            "A part that cannot be read as a schema changed, so nobody can tell which calls are refused now.",
            "A part that cannot be read as a schema changed, so nobody can tell what may be sent now.",
        ),
        (_UNKNOWN, _UNKNOWN),
        "schema-undecided",
        "output-schema-undecided",
        value({"$ref": "https://example.com/a.json"}, {"$ref": "https://example.com/b.json"}),
        messages=(KEYWORD, KEYWORD),
        entries=(
            ("{tool} [has|have] another schema for {field}.", "{tool} [has|have] another input schema."),
            ("{tool} [has|have] another schema for {field} of the result.", "{tool} [has|have] another output schema."),
        ),
        what="the schema",
    ),
]

SCHEMA_KINDS: tuple[Kind, ...] = (
    *_KEYS,
    *FAMILY_KINDS,
    *_ENUMS,
    *_WHOLE,
    *NOTE_KINDS,
)
