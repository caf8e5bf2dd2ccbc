"""Kinds of edits in input and output schemas: declared keys, listed values, annotations, and the families."""

from __future__ import annotations

from typing import Any

from mcp_governor.change.family_kinds import FAMILY_KINDS, KEYWORD
from mcp_governor.change.kind_model import Example, Kind, Sentence
from mcp_governor.change.terms import Event, Side, Verdict
from mcp_governor.findings import Bump

_BREAKING, _COMPATIBLE, _UNKNOWN = Verdict.BREAKING, Verdict.COMPATIBLE, Verdict.UNKNOWN


def _object(**keywords: Any) -> dict[str, Any]:
    return {"type": "object", **keywords}


_STRING, _INTEGER = {"type": "string"}, {"type": "integer"}


def _both_sides(
    name: str,
    output: str,
    told: tuple[str, str],
    verdicts: tuple[Verdict, Verdict],
    reverse: str,
    output_reverse: str,
    example: Example,
    bumps: tuple[Bump | None, Bump | None] = (None, None),
    *,
    messages: tuple[Sentence, Sentence],
    entries: tuple[Sentence, Sentence],
    event: Event = Event.CHANGED,
    what: str = "",
    wording: bool = False,
    contract: bool = True,
) -> list[Kind]:
    """One edit as an input kind and an output kind."""
    return [
        Kind(
            *(own, side, told[at], verdicts[at], messages[at], entries[at], event, opposite, mirror, "", example),
            *(bumps[at], wording, contract),
            thing=("argument", "field")[at],
            what=what,
        )
        for at, (own, mirror, side, opposite) in enumerate(
            [(name, output, Side.INPUT, reverse), (output, name, Side.OUTPUT, output_reverse)]
        )
    ]


def _value(old: Any, new: Any) -> Example:
    return Example("value", old, new)


def _schema(old: dict[str, Any], new: dict[str, Any]) -> Example:
    return Example("schema", old, new)


_INPUTS_ONLY = "An output schema that allows nothing is told by what it no longer allows."
_A, _AB = {"a": _STRING}, {"a": _STRING, "n": _INTEGER}
_ONE, _TWO, _THREE = ({"type": "string", "enum": list(values)} for values in ("a", "ab", "ac"))

_ENUMS = [
    *_both_sides(
        "enum-value-removed",
        "output-enum-value-removed",
        (
            "A value that callers may be sending is refused now.",
            "A value is not sent any more; clients that handle it still work.",
        ),
        (_BREAKING, _COMPATIBLE),
        "enum-value-added",
        "output-enum-value-added",
        _value(_TWO, _ONE),
        messages=("{value} does not take {lost_values} any more", "{value} is never {lost_values} any more"),
        entries=(
            "{tool} no longer [accepts|accept] these values for {field}: {lost}.",
            "{tool} never [returns|return] these values in {field} any more: {lost}.",
        ),
    ),
    *_both_sides(
        "enum-value-added",
        "output-enum-value-added",
        (
            "A further value is accepted; old calls are not touched.",
            "A client that switches over the closed list meets a value that it does not know.",
        ),
        (_COMPATIBLE, _BREAKING),
        "enum-value-removed",
        "output-enum-value-removed",
        _value(_ONE, _TWO),
        messages=("{value} also takes {gained_values}", "{value} may also be {gained_values}"),
        entries=(
            "{tool} [accepts|accept] further values for {field}: {gained}.",
            "{tool} may return further values in {field}: {gained}.",
        ),
        event=Event.EXTENDED,
    ),
    *_both_sides(
        "enum-changed",
        "output-enum-changed",
        (
            "Some listed values went and others came: calls that send the old ones are refused.",
            "Some listed values went and others came: clients meet values that they do not know.",
        ),
        (_BREAKING, _BREAKING),
        "enum-changed",
        "output-enum-changed",
        _value(_TWO, _THREE),
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
    *_both_sides(
        "enum-added",
        "output-enum-added",
        (
            "Any value of the type was accepted, now only the listed ones are.",
            "Answers are now limited to a list; clients that handle any value still work.",
        ),
        (_BREAKING, _COMPATIBLE),
        "enum-dropped",
        "output-enum-dropped",
        _value(_STRING, _TWO),
        messages=("{value} takes only {gained_values} now", "{value} is one of {gained_values} now"),
        entries=(
            "{tool} [accepts|accept] only these values for {field}: {gained}.",
            "{tool} [returns|return] only these values in {field}: {gained}.",
        ),
        event=Event.EXTENDED,
    ),
    *_both_sides(
        "enum-dropped",
        "output-enum-dropped",
        (
            "Only listed values were accepted, now any value of the type is.",
            "Only listed values could come, now any value of the type may.",
        ),
        (_COMPATIBLE, _BREAKING),
        "enum-added",
        "output-enum-added",
        _value(_TWO, _STRING),
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
    *_both_sides(
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
    *_both_sides(
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
    *_both_sides(
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
    *_both_sides(
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
    *_both_sides(
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
    *_both_sides(
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
    *_both_sides(
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
    *_both_sides(
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
    *_both_sides(
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


def _default(value: Any) -> dict[str, Any]:
    return {"type": "integer", "default": value}


_NOTES = [
    *_both_sides(
        "default-changed",
        "output-default-changed",
        (
            "Calls that leave the argument out now mean something else.",
            "The schema names another usual value; what may be sent is as before.",
        ),
        (_BREAKING, _COMPATIBLE),
        "default-changed",
        "output-default-changed",
        _value(_default(10), _default(20)),
        (None, Bump.PATCH),
        messages=(KEYWORD, KEYWORD),
        entries=(
            "{tool} [takes|take] `{now}` where {field} is left out; it was `{was}`.",
            "{tool} [names|name] `{now}` as the usual {field} of the result; it was `{was}`.",
        ),
    ),
    *_both_sides(
        "default-added",
        "output-default-added",
        (
            "The schema now says what leaving the argument out means.",
            "The schema names a usual value; what may be sent is as before.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        "default-removed",
        "output-default-removed",
        _value(_INTEGER, _default(10)),
        (Bump.PATCH, Bump.PATCH),
        messages=(KEYWORD, KEYWORD),
        entries=(
            "{tool} [says|say] that {field} defaults to `{now}`.",
            "{tool} [names|name] `{now}` as the usual {field} of the result.",
        ),
        event=Event.EXTENDED,
    ),
    *_both_sides(
        "default-removed",
        "output-default-removed",
        (
            "The schema no longer says what leaving the argument out means.",
            "The schema no longer names a usual value; what may be sent is as before.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        "default-added",
        "output-default-added",
        _value(_default(10), _INTEGER),
        (Bump.PATCH, Bump.PATCH),
        messages=(KEYWORD, KEYWORD),
        entries=(
            "{tool} no longer [says|say] that {field} defaults to `{was}`.",
            "{tool} no longer [names|name] `{was}` as the usual {field} of the result.",
        ),
    ),
    *_both_sides(
        "format-added",
        "output-format-added",
        (
            "A format is an annotation; a server that asserts it refuses strings that it took.",
            "Strings are said to have a format; clients that take any string still work.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        "format-removed",
        "output-format-removed",
        _value(_STRING, {"type": "string", "format": "uri"}),
        messages=(KEYWORD, KEYWORD),
        entries=(
            "{tool} [expects|expect] {field} in the format `{now}`.",
            "{tool} [returns|return] {field} in the format `{now}`.",
        ),
        event=Event.EXTENDED,
    ),
    *_both_sides(
        "format-removed",
        "output-format-removed",
        (
            "Strings of any form are welcome now.",
            "A format is an annotation; a client that relied on it meets strings of another form.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        "format-added",
        "output-format-added",
        _value({"type": "string", "format": "uri"}, _STRING),
        messages=(KEYWORD, KEYWORD),
        entries=(
            "{tool} no longer [expects|expect] {field} in the format `{was}`.",
            "{tool} no longer [returns|return] {field} in the format `{was}`.",
        ),
    ),
    *_both_sides(
        "format-changed",
        "output-format-changed",
        (
            "A format is an annotation; a server that asserts it refuses strings of the old form.",
            "A format is an annotation; a client that relied on it meets strings of another form.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        "format-changed",
        "output-format-changed",
        _value({"type": "string", "format": "uri"}, {"type": "string", "format": "email"}),
        messages=(KEYWORD, KEYWORD),
        entries=(
            "{tool} [expects|expect] {field} in the format `{now}`; it was `{was}`.",
            "{tool} [returns|return] {field} in the format `{now}`; it was `{was}`.",
        ),
    ),
    *_both_sides(
        "schema-description-changed",
        "output-schema-description-changed",
        (
            "The words about an argument changed; which calls are accepted did not.",
            "The words about a field changed; what may be sent did not.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        "schema-description-changed",
        "output-schema-description-changed",
        _value({"type": "string", "description": "City."}, {"type": "string", "description": "A town."}),
        (Bump.PATCH, Bump.PATCH),
        wording=True,
        contract=False,
        messages=("{what}{of} <is new|is gone|is reworded>", "{what}{of} <is new|is gone|is reworded>"),
        entries=(
            "{tool} [describes|describe] {field} in new words.",
            "{tool} [describes|describe] {field} of the result in new words.",
        ),
    ),
    *_both_sides(
        "schema-respelled",
        "output-schema-respelled",
        (
            "The schema is written differently and means the same: every call that was valid still is, and no other.",
            "The schema is written differently and means the same: the same answers are possible as before.",
        ),
        (_COMPATIBLE, _COMPATIBLE),
        "schema-respelled",
        "output-schema-respelled",
        _value({"enum": ["a"]}, {"const": "a"}),
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
    *_both_sides(
        "schema-undecided",
        "output-schema-undecided",
        (
            "A part that cannot be read as a schema changed, so nobody can tell which calls are refused now.",
            "A part that cannot be read as a schema changed, so nobody can tell what may be sent now.",
        ),
        (_UNKNOWN, _UNKNOWN),
        "schema-undecided",
        "output-schema-undecided",
        _value({"$ref": "https://example.com/a.json"}, {"$ref": "https://example.com/b.json"}),
        messages=(KEYWORD, KEYWORD),
        entries=(
            ("{tool} [has|have] another schema for {field}.", "{tool} [has|have] another input schema."),
            ("{tool} [has|have] another schema for {field} of the result.", "{tool} [has|have] another output schema."),
        ),
        what="the schema",
    ),
]

_HEADER_OUTPUT = "Headers are sent with calls only; an output schema has none."


def _header(name: str | None) -> dict[str, Any]:
    return {"type": "string"} | ({"x-mcp-header": name} if name else {})


_HEADERS = [
    Kind(
        "header-added",
        Side.INPUT,
        "The argument must also be sent as an HTTP header: a client that still has the old list does not send "
        "it, and the server refuses the call.",
        _BREAKING,
        reverse="header-removed",
        unmirrored=_HEADER_OUTPUT,
        example=_value(_header(None), _header("Region")),
        contract=True,
        message=KEYWORD,
        entry="{tool} also [expects|expect] {field} as the HTTP header `{now}`.",
        event=Event.EXTENDED,
    ),
    Kind(
        "header-removed",
        Side.INPUT,
        "The argument is no longer sent as an HTTP header; one that is sent anyway is ignored.",
        _COMPATIBLE,
        reverse="header-added",
        unmirrored=_HEADER_OUTPUT,
        example=_value(_header("Region"), _header(None)),
        contract=True,
        message=KEYWORD,
        entry="{tool} no longer [expects|expect] {field} as the HTTP header `{was}`.",
    ),
    Kind(
        "header-changed",
        Side.INPUT,
        "The argument is sent as another HTTP header: a client that still has the old list sends the wrong one.",
        _BREAKING,
        reverse="header-changed",
        unmirrored=_HEADER_OUTPUT,
        example=_value(_header("Region"), _header("Zone")),
        contract=True,
        message=KEYWORD,
        entry="{tool} [expects|expect] {field} as the HTTP header `{now}`; it was `{was}`.",
    ),
]

SCHEMA_KINDS: tuple[Kind, ...] = (
    *_KEYS,
    *FAMILY_KINDS,
    *_ENUMS,
    *_NOTES,
    *_HEADERS,
)
