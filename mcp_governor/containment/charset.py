"""Sets of code points as sorted, disjoint ranges."""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import groupby
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
LOOSE_DOT: CharSet = complement(((0x0A, 0x0A),))
"""What ``.`` matches in some engine: Python's takes a carriage return and U+2028, and none takes a line feed."""

# Unicode, table 12, and its aliases in PropertyValueAliases.txt.
_CATEGORIES = {
    "letter": "L", "cased_letter": "LC", "uppercase_letter": "Lu", "lowercase_letter": "Ll", "titlecase_letter": "Lt",
    "modifier_letter": "Lm", "other_letter": "Lo", "mark": "M", "nonspacing_mark": "Mn", "spacing_mark": "Mc",
    "enclosing_mark": "Me", "number": "N", "decimal_number": "Nd", "letter_number": "Nl", "other_number": "No",
    "punctuation": "P", "connector_punctuation": "Pc", "dash_punctuation": "Pd", "open_punctuation": "Ps",
    "close_punctuation": "Pe", "initial_punctuation": "Pi", "final_punctuation": "Pf", "other_punctuation": "Po",
    "symbol": "S", "math_symbol": "Sm", "currency_symbol": "Sc", "modifier_symbol": "Sk", "other_symbol": "So",
    "separator": "Z", "space_separator": "Zs", "line_separator": "Zl", "paragraph_separator": "Zp",
}  # fmt: skip
_SHORT = frozenset(_CATEGORIES.values())
_SETTLED = 0x30000
"""The first code point of the planes that Unicode 3.2 left empty, apart from tags and private use."""


def category(name: str) -> tuple[CharSet, CharSet] | None:
    """The code points of a general category in every version of Unicode, and those that it may have in some.

    Engines have different versions of Unicode. Code points that Unicode 3.2 knew, and that are in the same category
    today, stay there; all others may be in any.

    Args:
        name: as in ``\\p{…}``: ``L``, ``Lu``, ``Uppercase_Letter``.
    """
    short = name if name in _SHORT else _CATEGORIES.get(name.lower())
    if short is None:
        return None
    wanted = ("Lu", "Ll", "Lt") if short == "LC" else (short,)
    known = _categories()
    certain = normalized(run for group, runs in known.items() if group.startswith(wanted) for run in runs)
    return certain, normalized((*certain, *known[""]))


@cache
def _categories() -> dict[str, list[tuple[int, int]]]:
    """Category → its code points; those whose category depends on the version are under the empty name."""
    chars = [chr(code) for code in range(_SETTLED)]
    then, now = (map(unicode.category, chars) for unicode in (unicodedata.ucd_3_2_0, unicodedata))
    found: dict[str, list[tuple[int, int]]] = {"": [(_SETTLED, LAST)]}
    start = 0
    for group, run in groupby(
        here if here == was and here != "Cn" else "" for was, here in zip(then, now, strict=True)
    ):
        end = start + sum(1 for _ in run)
        found.setdefault(group, []).append((start, end - 1))
        start = end
    return {group: [run for run in runs if run != SURROGATES] for group, runs in found.items()}


# Readable characters first, because samples are shown to people.
_PLEASANT = ("a", "0", "A", "-", "_", " ", ".", "/", ":", "x", "1", "b")


def sample(low: int, high: int) -> str:
    """A readable character of a range."""
    for char in _PLEASANT:
        if low <= ord(char) <= high:
            return char
    printable = max(low, 0x21)
    return chr(printable if printable <= min(high, 0x7E) else low)
