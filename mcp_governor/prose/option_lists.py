"""Alternative ways to call a tool, as its description lists them: "Option 1 - by slug: …", "Option 2 - by URL: …"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.names_in_text import names_in

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcp_governor.prose.need import Ways

_MAX_READ = 20_000
"""Maximum number of characters read per description; a longer one is a manual."""
_MAX_OPTIONS = 9
"""Maximum number of ways; nobody would read a schema with more branches."""
_BEFORE = 300
"""Number of characters before the first option that introduce the list: a sentence or two."""

_HEADING = lazy_pattern(
    r"(?:[-*•]\s|#{1,6}\s)?[*_]{0,2}(?:option|method|way|variant|approach|alternative)\s(?:\d{1,2}|[a-e])\b"
    r"(?P<rest>.{0,200})",
    re.IGNORECASE,
)
_ITEM = lazy_pattern(r"[-*•]\s[`*\"']{0,3}(?P<name>[A-Za-z_$][\w$\-]{0,63})[`*\"']{0,3}\s?(?:\(|:|–|—|-\s|=|$)")
_ANY_OF_THEM = lazy_pattern(r"\bone of\b", re.IGNORECASE)
_EXACTLY = lazy_pattern(r"\b(?:exactly one|only one|either|mutually exclusive)\b", re.IGNORECASE)
_OPTIONAL = lazy_pattern(r"\boptional", re.IGNORECASE)


class Options(NamedTuple):
    """A list of ways to call a tool.

    Attributes:
        ways: the parameters of each way.
        exactly: a call may use only one way.
    """

    ways: Ways
    exactly: bool


def stated_options(description: str, names: Collection[str]) -> Options | None:
    """The ways to call a tool that its description lists; ``None`` if fewer than two of them name parameters.

    Args:
        description: of a tool.
        names: of its parameters.
    """
    read = description[:_MAX_READ]
    lines = [" ".join(line.split()) for line in read.split("\n")]
    ways: list[tuple[str, ...]] = []
    first = -1
    for position, line in enumerate(lines):
        heading = _HEADING.match(line)
        if heading is None:
            continue
        first = position if first < 0 else first
        below = _listed(lines, position + 1, names)
        if below and _ANY_OF_THEM.search(heading["rest"]):
            ways += [(name,) for name in below]
        elif way := below or names_in(heading["rest"], names):
            ways.append(way)
        if len(ways) > _MAX_OPTIONS:
            return None
    if len(set(ways)) < 2:
        return None
    return Options(tuple(dict.fromkeys(ways)), _EXACTLY.search("\n".join(lines[:first])[-_BEFORE:]) is not None)


def _listed(lines: list[str], start: int, names: Collection[str]) -> tuple[str, ...]:
    """The parameters in the bullets below a heading, without those marked as optional."""
    out: dict[str, None] = {}
    for line in lines[start:]:
        if _HEADING.match(line) or (line and not line.startswith(("-", "*", "•")) and out):
            break
        item = _ITEM.match(line)
        if item is not None and item["name"] in names and not _OPTIONAL.search(line):
            out[item["name"]] = None
    return tuple(out)
