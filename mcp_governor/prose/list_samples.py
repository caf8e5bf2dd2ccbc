"""Values in prose that only show what a parameter accepts: cells, codes of a standard, parts of a longer value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

_DATED = lazy_pattern(
    r"Y{2,4}|\d{4}-\d\d|^[~$<{]|[@\\]\S*[/@\\.]|^https?:"
    # A range of characters or numbers, and a format for numbers or colours: "[1-59]Min", "#,##0.00".
    r"|\[\w{1,4}(?:[\-,]\w{1,4}){1,20}\]|^#|#[#,.0]|^0+[.,]0|^0%$|\|",
    re.NOFLAG,
)
"""What is a sample even after "one of"."""
_SAMPLE = lazy_pattern(
    r"^[\d.,:\-]+$|^[./]|[/@\\]\S*[/@\\.]|(?<![\w.\-])(?:19|20)\d\d(?![\w.\-])|^\d+(?:\.\d+)?(?:%|px|r?em|pt|vh|vw)$",
    re.NOFLAG,
)
"""What is a sample unless words announce values: years, numbers, paths and lengths of a style sheet."""
_CELL = lazy_pattern(
    r"(?:[\w ]{1,31}!)?(?:\$?[A-Za-z]{1,3}\$?\d{1,7}|[A-Za-z]{1,2}|\d{1,7})"
    r"(?::(?:\$?[A-Za-z]{1,3}\$?\d{1,7}|[A-Za-z]{1,2}|\d{1,7}))?",
    re.NOFLAG,
)
_OF_A_SHEET = lazy_pattern(r"\b(?:cells?|columns?|rows?|(?<!type of )(?<!kind of )ranges?|A1)\b", re.IGNORECASE)
_PAPER = lazy_pattern(r"\b(?:paper|page|sheet|print)\b", re.IGNORECASE)
_AMOUNT = lazy_pattern(r"\d+(?:\.\d+)?\s?[A-Za-z]{1,3}", re.NOFLAG)
_AMOUNTS = frozenset(
    [
        "age",
        "delay",
        "duration",
        "expiration",
        "expiry",
        "height",
        "length",
        "lookback",
        "timeout",
        "ttl",
        "wait",
        "width",
    ]
)
"""Last words of names of quantities that have any amount: "'30s' or '5m'"."""
_STANDARD = lazy_pattern(
    r"\b(?:ISO[- ]?\d{3,4}|BCP[- ]?47|IANA|IATA|(?:language|country|currency)\scodes?|locales?|time\s?zones?"
    r"|tickers?)\b",
    re.IGNORECASE,
)
_SIZED = lazy_pattern(r"\b(?:w|width)\s?[x×]\s?(?:h|height)\b", re.IGNORECASE)
_SIZE = lazy_pattern(r"\d{1,5}[x×]\d{1,5}", re.NOFLAG)
"""A size in the form that the text names: "WxH, 600x400 or less"."""
_FEW = 8
"""Number of codes of a standard from which on they are more than a few samples."""
_LOGIC = frozenset({"and", "or", "not"})
_EXPRESSIONS = frozenset(
    {"condition", "criteria", "expression", "filter", "filters", "jql", "q", "query", "search", "where"}
)
_PARTING = "./:@#|!~"
"""Signs between the parts of a value: "name" or "group/name"."""


def are_samples(values: Sequence[str], words: Sequence[str], text: str, *, promised: bool) -> bool:
    """True if listed values are samples of a form or of a longer list.

    Args:
        values: of the list.
        words: of the name of the parameter.
        text: everything that is said about the parameter.
        promised: words in front announce a list of values.
    """
    if any(map(_DATED.search, values)):
        return True
    if promised:
        return False
    if any(map(_SAMPLE.search, values)) or _has_a_part(values):
        return True
    if _SIZED.search(text) and all(_SIZE.fullmatch(value) or _SIZED.fullmatch(value) for value in values):
        return True
    last = words[-1] if words else ""
    folded = {value.lower() for value in values}
    if (last in _EXPRESSIONS and folded <= _LOGIC) or (last in _AMOUNTS and any(map(_AMOUNT.fullmatch, values))):
        return True
    if len(values) < _FEW and _STANDARD.search(text):
        return True
    return _are_cells(values, text)


def _are_cells(values: Sequence[str], text: str) -> bool:
    return (
        all(map(_CELL.fullmatch, values))
        and (any(value[-1].isdigit() or ":" in value for value in values) or all(map(str.isupper, values)))
        and _OF_A_SHEET.search(text) is not None
        and _PAPER.search(text) is None
    )


def _has_a_part(values: Sequence[str]) -> bool:
    """True if one of two values is a part of the other ("'table' or 'base.table'"), or only some of them have a part
    after a colon ("'created:month' or 'team'")."""
    parted = [":" in value for value in values]
    if any(parted) and not all(parted):
        return True
    if len(values) != 2:
        return False
    short, long = sorted(values, key=len)
    return any(long.startswith(short + sign) or long.endswith(sign + short) for sign in _PARTING)
