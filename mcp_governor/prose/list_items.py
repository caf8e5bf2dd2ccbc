"""The items of a list in prose: where they begin and end, what separates them, and what explains them."""

from __future__ import annotations

import re
from typing import NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.list_words import GOES_ON, QUOTED

MAX_VALUES = 500
"""Maximum number of values in a list; a longer one belongs in a document. In a description, a long list takes as much
room as in an enum."""

# Letters beyond Latin end a value: "值为fast".
_CHAR = r"[A-Za-z0-9_\u00c0-\u024f]"
# A plus belongs to the character behind it, if there is one: read in two ways, "a+a+a+…" takes exponential time.
BARE = rf"[.+\-]?{_CHAR}(?:[.+\-]*{_CHAR}|(?<=\d):(?=\d)|[+](?![.+\-]*{_CHAR})){{0,49}}"
_ITEM = lazy_pattern(rf"(?P<quoted>{QUOTED})|(?P<bare>{BARE}(?:\.|\+)?)")
_PATH = lazy_pattern(rf"(?P<quoted>{QUOTED})|(?P<bare>{BARE}(?:/{BARE}){{0,4}}\.?)")
"""Items with a slash inside, in a list whose separator is another one: "image/png, image/jpeg"."""
# What may separate two items. A quoted item may have an explanation ("'bullet' for bullets or 'number' for …").
_LAST = r"(?:or|and|oder|und|ou|et|o|e|y|или|и|또는)"
_NEXT = lazy_pattern(
    rf"\s?(?:[,;，；]\s?(?:{_LAST}\s|[或和])?|、\s?(?:または)?|\|\|?\s?|/\s?|[／｜]\s?|(?:{_LAST}|and/or)\s"
    r"|(?:又は|または|或者?|和|と)\s?)"
)
_MARK = lazy_pattern(r"\b(?:or|oder|ou|или|o)\b|[|/｜／或は]|また|또는")
_IN_BRACKETS = r"(?:\((?:[^()\n]|\([^()\n]{0,160}\)){0,400}\)|（[^（）\n]{0,200}）)"
_NOTE = lazy_pattern(
    rf"\s?{_IN_BRACKETS}|\s?=\s?(?:[^,;|.()（），；、。\n]|{_IN_BRACKETS}|\.(?=\w)){{1,160}}"
    rf"|\s?[:：\-–—]\s?[\u3040-\u30ff\u4e00-\u9fff](?:[^,;，；、|。（）\n]|{_IN_BRACKETS}){{0,100}}"
    r"|\sfor\s[A-Za-z](?:[^,;|.()\n]|\.(?=\w)){1,80}"
)
_VERB = r"(?:for|to|if|when|means|meaning|is|will|does|do|can|only|in|with|uses?|[a-z]{2,20}s)"
_UP_TO_NEXT = r"(?=[,;]\s(?:or\s|and\s)?['\"`“]|\.\s['\"`“]|\s(?:or|and)\s['\"`“])"
_EXPLAINED = lazy_pattern(
    rf"(?P<note>\s?{_IN_BRACKETS})?\s?(?:(?::|=|-|–|—|→|{_VERB})(?=\s)|=(?=\w))[^;|\n'\"`“]{{1,160}}?{_UP_TO_NEXT}"
    rf"|\s?{_IN_BRACKETS}"
)
_OR_SENTENCE = lazy_pattern(r"\.?\s(?:or\s|and\s)(?=['\"`“])|\.\s(?=['\"`“])|\.\s(?:[A-Z][\w ]{0,20}:\s)(?=['\"`“])")
_ENDS = lazy_pattern(
    r"\s?(?:$|[.)\]}>\n;。；）】]|[,:]\s|，|[,;(（]?\s?(?:defaults?|optional|required|only|case)\b|[—–-]\s"
    r"|\(for\s|のいずれか|之一)",
    re.IGNORECASE,
)
_TYPES = frozenset(
    ["string", "str", "integer", "int", "number", "float", "boolean", "bool", "array", "list", "object", "dict"]
)
_NO_VALUES = frozenset(
    [
        "null",
        "none",
        "empty",
        "omitted",
        "unset",
        "default",
        "defaults",
        "undefined",
        "optional",
        "required",
        "nil",
        "e.g",
        "i.e",
        "eg",
        "ie",
        "the",
        "a",
        "an",
        "it",
        "this",
        "that",
        "and",
        "or",
        "not",
        "any",
        "inclusive",
        "exclusive",
        "letter",
        "letters",
        "digit",
        "digits",
        "character",
        "characters",
        "underscore",
        "underscores",
        "hyphen",
        "hyphens",
        "dash",
        "dashes",
        "dot",
        "dots",
        "alphanumeric",
        "spaces",
        "punctuation",
        "uppercase",
        "lowercase",
    ]
)
"""Words that end or describe a value and are none."""
_REMARKS = frozenset({"default", "defaults", "optional", "required"})
_LEFT_OUT = frozenset({"null", "none", "empty", "unset"})


class ClosedList(NamedTuple):
    """A list of values that prose gives for a parameter.

    Attributes:
        values: as written, without quotes.
        quoted: every value is in quotes.
        promised: the words in front announce a list of values.
        noun: the word in front of the bracket or colon that opens the list, in lower case; empty if there is none.
        alternatives: an "or", a bar or a slash separates them.
        bullets: each value has a line.
        plainly: the words in front announce values and nothing else ("one of", "allowed values", "can be:").
        explained: an explanation in brackets follows most of the values, or each is explained on its line.
        whole: the list is the whole text, apart from a default.
        bracketed: it is in brackets.
        marked: the text names one of the values as the default.
        ends: a sentence, a line or a bracket ends behind the list.
        first: only a phrase of a few words and a colon are in front of it.
        bars: bars without spaces separate them, as in a usage line.
    """

    values: tuple[str, ...]
    quoted: bool
    promised: bool
    noun: str = ""
    alternatives: bool = False
    bullets: bool = False
    plainly: bool = False
    explained: bool = False
    whole: bool = False
    bracketed: bool = False
    marked: bool = False
    ends: bool = False
    first: bool = False
    bars: bool = False


def run(text: str, at: int) -> ClosedList | None:
    """The list that begins at a position."""
    return scan(text, at)[0]


def scan(text: str, at: int) -> tuple[ClosedList | None, int]:
    """The list that begins at a position, and its end; ``None`` if it continues or its items are words of a phrase."""
    found = items(text, at)
    end = found.end
    # Most words that may open a list do not.
    if len(found.values) < 2:
        return None, end
    # After an unquoted word the phrase may continue; "or a custom one" makes any list open.
    if GOES_ON.match(text, end) or not (found.quoted or _ENDS.match(text, end)):
        return None, end
    if _OR_OTHER.match(text, end) and (found.quoted or text[end : end + 1] in ")]"):
        return None, end
    if found.quoted and _SPECIAL.match(text, end):
        return None, end
    if found.explained and not found.quoted and "=" in text and _ANOTHER.search(text, end):
        return None, end
    values = found.values if found.quoted else _without_null(found.values)
    named = [value for value in values if value.lower() != "none"]
    if not 1 < len(values) <= MAX_VALUES or not (found.quoted or are_values(named)):
        return None, end
    values = list(dict.fromkeys(values))
    closed = ClosedList(
        tuple(values),
        found.quoted,
        False,
        alternatives=found.alternatives,
        explained=found.explained,
        ends=_STOPS.match(text, end) is not None,
    )
    return closed, end


def _without_null(values: list[str]) -> list[str]:
    """Unquoted values without the words for no value: "NONE" among constants, and "none" in lower case, are values."""
    others = [value for value in values if value.lower() not in _LEFT_OUT]
    if all(map(str.isupper, others)):
        return [value for value in values if value.isupper()]
    none = "none" in values and all(map(str.islower, others)) and (len(others) > 1 or others == ["all"])
    return [value for value in values if value in others or (none and value == "none")]


_OR_OTHER = lazy_pattern(
    r"[)\]]?,?\s?(?:or\s(?!(?:omit|leave|left|null|None|none|empty|nothing|unset|skip|blank|undefined|not|just|both)\b)[\w<{\[]"
    r"|(?:must|should|has\sto|have\sto|needs?\sto|is|are)\s(?:be\s)?(?:given|provided|required|specified|present|supplied)\b"
    r"|(?:is\s|are\s)?(?:recommended|preferred|suggested)\b)"
)
"""Something else that is accepted after the list, or words that make the values names of arguments or advice."""
_ANOTHER = lazy_pattern(rf"[,;，；、。\n]\s?{BARE}\s?=")
"""Another value with a meaning behind an explanation that was too long to read."""
_SPECIAL = lazy_pattern(
    r"\s(?:aliases|keywords?|literals?|modifiers?|operators?|placeholders?|prefix(?:es)?|shortcuts?|suffix(?:es)?"
    r"|wildcards?)\b",
    re.IGNORECASE,
)
"""What is accepted besides the usual values: "Folder id (supports 'null' and 'notnull' literals)"."""
_STOPS = lazy_pattern(r"\s?(?:$|[.)\]}\n;]|[,(]?\s?default|\(for\s)", re.IGNORECASE)


def are_values(words: list[str]) -> bool:
    """True if unquoted words can be values: not words of a sentence, and not types. A view may be a "list"."""
    # "STRING" is a constant.
    types = sum(word.lower() in _TYPES and not word.isupper() for word in words)
    # One of fifty categories may be called "it".
    others = sum(word.lower() in _NO_VALUES for word in words)
    return 2 * types < len(words) and others * 20 <= len(words)


class Items(NamedTuple):
    """The items at a position.

    Attributes:
        values: without quotes.
        quoted: they are in quotes.
        alternatives: an "or" or the like is among the separators.
        explained: an explanation in brackets follows most of them.
        end: where the last one, with its explanation, ends.
    """

    values: list[str]
    quoted: bool
    alternatives: bool
    explained: bool
    end: int


def items(text: str, at: int) -> Items:
    """The items at a position. A slash separates them, unless another sign does: then it belongs to the items."""
    found, signs = _items(text, at, _ITEM)
    if found.quoted or "/" not in signs or len(signs) == 1:
        return found
    paths, _ = _items(text, at, _PATH)
    if all("/" in value for value in paths.values):
        ends = [part for value in paths.values for part in value.split("/")[1:]]
        # "hdr/exr for skies, jpg/exr for walls" are alternatives of two cases.
        return paths if len(set(ends)) == len(ends) else paths._replace(values=[])
    # "low/medium/high or critical" has both, "UTC, Europe/Rome" is neither.
    return found if "," not in signs or len(found.values) > 2 * len(paths.values) else found._replace(values=[])


def _items(text: str, at: int, item: re.Pattern[str]) -> tuple[Items, frozenset[str]]:
    values: list[str] = []
    signs: set[str] = set()
    quoted = alternatives = False
    mark = ""
    explained = 0
    end = at
    while len(values) <= MAX_VALUES and (match := item.match(text, at)):
        if values and (quoted is not (match["quoted"] is not None) or match[0].lower() in _REMARKS):
            break
        if values and quoted and match[0][0] != mark:
            break  # 'a' and "b" are two kinds of quotes.
        mark = match[0][0]
        quoted = match["quoted"] is not None
        if values and not quoted and _LABEL.match(text, match.end()):
            break  # "fast, slow; default: fast"
        after_bars = signs == {"|", ","} and text[end : match.start()].strip() == ","
        if quoted and after_bars and _LABEL.match(text, match.end()):
            break  # '"mode": "fast"|"slow", "size": …'
        value = bare(match[0])
        end = match.end()
        if not quoted and value.endswith("."):
            # A full stop after an unquoted word ends the sentence.
            values.append(value.rstrip("."))
            end -= 1
            break
        values.append(value)
        if (until := _UNTIL.match(text, end)) and (last := item.match(text, until.end())):
            between = _between(value, bare(last[0]).rstrip("."))
            if not between:
                return Items([], quoted, alternatives, False, end), frozenset(signs)
            values += between
            end = last.end() - (not quoted and last[0].endswith("."))
        note = (_EXPLAINED if quoted else _NOTE).match(text, end)
        if note is not None and _NO_NOTE.search(note[0]):
            # "`*` for anything, e.g. `.txt`", and a note that ends with "and so on".
            return Items([], quoted, alternatives, False, end), frozenset(signs)
        explained += note is not None
        end = note.end() if note else end
        step = _NEXT.match(text, end) or (_OR_SENTENCE.match(text, end) if quoted else None)
        if step is None or GOES_ON.match(text, end):
            break
        signs.add(step[0].strip()[:1])
        alternatives = alternatives or _MARK.search(step[0]) is not None
        at = step.end()
    # The last of quoted values has no quote behind its explanation.
    return Items(values, quoted, alternatives, 2 * explained + quoted > len(values), end), frozenset(signs)


_UNTIL = lazy_pattern(r"\s(?:through|thru|to)\s(?=['\"`“]|\w{0,40}\d)")
_COUNTED = lazy_pattern(r"(?P<stem>.*?)(?P<number>\d{1,3})")


def _between(first: str, last: str) -> list[str]:
    """The values behind the first one up to the last: "'LEVEL_1' through 'LEVEL_3'"; empty if no number counts them."""
    start, end = _COUNTED.fullmatch(first), _COUNTED.fullmatch(last)
    if start is None or end is None or start["stem"] != end["stem"] or not start["stem"]:
        return []
    return [f"{start['stem']}{number}" for number in range(int(start["number"]) + 1, int(end["number"]) + 1)]


_NO_NOTE = lazy_pattern(r"\b(?:e[.,]g|such as|for example|for instance)\b|(?:等|など)$", re.IGNORECASE)
_LABEL = lazy_pattern(r"\s?:\s")


def bare(item: str) -> str:
    """An item without its quotes."""
    return item.strip("`'\"“”‘’«»「」")


def is_quoted(item: str) -> bool:
    """True if an item is in quotes."""
    return item[0] in "`'\"“‘«「"
