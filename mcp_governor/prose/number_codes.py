"""Closed lists of numbers in prose: codes with a meaning ("1 = low, 2 = high", "Options: 0(off), 1(on)").

A number with a meaning is not always one of a few: "0 means no limit" is about a count, and "1 (worst) to 5 (best)" is
a range. So a list needs two consecutive codes, or three if no words announce a list.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.list_words import ABROAD, MAX_TEXT, PROMISE, is_example

_MAX_CODES = 60
"""Maximum number of codes in a list; a longer one belongs in a document."""

_SIGN = (
    r"\s?(?:=|:|：|→|(?P<word>(?:means|for|to|is|will)\s|[a-z]{2,20}s\s)|-\s|–\s?|—\s?|-(?=[\u4e00-\u9fff])|代表|表示|为|是)"
    r"\s?[`'\"]?[^\W\d_]"
)
_CODE = lazy_pattern(
    r"(?<![\w.\-/])[`'\"]?(?P<code>-?\d{1,6})[`'\"]?"
    # The meaning of the code: in brackets, possibly nested, or after a sign up to the next separator. Chinese needs no
    # sign, but has words behind an amount.
    r"(?:\s?\([^()\n]{1,160}(?:\([^()\n]{0,80}\)[^()\n]{0,80})?\)|\s?（[^（）\n]{1,160}）"
    rf"|(?:{_SIGN}|(?<=\d)(?![个条位秒分小天年月日次页米元到至])[\u4e00-\u9fff])[^,;|\n，；、。]{{0,120}}?"
    r"(?=[,;|\n，；、。]|\s(?:or|and)\s[`'\"]?-?\d|/-?\d|\.(?:\s|$)|[)）]|$))"
)
_BULLET = r"(?:[*•]\s?|-\s)?"
_NEXT = lazy_pattern(
    rf"\s?(?:[,;|/.，；、。]\s?(?:(?:or|and)\s)?{_BULLET}|\n\s?{_BULLET}|(?:or|and)\s|-\s)(?:(?:use|pass|set to)\s)?",
    re.IGNORECASE,
)
_STEP = r"(?:[,，]\s?|、|\s?\|\s?|\s?/\s?|\s(?:or|and)\s|,\s(?:or|and)\s)"
_BARE = lazy_pattern(rf"\d{{1,9}}(?:{_STEP}\d{{1,9}}){{1,59}}\b(?!\s?[%.]?\w|\.\d)")
_CLOSED_BEHIND = lazy_pattern(
    rf"(?:^|[.:;]\s)(?:currently\s)?(?:only\s)?(?P<codes>\d{{1,9}}(?:{_STEP}\d{{1,9}}){{1,59}})"
    r"\s(?:are|is)\s(?:currently\s)?(?:supported|allowed|accepted|valid|permitted)\b",
    re.IGNORECASE,
)
_WHOLE = lazy_pattern(r"\(?(?P<codes>\d{1,9}(?:\s?\|\s?\d{1,9}){1,59})\)?\.?")
_PROMISE = lazy_pattern(
    r"\b(?:one of|options?|(?:valid|allowed|possible|supported|accepted|available)\s(?:[a-z]{1,16}\s)?[a-z]{1,16}"
    r"|values?|enum|codes?)(?:\s(?:are|is))?\s?:?\s?[(\[{]?\s?(?:[-*•]\s?)?$",
    re.IGNORECASE,
)
_EXAMPLE = lazy_pattern(r"\b(?:e\.?g\.?|such as|for example|examples?|like|default)(?!\w)[^.\n]{0,20}$", re.IGNORECASE)
_RANGE = lazy_pattern(r"\d\)?\s?(?:-|–|to|\.\.\.?|through)\s?\d|\bbetween\b", re.IGNORECASE)
_SHARE = lazy_pattern(r"\bin\s[\[(]\s?0\s?,\s?1\s?[\])]", re.IGNORECASE)
"""The interval of a share, in the notation of mathematics: "trust in [0, 1]"."""
_GOES_ON = lazy_pattern(r"\betc\b|\.\.\.|…|\band so on\b|\bother (?:numbers?|values?|codes?)\b|\bHTTP\b", re.IGNORECASE)

_ANGLE = lazy_pattern(r"\bdegrees?\b|°|±", re.IGNORECASE)
"""A direction has any value between those whose meaning is given: "0 = south, -90 = east"."""


def is_share(codes: tuple[int, ...], text: str) -> bool:
    """True if 0 and 1 are the ends of the interval of a share, for a parameter that accepts fractions."""
    return codes == (0, 1) and _SHARE.search(text) is not None


class NumberCodes(NamedTuple):
    """The numbers that a description lists.

    Attributes:
        codes: each once, in order of appearance.
        promised: the words in front announce a list of values.
        in_words: a word relates a code to its meaning ("1 for low"), which a sign does more certainly.
    """

    codes: tuple[int, ...]
    promised: bool
    in_words: bool = False


def number_codes(text: str) -> NumberCodes | None:
    """The one list of codes in the description of a parameter; ``None`` if there is none, or if it is open-ended."""
    text = text[:MAX_TEXT]
    if not _DIGITS.search(text) or _RANGE.search(text) or _GOES_ON.search(text):
        return None
    bare = _announced(text)
    if bare:
        return NumberCodes(tuple(dict.fromkeys(int(code) for code in re.findall(r"\d+", bare))), True)
    start = _CODE.search(text)
    if start is None or _EXAMPLE.search(text, 0, start.start()) or _ANGLE.search(text):
        return None
    codes = [int(start["code"])]
    in_words = start["word"] is not None
    endless = _ENDLESS.search(start[0]) is not None
    at = start.end()
    while (step := _NEXT.match(text, at)) and (code := _CODE.match(text, step.end())) and len(codes) <= _MAX_CODES:
        codes.append(int(code["code"]))
        in_words = in_words or code["word"] is not None
        endless = endless or _ENDLESS.search(code[0]) is not None
        at = code.end()
    if not 1 < len(codes) <= _MAX_CODES or len(set(codes)) < len(codes):
        return None
    default = _DEFAULT.search(text)
    if default is not None and int(default[1]) not in codes:
        return None  # Some other value is valid, too.
    promised = _PROMISE.search(text, max(0, start.start() - 60), start.start()) is not None
    if not promised and _CASE.search(text, max(0, start.start() - 20), start.start()) and _CODE.search(text, at):
        return None  # "iOS: 40=Return, 41=Escape. Android: 4=Back": each system has its own.
    # "Items per node (0 = none, -1 = unlimited)": a count has any value in between.
    return NumberCodes(tuple(codes), promised, in_words) if promised or not endless else None


_CASE = lazy_pattern(r"[A-Za-z]\w{1,18}:\s?$", re.NOFLAG)
_ENDLESS = lazy_pattern(r"\b(?:unlimited|no\slimit|infinite(?:ly)?|forever)\b", re.IGNORECASE)
_DEFAULT = lazy_pattern(r"\bdefaults?(?:\sto|\sis)?\s?[:=]?\s?(-?\d{1,9})\b", re.IGNORECASE)
_DIGITS = lazy_pattern(r"\d.*\d", re.DOTALL)


def _are_ends(numbers: str) -> bool:
    """True if numbers are the ends of a range: "Values range [1, 9]"."""
    first, *others = map(int, _NUMBER.findall(numbers))
    return len(others) == 1 and others[0] - first != 1


_NUMBER = lazy_pattern(r"\d+")


def _announced(text: str) -> str:
    """The numbers behind words that announce values, or before words that close them; empty if there are none."""
    closed = _CLOSED_BEHIND.search(text) or _WHOLE.fullmatch(text)
    if closed is not None:
        return closed["codes"]
    for promise in (*PROMISE.finditer(text), *ABROAD.finditer(text)):
        found = _BARE.match(text, promise.end())
        if found is None or is_example(text, promise.start(), promise.end()):
            continue
        if "range" not in promise[0] or not _are_ends(found[0]):
            return found[0]
    return ""
