"""Which characters a text says a value is made of, and which of them a pattern takes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.catalogue.patterns import linear_pattern
from mcp_governor.errors import ConfigError
from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

_LISTED = lazy_pattern(
    r"\b(?:only|consists? of|made (?:up )?of|composed of|comprised of|using|(?:can|may|must) (?:only )?contain"
    r"|(?:valid|allowed|permitted) characters\s?(?:are|:))\s(?P<list>[^.;:\n(]{4,120})",
    re.IGNORECASE,
)
_CLASSES = {
    "uppercase letters": (re.compile(r"\bupper[\s-]?case\b|\bcapital(?:s| letters)\b", re.IGNORECASE), "A"),
    "lowercase letters": (re.compile(r"\blower[\s-]?case\b|\bsmall letters\b", re.IGNORECASE), "a"),
    "letters": (re.compile(r"(?<!case )(?<!capital )(?<!small )\bletters\b|\balphabetic\b", re.IGNORECASE), "aA"),
    "letters and digits": (re.compile(r"(?<!case )\balphanumerics?\b", re.IGNORECASE), "aA0"),
    "digits": (re.compile(r"\bdigits\b|\bnumbers\b|\bnumerals\b|\balphanumerics?\b", re.IGNORECASE), "0"),
    "hyphens": (re.compile(r"\bhyphens?\b|\bdash(?:es)?\b", re.IGNORECASE), "-"),
    "underscores": (re.compile(r"\bunderscores?\b", re.IGNORECASE), "_"),
    "dots": (re.compile(r"\bdots?\b|\bperiods?\b|\bfull stops?\b", re.IGNORECASE), "."),
    "spaces": (re.compile(r"\bspaces?\b", re.IGNORECASE), " "),
}
_ONE_OF_EACH = {"A": "uppercase letters", "a": "lowercase letters", "0": "digits", "-": "hyphens", "_": "underscores"}
_OPEN = lazy_pattern(
    r"\b(?:etc|such as|like|special|symbols?|other|any|unicode|not|no|except|without|first|start|begin|end)\b",
    re.IGNORECASE,
)
_FILLS = (1, 4, 12)
"""Characters before and behind the one in question: a pattern may ask for a shortest length."""


def stated_characters(text: str) -> frozenset[str] | None:
    """One character of each sort that a description says a value is made of; ``None`` where it lists fewer than two.

    Args:
        text: about an argument.
    """
    for match in _LISTED.finditer(text):
        listed = match["list"]
        sorts = [chars for pattern, chars in _CLASSES.values() if pattern.search(listed)]
        if len(sorts) > 1 and not _OPEN.search(listed):
            return frozenset("".join(sorts))
    return None


def differences(stated: frozenset[str], pattern: str) -> Iterator[tuple[str, str]]:
    """Where a pattern, which is taken to be about the whole value, and a list of characters differ.

    Args:
        stated: one character of each sort.
        pattern: of the schema.

    Yields:
        ``refuses`` or ``takes``, and a sort of characters.
    """
    try:
        whole = linear_pattern(rf"^(?:{pattern})$")
    except ConfigError:
        return
    taken = frozenset(char for char in _ONE_OF_EACH if any(map(whole.search, _samples(char))))
    # A pattern that takes none of them asks for a form, and says nothing of single characters.
    if not taken & stated:
        return
    for char, sort in _ONE_OF_EACH.items():
        if char in stated and char not in taken:
            yield "refuses", sort
        elif char in taken and char not in stated and char != "0":
            # "Capital letters and underscores (such as US_EAST_1)": who lists characters forgets digits.
            yield "takes", sort


def _samples(char: str) -> Iterator[str]:
    for fill in "aA0":
        for count in _FILLS:
            yield f"{fill * count}{char}{fill * count}"
    for count in _FILLS:
        yield char * (2 * count + 1)
