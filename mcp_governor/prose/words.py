"""Splits names and prose into words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_T = TypeVar("_T")
_MAX_CACHED = 64
"""Maximum length of a cached name or word, in characters: with 4,096 of them, that is one megabyte."""
_MAX_KEPT = 4096
"""Maximum number of them: what the names and descriptions of a server with a hundred tools hold."""
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_ASCII_WORD = re.compile(r"[a-z0-9]++(?:'[a-z0-9]++)?+")
_UNSPACED = (("\u0e00", "\u0e7f"), ("\u3040", "\u30ff"), ("\u3400", "\u9fff"), ("\uf900", "\ufaff"))
"""Scripts without spaces between words: about two characters make one."""


def word_set(text: str) -> frozenset[str]:
    """The words of a string, as a set."""
    return frozenset(text.split())


STOP_WORDS = word_set("""
    a an and any api are as at be by call calls can do does for from function get given gets in into is it its of on
    or out performs please provided run runs specified that the this to tool use used uses using via will with you
    your
""")
"""Words that add nothing to a name."""

READING_VERBS = word_set("""
    check compare count decode describe diff explain fetch find get inspect list lookup query read resolve search show
    validate view
""")
"""First words of names that promise to change nothing."""

MUTATING_VERBS = word_set("""
    add append archive cancel clear commit create delete deploy destroy drop edit erase insert install kill merge
    modify move overwrite patch post publish purge push put remove rename replace reset restart revoke save send
    terminate truncate uninstall update upload upsert write
""")
"""First words of names that promise a change."""


class _Known(dict[str, _T]):
    """What was made of short strings. A look into it needs no call in Python, unlike one of a cached function."""

    def __init__(self, make: Callable[[str], _T]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, text: str) -> _T:
        made = self._make(text)
        if len(text) <= _MAX_CACHED:
            if len(self) >= _MAX_KEPT:
                self.clear()
            self[text] = made
        return made


def known(make: Callable[[str], _T]) -> Callable[[str], _T]:
    """A function of one string that remembers its results for short ones: the names and words of a server, most of
    which occur again and again."""
    return _Known(make).__getitem__


def _name_words(name: str) -> tuple[str, ...]:
    parts = [part.lower() for part in _PART.findall(name)]
    if parts[-1:] == ["dir"] and not _SORTING.isdisjoint(parts):
        parts[-1] = "direction"
    return tuple(parts)


_SORTING = frozenset({"order", "orderby", "sort", "sortby", "sorting"})
"""Words in front of ``dir`` that make it a direction and no directory."""


name_words = known(_name_words)
"""The words of an identifier, in lower case: ``getUserById`` and ``get_user_by_id`` are the same."""


def words(text: str) -> list[str]:
    """The words of a string, in lower case."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    # In lower case, some letters are no longer one character.
    return [word.lower() for word in _WORD.findall(text)]


def word_count(text: str) -> int:
    """Number of words as a reader would count them; in scripts without spaces, two characters count as one word."""
    if text.isascii():
        return len(text.split())
    # An expression for these takes five milliseconds to compile, a fiftieth of a small run.
    plain = "".join([" " if any(low <= char <= high for low, high in _UNSPACED) else char for char in text])
    unspaced = sum(one != other for one, other in zip(text, plain, strict=True))
    return len(plain.split()) + (unspaced + 1) // 2


def _stem(word: str) -> str:
    for ending in ("ations", "ation", "ings", "ing", "ies", "ed", "es", "s", "y", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


stem = known(_stem)
"""A word without the endings of English plurals and verb forms. Crude, but used on both sides of a comparison."""


def leading_verb(name: str) -> str | None:
    """The first reading or mutating verb among the first three words of a name."""
    for word in name_words(name)[:3]:
        if word in READING_VERBS or word in MUTATING_VERBS:
            return word
    return None


def occurrences(name: str, text: str) -> Iterator[int]:
    """Where a name begins in a string, be it within a word. An expression for each name would have to be compiled."""
    at = text.find(name) if name else -1
    while at >= 0:
        yield at
        at = text.find(name, at + 1)


def has_word(name: str, text: str) -> bool:
    """True if a name is in a string as a whole word."""
    return any(
        not _is_of_word(text[at - 1 : at]) and not _is_of_word(text[at + len(name) : at + len(name) + 1])
        for at in occurrences(name, text)
    )


def _is_of_word(char: str) -> bool:
    return char == "_" or char.isalnum()
