"""Units of measure: which word is one, and which unit a text gives."""

from __future__ import annotations

import re

from mcp_governor.linting.words import name_words

_UNITS = {
    "ms": "ms milli millis millisecond milliseconds msec msecs",
    "s": "s sec secs second seconds",
    "min": "m min mins minute minutes",
    "h": "h hr hrs hour hours",
    "d": "d day days",
    "w": "week weeks",
    "mo": "month months",
    "y": "year years",
    "B": "byte bytes b",
    "kB": "kb kib kilobyte kilobytes",
    "MB": "mb mib megabyte megabytes",
    "GB": "gb gib gigabyte gigabytes",
    "TB": "tb tib terabyte terabytes",
    "px": "px pixel pixels",
    "pt": "pt point points",
    "in": "inch inches",
    "cm": "cm centimeter centimeters centimetre centimetres",
    "mm": "mm millimeter millimeters millimetre millimetres",
    "m": "meter meters metre metres",
    "km": "km kilometer kilometers kilometre kilometres",
    "mi": "mile miles",
    "%": "% percent percents percentage",
    "°": "° degree degrees",
}
_BY_WORD = {word: unit for unit, words in _UNITS.items() for word in words.split()}
_ALONE = frozenset({"m", "s", "h", "d", "b", "min", "mins", "point", "points"})
"""Words that are a unit behind a number, and mostly something else where they stand alone."""
_WORD = re.compile(r"[A-Za-z%°]+")


def unit_of(word: str) -> str | None:
    """The unit that a word behind a number is, in one spelling; ``None`` where it is none."""
    return _BY_WORD.get(word.lower())


def units_in(text: str) -> frozenset[str]:
    """The units that a text names by words that are nothing else."""
    found = (word.lower() for word in _WORD.findall(text))
    return frozenset(_BY_WORD[word] for word in found if word in _BY_WORD and word not in _ALONE)


def same_unit(unit: str, name: str, text: str) -> bool:
    """Whether a number of this unit is one of the argument: its name, or else its text, gives this unit only."""
    named = {_BY_WORD[word] for word in name_words(name) if word in _BY_WORD}
    return named == {unit} if named else units_in(text) <= {unit}
