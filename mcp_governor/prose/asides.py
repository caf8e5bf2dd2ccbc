"""What a tool's description says in passing about a parameter: enough to hold a question back, not to make a claim.

:mod:`mcp_governor.prose.outline` returns what is certainly about a parameter. A question about a parameter without a
description is out of place already where the text may well answer it.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.call_arguments import call_properties
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.outline import LETTER, of_script
from mcp_governor.prose.words import name_words, occurrences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.prose.declared import Declared

_MAX_TEXT = 4_000
"""Maximum number of characters searched per description for the values of a parameter."""
_MAX_ANYTHING = 16_000
"""The same for anything about it; the longest descriptions of real tools have as many."""
_MAX_SAID = 200
"""Maximum number of characters read after one occurrence of the name."""
_MAX_SEEN = 60
"""Maximum number of occurrences looked at."""
_MAX_WORDS = 6
"""Maximum number of words of a name that is sought as a label."""
_OPEN = frozenset({"const", "enum"})
"""Keywords that say what to pass, without a word."""
_OF_ANY = (
    r"[`'\"*]{0,3}\??(?:\s?[:：＝=]|\s?[(（])"
    r"|[`'\"*]{0,3}\s(?:like|such as|e\.g\.)[\s,:]{0,2}[\"'`“\[{\d*]"
    r"|[`'\"*”」』]{0,3}\s?(?:为|為|是|指|表示|形如|格式|可为|可選|可选|可填|支持|取值|填|用于|用於|传入|默认|預設|应为|必填|必须"
    r"|には?|は|とは|은|는|이란|에는?|으?로는)"
)
"""What follows the name of a parameter where it is explained: "page: first is 1", "color (hex)", "file 为本地文件"."""
_EXPLAINED = lazy_pattern(rf"{_OF_ANY}|\s[\"“]\w|\.\s(?:Valid|Allowed|Possible|Supported)(?:\s\w{{1,20}})?:", re.NOFLAG)
"""The same where its value is explained: "mode "full""."""
_ON_IT = lazy_pattern(rf"{_OF_ANY}|[`'\"*]{{0,3}}\s(?:defaults?|optional|required|replaces?)\b", re.IGNORECASE)
"""The same, and what follows where the text says anything about it: "tags replace the whole list"."""
_SHOWN = lazy_pattern(
    r"\"\s?:\s?(?:true|false|null|-?\d)|\s?[(:]\s?(?:optional\[)?(?:array|bool(?:ean)?|float|int(?:eger)?|list|number|str(?:ing)?)"
    r"(?:\sof\s\w{1,12})?\]?(?:,\s(?:optional|required))?(?:\s?=\s?\w{1,20})?\)?\s?(?:,\s\w{1,60}\s?[(:]|\.(?!\w)|\)|$)",
    re.IGNORECASE | re.MULTILINE,
)
"""What follows a name in an example or a signature that does not say what the value is: "deep": true, deep: bool)."""
_STARTS = lazy_pattern(
    r"(?:^|[.;!?]\s{1,3}|[。；！？]\s?|\n[ \t]{0,12}\n[ \t]{0,12}|\n[ \t]{0,12}[-*•]\s)[`'\"*]{0,3}$"
)
"""What is in front of a word that begins a sentence; a word in lower case there is a name."""
_SUBJECT = lazy_pattern(
    r"[`'\"*]{0,3}(?:\s(?:is|are|must|should|can|may|takes?|accepts?|sets?|selects?|specif\w{1,5}|controls?|defines?"
    r"|determines?|limits?|filters?|gives?|names?|holds?|says|means|restricts?|narrows?)"
    r"\s(?!(?:be\s)?(?:also|always|given|ignored|mandatory|needed|never|not|only|optional|required|set|used)\b)"
    r"|\s?[–—]\s?|\s--?\s|,\s(?:the|an?)\s)"
)
_PASSED = lazy_pattern(
    r"\b(?:give|given|pass|passed|provide|put|send|supply|specify)\s(?!(?:along|both|either|one|together)\b)[^.\n]{2,160}"
    r"\s(?:as|in|inline|via)\s(?:the\s)?[`'\"]?$"
    r"|\b(?:discover|find|get|look up|obtain|produce)\s(?:an?\s|the\s|valid\s){0,2}[`'\"]?$",
    re.IGNORECASE,
)
"""What is in front of the name where its value is described first: "pass the ids of the best hits as `seeds`"."""
_RESULTS = lazy_pattern(
    r"^[\s#*_-]{0,12}(?:(?:returns?|response|outputs?|results?|yields)(?:\s(?:fields|format|shape|structure|value))?"
    r"[*_]{0,2}:|(?:返回值?|响应|输出|戻り値|返り値|반환값?)[*_]{0,2}\s?[:：]|[@:]returns?\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""Where a description goes on about results, whose fields may have the names of parameters."""
_ANNOUNCED = (*("return", "response", "output", "result", "yields"), *("返", "响应", "输出", "戻り値", "반환"))
"""What it contains."""
_SECTION = lazy_pattern(
    r"^[ \t#*]{0,12}(?:args|arguments|parameters|params|inputs?)[ \t*]{0,3}:?[ \t*]{0,3}$", re.IGNORECASE | re.MULTILINE
)
_BREAK = lazy_pattern(r"[`'\"*:： ]{0,4}\n")
"""The end of a line behind the colon, where the explanation begins on the next one."""
_ENDS = lazy_pattern(r"[.!?;](?=\s+[A-Z`])|[。；！？]|\n")


def is_described(one: Declared) -> bool:
    """True if anything says what a parameter is, if only in passing."""
    if one.text or not _OPEN.isdisjoint(one.schema):
        return True
    if one.nested:
        return False
    if len(call_properties(one.tool)) == 1 and _EXAMPLE.search(one.tool.description[:_MAX_TEXT]):
        return True  # "Get one collection by id (e.g. "ctx_123456")" can only be about it.
    return bool(said_in_passing(one.name, one.tool.description, anything=True))


_EXAMPLE = Guarded(
    r"\((?:an?\s[\w-]{1,20}\s)?(?:e\.g\.?|for example|such as|like)[ :,]{1,2}[`'\"]\w",
    *("e.g", "for example", "such as", "like"),
)


def without_results(description: str) -> str:
    """A description without its part about results, up to the next heading."""
    results = _RESULTS.search(description) if any(word in description.lower() for word in _ANNOUNCED) else None
    if results is None:
        return description
    heading = _HEADING.search(description, results.end())
    return description[: results.start()] + (description[heading.start() :] if heading is not None else "")


_HEADING = lazy_pattern(
    r"^\s{0,12}(?:#{1,6}\s|(?:args|arguments|examples?|notes?|parameters|usage)\b[^\n]{0,40}:\s?$)",
    re.IGNORECASE | re.MULTILINE,
)


def said_in_passing(name: str, description: str, *, anything: bool = False) -> tuple[str, ...]:
    """What follows each mention of a parameter in a description, up to the end of the sentence; empty if nothing does.

    Args:
        name: of the parameter.
        description: of its tool.
        anything: also what does not explain its value ("must not be empty").
    """
    text = without_results(description[: _MAX_ANYTHING if anything else _MAX_TEXT])
    if not name:
        return ()
    out = [*_labelled(name, text)]
    if name in text:
        out += _at_mentions(name, text, anything=anything)
    return tuple(dict.fromkeys(filter(None, out)))


def _labelled(name: str, text: str) -> Iterator[str]:
    """What follows the words of a name where they head a line: "- Start date: first day" is about start_date."""
    parts, lower, start = name_words(name), text.lower(), 0
    # One of these is in most descriptions that name a parameter otherwise, and far faster to find than a pattern.
    if not 0 < len(parts) <= _MAX_WORDS or not any(joint.join(parts) in lower for joint in (" ", "", "-")):
        return
    if len(parts) == 1:
        # A single word with a capital may head any line; below "Args:", it is the parameter.
        section = _SECTION.search(text)
        if section is None:
            return
        start = section.end()
    words = "[ -]?".join(map(re.escape, parts))
    label = (
        rf"^[ \t]{{0,12}}(?:[-*•・]\s?|\d{{1,2}}[.)]\s)?[*_`]{{0,3}}{words}[*_`]{{0,3}}\s?(?:\([^()\n]{{0,80}}\))?"
        rf"\*{{0,2}}\s?[:：–—]\*{{0,2}}[ \t]?(\S[^\n]{{0,{_MAX_SAID}}})"
    )
    line = re.compile(label, re.IGNORECASE | re.MULTILINE).search(text, start)
    if line is not None:
        yield line[1]


def _at_mentions(name: str, text: str, *, anything: bool) -> Iterator[str]:
    """What the text says where it has the name of a parameter as a word of its own."""
    begins, is_all = _begins(text), _is_all(text)
    places = (at for at in occurrences(name, text) if begins.match(text, at) and is_all.match(text, at + len(name)))
    for at in islice(places, _MAX_SEEN):
        front = text[max(0, at - _MAX_SAID) : at]
        begin = _explanation(name, text, at + len(name), front, anything=anything)
        if begin is not None:
            limit = min(len(text), at + len(name) + _MAX_SAID)
            broken = _BREAK.match(text, begin)
            stop = _ENDS.search(text, broken.end() if broken else begin, limit)
            yield text[begin : stop.start() if stop else limit].lstrip("`'\"*: \n")
        elif anything and _is_sure(name, front) and (said := _PASSED.search(front)) is not None:
            yield said[0]


_begins = of_script(rf"(?<!{LETTER})(?<![.$@-])")
_is_all = of_script(rf"(?!{LETTER})(?!-\w)")


def _explanation(name: str, text: str, end: int, front: str, *, anything: bool) -> int | None:
    """Where the text about a parameter begins behind its name; ``None`` if it is about something else."""
    if anything and _SHOWN.match(text, end):
        return None
    on_it = (_ON_IT if anything else _EXPLAINED).match(text, end)
    if on_it is None:
        return end if name[0].islower() and _SUBJECT.match(text, end) and _STARTS.search(front) else None
    if on_it[0].startswith("."):
        # "Sets the status. Valid: open, done": the next sentence is about it.
        return on_it.end()
    last = front.rstrip(" ")[-1:]
    # "Default gate: oak" is about the default, "gate: oak or ash" about the parameter.
    return None if on_it[0].endswith((":", "：")) and last.isascii() and last.isalnum() else end


def _is_sure(name: str, front: str) -> bool:
    """True if a word can only be the name of a parameter: it is in quotes, or no word of any language."""
    return front[-1:] in ("`", "'", '"') or "_" in name.strip("_") or not (name.islower() or name.istitle())
