"""Limits that a description gives for a parameter: "2-40" after a colon, "at least two", "up to 50 user emails".

The ways of writing are rows of ``rules/forms.toml``. The words behind the number decide if it limits the parameter: a
number of seconds does not limit a number of results.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.claims import Claim, Form, claim_at, is_void, read_forms, said_in
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.units import same_unit, unit_of
from mcp_governor.prose.words import name_words, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MAX_TEXT = 4_000
"""Maximum number of characters read from a description; limits come early."""
_WORDS = {
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
_CUES = (*_WORDS, "negative", "positive", "empty", "blank")
_TAIL = lazy_pattern(r"\s?(?:\(inclusive\)\s?)?((?:[A-Za-z%°]+(?:\s|(?=\W|$))){0,8})(\S?)", re.IGNORECASE)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_STOPS = frozenset(".,;:)]([—–-|/，。；、）个条项字<>≤≥='\"`")
_FILLERS = _set(
    "inclusive allowed max maximum min minimum long in length total of the at each page call request can be once"
)
_ENDS = _set("for to per and on with by as not from is are at that this return returned can each")
"""Words behind which a phrase says nothing more of what is counted."""
_ELSEWHERE = _set("found shown available exist exists each returned")
_CHARACTERS = _set("character characters char chars letter letters digits")
_THINGS = frozenset(
    stem(word)
    for word in _set(
        "result item row entry record line page message file commit match document event issue hit node post image user"
        " word token element value id ids url urls tag"
    )
)
"""Things of which the name of a count seldom says that it counts them."""
_COUNTS = _set("limit count max min size top per n num number k first last take amount total depth page rows")
_LENGTH = lazy_pattern(r"\b(?:length|long|char)", re.IGNORECASE)
_SPECIAL = Guarded(
    r"(?<![\d\w])-1\b|(?<![\d.,\-])(?:0|zero|null)\s?(?:\(|=|:\s|means|for\s|to\s(?!\d)|disables|turns|returns)"
    r"|\bunlimited\b|\bno\slimit\b|\bfrom\sthe\send\b|\b(?:0|zero)[- ](?:based|indexed)"
    r"|\bleave\s(?:it\s)?(?:empty|blank)\b",
    *(
        " 0 ",
        " zero ",
        " null ",
        " unlimited ",
        " no limit ",
        " the end ",
        " leave ",
        " -1",
        "(-1",
        "=-1",
        "`-1",
        "'-1",
    ),
)
"""A value beyond the lower limit that has a meaning of its own."""
_FIRST_YEAR, _LAST_YEAR = 1900, 2100
"""Numbers that are years: "changed from 2000 to 2016" limits nothing."""


class Limit(Struct, frozen=True):
    """One side of a limit.

    Attributes:
        keyword: ``minimum``, ``maxLength`` and so on.
        value: the bound.
        claim: that states it.
    """

    keyword: str
    value: float
    claim: Claim


def read_limits(text: str) -> tuple[Claim, ...]:
    """The limits in a description; ``said`` holds ``low`` and ``high``, ``above`` and ``below``, and ``of`` what."""
    return tuple(read_forms(text[:_MAX_TEXT], "limit", _limit)) if _has_number(text) else ()


def _has_number(text: str) -> bool:
    lower = text.lower()
    return any(map(str.isdigit, lower)) or any(word in lower for word in _CUES)


def _limit(form: Form, match: re.Match[str], text: str) -> Claim | None:
    groups = said_in(match, text)
    said = {name.rstrip("0123456789"): value for name, value in groups.items()}
    said |= {side: form.row[side] for side in ("low", "high", "above") if side in form.row}
    if "exact" in said:
        said["low"] = said["high"] = said["exact"]
    tail = _TAIL.match(text, match.end())
    words = (said["of"] if "of" in said else tail[1] if tail is not None else "").lower().split()
    start = min(map(match.start, groups), default=match.start())
    if (
        is_void("limit", text, start, match.end())
        or not _ELSEWHERE.isdisjoint(words)
        or (tail is not None and tail[2] and tail[2] not in _STOPS)
    ):
        return None
    if "low" in said and "high" in said:
        low, high = number(said["low"]), number(said["high"])
        years = low >= _FIRST_YEAR and high < _LAST_YEAR and "year" not in text.lower()
        if years or (low >= high and "exact" not in said):
            return None
    if {"low", "above"} & said.keys() and _SPECIAL.search(text.replace(text[match.start() : match.end()], " ", 1)):
        said = {name: value for name, value in said.items() if name not in ("low", "above")}
    if {"low", "above"} & form.row.keys():
        words = []  # "a positive integer"
    while words and words[0] in _FILLERS:
        words = words[1:]
    end = next((at for at, word in enumerate(words) if word in _ENDS), len(words))
    return claim_at(form, match, text, {**said, "of": " ".join(words[:end])})


def number(text: str) -> float:
    """A number as people write it: in words, or with commas between thousands."""
    plain = text.lstrip("+").replace(",", "")
    word = _WORDS.get(plain.lower())
    return word if word is not None else float(plain) if "." in plain else int(plain)


_KEYWORDS = {
    "characters": {"low": "minLength", "high": "maxLength"},
    "items": {"low": "minItems", "high": "maxItems"},
    "number": {
        "low": "minimum",
        "high": "maximum",
        "above": "exclusiveMinimum",
        "below": "exclusiveMaximum",
    },
}


def stated_limits(name: str, of: str, text: str, claims: Iterable[Claim]) -> list[Limit]:
    """The limits of a parameter among those in its description; a side with two different ones is left out.

    Args:
        name: of the parameter.
        of: ``number``, ``integer``, ``characters`` or ``items``.
        text: the description.
        claims: what :func:`read_limits` reads in it.
    """
    found = [limit for claim in claims if _counts(claim, name, of, text) for limit in _sides(claim, of)]
    lower = [limit for limit in found if limit.keyword.startswith(("min", "exclusiveMin"))]
    upper = [limit for limit in found if not limit.keyword.startswith(("min", "exclusiveMin"))]
    kept = [side[0] for side in (lower, upper) if len({(limit.keyword, limit.value) for limit in side}) == 1]
    # "First row (max 100, min 5000)": one of them counts something else.
    return kept if len(kept) < 2 or kept[0].value <= kept[1].value else []


def _sides(claim: Claim, of: str) -> Iterator[Limit]:
    keywords = _KEYWORDS["number" if of == "integer" else of]
    for side, keyword in keywords.items():
        if side in claim.said:
            value = number(claim.said[side])
            if of == "integer" and side in ("above", "below"):
                # Of integers, below 10 is at most 9.
                yield Limit(*(("minimum", value + 1) if side == "above" else ("maximum", value - 1)), claim)
            else:
                yield Limit(keyword, value, claim)


def _counts(claim: Claim, name: str, of: str, text: str) -> bool:
    """True if a number counts what the parameter is: its value, its characters, or its items."""
    words = claim.said["of"].split()
    stems, names = {stem(word) for word in words}, {stem(word) for word in name_words(name)}
    start, end = claim.span
    before = text[max(0, start - 40) : start]
    if claim.form == "not-empty":
        return of in ("characters", "items")
    if of == "characters":
        sized = not words and _LENGTH.search(before + text[start:end]) is not None
        return (sized or not _CHARACTERS.isdisjoint(words[:1])) and "json" not in text.lower()
    if of == "items":
        listed = re.search(r"\b(?:list|array|set)\sof\s(?:up\sto\s)?\d|\bmust\scontain\b", text[:end], re.I)
        counted = stems & (names | _THINGS) or listed or (not words and claim.form.startswith("at-"))
        return bool(counted) and not _CHARACTERS & set(words)
    unit = unit_of(words[0]) if words else None
    if unit is not None:
        return same_unit(unit, name, text)
    if not words or stems & names:
        return not _CHARACTERS & set(words)
    counting = not _COUNTS.isdisjoint(name_words(name))
    return counting and bool(stems & (_THINGS | {stem(word) for word in before.lower().split()}))
