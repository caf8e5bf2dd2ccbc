"""If a description is evidence enough for a correction that narrows a schema; what is only likely is a question.

A correction may refuse calls that work today, so this asks for more than the rule that found it: values that a list
announces and ends, and a limit that holds without a condition.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.subjects.context import SchemaPlace

_MAX_TEXT = 4_000
"""Maximum number of characters of a description that are read here."""
_OPEN = lazy_pattern(
    r"\be\.?g\b|\bexamples?\b|\bsuch as\b|(?<!\bto )\binclud|\betc\b|\bthrough\b|\bjson (?:array|list|object|string)\b"
    r"|\bothers?\b|\bany\b|\bcustom\b|\byour own\b|\bcase.insensitive\b|\b[01]-based\b|\.\.\.|…|<",
    re.IGNORECASE,
)
"""Words of a list that goes on, of one that shows some of all values, and of a string that holds a document."""
_GOES_ON = lazy_pattern(r"[\"'`]?\s*(?:\([^)\n]*\))?,?\s(?:or|and)\s", re.IGNORECASE)
_ANNOUNCES = lazy_pattern(
    r"\b(?:one\sor\smore\sof|one\sof|either|options?|(?:valid|allowed|accepted|supported|possible|available|optional)"
    r"(?:\s\w+)?|values?|(?:must|can|may)\sbe)\b[^.;\n]{0,30}$|(?:^|:|\s[-–—])[\s\"'`(*-]*$|^[\s*\"'`(]*(?:[\w/-]+\s){1,6}\(\W*$",
    re.IGNORECASE,
)
"""What is in front of a list: words that announce one, a colon, or a few words and a parenthesis."""
_CONDITION = lazy_pattern(r"\b(?:if|when|where|unless|was|not|only)\b|\w=", re.IGNORECASE)
_QUOTED = lazy_pattern(r"(?<!\w)([\"'`])([^\"'`\s]{1,60})\1(?!\w)")
_VAGUE = lazy_pattern(r"\b(?:higher|lower|larger|smaller|prefer|recommended|typical|usually)\b", re.IGNORECASE)
_RANGE = lazy_pattern(r"\d[\d,.]*\s?(?:-|–|—|to)\s?\d[\d,.]*")
_END = lazy_pattern(r"[.;!?]\s|\n")


def is_stated(node: SchemaPlace, keywords: Mapping[str, Any]) -> bool:
    """True if the description of a parameter states the keywords with certainty.

    Args:
        node: the parameter.
        keywords: ``enum``, or limits.
    """
    text = _said(node)
    if "enum" in keywords:
        return _are_listed([str(value) for value in keywords["enum"] if value not in (None, "")], text)
    ranges = {re.sub(r"[\s,]", "", found) for found in _RANGE.findall(text)}
    bounds = keywords.values()
    quoted = any(str(bound) in re.split(r"[^\d.]+", said) for _, said in _QUOTED.findall(text) for bound in bounds)
    below = any(key.startswith(("minimum", "exclusiveMinimum")) for key in keywords) and "negative" in text.lower()
    return not (_VAGUE.search(text) or len(ranges) > 1 or quoted or below)


def _said(node: SchemaPlace) -> str:
    """The description of a parameter: its own, or what the tool's says after its name."""
    own = node.schema.get("description")
    if isinstance(own, str):
        return own[:_MAX_TEXT]
    text = node.tool.description[:_MAX_TEXT]
    entry = re.search(rf"(?<!\w){re.escape(node.argument or '')}\W{{0,3}}(?:\([^)\n]*\))?\s?[:\-–—]\s?", text)
    if entry is None:
        return ""
    rest = text[entry.end() :]
    end = re.search(r"\n\s*(?:[-*]\s*)?[`\"]?\w+[`\"]?\s?(?:\([^)\n]*\))?:\s|\n\s*\n", rest)
    return rest[: end.start()] if end else rest


def _are_listed(values: Sequence[str], text: str) -> bool:
    """True if a description announces a list of exactly these values, with no condition and no hint at others."""
    if len(values) < 2 or _OPEN.search(text) or not all(value.isascii() for value in values):
        return False
    places = [re.search(rf"(?<![\w-]){re.escape(value)}(?![\w-])", text) for value in values]
    found = [place.span() for place in places if place is not None]
    if len(found) < len(values) or _GOES_ON.match(text, max(end for _, end in found)):
        return False
    quoted = {said for _, said in _QUOTED.findall(text)}
    if quoted - {*values}:
        return False
    first = min(found)[0]
    ends = [match.start() for match in _END.finditer(text, 0, first)]
    # With the stop before it, so that only the first sentence may be nothing but the list.
    before = text[ends[-1] if ends else 0 : first]
    delimited = {*values} <= quoted
    slashed = any(f"{one}/{other}" in text for one in values for other in values)
    mixed = len({":" in value for value in values}) > 1
    if _CONDITION.search(before) or (not delimited and (slashed or mixed)):
        return False
    return delimited or _ANNOUNCES.search(before) is not None
