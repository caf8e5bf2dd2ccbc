"""Regular expressions that are compiled and run only if the text contains a word that they need.

A run over a small surface would otherwise spend most of its time on compiling patterns, and a run over a large one on
searching text that cannot match.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


def has_any(text: str, words: Iterable[str]) -> bool:
    """True if the text contains one of the words, case-sensitively."""
    # This loop takes half the time of any() for a few words, and two thirds for twenty.
    for word in words:  # noqa: SIM110
        if word in text:
            return True
    return False


_SPECIAL = lazy_pattern(r"([\\.+*?()|\[\]{}^$])")
_USES = 100
"""Number of strings that are searched for the words one by one, before they are compiled to one search, which takes the
time of a hundred such looks: a run pays twice what it had to at most, and one over a small surface compiles none."""


class Cues:
    """Words, one of which a string has to contain to be worth reading.

    From some uses on, the engine that validates schemas looks for more than three words at once.

    Args:
        words: which are searched for as they are written.
    """

    __slots__ = ("_uses", "found_in", "words")

    found_in: Callable[[str], bool]
    """True if a string contains one of the words; may raise ``UnicodeEncodeError`` for one with a lone surrogate."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self._uses = 0
        self.found_in = _look_for_few(words) or self._look

    def _look(self, text: str) -> bool:
        self._uses += 1
        if self._uses > _USES:
            self.found_in = _search(self.words)
        return has_any(text, self.words)

    def are_in(self, text: str) -> bool:
        """True if a string contains one of the words."""
        try:
            return self.found_in(text)
        except UnicodeEncodeError:
            return has_any(text, self.words)


def _look_for_few(words: tuple[str, ...]) -> Callable[[str], bool] | None:
    """A function that looks for up to three words; ``None`` if there are more.

    The engine is faster only as long as its tables for the words are in the processor's cache, and hundreds of such
    tables take turns: in a run, it takes twice the time of this.
    """
    if len(words) == 1:
        (word,) = words
        return lambda text: word in text
    if len(words) == 2:
        one, other = words
        return lambda text: one in text or other in text
    if len(words) == 3:
        first, second, third = words
        return lambda text: first in text or second in text or third in text
    return None


def _search(words: Iterable[str]) -> Callable[[str], bool]:
    """A function that finds any of the words in one pass over a string."""
    import jsonschema_rs

    schema = {"pattern": "|".join(_SPECIAL.sub(r"\\\1", word) for word in words)}
    return jsonschema_rs.Draft202012Validator(schema, pattern_options=jsonschema_rs.RegexOptions()).is_valid


class _Lower:
    """The most recent text in lower case: many expressions are searched in one text in a row."""

    text = ""
    lower = ""


def lowered(text: str) -> str:
    """A string in lower case."""
    if text is not _Lower.text:
        _Lower.lower = text.lower()
        _Lower.text = text
    return _Lower.lower


class Guarded:
    """A regular expression with its guard.

    Attributes:
        source: the expression.
        cues: the words that it needs.
        starts: see below.
        flags: with which it is compiled.

    Args:
        pattern: the expression.
        needs: words in lower case, one of which every match contains; without any, every search runs.
        ignore_case: match regardless of case.
        starts: the characters with which a match begins, as in a class of characters; empty if any will do. With them,
            an expression of several alternatives takes half the time: at most places none of them is tried.
    """

    def __init__(self, pattern: str, *needs: str, ignore_case: bool = True, starts: str = "") -> None:
        self.source = pattern
        self.starts = starts
        self._source = f"(?=[{starts}])(?:{pattern})" if starts else pattern
        # Every string contains the empty string.
        self.cues = Cues(*(needs or ("",)))
        self.flags = re.IGNORECASE if ignore_case else re.NOFLAG
        self._compiled: re.Pattern[str] | None = None

    def _compile(self) -> re.Pattern[str]:
        made = self._compiled = re.compile(self._source, self.flags)
        return made

    # Most searches end at the words, so both methods look for them without another call.
    def search(self, text: str, at: int = 0) -> re.Match[str] | None:
        """The first match in a string at or after a position."""
        lower = _Lower.lower if text is _Lower.text else lowered(text)
        try:
            if not self.cues.found_in(lower):
                return None
        except UnicodeEncodeError:
            pass  # The expression decides.
        return (self._compiled or self._compile()).search(text, at)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches in a string."""
        lower = _Lower.lower if text is _Lower.text else lowered(text)
        try:
            if not self.cues.found_in(lower):
                return _NOTHING
        except UnicodeEncodeError:
            pass  # The expression decides.
        return (self._compiled or self._compile()).finditer(text)


_NOTHING: Iterator[re.Match[str]] = iter(())
"""Nothing to iterate over, for everybody."""
