"""Values that a description shows: quoted ones, examples, and alternatives behind "or".

A pattern that refuses one of them refuses a call that the author means to take. So more counts as shown here than an
example that another rule compares with a schema: a wrong guess only keeps a finding back.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MAX_TEXT = 2_000
"""Maximum number of characters read from a description."""
_QUOTED = lazy_pattern(r"(?<![\w'\"`])(?:'([^'\n]{1,80})'|\"([^\"\n]{1,80})\"|`([^`\n]{1,80})`|“([^”\n]{1,80})”)(?!\w)")
_REFUSED = lazy_pattern(
    r"\b(?:not|never|no|without|instead of|rather than|except|omit|strip|cannot|excluding|avoid|wrong|invalid|lacks?)\b"
    r"[^.;]{0,30}$|n't\b[^.;]{0,30}$",
    re.IGNORECASE,
)
"""Words in front of a value that is not taken."""
_ASIDE = lazy_pattern(
    r"\b(?:for|when|if|run|see|call|from|returns?|configures?|the|its|of|by|via|using|while)\s$", re.IGNORECASE
)
"""Words directly in front of what a sentence only mentions: a command, another value, a result."""
_CHAIN = lazy_pattern(r"\s?(?:,|/|\band|\bor|,\s?and|,\s?or)\s?", re.IGNORECASE)
_MOST_SPACES = 3
"""Spaces in a value; a longer text in quotes is a request, or a message."""
_WORD = r"[^\s,;()'\"`“”]{1,60}"
_EXAMPLES = lazy_pattern(
    r"(?:\be\.?g\b\.?,?|\bfor example,?|\bfor instance,?|\bsuch as|\bexamples?:)\s"
    rf"(?P<values>{_WORD}(?:(?:,\s(?:or\s)?|\sor\s){_WORD}){{0,3}})(?=[,;)(]|\s\(|\s(?:or|and)\s|$)",
    re.IGNORECASE,
)
_ALTERNATIVE = lazy_pattern(rf"\bor\s(?P<value>(?=[^\s,;()'\"`]{{0,58}}[/:@#][\w{{<]){_WORD})", re.IGNORECASE)
"""A second form, which has a sign that words of a sentence do not have: "owner/repo or group/subgroup/repo"."""
_PAIR = r"[A-Za-z]{1,20}\d?[:=][A-Za-z]{1,20}\d?"
_LIST = lazy_pattern(rf"(?<![\w:=]){_PAIR}[,;]\s?{_PAIR}")
"""Two pairs in one value: "key:value, key:value"."""
_NO_VALUE = lazy_pattern(r"[^A-Za-z0-9]*|[-YMDHSymdhsTZ/.:+ ]{4,40}|.*(?:\.\.|…|[<>{}\[\]*]).*", re.NOFLAG)
"""What stands for a value, and is none: signs, a date in letters, a template."""


def shown_values(text: str) -> Iterator[str]:
    """The values that a description shows as accepted."""
    text = text[:_MAX_TEXT]
    yield from _quoted(text)
    for match in _EXAMPLES.finditer(text):
        for value in re.split(r",\s(?:or\s)?|\sor\s", match["values"]):
            yield from _plain(value)
    for match in _ALTERNATIVE.finditer(text):
        yield from _plain(match["value"])
    for match in _LIST.finditer(text):
        yield match[0]


def _quoted(text: str) -> Iterator[str]:
    end, aside = 0, False
    for match in _QUOTED.finditer(text):
        start, value = match.start(), next(filter(None, match.groups()))
        # What is true of the first of several is true of all.
        if not (aside and _CHAIN.fullmatch(text, end, start)):
            before = max(0, start - 45)
            aside = bool(_REFUSED.search(text, before, start) or _ASIDE.search(text, before, start))
        end = match.end()
        if not aside and value.count(" ") <= _MOST_SPACES and not _NO_VALUE.fullmatch(value):
            yield value


def _plain(value: str) -> Iterator[str]:
    value = value.rstrip(".:")
    if value and not _NO_VALUE.fullmatch(value):
        yield value


def declared_values(schema: Mapping[str, Any]) -> Iterator[str]:
    """The strings that a schema itself shows: its default, examples and values, and those of its items and branches."""
    parts: list[Any] = [schema, schema.get("items")]
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        parts += branches if isinstance(branches, list) else []
    for part in parts:
        if not isinstance(part, dict):
            continue
        values: list[Any] = [part.get("default"), part.get("const"), part.get("example")]
        for key in ("default", "examples", "example", "enum"):
            found = part.get(key)
            values += found if isinstance(found, list) else []
        yield from (value for value in values if isinstance(value, str) and value)
