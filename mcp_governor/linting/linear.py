"""A quick test for regular expressions that match few strings, on the engine that validates schemas.

That engine takes linear time and a twentieth of the time of :mod:`re`, but knows no lookaround. Without it, an
expression matches more, so the test may let a string through that does not match; :mod:`re` decides about those.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ALIKE = lazy_pattern(
    "[\x00-\x1b\x20-\x7f\u2010-\u2027\u2030-\u203e\u20a0-\u20bf\u2190-\u23ff\u2500-\u2775\u2794-\u27bf]*+", re.NOFLAG
)
"""ASCII except four control characters that only Python takes for white space, and punctuation, signs and symbols: both
engines agree on what of it is a letter, a digit or white space."""

_AROUND = ("(?=", "(?!", "(?<=", "(?<!")
_ANCHORS = {"\\A": "^", "\\Z": "$", "$": r"(?:\n?$)"}
"""Anchors as the engine writes them: in Python, a line break may follow ``$``."""

_IN_CLASS = lazy_pattern(r"\\.|\[", re.NOFLAG)
"""An escape, or a bracket, which the engine takes only escaped."""


class _Last:
    """The most recent string: many expressions are searched in one string in a row."""

    text = ""
    alike = True


def is_alike(text: str) -> bool:
    """True if both engines read a string in the same way."""
    if text is not _Last.text:
        _Last.alike = (text.isascii() and text.isprintable()) or _ALIKE.fullmatch(text) is not None
        _Last.text = text
    return _Last.alike


def linear_test(source: str, flags: int = 0) -> Callable[[str], bool] | None:
    """A function that is true for every string that :func:`is_alike` and in which an expression matches, and for few
    others; ``None`` if there is no such function.

    Args:
        source: the expression.
        flags: of :mod:`re`.
    """
    if flags & ~(re.IGNORECASE | re.ASCII):
        return None
    import jsonschema_rs

    wider = _without_lookaround(source)
    schema = {"pattern": f"(?i:{wider})" if flags & re.IGNORECASE else wider}
    try:
        return jsonschema_rs.Draft202012Validator(schema, pattern_options=jsonschema_rs.RegexOptions()).is_valid
    except (jsonschema_rs.ValidationError, ValueError):
        return None  # It has something else that the engine does not know.


def _without_lookaround(source: str) -> str:
    """An expression that matches wherever another one does, in the syntax of the engine."""
    out: list[str] = []
    at = 0
    while at < len(source):
        end = _part(source, at)
        part = source[at:end]
        if part in _AROUND:
            end = _closing(source, at)
        elif part in _ANCHORS:
            out.append(_ANCHORS[part])
        elif part[0] == "[":
            start = 2 if part[1] == "^" else 1
            inside = _IN_CLASS.sub(lambda one: one[0] if len(one[0]) > 1 else rf"\{one[0]}", part[start:-1])
            out.append(f"{part[:start]}{inside}]")
        else:
            out.append(part)
        at = end
    return "".join(out)


def _part(source: str, at: int) -> int:
    """End of the escape, the class of characters, the start of a lookaround or the character at a position."""
    if source[at] == "\\":
        return at + 2
    if source[at] == "[":
        # A bracket at the start of a class is one of its characters.
        at += 3 if source[at + 1] == "^" else 2
        while source[at] != "]":
            at += 2 if source[at] == "\\" else 1
        return at + 1
    return at + next((len(mark) for mark in reversed(_AROUND) if source.startswith(mark, at)), 1)


def _closing(source: str, at: int) -> int:
    """End of the group at a position."""
    depth = 0
    while True:
        end = _part(source, at)
        part = source[at:end]
        depth += part[0] == "("
        depth -= part == ")"
        at = end
        if depth == 0:
            return at


_USES = 100
"""Number of searches before the test is made, which takes the time of about a hundred, and a quarter of a megabyte. A
run over a small surface makes none; one over the recorded servers makes 150, and then takes 6 % less time."""


class LinearTest:
    """:func:`linear_test`, made when an expression has been used often enough.

    Args:
        source: the expression.
        flags: of :mod:`re`.
    """

    __slots__ = ("_flags", "_source", "_test", "_uses")

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags
        self._uses = 0
        self._test: Callable[[str], bool] | None = None

    def of(self, text: str) -> Callable[[str], bool] | None:
        """The test, if there is one and it holds for a string."""
        if self._uses < _USES:
            self._uses += 1
            if self._uses == _USES:
                self._test = linear_test(self._source, self._flags)
        return self._test if self._test is not None and is_alike(text) else None


class _RarePattern:
    """A compiled expression behind its :class:`LinearTest`."""

    def __init__(self, source: str, flags: int) -> None:
        self._pattern = lazy_pattern(source, flags)
        self._test = LinearTest(source, flags)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pattern, name)

    def _may_match(self, text: str) -> bool:
        test = self._test.of(text)
        return test is None or test(text)

    # Behind an end that is not that of the string, the test would read on.
    def search(self, text: str, at: int = 0, *end: int) -> re.Match[str] | None:
        return self._pattern.search(text, at, *end) if end or self._may_match(text) else None

    def finditer(self, text: str, at: int = 0, *end: int) -> Iterator[re.Match[str]]:
        return self._pattern.finditer(text, at, *end) if end or self._may_match(text) else iter(())

    def findall(self, text: str, at: int = 0, *end: int) -> list[Any]:
        return self._pattern.findall(text, at, *end) if end or self._may_match(text) else []


def rare_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """A regular expression as :func:`~mcp_governor.lazy.lazy_pattern`, for long strings, few of which it matches.

    Args:
        source: the expression.
        flags: as in :func:`re.compile`.

    Returns:
        An object with the methods and attributes of a compiled expression; the functions of :mod:`re` do not accept
        it.
    """
    return cast("re.Pattern[str]", _RarePattern(source, flags))
