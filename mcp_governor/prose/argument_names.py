"""Words that a description sets or quotes like parameters, though the tool has none of these names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.alike_names import INNER_CAPITAL
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.likeness import DENIED, FROM_RESULT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.prose.alike_names import Names

_QUOTED_ARGUMENT = lazy_pattern(r"(?P<quote>[`'\"])(?P<name>[A-Za-z]\w{1,40})(?P=quote)")
_AS_ARGUMENT = lazy_pattern(
    r"\s(?:(?P<called>parameters?|arguments?|params?)\b|(?:is|are)\s(?:also\s)?(?:required|mandatory|optional)\b)"
)
_SETS_ARGUMENT = lazy_pattern(
    r"\b(?:set|pass|provide|specify|supply|give|omit|requires?)\s(?:the\s|an?\s)?$", re.IGNORECASE
)
_SET_ARGUMENT = Guarded(
    r"\b(?:use|using|set|pass|specify)\s`?(?P<name>[a-z]\w{2,40})\s?[=:]\s?(?:true|false|\d{1,9})\b",
    "=",
    ":",
    starts="psu",
)
_OF_ANOTHER = lazy_pattern(
    r"\b(?:query|url|uri|path|http|request|api|cli|command[- ]line|sql|function|method|template|environment"
    r"|config(?:uration)?"
    r"|connection|driver|server|body|header|form|json|field|column)s?\s(?:the\s)?$",
    re.IGNORECASE,
)
_AND_VALUES = lazy_pattern(r"\s?(?:,|or|,\sor)\s[`'\"][a-z]{1,40}[`'\"]")
"""A plain word next in the list: "pass 'journalArticle' or 'book'" lists values."""
_OF_A_FILE = lazy_pattern(r"[`'\"]\s(?:columns?|keys?|fields?)\b[^.]{0,60}$")
"""Columns of a file before it: "with an 'input' column; 'ground_truth' is optional"."""
_TEXTUAL = frozenset(
    ["code", "command", "cql", "expression", "filter", "jql", "q", "query", "script", "search", "sql", "where"]
)
"""Parameters with a syntax of their own, in which a name may be assigned a value."""


def named_arguments(text: str, arguments: Names) -> Iterator[tuple[str, str]]:
    """Words that a tool's description treats as its parameters though it has none of these names.

    Args:
        text: a tool's description, without the parts about results and examples.
        arguments: parameters of the tool.
    """
    for match in _QUOTED_ARGUMENT.finditer(text):
        name = match["name"]
        if name in arguments.names:
            continue
        behind = _AS_ARGUMENT.match(text, match.end())
        compound = "_" in name.strip("_") or INNER_CAPITAL.search(name) is not None
        if not compound and (behind is None or behind["called"] is None):
            continue
        front = text[max(0, match.start() - 40) : match.start()]
        if (behind is None and not _SETS_ARGUMENT.search(front)) or FROM_RESULT.match(text, match.end()):
            continue
        if _AND_VALUES.match(text, match.end()) or _OF_A_FILE.search(text, max(0, match.start() - 80), match.start()):
            continue
        if not (_OF_ANOTHER.search(front) or DENIED.search(front)):
            yield name, arguments.close(name) or ""
    if _TEXTUAL.isdisjoint(arguments.names):
        for match in _SET_ARGUMENT.finditer(text):
            if match["name"] not in arguments.names and not match["name"].isupper():
                yield match["name"], arguments.close(match["name"]) or ""


_ASSIGNED = lazy_pattern(
    r"\b(?:use|set|pass|with|specify|using|and|or|,)\s[`'\"]?(?P<name>[A-Za-z_]\w{1,40})\s?=\s?(?P<quote>['\"])(?P<value>[\w\-]{1,40})(?P=quote)",
    re.IGNORECASE,
)


def misassigned(text: str, arguments: Names, values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Names to which a description assigns a value of a parameter of another name: "use format='docs'" for mode.

    Args:
        text: a tool's description.
        arguments: parameters of the tool.
        values: the values of its enums, each with the only parameter that accepts it.
    """
    for match in _ASSIGNED.finditer(text):
        owner = values.get(match["value"])
        if owner is not None and match["name"] not in arguments.names:
            yield match["name"], owner
