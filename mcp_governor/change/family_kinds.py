"""Families of schema edits: one constraint on a value that becomes tighter, looser, or just different.

A tighter input schema rejects calls; a looser output schema sends responses that no client expects. A family is one row
here and six kinds in the catalogue. Lists of values are not a family: their kinds say which values came and went.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from mcp_governor.change.kind_model import Kind, both_sides, value
from mcp_governor.change.vocabulary import Event, Side
from mcp_governor.findings import Verdict

_BREAKING, _COMPATIBLE, _UNKNOWN = Verdict.BREAKING, Verdict.COMPATIBLE, Verdict.UNKNOWN


_VALUES = "{keyword} <is now {new}|is gone, was {old}|changed from {old} to {new}|changed>."
_EVENTS = {
    # effect on the values → the changelog entry for an input and for an output
    "tightened": (
        "{tool} [accepts|accept] fewer values{for_field}: ",
        "{tool} [returns|return] fewer values{in_field}: ",
    ),
    "loosened": ("{tool} [accepts|accept] more values{for_field}: ", "{tool} may return more values{in_field}: "),
    "changed": (
        "{tool} [accepts|accept] different values{for_field}: ",
        "{tool} may return different values{in_field}: ",
    ),
}


class _Family(Struct, frozen=True):
    """One row: the family's name, its constraint in words, a loose, a tight and another spelling of it, and its name in
    a message, if the message does not name the keyword."""

    name: str
    subject: str
    loose: Any
    tight: Any
    other: Any = None
    tighter: str = "tightened"
    looser: str = "loosened"
    what: str = ""


def _object(**keywords: Any) -> dict[str, Any]:
    return {"type": "object", **keywords}


_STRING, _INTEGER = {"type": "string"}, {"type": "integer"}
_ABC = {"a": _STRING, "b": _STRING, "c": _STRING}

_FAMILIES = (
    _Family(
        "type",
        "the types or alternatives of a value",
        {"type": ["string", "null"]},
        _STRING,
        _INTEGER,
        "narrowed",
        "widened",
        what="the type",
    ),
    _Family("bound", "a bound of a number", {"type": "integer", "maximum": 9}, {"type": "integer", "maximum": 5}),
    _Family(
        "multiple",
        "what a number is a multiple of",
        {"type": "integer", "multipleOf": 2},
        {"type": "integer", "multipleOf": 4},
        {"type": "integer", "multipleOf": 6},
    ),
    _Family(
        "length",
        "the length of a string",
        {"type": "string", "maxLength": 9},
        {"type": "string", "maxLength": 5},
    ),
    _Family(
        "pattern",
        "the pattern of a string",
        {"type": "string", "pattern": "^[a-z]+$"},
        {"type": "string", "pattern": "^[a-f]+$"},
        {"type": "string", "pattern": "^[0-9]+$"},
    ),
    _Family(
        "item-count",
        "the number of items of an array",
        {"type": "array", "items": _STRING, "maxItems": 9},
        {"type": "array", "items": _STRING, "maxItems": 5},
    ),
    _Family(
        "unique-items",
        "the uniqueness of items",
        {"type": "array", "items": _STRING},
        {"type": "array", "items": _STRING, "uniqueItems": True},
    ),
    _Family(
        "items",
        "the items of an array by position",
        {"type": "array"},
        {"type": "array", "prefixItems": [_STRING]},
        {"type": "array", "items": _INTEGER},
    ),
    _Family(
        "contains",
        "what an array must contain",
        {"type": "array", "items": _INTEGER},
        {"type": "array", "items": _INTEGER, "contains": {"minimum": 5}},
    ),
    _Family(
        "property-count",
        "the number of keys of an object",
        _object(additionalProperties=_STRING, maxProperties=9),
        _object(additionalProperties=_STRING, maxProperties=5),
    ),
    _Family(
        "property-names",
        "the names of keys of an object",
        _object(additionalProperties=_STRING),
        _object(additionalProperties=_STRING, propertyNames={"maxLength": 5}),
    ),
    _Family(
        "key-pattern",
        "the values of keys that match a pattern",
        _object(patternProperties={"^x-": True, "^y-": _STRING}),
        _object(patternProperties={"^x-": True, "^y-": _STRING, "^x-a": _STRING}),
        what="key pattern",
    ),
    _Family(
        "extra-values",
        "the values of undeclared keys",
        _object(),
        _object(additionalProperties=_STRING),
        what="schema of undeclared keys",
    ),
    _Family(
        "dependency",
        "dependencies between keys",
        _object(properties=_ABC),
        _object(properties=_ABC, dependentRequired={"a": ["b"]}),
        None,
        what="dependency",
    ),
    _Family(
        "condition",
        "an if/then/else",
        _object(properties=_ABC),
        _object(properties=_ABC, **{"if": {"required": ["a"]}, "then": {"required": ["b"]}}),
        what="if/then/else",
    ),
    _Family("not", "the excluded values", _STRING, {"type": "string", "not": {"const": "x"}}),
    _Family(
        "all-of",
        "an additional schema that a value must satisfy",
        {"type": "string", "pattern": "^a"},
        {"type": "string", "pattern": "^a", "allOf": [{"pattern": "b$"}]},
    ),
    _Family(
        "union",
        "the alternatives of a value",
        _object(properties=_ABC),
        _object(properties=_ABC, anyOf=[{"required": ["a"]}, {"required": ["b"]}]),
        what="the union",
    ),
    _Family("schema", "a schema as a whole", None, None, what="the schema"),
)


def family_step(family: str, shrinks: bool, grows: bool) -> str:
    """The kind of an edit in a family for an input, by its effect on the accepted values."""
    row = _BY_NAME[family]
    step = "changed" if shrinks == grows else (row.tighter if shrinks else row.looser)
    return f"{family}-{step}"


_BY_NAME = {row.name: row for row in _FAMILIES}


def _of_family(row: _Family) -> list[Kind]:
    tighter, looser, changed = (f"{row.name}-{step}" for step in (row.tighter, row.looser, "changed"))
    open_verdict = _UNKNOWN if row.other is None else _BREAKING
    steps = (
        (
            *(tighter, looser, "tightened", (_BREAKING, _COMPATIBLE), (row.loose, row.tight)),
            f"The schema is stricter about {row.subject}: calls that were valid are now invalid.",
            f"Results are limited more tightly in {row.subject}: clients that handle more still work.",
        ),
        (
            *(looser, tighter, "loosened", (_COMPATIBLE, _BREAKING), (row.tight, row.loose)),
            f"The schema is more lenient about {row.subject}: every call that was valid still is.",
            f"Results may differ in {row.subject} from what was promised: clients receive values that they never had "
            "to handle.",
        ),
        (
            *(changed, changed, "changed", (open_verdict, open_verdict), (row.tight, row.other)),
            f"The schema has a different requirement for {row.subject}: some calls that were valid are now invalid.",
            f"Results follow a different rule for {row.subject}: clients receive values that were ruled out.",
        ),
    )
    kinds = [
        kind
        for name, reverse, event, verdicts, fragments, *explanations in steps
        for kind in both_sides(
            *(name, f"output-{name}", explanations, verdicts),
            None if None in fragments else value(*fragments),
            reverse=reverse,
            entries=[entry + _VALUES for entry in _EVENTS[event]],
            what=row.what,
            of_types=row.name == "type",
        )
    ]
    return sorted(kinds, key=lambda kind: kind.side is Side.OUTPUT)


FAMILY_KINDS: tuple[Kind, ...] = tuple(kind for row in _FAMILIES for kind in _of_family(row))

_ONE, _TWO, _THREE = ({"type": "string", "enum": list(values)} for values in ("a", "ab", "ac"))

ENUM_KINDS = [
    *both_sides(
        "enum-value-removed",
        "output-enum-value-removed",
        (
            "A value that callers may be sending is now refused.",
            "A value is no longer returned; clients that handle it still work.",
        ),
        (_BREAKING, _COMPATIBLE),
        value(_TWO, _ONE),
        reverse="enum-value-added",
        # The second ones: below `oneOf`, a longer list can accept less, and a shorter one more.
        messages=(
            ("{value} no longer accepts {lost_values}", "{value} now accepts fewer values"),
            ("{value} can no longer be {lost_values}", "{value} may now have fewer values"),
        ),
        entries=(
            "{tool} no longer [accepts|accept] these values for {field}: {lost}.",
            "{tool} no longer [uses|use] these values in {field}: {lost}.",
        ),
    ),
    *both_sides(
        "enum-value-added",
        "output-enum-value-added",
        (
            "Another value is accepted; existing calls are not affected.",
            "A client that switches over the closed list receives a value that it does not know.",
        ),
        (_COMPATIBLE, _BREAKING),
        value(_ONE, _TWO),
        reverse="enum-value-removed",
        messages=(
            ("{value} also accepts {gained_values}", "{value} now accepts more values"),
            ("{value} may also be {gained_values}", "{value} may now have more values"),
        ),
        entries=(
            "{tool} [accepts|accept] additional values for {field}: {gained}.",
            "{tool} may return additional values in {field}: {gained}.",
        ),
        event=Event.EXTENDED,
    ),
    *both_sides(
        "enum-changed",
        "output-enum-changed",
        (
            "Some listed values were replaced by others: calls that send the old ones are refused.",
            "Some listed values were replaced by others: clients receive values that they do not know.",
        ),
        (_BREAKING, _BREAKING),
        value(_TWO, _THREE),
        messages=(
            (
                "{value} no longer accepts {lost_values}, and now accepts {gained_values}",
                "{value} now accepts different values",
            ),
            (
                "{value} can no longer be {lost_values}, and may now be {gained_values}",
                "{value} may now have different values",
            ),
        ),
        entries=(
            "{tool} [accepts|accept] {gained} for {field}, and no longer {lost}.",
            "{tool} may return {gained} in {field}, and no longer {lost}.",
        ),
    ),
    *both_sides(
        "enum-added",
        "output-enum-added",
        (
            "Any value of the type was accepted, now only the listed ones are.",
            "Results are now limited to a list; clients that handle any value still work.",
        ),
        (_BREAKING, _COMPATIBLE),
        value(_STRING, _TWO),
        reverse="enum-dropped",
        # The second ones: the place accepts values besides the list, or which of the list it does is unknown.
        messages=(
            ("{value} now accepts only {gained_values}", "{value} now has a list of values"),
            ("{value} is now one of {gained_values}", "{value} now has a list of values"),
        ),
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
            "Only listed values were accepted; now there is no list, and what else is stated decides.",
            "Only listed values were possible; now there is no list, and what else is stated decides.",
        ),
        (_COMPATIBLE, _BREAKING),
        value(_TWO, _STRING),
        reverse="enum-added",
        messages=(
            (
                "{value} now accepts {detail}; it was one of {lost_values}",
                "{value} now accepts {detail}",
                "{value} no longer has a list of values; it was one of {lost_values}",
                "{value} no longer has a list of values",
            ),
            (
                "{value} may now be {detail}; it was one of {lost_values}",
                "{value} may now be {detail}",
                "{value} no longer has a list of values; it was one of {lost_values}",
                "{value} no longer has a list of values",
            ),
        ),
        entries=(
            (
                "{tool} [accepts|accept] {detail} for {field}, and not only {lost}.",
                "{tool} no longer [has|have] a list of values for {field}, which was one of {lost}.",
            ),
            (
                "{tool} may return {detail} in {field}, and not only {lost}.",
                "{tool} no longer [has|have] a list of values for {field} in the result, which was one of {lost}.",
            ),
        ),
    ),
]
