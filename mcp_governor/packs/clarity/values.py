"""Parameters that accept any string, for rules that suggest a restriction."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.fixes.corrections import narrowed
from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.claims import claims_about, read_values
from mcp_governor.prose.formats import read_formats
from mcp_governor.prose.keys import read_keys
from mcp_governor.prose.passages import Passage, passages_about
from mcp_governor.prose.shown_values import declared_values, shown_values
from mcp_governor.prose.vocabulary import FREE, MAPS, is_kind
from mcp_governor.prose.words import name_words
from mcp_governor.subjects.context import about, hit
from mcp_governor.subjects.schemas import COMPOSITION, closes, effective, parent_of, root_of, types_of, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.prose.claims import Claim
    from mcp_governor.subjects.context import Context, Hit, SchemaPlace


class OpenText(Struct, frozen=True):
    """A parameter, or the items of a list, that accepts any string.

    Attributes:
        node: the parameter.
        schema: its schema, with references resolved.
        items: the values are those of the items.
    """

    node: SchemaPlace
    schema: Mapping[str, Any]
    items: bool

    @property
    def name(self) -> str:
        return self.node.argument or ""

    @property
    def default(self) -> str:
        """The string that an omitted value stands for; empty if there is none."""
        default = self.schema.get("default")
        return default if isinstance(default, str) else ""

    def hit(self, keyword: str, value: Any, said: str, **facts: Any) -> Hit:
        """A hit at the parameter, with the missing part of its schema, which takes the empty string as well if that is
        the declared default.

        A list of values is evidence enough for a correction; a pattern is a guess at the form of values that nobody
        has seen.

        Args:
            keyword: the missing keyword: ``enum`` or ``pattern``.
            value: its value.
            said: the sentence that says so.
            facts: for the message.
        """
        missing: dict[str, Any] = {keyword: value}
        if not self.items and self.schema.get("default") == "":
            missing = {keyword: f"^$|{value}" if keyword == "pattern" else [*value, ""]}
        correction = narrowed(self.node, missing, items=self.items) if keyword == "enum" else None
        shown = {"items": {"type": "string", **missing}} if self.items else missing
        fragment = json.dumps(shown, ensure_ascii=False)[1:-1]
        return hit(
            self.node.pointer, value, correction=correction, argument=self.name, fragment=fragment, said=said, **facts
        )


def _open_text(node: SchemaPlace) -> OpenText | None:
    """The parameter at a node, if it accepts any string; sees through references and unions with null."""
    root = root_of(node)
    types = types_of(node.schema, root)
    if types is None or not types <= {"string", "array", "null"} or closes(root, node.schema):
        return None
    whole = effective(root, node.schema)
    if "string" in types and "array" not in types:
        return OpenText(node, whole, False)
    if "array" in types and "string" not in types and types_of(whole.get("items"), root) == frozenset({"string"}):
        return OpenText(node, whole, True)
    return None


@about(argument=True)
def closed_list(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A parameter whose values the description lists has an enum."""
    found = _open_text(node)
    if found is None:
        yield from _listed_numbers(node, context)
        return
    claim = stated_list(found, context)
    if claim is None or set(claim.listed.values) == {"true", "false"}:
        return  # clarity/stringly-typed asks for a boolean.
    values = claim.listed.values
    said = " ".join(passage.text for passage in passages_about(node, context))
    if not found.items and _JOINED.search(said):
        if len(values) <= _MAX_JOINED and not _MODIFIED.search(said):
            yield found.hit("pattern", _several(values, said), claim.sentence, takes="text")
        return
    more = [found.default] if found.default and found.default not in values else []
    yield found.hit("enum", [*values, *more], claim.sentence, takes="text")


_JOINED = lazy_pattern(
    r"\b(?:comma|semicolon|space|pipe)[-\s]?(?:separated|delimited)|\bseparated\sby\s(?:a\s)?(?:comma|semicolon)", 2
)
_MODIFIED = lazy_pattern(r"\b(?:modifiers?|(?:pre|suf)fix\w*|(?:de|a)scending|desc|sort\w*|combos?)\b", re.IGNORECASE)
"""Words for values that are more than one of a list: "name desc"."""
_MAX_JOINED = 8
"""Maximum number of values in a pattern for several in one string; with more, nobody reads it."""


def _several(values: tuple[str, ...], text: str) -> str:
    """The pattern for several of some values in one string, with the sign between them that a description names."""
    one = f"({'|'.join(map(re.escape, values))})"
    sign = ";" if "semicolon" in text.lower() else ","
    return f"^{one}({sign} ?{one})*$"


def stated_list(found: OpenText, context: Context) -> Claim | None:
    """The list of all values of a parameter, if what is said about it has exactly one.

    Of several, the longest counts if it has all values of the others; otherwise nothing is sure.
    """
    claims = [
        (passage.text, claim)
        for passage, claim in claims_about(found.node, context, read_values, mentions=True)
        if _closes(claim, found, context, own=passage.where != "mention" or claim.span[0] < _AT_ONCE, text=passage.text)
    ]
    # Of several readings of one list, the one that words announce counts, then the longest, then the one nearest to it.
    best: dict[tuple[str, int], tuple[bool, int, int]] = {}
    for text, claim in claims:
        key, rank = (text, claim.span[1]), _rank(claim)
        best[key] = max(best.get(key, rank), rank)
    read = [
        claim
        for text, claim in claims
        if best[text, claim.span[1]] == _rank(claim)
        # "- 'a': macOS/BSD" within a list with notes.
        and not any(text == other and whole.listed.quoted and _holds(whole.span, claim.span) for other, whole in claims)
    ]
    longest = max(read, key=lambda claim: len(claim.listed.values), default=None)
    if longest is None:
        return None
    every = set(longest.listed.values)
    return longest if all(every.issuperset(claim.listed.values) for claim in read) else None


def _holds(whole: tuple[int, int], part: tuple[int, int]) -> bool:
    return whole[0] < part[0] and part[1] < whole[1]


def _rank(claim: Claim) -> tuple[bool, int, int]:
    return claim.sure, len(claim.listed.values), claim.span[0]


_AT_ONCE = 3
"""Where a list begins that stands behind the name of the parameter: "position ('before' or 'after')"."""
_CONSTANT = lazy_pattern(
    r"[a-z]{1,3}\d{1,4}|[A-Z][A-Z\d]*(?:_[A-Z\d]+)*|[a-z]+(?:[_-][a-z\d]+)+|[A-Z]+[a-z\d]+(?:[A-Z][a-z\d]+)+"
)
"""A word that no phrase has."""
_MEASURE = lazy_pattern(
    r"\d{1,6}[a-zA-Z%]{1,5}|\d{1,6}:\d{1,6}|[+-]?\d{1,6}(?:\.\d{1,6})?|[A-Z]{1,2}\d{1,4}(?::[A-Z]{1,2}\d{1,4})?"
)
"""An amount, a ratio or a cell: a few of them are samples."""
_NAMES = FREE | {
    *("city", "company", "country", "county", "domain", "ip", "person", "place", "province", "slug", "street", "town"),
    "zip",
}


def _closes(claim: Claim, found: OpenText, context: Context, *, own: bool, text: str) -> bool:
    """True if a list has all values of a parameter, and not a few of many or those of something else."""
    listed, values = claim.listed, set(claim.listed.values)
    kind = is_kind((name_words(found.name) or ("",))[-1]) or is_kind(claim.said.get("noun", "").lower())
    if found.default and found.default not in values and not (claim.sure and "default" in text.lower()):
        return False
    if not own and not (claim.sure or (listed.quoted and found.name in claim.sentence)):
        return False
    if _is_of_something_else(claim, found, context):
        return False
    if all(map(_CODE.fullmatch, values)) and not (claim.sure or listed.glossed == len(values)):
        return False
    return _has_values(claim, found.name, kind=kind, own=own) and not (
        "unit" in claim.sentence.lower() and "unit" not in found.name and not kind
    )


def _has_values(claim: Claim, name: str, *, kind: bool, own: bool) -> bool:
    """True if what is listed are values, by how they are written and by the name of the parameter."""
    listed, values = claim.listed, set(claim.listed.values)
    last = (name_words(name) or ("",))[-1]
    free = last.removesuffix("s") in _NAMES or last in _NAMES
    # The words of a phrase, and the names of what anybody has: "city, state or country", "name or id".
    named = 0 if listed.quoted else sum(value.lower().removesuffix("s") in _NAMES for value in values)
    # "Kind: branch, tag or commit." of a parameter for a kind is about kinds of things, not about names of them.
    kinds = is_kind(last) and is_kind(claim.said.get("noun", "").lower())
    phrase = 2 * named >= len(values) and not kinds
    constants = all(map(_CONSTANT.fullmatch, values)) and (
        len(values) > 2 or any("_" in value or len(value) > 2 for value in values if value.isupper() or "_" in value)
    )
    several = len(values) > 2 and ("or" in listed.joined or listed.glossed == len(values))
    if not claim.sure and _are_samples(values, last, claim.said.get("noun", "").lower()):
        return False
    if not (claim.sure or kind or several) and all(map(_MEASURE.fullmatch, values)):
        return False
    if claim.sure:
        plain = ("\n" in listed.joined and not own) or (not free and (kind or (not phrase and (own or several))))
        return listed.quoted or constants or plain
    if free:
        announced = listed.quoted and several and last in claim.sentence.lower()
        return announced or (constants and claim.form == "whole-text" and "or" in listed.joined)
    if listed.quoted:
        return (
            kind
            or several
            or bool({"or", "|", "/"} & listed.joined)
            or listed.glossed >= len(values) - 1
            or len(values) > 2
        )
    whole = claim.form in ("whole-text", "in-brackets", "behind-colon", "or-in-words")
    upper = "or" in listed.joined and all(map(str.isupper, values))
    if constants or upper or {"|", "/"} & listed.joined or listed.glossed >= max(len(values) - 1, 2):
        return not phrase and (whole or (constants and claim.form == "must-be"))
    marked = "(default" in claim.sentence
    return whole and not phrase and (kind or marked or (several and claim.form != "or-in-words"))


def _are_samples(values: set[str], last: str, noun: str) -> bool:
    """True if values that nothing announces show how others are written, or name some of many."""
    if last == "model" or values == {"existing", "new"} or all("." in value for value in values):
        return True
    return noun == "format" and not is_kind(last) and all(value[:1].isdigit() for value in values)


_SUBJECT = lazy_pattern(
    r"(?:the\s)?[`'\"]?(\w{1,60})[`'\"]?\s(?:parameter\s)?(?:must|has\sto|should|can)\sbe\b", re.IGNORECASE
)
"""What a sentence is about: "The model must be 'a-2'" says nothing of the image for which it stands."""
_CODE = lazy_pattern(r"[a-z]{2}(?:[-_][A-Za-z]{2})?")
"""A code of a language or a country: there are more than anybody lists."""


def _is_of_something_else(claim: Claim, found: OpenText, context: Context) -> bool:
    """True if values are names of parameters or tools, or the values of another parameter."""
    values, sure, quoted = set(claim.listed.values), claim.sure, claim.listed.quoted
    said_of = _SUBJECT.match(claim.sentence)
    subject = said_of[1] if said_of else ""
    siblings = parent_of(found.node).get("properties", {})
    others = siblings.keys() - {found.name}
    if found.name in values or 2 * len(values & context.facts.names) >= len(values) or subject in others:
        return True
    # "get_priorities" returns those of a priority: each site has its own.
    ends = context.facts.memo("ends of names", lambda: {name_words(name)[-2:] for name in context.facts.names})
    last = (name_words(found.name) or ("",))[-1]
    plural = f"{last[:-1]}ies" if last.endswith("y") else f"{last}s"
    if not sure and not ends.isdisjoint((("get", plural), ("list", plural))):
        return True
    if sure and quoted:
        return False
    if 2 * len(values & others) >= len(values):
        return True
    root = root_of(found.node)
    closed = (values_of(root, siblings[name]) or () for name in others)
    return any(values <= {value for value in one if isinstance(value, str)} for one in closed)


def _listed_numbers(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """The numbers that a parameter accepts, if its description lists them or gives the meaning of each."""
    schema, root = node.schema, root_of(node)
    types = (types_of(schema, root) or frozenset()) - {"null"}
    if not types or not types <= {"integer", "number"} or values_of(root, schema) is not None:
        return
    whole = effective(root, schema)
    last = (name_words(node.argument or "") or ("",))[-1]
    kind = is_kind(last) and last not in _AMOUNTS
    for _, claim in claims_about(node, context, read_values):
        listed = claim.listed
        if not all(map(_NUMBER.fullmatch, listed.values)) or len(listed.values) < 2:
            continue
        codes = [int(value) for value in listed.values]
        if len(codes) == 2 and "range" in claim.sentence.lower():
            continue  # "Values range [1, 9]"
        explained = listed.glossed == len(codes) and (len(codes) > 2 or kind) and (min(codes) >= 0 or kind)
        # "Port: 80 (http), 443 (https)" shows a few of all.
        few = max(codes) - min(codes) >= 2 * len(codes)
        if not (claim.sure or claim.form == "must-be") and (not explained or few):
            continue
        if whole.get("default") is None or whole["default"] in codes:
            yield hit(
                node.pointer,
                codes,
                correction=narrowed(node, {"enum": codes}),
                argument=node.argument,
                fragment=f'"enum": {json.dumps(codes)}',
                takes="number",
                said=claim.sentence,
            )
        return


_AMOUNTS = ("depth", "precision", "quality", "range", "resolution", "scale", "size", "speed", "weight")
"""Kinds that are amounts as well: "0 = only this, 1 = its children" begins to count."""
_NUMBER = lazy_pattern(r"[+-]?\d{1,9}")


@about(argument=True)
def stated_format(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A format that the description gives is a pattern."""
    found = _open_text(node)
    claim = _stated(found, context) if found is not None else None
    if found is None or claim is None or any(closed_list(node, context)):
        return
    pattern = claim.said["pattern"]
    if all(re.search(pattern, value) for value in _shown(found, context)):
        yield found.hit("pattern", pattern, claim.sentence)


def _stated(found: OpenText, context: Context) -> Claim | None:
    """The one format that is stated; ``None`` for two, and for several values in one string."""
    claims = [
        claim
        for passage, claim in claims_about(found.node, context, read_formats, mentions=True)
        if (passage.where != "mention" or claim.span[0] < _AT_ONCE)
        and (found.items or not passage.text.lower().startswith(_IN_A_ROW))
    ]
    claims = [claim for claim in claims if claim.sure] or claims  # "ISO 8601 (YYYY-MM-DD)": the drawing says more.
    return claims[0] if len({claim.said["pattern"] for claim in claims}) == 1 else None


_AT_ONCE = 3
"""Where a format begins that stands behind the name of the parameter: "day (MM-YYYY)"."""
_IN_A_ROW = ("list of", "a list of", "array of", "an array of", "comma", "several ")


def _shown(found: OpenText, context: Context) -> Iterator[str]:
    """The values that the schema of a parameter and the words about it show."""
    yield from declared_values(found.schema)
    for said in passages_about(found.node, context):
        yield from shown_values(said.text)


_MAX_SHOWN = 6
"""Maximum number of keys named in a message."""
_OF_THE_CALLER = MAPS | {
    *("body", "context", "data", "document", "documents", "entity", "env", "headers", "input", "metadata", "metadatas"),
    *("payload", "points", "queries", "record", "records", "rows", "series", "state", "variables", "vars"),
}
"""Last words of names for objects with keys of the caller's own, whatever an example shows."""
_ANY_KEYS = lazy_pattern(
    r"\b(?:key[-/ ]values?|keyed\s(?:by|on)|arbitrary|any\s(?:key|field|object|valid|json|additional)|free-?form"
    r"|maps?\sof|mapping|map\sfrom|custom|depend(?:s|ing)\son|varies|e\.g\.,?\s\{|headers?|variables|environment"
    r"|columns?|user-defined)\b",
    re.IGNORECASE,
)
_LANGUAGE = lazy_pattern(
    r"\bjson[\s_-]?(?:logic|schema)\b|\b(?:query|filter|search)\s(?:dsl|language|syntax)\b"
    r"|[{,]\s?[\"']?\$\w{1,20}[\"']?\s?:"
    r"|[{,]\s?[\"'](?:and|or|not|if|var|must|must_not|should|all|any|some)[\"']\s?:",
    re.IGNORECASE,
)
"""An expression of a language, whose operators are keys and contain other expressions."""
_SAMPLES = frozenset({"a", "bar", "column", "column1", "field", "field1", "foo", "id", "k", "key", "key1", "x"})
_SHAPED = frozenset({"properties", "patternProperties", "propertyNames", "enum", "const", *COMPOSITION})
_NEEDED = lazy_pattern(
    r"(?:(?:objects?|requests?|parameters?|arguments?|dict|payloads?)\s)?(?:must\s(?:have|include|contain)|requires?|needs)\b",
    re.IGNORECASE,
)
"""How a sentence that names an object goes on, if keys of that object follow."""


@about(argument=True)
def stated_object(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """The keys that a description lists or shows are properties of the object."""
    schema = _bare_object(node)
    if schema is None:
        return
    for said in passages_about(node, context, mentions=True):
        if said.where == "section" or (said.where == "mention" and not _NEEDED.match(said.text)):
            continue
        keys = _keys(said, node.argument or "", context)
        if keys:
            more = f" and {len(keys) - _MAX_SHOWN} more" if len(keys) > _MAX_SHOWN else ""
            where = ' of its "items"' if "array" in (types_of(schema) or ()) else ""
            yield said.hit(keys=", ".join(keys[:_MAX_SHOWN]) + more, where=where)
            return


def _keys(said: Passage, name: str, context: Context) -> list[str]:
    """The keys that a passage gives for an object."""
    if _LANGUAGE.search(said.text):
        return []
    for claim in context.facts.read(read_keys, said.text):
        keys = [key for key in claim.listed.values if key != name]
        if len(keys) > 1 and claim.form != "keys-shown":
            return keys
        if not _SAMPLES.issuperset(keys) and not _ANY_KEYS.search(said.text, 0, claim.span[0]):
            return keys if _OF_THE_CALLER.isdisjoint(name_words(name)[-1:]) else []
    return []


def _bare_object(node: SchemaPlace) -> Mapping[str, Any] | None:
    """The schema of a parameter that takes any object or a list of any objects; ``None`` for others."""
    root = root_of(node)
    schema = effective(root, node.schema)
    types = types_of(schema) or frozenset()
    if not types & {"object", "array"} or types - {"object", "array", "null"}:
        return None
    items = schema.get("items", {}) if "array" in types else schema
    inner = effective(root, items) if isinstance(items, dict) else None
    if inner is None or inner.get("type", "object") != "object":
        return None
    # Generators write a schema for names that is true of every name.
    said = {key for key in inner.keys() & _SHAPED if key != "propertyNames" or inner[key] != {"type": "string"}}
    extra = inner.get("additionalProperties")
    return None if said or (isinstance(extra, dict) and extra) else schema
