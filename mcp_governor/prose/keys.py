"""Keys that a description lists for an object: in words, as a shape, or one by one with their types."""

from __future__ import annotations

import re

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.guarded import Guarded

_MAX_READ = 2_000
"""Maximum number of characters searched per description."""
_MAX_KEYS = 24
"""Maximum number of keys collected per object; a message shows fewer."""

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
    r"|containing|consisting of|with(?:\s(?:an?|the|its|optional|required))?|requires?:?|needs|each having|has|include)"
    r"\s(?:the\s|an?\s)?"
    r"(?=[`'\"]?[A-Za-z_$])",
    re.IGNORECASE,
)
_SHAPE = lazy_pattern(
    rf"\{{\s?(?P<inner>[`'\"]?[A-Za-z_]\w{{0,40}}[`'\"]?\??\s?"
    rf"(?::\s?(?:[\"'<]?{_KINDS}\b|<[\w ]{{1,30}}>)[^{{}}]{{0,400}}"
    rf"|,\s?[A-Za-z_]\w{{0,40}}\??[\w\s,?.]{{0,300}}))\}}",
    re.IGNORECASE,
)
_IN_SHAPE = lazy_pattern(r"(?:^|,)\s?[`'\"]?(?P<name>[A-Za-z_]\w{0,40})[`'\"]?\??\s?(?=:|,|$)")
_TYPED = lazy_pattern(
    rf"(?:[`'\"](?P<quoted>[A-Za-z_]\w{{0,40}})[`'\"]|(?:^|\n)\s?[-*•]\s?[`'\"*]{{0,3}}(?P<listed>[A-Za-z_]\w{{0,40}})[`'\"*]{{0,3}})"
    rf"\s?:?\s?\(\s?{_KINDS}\b",
    re.IGNORECASE,
)
_ITEM = (
    rf"(?:an?\s|the\s)?[`'\"]?[A-Za-z_]\w{{1,40}}[`'\"]?\s(?:{_KINDS}|map|field|key|property)s?\b(?!\s(?:field|column))"
)
_NAMED = lazy_pattern(
    rf"\b(?:must|should|has to|needs? to)\s(?:each\s|also\s)?(?:have|include|contain|provide)\s{_ITEM}"
    rf"(?:(?:\s?,\s?(?:and\s)?|\sand\s){_ITEM}){{1,12}}",
    re.IGNORECASE,
)
"""Keys with their types: "must include nodes array and connections object"."""
_NAMED_ITEM = lazy_pattern(
    rf"(?:\b(?:an?|the)\s)?[`'\"]?([A-Za-z_]\w{{1,40}})[`'\"]?\s(?:{_KINDS}|map|field|key|property)s?\b(?!\s(?:field|column))",
    re.IGNORECASE,
)
_EACH = lazy_pattern(
    r"\beach(?:\s\w{1,20}){0,2}\s(?:(?:can|may|must|should)\s)?(?:have|has|having|contains?|containing|includes?|with)\s?:"
    r"(?=\s)",
    re.IGNORECASE,
)
"""Words before the keys of each item of a list, one after another or on lines of their own."""
_NOTED = lazy_pattern(
    r"\s?(?P<quote>[`'\"]?)(?P<name>[A-Za-z_]\w{0,40})(?P=quote)(?P<note>\s?\((?:[^()\n]|\([^()\n]{0,80}\)){1,200}\))?"
)
_STEP = lazy_pattern(r"\s?(?:,\s?(?:(?:and|or)\s)?|;\s|\s\+\s|(?:and|or)\s)", re.IGNORECASE)
_LINE = lazy_pattern(
    r"\s{0,20}[-*•]\s[`'\"*]{0,3}(?P<name>[A-Za-z_]\w{0,40})[`'\"*]{0,3}\s?(?:\([^()\n]{0,80}\)\s?)?(?::|–|—|-)\s[^\n]{0,400}"
)
_EXAMPLE = lazy_pattern(
    r"\b(?:e\.g\.|(?:for example|such as|example|like|instance|any|common|commonly|typical|typically|usual|usually)\b)"
    r"[^.]{0,30}$",
    re.IGNORECASE,
)


_SHOWN = lazy_pattern(r"[^.\n]{0,60}\b(?:for (?:example|instance)|etc|to be (?:given|present|set))\b", re.IGNORECASE)
"""What follows names that are not all keys, or those of parameters."""
_OF_A_KEY = lazy_pattern(r"[A-Za-z_]\w{1,40}\s?\($")
_NO_KEYS = frozenset({"and", "are", "check", "for", "if", "is", "only", "or", "to", "when", "which", "with"})
"""Words of a phrase, of which none is likely the name of a key in a list without quotes."""


_LANGUAGE = Guarded(
    r"\bjson[\s_-]?logic\b|\bjson[\s_-]?schema\b|\b(?:query|filter|search)\s(?:dsl|language|syntax)\b"
    r"|[{,]\s?[\"']?\$\w{1,20}[\"']?\s?:"
    r"|[{,]\s?[\"'](?:and|or|not|if|var|must|must_not|should|all|any|some)[\"']\s?:",
    *("logic", "schema", "dsl", "language", "syntax", "{"),
)


_REFUSED = lazy_pattern(r"\b(?:forbidden|ignored|not allowed|reserved)\b", re.IGNORECASE)
"""Words about keys that must not be given."""


def is_language(text: str) -> bool:
    """True if an object is an expression of a language, whose operators are keys and contain other expressions."""
    return _LANGUAGE.search(text) is not None


def stated_keys(text: str) -> list[str]:
    """The keys that a description lists for an object or for each item of a list; empty if it names fewer than two.

    Args:
        text: the description of a parameter that is an object or a list of objects.
    """
    text = text[:_MAX_READ]
    if is_language(text):
        return []
    found: dict[str, None] = {}
    if "{" in text:
        for shape in _SHAPE.finditer(text):
            if text.count("{", 0, shape.start()) > text.count("}", 0, shape.start()):
                continue
            if _OF_A_KEY.search(text, max(0, shape.start() - 45), shape.start()):
                continue  # "range ({from, to} in seconds)": the shape of a key.
            if not _EXAMPLE.search(text[max(0, shape.start() - 60) : shape.start()]) or ":" in shape["inner"]:
                names = [match["name"] for match in _IN_SHAPE.finditer(shape["inner"])]
                found.update(dict.fromkeys(names if len(names) > 1 else ()))
    typed = [match["quoted"] or match["listed"] for match in _TYPED.finditer(text)]
    found.update(dict.fromkeys(typed if len(typed) > 1 else ()))
    named = [name for match in _NAMED.finditer(text) for name in _NAMED_ITEM.findall(match[0])]
    found.update(dict.fromkeys(named if len(named) > 1 else ()))
    for each in _EACH.finditer(text):
        found.update(dict.fromkeys(_noted(text, each.end())))
    for match in _WORDS.finditer(text):
        if _only_mentions(text, match):
            continue
        names = _list(text, match.end(), _PLAIN if match["plain"] else _QUOTED)
        if not _NO_KEYS.isdisjoint(names):
            continue  # "For text fields only, check …" is a phrase.
        if not _SHOWN.match(text, match.end()):
            found.update(dict.fromkeys(names if len(names) > 1 else ()))
    return list(found)[:_MAX_KEYS]


_EXAMPLE_LIST = lazy_pattern(r"\[\s?\{\s?(?=['\"][A-Za-z_]\w{0,40}['\"]\s?:)")
_PIECE = lazy_pattern(r"(?P<string>\"[^\"\n]{0,200}\"|'[^'\n]{0,200}')(?P<colon>\s?:)?|[{}\[\]]", re.NOFLAG)
_MAX_PIECES = 120
"""Maximum number of strings and brackets read of an example."""
_KEY = lazy_pattern(r"[a-z_][a-z0-9]*(?:_[a-z0-9]+|[A-Z][a-z0-9]+)*", re.NOFLAG)
"""How keys that a program reads are written, unlike the headings of a table."""


def example_keys(text: str) -> list[str]:
    """The keys of the first object in a list that a description shows; empty for fewer than two, and for other words
    than those of a program: "[{"Name": …}]".

    Args:
        text: the description of a parameter that is a list of objects.
    """
    text = text[:_MAX_READ]
    start = _EXAMPLE_LIST.search(text)
    if start is None or is_language(text):
        return []
    out: list[str] = []
    depth = 0
    for number, piece in enumerate(_PIECE.finditer(text, start.end())):
        if depth < 0 or number > _MAX_PIECES:
            break
        if piece["string"] is None:
            depth += 1 if piece[0] in "{[" else -1
        elif depth == 0 and piece["colon"]:
            out.append(piece["string"][1:-1])
    closed = depth < 0 and all(map(_KEY.fullmatch, out))
    return out[:_MAX_KEYS] if closed and len(out) > 1 else []


def _only_mentions(text: str, words: re.Match[str]) -> bool:
    """True if the words before keys introduce examples, or keys that must not be given."""
    start = max(0, words.start() - 40)
    return bool(_EXAMPLE.search(text[start : words.start()]) or _REFUSED.search(text, start, words.end() + 120))


def _noted(text: str, at: int) -> list[str]:
    """Keys that are in quotes or have a note in brackets each, or a line; empty if there are fewer than two."""
    out: list[str] = []
    while len(out) < _MAX_KEYS and (line := _LINE.match(text, at)) is not None:
        out.append(line["name"])
        at = line.end()
    while len(out) < _MAX_KEYS and (one := _NOTED.match(text, at)) is not None and (one["quote"] or one["note"]):
        out.append(one["name"])
        step = _STEP.match(text, one.end())
        if step is None:
            break
        at = step.end()
    return out if len(out) > 1 else []


def _list(text: str, at: int, item: re.Pattern[str]) -> list[str]:
    """The names in a list that begins at a position."""
    out: list[str] = []
    while len(out) < _MAX_KEYS and (match := item.match(text, at)) is not None:
        step = _NEXT.match(text, match.end())
        # An unquoted word with more words after it is the start of a phrase.
        if step is None and item is _PLAIN and re.match(r"\s\w", text[match.end() : match.end() + 2]):
            break
        out.append(match["name"])
        if step is None:
            break
        at = step.end()
    return out
