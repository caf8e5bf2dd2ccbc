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
    for word in words:  # noqa: SIM110 - a generator costs more than the search
        if word in text:
            return True
    return False


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

    def _pattern(self, text: str) -> re.Pattern[str] | None:
        """The compiled expression, or ``None`` where the text cannot match."""
        if not has_any(text.lower(), self._needs):
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
