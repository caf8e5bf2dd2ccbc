"""Types that say less than the description: objects without keys, structure in strings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.claims import sentence_start
from mcp_governor.prose.guarded import Guarded

if TYPE_CHECKING:
    from collections.abc import Mapping

# -- structure packed into a string

_JSON = Guarded(
    r"\bJSON[- ](?:(?:encoded|formatted|serialized|stringified)[- ]?\s?)?(?:string|array|object|list|text)\b"
    r"|\bstringified\sJSON\b|\bserialized\s(?:from\s)?(?:an?\s)?JSON\b|\bJSON-encoded\b|\bas\sJSON\b",
    "json",
)
_JOINED = Guarded(
    r"\b(?P<by>space|pipe)[- ](?:separated|delimited)\b"
    r"|\b(?:separated|delimited|split)\s(?:by|with)\s(?:an?\s)?(?P<sign>space|pipe)s?\b"
    r"|[`'\"]\|[`'\"]\sas\s(?:the\s|a\s)?(?:delimiter|separator)\b",
    *("separated", "delimited", "delimiter", "separator", "split"),
)
_TRUTH = Guarded(
    r"[`'\"](?:true|false)[`'\"]\s?(?:or|/|\||,)\s?[`'\"](?:true|false)[`'\"]|^(?:true|false)\s?(?:or|/|\|)\s?(?:true|false)\b"
    r"|\((?:true|false)\s?(?:or|/|\||,)\s?(?:true|false)\)",
    "true",
)
_NUMBER_OF = Guarded(
    r"(?:optional:?\s|the\s){0,2}(?:(?:approximate|desired|estimated|exact|maximum|minimum|total)\s)?number\sof\s"
    r"(?:[a-z]{2,16}\s)?(?:columns|days|entries|events|hits|hours|images|items|lines|matches|messages|minutes|months"
    r"|nodes|pages|records|replicas|results|retries|rows|seconds|steps|threads|weeks|words|workers|years)\b",
    " number of ",
    head=60,
)
_AS_TEXT = lazy_pattern(
    r"[`'\"]|\b(?:or|e\.g|like|such as|all|range|string|decimals?|fraction\w*)\b"
    r"|\bof\s(?:\w{1,20}\s)?(?:coins?|contracts?|lots?|shares?|tokens?|units?)\b",
    re.IGNORECASE,
)
"""Words that make a number of things text: "number of days, or 'all'"; and things that are traded in fractions."""
_FLAG = lazy_pattern(r"(?:whether|if\strue|set\sto\strue|(?:en|dis)able[sd]?)\b", re.IGNORECASE)
_OR_JSON = lazy_pattern(
    r"\bor\s(?:an?\s|will\sbe\s)?(?:JSON|comma|plain|single|raw|wildcard|pattern|glob|auto\w*|converted)"
    r"|^(?:(?:the|raw|json)\s){0,3}request\sbody\b|\b(?:file|path|URL|SQL|code|schema|document|template|payload)\b",
    re.IGNORECASE,
)

_OF_OTHERS = lazy_pattern(
    r"[.;]\s(?!(?:also|can|give|has|is|it|may|must|pass|provide|put|should|specify|this|use)\b)[^.;]{0,60}\b(?:go(?:es)?|pass(?:ed)?|given|put)\b[^.;]{0,40}$",
    re.IGNORECASE,
)
"""What a later sentence says of something else: "Variables go to the next parameter, as JSON"."""
_SEARCH = lazy_pattern(r"\b(?:search|keywords?|terms)\b", re.IGNORECASE)
"""Words about what people type into a search box, which is text however many words it has."""


def _is_truth(text: str) -> bool:
    """True if the words name true and false for every case, not for one: "If it is a checkbox, 'true' or 'false'"."""
    found = _TRUTH.search(text)
    if found is None or _FOR_SOME.match(text, found.end()):
        return False
    before = text[sentence_start(text, found.start()) : found.start()]
    return _CASE.search(before) is None and _FOR_ONE.search(before) is None


_CASE = lazy_pattern(
    r"\b(?:if|when|unless|while)\s(?!(?:it is |this is )?(?:provided|specified|set|given|present|omitted|not)\b)"
    r"[^.,;\n]{2,60},\s(?:[\w ]{1,40}\s)?$",
    re.IGNORECASE,
)
"""What restricts a sentence to a case: "If the field is a box, the value should be …"."""
_FOR_SOME = lazy_pattern(r"\s(?:for|if|when)\s", re.IGNORECASE)
_FOR_ONE = lazy_pattern(r"\bfor\s(?:an?\s)?[\w\-]{1,30}:\s?$", re.IGNORECASE)


def packed(text: str, schema: Mapping[str, Any]) -> str | None:
    """Content of a string parameter that has a JSON type: "JSON", "comma-separated", "true or false"; or ``None``."""
    default = schema.get("default")
    if "enum" in schema or "const" in schema or "pattern" in schema or "format" in schema:
        return None
    if _is_truth(text) or (default in ("true", "false") and _FLAG.match(text)):
        return "true or false"
    if _NUMBER_OF.match(text) and not _AS_TEXT.search(text) and not isinstance(default, str):
        return "a number"
    if (found := _JSON.search(text)) and not _OR_JSON.search(text) and not _OF_OTHERS.search(text, 0, found.start()):
        return "JSON"
    joined = _JOINED.search(text)
    if joined is None or _OR_JSON.search(text):
        return None
    by = (joined["by"] or joined["sign"] or "pipe").lower()
    return None if by == "space" and _SEARCH.search(text) else f"{by}-separated"
