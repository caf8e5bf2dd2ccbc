"""Closed lists of numbers in prose: codes with a meaning ("1 = low, 2 = high", "Options: 0(off), 1(on)").

A number with a meaning is not always one of a few: "0 means no limit" is about a count, and "1 (worst) to 5 (best)" is
a range. So a list needs two consecutive codes, or three if no words announce a list.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mcp_governor.linting.guarded import Guarded

_MAX_TEXT = 4_000
"""Maximum number of characters read from a description; later text does not define a parameter's values."""
_MAX_CODES = 60
"""Maximum number of codes in a list; a longer one belongs in a document."""

_CODE = re.compile(
    r"(?<![\w.\-/])[`'\"]?(?P<code>-?\d{1,6})[`'\"]?"
    # The meaning of the code: in brackets, possibly nested, or after a sign up to the next separator.
    r"(?:\s?\([^()\n]{1,160}(?:\([^()\n]{0,80}\)[^()\n]{0,80})?\)"
    r"|\s?(?:=|:|→|means\s|for\s|-\s|–\s?|—\s?)\s?[`'\"]?[A-Za-z][^,;|\n]{0,120}?(?=[,;|\n]|\s(?:or|and)\s-?\d|\.(?:\s|$)|\)|$))"
)
_NEXT = re.compile(r"\s?(?:[,;|/.]\s?(?:(?:or|and)\s)?(?:[-*•]\s?)?|\n\s?(?:[-*•]\s?)?|(?:or|and)\s|-\s)")
_BARE = Guarded(
    r"\b(?:one of|options?|(?:valid|allowed|possible|supported|accepted|available)\s(?:[a-z]{1,16}\s)?[a-z]{1,16}"
    r"|must be(?:\seither)?|either)(?:\s(?:are|is))?\s?:?\s?[(\[{]?\s?"
    r"(?P<codes>\d{1,9}(?:(?:,\s?|\s?\|\s?|\s?/\s?|\s(?:or|and)\s|,\s(?:or|and)\s)\d{1,9}){1,59})\b(?!\s?[%.]?\w|\.\d)",
    *("one of", "option", "valid", "allowed", "possible", "supported", "accepted", "available", "must be", "either"),
)
_PROMISE = re.compile(
    r"\b(?:one of|options?|(?:valid|allowed|possible|supported|accepted|available)\s(?:[a-z]{1,16}\s)?[a-z]{1,16}"
    r"|values?|enum|codes?)(?:\s(?:are|is))?\s?:?\s?[(\[{]?\s?(?:[-*•]\s?)?$",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"\b(?:e\.?g\.?|such as|for example|examples?|like|default)(?!\w)[^.\n]{0,20}$", re.IGNORECASE)
_RANGE = re.compile(r"\d\)?\s?(?:-|–|to|\.\.\.?|through)\s?\d|\bbetween\b", re.IGNORECASE)
_GOES_ON = re.compile(r"\betc\b|\.\.\.|…|\band so on\b", re.IGNORECASE)


class NumberCodes(NamedTuple):
    """The numbers that a description lists.

    Attributes:
        codes: each once, in order of appearance.
        promised: the words in front announce a list of values.
    """

    codes: tuple[int, ...]
    promised: bool


def number_codes(text: str) -> NumberCodes | None:
    """The one list of codes in the description of a parameter; ``None`` if there is none, or if it is open-ended."""
    text = text[:_MAX_TEXT]
    if not _DIGITS.search(text) or _RANGE.search(text) or _GOES_ON.search(text):
        return None
    bare = _BARE.search(text)
    if bare is not None:
        return NumberCodes(tuple(dict.fromkeys(int(code) for code in re.findall(r"\d+", bare["codes"]))), True)
    start = _CODE.search(text)
    if start is None or _EXAMPLE.search(text, 0, start.start()):
        return None
    codes = [int(start["code"])]
    at = start.end()
    while (step := _NEXT.match(text, at)) and (code := _CODE.match(text, step.end())) and len(codes) <= _MAX_CODES:
        codes.append(int(code["code"]))
        at = code.end()
    if not 1 < len(codes) <= _MAX_CODES or len(set(codes)) < len(codes):
        return None
    default = _DEFAULT.search(text)
    if default is not None and int(default[1]) not in codes:
        return None  # Some other value is valid, too.
    return NumberCodes(tuple(codes), _PROMISE.search(text, max(0, start.start() - 60), start.start()) is not None)


_DEFAULT = re.compile(r"\bdefaults?(?:\sto|\sis)?\s?[:=]?\s?(-?\d{1,9})\b", re.IGNORECASE)
_DIGITS = re.compile(r"\d.*\d", re.DOTALL)
