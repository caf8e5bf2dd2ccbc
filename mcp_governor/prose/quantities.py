"""Parameters that count something."""

from __future__ import annotations

import re

from mcp_governor.lazy import lazy_pattern
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
_AMOUNTS = frozenset({"seconds", "minutes", "hours", "days", "ms", "millis", "bytes", "radius", "status", "address"})
_ZONE = lazy_pattern(r"\b(?:time\s?zone|utc|gmt)\b", re.IGNORECASE)


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
