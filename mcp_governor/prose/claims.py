"""English is read once: a passage about a parameter → what it claims, each with the sentence that says so.

The forms are rows of data (``rules/forms.toml``), and what makes a claim void is as well (``rules/refuse.toml``). A
rule compares claims of one kind with a keyword of the schema; it never reads the description again. Whatever else reads
descriptions one day only has to be a :class:`Reader`: a claim can be checked, because its sentence is in the
description, its values are in the sentence, and its parameter is in the schema.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from mcp_governor.builtin_rules import FORMS, REFUSE
from mcp_governor.lazy import AnyCase, lazy_pattern
from mcp_governor.prose.guarded import Cues, spaced
from mcp_governor.prose.passages import passages_about
from mcp_governor.prose.value_lists import QUOTED, Listed, listed_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcp_governor.prose.passages import Passage
    from mcp_governor.subjects.context import Context, SchemaPlace

MAX_TEXT = 20_000
"""Maximum number of characters read from a passage; a longer one is a manual."""
_MAX_CLAIMS = 60
"""Maximum number of claims read from a passage."""
_MAX_SENTENCE = 240
"""Maximum number of characters of a quoted sentence on either side of what was read."""
_LONG = 160
"""Number of characters up to which a sentence is quoted as a whole: two lines of a terminal."""
_NEAR = 50
"""Number of characters of a longer one on either side of the claim."""
_BEFORE = 60
"""Number of characters in front of a claim that may make it void."""
_BEHIND = 100
"""Number of characters behind a claim within which a refusal ends: the longest has 60 characters and three words."""


class Claim(Struct, frozen=True):
    """One thing that a description says about a parameter.

    Attributes:
        kind: what it is about: ``values``, ``keys``, ``limit``, ``format``, ``type``, ``default``, ``required``,
            ``needs``, for a reference ``tool`` or ``argument``, and others of ``forms.toml``.
        form: id of the form in which it is written.
        said: named groups of the expression that took part in the match.
        sentence: that says it, as it is written.
        span: where in the text the claim stands.
        sure: the words leave nothing open; for ``needs``, one parameter has no effect next to the other, or without
            it.
        listed: the values, for the kinds ``values`` and ``keys``.
    """

    kind: str
    form: str
    said: dict[str, str]
    sentence: str
    span: tuple[int, int]
    sure: bool = False
    listed: Listed = Listed()


class Reader(Protocol):
    """Whatever reads claims from the description of one parameter."""

    def __call__(self, text: str, /) -> tuple[Claim, ...]:
        """The claims of a description, in the order of the forms."""


_NUMBER_WORDS = "zero|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|fifty"
_NUMBERS = frozenset(_NUMBER_WORDS.split("|"))
_PARTS = {
    # Not an amount of money, a version, or a part of a name.
    # The sign of the Euro stands apart: in a set with \w or \d, it takes half a millisecond to compile.
    "{N}": r"(?<![\w$£#])(?<!€)(?<!\w\.)(?:[-+]?\d{1,15}(?:,\d{3})*(?:\.\d{1,9})?(?!%?[\d$£]|€)"
    rf"|(?:{_NUMBER_WORDS})\b)",
    "{TO}": r"(?:\s?(?:ms|m?secs?|(?:milli)?seconds?|s|mins?|minutes?|hours?|days?|px|pixels?|[kmg]b|bytes|%))?"
    r"(?:\s?\([^()\n]{1,40}\))?\s?(?:-|–|—|(?:up\s)?to|\.\.\.?|through|and)\s?",
    "{IS}": r"(?:\s(?:is|of|value|allowed|limit|number|length|size|items|count|supported|accepted|integer)){0,4}"
    r"\s?[:=]?\s?",
    "{ITEM}": r"(?:an?\s|the\s)?[`'\"]?[a-z_]\w{1,40}[`'\"]?\s(?:{TYPE}|map|field|key|property)s?\b"
    r"(?!\s(?:field|column))",
    "{TYPE}": r"(?:str|string|text|int|integer|number|float|double|bool|boolean|list|array|dict|object|any|date"
    r"|datetime|enum|optional|required)",
    "{NOTE}": r"\s?(?:(?:an?|optional|required)(?:\s+|[,;]\s?))*(?P<item>(?:array|list)(?:\s+of\s+|\[|<))?"
    r"(?:optional\[)?(?P<type>{TYPES})(?(item)s?)(?P<item2>\[\])?[\]>]?(?:\s*(?:\||or)\s*(?:none|null))?"
    r"(?:[,;]\s?(?:optional|required|nullable|(?:default|max|min)\b[^,;()]{0,40}|\d[^,;()]{0,20}))*",
    "{TYPES}": r"(?:string|str|integer|int|number|float|double|boolean|bool|array|list|object|dictionary|dict)",
    "{QUOTED}": QUOTED,
    "{NUMBER}": r"-?\d{1,15}(?:,\d{3})*(?:\.\d{1,15})?",
    "{END}": r"(?!,? (?:or|but|except|unless)\b)"
    r"(?=(?:\s?{COUNTED}(?:\s(?:per (?:page|request|call)|to return|returned))?)?"
    r"\s?(?:$|[);\]\n]|[.,](?:\s|$)|\((?:max|min|range|optional)))",
    "{COUNTED}": r"(?:results?|items?|rows?|entries|records?|lines|pages?|messages|files|commits|matches|documents"
    r"|events|issues|hits|nodes|posts|images|users|words|tokens|elements)",
    "{LEFT_OUT}": r"(?:not\s(?:provided|specified|given|set)|omitted|unspecified)",
}
"""Parts of expressions, by the name that stands for them in ``forms.toml``."""


class Form:
    """One row of ``forms.toml`` or ``refuse.toml``, compiled when a description contains its cues: to compile all
    expressions takes longer than a short run."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row
        self.id: str = row["id"]
        self._cues, self._also = (Cues(*row[key]) if key in row else None for key in ("cues", "also"))
        self._head: int | None = row.get("head")
        self._least_numbers: int = row.get("numbers", 1 if "{N}" in row["expression"] else 0)
        self._ascii: bool = row.get("ascii", True)
        self._identifier: bool = row.get("identifier", False)
        self._made: dict[str, AnyCase | re.Pattern[str]] = {}

    def is_cued(self, lower: str) -> bool:
        """True if a description in small letters contains what every match contains."""
        if not self._ascii and lower.isascii():
            return False
        front = lower if self._head is None else lower[: self._head]
        return (
            (self._cues is None or self._cues.are_in(front, spaced(front)))
            and (self._also is None or self._also.are_in(lower, spaced(lower)))
            and (not self._least_numbers or _numbers(lower) >= self._least_numbers)
        )

    def may_match(self, text: str, lower: str) -> bool:
        """:meth:`is_cued`, and the description has an identifier if every match has one."""
        return self.is_cued(lower) and (not self._identifier or _has_identifier(text))

    def pattern(self, key: str = "expression") -> AnyCase | re.Pattern[str]:
        made = self._made.get(key)
        if made is None:
            source = self.row[key]
            for name, part in _PARTS.items():
                source = source.replace(name, part)
            made = self._made[key] = re.compile(source, re.IGNORECASE) if "(?-i:" in source else AnyCase(source)
        return made


# The descriptions of a large tool and its parameters, each of which some twenty forms ask about.
@lru_cache(maxsize=512)
def _numbers(lower: str) -> int:
    """How many numbers a description contains at most, in digits or words."""
    return sum(word[0].isdigit() or word in _NUMBERS for word in spaced(lower).split())


_IDENTIFIER = lazy_pattern(r"[A-Za-z0-9](?:[_-][A-Za-z0-9]|(?<=[a-z0-9])[A-Z])")


# As many as below, for the same reason.
@lru_cache(maxsize=512)
def _has_identifier(text: str) -> bool:
    """True if two words of a description are joined as in a name: ``order_id``, ``order-id``, ``orderId``."""
    return _IDENTIFIER.search(text) is not None


@cache
def _forms(kind: str) -> tuple[Form, ...]:
    return tuple(Form(row) for row in FORMS["form"] if row["kind"] == kind)


@cache
def _refusals(kind: str, at: str) -> tuple[Form, ...]:
    return tuple(Form(row) for row in REFUSE["refuse"] if row["at"] == at and kind in row.get("kinds", (kind,)))


def read_values(text: str) -> tuple[Claim, ...]:
    """The lists of values in a description."""
    return tuple(read_forms(text, "values", _values))


def read_needs(text: str) -> tuple[Claim, ...]:
    """The sentences of a description that tie parameters to each other, whatever their names are."""
    return tuple(read_forms(text, "needs", _said))


def read_references(text: str) -> tuple[Claim, ...]:
    """The names of tools and parameters in a description, each with its kind."""
    return tuple(one for kind in ("tool", "argument") for one in read_forms(text, kind, _said))


def read_types(text: str) -> tuple[Claim, ...]:
    """What a description says of a parameter's type: that it is one, that null is, or that a string holds another."""
    return tuple(one for kind in ("type", "null", "packed") for one in read_forms(text, kind, _said))


def read_defaults(text: str) -> tuple[Claim, ...]:
    """The defaults in a description: a ``value``, a ``quoted`` one, or a ``word`` that may be one."""
    return tuple(read_forms(text, "default", _said))


def read_necessity(text: str) -> tuple[Claim, ...]:
    """That a parameter ``is`` required or optional, and the ``words`` by which it may be left out (``spare``)."""
    return tuple(one for kind in ("required", "spare") for one in read_forms(text, kind, _said))


def read_left_out(text: str) -> tuple[Claim, ...]:
    """The parameters that the description of a tool lets its caller leave out."""
    return tuple(read_forms(text, "left-out", _said))


def read_forms(text: str, kind: str, make: Callable[[Form, re.Match[str], str], Claim | None]) -> Iterator[Claim]:
    """The claims of one kind in a description.

    Args:
        text: the description.
        kind: of the claims.
        make: the claim at a match of a form, if it is one.
    """
    text = text[:MAX_TEXT]
    lower = text.lower().replace("\n", " ")
    number, allowed = 0, False
    for form in _forms(kind):
        if not form.may_match(text, lower):
            continue
        for match in form.pattern().finditer(text):
            claim = make(form, match, text)
            if claim is not None:
                # Only now, since most descriptions claim nothing of most kinds.
                allowed = allowed or not any(
                    no.is_cued(lower) and _in_force(no, text) for no in _refusals(kind, "text")
                )
                if not allowed:
                    return
                yield claim
            number += 1
            if number >= _MAX_CLAIMS:
                return


def _in_force(row: Form, text: str) -> bool:
    """True if a description contains a refusal, and nothing that lifts it."""
    return row.pattern().search(text) is not None and not (
        "unless" in row.row and row.pattern("unless").search(text) is not None
    )


def _values(form: Form, match: re.Match[str], text: str) -> Claim | None:
    row = form.row
    at = match.end()
    listed = listed_at(text, at)
    if len(listed.values) < row.get("least", 2) or not listed.clean or listed.open:
        return None
    if (row.get("quoted") and not listed.quoted) or ("joined" in row and listed.joined.isdisjoint(row["joined"])):
        return None
    if "after" in row and form.pattern("after").match(text, listed.end) is None:
        return None
    front = sentence_start(text, match.start())
    before = text[max(front, at - _BEFORE) : at].lower()
    if any(no.is_cued(before) and _in_force(no, before) for no in _refusals("values", "before")):
        return None
    if _is_void_behind("values", text, listed.end):
        return None
    refused = [no for no in _refusals("values", "values") if not (listed.quoted and no.row.get("plain"))]
    if any(no.is_cued(value.lower()) and no.pattern().fullmatch(value) for no in refused for value in listed.values):
        return None
    return Claim(
        "values",
        form.id,
        said_in(match, text),
        sentence_at(text, match.start(), listed.end),
        (at, listed.end),
        bool(row.get("sure")),
        listed=listed,
    )


def _said(form: Form, match: re.Match[str], text: str) -> Claim | None:
    """The claim that says what the groups of an expression do, and what its row says."""
    if is_void(form.row["kind"], text, match.start(), match.end()):
        return None
    said = {name.rstrip("0123456789"): value for name, value in said_in(match, text).items()}
    return claim_at(form, match, text, said | form.row.get("says", {}))


def said_in(match: re.Match[str], text: str) -> dict[str, str]:
    """What the named groups of a match hold, as it is written in the text."""
    spans = {name: match.span(name) for name in match.re.groupindex}
    return {name: text[start:end] for name, (start, end) in spans.items() if start < end}


def is_void(kind: str, text: str, start: int, end: int) -> bool:
    """True if a refusal is in front of a part of a description, within its sentence, or behind it."""
    before = text[max(sentence_start(text, start), start - _BEFORE) : start]
    if any(no.is_cued(before.lower()) and _in_force(no, before) for no in _refusals(kind, "before")):
        return True
    return _is_void_behind(kind, text, end)


def _is_void_behind(kind: str, text: str, end: int) -> bool:
    """True if a refusal follows; where the text ends, nothing can."""
    if text[end : end + 3] in _LAST:
        return False
    behind = text[end : end + _BEHIND].lower().replace("\n", " ")
    return any(no.is_cued(behind) and no.pattern().match(text, end) for no in _refusals(kind, "behind"))


_LAST = frozenset(("", ".", ")", ").", "'", "'.", "`", "`."))


def claim_at(form: Form, match: re.Match[str], text: str, said: dict[str, str]) -> Claim:
    """The claim that a form makes at a match: what it says, and the sentence that says it."""
    start, end = match.span()
    # A form may begin with the end of the sentence before.
    start = end - len(match[0].lstrip(".;:!( \n"))
    sentence = sentence_at(text, start, end)
    if len(sentence) > _LONG:
        # What is next to the claim, so that a message that is cut shows the claim.
        front, behind = max(0, start - _NEAR), min(len(text), end + _NEAR)
        front = text.find(" ", front, start) + 1 if front else 0
        behind = text.rfind(" ", end, behind) if behind < len(text) else behind
        near = text[front : behind if behind > 0 else end]
        sentence = sentence_at(near, start - front, end - front)
    return Claim(form.row["kind"], form.id, said, sentence, match.span(), bool(form.row.get("sure")))


_STOPS = lazy_pattern(r"(?<!e\.g)(?<!i\.e)[.!?](?=\s)|\n", re.NOFLAG)


def sentence_start(text: str, at: int) -> int:
    """Where the sentence begins that a position is in."""
    front = max(0, at - _MAX_SENTENCE)
    start = text.rfind("\n", front, at) + 1
    ends = [stop.end() for stop in _STOPS.finditer(text, max(front, start), at)]
    return ends[-1] if ends else max(front, start)


def sentence_at(text: str, start: int, end: int) -> str:
    """The sentence around a part of a description, with single spaces."""
    stop = _STOPS.search(text, end, end + _MAX_SENTENCE)
    cut = stop.end() if stop is not None else end + _MAX_SENTENCE
    return " ".join(text[sentence_start(text, start) : cut].split()).lstrip(":= ")


def claims_about(
    node: SchemaPlace, context: Context, reader: Reader, *, mentions: bool = False
) -> Iterator[tuple[Passage, Claim]]:
    """What everything that is said about a parameter claims of one kind, each with its passage.

    Args:
        node: the parameter.
        context: of the check.
        reader: reads one kind of claims; what it reads is kept while the surface is linted.
        mentions: also sentences of the tool's description that only name the parameter.
    """
    for passage in passages_about(node, context, mentions=mentions):
        for claim in context.facts.read(reader, passage.text):
            yield passage, claim
