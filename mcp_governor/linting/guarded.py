"""Regular expressions that are compiled and run only where a word they need is in the text.

A run over a small surface would spend more time on compiling patterns than on everything else, and a run over a
large one on searching texts that cannot match.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def has_any(text: str, words: Iterable[str]) -> bool:
    """Whether one of the words is in the text, as they are written."""
    return any(map(text.__contains__, words))


class _Lower:
    """The text that was asked about last, in lower case: many expressions are searched in one text after the other."""

    text = ""
    lower = ""


def lowered(text: str) -> str:
    """A text in lower case."""
    if text is not _Lower.text:
        _Lower.lower = text.lower()
        _Lower.text = text
    return _Lower.lower


# What is no letter of an expression: escapes, the names of groups, and the classes that have both cases.
_NO_LETTERS = re.compile(r"\\.|\(\?P<\w+>|A-Za-z|a-zA-Z")


def _is_lower(source: str) -> bool:
    """Whether an expression that ignores case finds in a text of lower-case ASCII what it finds with case."""
    letters = _NO_LETTERS.sub("", source)
    return letters == letters.lower() and "(?-" not in source and "(?P=" not in source


class Guarded:
    """A regular expression with its guard.

    Args:
        pattern: the expression.
        needs: words in lower case, one of which every match contains; none: it is always searched.
        ignore_case: match whatever the case.
    """

    def __init__(self, pattern: str, *needs: str, ignore_case: bool = True) -> None:
        self._source = pattern
        # Everything contains the empty word.
        self._needs = needs or ("",)
        self._flags = re.IGNORECASE if ignore_case else re.NOFLAG
        self._compiled: re.Pattern[str] | None = None
        self._quick: re.Pattern[str] | None = None
        self._has_quick = ignore_case

    def _pattern(self, text: str) -> re.Pattern[str] | None:
        """The compiled expression, or ``None`` where the text cannot match."""
        lower = lowered(text)
        if not any(map(lower.__contains__, self._needs)):
            return None
        if self._has_quick and text.isascii():
            # An expression that need not ignore case takes a third of the time, and most texts do not match.
            quick = self._quick
            if quick is None:
                self._has_quick = _is_lower(self._source)
                quick = self._quick = re.compile(self._source, self._flags & ~re.IGNORECASE)
            if self._has_quick and quick.search(lower) is None:
                return None
        if self._compiled is None:
            self._compiled = re.compile(self._source, self._flags)
        return self._compiled

    def search(self, text: str, at: int = 0) -> re.Match[str] | None:
        """The first match in a text, from a place on."""
        pattern = self._pattern(text)
        return pattern.search(text, at) if pattern is not None else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches in a text."""
        pattern = self._pattern(text)
        return pattern.finditer(text) if pattern is not None else iter(())
