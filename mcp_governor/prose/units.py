"""Units of measure: words for units, and the unit that a description gives."""

from __future__ import annotations

import re

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.words import name_words

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
    "ft": "foot feet",
    "%": "% percent percents percentage",
    "°": "° degree degrees",
}
_BY_WORD = {word: unit for unit, words in _UNITS.items() for word in words.split()}
_ALONE = frozenset({"m", "s", "h", "d", "b", "in", "min", "mins", "point", "points"})
"""Words that are a unit after a number, and usually something else on their own."""
_WORD = lazy_pattern(r"[A-Za-z%°]+")


def unit_of(word: str) -> str | None:
    """The unit that a word after a number means, in one spelling; ``None`` if it is not a unit."""
    return _BY_WORD.get(word.lower())


def units_in(text: str) -> frozenset[str]:
    """The units in a string, from words that have no other meaning."""
    found = (word.lower() for word in _WORD.findall(text))
    return frozenset(_BY_WORD[word] for word in found if word in _BY_WORD and word not in _ALONE)


def unit_of_name(name: str) -> str | None:
    """The unit that a name ends in, or contains as an unambiguous word: "timeout_s", "ms_to_wait"."""
    parts = name_words(name)
    if parts and parts[-1] in _BY_WORD and parts[-1] not in ("in", "min", "point", "points"):
        return _BY_WORD[parts[-1]]
    return next((_BY_WORD[word] for word in parts if word in _BY_WORD and word not in _ALONE), None)


def same_unit(unit: str, name: str, text: str) -> bool:
    """True if the parameter has this unit: its name, or else its description, gives this unit only."""
    named = unit_of_name(name)
    return named == unit if named else units_in(text) <= {unit}


_MEASURE = {
    word: dimension
    for dimension, words in {
        "time": "timeout duration delay interval ttl wait lookback cooldown sleep retention "
        "expiry expire expires expiration",
        "bytes": "memory disk storage",
        "length": "width height margin padding thickness radius distance altitude elevation",
    }.items()
    for word in words.split()
}
_OF = {
    "time": frozenset({"ms", "s", "min", "h", "d", "w", "mo", "y"}),
    "bytes": frozenset({"B", "kB", "MB", "GB", "TB"}),
    "length": frozenset({"px", "pt", "in", "cm", "mm", "m", "km", "mi", "ft", "%"}),
}
_NAMED = lazy_pattern(
    r"\d\s?(?:ms|s|m|h|d|px|pt|em|cm|mm|in|[kmg]i?b|%)\b|\((?:in\s)?(?:s|m|h|d|mins?)\)|\bin\s(?:s|h|d)\b"
    r"|\b(?:emu|inches|iso\s?8601|cron|unit|unix|epoch|ratio|fraction|relative|percent\w*|normali[sz]ed|per\s[a-z]+"
    r"|in\s(?:points?|characters|columns|cells|lines|rows|turns|steps|minutes?|mins?)|between\s0(?:\.0)?\sand\s1|0\.0)\b"
    # What has the name of a quantity and is none, or has no unit.
    r"|\b(?:block\s(?:height|number)|cosine|edit\sdistance|hamming|levenshtein|similarity|number\sof|how\smany)\b"
    r"|单位|單位|単位|단위|秒|分[钟鐘]|小[时時]|時間単位|公里|千米|厘米|毫米|像素|字[节節]|[(（](?:米|天|月|年|周|度)[)）]|\d\s?(?:米|天|个月)",
    re.IGNORECASE,
)


def measures(name: str) -> str | None:
    """The dimension that a parameter measures according to its name: ``time``, ``bytes``, ``length``, or ``None``."""
    parts = name_words(name)
    if not parts or "block" in parts or unit_of_name(name) is not None:
        return None
    if parts[-2:] == ("max", "age"):
        return "time"
    if parts[-2:] in (("font", "size"), ("file", "size"), ("cache", "size")):
        return "length" if parts[-2] == "font" else "bytes"
    return _MEASURE.get(parts[-1])


def states_unit(dimension: str, text: str) -> bool:
    """True if a description gives a unit of a dimension, or says that there is none."""
    return bool(_OF[dimension] & units_in(text)) or _NAMED.search(text) is not None


def unit_names(name: str) -> tuple[str, ...]:
    """The names that another parameter has if it takes the unit of this one: "width_type", "widthUnit", "unit"."""
    ends = ("_unit", "_units", "_type", "Unit", "Units", "Type")
    return ("unit", "units", *(name + end for end in ends))
