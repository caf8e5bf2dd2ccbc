"""The words of a sentence that are certainly names of parameters.

These are a name in quotes, a name that is not a common word, a common word where only a parameter makes sense ("when
query is not given"), and a word that "or" joins to one of these.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcp_governor.prose.need import Ways

IDENTIFIER = lazy_pattern(r"[A-Za-z_$][\w$]*+(?:-[\w$]++)*+")
_WORD_BEFORE = lazy_pattern(r"[A-Za-z_$][\w$]{0,63}/$")
_JOINED_BEFORE = frozenset("./-@${<")
_JOINED_AFTER = frozenset("/@}>")
_AS_ARGUMENT = lazy_pattern(
    r"[`'\"”’]?\s?(?:=|==|(?:parameters?|arguments?|args?|fields?|options?|flags?|property)\b"
    r"|(?:is|are)\s(?:not\s|also\s)?(?:provided|specified|set|given|used|omitted|present|supplied|missing|empty|absent"
    r"|true|false|null|none|passed|enabled|disabled)\b|(?:provided|specified|omitted|supplied)\b)",
    re.IGNORECASE,
)
_VERB = lazy_pattern(r"\s(?:is|are|was|has|contains|equals|not|isn't)\b", re.IGNORECASE)
_INTRODUCES = lazy_pattern(
    r"\b(?:exclusive|incompatible|not compatible|conflicts?|paired|together|combination|combined|conjunction) with"
    r"\s(?:the\s)?$|\b(?:this|it) or (?:the\s)?$|(?:^|[(;,.]\s?)(?:an?\s)?alternative to (?:the\s)?$"
    r"|(?:^|[(;,.]\s?)(?:used? )?(?:this |it )?instead of (?:the\s)?$",
    re.IGNORECASE,
)
BETWEEN = lazy_pattern(
    r"\s?[`'\"]?\s?(?:,\s?(?:or|and)?|or|and|/|\+|&)\s?(?:the\s)?(?:combination of\s)?[`'\"]?\s?", re.IGNORECASE
)
_PLUS = lazy_pattern(r"[`'\"]?\s?(?:\+|&)\s?[`'\"]?")
_AND = lazy_pattern(r"[`'\"]?\s?(?:\+|&|and|with|together with)\s?(?:the\s)?[`'\"]?", re.IGNORECASE)

_LISTED_FIRST = lazy_pattern(r"\s?(?:of\s)?:?\s?(?:the\s|an?\s)?[`'\"]?")
NOT_USING = ("not using", "not using a", "not using an", "not using the", "without a", "without an", "without the")
"""Words in front of a name that say that it is left out, besides "no", "not" and "without"."""
QUOTES = frozenset("`'\"“”‘’")


def names_in(text: str, names: Collection[str], *, after: str = "") -> tuple[str, ...]:
    """The parameters that a sentence certainly names, in order of appearance.

    Args:
        text: one sentence, with single spaces.
        names: of the parameters.
        after: the word in front of a condition, whose first word is a name, even if it is a common word, if a verb
            follows.
    """
    return tuple(dict.fromkeys(match[0] for match in places(text, names, after=after)))


def grouped(text: str, names: Collection[str], *, listed: bool, after: str = "") -> Ways:
    """The parameters that a sentence names; those joined by "+" or "and" form a group.

    Args:
        text: one sentence, with single spaces.
        names: of the parameters.
        listed: "and" comes before the last item of a list, and does not join.
        after: as in :func:`names_in`.
    """
    joins = _PLUS if listed else _AND
    out: list[tuple[str, ...]] = []
    end = 0
    for match in places(text, names, after=after):
        if all(match[0] not in way for way in out):
            if out and joins.fullmatch(text, end, match.start()):
                out[-1] = (*out[-1], match[0])
            else:
                out.append((match[0],))
        end = match.end()
    return tuple(out)


def places(text: str, names: Collection[str], *, after: str = "") -> list[re.Match[str]]:
    found = [match for match in IDENTIFIER.finditer(text) if match[0] in names]
    if after == "choice" and len(found) > 1:
        # "Either name or path": two words that are names, joined, directly after it.
        first = _LISTED_FIRST.fullmatch(text, 0, found[0].start()) is not None
        if not (first and BETWEEN.fullmatch(text, found[0].end(), found[1].start())):
            after = ""
    sure = [_is_name(text, match, names) or (after != "" and _leads(text, match, after)) for match in found]
    # A word joined to a name by "or" is a name as well. One pass in each direction.
    for order in (range(1, len(found)), range(len(found) - 2, -1, -1)):
        for position in order:
            other = position - 1 if order.step == 1 else position + 1
            left, right = sorted((position, other))
            if sure[other] and BETWEEN.fullmatch(text, found[left].end(), found[right].start()):
                sure[position] = True
    return [match for match, certain in zip(found, sure, strict=True) if certain]


def _leads(text: str, match: re.Match[str], after: str) -> bool:
    front = text[: match.start()].strip(" `'\"").lower()
    if after == "choice":
        return front in ("", "of", "of the", "the")
    if front in (
        "only changing",
        "only setting",
        "only updating",
        "changing",
        "setting",
        "updating",
        "using",
        "using a",
        "using the",
        "no",
        "without",
        *NOT_USING,
    ):
        return True
    return front in ("", "the") and after != "for" and (after == "with" or _VERB.match(text, match.end()) is not None)


def _is_pair(text: str, match: re.Match[str], names: Collection[str]) -> bool:
    """True if a slash separates two parameters, here "combined with keys/profile"."""
    before, after = _WORD_BEFORE.search(text, 0, match.start()), IDENTIFIER.match(text, match.end() + 1)
    neighbours = [before[0][:-1]] if before is not None else []
    neighbours += [after[0]] if after is not None and text[match.end()] == "/" else []
    return bool(neighbours) and all(name in names for name in neighbours)


def _is_name(text: str, match: re.Match[str], names: Collection[str]) -> bool:
    """True if a word that is spelled like a parameter is one."""
    before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
    if before in QUOTES and after in QUOTES:
        return True
    if before in _JOINED_BEFORE or after in _JOINED_AFTER:
        # "start_date/end_date" is two names; a path is not.
        if "/" in (before, after) and "_" in match[0].strip("_"):
            return True
        if "/" not in (before, after) or not _is_pair(text, match, names):
            return False
    word = match[0]
    if "_" in word.strip("_") or not (word.islower() or word.istitle()):
        return True
    if _AS_ARGUMENT.match(text, match.end()) is not None:
        return True
    return _INTRODUCES.search(text[max(0, match.start() - 30) : match.start()]) is not None
