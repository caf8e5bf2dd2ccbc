"""Closed lists whose values have a line each: with bullets or numbers, with an explanation, or alone."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.list_items import BARE, MAX_VALUES, ClosedList, are_values, bare, is_quoted
from mcp_governor.prose.list_words import EXAMPLE, QUOTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

OPEN_QUOTE = lazy_pattern(r"(?<![\w=])['\"`“‘«「](?=[A-Za-z0-9_*+.\-])")
"""The beginning of a quoted value."""
_ALL_OF_IT = lazy_pattern(
    r"\b(?:(?:allowed|valid|possible|accepted|supported|available|permitted|legal|following)(?:\s[a-z]{1,16}){0,3}"
    r"|one of(?:\sthe following)?|must be|values|options|choices)(?:\s(?:are|include))?\s?:$",
    re.IGNORECASE,
)
_MARKER = r"(?:[-*•+]\s?|\d{1,2}[.)]\s)"
_BULLET = lazy_pattern(
    rf"{_MARKER}(?P<item>{QUOTED}|\*\*[A-Za-z0-9_][\w.+\-]{{0,49}}\*\*|[A-Za-z0-9_.][\w.+/\-]{{0,49}})"
    r"(?:\s\([^()\n]{0,80}\))?\s?(?::|=|–|—|-\s|→|\((?=[^()\n]{0,160}\)$)|$|(?<=['\"`”]\s)[a-z]{2,20}(?:\s|$))"
)
_UNMARKED = lazy_pattern(r"(?P<item>[a-z][\w\-]{0,30}|[A-Z][A-Z0-9_]{1,30})\s?(?::\s|=|–|—|-\s|→)(?=.{3})")
"""A value and its explanation on a line without a bullet."""
_LONE = lazy_pattern(BARE)
_SPACED = lazy_pattern(r":\s(?P<values>[A-Za-z][^\W_]{0,30}_\w{1,40}(?:\s[A-Za-z][^\W_]{0,30}_\w{1,40}){2,59})\s?$")
"""Identifiers at the end of a description that had a line each."""
_GLUED = lazy_pattern(rf"-\s(?P<item>{QUOTED}|[a-z][a-z_]{{1,30}}(?=-\s|:))(?=\s?:|\s?-\s|\s|$)")


def bullets(text: str, promises: Iterable[re.Match[str]]) -> Iterator[ClosedList]:
    """The lists of a description whose values have a line each, or had one before a conversion.

    Args:
        text: the description.
        promises: words in it that announce values.
    """
    lines = text.split("\n")
    if len(lines) > 1:
        yield from _in_lines(lines)
    if (spaced := _SPACED.search(text)) is not None and _ALL_OF_IT.search(text[: spaced.start("values")].rstrip()):
        yield ClosedList(tuple(dict.fromkeys(spaced["values"].split())), False, True, "list", bullets=True)
    for match in promises:
        # After conversion from HTML, bullets are on one line: "Optional values are:- `a`: …- `b`: …".
        if text.startswith("- ", match.end()) or text[match.end() - 2 : match.end()].endswith("- "):
            start = text.rfind("-", 0, match.end() + 1)
            found = [item["item"] for item in _GLUED.finditer(text, start)]
            values = tuple(dict.fromkeys(bare(item) for item in found))
            # A list of one value has to quote it, and nothing else may be quoted.
            alone = len(values) == 1 and all(map(is_quoted, found)) and len(OPEN_QUOTE.findall(text, start)) < 2
            if 1 < len(values) <= MAX_VALUES or alone:
                yield ClosedList(values, all(map(is_quoted, found)), True)


def _in_lines(lines: list[str]) -> Iterator[ClosedList]:
    """Values that have a line each: with bullets or numbers, with an explanation, or alone."""
    bullets = [_BULLET.match(line) for line in lines]
    if all(bullets) and len(bullets) <= MAX_VALUES:
        found = [match["item"].strip("*") for match in bullets if match is not None]
        yield ClosedList(tuple(map(bare, found)), all(map(is_quoted, found)), False, "list", bullets=True, whole=True)
    left = _MAX_READ_BELOW
    for position, line in enumerate(lines[:-1]):
        promised = _ALL_OF_IT.search(line) is not None
        if not line or EXAMPLE.search(line):
            continue
        following, read = _following(lines, position + 1)
        left -= read
        if left < 0:
            return
        if line.endswith(":") and not following:
            if promised:
                yield from _lines_alone(lines[position + 1 :])
            if len(lines) > 2:
                yield from _unmarked(lines[position + 1 :], promised=promised)
        elif len(following) > 1 and (line.endswith(":") or not _is_marked(line)):
            yield from _below(following, promised=promised, introduced=line.endswith(":"))


def _below(lines: list[str], *, promised: bool, introduced: bool) -> Iterator[ClosedList]:
    """The bullets below a line; one without a colon introduces values only if each of them is explained."""
    matches = [_BULLET.match(line) for line in lines]
    found = [match["item"].strip("*") for match in matches if match is not None]
    # Bullets that contain lists of their own are groups, and the names of groups are not values.
    if len(found) < len(lines) or any(len(OPEN_QUOTE.findall(line)) > 2 for line in lines):
        return
    quoted = all(map(is_quoted, found))
    has_text = all(match is not None and len(match.string) > match.end() + 2 for match in matches)
    has_text = has_text and (quoted or all(item.islower() and "/" not in item for item in found))
    if introduced or has_text:
        yield ClosedList(
            tuple(map(bare, found)), quoted, promised, "list", bullets=True, explained=has_text and not quoted
        )


def _lines_alone(lines: list[str]) -> Iterator[ClosedList]:
    """Values that have a line each, without a mark; two words may be the rest of a sentence."""
    values = list(itertools.takewhile(_LONE.fullmatch, lines[:MAX_VALUES]))
    if len(values) > 2 and are_values(values):
        yield ClosedList(tuple(dict.fromkeys(values)), False, True, "list", bullets=True)


def _unmarked(lines: list[str], *, promised: bool) -> Iterator[ClosedList]:
    """Values with explanations that have a line each, without a mark."""
    found = list(itertools.takewhile(bool, map(_UNMARKED.match, lines[:MAX_VALUES])))
    values = [match["item"] for match in found if match is not None]
    # A line that is neither one nor the start of something else belongs to the explanation before it.
    if len(set(values)) > 1 and are_values(values) and "".join(lines[len(values) : len(values) + 1]) == "":
        yield ClosedList(tuple(values), False, promised, "list", bullets=True, explained=True)


def _is_marked(line: str) -> bool:
    return re.match(_MARKER, line) is not None


_MAX_READ_BELOW = 40 * MAX_VALUES
"""Maximum number of lines read as the bullets below others, all together: each of a thousand bullets may introduce the
rest."""


def _following(lines: list[str], start: int) -> tuple[list[str], int]:
    """The bullets from a line on, and the number of lines read for them."""
    # A blank line may separate bullets from the line that introduces them.
    start += not "".join(lines[start : start + 1])
    found: list[str] = []
    read = 0
    for line in lines[start : start + 4 * MAX_VALUES]:
        read += 1
        if _is_marked(line):
            found.append(line)
        elif not found or line.endswith(":") or len(found) == MAX_VALUES:
            break  # Any other line continues the bullet before it.
    return found, read
