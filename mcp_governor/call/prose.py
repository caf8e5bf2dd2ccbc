"""Find example values in descriptions: what a person who reads them would type.

Descriptions are not trusted. Only the beginning of each is read, a few short values are taken from it, and
:mod:`mcp_governor.call.guard` decides which of them may be sent.
"""

from __future__ import annotations

import ast
import functools
import json
import math
import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from mcp_governor.call.words import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_TEXT_LENGTH = 2_000
"""Characters of a parameter's description that are read: examples come early, and the rest costs time."""

_CACHE_SIZE = 1_024
"""Cache size, in descriptions. Each is looked up several times, and a server with 100 tools has a few hundred."""
_MAX_MARKERS = 10
"""Most markers such as "e.g." that are followed in one text: each is a loop over a few hundred characters."""

_MAX_DESCRIPTION_LENGTH = 20_000
"""Characters of a tool's description that are read: generous, real ones have a few thousand. Parameters that are
described later count as undescribed."""
_MAX_LINES = 400
"""Most lines of a description, and most parameters that it describes: more than any real tool has. The rest is
ignored."""
_MAX_VALUE_LENGTH = 200
"""Longest example, in characters; a longer quotation is a sentence and is ignored."""
_SEGMENT = 300
"""Characters that are read after a marker such as "for example": two or three lines, in which the sentence ends."""
MAX_VALUES = 5
"""Most values that are taken from one text: a call is retried a few times only, so more would not be used."""

_MARKER = re.compile(
    r"\be\. ?g\.|\beg[.:,]|\bfor (?:example|instance)\b|\bexamples?(?: values?| format)?\s{0,3}[:=]"
    r"|\bsuch as\b|\blike (?=[`'\"])",
    re.IGNORECASE,
)
_CHOICES = re.compile(
    r"\b(?:one of|options?(?: are)?|(?:allowed|possible|valid|supported|accepted|available)(?: \w+){0,2}|either"
    r"|must be|can be|should be|following values(?: are supported)?|defaults? to|use)\b\s{0,3}:?",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"(?<!\w)'([^'\n]{1,200})'(?!\w)|\"([^\"\n]{1,200})\"|`{1,2}([^`\n]{1,200})`{1,2}"
    r"|\u201c([^\u201d\n]{1,200})\u201d|\u2018([^\u2019\n]{1,200})\u2019"
)
_BARE = re.compile(r"\s{0,3}:?\s{0,3}([^\s,;()'\"`<>]{1,100})")
_END = re.compile(r"\n\s*\n|[.;] (?=[A-Z])|\n\s*[-*\w]+\s?[:(]")
_ARGUMENT_LINE = re.compile(
    r"^\s*(?:[-*]\s{1,3})?[`\"*]{0,3}([A-Za-z_][\w-]{0,60})[`\"*]{0,3}\s{0,3}(?:\([^)\n]{0,80}\))?\s{0,3}(?::|--|\u2013|\u2014)\s+(\S.*)$"
)
_INLINE = re.compile(r"\b([A-Za-z_]\w{0,60}) \(([^)\n]{3,200})\)")
_OPEN_KEY = re.compile(r"([{,]\s{0,5})([A-Za-z_$][\w$]{0,40})\s{0,3}:")
_PLACEHOLDER = re.compile(r"[<>]|\byour\b|\bpath/to\b|\bxxx|\.\.\.|\u2026", re.IGNORECASE)
_TYPE_WORDS = word_set("string integer number boolean object array null none true false int str float bool")


def parameter_descriptions(description: str) -> Mapping[str, str]:
    """Parameter descriptions inside the description of a tool, by name.

    Reads ``name: text`` and ``name (type): text`` lines, as in the ``Args:`` section of a docstring, and names with
    quoted values in parentheses: ``position ('before' or 'after')``.
    """
    text = description[:_MAX_DESCRIPTION_LENGTH]
    out: dict[str, str] = {}
    for line in text.splitlines()[:_MAX_LINES]:
        found = _ARGUMENT_LINE.match(line[:MAX_TEXT_LENGTH])
        if found is not None:
            out.setdefault(found[1], found[2])
    for found in _INLINE.finditer(text):
        if _QUOTED.search(found[2]) is not None:
            out.setdefault(found[1], found[2])
        if len(out) > _MAX_LINES:
            break
    return out


def marked_examples(text: str) -> list[Any]:
    """Values marked as examples: ``(e.g., 'Europe/Berlin')``, ``Example: octocat/hello``; at most five.

    Returns:
        Strings as written; parsed lists and objects.
    """
    return list(_marked_examples(text[:MAX_TEXT_LENGTH]))


@functools.lru_cache(maxsize=_CACHE_SIZE)
def _marked_examples(text: str) -> tuple[Any, ...]:
    out: list[Any] = []
    for marker in islice(_MARKER.finditer(text), _MAX_MARKERS):
        for value in _segment_values(_segment(text, marker.end())):
            if value not in out:
                out.append(value)
        if len(out) >= MAX_VALUES:
            break
    return tuple(out[:MAX_VALUES])


def quoted_values(text: str) -> list[str]:
    """Quoted values after phrases such as "one of" and "must be", then other quoted values; at most five."""
    return list(_quoted_values(text[:MAX_TEXT_LENGTH]))


@functools.lru_cache(maxsize=_CACHE_SIZE)
def _quoted_values(text: str) -> tuple[str, ...]:
    first: list[str] = []
    for marker in islice(_CHOICES.finditer(text), _MAX_MARKERS):
        first += _quoted(_segment(text, marker.end()))
        if len(first) >= MAX_VALUES:
            break
    found = dict.fromkeys([*first, *_quoted(text)])
    return tuple(value for value in found if value.lower() not in _TYPE_WORDS)[:MAX_VALUES]


def listed_values(text: str) -> list[str]:
    """The values of a list in prose, quoted or bare: ``one of: red, green``; at most five."""
    quoted = _quoted(text)
    if quoted:
        return quoted[:MAX_VALUES]
    bare = [piece.strip(" .[](){}:\"'") for piece in re.split(r",| or |\||\n", text[:_SEGMENT])]
    return [piece for piece in bare if piece and len(piece) <= 60 and " " not in piece][:MAX_VALUES]


def spellings(text: str) -> Iterator[Any]:
    """Other values that a piece of text may represent: a number, a list, an object.

    Args:
        text: JSON, or a Python or JavaScript literal, which descriptions often contain instead.
    """
    text = text.strip()
    if not text or len(text) > _SEGMENT:
        return
    for parse in (json.loads, ast.literal_eval):
        for form in (text, _OPEN_KEY.sub(r'\1"\2":', text)):
            try:
                value = parse(form)
            except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
                continue
            if _is_json(value):
                yield value
                return


def _is_json(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_json, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) for key in value) and all(map(_is_json, value.values()))
    return value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def _segment(text: str, start: int) -> str:
    """The text after a marker, up to the end of the sentence or line, or to the closing bracket."""
    piece = text[start : start + _SEGMENT]
    depth = 0
    for index, char in enumerate(piece):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth < 0:
                return piece[:index]
    end = _END.search(piece)
    return piece[: end.start()] if end is not None else piece


def _segment_values(segment: str) -> list[Any]:
    body = segment.lstrip(" ,:`\n")
    if body[:1] in ("[", "{"):
        value = next(spellings(_balanced(body)), None)
        if value is not None:
            return [value]
    quoted = _quoted(segment)
    if quoted:
        return quoted
    bare = _BARE.match(segment.lstrip(" ,:"))
    value = bare[1].rstrip(".:") if bare is not None else ""
    return [value] if value and _PLACEHOLDER.search(value) is None else []


def _balanced(text: str) -> str:
    depth = 0
    for index, char in enumerate(text):
        depth += (char in "[{") - (char in "]}")
        if depth == 0:
            return text[: index + 1]
    return text


def _quoted(text: str) -> list[str]:
    matches = islice(_QUOTED.finditer(text), _MAX_MARKERS * MAX_VALUES)
    values = (next(filter(None, found.groups())).strip() for found in matches)
    good = (value for value in values if value and len(value) <= _MAX_VALUE_LENGTH and not _PLACEHOLDER.search(value))
    return list(dict.fromkeys(good))[:MAX_VALUES]
