"""Sets of code points as sorted, disjoint ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

CharSet = tuple[tuple[int, int], ...]
"""Inclusive ranges, ascending, disjoint and not adjacent."""

LAST = 0x10FFFF
"""The last code point of Unicode."""
SURROGATES = (0xD800, 0xDFFF)
"""Code points for halves of UTF-16 pairs, which do not occur alone in JSON."""
ANY: CharSet = ((0, SURROGATES[0] - 1), (SURROGATES[1] + 1, LAST))
"""Every character that can occur in JSON."""


def normalized(ranges: Iterable[tuple[int, int]]) -> CharSet:
    """The set as ascending, merged ranges."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def complement(chars: CharSet) -> CharSet:
    """Every character that is not in the set."""
    gaps: list[tuple[int, int]] = []
    start = 0
    for low, high in normalized((*chars, SURROGATES)):
        if start < low:
            gaps.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        gaps.append((start, LAST))
    return tuple(gaps)


def chars_of(text: str) -> CharSet:
    """The set of the characters of a string."""
    return normalized((ord(char), ord(char)) for char in text)


def holds(chars: CharSet, code: int) -> bool:
    """True if the code point is in the set."""
    return any(low <= code <= high for low, high in chars)


def overlap(one: CharSet, other: CharSet) -> bool:
    """True if the sets have a character in common."""
    return any(low <= last and first <= high for low, high in one for first, last in other)


# ECMA-262: CharacterClassEscape (without the u-mode case folding), WhiteSpace, LineTerminator.
DIGIT: CharSet = ((0x30, 0x39),)
WORD: CharSet = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
NEWLINES: CharSet = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))
SPACE: CharSet = normalized(
    (
        *((0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029)),
        *((0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
    )
)
DOT: CharSet = complement(NEWLINES)

# Readable characters first, because samples are shown to people.
_PLEASANT = ("a", "0", "A", "-", "_", " ", ".", "/", ":", "x", "1", "b")


def sample(low: int, high: int) -> str:
    """A readable character of a range."""
    for char in _PLEASANT:
        if low <= ord(char) <= high:
            return char
    printable = max(low, 0x21)
    return chr(printable if printable <= min(high, 0x7E) else low)
