"""What a tool's description says in passing about a parameter: enough to hold a question back, not to make a claim.

:mod:`mcp_governor.prose.outline` returns what is certainly about a parameter. A question about a parameter without a
description is out of place already where the text may well answer it.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.outline import LETTER
from mcp_governor.prose.words import name_words

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_TEXT = 4_000
"""Maximum number of characters searched per description for the values of a parameter."""
_MAX_ANYTHING = 16_000
"""The same for anything about it; the longest descriptions of real tools have as many."""
_MAX_SAID = 200
"""Maximum number of characters read after one occurrence of the name."""
_MAX_PLACES = 6
"""Maximum number of occurrences read."""
_MAX_SEEN = 60
"""Maximum number of occurrences looked at."""
_OF_ANY = (
    r"[`'\"*]{0,3}\??(?:\s?[:：＝=]|\s?[(（])"
    r"|[`'\"*]{0,3}\s(?:like|such as|e\.g\.)[\s,:]{0,2}[\"'`“\[{\d*]"
    r"|[`'\"*”」』]{0,3}\s?(?:为|為|是|指|表示|形如|格式|可为|可選|可选|可填|支持|取值|填|用于|用於|传入|默认|預設|应为|必填|必须"
    r"|には?|は|とは|은|는|이란|에는?|으?로는)"
)
"""What follows the name of a parameter where it is explained: "page: first is 1", "color (hex)", "file 为本地文件"."""
_EXPLAINED = lazy_pattern(rf"{_OF_ANY}|\s[\"“]\w|\.\s(?:Valid|Allowed|Possible|Supported)(?:\s\w{{1,20}})?:", re.NOFLAG)
"""The same where its value is explained: "mode "full""."""
_ON_IT = lazy_pattern(
    rf"{_OF_ANY}|[`'\"*]{{0,3}}\s(?:defaults?|optional|required|replaces?)\b",
    re.IGNORECASE,
)
"""The same, and what follows where the text says anything about it: "tags replace the whole list"."""
_PASSED = lazy_pattern(r"\b(?:give|pass|provide|set|specify|supply|use)\s[`'\"]?$", re.IGNORECASE)
_NOTED = lazy_pattern(r"[`'\"*]{0,3}[ \t]?\n[ \t]{0,40}[(（]")
"""A note on the next line, as where lines are wrapped: "Pass cell" and below it "(A1 notation)"."""
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
_GIVEN_AS = lazy_pattern(
    r"\b(?:give|given|pass|passed|provide|put|send|supply|specify)\s(?!(?:along|both|either|one|together)\b)[^.\n]{2,160}"
    r"\s(?:as|in|inline|via)\s(?:the\s)?[`'\"]?$"
    r"|\b(?:again|back)\swith\s(?:the\s)?[`'\"]?$"
    r"|\b(?:discover|find|get|look up|obtain)\s(?:an?\s|the\s|valid\s){0,2}[`'\"]?$",
    re.IGNORECASE,
)
"""What is in front of the name where its value is described first: "pass the ids of the best hits as `seeds`"."""
_MAX_FRONT = 200
"""Maximum number of characters read in front of a name."""
_RESULTS = lazy_pattern(
    r"^[\s#*_-]{0,12}(?:(?:returns?|response|outputs?|results?|yields)(?:\s(?:fields|format|shape|structure|value))?"
    r"[*_]{0,2}:|(?:返回值?|响应|输出|戻り値|返り値|반환값?)[*_]{0,2}\s?[:：]|[@:]returns?\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""Where a description goes on about results, whose fields may have the names of parameters."""
_BREAK = lazy_pattern(r"[`'\"*:： ]{0,4}\n")
"""The end of a line behind the colon, where the explanation begins on the next one."""
_ENDS = lazy_pattern(r"[.!?;](?=\s+[A-Z`])|[。；！？]|\n")
_ONLY_NAMES = frozenset({"args", "kwargs", "opts", "params", "payload"})
"""Words that are in no sentence but as the name of a parameter."""
_TRANSLATED = {
    "expression": "表达式|表達式|表現式|표현식",
    "input": "输入|輸入|入力|입력",
    "key": "键|鍵|キー|키",
    "options": "选项|選項|オプション|옵션",
    "rule": "规则|規則|ルール|규칙",
    "target": "目标|目標|対象|대상",
    "value": "值|値|값",
}
"""Names that say nothing by themselves, in descriptions whose writers translate them: "扫描目标（IP/主机名）"."""


def results_part(description: str) -> tuple[int, int]:
    """The part of a description about results, up to the next heading; empty if there is none."""
    results = _RESULTS.search(description)
    if results is None:
        return 0, 0
    heading = _HEADING.search(description, results.end())
    return results.start(), heading.start() if heading is not None else len(description)


_HEADING = lazy_pattern(
    r"^\s{0,12}(?:#{1,6}\s|(?:args|arguments|examples?|notes?|parameters|usage)\b[^\n]{0,40}:\s?$)",
    re.IGNORECASE | re.MULTILINE,
)


def _of_a_pair(name: str, text: str) -> tuple[str, ...]:
    """What is said of two parameters at once: "date_gte/lte: range of dates" is about date_gte and date_lte."""
    head, _, tail = name.rpartition("_")
    if not head or f"{head}_" not in text or (f"{tail}/" not in text and f"/{tail}" not in text):
        return ()
    one, other = re.escape(tail), r"[a-z]{1,20}"
    pair = rf"{re.escape(head)}_(?:{one}/{other}|{other}/{one}):[ ]?([^\n]{{1,{_MAX_SAID}}})"
    both = re.search(pair, text)
    return (both[1],) if both is not None else ()


def _of_several(name: str, text: str) -> tuple[str, ...]:
    """What "Ratings: better | same | worse" says of one rating."""
    # Letters that are not ASCII may equal others.
    if f"{name.lower()}s:" not in text.lower() and text.isascii():
        return ()
    line = rf"^[ \t]{{0,12}}{re.escape(name)}s:[ \t]?(\S[^\n]{{0,{_MAX_SAID}}})"
    many = re.search(line, text, re.IGNORECASE | re.MULTILINE)
    return (many[1],) if many is not None else ()


def _labelled(name: str, text: str) -> tuple[str, ...]:
    """What follows the words of a name where they head a line: "- Start date: first day" is about start_date."""
    parts, lower, start = name_words(name), text.lower(), 0
    # One of these is in most descriptions that name a parameter otherwise, and far faster to find than a pattern.
    if not 0 < len(parts) <= _MAX_WORDS or not any(joint.join(parts) in lower for joint in (" ", "", "-")):
        return ()
    if len(parts) == 1:
        # A single word with a capital may head any line; below "Args:", it is the parameter.
        section = _SECTION.search(text)
        if section is None:
            return ()
        start = section.end()
    words = "[ -]?".join(map(re.escape, parts))
    label = (
        rf"^[ \t]{{0,12}}(?:[-*•・]\s?|\d{{1,2}}[.)]\s)?[*_`]{{0,3}}{words}[*_`]{{0,3}}\s?(?:\([^()\n]{{0,80}}\))?"
        rf"\*{{0,2}}\s?[:：–—]\*{{0,2}}[ \t]?(\S[^\n]{{0,{_MAX_SAID}}})"
    )
    line = re.compile(label, re.IGNORECASE | re.MULTILINE).search(text, start)
    return (line[1],) if line is not None else ()


_SECTION = lazy_pattern(
    r"^[ \t#*]{0,12}(?:args|arguments|parameters|params|inputs?)[ \t*]{0,3}:?[ \t*]{0,3}$", re.IGNORECASE | re.MULTILINE
)
_MAX_WORDS = 6
"""Maximum number of words of a name that is sought as a label."""


def _as_subject(name: str, text: str) -> tuple[str, ...]:
    """What a sentence says about the words of a name: "The urn is the identifier of the asset" is about asset_urn."""
    parts, lower = name_words(name), text.lower()
    if not 0 < len(parts) <= _MAX_WORDS or not any(f"{part} {verb}" in lower for part in parts for verb in _COPULAS):
        return ()
    # The last word, or all of them; of "owners_email", the plural in front may stand for the whole.
    alone = {parts[-1], *(part for part in parts[:1] if part.endswith("s"))}
    things = "|".join(re.escape(thing) for thing in (" ".join(parts), *sorted(alone)))
    sentence = (
        rf"{_BEGINS}(?:the\s)?(?:{things})\s(?:{'|'.join(_COPULAS)})\s(?!{_NO_MEANING})(\S[^\n]{{2,{_MAX_SAID}}})"
    )
    said = re.search(sentence, text, re.IGNORECASE)
    return (said[1],) if said is not None else ()


_COPULAS = ("is", "are", "can be", "may be", "must be", "should be")
_BEGINS = r"(?:^|[.;:!?]\s{1,3}|\n[ \t]{0,12}(?:[-*•]\s)?)"
_NO_MEANING = (
    r"(?:also|always|being|currently|empty|for|given|gone|in|invalid|kept|lost|missing|not|now|optional|put|read|running|sent"
    # "Files are deleted at once" says what happens to them, "dates are formatted as" what they are.
    r"|set|shown|unknown|used|written|(?!(?:bas|express|format|limit|separat|specifi)[a-z]{0,4}ed\b)[a-z]{2,20}ed)\b"
)
"""What follows where a sentence says how something is dealt with, not what it is."""


def _translated(name: str, text: str) -> tuple[str, ...]:
    words = _TRANSLATED.get(name)
    if words is None or text.isascii():
        return ()
    noted = re.search(rf"(?:{words})\s?[（(]([^（）()\n]{{1,{_MAX_SAID}}})[）)]", text)
    return (noted[1],) if noted is not None else ()


def said_in_passing(name: str, description: str, *, anything: bool = False) -> tuple[str, ...]:
    """What follows each mention of a parameter in a description, up to the end of the sentence; empty if nothing does.

    Args:
        name: of the parameter.
        description: of its tool.
        anything: also what does not explain its value ("must not be empty").
    """
    text = description[: _MAX_ANYTHING if anything else _MAX_TEXT]
    if not name:
        return ()
    results = _RESULTS.search(text)
    about = text[: results.start()] if results is not None else text
    out = [*_of_a_pair(name, text), *_translated(name, about), *_labelled(name, about)]
    out += _as_subject(name, about) if anything else ()
    if name.lower() in text.lower():
        out += _of_several(name, text)
        out += islice(_at_mentions(name, about, anything=anything), _MAX_PLACES)
    return tuple(filter(None, out))


def _at_mentions(name: str, text: str, *, anything: bool) -> Iterator[str]:
    """What the text says where it has the name of a parameter as a word of its own."""
    places = re.finditer(rf"(?<!{LETTER})(?<![.$@-]){re.escape(name)}(?!{LETTER})(?!-\w)", text)
    for match in islice(places, _MAX_SEEN):
        front = text[max(0, match.start() - _MAX_FRONT) : match.start()]
        begin = _explanation(name, match, front, anything=anything)
        if begin is not None:
            limit = min(len(text), match.end() + _MAX_SAID)
            broken = _BREAK.match(text, begin)
            stop = _ENDS.search(text, broken.end() if broken else begin, limit)
            yield text[begin : stop.start() if stop else limit].lstrip("`'\"*: \n")
        elif anything and _is_sure(name, front) and (said := _GIVEN_AS.search(front)) is not None:
            yield said[0]
    # "What it did not return is at `overflow.ref`" says where a ref comes from.
    if f".{name}`" in text:
        quoted = re.search(rf"`[\w.\[\]]{{1,60}}\.{re.escape(name)}`", text)
        yield from (quoted[0],) if quoted is not None else ()


def _explanation(name: str, match: re.Match[str], front: str, *, anything: bool) -> int | None:
    """Where the text about a parameter begins behind its name; ``None`` if it is about something else."""
    text, end = match.string, match.end()
    if anything and _SHOWN.match(text, end):
        return None
    on_it = (_ON_IT if anything else _EXPLAINED).match(text, end)
    if on_it is not None and on_it[0].startswith("."):
        # "Sets the status. Valid: open, done": the next sentence is about it.
        return on_it.end()
    last = front.rstrip(" ")[-1:]
    if on_it is not None and on_it[0].endswith((":", "：")) and last.isascii() and last.isalnum():
        # "Default gate: oak" is about the default, "gate: oak or ash" about the parameter.
        return end if name in _ONLY_NAMES else None
    if on_it is not None or name in _ONLY_NAMES or (anything and "_" in name and front[-1:] == "/"):
        return end
    if _PASSED.search(front) and _NOTED.match(text, end):
        return end
    return end if name[0].islower() and _SUBJECT.match(text, end) and _STARTS.search(front) else None


def _is_sure(name: str, front: str) -> bool:
    """True if a word can only be the name of a parameter: it is in quotes, or no word of any language."""
    return front[-1:] in ("`", "'", '"') or "_" in name.strip("_") or not (name.islower() or name.istitle())
