"""Limits that prose gives for a parameter, in the many ways in which people write them.

:func:`mcp_governor.prose.prose.stated_bounds` reads claims that contradict a schema, and so only unambiguous ones. A
limit that the schema lacks is reported as advice, so more forms count here: "2-40" after a colon, "at least two", "up
to 50 user emails", "cannot be empty". The noun after the number decides if it limits the parameter: a number of seconds
does not limit a number of results.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.guarded import Cues, Guarded, lowered
from mcp_governor.prose.limit_words import (
    ABOVE,
    AT_END,
    BASED,
    BELOW,
    COUNTED_THINGS,
    EXACTLY,
    FILLED,
    FROM_END,
    LEAST,
    LENGTH,
    MOST,
    OF_LENGTH,
    OR_FEWER,
    OR_MORE,
    POSITIVE,
    RANGE,
    SO_MANY,
    WORDS,
)
from mcp_governor.prose.prose import number, of_alternative
from mcp_governor.prose.units import same_unit, unit_of
from mcp_governor.prose.words import name_words, stem

if TYPE_CHECKING:
    from collections.abc import Iterator

_TAIL = lazy_pattern(r"\s?((?:[A-Za-zµ°%]+(?:\s|(?=\W|$))){0,12})\s?(?:\(inclusive\)\s?)?(\S?)", re.IGNORECASE)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_STOPS = frozenset(".,;:)]([—–-|/，。；、）个条项字")
_FILLERS = _set(
    "inclusive allowed max maximum min minimum long in length total each at a time once per page request "
    "call to return returned be fetch retrieve include supported only of the can"
)
_UNSURE = _set("for when if but except unless with on or and than while depending by as not from more less fewer")
_ADVICE = lazy_pattern(
    r"\b(?:recommend\w*|suggest\w*|typical\w*|usual\w*|e\.g|example|such\sas|approx\w*|about|roughly|ideal\w*"
    r"|prefer\w*|optimal\w*"
    r"|small|large|low|high|good|best|try|commonly|returns|returned|each|every|operations?|actions?|truncat\w*"
    r"|previously|was|were|took|takes|costs?|version|unlimited|no\slimit)\b"
    # "Width times scale is at most 3000": what is limited is made of several parameters.
    r"|\b(?:times|multiplied\sby|plus)\s(?:the\s)?[\w`]{1,40}\s(?:is|are|must|may|can|should)\b|\b(?:product|sum)\sof\b|\bsum\s(?:up\s)?to\b"
    r"|\bby\sdefault\b|\bdefault(?:s\sto|:|\sis)?\s?$",
    re.IGNORECASE,
)
_CONDITION = lazy_pattern(r"\b(?:when|if|unless|where|depending|otherwise|except)\b", re.IGNORECASE)
_CONDITION_NEXT = lazy_pattern(
    r"\s?[,(;)]?\s?\(?(?:for|when|if|but|except|unless|or|otherwise|depending|in\scase)\b", re.IGNORECASE
)
_SPECIAL = lazy_pattern(
    r"(?<![\d\w])-1\b|(?<![\d.,\-])(?:0|zero|null)\s?(?:\(|=|:\s|means|for\s|to\s(?!\d)|disables|turns|returns)"
    r"|\bunlimited\b|\bno\slimit\b|\bfrom\sthe\send\b",
    re.IGNORECASE,
)
_OTHER_SIDE = lazy_pattern(r"\s?,?\s(?:and|to)\s(?:<=|≤|<|at\smost|up\sto|no\smore|less|max)", re.IGNORECASE)
_SENTENCE = lazy_pattern(r"[.!?]\s+(?=[A-Z])|(?<=[.:;])\n|\n(?=\s?[-*•])|\n\n")
_COUNTS = lazy_pattern(r"\b(?:number|count|amount|how\smany|limit|maximum|max|total|page\ssize)\b", re.IGNORECASE)
_COUNT_NAMES = _set(
    "limit count max maximum min minimum size top per n num number k first last take amount total depth "
    "page rows cols columns"
)
_COUNTED = frozenset(
    stem(word)
    for word in _set(
        "result item row entry record line page message file commit match document event issue hit node post image "
        "user word token element value id url tag entries"
    )
)
_RESULT = _set("returned found shown available exists exist")
_CHARACTERS = _set("character characters char chars letters digits")


class Limit(NamedTuple):
    """One side of a limit.

    Attributes:
        keyword: ``minimum``, ``maxLength`` and so on.
        value: the bound.
        said: the words that state it.
    """

    keyword: str
    value: float
    said: str


class _Found(NamedTuple):
    side: str
    value: float
    start: int
    end: int
    tail: bool = True
    """True if the counted noun comes after the number."""
    exclusive: bool = False
    both: bool = False
    """True if it is one end of a range, which is more likely to be the parameter's."""


class Argument(NamedTuple):
    """A parameter whose limits are read.

    Attributes:
        name: of the parameter.
        of: ``number``, ``integer``, ``characters`` or ``items``.
        text: everything that is said about it.
        bare: of an array: a number without a noun counts its items. Otherwise it may be one of the items.
    """

    name: str
    of: str
    text: str
    bare: bool = True


_MAX_TEXT = 4_000
"""Maximum number of characters read from a description; limits come early. Each limit is weighed against the text
around it, so reading all of a long text would take time quadratic in its length."""

_KEYWORDS = {
    ("characters", "lower"): "minLength",
    ("characters", "upper"): "maxLength",
    ("items", "lower"): "minItems",
    ("items", "upper"): "maxItems",
}


def has_number(text: str) -> bool:
    """True if a description may state a limit: it has a digit, or a word that stands for a number."""
    # \d also finds digits of other scripts.
    return _NUMBER_CUES.are_in(lowered(text)) or (not text.isascii() and _DIGITS.search(text) is not None)


def stated_limits(argument: Argument) -> list[Limit]:
    """The limits that a description gives for a parameter; a side with two different limits is omitted."""
    text = argument.text[:_MAX_TEXT]
    argument = argument._replace(text=text)
    numbers = _NUMBERS if _WORD_CUES.are_in(lowered(text)) else _DIGITS
    found_numbers = len(numbers.findall(text))
    if not found_numbers:
        return []
    ranges = list(RANGE.finditer(text)) if found_numbers > 1 else []
    out: dict[str, set[Limit]] = {"lower": set(), "upper": set()}
    for found in _found(argument, ranges):
        if _about(found, argument):
            keyword = _KEYWORDS.get((argument.of, found.side)) or _number_keyword(found, argument.of)
            value = found.value
            if keyword in ("minimum", "maximum") and found.exclusive:
                value += 1 if found.side == "lower" else -1
            out[found.side].add(Limit(keyword, value, text[found.start : found.end].strip(" (,:;.")))
    sides = [one for one in out.values() if len({(limit.keyword, limit.value) for limit in one}) == 1]
    stated = [min(one, key=lambda limit: len(limit.said)) for one in sides]
    # "Capped at 1000 pages of 50, at least 10000": one of them counts something else.
    return stated if len(stated) < len(out) or stated[0].value <= stated[1].value else []


def is_one_at_least(limits: list[Limit]) -> bool:
    """True if limits of a list only exclude the empty one."""
    return [limit[:2] for limit in limits] == [("minItems", 1)]


_NUMBER_WORDS = ("positive", "negative", "empty", *WORDS)
_WORD_CUES = Cues(*_NUMBER_WORDS)
_NUMBER_CUES = Cues(*"0123456789", *_NUMBER_WORDS)
_DIGITS = lazy_pattern(r"\d+")
_NUMBERS = lazy_pattern(rf"\d+|\b(?:{'|'.join(_NUMBER_WORDS)})\b", re.IGNORECASE)


def _number_keyword(found: _Found, of: str) -> str:
    keyword = "minimum" if found.side == "lower" else "maximum"
    return f"exclusive{keyword.title()}" if found.exclusive and of == "number" else keyword


def _value(text: str) -> float:
    word = WORDS.get(text.lower())
    return word if word is not None else number(text.lstrip("+"))


def _found(argument: Argument, ranges: list[re.Match[str]]) -> Iterator[_Found]:
    text = argument.text
    for match in ranges:
        low, high = (_value(group) for group in match.groups() if group is not None)
        years = 1900 <= low <= high <= 2100 and "year" not in argument.name.lower()
        if low < high and not years and not of_alternative(text, match.start()):
            exclusive = _EXCLUSIVE.match(text, match.end()) is not None
            yield _Found("lower", low, match.start(), match.end(), exclusive=exclusive, both=True)
            yield _Found("upper", high, match.start(), match.end(), exclusive=exclusive, both=True)
    yield from _sides(text)
    yield from _exact(argument)


def _sides(text: str) -> Iterator[_Found]:
    """Limits of one side."""
    for pattern, side, exclusive in (
        (MOST, "upper", False),
        (LEAST, "lower", False),
        (BELOW, "upper", True),
        (ABOVE, "lower", True),
        (OR_FEWER, "upper", False),
        (AT_END, "upper", False),
        (OR_MORE, "lower", False),
    ):
        for match in pattern.finditer(text):
            if not _RANGE_GOES_ON.match(text, match.end()):
                yield _Found(
                    side, _value(next(filter(None, match.groups()))), match.start(), match.end(), exclusive=exclusive
                )


def _exact(argument: Argument) -> Iterator[_Found]:
    """Limits whose words contain the noun: so many characters or items, positive, not empty."""
    text = argument.text
    if argument.of == "characters":
        for match in EXACTLY.finditer(text):
            value = _value(match[1] or match[2])
            yield _Found("lower", value, match.start(), match.end(), tail=False)
            yield _Found("upper", value, match.start(), match.end(), tail=False)
    if argument.of in ("number", "integer"):
        if not FROM_END.search(text):
            for match in BASED.finditer(text):
                yield _Found("lower", 1, match.start(), match.end(), tail=False)
        for match in POSITIVE.finditer(text):
            above = next(filter(None, match.groups())).lower() == "positive"
            yield _Found("lower", 0, match.start(), match.end(), tail=False, exclusive=above)
    if argument.of == "items":
        for match in SO_MANY.finditer(text):
            if COUNTED_THINGS.match(text, match.end()):
                value = _value(match[1])
                yield _Found("lower", value, match.start(), match.end(), tail=False)
                yield _Found("upper", value, match.start(), match.end(), tail=False)
    if argument.of in ("characters", "items"):
        for match in FILLED.finditer(text):
            yield _Found("lower", 1, match.start(), match.end(), tail=False)


_EXCLUSIVE = lazy_pattern(r",?\s?\(?exclusive\b", re.IGNORECASE)
_RANGE_GOES_ON = lazy_pattern(r"\s?(?:-|–|to|\.\.)\s?\d")


def _about(found: _Found, argument: Argument) -> bool:
    """True if a limit applies to this parameter, unconditionally, and is not advice."""
    text = argument.text
    # One character more, because a sentence ends where the next one visibly begins.
    begin = max((match.end() for match in _SENTENCE.finditer(text, 0, found.start + 1)), default=0)
    ends = _SENTENCE.search(text, found.end)
    before = text[begin : found.start]
    sentence = text[begin : ends.start() if ends else len(text)]
    # "Maximum number of rows returned for each" is about the rows that the tool may return, not about what it does.
    said = _RETURNED.sub("", before[-160:]) if _IS_COUNT.match(before) else before[-160:]
    if _ADVICE.search(said) or _CONDITION.search(said):
        return False
    number = _DIGITS.search(text, found.start)
    if _FOR.match(before):
        return False
    if _CLAMPED.search(sentence) or _OF_SOME.search(before[-160:]) or _ADVISED.match(text, found.end):
        return False
    if found.both and number is not None and _ADVICE.search(text, found.start, number.start()):
        return False  # "Recommended range 0.2-0.8"
    if found.side == "lower" and _SPECIAL.search(text.replace(text[found.start : found.end], " ", 1)):
        return False
    if not found.tail:
        return "positive or negative" not in sentence.lower() and not _CONDITION_NEXT.match(text, found.end)
    return _counts(found, argument, before)


_CLAMPED = Guarded(
    r"\bclamp(?:s|ed)?\b|\bcoerc(?:es|ed)\b|(?:^|[.;(]\s?)capped\sat\b|\bvalues\sare\signored\b"
    r"|\b(?:is|are|be|gets?)\s(?:\w{1,14}\s)?(?:reduced|lowered|split|batched|chunked|paged|rounded|cut|truncated|shortened)\b"
    r"|\bin(?:to)?\s(?:\w{1,14}\s)?(?:batches|chunks)\b",
    *("clamp", "coerc", "capped", "ignored", "reduced", "lowered", "split", "batche", "chunk", "paged", "rounded"),
    *("cut", "truncated", "shortened"),
)
"""What a tool does with values beyond a limit, so that the call is not wrong."""
_ADVISED = lazy_pattern(
    r"[^.;,\n]{0,25}\b(?:recommended|suggested|typical(?:ly)?|usual(?:ly)?|ideal|optimal|preferred|advised|works?\swell)\b",
    re.IGNORECASE,
)
"""Words behind a range that make it advice: "5-10 recommended"."""
_OF_SOME = lazy_pattern(
    r"\b(?:basic|business|enterprise|free|paid|premium|pro|standard|starter|team)\s(?:plans?|tiers?|accounts?|users?)\b"
    r"[^.\n]{0,40}$|\bmodels?\s(?:supports?|allows?|accepts?)\s(?:\w{1,12}\s){0,2}$"
    r"|(?<![\w.-])[\w.-]{0,20}\d[\w.-]{0,20}\s(?:supports?|allows?|accepts?|takes?|has|is)\s(?:\w{1,12}\s){0,2}$"
    r"|\b(?:after|every)\s$|\b(?:responses?|outputs?|answers?|repl(?:y|ies)|summar(?:y|ies))\s(?:\w{1,10}\s){0,3}$",
    re.IGNORECASE,
)
"""What the number in front of which it appears is true of: some users, a certain model, the result."""
_FOR = lazy_pattern(r"\s*for\s(?!example)[^.:,\[\n]{1,40}:", re.IGNORECASE)
"""A case of several: "For ONE_OF_RANGE: exactly one value"."""
_IS_COUNT = lazy_pattern(
    r"(?:the\s|optional\s)?(?:max(?:imum)?|number|how\smany|limit|count|amount|total)\b", re.IGNORECASE
)
_RETURNED = lazy_pattern(r"\b(?:returned|returns|each|every)\b", re.IGNORECASE)


def _counts(found: _Found, argument: Argument, before: str) -> bool:
    """True if the number counts what the parameter is: its value, characters, or items."""
    text = argument.text
    tail = _TAIL.match(text, found.end)
    if argument.of in ("number", "integer") and _OTHER_SIDE.match(text, found.end):
        return True
    if tail is None or (tail[2] and tail[2] not in _STOPS and tail[2] not in "'\"`"):
        return False
    if text[found.end : found.end + 1] in ("+", "/", "x"):
        return False
    said = tail[1].lower().split()
    if "each" in said or _RATE.match(" ".join(said)):
        return False
    while said and said[0] in _FILLERS and said[0] != "page":
        said = said[1:]
    said = _before_purpose(said, argument)
    unsure = next((at for at, word in enumerate(said) if word in _UNSURE), None)
    if unsure is not None:
        return False
    if _CONDITION_NEXT.match(text, tail.end(1)):
        return False
    if _RESULT.intersection(said):
        return False
    noun = _noun(said)
    around = text[max(0, found.start - 1) : found.end]
    if argument.of == "characters":
        if "json" in text.lower() or _PART_OF_TEXT.search(before):
            return False
        return (len(noun) == 1 and noun[0] in _CHARACTERS) or (
            not noun and bool(LENGTH.search(around) or OF_LENGTH.search(before[-40:]))
        )
    if argument.of == "items":
        return _items(noun, argument, around, before)
    return _quantity(noun, argument, before, found.both)


def _before_purpose(said: list[str], argument: Argument) -> list[str]:
    """The words for the items of a list without what they are for: "tags to put on it", "names for the report"."""
    at = next((at for at, word in enumerate(said) if word in ("for", "to")), 0) if argument.of == "items" else 0
    follows = said[at + 1 : at + 2]
    names = {stem(word) for word in name_words(argument.name)}
    if not at or stem(said[at - 1]) not in names or not _SOME_USERS.isdisjoint(said[at:]):
        return said
    if said[at] == "for" and follows not in _DETERMINED:
        return said
    return said[:at]


_SOME_USERS = frozenset({"account", "accounts", "model", "models", "plan", "plans", "tier", "tiers", "users"})
_DETERMINED = (["a"], ["an"], ["the"], ["this"])
_RATE = lazy_pattern(r"(?:[a-z]{1,20}\s){0,2}(?:per|an?)\s(?:second|minute|hour|day)\b")
_PART_OF_TEXT = lazy_pattern(
    r"\b(?:lines?|paragraphs?|words?|sentences?|parts?|segments?)\s[^.,;:(]{0,20}$", re.IGNORECASE
)
"""What the number of characters is one of several of: "first line at most 72"."""


def _noun(said: list[str]) -> list[str]:
    """The words for what is counted, up to the first one that only continues the sentence."""
    out = []
    for word in said:
        if word in _FILLERS:
            break
        out.append(word)
    return out


_LIST_OF = lazy_pattern(r"\b(?:list|array|set|batch|collection)\sof\s$", re.IGNORECASE)
_HOLDS = lazy_pattern(
    r"\b(?:must|should|needs?\sto|has\sto|can|may)\s(?:contain|have|include|hold|provide|specify)\b"
    r"|^(?:[A-Z]\w{1,20}\s)?(?:list|array)\b",
    re.IGNORECASE,
)
_WORDS_BEFORE = lazy_pattern(r"[a-z]{3,30}")


def _items(noun: list[str], argument: Argument, around: str, before: str) -> bool:
    names = {stem(word) for word in name_words(argument.name)}
    front = _WORDS_BEFORE.findall(before[-60:].lower()) if not noun and around.lstrip().startswith("(") else []
    if front and stem(front[-1]) in names:
        return True  # "one or more search queries (1-12)"
    if (
        noun
        and (_LIST_OF.search(before) or _HOLDS.search(before + around))
        and unit_of(noun[0]) is None
        and not _CHARACTERS.intersection(noun)
    ):
        return True  # "list of up to 10 short cues"
    if not noun:
        return argument.bare and bool(
            re.search(r"max|min|at (?:most|least)|no more|up to|limited|items|entries", around, re.IGNORECASE)
        )
    return any(stem(word) in names or stem(word) in _COUNTED - {"word", "token", "line"} for word in noun)


def _quantity(noun: list[str], argument: Argument, before: str, both: bool) -> bool:
    if not noun:
        return True
    unit = unit_of(noun[0]) if len(noun) == 1 else None
    if unit is not None:
        return same_unit(unit, argument.name, argument.text)
    stems = {stem(word) for word in noun}
    names = {stem(word) for word in name_words(argument.name)}
    counted = bool(_COUNT_NAMES.intersection(name_words(argument.name))) or bool(_COUNTS.search(before))
    if stems & names and len(noun) <= 3:
        return True
    if both and len(noun) == 1 and before == argument.text[: len(before)]:
        return True
    if not counted:
        return False
    return bool(stems & _COUNTED) or bool(stems & {stem(word) for word in re.findall(r"[a-z]{3,30}", before.lower())})
