"""Learn from a refusal how to correct the call: which argument is wrong, and which values are accepted.

The text comes from the server, so a bounded part is read, and values in it pass the same guard as other examples.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.call.places import endings_in
from mcp_governor.call.prose import listed_values, marked_examples
from mcp_governor.call.well_known_values import typical

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence
    from datetime import date

_READ = 4_000
"""Characters of a refusal that are read: a page. Validators give the reason first; stack traces and dumps of the input
come later."""
_TAIL = 300
"""Characters after "must be one of" that are searched for values: a few lines, and lists in prose are not longer."""
_MAX_NAMES = 100
"""Most parameters that a refusal is searched for, one search each; ``Attempts`` does not vary more."""

_HOPELESS = re.compile(
    r"api[ _-]?keys?\b|access token|unauthori[sz]ed|forbidden|\b40[13]\b|credentials?\b|not logged in|log ?in first"
    r"|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|getaddrinfo|name resolution|name or service not known"
    r"|nodename nor servname|network is unreachable|connection (?:refused|error|issue|failed|reset|attempts failed)"
    r"|could not connect|failed to connect|fetch failed|proxy ?error|certificate verify|rate limit"
    r"|max retries exceeded|\binternal_error\b|unexpected internal error|currently unavailable|could not load",
    re.IGNORECASE,
)
_CHOICES = re.compile(
    r"\b(?:(?:must|should|can) be (?:one of|either|any of)?|input should be|expected(?: one of)?|one of"
    r"|(?:valid|allowed|available|supported|possible|known|existing) [\w ]{0,30}?(?:are|is|include)?(?=[:\s])"
    r"|options?(?: are)?"
    r"|did you mean|choose from|use)\b\s{0,3}[:=]?\s{0,3}",
    re.IGNORECASE,
)
_RECEIVED = re.compile(r",? (?:received|but got|got|instead of|not) .{0,100}", re.IGNORECASE)
_ENDINGS = re.compile(r"\b(?:must|should|expected|only|supported|valid|not an?|requires?)\b", re.IGNORECASE)
_ASSIGNMENT = re.compile(r"\b([A-Za-z_]\w{0,60})=['\"]([^'\"\n]{1,200})['\"]")
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
        assigned: values that it assigns to parameters by name.
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
    assigned = _assigned(text, declared, sent, suggested or {})
    names = frozenset(declared[:_MAX_NAMES])
    found = (value for value in _values(text, sent, today) if value not in known and value not in names)
    values = tuple(dict.fromkeys(found))
    if not assigned and _HOPELESS.search(text) and not _named_only(text, declared):
        return Lesson(hopeless=True)
    endings = tuple(endings_in(text)) if _ENDINGS.search(text) else ()
    taken = _TAKEN.search(text) is not None
    return Lesson(False, tuple(_named(text, declared, sent)), values, endings, taken, assigned)


def _assigned(
    text: str, declared: Sequence[str], sent: Mapping[str, Any], suggested: Mapping[str, Any]
) -> tuple[tuple[str, Any], ...]:
    """Suggested values by parameter name, from ``recovery.suggested_args`` or ``name='value'`` in the text."""
    out = {name: suggested[name] for name in declared[:_MAX_NAMES] if name in suggested}
    for name, value in _ASSIGNMENT.findall(text)[:_MAX_NAMES]:
        if name in declared[:_MAX_NAMES]:
            out.setdefault(name, value)
    return tuple((name, value) for name, value in out.items() if value != sent.get(name))


def _named_only(text: str, declared: Sequence[str]) -> bool:
    """True if a refusal mentions a parameter by name."""
    return bool(_named(text, declared, {}))


def _values(text: str, sent: Mapping[str, Any], today: date) -> Iterator[str]:
    refused = [value for value in sent.values() if isinstance(value, str)]
    for found in _CHOICES.finditer(text):
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
    for name in declared[:_MAX_NAMES]:
        found = re.search(rf"(?<![\w-]){re.escape(name[:200])}(?![\w-])", text)
        if found is not None:
            places.append((found.start(), name))
    if places:
        return [name for _, name in sorted(places)]
    return [name for name, value in sent.items() if isinstance(value, str) and len(value) > 2 and value[:200] in text]
