"""Which keys a text says an object has: in words, as a shape, or one by one with their types."""

from __future__ import annotations

import re

from mcp_governor.lazy import lazy_pattern

_MOST_READ = 2_000
"""Characters of a description that are read for this."""
_MOST_KEYS = 24
"""Keys of one object that are listed; a message shows fewer."""

_KINDS = (
    r"(?:str|string|text|int|integer|number|float|double|bool|boolean|list|array|dict|object|any|date|datetime|enum"
    r"|optional|required)"
)
_QUOTED = lazy_pattern(r"[`'\"](?P<name>[A-Za-z_$][\w$\-]{0,40})[`'\"]\s?(?:\([^()]{0,80}\))?")
_PLAIN = lazy_pattern(r"[`'\"]?(?P<name>[A-Za-z_$][\w$\-]{0,40})[`'\"]?\s?(?:\([^()]{0,80}\)|\?)?")
_NEXT = lazy_pattern(
    r"\s?(?:,\s?(?:and\s|or\s|an?\s|optional\s|optionally\s)*|\s?and\s(?:an?\s|optional\s|optionally\s)*|;\s?|/\s?)"
)
_WORDS = lazy_pattern(
    r"\b(?:(?P<plain>(?:keys|fields|properties|attributes)(?:\s(?:are\s?:|is\s?:|include|named|called))?\s?:?"
    r"|(?:must|should) (?:have|include|contain|specify|provide)\s(?:the\s)?(?:keys|fields|properties|attributes)\s?:?)"
    r"|(?:must|should|has to|need to|needs to)\s(?:each\s|also\s)?(?:have|include|contain|specify|provide)(?:\sboth)?"
    r"|containing|consisting of|with(?:\s(?:an?|the|its|optional|required))?|requires?|each having|has|include)"
    r"\s(?:the\s|an?\s)?"
    r"(?=[`'\"]?[A-Za-z_$])",
    re.IGNORECASE,
)
_SHAPE = lazy_pattern(
    rf"\{{\s?(?P<inner>[`'\"]?[A-Za-z_]\w{{0,40}}[`'\"]?\??\s?(?::\s?[\"'<]?{_KINDS}\b[^{{}}]{{0,400}}"
    rf"|,\s?[A-Za-z_]\w{{0,40}}\??[\w\s,?.]{{0,300}}))\}}",
    re.IGNORECASE,
)
_IN_SHAPE = lazy_pattern(r"(?:^|,)\s?[`'\"]?(?P<name>[A-Za-z_]\w{0,40})[`'\"]?\??\s?(?=:|,|$)")
_TYPED = lazy_pattern(
    rf"(?:[`'\"](?P<quoted>[A-Za-z_]\w{{0,40}})[`'\"]|(?:^|\n)\s?[-*•]\s?[`'\"*]{{0,3}}(?P<listed>[A-Za-z_]\w{{0,40}})[`'\"*]{{0,3}})"
    rf"\s?:?\s?\(\s?{_KINDS}\b",
    re.IGNORECASE,
)
_EXAMPLE = lazy_pattern(r"\b(?:e\.g\.|(?:for example|such as|example|like|instance)\b)[^.]{0,30}$", re.IGNORECASE)


def stated_keys(text: str) -> list[str]:
    """The keys that a description says an object, or each item of a list, has; empty where it names fewer than two.

    Args:
        text: about an argument that is an object or a list of objects.
    """
    text = text[:_MOST_READ]
    found: dict[str, None] = {}
    if "{" in text:
        for shape in _SHAPE.finditer(text):
            if text.count("{", 0, shape.start()) > text.count("}", 0, shape.start()):
                continue
            if not _EXAMPLE.search(text[max(0, shape.start() - 60) : shape.start()]) or ":" in shape["inner"]:
                names = [match["name"] for match in _IN_SHAPE.finditer(shape["inner"])]
                found.update(dict.fromkeys(names if len(names) > 1 else ()))
    typed = [match["quoted"] or match["listed"] for match in _TYPED.finditer(text)]
    found.update(dict.fromkeys(typed if len(typed) > 1 else ()))
    for match in _WORDS.finditer(text):
        if _EXAMPLE.search(text[max(0, match.start() - 40) : match.start()]):
            continue
        names = _list(text, match.end(), _PLAIN if match["plain"] else _QUOTED)
        found.update(dict.fromkeys(names if len(names) > 1 else ()))
    return list(found)[:_MOST_KEYS]


def _list(text: str, at: int, item: re.Pattern[str]) -> list[str]:
    """The names of a list that begins at a place."""
    out: list[str] = []
    while len(out) < _MOST_KEYS and (match := item.match(text, at)) is not None:
        step = _NEXT.match(text, match.end())
        # A bare word that goes on is the first of a phrase.
        if step is None and item is _PLAIN and re.match(r"\s\w", text[match.end() : match.end() + 2]):
            break
        out.append(match["name"])
        if step is None:
            break
        at = step.end()
    return out
