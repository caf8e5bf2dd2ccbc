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

    from mcp_governor.findings import Correction
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

    def hit(self, keyword: str, value: Any, said: str, *, correction: Correction | None = None, **facts: Any) -> Hit:
        """A hit at the parameter, with the missing part of its schema.

        Args:
            keyword: the missing keyword: ``enum`` or ``pattern``.
            value: its value.
            said: the sentence that says so.
            correction: that adds the keyword.
            facts: for the message.
        """
        missing = {keyword: value}
        shown = {"items": {"type": "string", **missing}} if self.items else missing
        fragment = json.dumps(shown, ensure_ascii=False)[1:-1]
        place, name = self.node.pointer, self.node.argument
        return hit(place, value, correction=correction, argument=name, fragment=fragment, said=said, **facts)


def _open_text(node: SchemaPlace) -> OpenText | None:
    """The parameter at a node, if it accepts any string; sees through references and unions with null."""
    root = root_of(node)
    types = types_of(node.schema, root)
    if types is None or not types <= {"string", "array", "null"} or closes(root, node.schema):
        return None
    whole = effective(root, node.schema)
    if "string" in types and "array" not in types:
        return OpenText(node, whole, False)
    if "string" not in types and types_of(whole.get("items"), root) == frozenset({"string"}):
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
    values, default = [*claim.listed.values], found.schema.get("default")
    said = " ".join(passage.text for passage in passages_about(node, context))
    if not found.items and _JOINED.search(said):
        one = f"({'|'.join(map(re.escape, values))})"
        if "modifier" not in said:
            yield found.hit("pattern", f"^{one}([,;] ?{one})*$", claim.sentence, takes="text")
        return
    if isinstance(default, str) and default not in values:
        values.append(default)
    fits = not isinstance(default, list) or set(values).issuperset(map(str, default))
    # "Filter by status (Open, Closed)" names those that one asks for; that there are no others, its author knows.
    certain = claim.sure or claim.listed.quoted or claim.form != "in-brackets" or not _FILTERS.match(claim.sentence)
    correction = narrowed(node, {"enum": values}, said, items=found.items) if fits and certain else None
    yield found.hit("enum", values, claim.sentence, correction=correction, takes="text")


_FILTERS = lazy_pattern(r"(?:optional(?:ly)?[:,]?\s)?filter(?:s|ed|ing)?\s", re.IGNORECASE)
_JOINED = lazy_pattern(
    r"\b(?:comma|semicolon|space|pipe)[-\s]?(?:separated|delimited)|\bseparated\sby\s(?:a\s)?(?:comma|semicolon)", 2
)
"""Several of the values are in one string."""


def stated_list(found: OpenText, context: Context) -> Claim | None:
    """The list of all values of a parameter, if what is said about it has exactly one.

    Of several, the longest counts if it has all values of the others; otherwise nothing is sure.
    """
    # Several forms may read one list: the one that words announce counts, then the longest, then the nearest to it.
    best: dict[tuple[str, int], Claim] = {}
    for passage, claim in claims_about(found.node, context, read_values, mentions=True):
        at_once = passage.where != "mention" or _AT_ONCE.fullmatch(passage.text, 0, claim.span[0])
        if (claim.sure or at_once) and _closes(claim, found):
            key = passage.text, claim.span[1]
            known = best.setdefault(key, claim)
            if _rank(known, passage.text) < _rank(claim, passage.text):
                best[key] = claim
    # "EU (north, south), US": what stands within another list is a note on one of its values.
    notes = {one for one in best for other in best if one[0] == other[0] and _is_within(best[one], best[other])}
    claims = [claim for key, claim in best.items() if key not in notes]
    longest = max(claims, key=lambda claim: len(claim.listed.values), default=None)
    if longest is None or not all(set(longest.listed.values).issuperset(claim.listed.values) for claim in claims):
        return None
    return longest


def _rank(claim: Claim, text: str) -> tuple[bool, int, bool, int]:
    at = claim.span[0]
    # Of bullets, the first value is not what stands behind the colon in the first one.
    return claim.sure, len(claim.listed.values), text[:at].endswith(("\n- ", "\n* ")) or at == _BULLET, at


def _is_within(claim: Claim, other: Claim) -> bool:
    return other.span[0] < claim.span[0] and claim.span[1] < other.span[1]


_BULLET = 2
"""Where a value in a bullet begins that begins the text."""
_AT_ONCE = lazy_pattern(r"\W{0,3}(?:(?:can|may|must|should|has\sto)\sbe\s(?:either\s)?)?\W?", re.IGNORECASE)
"""What is in front of a list that stands behind the name of its parameter: "position ('before' or 'after')"."""
_CONSTANT = lazy_pattern(
    r"[a-z]{1,3}\d{1,4}|[A-Z][A-Z\d]*(?:_[A-Z\d]+)*|[a-z]+(?:[_-][a-z\d]+)+|[A-Z]+[a-z\d]+(?:[A-Z][a-z\d]+)+"
)
"""A word that no phrase has."""
_SAMPLE = lazy_pattern(r"[+-]?\d|[A-Z]{1,2}\d{1,4}(?!\w)")
"""How an amount, a ratio, or a cell begins: a few of them are samples."""
_NAMES = FREE | {
    *("city", "company", "country", "county", "domain", "ip", "person", "place", "province", "slug", "street", "town"),
    "zip",
}
_WHOLE = ("whole-text", "in-brackets", "behind-colon", "or-in-words")
"""Forms in which nothing but the list is between two signs."""


def _closes(claim: Claim, found: OpenText) -> bool:
    """True if a list has all values of a parameter, and not a few of many or those of something else."""
    listed, values, default = claim.listed, set(claim.listed.values), found.schema.get("default")
    if (default and isinstance(default, str) and default not in values) or _is_of_something_else(claim, found):
        return False
    last, noun, sentence = _last_word(found.node), claim.said.get("noun", "").lower(), claim.sentence.lower()
    kind = is_kind(last) or is_kind(noun)
    free = last.removesuffix("s") in _NAMES
    # The words of a phrase, and the names of what anybody has: "city, state or country", "name or id".
    named = 0 if listed.quoted else sum(value.lower().removesuffix("s") in _NAMES for value in values)
    phrase = 2 * named >= len(values) and not (is_kind(last) and is_kind(noun))
    constants = all(map(_CONSTANT.fullmatch, values)) and (
        len(values) > 2 or any("_" in value or len(value) > 2 for value in values if value.isupper() or "_" in value)
    )
    if "unit" in sentence and not kind:
        return False
    if claim.sure:
        return listed.quoted or constants or (not free and (kind or not phrase))
    several = len(values) > 2 and ("or" in listed.joined or listed.glossed == len(values))
    certain = listed.quoted or (constants and claim.form == "whole-text")
    if free and not (certain and several and last in sentence):
        return False
    samples = not (is_kind(last) or (several and noun != "format")) and all(map(_SAMPLE.match, values))
    dotted = all("." in value for value in values) and not (is_kind(last) and len(values) > 2)
    if samples or dotted:
        return False
    explained = listed.glossed >= max(len(values) - 1, 2) or "(default" in sentence
    shown = kind or several or explained or not listed.joined.isdisjoint(("|", "/"))
    if listed.quoted:
        return shown or len(values) > 2 or "or" in listed.joined
    whole = claim.form in _WHOLE or (constants and claim.form == "must-be")
    return whole and not phrase and (shown or constants)


def _last_word(node: SchemaPlace) -> str:
    """The last word of the name of a parameter, which mostly says what its value is."""
    return (name_words(node.argument or "") or ("",))[-1]


_SUBJECT = lazy_pattern(
    r"(?:the\s)?[`'\"]?(\w{1,60})[`'\"]?\s(?:parameter\s)?(?:must|has\sto|should|can)\sbe\b", re.IGNORECASE
)
"""What a sentence is about: "The model must be 'a-2'" says nothing of the image for which it stands."""


def _is_of_something_else(claim: Claim, found: OpenText) -> bool:
    """True if values are names of parameters or tools, or the values of another parameter."""
    values, sure, quoted = set(claim.listed.values), claim.sure, claim.listed.quoted
    said_of = _SUBJECT.match(claim.sentence)
    siblings = parent_of(found.node).get("properties", {})
    others = siblings.keys() - {found.node.argument}
    if found.node.argument in values or (said_of and said_of[1] in others):
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
    default = effective(root, schema).get("default")
    for passage, claim in claims_about(node, context, read_values):
        listed = claim.listed
        if len(listed.values) < 2 or not all(map(_NUMBER.fullmatch, listed.values)):
            continue
        codes = [int(value) for value in listed.values]
        # "Port: 80 (http), 443 (https)" shows a few of all.
        dense = max(codes) - min(codes) < 2 * len(codes)
        few = len(codes) == 2 and not is_kind(_last_word(node))
        explained = listed.glossed == len(codes) and dense and not few and min(codes) >= 0
        if not (claim.sure or claim.form == "must-be" or explained):
            continue
        if default is None or default in codes:
            yield hit(
                node.pointer,
                codes,
                correction=narrowed(node, {"enum": codes}, passage.text),
                argument=node.argument,
                fragment=f'"enum": {json.dumps(codes)}',
                takes="number",
                said=claim.sentence,
            )
        return


_NUMBER = lazy_pattern(r"[+-]?\d{1,9}")


@about(argument=True)
def stated_format(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A format that the description gives is a pattern."""
    found = _open_text(node)
    if found is None:
        return
    claims = [
        claim
        for passage, claim in claims_about(node, context, read_formats, mentions=True)
        if passage.where != "mention" or _AT_ONCE.fullmatch(passage.text, 0, claim.span[0])
    ]
    claims = [claim for claim in claims if claim.sure] or claims  # "ISO 8601 (YYYY-MM-DD)": the drawing says more.
    # Of two, nobody knows which one counts; but a beginning and an end are of one.
    parts = all(claim.form in _PARTS for claim in claims)
    if claims and (parts or len({claim.said["pattern"] for claim in claims}) == 1):
        pattern = claims[-1].said["pattern"]
        if all(re.search(pattern, value) for value in _shown(found, context)):
            yield found.hit("pattern", pattern, claims[-1].sentence)


_PARTS = ("starts-with", "with-prefix", "ends-with", "number-behind", "of-domain")
"""Forms that say what a part of the text is."""


def _shown(found: OpenText, context: Context) -> Iterator[str]:
    """The values that the schema of a parameter and the words about it show."""
    yield from declared_values(found.schema)
    for said in passages_about(found.node, context):
        yield from shown_values(said.text)


_MAX_SHOWN = 6
"""Maximum number of keys named in a message."""
_OF_THE_CALLER = MAPS | {"body", "data", "document", "documents", "records", "rows"}
"""Last words of names for objects with keys of the caller's own: an example shows some of many."""
_OPERATOR = lazy_pattern(r"[{,]\s?[\"']?\$\w")
"""A key of an expression, which contains other expressions."""
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
        if said.where == "mention" and not _NEEDED.match(said.text):
            continue
        keys = _keys(said, node, context)
        if keys:
            more = f" and {len(keys) - _MAX_SHOWN} more" if len(keys) > _MAX_SHOWN else ""
            where = ' of its "items"' if "array" in (types_of(schema) or ()) else ""
            yield said.hit(keys=", ".join(keys[:_MAX_SHOWN]) + more, where=where)
            return


def _keys(said: Passage, node: SchemaPlace, context: Context) -> tuple[str, ...]:
    """The keys that a passage gives for an object: in words or as a shape, or all of an example."""
    if _OPERATOR.search(said.text):
        return ()
    for claim in context.facts.read(read_keys, said.text):
        if claim.form != "keys-shown" or _last_word(node) not in _OF_THE_CALLER:
            return claim.listed.values
    return ()


def _bare_object(node: SchemaPlace) -> Mapping[str, Any] | None:
    """The schema of a parameter that takes any object or a list of any objects; ``None`` for others."""
    root = root_of(node)
    schema = effective(root, node.schema)
    types = (types_of(schema) or frozenset()) - {"null"}
    items = schema.get("items", {}) if "array" in types else schema
    if not types or types - {"object", "array"} or not isinstance(items, dict):
        return None
    inner = effective(root, items)
    if inner.get("type", "object") != "object":
        return None
    # Generators write a schema for names that is true of every name.
    said = {key for key in inner.keys() & _SHAPED if key != "propertyNames" or inner[key] != {"type": "string"}}
    extra = inner.get("additionalProperties")
    return None if said or (isinstance(extra, dict) and extra) else schema
