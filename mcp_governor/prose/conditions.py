"""Conditions in prose: "when `mode` is 'fast'", "unless file_id is given", "for create and delete operations".

What is read is the parameter that a condition is about, and what it says of it. A condition with anything else in it is
left as written: a schema that says only half of it would refuse calls that the text allows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.names_in_text import IDENTIFIER, NOT_USING, QUOTES
from mcp_governor.prose.need import State
from mcp_governor.prose.words import name_words

if TYPE_CHECKING:
    from collections.abc import Mapping

Said = tuple[State, tuple[str, ...]]

_MAX_QUOTED = 80
"""Maximum number of characters of a condition shown in a message."""
_MAX_VALUES = 20
"""Maximum number of values in one list: the largest enum that a condition is known to list half of has 14."""

_NOTHING: Said = ("", ())
_LINKS = frozenset({"and", "or", "the", "both"})
_OPERATIONS = frozenset({"action", "call", "command", "method", "mode", "operation", "request", "subcommand"})
_AROUND = _OPERATIONS | frozenset(
    {"either", "one", "of", "only", "set", "is", "to", "when", "using", "with", "type", "kind", "value"}
)
"""Words around values that add no condition: "for the create and delete operations", "when mode is set to create"."""
_NOUN = lazy_pattern(r"[`'\"]?\s(?:is|are)\s(?:an?|the|not an?)\s(?!empty)", re.IGNORECASE)
_PARAMETER = r"[`'\"]?(?:\s(?:parameter|argument|field|option))?"
_GIVEN = r"(?:provided|specified|set|given|used|present|supplied|passed)"
_ABSENT = lazy_pattern(
    rf"{_PARAMETER}\s(?:(?:is|are)\s(?:also\s)?)?(?:(?:is|are)n't\s|not\s){_GIVEN}\b"
    rf"|{_PARAMETER}\s(?:is|are)\s(?:omitted|missing|empty|absent|null|none|left out|left empty|unset|not)\b"
    rf"|{_PARAMETER}\s(?:omitted|missing|absent|not)\b",
    re.IGNORECASE,
)
_PRESENT = lazy_pattern(
    rf"{_PARAMETER}\s(?:(?:(?:is|are)\s)?(?:also\s)?{_GIVEN}\b(?!\sto\b)|has a value\b|(?:is|are)\snot empty\b)",
    re.IGNORECASE,
)
_IS = lazy_pattern(
    rf"{_PARAMETER}(?:\s?==?\s?|\s(?:is set to|set to|is one of|is|equals)\s)(?:either\s)?", re.IGNORECASE
)
_VALUE = lazy_pattern(r"([`'\"])(?P<quoted>[^`'\"]{1,60})\1|(?P<bare>[\w$][\w$.\-]{0,59})")
_JOIN = lazy_pattern(r"\s?,\s?(?:or\s)?|\sor\s|/|\s\|\s", re.IGNORECASE)
_CLEAN = lazy_pattern(r"[`'\"]?\s?(?:(?:only|too|as well)\s?)?(?:$|[.;:,()]|\*\*)", re.IGNORECASE)
"""What follows a condition that says no more."""
_ENDS = lazy_pattern(
    r"[.;](?:\s|$)|\s?[()]|\*\*|,?\s(?:and\s|but\s)?(?:optional|ignored|otherwise)\b|,\s(?:not|else|defaults?)\b"
)
_CLAUSE_ENDS = lazy_pattern(
    r"[.;]\s|,?\s(?:and\s|but\s)?(?:optional|ignored|otherwise)\b|,?\s(?:and|but)\s(?:is|are|not|will|cannot|must)\s"
)
_OTHERWISE = lazy_pattern(r"\b(?:all|any|every|except|other than|unless|not)\b", re.IGNORECASE)
_WORD = lazy_pattern(r"[\w$][\w$.\-]*")


def clause_of(condition: str) -> str:
    """A condition up to where the next clause begins: "create; optional for update when number is given".

    Args:
        condition: what follows "when", "if" or "for".
    """
    return _CLAUSE_ENDS.split(condition, maxsplit=1)[0]


def quoted_condition(word: str, condition: str) -> str:
    """A condition as a message quotes it.

    Args:
        word: in front of it: "when", "for".
        condition: one clause, with what follows it.
    """
    said = _ENDS.split(f"{word} {condition}", maxsplit=1)[0].strip(" —–:,-")
    return said if len(said) <= _MAX_QUOTED else f"{said[:_MAX_QUOTED]}…"


def state_of(condition: str, name: str, word: str) -> Said | None:
    """What a condition says about the one parameter that it names; ``None`` if it is about its meaning.

    Args:
        condition: one clause, with what follows it.
        name: of the parameter.
        word: in front of the condition.
    """
    start = condition.find(name)
    at = start + len(name)
    if _NOUN.match(condition, at):
        return None
    negative = word.lower() == "unless"
    present: Said = ("absent" if negative else "present", ())
    absent: Said = ("present" if negative else "absent", ())
    front = condition[:start].strip(" `'\"").lower()
    if front in ("no", "not", "without", *NOT_USING):
        return absent if _CLEAN.match(condition, at) or _ends(_PRESENT, condition, at) else _NOTHING
    if front not in ("", "the", "a", "an", "using", "you use", "you specify", "you provide"):
        return _NOTHING
    if _ends(_PRESENT, condition, at):
        return present
    if _ends(_ABSENT, condition, at):
        return absent
    if (word.lower() == "with" or front.startswith(("using", "you"))) and _CLEAN.match(condition, at):
        return present
    values = () if negative else _values_at(condition, at)
    return ("=", values) if values else _NOTHING


def _ends(form: re.Pattern[str], condition: str, at: int) -> bool:
    """True if a form matches at a position, and nothing more is said."""
    match = form.match(condition, at)
    return match is not None and _CLEAN.match(condition, match.end()) is not None


def _values_at(condition: str, at: int) -> tuple[str, ...]:
    """The values in "is 'a', 'b' or 'c'"; nothing if more is said than that."""
    start = _IS.match(condition, at)
    if start is None:
        return ()
    found: list[str] = []
    at = start.end()
    for _ in range(_MAX_VALUES):
        value = _VALUE.match(condition, at)
        if value is None:
            return ()
        bare = value["bare"].rstrip(".") if value["bare"] else ""
        found.append(bare or value["quoted"])
        at = value.start() + len(bare) if bare else value.end()
        join = _JOIN.match(condition, at)
        # "is 'a', which …": a comma ends the condition as well.
        if join is None or (join[0].strip() == "," and condition[join.end() : join.end() + 1] not in QUOTES):
            break
        at = join.end()
    return tuple(found) if _CLEAN.match(condition, at) else ()


def values_named(
    condition: str, subject: str, word: str, owners: Mapping[str, str]
) -> tuple[list[str], State, tuple[str, ...]]:
    """The parameters whose values a condition names ("required for 'delete' and 'move'"), and the values if they are
    all that it says.

    Args:
        condition: one clause, with what follows it.
        subject: the parameter that is required or has an effect under it.
        word: in front of the condition.
        owners: each value in lower case, with the parameter that has it.
    """
    head = _ENDS.split(condition, maxsplit=1)[0]
    words = {match[0].lower().rstrip("s") for match in IDENTIFIER.finditer(head)}
    tokens = [match[0].rstrip(".") for match in _WORD.finditer(head)]
    only = all(token.lower() in owners or token.lower().removesuffix("s") in _LINKS | _OPERATIONS for token in tokens)
    found: dict[str, str] = {}
    for match in _WORD.finditer(head):
        value = match[0].rstrip(".")
        owner = owners.get(value.casefold())
        if owner is None or owner == subject:
            continue
        named = owner.lower().rstrip("s") in words or name_words(owner)[-1] in words
        quoted = match.start() > 0 and head[match.start() - 1] in QUOTES
        # An unquoted common word counts as a value only if its parameter is named as well: "start mode".
        if quoted or not value.islower() or not value.isalpha() or only or named:
            found[value] = owner
    choosers = list(dict.fromkeys(found.values()))
    if len(choosers) != 1 or word.lower() == "unless" or _OTHERWISE.search(head):
        return choosers, "", ()
    around = _AROUND | _LINKS | {choosers[0].lower(), *name_words(choosers[0])}
    rest = [token for token in tokens if token not in found and token.lower() not in around]
    plain = all(token.lower().removesuffix("s") in around for token in rest)
    return choosers, *(("=", tuple(found)[:_MAX_VALUES]) if plain else _NOTHING)
