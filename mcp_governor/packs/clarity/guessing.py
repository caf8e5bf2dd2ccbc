"""Parameters that a model cannot guess by name and type, and the words that settle them.

Only open questions count: ``filename`` and ``limit`` need no description, a ``status`` needs its values, a ``filter``
its syntax, and a free-form object its keys.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.words import STOP_WORDS, stem, word_count, word_set, words
from mcp_governor.subjects.schemas import branches_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_CHOICES = word_set("""
    action align alignment behavior behaviour direction format frequency granularity horizontal kind layout level mode
    operation order orientation outcome placement policy position preset priority protocol quality rating resolution
    scheme scope severity sort state status strategy style tier type unit units until vertical visibility
""")
"""Last words of names for one of a few values that nobody can guess."""
_NUMBERED = word_set("action kind mode operation reason result state status strategy type")
"""Those of them whose values may be numbers, so that a number needs an explanation."""
_SEVERAL = word_set("""
    actions categories dimensions expand flags formats include kinds metrics operations permissions scopes states
    statuses types
""")
"""Last words of names for lists of such values."""
_FREE = word_set("content entity file font host media mime")
"""Words in front of these that make the value guessable or open: ``mime_type``; a font has styles of its own, and the
``hostScope`` of a database is any host."""
_WRITTEN = word_set("cell date datetime number time value")
"""Words in front of ``format`` that make it a form to write values in, such as ``0.00``, and no choice."""
_COUNTS = word_set("max min num number total")
_VAGUE = word_set("""
    args criteria expression geoloc info input key object options params payload ref rule spec target value
""")
"""Names that do not say what belongs there."""
_MAPS = word_set("""
    annotations attributes context env environment extra extras headers labels meta metadata properties schema tags
    variables vars
""")
"""Names of objects that accept any keys."""
_KEYED_BY_USERS = word_set("additional custom extra variables")
"""Words anywhere in such a name: ``customData``, ``variables_after``."""
_OF_THE_USER = word_set("document documents record records row rows")
"""Names of what users keep: its keys are theirs."""
_IS_DATE = lazy_pattern(r"\b(?:dates?|yyyy|iso|time\w*|days?)\b", re.IGNORECASE)
_ASKED = _CHOICES | _NUMBERED | _SEVERAL | _VAGUE | {"filter"}
"""Last words of names that are checked."""

_ENUM_ELSEWHERE = lazy_pattern(
    r"\(?\b(?:see|refer to|from|of|per)\s(?:the\s)?[`'\"]?[A-Z]\w{2,40}[`'\"]?\s(?:enum\w*|constants?)\b\)?", re.NOFLAG
)
_VALUES = lazy_pattern(
    r"['\"`‘“|{=]|\b(?:e\.\s?g|i\.\s?e|such as|like|for example|examples?|or|one of|options|supported|see|same as|"
    r"returned by|from|names?)\b|:\s?\S|\w/\w|\w, \w|(?-i:\b[A-Z][A-Z0-9_]{2,}\b)|\d|\((?!optional|required)\w+\)"
    r"|two-letter|abbreviations?\b",
    re.IGNORECASE,
)
_JSON = lazy_pattern(
    r"\bJSON[- ](?:string|object|array|text|document|encoded|list|map|dict\w*|data|format)\b|"
    r"\b(?:as|in)\s(?:a\s)?JSON\b|\bstringified\s(?:an?\s)?(?:JSON|object|array|list|map|dict\w*|value)\b",
    re.IGNORECASE,
)
_SHAPE_GIVEN = lazy_pattern(
    r"[{<]|\[\s?[\"'{\[]|['\"`“]|\b(?:keys?|fields?|columns?|properties|syntax|"
    r"(?:dictionary|keyed|maps?|mapping|pairs)\b[^.\n]{0,30}\b(?:names?|ids?|urls?|values?|languages?)|"
    r"e\.\s?g|such as|like|for example|examples?|schema|same as|returned|see|contain\w*|includ\w*|with|"
    r"format|arguments?)\b|:\s?\S",
    re.IGNORECASE,
)
_LIST_GIVEN = lazy_pattern(
    r"\b(?:(?:[12][- ]?D|(?:two|one)-dimensional|nested)\s(?:array|list)|(?<!JSON\s)(?:array|list)s?\sof\s(?!JSON)\w)",
    re.IGNORECASE,
)
_CONTENTS = frozenset({"content", "data", "document", "value", "values"})
_KEPT = lazy_pattern(
    r"\bto\s(?:be\s)?(?:add|append|insert|publish|put|save|send|set|store|write)(?:d|n|ed)?\b", re.IGNORECASE
)
"""What becomes of a value that is the user's own, whatever it is."""
_SEALED = frozenset(
    {"attestation", "certificate", "credential", "manifest", "proof", "receipt", "signature", "token", "voucher"}
)
"""What somebody has made or signed and the caller passes on as it is, but not parts of it: the caller writes a
``token_filter_json``."""
_KEYS_OF_USER = lazy_pattern(
    r"\b(?:field|key|name|column|parameter|variable)s?(?:\s(?:and|to)\s|-|/|\s?->\s?)(?:their\s)?values?\b",
    re.IGNORECASE,
)
"""Any keys with their values: "the fields and values of the entry"."""
_LONG = 16
"""Number of words from which on a description is assumed to say what belongs there, in a way that is not checked."""
_LONG_SHAPE = 24
"""The same for objects, which need a longer description."""
_MAX_TEXT = 4_000
"""Maximum number of characters read from a tool's description."""
_FILES = word_set("file filename filepath path uri url")
_GENERIC = frozenset(
    map(
        stem,
        STOP_WORDS
        | word_set("""
    additional applied apply array body condition config configuration criteria custom data dict dictionary expression
    filter filtering information input json list new object objects option optional options parameters params query
    required result results returned search set settings specific string value values
"""),
    )
)


class Argument(Struct, frozen=True):
    """Everything that is known about one parameter.

    Attributes:
        name: as published.
        parts: the words of the name.
        schema: its schema, with references resolved.
        types: its types without ``null``; empty if any type is accepted.
        text: everything that is said about it.
        of_tool: the description of its tool.
        nested: it is part of an object, whose name says what a ``value`` is.
    """

    name: str
    parts: tuple[str, ...]
    schema: Mapping[str, Any]
    types: frozenset[str]
    text: str
    of_tool: str
    nested: bool = False

    @property
    def has_default(self) -> bool:
        """True if a default shows what a value looks like."""
        return self.schema.get("default") not in (None, "")


def may_be_open(parts: tuple[str, ...], types: frozenset[str], own: str) -> bool:
    """True if :func:`open_question` can have an answer. This is one lookup, far cheaper than reading the descriptions.

    Args:
        parts: the words of the name.
        types: its types.
        own: its own description, or the tool's if it has none.
    """
    if not parts or parts[-1] in _ASKED or "JSON" in own or "stringified" in own:
        return bool(parts)
    return not types or "object" in types or "array" in types


def open_question(one: Argument) -> str | None:
    """The open question about a parameter, as a message key of clarity/parameter-described, or ``None``."""
    if not one.parts or _closes(one.schema):
        return None
    found = None
    if one.types <= {"string"}:
        found = _of_text(one)
    elif one.types <= {"integer", "number"}:
        found = _of_number(one)
    return found or _of_shape(one)


CLOSING = ("enum", "const", "pattern", "format", "examples", "x-enum", "$ref")
"""Keywords that define the possible values, and a reference that could not be resolved."""


def _closes(schema: Mapping[str, Any]) -> bool:
    return any(one.get(key) not in (None, []) for one in (schema, *branches_of(schema)) for key in CLOSING)


_NAMESPACE = lazy_pattern(r"\b(?:app|application|filter|namespace)\b", re.IGNORECASE)
"""A scope that is one of the user's own, by which something is found."""
_LABEL = lazy_pattern(r"\blabel\b", re.IGNORECASE)
"""Text for people: "glasses"."""


def _of_text(one: Argument) -> str | None:
    *front, last = one.parts
    before = front[-1] if front else ""
    if last == "until" and _IS_DATE.search(one.text):
        return None  # What to wait until is one of a few events; the end of a period is a date.
    if (last == "scope" and _NAMESPACE.search(one.text)) or (last == "unit" and _LABEL.search(one.text)):
        return None
    if last in _CHOICES or (last == "filter" and before in _NUMBERED):
        open_ended = before in _FREE or (last == "format" and before in _WRITTEN) or (last == "protocol" and one.nested)
        return "values" if not open_ended and _lacks_values(one.text) else None
    return None


_STATUS_CODE = lazy_pattern(r"\bstatus\scodes?\b", re.IGNORECASE)
"""Of HTTP, whose numbers everybody knows."""


def _of_number(one: Argument) -> str | None:
    *front, last = one.parts
    value = front[-1] if last == "filter" and front else last
    counts = bool(front) and front[0] in _COUNTS
    known = counts or (value == "status" and _STATUS_CODE.search(one.text) is not None)
    return "numbers" if value in _NUMBERED and not known and _lacks_values(one.text) else None


def _lacks_values(text: str) -> bool:
    text = _ENUM_ELSEWHERE.sub("", text) if "num" in text else text
    return not text.strip() or (word_count(text) < _LONG and not _VALUES.search(text))


def _of_shape(one: Argument) -> str | None:
    """The question about an object or list without a shape, or about a string with JSON or another language in it."""
    last, bare = one.parts[-1], not one.text.strip() and not one.has_default
    structured = bool(one.types) and one.types <= {"array", "object"}
    if (structured or not one.types) and not _has_shape(one.schema):
        by_users = last in _MAPS or not _KEYED_BY_USERS.isdisjoint(one.parts)
        if by_users or (last in _OF_THE_USER and not bare):
            return None
        if bare:
            # clarity/typed-argument reports what has not even a type.
            return None if _shown(one) or not (one.types or branches_of(one.schema)) else "shape"
        return "keys" if "object" in one.types and _lacks_keys(one) else None
    if one.types == {"array"} and last in _SEVERAL and one.text.strip() and _is_list_of_strings(one.schema):
        return "values" if _lacks_values(one.text) else None
    if structured:
        return None
    # Further down, the parent object says what a "value" is.
    vague = bare and not one.nested and len(one.parts) == 1 and last in _VAGUE
    return _of_json(one) or ("bare" if vague else None)


def _lacks_keys(one: Argument) -> bool:
    # "fields" as the description of "fields" does not name keys.
    text = re.sub(rf"(?<!\w){re.escape(one.name)}(?!\w)", "", one.text)
    if _KEYS_OF_USER.search(one.text):
        return False
    return _is_thin(one) and not _SHAPE_GIVEN.search(text) and not _shown(one)


_ANY_TYPES = 3
"""Number of types of a value from which on it is any value: nobody asks what is in the JSON of it."""


def _without_json(parts: tuple[str, ...]) -> tuple[str, ...]:
    return parts[:-1] if parts[-1:] == ("json",) else parts


def _of_json(one: Argument) -> str | None:
    """The question about JSON in a string."""
    last = one.parts[-1]
    if "string" not in one.types or one.has_default or last in _FILES or len(one.types) > _ANY_TYPES:
        return None
    if _JSON.search(one.text):
        rest = _JSON.sub("JSON", one.text)
        explained = word_count(one.text) > _LONG_SHAPE or _SHAPE_GIVEN.search(rest) or _LIST_GIVEN.search(rest)
        kept = last in _CONTENTS and _KEPT.search(one.text)
        passed = not _SEALED.isdisjoint(_without_json(one.parts)[-1:])
        return "json" if not (explained or kept or passed or _has_items(one.schema) or _shown(one)) else None
    return None


def _is_thin(one: Argument) -> bool:
    """True if a description adds at most two words to the name."""
    own = {stem(word) for word in one.parts} | {"map"}
    return len({root for root in map(stem, words(one.text[:400])) if root not in _GENERIC and root not in own}) <= 2


def _shown(one: Argument) -> bool:
    """True if an example in the tool's description gives the parameter a value with a shape."""
    if one.name not in one.of_tool or not ("{" in one.of_tool or "[" in one.of_tool):
        return False
    shown = rf"(?<!\w){re.escape(one.name)}[\"'`*]{{0,3}}\s?[:=]\s?[\"'`]?[\[{{]"
    return re.search(shown, one.of_tool[:_MAX_TEXT]) is not None


def _is_list_of_strings(schema: Mapping[str, Any]) -> bool:
    items = schema.get("items")
    return isinstance(items, dict) and items.get("type") == "string" and not any(key in items for key in CLOSING)


def _has_items(schema: Mapping[str, Any]) -> bool:
    """True if the value may be a list with typed items, or an object with declared keys, as well as a string."""
    return any(_has_shape(one) and one.get("type") != "string" for one in branches_of(schema))


def _has_shape(schema: Mapping[str, Any]) -> bool:
    if any(key in schema for key in ("properties", "patternProperties", "prefixItems", "allOf")):
        return True
    if schema.get("additionalProperties") not in (None, True, {}):
        return True
    items = schema.get("items")
    if "items" in schema:
        return (
            isinstance(items, dict)
            and bool(items)
            and (items.get("type") not in ("array", "object") or _has_shape(items))
        )
    branches = branches_of(schema)
    if branches and "type" not in schema:
        # A string as the alternative to the object says just as little about its keys.
        return any(_has_shape(one) for one in branches if one.get("type") not in ("null", "string"))
    return "type" not in schema and schema != {}
