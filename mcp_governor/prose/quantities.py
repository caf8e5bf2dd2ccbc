"""Parameters that count something, and parameters that are never negative."""

from __future__ import annotations

import re

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.units import measures, unit_of_name
from mcp_governor.prose.words import name_words

_COUNTS = frozenset(
    [
        "limit",
        "count",
        "top",
        "skip",
        "offset",
        "page",
        "head",
        "tail",
        "depth",
        "hops",
        "retries",
        "rows",
        "cols",
        "columns",
        "lines",
        "perpage",
    ]
)
_NUMBER_OF = lazy_pattern(
    r"\s*(?:the\s|optional\s|an?\s)*(?:max(?:imum)?\s|min(?:imum)?\s|total\s)?number\sof\s(?!seconds|minutes|hours|days|milliseconds)",
    re.IGNORECASE,
)
_PIXELS = lazy_pattern(r"\bin\spixels\b", re.IGNORECASE)
_FRACTION = lazy_pattern(
    r"\d\.\d|\b(?:fraction|decimal|float|average|ratio|percent)"
    r"|\b(?:budget|coordinates?|costs?|credit|dollars?|eur|euros?|feet|inch(?:es)?|km|margin|met(?:er|re)s?|price|spend\w*|usd)\b"
    r"|^\s*whether\b",
    re.IGNORECASE,
)
"""Words about what is measured, and not counted, whatever its name says."""
_ZONE = lazy_pattern(r"\b(?:time\s?zone|utc|gmt)\b", re.IGNORECASE)
_AMOUNTS = frozenset({"seconds", "minutes", "hours", "days", "ms", "millis", "bytes", "radius", "status", "address"})


def never_below_zero(name: str, text: str) -> bool:
    """True if a parameter is a duration, a size, a position in a list or a capacity, and its description agrees."""
    parts = name_words(name)
    if not parts or _BELOW_ZERO.search(text):
        return False
    sized = parts[-1] in _SIZES or parts[-2:] == ("font", "size")
    amount = len(parts[-1]) > 1 and unit_of_name(name) in _AMOUNT_UNITS and _SIGNED.isdisjoint(parts)
    return (
        sized
        or amount
        or measures(name) == "time"
        or parts[-1] in ("index", "idx")
        or parts[0] == "capacity"
        or _SPAN.match(text) is not None
    )


_SIZES = ("width", "height", "radius", "thickness", "length", "distance", "port")
_AMOUNT_UNITS = frozenset({"ms", "s", "min", "h", "d", "w", "mo", "y", "B", "kB", "MB", "GB", "TB", "px"})
_SIGNED = frozenset({"offset", "delta", "shift", "diff", "difference", "change", "adjustment", "relative", "x", "y"})
"""Words of names for amounts that go in both directions."""
_SPAN = lazy_pattern(
    r"\s*(?:the\s|optional\s|an?\s)*(?:max(?:imum)?\s|min(?:imum)?\s|total\s)?"
    r"(?:number\sof\s(?:seconds|minutes|hours|days|weeks|months|years|milliseconds)\b"
    r"|(?:time|duration|delay|timeout|interval|wait)\b[^.\n]{0,60}\bin\s(?:milliseconds|ms|seconds|minutes|hours|days)\b)",
    re.IGNORECASE,
)
_BELOW_ZERO = lazy_pattern(r"(?<![\w.])-\d|\bnegative\b|\boffset\b|\bfrom\sthe\send\b|\blast\b", re.IGNORECASE)


def is_identifier(name: str) -> bool:
    """True for the name of an identifier: a number there has no fractions, and may be negative."""
    return name_words(name)[-1:] in (("id",), ("iid",), ("ids",))


def may_be_negative(text: str) -> bool:
    """True if a description gives a negative number of things a meaning: "-1 for all", "negative: from the end"."""
    return _NEGATIVE.search(text) is not None


_NEGATIVE = lazy_pattern(r"-1|(?<!non-)(?<!non )(?<!not be )(?<!no )\bnegative\b", re.IGNORECASE)


def counts_something(name: str, text: str) -> bool:
    """True if a parameter counts things, by its name or by its description, and so has no fractions."""
    return _names_a_count(name, text) and not _FRACTION.search(text) and not _ZONE.search(text)


def _names_a_count(name: str, text: str) -> bool:
    """True if a parameter is named for things that are counted, or said to be the number of them."""
    if _NUMBER_OF.match(text):
        return True
    parts = name_words(name)
    if not parts or parts[-1] not in _COUNTS:
        if parts[-2:] in (("page", "size"), ("batch", "size"), ("chunk", "size")):
            return True
        return (bool(parts) and parts[-1] in ("width", "height", "size") and bool(_PIXELS.search(text))) or (
            len(parts) > 1 and parts[0] in ("max", "num", "n") and parts[-1].endswith("s") and parts[-1] not in _AMOUNTS
        )
    return len(parts) == 1 or parts[0] in ("max", "row", "page", "per", "n", "num", "context", "result", "results")
