"""What a tool's description says in passing about a parameter: enough to hold a question back, not to make a claim.

:mod:`mcp_governor.prose.outline` returns what is certainly about a parameter. A question about a parameter without a
description is out of place already where the text may well answer it.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.words import occurrences

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_TEXT = 16_000
"""Maximum number of characters searched per description; the longest ones of real tools have as many."""
_MAX_SAID = 200
"""Maximum number of characters read after one occurrence of the name."""
_MAX_SEEN = 60
"""Maximum number of occurrences looked at."""
_BEGINS = lazy_pattern(r"(?<![\w.$@-])")
_IS_ALL = lazy_pattern(r"(?!\w|-\w)")
_SHOWN = lazy_pattern(
    r"\"\s?:\s?(?:true|false|null|-?\d)|\s?[(:]\s?(?:optional\[)?(?:array|bool|float|int|list|number|str)",
    re.IGNORECASE,
)
"""What follows a name where a value or its type is shown, and not what it is: "deep": true, deep: bool."""
_EXPLAINED = lazy_pattern(
    r"[`'\"*]{0,3}\??(?:\s?[/,]\s?[`'\"]?[A-Za-z_$][\w$]{0,63}[`'\"]?){0,8}\)?"
    r"(?:\s?[:=(]|\s?[：（]|\slike\s|\s?(?:为|是|格式|必填|可选|默认|表示))"
)
"""What follows it, and others that are named with it, where it is explained: "page: first is 1", "color (hex)",
"client_id/client_secret: of the registered application", "page 为页码"."""
_RESULTS = lazy_pattern(
    r"^[\s#*_-]{0,12}(?:(?:returns?|response|outputs?|results?|yields)(?:\s(?:fields|format|shape|structure|value))?"
    r"[*_]{0,2}:|[@:]returns?\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""Where a description goes on about results, whose fields may have the names of parameters."""
_HEADING = lazy_pattern(
    r"^\s{0,12}(?:#{1,6}\s|(?:args|arguments|examples?|notes?|parameters|usage)\b[^\n]{0,40}:\s?$)",
    re.IGNORECASE | re.MULTILINE,
)
_ENDS = lazy_pattern(r"[.!?;](?=\s+[A-Z`])|\n")


def without_results(description: str) -> str:
    """A description without its part about results, up to the next heading."""
    results = _RESULTS.search(description)
    if results is None:
        return description
    heading = _HEADING.search(description, results.end())
    return description[: results.start()] + (description[heading.start() :] if heading is not None else "")


def said_in_passing(name: str, description: str) -> Iterator[str]:
    """What follows each mention of a parameter in a description, up to the end of the sentence."""
    if name not in description:
        return
    text = without_results(description[:_MAX_TEXT])
    for at in islice(occurrences(name, text), _MAX_SEEN):
        end = at + len(name)
        if not _BEGINS.match(text, at) or not _IS_ALL.match(text, end) or _SHOWN.match(text, end):
            continue
        front = text[max(0, at - 10) : at].rstrip(" ")
        said = _EXPLAINED.match(text, end)
        # "Default gate: oak" is about the default, "gate: oak or ash" about the parameter.
        explains = said is not None and not (said[0].endswith(":") and front[-1:].isalnum())
        if explains or (front.endswith((".", ";", "\n\n")) and name[0].islower()):
            limit = end + _MAX_SAID
            stop = _ENDS.search(text, said.end() if said else end, limit)
            yield text[end : stop.start() if stop else limit].lstrip("`'\"*: \n")
