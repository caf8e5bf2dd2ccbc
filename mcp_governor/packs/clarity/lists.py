"""Parameters whose values are listed in a description or in another tool's schema, but not in their own schema."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from mcp_governor.fixes.corrections import narrowed
from mcp_governor.lazy import lazy_pattern
from mcp_governor.packs.clarity.open_text import open_text
from mcp_governor.prose.claims import claims_about, read_values
from mcp_governor.prose.passages import passages_about
from mcp_governor.prose.vocabulary import FREE, is_kind
from mcp_governor.prose.words import name_words, stem
from mcp_governor.rules.scope import about
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.schemas import effective, parent_of, root_of, types_of, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.packs.clarity.open_text import OpenText
    from mcp_governor.prose.claims import Claim
    from mcp_governor.subjects.context import Context, Hit, SchemaPlace


@about(argument=True, types={"array", "integer", "number", "string"})
def closed_list(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A parameter whose values the description lists has an enum."""
    found = open_text(node, context)
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
            yield found.hit("pattern", _several(values, said), takes="text", said=claim.sentence)
        return
    default = found.default
    more = [default] if default and default not in values else []
    yield found.hit("enum", [*values, *more], listed=True, takes="text", said=claim.sentence)


_JOINED = lazy_pattern(
    r"\b(?:comma|semicolon|space|pipe)[-\s]?(?:separated|delimited)|\bseparated\sby\s(?:a\s)?(?:comma|semicolon)", 2
)
_MAX_JOINED = 8
"""Maximum number of values in a pattern for several in one string; with more, nobody reads it."""
_MODIFIED = lazy_pattern(r"\b(?:modifiers?|prefix\w*|suffix\w*|(?:de|a)scending|desc|sort\w*|combos?)\b", re.IGNORECASE)
"""Words for values that are more than one of a list: "name desc"."""


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
    if not sure and _is_listed_elsewhere(found.name, context):
        return True
    if found.name in values or 2 * len(values & context.facts.names) >= len(values) or subject in others:
        return True
    if sure and quoted:
        return False
    if 2 * len(values & others) >= len(values):
        return True
    root = root_of(found.node)
    closed = (values_of(root, siblings[name]) or () for name in others)
    return any(values <= {value for value in one if isinstance(value, str)} for one in closed)


def _is_listed_elsewhere(name: str, context: Context) -> bool:
    """True if another tool returns the values ("get_priorities" for a priority): each site has its own."""
    listed = context.facts.memo("listed things", lambda: dict(map(_listed_thing, context.facts.names)))
    return bool(listed.get(stem((name_words(name) or ("",))[-1])))


def _listed_thing(tool: str) -> tuple[str, bool]:
    """The last word of the name of a tool without its ending, and if the tool lists several of it."""
    words = name_words(tool) or ("",)
    return stem(words[-1]), words[-2:-1] in (("get",), ("list",)) and _PLURAL.search(words[-1]) is not None


_PLURAL = lazy_pattern(r"(?<![suai])s$|(?:ie|e)s$")


def _listed_numbers(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """The numbers that a parameter accepts, if its description lists them or gives the meaning of each."""
    schema = node.schema
    if node.argument is None or node.side != "inputSchema" or not isinstance(schema, dict):
        return
    root = root_of(node)
    types = (types_of(schema, root) or frozenset()) - {"null"}
    if not types or not types <= {"integer", "number"} or values_of(root, schema) is not None:
        return
    whole = effective(root, schema)
    last = (name_words(node.argument) or ("",))[-1]
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
        low, high = min(codes), max(codes)
        if (whole.get("minimum"), whole.get("maximum")) == (low, high) and high - low == len(set(codes)) - 1:
            return
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
