"""Names in prose that look like those of a tool or an argument and are none: another case, separator or prefix, a slip.

A name is written as one where it is quoted, followed by "tool" or "parameter", or behind a verb such as "call".
Everything else in a description may be a field of a result, an API, a command or a word.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from mcp_governor.linting.words import name_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

_COMPOUND = re.compile(r"\b(?:[A-Za-z][A-Za-z0-9]*+(?:[_\-]++[A-Za-z0-9]++)++|[A-Z]*+[a-z]++[A-Z][A-Za-z0-9]*+)")
"""An identifier of several words, joined by marks or by capitals."""
_QUOTES = frozenset("`'\"“”")
_JOINED = frozenset("/.@$:\\-_{<")
_GOES_ON = frozenset("/(@-_}>")
_CALLS = re.compile(
    r"\b(?:call|calls|calling|use|uses|using|run|runs|running|invoke|invoking|via|see|try|prefer|through)\s"
    r"(?:the\s|a\s)?[`'\"“]?$",
    re.IGNORECASE,
)
_SOURCE = re.compile(
    r"\b(?:from|(?:returned|created|produced|generated|written|stored|provided) by|output of|result of|by calling)"
    r"\s(?:the\s)?[`'\"“]?$",
    re.IGNORECASE,
)
_TOOL_BEHIND = re.compile(
    r"[`'\"”]?(?:,?\s(?:and|or)\s(?:the\s)?[`'\"“]?\w{3,64}[`'\"”]?)?\s(?:MCP\s)?tools?\b(?!\s?[-_]\w|\s--)",
    re.IGNORECASE,
)
_PLAIN_TOOL = re.compile(
    r"\b(?i:use|call|run|invoke|via|with|using|calling)\sthe\s[`'\"“]?(?P<name>[a-z]{4,30})[`'\"”]?\stool\b(?!\s?[-_])"
)
_LISTED = re.compile(
    r"[^\S\n]{0,12}(?:[-*•+]|\d{1,2}[.)])\s{1,4}[`*'\"]{0,3}(?P<name>[A-Za-z][\w\-]{2,63})[`*'\"]{0,3}"
    r"\s?(?:\([^()\n]{0,80}\)\s?)?(?::|–|—|-\s)"
)
_FEWEST_LISTED = 3
"""Tools that a list has to name before it is a list of tools."""
_NOTES = re.compile(
    r"\b(?:hints?|notes?|examples?|syntax|format|guidance|details|tips)\s(?:for|on|about)\s(?:the\s)?[`'\"“]$",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    r"[`'\"”]?\s(?:is|are)\s(?:not\s)?(?:provided|specified|given|omitted|passed|supplied)\b(?!\s(?:by|in|to|as)\b)",
    re.IGNORECASE,
)
_PHRASE = re.compile(
    r"\b[Ii]f\s(?:no\s|an?\s|the\s)?(?P<words>[a-z]{2,20}(?:\s[a-z]{2,20}){1,2})"
    r"\s(?:is|are)\s(?:not\s)?(?:provided|specified|given|omitted|passed|supplied)\b(?!\s(?:by|in|to|as)\b)"
)
_ARGUMENT_BEHIND = re.compile(r"[`'\"”]?\s(?:parameters?|arguments?|params?|args?)\b(?!\s?:)", re.IGNORECASE)
_ARGUMENT_FRONT = re.compile(r"\b(?:parameters?|arguments?|params?)\s[`'\"“]?$", re.IGNORECASE)
_OTHER_BEHIND = re.compile(
    r"[`'\"”]?\s?(?:\(|\.\w|APIs?\b|permissions?\b|endpoints?\b|operations?\b|headers?\b|enums?\b"
    r"|types?\b|objects?\b)",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:no|not|without|never|unlike|instead of|rather than|old|deprecated|removed|former)\s[^.]{0,24}$",
    re.IGNORECASE,
)
_CONTRASTED = re.compile(
    r"\b(?:instead of|rather than|unlike|over|than|before|after|as (?:in|for))\s(?:the\s)?[`'\"“]?$", re.IGNORECASE
)
"""What stands in front of another tool of the same server."""
_FROM_RESULT = re.compile(r"[`'\"”]?\s(?:string|value|field|from|returned|of)\b", re.IGNORECASE)
_STATES = re.compile(
    r"[`'\"”]?\s(?:is|are)\s(?:set|true|false|not|provided|specified|given|omitted|empty|null)\b|\s?=\s?\w"
)
_SETS = re.compile(
    r"\b(?:adjust|set|pass|provide|specify|supply|omit|with|include|use)\s(?:the\s|a\s)?[`'\"“]?$", re.IGNORECASE
)
_IF = re.compile(r"\b(?:if|when|unless)\s(?:no\s|an?\s|the\s)?[`'\"“]?$", re.IGNORECASE)
_ENTRY = re.compile(r"(?:^|\n)\s{0,20}[-*•]\s[`*'\"]{0,3}$")
# A set of characters in front is what the engine finds fastest.
_JOINT = re.compile(r"[_\-A-Z](?:(?<=[_\-])|(?<=[a-z][A-Z]))")
_CLOSE = 0.84
"""Likeness (difflib) from which a name is taken for a slip of another: one letter in six, a plural, a swapped word."""
_MOST_COMPARED = 100_000
"""Pairs of a word and a name that are compared, at 5 µs: half a second. Beyond it only other spellings of the same
words are found."""


# the words of the texts of one server, most of which come again and again
@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """A name without case and marks."""
    return "".join(char for char in name.lower() if char.isalnum())


class Names:
    """The names of one kind, for finding those that are nearly one of them.

    Args:
        names: of tools, or of the arguments of a tool.
        effort: pairs of a word and a name that are compared.
    """

    def __init__(self, names: Collection[str], effort: int = _MOST_COMPARED) -> None:
        self._effort = effort
        self.names = frozenset(names)
        self._plain: dict[str, str] = {}
        for name in names:
            self._plain.setdefault(plain(name), name)
        firsts = Counter(parts[0] for parts in map(name_words, names) if parts)
        self.firsts = frozenset(firsts)
        shared = max(firsts, key=firsts.__getitem__, default="")
        # The name of the product, in front of most names.
        self._prefix = shared if len(names) > 2 and firsts[shared] * 5 >= len(names) * 3 else ""

        marks = [mark for mark in "_-" if sum(mark in name for name in names) * 3 >= len(names) * 2]
        self._mark = marks[0] if len(marks) == 1 else ""

    def is_alike(self, word: str) -> bool:
        """Whether a word begins like a name of these, and is joined by the mark that most of them have."""
        return self._mark != "" and self._mark in word and word.islower() and name_words(word)[0] in self.firsts

    def variant(self, word: str) -> str | None:
        """The name that has these words in another spelling, or with the prefix of most names."""
        key = plain(word)
        return self._plain.get(key) or (self._plain.get(self._prefix + key) if self._prefix else None)

    def close(self, word: str) -> str | None:
        """The name that a word is a slip of, if one is near enough."""
        if len(word) < 5 or not self._spend():
            return None
        near = difflib.get_close_matches(plain(word), self._plain, 1, _CLOSE)
        return self._plain[near[0]] if near else None

    def nearest(self, word: str) -> str | None:
        """The name that shares most words with a word: two, or one that does not only begin many names."""
        if not self._spend():
            return None
        parts = {part for part in name_words(word) if len(part) > 2}
        scored = [(len(parts & set(name_words(name))), -len(name), name) for name in self.names]
        best = max(scored, default=(0, 0, ""))
        return best[2] if best[0] > 1 or (parts - self.firsts) & set(name_words(best[2])) else None

    def _spend(self) -> bool:
        self._effort -= len(self.names)
        return self._effort >= 0


def _compounds(text: str) -> Iterator[re.Match[str]]:
    """The identifiers of several words in a text, looked for only between blanks with a mark or a hump between them."""
    end = 0
    for joint in _JOINT.finditer(text):
        at = joint.start()
        if at >= end:
            start, end = max(text.rfind(" ", end, at), end), text.find(" ", at)
            end = end if end >= 0 else len(text)
            yield from _COMPOUND.finditer(text, start, end)


def misnamed_tools(text: str, tools: Names) -> Iterator[tuple[str, str]]:
    """Words that are written as the name of a tool and are none, each with the nearest name, or empty.

    Args:
        text: any text for a model.
        tools: the tools of the server.
    """
    text = " ".join(text.split()) if _JOINT.search(text) else ""
    for match in _compounds(text):
        word = match[0]
        # Most words are like no name, and are read no further.
        if word in tools.names or not _may_be_meant(match, tools):
            continue
        front, end = text[max(0, match.start() - 40) : match.start()], match.start() + len(word)
        if front[-1:] in _JOINED or text[end : end + 1] in _GOES_ON:
            continue
        quoted = front[-1:] in _QUOTES and text[end : end + 1] in _QUOTES
        behind = _TOOL_BEHIND.match(text, end) is not None
        if _OTHER_BEHIND.match(text, end):
            continue
        name = tools.variant(word)
        contrasted = name is not None and _CONTRASTED.search(front) is not None
        if not contrasted and _DENIED.search(front):
            continue
        called = _CALLS.search(front) is not None
        if name is not None:
            marked = "_" in word.strip("_") and "_" in name
            snake = word.islower() and "_" in word.strip("_") and "-" in name
            if (
                behind
                or (marked and word.lower() == name.lower())
                or (called and quoted)
                or (marked and (quoted or called or contrasted))
                or snake
            ):
                yield word, name
        elif behind and (quoted or "_" in word or tools.is_alike(word)):
            name = tools.close(word) or tools.nearest(word)
            if name is not None or tools.is_alike(word):
                yield word, name or ""
        elif called and (quoted or "_" in word) and (name := tools.close(word)) is not None:
            yield word, name
        elif (called or _SOURCE.search(front)) and (quoted or "_" in word) and tools.is_alike(word):
            yield word, tools.nearest(word) or ""


def _may_be_meant(match: re.Match[str], tools: Names) -> bool:
    """Whether a word is another spelling of a name, or looks like one: by its marks, its quotes or its beginning."""
    word, quoted = match[0], match.string[match.start() - 1] in _QUOTES
    return "_" in word or quoted or tools.is_alike(word) or tools.variant(word) is not None


def plainly_misnamed(text: str, tools: Names) -> Iterator[tuple[str, str]]:
    """Single words in front of "tool" that are the singular or the plural of a tool's name, or end one."""
    for match in _PLAIN_TOOL.finditer(text):
        word = match["name"]
        if word in tools.names:
            continue
        name = next((other for other in (f"{word}s", word.removesuffix("s")) if other in tools.names), None)
        if name is not None:
            yield word, name


def listed_tools(text: str, tools: Names) -> Iterator[tuple[str, str]]:
    """The entries of a list of tools that are none, each with the nearest name, or empty.

    A list is one of tools where three of its entries are, and more than half.
    """
    block: list[str] = []
    for line in (*text.splitlines(), ""):
        entry = _LISTED.match(line)
        if entry is not None:
            block.append(entry["name"])
        elif not line.strip() or not line.startswith((" ", "\t")):
            known = sum(name in tools.names for name in block)
            if known >= _FEWEST_LISTED and known * 2 > len(block):
                yield from ((name, _nearest(name, tools)) for name in block if name not in tools.names)
            block = []


def _nearest(name: str, tools: Names) -> str:
    near = tools.variant(name) or tools.close(name) or tools.nearest(name)
    if near is None:
        ends = [other for other in tools.names if name_words(other)[-1:] == name_words(name)[-1:]]
        near = ends[0] if len(ends) == 1 else ""
    return near


_NEEDED = re.compile(
    r"[`'\"]?(?:\s(?:or|and)\s[`'\"]?[\w$]{1,64}[`'\"]?)?\s(?:(?:is|are)\s)?"
    r"(?:required|must be (?:provided|specified|given|set))\b"
)
"""Behind a name: "userId or teamId required"."""


def misnamed_arguments(text: str, arguments: Names) -> Iterator[tuple[str, str]]:
    """Words that are written as the name of an argument and are none, each with the nearest name, or empty.

    Args:
        text: a tool's description or one of its arguments', without what is said of results.
        arguments: of the tool, nested ones included.
    """
    for match in _compounds(text):
        word = match[0]
        if word in arguments.names:
            continue
        front, end = text[max(0, match.start() - 40) : match.start()], match.start() + len(word)
        if front[-1:] in _JOINED or text[end : end + 1] in _GOES_ON:
            continue
        called = (
            _ARGUMENT_BEHIND.match(text, end) is not None
            or _ARGUMENT_FRONT.search(front) is not None
            or (front[-1:] in _QUOTES and _NOTES.search(front) is not None)
            or (_GIVEN.match(text, end) is not None and _IF.search(front) is not None)
        )
        name = arguments.variant(word)
        if name is None and not called:
            continue
        if (not called and _OTHER_BEHIND.match(text, end)) or _DENIED.search(front):
            continue
        if name is not None:
            sets = _SETS.search(front) and not _FROM_RESULT.match(text, end)
            entry = _ENTRY.search(front) is not None and text[end : end + 3].lstrip("`*'\"")[:1] == ":"
            if called or entry or sets or _STATES.match(text, end) or _NEEDED.match(text, end):
                yield word, name
        elif called:
            yield word, arguments.close(word) or ""


def absent_arguments(text: str, arguments: Names, others: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Arguments of other tools that a text takes for arguments of this one: "If no billing period is given".

    Args:
        text: a tool's description.
        arguments: of the tool.
        others: the arguments of other tools, by their plain names (:func:`plain`).
    """
    for match in _PHRASE.finditer(text):
        key = match["words"].replace(" ", "")
        if key in others and arguments.variant(key) is None:
            yield others[key], ""


def notes_on(name: str, text: str) -> bool:
    """Whether a text has a part on an argument: "Hints for `name`"."""
    at = text.find(name)
    while at > 0:
        if _NOTES.search(text[max(0, at - 40) : at]):
            return True
        at = text.find(name, at + 1)
    return False
