"""What a description says about a parameter by naming another tool: "same meaning as in create_project"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.declared import declared
from mcp_governor.prose.mentions import NameIndex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.subjects.context import Context
    from mcp_governor.surface.model import Tool

_MAX_TEXT = 4_000
"""Maximum number of characters read from a description."""
_MAX_FRONT = 120
"""Maximum number of characters read in front of the name of the other tool."""
_MAX_TOOLS = 20
"""Maximum number of mentions of other tools that are looked at per description."""
_SAME = lazy_pattern(
    r"\b(?:same|identical|identically|exactly)\b[^.\n]{0,100}$"
    r"|\b(?:as|like|see)\s(?:at\s|for\s|in\s|with\s)?(?:the\s)?[`'\"]?$",
    re.IGNORECASE,
)
_SAME_PARAMETERS = lazy_pattern(
    r"\b(?:same|identical)\s(?:\w{1,20}\s){0,2}(?:arguments?|args|filters|inputs?|meanings?|options|parameters?|params)\b"
    r"[^.\n]{0,40}$"
    r"|\b(?:arguments|args|filters|inputs|options|parameters|params)\b[^.\n]{0,40}\b(?:as|like|same|see)\b[^.\n]{0,30}$",
    re.IGNORECASE,
)
"""What is in front of the name of a tool whose parameters are those of this one."""


def said_by_reference(tool: Tool, name: str, text: str, context: Context) -> tuple[str, ...]:
    """What other tools say about their parameter of the same name, where a description refers to them for it.

    Args:
        tool: whose parameter it is.
        name: of the parameter.
        text: everything that is said about the parameter itself.
        context: of the check.
    """
    index: NameIndex = context.facts.memo("name-index", lambda: NameIndex(context.facts.names))
    said: Mapping[tuple[str, str], str] = context.facts.memo("said at tools", lambda: _said(context))
    # Asked for each parameter of a tool in a row.
    of_all = context.facts.recent(
        ("same parameters", tool.index), lambda: tuple(_named(index, tool.description, _SAME_PARAMETERS, tool))
    )
    others = [*_named(index, text, _SAME, tool), *of_all]
    found = [said.get((other, name), "") for other in dict.fromkeys(others)]
    return tuple(one for one in found if one)


def _said(context: Context) -> dict[tuple[str, str], str]:
    return {(one.tool.name, one.name): one.text for one in declared(context.surface, context) if not one.nested}


def _named(index: NameIndex, text: str, leads: re.Pattern[str], tool: Tool) -> Iterator[str]:
    text = text[:_MAX_TEXT]
    for (start, other), _ in zip(index.mentions(text), range(_MAX_TOOLS), strict=False):
        if other != tool.name and leads.search(text[max(0, start - _MAX_FRONT) : start]):
            yield other
