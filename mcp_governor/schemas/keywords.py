"""The keywords of JSON Schema in one table: their roles, the schemas in their values, and the dialects that have them.

All other sets of keywords are derived from the table. Knowing which keywords contain schemas is necessary to
distinguish the *keyword* ``description``, which is prose, from a *property* called ``description``, which is contract.
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from mcp_governor.schemas.dialects import LATEST


class Role(Enum):
    """The role of a keyword."""

    NAMING = "names the dialect, the schema or a place in it"
    DEFINITIONS = "holds schemas that say nothing until a reference leads to them"
    REFERENCE = "applies a schema from elsewhere"
    APPLICATOR = "applies the schemas that it holds"
    ASSERTION = "compares instances with a plain value"
    ANNOTATION = "refuses no instance, and programs may act on it"
    WORDING = "refuses no instance, and only informs a reader"


class Holds(Enum):
    """The position of schemas in the value of a keyword."""

    NOTHING = "there are none"
    SCHEMA = "the value is one"
    LIST = "the value is a list of them"
    MAP = "the value maps names to them"
    MIXED = "the value maps names to a schema or to a list of names"


class Keyword(Struct, frozen=True):
    """One keyword.

    Attributes:
        role: its role.
        holds: the position of schemas in its value.
        about: the JSON type of the instances that it applies to; empty for all.
        in_place: true if the schemas in it apply to the same instance, not to a part of it.
        since: the first draft with it.
        until: the last draft with it; 0 for keywords that are used in practice but are not in any draft.
        unordered: true if the order of its list has no meaning.
    """

    role: Role
    holds: Holds = Holds.NOTHING
    about: str = ""
    in_place: bool = False
    since: int = 4
    until: int = LATEST
    unordered: bool = False


def _here(holds: Holds, about: str = "", *, since: int = 4, until: int = LATEST, unordered: bool = False) -> Keyword:
    return Keyword(Role.APPLICATOR, holds, about, in_place=True, since=since, until=until, unordered=unordered)


def _part(holds: Holds, about: str, *, since: int = 4, until: int = LATEST) -> Keyword:
    return Keyword(Role.APPLICATOR, holds, about, since=since, until=until)


def _assertion(about: str = "", *, since: int = 4, unordered: bool = False) -> Keyword:
    return Keyword(Role.ASSERTION, about=about, since=since, unordered=unordered)


_NOTE = Keyword(Role.ANNOTATION)
_WORDS = Keyword(Role.WORDING)
_OF_NO_DRAFT = Keyword(Role.WORDING, until=0)

# Before 2020-12, "items" may be a list, which is called "prefixItems" now.
KEYWORDS = {
    "$schema": Keyword(Role.NAMING),
    "id": Keyword(Role.NAMING, until=4),
    "$id": Keyword(Role.NAMING, since=6),
    "$anchor": Keyword(Role.NAMING, since=19),
    "$recursiveAnchor": Keyword(Role.NAMING, since=19, until=19),
    "$dynamicAnchor": Keyword(Role.NAMING, since=20),
    "$defs": Keyword(Role.DEFINITIONS, Holds.MAP),
    "definitions": Keyword(Role.DEFINITIONS, Holds.MAP),
    "$ref": Keyword(Role.REFERENCE),
    "$dynamicRef": Keyword(Role.REFERENCE, since=20),
    "$recursiveRef": Keyword(Role.REFERENCE, since=19, until=19),
    "allOf": _here(Holds.LIST, unordered=True),
    "anyOf": _here(Holds.LIST, unordered=True),
    "oneOf": _here(Holds.LIST, unordered=True),
    "not": _here(Holds.SCHEMA),
    "if": _here(Holds.SCHEMA, since=7),
    "then": _here(Holds.SCHEMA, since=7),
    "else": _here(Holds.SCHEMA, since=7),
    "dependentSchemas": _here(Holds.MAP, "object", since=19),
    "dependencies": _here(Holds.MIXED, "object", until=7),
    "properties": _part(Holds.MAP, "object"),
    "patternProperties": _part(Holds.MAP, "object"),
    "additionalProperties": _part(Holds.SCHEMA, "object"),
    "propertyNames": _part(Holds.SCHEMA, "object", since=6),
    "unevaluatedProperties": _part(Holds.SCHEMA, "object", since=19),
    "prefixItems": _part(Holds.LIST, "array", since=20),
    "items": _part(Holds.SCHEMA, "array"),
    "additionalItems": _part(Holds.SCHEMA, "array", until=19),
    "contains": _part(Holds.SCHEMA, "array", since=6),
    "unevaluatedItems": _part(Holds.SCHEMA, "array", since=19),
    "type": _assertion(unordered=True),
    "enum": _assertion(unordered=True),
    "const": _assertion(since=6),
    "multipleOf": _assertion("number"),
    "maximum": _assertion("number"),
    "exclusiveMaximum": _assertion("number"),
    "minimum": _assertion("number"),
    "exclusiveMinimum": _assertion("number"),
    "maxLength": _assertion("string"),
    "minLength": _assertion("string"),
    "pattern": _assertion("string"),
    "maxItems": _assertion("array"),
    "minItems": _assertion("array"),
    "uniqueItems": _assertion("array"),
    "maxContains": _assertion("array", since=19),
    "minContains": _assertion("array", since=19),
    "maxProperties": _assertion("object"),
    "minProperties": _assertion("object"),
    "required": _assertion("object", unordered=True),
    "dependentRequired": _assertion("object", since=19),
    # Not just wording, because servers act on defaults, and readers act on formats.
    "default": _NOTE,
    "format": _NOTE,
    "readOnly": Keyword(Role.ANNOTATION, since=7),
    "writeOnly": Keyword(Role.ANNOTATION, since=7),
    "contentEncoding": Keyword(Role.ANNOTATION, about="string", since=7),
    "contentMediaType": Keyword(Role.ANNOTATION, about="string", since=7),
    "contentSchema": Keyword(Role.ANNOTATION, Holds.SCHEMA, "string", since=19),
    # Used by meta-schemas only; not read here.
    "$vocabulary": Keyword(Role.ANNOTATION, since=19),
    "title": _WORDS,
    "description": _WORDS,
    "examples": Keyword(Role.WORDING, since=6),
    "$comment": Keyword(Role.WORDING, since=7),
    "deprecated": Keyword(Role.WORDING, since=19),
    "example": _OF_NO_DRAFT,
    "markdownDescription": _OF_NO_DRAFT,
}
"""Keyword → its properties."""

JSON_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
"""The values of ``type``."""


def _with(*roles: Role) -> frozenset[str]:
    return frozenset(name for name, keyword in KEYWORDS.items() if keyword.role in roles)


def _holding(holds: Holds) -> frozenset[str]:
    return frozenset(name for name, keyword in KEYWORDS.items() if keyword.holds is holds)


SCHEMA_KEYS = _holding(Holds.SCHEMA)
SCHEMA_LIST_KEYS = _holding(Holds.LIST)
SCHEMA_MAP_KEYS = _holding(Holds.MAP)
MIXED_MAP_KEYS = _holding(Holds.MIXED)

ASSERTION_KEYS = _with(Role.ASSERTION)
WORDING_KEYS = _with(Role.WORDING)
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
"""The reference keywords, the most common one first."""
DEFINITIONS = ("$defs", "definitions")
"""The keywords with definitions, the current one first."""

REFUSING = _with(Role.REFERENCE, Role.APPLICATOR, Role.ASSERTION)
"""Keywords that can refuse instances, in any draft; all others are notes."""
APPLICATORS = frozenset(name for name in _with(Role.APPLICATOR) if KEYWORDS[name].until == LATEST)
"""Keywords of the newest draft that apply schemas in their values."""
IN_PLACE = tuple(name for name in KEYWORDS if KEYWORDS[name].in_place)
"""Keywords, in any draft, whose schemas apply to the same instance as the schema around them."""

UNORDERED_KEYS = frozenset(name for name, keyword in KEYWORDS.items() if keyword.unordered)
"""Keywords whose list is unordered."""


def about(kind: str) -> frozenset[str]:
    """Keywords of the newest draft that refuse only instances of type ``kind``; if empty, those that may refuse any."""
    return frozenset(name for name in REFUSING if KEYWORDS[name].about == kind and KEYWORDS[name].until == LATEST)


_DRAFTS = {
    draft: frozenset(
        name
        for name in _with(Role.NAMING, Role.DEFINITIONS, Role.REFERENCE, Role.APPLICATOR, Role.ASSERTION)
        if KEYWORDS[name].since <= draft <= KEYWORDS[name].until
    )
    for draft in (4, 6, 7, 19)
}


def known_keywords(draft: int) -> frozenset[str] | None:
    """The keywords that a dialect does not ignore, without notes; ``None`` for the newest one, which has them all."""
    return _DRAFTS.get(draft)
