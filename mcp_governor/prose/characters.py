"""Characters that a description allows in a value, and those that a pattern accepts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.errors import ConfigError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.patterns import linear_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

_LISTED = lazy_pattern(
    r"\b(?:only|consists? of|made (?:up )?of|composed of|comprised of|using|(?:can|may|must) (?:only )?contain"
    r"|(?:valid|allowed|permitted) characters\s?(?:are|:))\s(?P<list>[^.;:\n(]{4,120})",
    re.IGNORECASE,
)
_CLASSES = {
    "uppercase letters": (lazy_pattern(r"\bupper[\s-]?case\b|\bcapital(?:s| letters)\b", re.IGNORECASE), "A"),
    "lowercase letters": (lazy_pattern(r"\blower[\s-]?case\b|\bsmall letters\b", re.IGNORECASE), "a"),
    "letters": (lazy_pattern(r"(?<!case )(?<!capital )(?<!small )\bletters\b|\balphabetic\b", re.IGNORECASE), "aA"),
    "letters and digits": (lazy_pattern(r"(?<!case )\balphanumerics?\b", re.IGNORECASE), "aA0"),
    "digits": (lazy_pattern(r"\bdigits\b|\bnumbers\b|\bnumerals\b|\balphanumerics?\b", re.IGNORECASE), "0"),
    "hyphens": (lazy_pattern(r"\bhyphens?\b|\bdash(?:es)?\b", re.IGNORECASE), "-"),
    "underscores": (lazy_pattern(r"\bunderscores?\b", re.IGNORECASE), "_"),
    "dots": (lazy_pattern(r"\bdots?\b|\bperiods?\b|\bfull stops?\b", re.IGNORECASE), "."),
    "spaces": (lazy_pattern(r"\bspaces?\b", re.IGNORECASE), " "),
}
_ONE_OF_EACH = {"A": "uppercase letters", "a": "lowercase letters", "0": "digits", "-": "hyphens", "_": "underscores"}
_OPEN = lazy_pattern(
    r"\b(?:etc|such as|like|special|symbols?|other|any|unicode|not|no|except|without|first|start|begin|end)\b",
    re.IGNORECASE,
)
_FILLS = (1, 4, 12)
"""Padding before and after the tested character, in characters: a pattern may require a minimum length."""


def stated_characters(text: str) -> frozenset[str] | None:
    """One character of each kind that a description allows in a value; ``None`` if it lists fewer than two kinds.

    Args:
        text: the description of a parameter.
    """
    for match in _LISTED.finditer(text):
        listed = match["list"]
        sorts = [chars for pattern, chars in _CLASSES.values() if pattern.search(listed)]
        if len(sorts) > 1 and not _OPEN.search(listed):
            return frozenset("".join(sorts))
    return None


def differences(stated: frozenset[str], pattern: str) -> Iterator[tuple[str, str]]:
    """Compare a list of characters with a pattern, which is taken to match the whole value.

    Args:
        stated: one character of each kind.
        pattern: from the schema.

    Yields:
        ``refuses`` or ``takes``, and a kind of character.
    """
    try:
        whole = linear_pattern(rf"^(?:{pattern})$")
    except ConfigError:
        return
    taken = frozenset(char for char in _ONE_OF_EACH if any(map(whole.search, _samples(char))))
    # A pattern that accepts none of them requires a form and says nothing about single characters.
    if not taken & stated:
        return
    for char, sort in _ONE_OF_EACH.items():
        if char in stated and char not in taken:
            yield "refuses", sort
        elif char in taken and char not in stated and char != "0":
            # "Capital letters and underscores (such as US_EAST_1)": people who list characters forget digits.
            yield "takes", sort


def _samples(char: str) -> Iterator[str]:
    for fill in "aA0":
        for count in _FILLS:
            yield f"{fill * count}{char}{fill * count}"
    for count in _FILLS:
        yield char * (2 * count + 1)
