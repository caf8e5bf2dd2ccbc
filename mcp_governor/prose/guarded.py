"""Regular expressions that are compiled and run only if the text contains a word that they need.

A run over a small surface would otherwise spend most of its time on compiling patterns, and a run over a large one on
searching text that cannot match.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SIGNS = str.maketrans({chr(code): " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")})


class Cues:
    """Words, one of which a string has to contain to be worth reading.

    A blank at the beginning or the end of a word, and between two, stands for whatever separates words: " min " is not
    in "admin" and is in "(min: 5)".
    """

    __slots__ = ("signs", "words")

    def __init__(self, *words: str) -> None:
        plain = [word for word in words if word.replace(" ", "").replace("_", "").isalnum()]
        self.words = tuple(plain)
        self.signs = tuple(word for word in words if word not in plain)

    def are_in(self, lower: str, spaced: str) -> bool:
        """True if a string contains one of the words.

        Args:
            lower: the string in small letters.
            spaced: :func:`spaced` of it.
        """
        # This loop takes half the time of any() for a few words, and two thirds for twenty.
        for word in self.words:
            if word in spaced:
                return True
        for sign in self.signs:  # noqa: SIM110
            if sign in lower:
                return True
        return False


@lru_cache(maxsize=512)  # the descriptions of a tool, each of which is looked at by every form
def spaced(lower: str) -> str:
    """The words of a string with one blank around each."""
    if lower.isascii():
        plain = lower.translate(_SIGNS)
    else:
        plain = "".join([char if char.isalnum() or char == "_" else " " for char in lower])
    return f" {' '.join(plain.split())} "


class Guarded:
    """A regular expression with its guard.

    Args:
        pattern: the expression.
        needs: words in lower case, one of which every match contains, as in :class:`Cues`; without any, every search
            runs.
        also: more such words, one of which every match contains besides.
        ignore_case: match regardless of case.
        head: number of characters within which every match has the first words.
    """

    def __init__(
        self, pattern: str, *needs: str, also: Iterable[str] = (), ignore_case: bool = True, head: int | None = None
    ) -> None:
        self.source = pattern
        self._cues, self._also = (Cues(*words) if words else None for words in (needs, tuple(also)))
        self._flags = re.IGNORECASE if ignore_case else re.NOFLAG
        self._head = head
        self._compiled: re.Pattern[str] | None = None

    def _pattern(self, text: str) -> re.Pattern[str] | None:
        """The expression, if the text is worth reading."""
        if self._cues is not None:
            lower = text.lower()
            front = lower if self._head is None else lower[: self._head]
            if not self._cues.are_in(front, spaced(front)):
                return None
            if self._also is not None and not self._also.are_in(lower, spaced(lower)):
                return None
        if self._compiled is None:
            self._compiled = re.compile(self.source, self._flags)
        return self._compiled

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """The first match in a string."""
        pattern = self._pattern(text)
        return None if pattern is None else pattern.search(text, start, end)

    def match(self, text: str) -> re.Match[str] | None:
        """The match at the beginning of a string."""
        pattern = self._pattern(text)
        return None if pattern is None else pattern.match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """The match of a whole string."""
        pattern = self._pattern(text)
        return None if pattern is None else pattern.fullmatch(text)

    def sub(self, new: str, text: str) -> str:
        """A string with all matches replaced."""
        pattern = self._pattern(text)
        return text if pattern is None else pattern.sub(new, text)

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[str]]:
        """All matches in a string."""
        pattern = self._pattern(text)
        return iter(()) if pattern is None else pattern.finditer(text, start, end)
