"""Find values in what a server writes: examples in descriptions, and in refusals what is wrong and what is accepted.

The text is not trusted. Only the beginning of each is read, a few short values are taken from it, and
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

from msgspec import Struct

from mcp_governor.call.sandbox import endings_in
from mcp_governor.call.well_known_values import typical
from mcp_governor.prose.words import word_set

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence
    from datetime import date

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
"""Most lines of a description: more than any real tool has. The rest is ignored."""
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
_OPEN_KEY = re.compile(r"([{,]\s{0,5})([A-Za-z_$][\w$]{0,40})\s{0,3}:")
_PLACEHOLDER = re.compile(r"[<>]|\byour\b|\bpath/to\b|\bxxx|\.\.\.|\u2026", re.IGNORECASE)
_TYPE_WORDS = word_set("string integer number boolean object array null none true false int str float bool")


def parameter_descriptions(description: str) -> Mapping[str, str]:
    """Parameter descriptions inside the description of a tool, by name.

    Reads ``name: text`` and ``name (type): text`` lines, as in the ``Args:`` section of a docstring.
    """
    out: dict[str, str] = {}
    for line in description[:_MAX_DESCRIPTION_LENGTH].splitlines()[:_MAX_LINES]:
        found = _ARGUMENT_LINE.match(line[:MAX_TEXT_LENGTH])
        if found is not None:
            out.setdefault(found[1], found[2])
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


_READ = 4_000
"""Characters of a refusal that are read: a page. Validators give the reason first; stack traces and dumps of the input
come later."""
_TAIL = 300
"""Characters after "must be one of" that are searched for values: a few lines, and lists in prose are not longer."""
_MAX_SEARCHED = 100
"""Most parameters that a refusal is searched for, one search each; ``Attempts`` does not vary more."""

_HOPELESS = re.compile(
    r"api[ _-]?keys?\b|access token|unauthori[sz]ed|forbidden|\b40[13]\b|credentials?\b|not logged in|log ?in first"
    r"|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|getaddrinfo|name resolution|name or service not known"
    r"|nodename nor servname|network is unreachable|connection (?:refused|error|issue|failed|reset|attempts failed)"
    r"|could not connect|failed to connect|fetch failed|proxy ?error|certificate verify|rate limit"
    r"|max retries exceeded|\binternal_error\b|unexpected internal error|currently unavailable|could not load",
    re.IGNORECASE,
)
_ACCEPTED = re.compile(
    r"\b(?:(?:must|should|can) be (?:one of|either|any of)?|input should be|expected(?: one of)?|one of"
    r"|(?:valid|allowed|available|supported|possible|known|existing) [\w ]{0,30}?(?:are|is|include)?(?=[:\s])"
    r"|options?(?: are)?"
    r"|did you mean|choose from|use)\b\s{0,3}[:=]?\s{0,3}",
    re.IGNORECASE,
)
_RECEIVED = re.compile(r",? (?:received|but got|got|instead of|not) .{0,100}", re.IGNORECASE)
_ENDINGS = re.compile(r"\b(?:must|should|expected|only|supported|valid|not an?|requires?)\b", re.IGNORECASE)
_TAKEN = re.compile(r"already (?:exists?|in use|taken|there|been)|\bduplicate\b|must be unique", re.IGNORECASE)
_PLAIN = re.compile(r"[\w#$@/.+-](?:[\w #$@/.:+!-]*[\w#$@/+)-])?")
_NOTATION = re.compile(r"[YMDHST/:.Z-]+", re.IGNORECASE)
_PLACES = re.compile(r"\babsolute path|not a (?:valid )?(?:directory|folder|file)\b|is a directory\b", re.IGNORECASE)


class Lesson(Struct, frozen=True):
    """Information from one refusal.

    Attributes:
        hopeless: true if other arguments would not help, because a key is missing or a service cannot be reached.
        arguments: names of declared parameters that it mentions, in the order of the text.
        values: values that it asks for, or that have the notation it asks for, best first.
        endings: file name extensions that it asks for.
        taken: true if something with the name that was sent already exists.
        assigned: values that its recovery suggests for parameters by name.
    """

    hopeless: bool = False
    arguments: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()
    endings: tuple[str, ...] = ()
    taken: bool = False
    assigned: tuple[tuple[str, Any], ...] = ()


def read_lesson(
    text: str,
    declared: Sequence[str],
    sent: Mapping[str, Any],
    today: date,
    *,
    suggested: Mapping[str, Any] | None = None,
    known: Container[str] = (),
) -> Lesson:
    """Read the text of a failure.

    Args:
        text: the text.
        declared: names of the tool's parameters.
        sent: the arguments of the call.
        today: the day for values that are dates.
        suggested: arguments that a structured error suggests for the same tool.
        known: names of tools, which are not values.
    """
    text = text[:_READ]
    offered = suggested or {}
    assigned = tuple(
        (name, offered[name])
        for name in declared[:_MAX_SEARCHED]
        if name in offered and offered[name] != sent.get(name)
    )
    names = frozenset(declared[:_MAX_SEARCHED])
    found = (value for value in _values(text, sent, today) if value not in known and value not in names)
    values = tuple(dict.fromkeys(found))
    if not assigned and _HOPELESS.search(text) and not _named(text, declared, {}):
        return Lesson(hopeless=True)
    endings = tuple(endings_in(text)) if _ENDINGS.search(text) else ()
    taken = _TAKEN.search(text) is not None
    return Lesson(False, tuple(_named(text, declared, sent)), values, endings, taken, assigned)


def _values(text: str, sent: Mapping[str, Any], today: date) -> Iterator[str]:
    refused = [value for value in sent.values() if isinstance(value, str)]
    for found in _ACCEPTED.finditer(text):
        tail = _RECEIVED.sub("", text[found.end() : found.end() + _TAIL].split("\n\n")[0])
        yield from (value for value in listed_values(tail) if value not in refused and _is_value(value))
    others = [*marked_examples(text), *(() if _PLACES.search(text) else typical("", text, today))]
    yield from (value for value in others if isinstance(value, str) and value not in refused)
    if re.search(r"\btime ?zone\b", text, re.IGNORECASE):
        yield "UTC"


def _is_value(text: str) -> bool:
    """True if an item of a list in prose is a value, not code, a notation or part of the sentence."""
    is_notation = _NOTATION.fullmatch(text) is not None and ("YY" in text.upper() or "MM" in text.upper())
    return _PLAIN.fullmatch(text) is not None and not is_notation


def _named(text: str, declared: Sequence[str], sent: Mapping[str, Any]) -> list[str]:
    """Parameters that a refusal mentions by name, or if there are none, by the value that was sent."""
    places = []
    for name in declared[:_MAX_SEARCHED]:
        found = re.search(rf"(?<![\w-]){re.escape(name[:200])}(?![\w-])", text)
        if found is not None:
            places.append((found.start(), name))
    if places:
        return [name for _, name in sorted(places)]
    return [name for name, value in sent.items() if isinstance(value, str) and len(value) > 2 and value[:200] in text]
