"""Words that say that a format which a description gives is not the only one that is taken.

A pattern for one of several formats refuses calls that work. So a wrong guess here only keeps a finding back.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable


def is_one_of_several(text: str, start: int, end: int) -> bool:
    """True if the sentence with a format also allows something else, or only recommends the format.

    Args:
        text: the description.
        start: where the words for the format begin.
        end: where they end.
    """
    begin = max(text.rfind(mark, 0, start) for mark in (". ", "\n", "; ")) + 1
    ends = _SENTENCE_END.search(text, end)
    sentence = text[begin : ends.start() if ends else len(text)]
    if _LOOSE.search(sentence) or _OR_ELSE.match(text, end) is not None or _UNLESS.search(sentence, end - begin):
        return True
    if _OR_KIND.search(sentence, end - begin) or _KIND_OR.search(sentence, max(0, start - begin - 40), start - begin):
        return True
    # "For ONE_OF_RANGE: …", "If the type is date, …": one case of several.
    return _CASE.match(sentence[: start - begin]) is not None


_CASE = lazy_pattern(
    r"[\s\W]*(?:if|when|for(?!\sexample))\b[^,:.(]{1,60}(?::|,\s(?:this|it|must|use|the|should|provide)\b)",
    re.IGNORECASE,
)


_SENTENCE_END = lazy_pattern(r"\.\s|\n|;\s")
_LOOSE = lazy_pattern(
    r"\b(?:usually|typically|preferably|recommended|prefer(?:red)?|custom(?!\s(?:action|attribute|domain|emoji|event|field|metric|object|propert|role|type))|wildcards?|partial|keywords?"
    r"|json (?:string|object|array|text)|css"
    r"|(?<!match )(?<!matches )(?<!match the )(?:regex|regular expression)|glob|comma[- ]separated|range of"
    r"|prefix(?:es)? or|various|several|free[- ]?form|for example an?)\b",
    re.IGNORECASE,
)
_OR_ELSE = lazy_pattern(
    r"[^.;()\n]{0,40}?\bor\s(?!(?:an?\s|as\s)?(?i:unix|epoch|posix|ISO|RFC)\b)(?:[`'\"]|(?:an?|the|just|simply|any|another|other|full|empty|blank|as|one\sof)\s"
    r"|[A-Z]{3,}\b(?!\s?format))"
    r"|[`'\"]?\)?\s?(?:/|or)\s(?:name|url|id|slug|path|number|alias|text|none|null|relative|natural)\b",
)

_UNLESS = lazy_pattern(r"\b(?:unless|except|otherwise)\b", re.IGNORECASE)
_KIND = (
    r"(?:address|alias|block|branch|code|day|digest|directory|domain|email|expression|file|folder|format|handle|hash"
    r"|host(?:name)?|hour|id|identifier|index|ip|key|keyword|label|link|minute|month|name|nickname|notation|number"
    r"|object|offset|path|phrase|query|ref|revision|second|sha|shorthand|slug|symbol|tag|term|title|token|ur[li]"
    r"|username|uuid|version|week|word|year)(?:e?s)?"
)
"""What else a string may be. Dates and times are not among them, because one pattern takes them all."""
_TIMES = r"(?!(?:an?\s|as\s|in\s)?(?:unix|epoch|posix|ISO|RFC|date|time|timestamp|datetime|if|when)\b)"
_OR_KIND = lazy_pattern(
    rf"\bor\s{_TIMES}(?:(?:an?|the|its|just|as|in|by|full|any)\s)?(?:[\w'/-]{{1,20}}\s){{0,3}}?{_KIND}\b(?![/:.][\w/])",
    re.IGNORECASE,
)
"""Another kind of value behind the format: "a SHA (40 hex digits) or a branch name"."""
_KIND_OR = lazy_pattern(
    rf"\b{_KIND}\sor\s(?:[\w'-]{{1,20}}\s){{0,2}}(?:(?:an?|the|as|in)\s){{0,2}}$|\b(?:ISO|RFC)\s?\d{{3,5}}\sor\s['\"`]$",
    re.IGNORECASE,
)
"""Another kind of value in front of it: "an address or a CIDR block", "IPs or netblocks in CIDR notation"."""

_OTHERS = lazy_pattern(
    r"\b(?:relative|natural language|absolute dates?|any (?:format|valid|css)"
    r"|(?:other|multiple|following|supported|accepted|these|different|several|various) (?:formats|forms|patterns)"
    r"|json (?:string|object|array|encoded|format(?:ted)?)|json-(?:encoded|formatted)"
    r"|formats are|also (?:accepts?|supports?|takes)"
    r"|now|today|yesterday|\d?daysago|named? colou?rs?"
    r"|or an? (?:\w{1,12} )?(?:branch|commit|duration|expression|id|name|number|offset|path|ref|sha|slug|string"
    r"|tag|text|title|url|shorthand|keyword)(?!://)"
    r")\b"
    r"|\brgba?\(|\b[ap]\.?m\b|;\s?for\s[^.;]{1,60}\suse\b",
    re.IGNORECASE,
)
_TOO = lazy_pattern(
    r"\bwith or without\b(?!\s(?:an?\s|the\s)?(?:leading\s)?[`'\"]?0x)"
    r"|\bupper(?:[- ]?case)?\s?(?:or|and|/)\s?lower|\bcase[- ]insensitive\b|\btoo\s?(?:[.;)]|$)"
    r"|\b(?:works?|accepted|allowed|supported|valid|fine|recogni[sz]ed|understood|permitted)\s(?:as\swell|also)\b"
    r"|\balso\s(?:works?|be|fine|valid|accept\w*|allow\w*|support\w*|understands?|recogni\w*|takes?|possible)\b"
    r"|\b(?:abbreviated|shortened|partial|short)\s[a-z]{2,12}\s(?:is|are|may|can|works?)\b"
    r"|\b(?:scheme|prefix|protocol|tag|extension|suffix|zone|owner|project|schema|catalog|database|namespace|part)s?\s"
    r"(?:(?:is|are|may\sbe|can\sbe)\s)?(?:optional|omitted)\b",
    re.IGNORECASE,
)
_ACCEPTED = lazy_pattern(r"\b(?:is|are)\s(?:accepted|allowed|permitted|supported|tolerated)\b", re.IGNORECASE)
_NOT_MORE = lazy_pattern(r"\b(?:only|no|not|just|must|none|nothing)\b", re.IGNORECASE)


def takes_more(text: str, spans: Iterable[tuple[int, int]]) -> bool:
    """True if a description allows values of other forms anywhere: "Plain names are accepted", "a URL works too".

    Args:
        text: the description.
        spans: where it gives a format. What a sentence with one of them allows is the format.
    """
    if _OTHERS.search(text) or _TOO.search(text):
        return True
    for match in islice(_ACCEPTED.finditer(text), _MAX_SENTENCES):
        begin = max(text.rfind(mark, 0, match.start()) for mark in (". ", "\n", "; ")) + 1
        ends = _SENTENCE_END.search(text, match.end())
        end = ends.start() if ends else len(text)
        inside = any(begin <= start < end for start, _ in spans)
        if not inside and not _NOT_MORE.search(text, begin, end):
            return True
    return False


_MAX_SENTENCES = 8
"""Maximum number of sentences about what is accepted that are read."""
