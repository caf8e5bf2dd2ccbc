"""Values that a description or a schema shows: quoted ones, examples, and alternatives behind "or".

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
_MOST_SPACES = 3
"""Spaces in a value; a longer text in quotes is a request, or a message."""
_WORD = r"(?:(?![“”])[^\s,;()'\"`]){1,60}"
_SHOWN = lazy_pattern(
    r"(?<![\w'\"`])(?:'[^'\n]{1,80}'|\"[^\"\n]{1,80}\"|`[^`\n]{1,80}`|“[^”\n]{1,80}”)(?!\w)"
    r"|(?:\be\.?g\b\.?,?|\bfor example,?|\bfor instance,?|\bsuch as|\bexamples?:)\s"
    rf"(?P<examples>{_WORD}(?:(?:,\s(?:or\s)?|\sor\s){_WORD}){{0,3}})"
    r"(?=[,;)(]|\s\(|\s(?:or|and)\s|$)",
    re.IGNORECASE,
)
_OR = lazy_pattern(r",\s(?:or\s)?|\sor\s")
_ASIDE = lazy_pattern(
    r"(?:\b(?:not|never|no|without|instead of|rather than|except|omit|strip|cannot|excluding|avoid|wrong|invalid"
    r"|lacks?)\b|n't\b)[^.;]{0,30}$"
    r"|\b(?:for|when|if|run|see|call|from|returns?|configures?|the|its|of|by|via|using|while)\s$",
    re.IGNORECASE,
)
"""Words in front of what is not taken, or what a sentence only mentions: a command, another value, a result."""
_CHAIN = lazy_pattern(r"\s?(?:,|/|\band|\bor|,\s?and|,\s?or)\s?", re.IGNORECASE)
_NO_VALUE = lazy_pattern(r"[^A-Za-z0-9]*|[-YMDHSymdhsTZ/.:+ ]{4,40}|.*(?:\.\.|…|[<>{}\[\]*]).*", re.NOFLAG)
"""What stands for a value, and is none: signs, a date in letters, a template."""


def shown_values(text: str) -> Iterator[str]:
    """The values that a description shows as accepted."""
    text = text[:_MAX_TEXT]
    end, aside = 0, False
    for match in _SHOWN.finditer(text):
        start, examples = match.start(), match["examples"]
        # What is true of the first of several is true of all.
        if not (aside and _CHAIN.fullmatch(text, end, start)):
            aside = not examples and _ASIDE.search(text, max(0, start - 45), start) is not None
        end = match.end()
        for value in _OR.split(examples) if examples else (match[0][1:-1].rstrip(".:"),):
            if not aside and value.count(" ") <= _MOST_SPACES and not _NO_VALUE.fullmatch(value):
                yield value


def declared_values(schema: Mapping[str, Any]) -> Iterator[str]:
    """The strings that a schema itself shows: its default, examples and values, and those of its items and branches."""
    parts: list[Any] = [schema, schema.get("items")]
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        parts += branches if isinstance(branches, list) else []
    for part in parts:
        for key in ("default", "const", "example", "examples", "enum"):
            found = part.get(key) if isinstance(part, dict) else None
            yield from (
                value for value in (found if isinstance(found, list) else [found]) if isinstance(value, str) and value
            )
