"""Claims about a parameter in prose, read only if they are unambiguous.

A description may claim a type, a default, bounds, or that a parameter is required. Each reader here knows the few forms
in which people write such a claim ("(string)", "defaults to 10", "max 100", "Required.") and returns nothing if the
sentence could mean something else. A claim that contradicts its schema is an error, so misreading one is worse than
missing one.

All patterns are bounded and run on text without runs of white space, so that reading takes linear time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.guarded import Cues, Guarded, lowered
from mcp_governor.prose.units import unit_of, unit_of_name
from mcp_governor.prose.value_lists import QUOTED

if TYPE_CHECKING:
    from collections.abc import Collection

# -- types

_TYPES = {
    "string": "string",
    "str": "string",
    "integer": "integer",
    "int": "integer",
    "number": "number",
    "float": "float",
    "double": "float",
    "boolean": "boolean",
    "bool": "boolean",
    "array": "array",
    "list": "array",
    "object": "object",
    "dict": "object",
    "dictionary": "object",
}
_TYPE = rf"(?:{'|'.join(_TYPES)})"
_LISTED = lazy_pattern(
    rf"(?:array|list)(?:\s+of\s+|\[|<)({_TYPE})s?[\]>]?|({_TYPE})\[\]|optional\[({_TYPE})\]"
    rf"|({_TYPE})\s*(?:\||or)\s*(?:none|null)|(?:an?\s+|optional\s+|required\s+)*({_TYPE})",
    re.IGNORECASE,
)
_NOTE = r"\(([^()\n]{2,60})\)"
# At the start, or after a phrase without lists or fields.
_TYPE_NOTE = Guarded(rf"^{_NOTE}|^[^:,(\n.]{{0,200}}{_NOTE}(?=\s*(?:[.:;]?\s*$|\.\s))", "(")
_TYPE_LABEL = Guarded(rf"(?:^|[.\n]\s?)type\s?[:=]\s?({_TYPE})\b(?!\s?(?:or\b|[|/\[<]|of\b))", "type")
_TYPE_LEAD = Guarded(
    r"^(?:an?\s)?(string|integer|boolean)(?:\s(?:value|flag))?"
    r"(?:\s?[,.:;](?:\s|$)|\s(?:that|which|indicating|specifying|representing|containing|describing)\b|$)",
    "string",
    "integer",
    "boolean",
)
_ARRAY_LEAD = Guarded(r"^(?:an?\s)array\sof\s|^array\sof\s(?:strings|numbers|integers|objects|ids|names)\b", "array of")
_OBJECT_LEAD = Guarded(
    r"^(?:an?\s|the\s)?(?:optional\s)?(?:record|map|mapping|dictionary|dict)\s(?:of|from|mapping)\s|^(?:an?\s|the\s)?hash\smapping\s",
    "record",
    "map",
    "dict",
    "hash",
)
_TYPE_ORDER = Guarded(
    rf"(?:^|[.;\n]\s?|,\s)(?:(?:it|this|value|the value)\s)?(?:must|should|has to|needs to)\sbe\san?\s"
    rf"(?:valid\s|positive\s|non-negative\s|whole\s)?({_TYPE})\b(?!\s?(?:or\b|[|/,\[<]|of\b|that\b|literal\b|id\b|ID\b))",
    " be a",
)
_TYPE_AS = Guarded(
    r"(?<!parsed )(?<!treated )(?<!returned )(?<!displayed )(?<!shown )(?<!interpreted )(?<!stored )(?<!encoded )"
    r"\bas an?\s(string|integer|number|boolean)\b(?=\s?(?:$|[.;,(]))",
    "as a",
)
"""A type behind the thing that has it: "in cents, as a string"."""
_IF_TRUE = Guarded(r"^(?:if|when)\s(?:set\sto\s)?(?:true|false)\s?,", "true", "false")
_TEXTUAL = lazy_pattern(r"comma|separat|delimit|json|string|text|encoded|serial|newline|space", re.IGNORECASE)
_COMMA_LIST = Guarded(r"\bcomma[- ](?:separated|delimited)\s(?:string|list|values)\b", "comma")
_JSON_TEXT = Guarded(
    r"\bJSON(?:[- ](?:encoded|formatted|serialized|stringified))?\sstring\b(?!\s(?:array|keys?|lists?|values?)\b)"
    r"|\bstringified\sJSON\b(?!\sis\s(?:also\s)?(?:parsed|accepted|supported|fine))",
    "json",
)
_HEDGE = lazy_pattern(
    r"\b(?:not|never|no|without|instead of|rather than|unlike|or|also|each|every|either|item|items|element|elements)\b"
    r"|n't\b",
    re.IGNORECASE,
)


class TypeClaim(NamedTuple):
    """A stated type; ``item`` is the type of a list's items, if it is stated."""

    kind: str
    item: str | None = None

    @property
    def shown(self) -> str:
        """The type as a message names it."""
        return f"{self.kind} of {self.item}" if self.item else self.kind


def _note_type(note: str) -> TypeClaim | None:
    """The type in a parenthesised note such as ``string, optional``; ``None`` if the note is not only a type."""
    parts = [part.strip() for part in re.split(r"[,;]", note)]
    if parts and parts[0].lower() in ("optional", "required"):
        parts = parts[1:]
    if not parts:
        return None
    match = _LISTED.fullmatch(parts[0])
    if match is None or not all(_REMARK.fullmatch(part) for part in parts[1:]):
        return None
    item = match[1] or match[2]
    if item:
        return TypeClaim("array", _TYPES[item.lower()])
    return TypeClaim(_TYPES[(match[3] or match[4] or match[5]).lower()])


_REMARK = lazy_pattern(
    r"(?:optional|required|nullable|default\b.{0,40}|max\b.{0,20}|min\b.{0,20}|\d.{0,20})", re.IGNORECASE
)


def type_note(text: str) -> str:
    """The note about a parameter that names its type: "string, required"; empty if there is none."""
    note = _TYPE_NOTE.search(text)
    said = (note[1] or note[2]) if note is not None else ""
    return said if said and _note_type(said) is not None else ""


def stated_type(text: str, argument: str) -> TypeClaim | None:
    """The type that a description states for the parameter as a whole."""
    match = _TYPE_NOTE.search(text)
    claim = _note_type(match[1] or match[2]) if match is not None else None
    if claim is not None:
        return claim
    match = _TYPE_LABEL.search(text) if argument != "type" else None
    match = match or _TYPE_LEAD.search(text)
    if match is not None:
        return TypeClaim(_TYPES[match[1].lower()])
    if _OBJECT_LEAD.search(text) and not _TEXTUAL.search(text):
        return TypeClaim("object")
    return TypeClaim("array") if _ARRAY_LEAD.search(text) and not _TEXTUAL.search(text) else None


def ordered_type(text: str) -> TypeClaim | None:
    """The type in "must be a number" or "as a string". Not for containers, since it may refer to their items."""
    match = _TYPE_ORDER.search(text) or _TYPE_AS.search(text)
    if match is not None:
        return TypeClaim(_TYPES[match[1].lower()])
    return TypeClaim("boolean") if _IF_TRUE.search(text) else None


def states_comma_list(text: str) -> bool:
    """True if the description requires one string with commas."""
    return _plainly(_COMMA_LIST, text)


def states_json_text(text: str) -> bool:
    """True if the description requires JSON in a string."""
    return _plainly(_JSON_TEXT, text)


_NULL = Guarded(
    r"(?<!empty )(?<!missing )(?<!undefined )\bor null(?=\s?(?:$|[).,;]|(?:to|for)\s))"
    r"|(?:^|[(,;.]\s?)(?:(?:use|pass|send|set to|leave)\s)?null\s(?:to|for|means|clears?|removes?|resets?|unsets?)\b"
    r"|\b(?:set|pass|use|leave|send)\s(?:it\s|this\s)?(?:to\s|as\s)?[`'\"]?null[`'\"]?(?:\sto\b|(?=\s?(?:$|[(,;.]|or\b|for\b)))"
    r"|\bnull\s(?:is|are)\s(?:treated|accepted|allowed|interpreted)\b|\bnull\sor\s(?:omitted|empty|unset|missing)\b"
    r"|\b(?:omitted|empty|unset)\sor\snull\b|\bdefault(?:s to|\sis)?\s?[:=]?\s?null(?=\s?(?:$|[.;,)]))",
    "null",
)
_NO_NULL = lazy_pattern(
    r"\b(?:not|never|no|non|cannot|without|if|when|whether|is|are|returns?|returned|contains?|values?)\b|n't\b",
    re.IGNORECASE,
)


def states_null(text: str) -> bool:
    """True if the description offers null as a value of the parameter itself."""
    return any(
        not _NO_NULL.search(front := text[_near(text, match.start()) : match.start()])
        # "section ({heading, text} it sits in, or null)": a part of what is described.
        and not ("{" in front.rpartition("(")[2] and text.startswith(")", match.end()))
        for match in _NULL.finditer(text)
    )


_ABOUT_TYPES = Cues(
    *{
        word
        for guarded in (
            *(_TYPE_NOTE, _TYPE_LABEL, _TYPE_LEAD, _ARRAY_LEAD, _OBJECT_LEAD, _TYPE_ORDER, _TYPE_AS, _IF_TRUE),
            *(_NULL, _COMMA_LIST, _JSON_TEXT),
        )
        for word in guarded.cues.words
    }
)


def is_about_types(text: str) -> bool:
    """True if one of the readers of types, null, lists in a string and JSON in a string may find anything."""
    return _ABOUT_TYPES.are_in(lowered(text))


def _plainly(pattern: Guarded, text: str) -> bool:
    """True if there is a match that its sentence does not negate, offer as an alternative, apply to the items, or say
    of what something makes: "{{input}} serializes all of it as a JSON string"."""
    return any(
        not _HEDGE.search(front := text[_near(text, match.start()) : match.start()]) and not _MADE.search(front)
        for match in pattern.finditer(text)
    )


_MADE = lazy_pattern(
    r"\b(?:converts|emits|gives|outputs|prints|produces|renders|returns|serializes|stores|writes)\b", re.IGNORECASE
)


def _near(text: str, at: int) -> int:
    """Where the sentence with ``at`` begins, or at most 80 characters in front of it: what belongs together is near."""
    start = max(0, at - 80)
    return max(text.rfind(". ", start, at), text.rfind("\n", start, at), start)


# -- numbers

_NUMBER = r"-?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,15})?"
_COUNTED = (
    r"(?:results?|items?|rows?|entries|records?|lines|pages?|messages|files|commits|matches|documents|events|issues"
    r"|hits|nodes|posts|images|users|words|tokens|elements)"
)
_END = (
    rf"(?!,? (?:or|but|except|unless)\b)(?=\s?(?:$|[);\]\n]|[.,](?:\s|$)|\((?:max|min|range|optional)|{_COUNTED}"
    rf"(?:\s(?:per (?:page|request|call)|to return|returned))?\s?(?:$|[);\]\n]|[.,](?:\s|$))))"
)


def number(text: str) -> float:
    """A number as people write it, with commas between thousands."""
    plain = text.replace(",", "")
    return float(plain) if "." in plain else int(plain)


# -- defaults

_LEFT_OUT = r"(?:not\s(?:provided|specified|given|set)|omitted|unspecified)"
_DEFAULT = Guarded(
    rf"(?<!['\"`“])\bdefault(?:s\sto|\svalue(?:\sis)?|\sis)?\s?[:=]?\s?(?:({QUOTED})|(true|false|{_NUMBER}){_END})"
    rf"|\b(true|false|{_NUMBER})\sby\sdefault\b"
    rf"|\bif\s{_LEFT_OUT},?\s(?:{QUOTED}|(?:true|false|{_NUMBER}))(?=\sis\sused\b)"
    rf"|\buses\s(?:{QUOTED}|(?:true|false|{_NUMBER}))\sif\s{_LEFT_OUT}\b",
    "default",
    "if ",
    starts=r"\ddfitu-",
)
_LITERAL = lazy_pattern(rf"({QUOTED})|\b(true|false|{_NUMBER})(?=\s)", re.IGNORECASE)
_NAMED_DEFAULT = Guarded(
    r"\bdefault(?:s\sto|\svalue(?:\sis)?|\sis)?\s?[:=]?\s?([A-Za-z][\w\-]*)(?=\s?(?:$|[).,;\n]))", "default"
)
_MARKED_DEFAULT = Guarded(
    r"(?<![\w.\-])(?P<value>[A-Za-z0-9][\w.\-]{0,40})[`'\"*]{0,3}\s?\((?:the\s)?default(?:\s?\)|[,;]\s)", "default"
)
"""A value of a list that is marked: "`asc` (default) or `desc`"."""
_CHANGED = lazy_pattern(r"\b(?:was|were|previously|formerly|originally|until|used to)\b", re.IGNORECASE)
_REPLACES = lazy_pattern(
    r"(?i:(?:[<>]=?|[:.])\s?-?\d{1,9}\s$|\b(?:api|server|service|system|upstream)(?:'s)?\s$)"
    r"|\b[A-Z][A-Z0-9]{0,30}_[A-Z0-9_]{1,40}[`'\"]{0,3}\s?\(?$",
    re.NOFLAG,
)
"""In front of what replaces a value, or what something else has as its default: "0 defaults to 200", "the server
default is 200" and "falls back to MAX_USERS (default 5000)" say nothing of a call without it."""
_OF_LIMIT = lazy_pattern(r"\b(min|max|limit|cap)(?:imum)?\s?\($", re.IGNORECASE)
"""In front of the default of a limit: "its configured minimum (500 by default)"."""


_DEFAULT_OF_UNIT = Guarded(
    rf"\bdefault(?:s\sto|\svalue(?:\sis)?|\sis)?\s?[:=]?\s?()({_NUMBER})\s?()(?P<unit>[A-Za-z]{{1,12}})"
    r"(?=\s?(?:$|[);\]\n(]|[.,](?:\s|$)))(?!,? (?:or|but|except|unless)\b)",
    "default",
)


def stated_default(text: str, argument: str = "") -> tuple[str, bool] | None:
    """The default that a description states, if there is exactly one, and if it was quoted.

    Two defaults in one description are for two cases, which a schema cannot express.

    Args:
        text: a description.
        argument: the parameter; a default with a unit ("600 seconds") counts if its name ends in that unit.
    """
    found = list(_DEFAULT.finditer(text))
    if not found and (unit := unit_of_name(argument)) is not None:
        found = [match for match in _DEFAULT_OF_UNIT.finditer(text) if unit_of(match["unit"]) == unit]
    front = text[max(0, found[0].start() - 40) : found[0].start()] if len(found) == 1 else ""
    if len(found) != 1 or _CHANGED.search(front) or _REPLACES.search(front):
        return None
    limit = _OF_LIMIT.search(front) if found[0][0][:1].isdigit() else None
    if limit is not None and limit[1].lower() not in argument.lower():
        return None
    groups = found[0].groups()
    if not any(groups) and (literal := _LITERAL.search(found[0][0] + " ")) is not None:
        groups = literal.groups()
    quoted, *plain = groups
    return (quoted[1:-1], True) if quoted else (next(filter(None, plain)), False)


def named_default(text: str, values: Collection[str]) -> str | None:
    """The one of some values that a description states as the default without quotes; ``None`` if it states two."""
    found = {match[1] for match in _NAMED_DEFAULT.finditer(text) if match[1] in values}
    found |= {match["value"] for match in _MARKED_DEFAULT.finditer(text) if match["value"] in values}
    return found.pop() if len(found) == 1 and not _CHANGED.search(text) else None
