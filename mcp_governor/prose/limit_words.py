"""The ways in which people write a limit, as expressions: a range, an upper or a lower side, an exact number.

What the number counts is for :mod:`mcp_governor.prose.limits` to decide.
"""

from __future__ import annotations

import re

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.guarded import Guarded

WORDS = {
    "zero": 0,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twelve": 12,
    "twenty": 20,
    "fifty": 50,
}
# Not an amount of money, a version, a part of a name, or a date.
_N = (
    rf"(?<![\w$€£#])(?<!\w\.)((?:-|\+)?(?:\d{{1,3}}(?:,\d{{3}})+|\d{{1,15}})(?:\.\d{{1,9}})?(?![\d$€£%]*[\d$€£])"
    rf"|(?:{'|'.join(WORDS)})\b)"
)
_REMARK = r"(?:\s?\([^()\n]{1,40}\))?"
_UNIT = r"(?:\s?(?:ms|msec|milliseconds?|s|secs?|seconds?|mins?|minutes?|hours?|days?|px|pixels?|[kmg]b|bytes|%))?"
_TO = rf"{_UNIT}{_REMARK}\s?(?:-|–|—|(?:up\s)?to|\.\.\.?|through|and)\s?"
_IS = r"(?:\s(?:is|of|value|allowed|limit|number|length|size|items|count|supported|accepted|integer))*\s?[:=]?\s?"
_BETWEEN = (
    rf"(?:\b(?:between|from|rang(?:e|es|ing)(?:\s(?:is|of|from))?|valid\srange|values?(?:\sis|\srange)?"
    rf"|must\sbe|should\sbe)"
    rf"|(?:范围|取值|介于)(?:为|是|在)?)\s?[:：]?\s?{_N}{_TO}{_N}"
)
_LOOSE = (
    rf"(?:^|[(,:;]\s{{0,12}}|^(?:[A-Z][a-z]{{1,20}}\s)(?:[A-Za-z]{{2,20}}\s){{0,3}}|(?<=[a-z)]\.\s)|\b(?:of"
    rf"|length|integer|number|value|level|scale|score|rating|priority"
    rf"|limited\sto)\s){_N}{_REMARK}\s?(?:-|–|\.\.\.?|to)\s?{_N}"
)
_CLOSED = rf"\b(?:in|within|between|range|ranges|is|interval|from)\s?:?\s?\[\s?{_N}\s?[,;]\s?{_N}\s?\]"
_CHAIN = rf"{_N}\s?(?:<=|≤)\s?\w{{1,40}}\s?(?:<=|≤)\s?{_N}"
# What a range of characters or items begins with is seen at its number: "Tags 1-5" may be names of tags.
RANGE = Guarded("|".join((_BETWEEN, _LOOSE, _CLOSED, _CHAIN)), starts=r"A-Za-z)(+,\d:;范取介-")
MOST = Guarded(
    rf"(?:\bmax(?:imum)?\.?{_IS}|\bat\smost\s|\bno\smore\sthan\s|\bnot\smore\sthan\s|(?:不(?:能|得|可)?超过|不大于|最多"
    rf"|最大(?:值|长度)?|上限)(?:为|是)?\s?[:：]?\s?|\b(?:not|cannot|never|n't)\s(?:to\s)?(?:exceed|be\s(?:longer|more"
    rf"|greater|larger"
    rf"|higher)\sthan)\s|\bup\sto\s|\b(?:hard|upper)\slimit(?:\sis|\sof|\s?:)?\s|\blimit\sis\s"
    rf"|\bvalues?\s(?:above|over|beyond|(?:greater|higher|larger|more)\sthan)\s|\b(?:limited|capped"
    rf"|restricted)\s(?:to|at)\s|(?:^|[(,;]\s?)(?:hard\s)?(?:cap|ceiling)(?:\s(?:of|at|is))?\s?[:=]?\s?"
    rf"|\bupper\s(?:bound|limit)\s(?:is|of)\s|\bno\slonger\sthan\s|\bless\sthan\sor\sequal\sto\s"
    rf"|(?<![<>=\w])(?:≤|<=)\s?){_N}",
    *(
        "max",
        "at most",
        "no more",
        "exceed",
        "up to",
        "limited",
        "cap",
        "ceiling",
        "restricted",
        "upper",
        "longer",
        "equal to",
        "≤",
        "<=",
        "er than",
        "re than",
        "limit",
        "values ",
        "value ",
        "not more",
        "超过",
        "不大于",
        "最多",
        "最大",
        "上限",
    ),
    starts="(,;<achlmnruv≤不最上",
)
EXACTLY = Guarded(
    rf"\bexactly\s{_N}(?=\s(?:char(?:acter)?|digit|letter|item|entr|element|value)s?\b)"
    rf"|(?<![\d\-–]){_N}-(?:character|char|letter)\b(?!\s(?:limit|max|prefix|suffix|or\b))",
    "exactly",
    "-char",
    "-letter",
)
SO_MANY = Guarded(rf"\b(?:exactly|pairs?\sof|must\s(?:have|contain|be))\s{_N}", "exactly", "pair", "must")
COUNTED_THINGS = lazy_pattern(
    r"\s(?!of\b|or\b|to\b|time|character|char|digit|letter|word|second|minute)[a-z]{3,20}s?\b(?!\s?(?:long|each))",
    re.IGNORECASE,
)
LEAST = Guarded(
    rf"(?:\bmin(?:imum)?\.?{_IS}|(?:最小(?:值)?|至少|不小于|不少于)(?:为|是)?\s?[:：]?\s?|\bat\sleast\s|\b(?:no|not)\s(?:less"
    rf"|fewer)\sthan\s|\bnot\sbe\s(?:less|smaller|lower|shorter|fewer)\sthan\s"
    rf"|\bgreater\sthan\sor\sequal\sto\s|\b(?:line|page|number|index|numbering"
    rf"|counting)s?,?\s\(?(?:\w{{1,20}}\s)?start(?:s|ing)?\s(?:at|from|with)\s"
    rf"|(?:^|[.]\s)starts?\s(?:at|from)\s|(?<![<>=\w])(?:≥|>=)\s?){_N}",
    *(
        "min",
        "at least",
        "no less",
        "no fewer",
        "not less",
        "not fewer",
        "not be",
        "equal to",
        "start",
        "≥",
        ">=",
        "最小",
        "至少",
        "不小于",
        "不少于",
    ),
    starts=".>acgilmnps≥最至不",
)
BELOW = Guarded(
    rf"(?:\b(?:must|should|has\sto)\sbe\s(?:less\sthan|fewer\sthan|smaller\sthan|below|under|<)\s?"
    rf"|[(,]\s?(?:less\sthan\s|<\s?)){_N}",
    "must be",
    "should be",
    "has to be",
    "less than",
    "<",
)
FROM_END = lazy_pattern(r"\bnegative\b|\b(?:0|zero)[- ](?:based|indexed)\b|\bfrom\s(?:the\s)?end\b", re.IGNORECASE)
BASED = Guarded(
    r"(?<!\w)(?:1|one)[- ](?:based|indexed)\b|\bindexed\sfrom\s(?:1|one)\b",
    "1-",
    "1 ",
    "one-",
    "one ",
    "from 1",
    "from one",
)
ABOVE = Guarded(
    rf"(?:\b(?:must|should|has\sto)\sbe\s(?:greater\sthan|more\sthan|larger\sthan|above|over|>)\s?|(?:^"
    rf"|[(,]\s?)(?:greater\sthan\s|>\s?)){_N}",
    "must be",
    "should be",
    "has to be",
    "greater than",
    ">",
)
OR_FEWER = Guarded(rf"{_N}\s(?:char(?:acter)?s\s)?or\s(?:less|fewer)\b", "or less", "or fewer")
AT_END = Guarded(
    rf"{_N}\s(?:[a-z]{{2,20}}\s)?(?:max(?:imum)?|at\smost)\b(?!\s?[:=]?\s?\d)"
    # "Blocks under 80 characters are joined" is about something else.
    rf"|(?:^|[(,;:.]\s?|\b(?:be|is|it|keep|kept|length|stay|text)\s)(?:under|below|within)\s{_N}(?=\schar)"
    rf"|{_N}[- ]char(?:acter)?s?[- ](?:limit|max(?:imum)?)\b|{_N}(?=\s?个?字符?以内)",
    "max",
    "at most",
    "char",
    "以内",
)
OR_MORE = Guarded(
    rf"{_N}\sor\s(?:older|more|greater|higher|above)\b", "or older", "or more", "or greater", "or higher", "or above"
)
POSITIVE = Guarded(
    r"\b(non[- ]?negative|positive)\s(?:integer|int|number|whole|float|value)s?\b"
    r"|\bmust\sbe\s(?:a\s)?(non[- ]?negative|positive)\b(?:\s(?:integer|int|number|whole|float|value)s?\b)?"
    r"|(?:^|\()(non[- ]?negative|positive)\b(?=\s?(?:[.,;)]|$))",
    "positive",
    "negative",
)
FILLED = Guarded(
    r"^(?:an?\s)?non-?empty\b|\b(?:can\s?not|can't|must\snot|may\snot|should\snot)\sbe\s(?:empty|blank)\b"
    r"|\bmust\sbe\s(?:an?\s)?non-?empty\b",
    "empty",
    "blank",
)
OF_LENGTH = lazy_pattern(r"\blength\s(?:(?:must|should|has to)\s(?:be\s)?|is\s)?$", re.IGNORECASE)
LENGTH = lazy_pattern(r"\b(?:length|long|characters?|chars?)\b", re.IGNORECASE)
