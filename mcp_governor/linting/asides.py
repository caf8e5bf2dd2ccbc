"""What a tool's description says in passing about a parameter: enough to hold a question back, not to make a claim.

:mod:`mcp_governor.linting.outline` returns what is certainly about a parameter. A question about a parameter without a
description is out of place already where the text may well answer it.
"""

from __future__ import annotations

import re

from mcp_governor.lazy import lazy_pattern

_MAX_TEXT = 4_000
"""Maximum number of characters searched per description."""
_MAX_SAID = 200
"""Maximum number of characters read after one occurrence of the name."""
_MAX_PLACES = 6
"""Maximum number of occurrences read."""
_EXPLAINED = lazy_pattern(
    r"[`'\"*]{0,3}\s?[=(]|[`*]{0,3}\s?:|\s[\"“]\w|\.\s(?:Valid|Allowed|Possible|Supported)(?:\s\w{1,20})?:", re.NOFLAG
)
"""What follows the name of a parameter where its value is explained: "page: first is 1", "color (hex)", "mode "full"".
"""
_ON_IT = lazy_pattern(r"[`'\"*]{0,3}(?:\s?[:=(]|\s(?:defaults?|optional|required|replaces?)\b)", re.IGNORECASE)
"""The same, and what follows where the text says anything about it: "tags replace the whole list"."""
_RESULTS = lazy_pattern(
    r"^[\s#*_-]{0,12}(?:returns?|response|outputs?|results?|yields)(?:\s(?:fields|format|shape|structure|value))?"
    r"[*_]{0,2}:",
    re.IGNORECASE | re.MULTILINE,
)
"""Where a description goes on about results, whose fields may have the names of parameters."""
_BREAK = lazy_pattern(r"[`'\"*: ]{0,4}\n")
"""The end of a line behind the colon, where the explanation begins on the next one."""
_ENDS = lazy_pattern(r"[.!?;](?=\s+[A-Z`])|\n")
_ONLY_NAMES = frozenset({"args", "kwargs", "opts", "params", "payload"})
"""Words that are in no sentence but as the name of a parameter."""


def results_part(description: str) -> tuple[int, int]:
    """The part of a description about results, up to the next heading; empty if there is none."""
    results = _RESULTS.search(description)
    if results is None:
        return 0, 0
    heading = _HEADING.search(description, results.end())
    return results.start(), heading.start() if heading is not None else len(description)


_HEADING = lazy_pattern(
    r"^\s{0,12}(?:#{1,6}\s|(?:args|arguments|examples?|notes?|parameters|usage)\b[^\n]{0,40}:\s?$)",
    re.IGNORECASE | re.MULTILINE,
)


def _of_a_pair(name: str, text: str) -> tuple[str, ...]:
    """What is said of two parameters at once: "date_gte/lte: range of dates" is about date_gte and date_lte."""
    head, _, tail = name.rpartition("_")
    if not head or f"{head}_" not in text or (f"{tail}/" not in text and f"/{tail}" not in text):
        return ()
    one, other = re.escape(tail), r"[a-z]{1,20}"
    pair = rf"{re.escape(head)}_(?:{one}/{other}|{other}/{one}):[ ]?([^\n]{{1,{_MAX_SAID}}})"
    both = re.search(pair, text)
    return (both[1],) if both is not None else ()


def said_in_passing(name: str, description: str, *, anything: bool = False) -> tuple[str, ...]:
    """What follows each mention of a parameter in a description, up to the end of the sentence; empty if nothing does.

    Args:
        name: of the parameter.
        description: of its tool.
        anything: also what does not explain its value ("must not be empty").
    """
    follows = _ON_IT if anything else _EXPLAINED
    text = description[:_MAX_TEXT]
    paired = _of_a_pair(name, text)
    lower = text.lower()
    if not name or name.lower() not in lower:
        return paired
    many = None
    # "Ratings: better | same | worse" lists the values of one rating. Letters that are not ASCII may equal others.
    if f"{name.lower()}s:" in lower or not text.isascii():
        many = re.search(
            rf"^[ \t]{{0,12}}{re.escape(name)}s:[ \t]?(\S[^\n]{{0,{_MAX_SAID}}})", text, re.IGNORECASE | re.MULTILINE
        )
    out: list[str] = [*paired, *([many[1]] if many is not None else [])]
    results = _RESULTS.search(text)
    for match in re.finditer(rf"(?<![\w.$@-]){re.escape(name)}(?![\w-])", text):
        if len(out) == _MAX_PLACES:
            break
        if results is not None and match.start() >= results.start():
            break
        slashed = anything and "_" in name and text[match.start() - 1 : match.start()] == "/"
        on_it = follows.match(text, match.end())
        # "Default gate: oak" is about the default, "gate: oak or ash" about the parameter.
        later = on_it is not None and on_it[0].startswith(".")
        front = text[: match.start()].rstrip(" ")[-1:]
        headed = on_it is not None and on_it[0].endswith(":") and not later and front.isalnum()
        if not slashed and name not in _ONLY_NAMES and (on_it is None or headed):
            continue
        limit = min(len(text), match.end() + _MAX_SAID)
        # "Sets the status. Valid: open, done": the next sentence is about it.
        begin = on_it.end() if on_it is not None and later else match.end()
        broken = _BREAK.match(text, begin)
        stop = _ENDS.search(text, broken.end() if broken else begin, limit)
        out.append(text[begin : stop.start() if stop else limit].lstrip("`'\"*: "))
    return tuple(filter(None, out))
