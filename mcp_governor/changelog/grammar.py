"""The grammar of a schema changelog: the strict forms, and the forms that people write instead.

Strict::

    ## 1.2.0 (current) - 2026-11-21        the marker and the date may each be absent
    ## 1.1.1 - 2026-10-02 [YANKED]         a release that was taken back: no window counts it
    Fingerprint: `v1:sha256:<64 hex>`      the first line of the section
    **Added**                              or ### Added
    - `tool` takes an optional `field`.
"""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from mcp_governor.changelog.model import Kind
from mcp_governor.lazy import lazy_pattern
from mcp_governor.text import one_line

_SPACES = lazy_pattern(" {2,}")
UNRELEASED = lazy_pattern(r"\W*(?:unreleased|upcoming|next|head|in progress|wip)\b\W*", re.IGNORECASE)

_IN_FLIGHT = r"(?:current|unreleased|in progress|in development|wip)"
# It is searched for in lines of any length: each run of spaces and of marks is entered at its beginning only.
MARKER = lazy_pattern(
    rf"(?<!\s)\s*+(?:(?<![*_])[*_]*+[(\[]\s*+{_IN_FLIGHT}\s*+[)\]][*_]*|[—–-]\s*+{_IN_FLIGHT})(?!\w)",
    re.IGNORECASE,
)
_DATE = lazy_pattern(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?!\d)")
_STRICT_HEADING = lazy_pattern(
    r"(?P<version>\d[\w.+-]*)(?P<current> \(current\))?(?: - (?P<date>\d{4}-\d{2}-\d{2}))?"
    r"(?P<yanked> \[YANKED\])?"
)
# A mark or two, the name of the package (before "@", "-v" or a whole version), "Version": then the version.
_LOOSE_HEADING = lazy_pattern(
    r"[^\w\[]{0,8}(?:(?:version|release|v\.)\b|[@\w/.-]+(?:@|-(?=v\d))|[\w.-]+\s+(?=v?\d+\.\d+\.\d+\W*(?:$|[(\[\s])))?"
    r"[\s`*_]*\[?\s*v?(?P<version>\d{4}-\d\d-\d\d(?!\d)|(?:\d+!)?\d+(?:\.[0-9A-Za-z]+)+(?:[-+][0-9A-Za-z.+-]*[0-9A-Za-z])?"
    r"|\d+(?=\s*(?:$|[(\[—–-])))`?\]?(?:\([^)\s]*\))?(?P<rest>.*)",
    re.IGNORECASE,
)
_SINCE = lazy_pattern(
    r"\W*(?:since|from|before|after|until|to|in|for|with|upgrading|migrating|python|node)\b", re.IGNORECASE
)
_YANKED = lazy_pattern(r"\byanked\b", re.IGNORECASE)

UNRELEASED_HEADING = "## Unreleased"

MAX_HEADING = 400
"""Longest heading or label, in characters; longer ones are prose and are not matched against the patterns here."""

FINGERPRINT = lazy_pattern(r"Fingerprint: `(v\d+:sha256:[0-9a-f]{64})`")
DIGEST = lazy_pattern(r"(?<![\w:])(?:v\d+:)?sha256:[0-9a-fA-F]{8,64}\b")
BARE_DIGEST = lazy_pattern(r"`([0-9a-f]{16}(?:[0-9a-f]{16,48})?)`")

_WORDS = {
    Kind.ADDED: "add, added, additions, new, what's new, features",
    Kind.CHANGED: "changed, change, changes",
    Kind.DEPRECATED: "deprecated, deprecations",
    Kind.REMOVED: "removed, removals",
    Kind.FIXED: "fixed, fixes, bug fixes",
    Kind.BREAKING: "breaking, breaking change, breaking changes",
}
_SYNONYMS = {word: kind for kind, words in _WORDS.items() for word in words.split(", ")}
_LABEL_WORD = lazy_pattern(
    r"(?>(?::\w{1,40}:|[\W_])*)(" + "|".join(sorted(map(re.escape, _SYNONYMS), key=len, reverse=True)) + r")(?![\w-])",
    re.IGNORECASE,
)
_BOLD_START = lazy_pattern(r"(\*\*|__)(?P<inner>.+?)\1:?(?P<rest>.*)", re.DOTALL)
_PLAIN_LABEL = lazy_pattern(r"[*_]?(?P<kind>" + "|".join(Kind) + r")[*_]?:?[*_]?")
_STRICT_LABEL = lazy_pattern(r"\*\*(" + "|".join(Kind) + r")\*\*")
_KIND_WORDS = frozenset(Kind)


class Heading(NamedTuple):
    """A parsed release heading; ``strict`` if it has the form of the grammar."""

    version: str
    current: bool
    date: str | None
    strict: bool
    yanked: bool = False


class Label(NamedTuple):
    """A parsed subsection label: its kind, the text after the word, and true if there is nothing else."""

    kind: Kind | None
    tail: str
    strict: bool


def read_heading(text: str) -> Heading | None:
    """Parse the text of a heading as a release; ``None`` if it is not one."""
    if len(text) > MAX_HEADING:
        return None
    text = _SPACES.sub(" ", text)
    strict = _STRICT_HEADING.fullmatch(text)
    if strict is not None and is_date(strict["date"]) and "." in strict["version"]:
        return Heading(strict["version"], bool(strict["current"]), strict["date"], True, bool(strict["yanked"]))
    marker = MARKER.search(text)
    bare = MARKER.sub("", text) if marker else text
    if UNRELEASED.match(bare) or (marker is not None and not bare.strip()):
        current = marker is not None and "current" in marker[0].lower()
        return Heading("", current, None, strict=False)
    loose = _LOOSE_HEADING.match(bare.strip()) if not _SINCE.match(bare) else None
    if loose is None:
        return None
    dated = _DATE.search(loose["rest"])
    stated = dated[1] if dated and is_date(dated[1]) else None
    yanked = _YANKED.search(loose["rest"]) is not None
    return Heading(loose["version"], marker is not None, stated, strict=False, yanked=yanked)


def is_date(text: str | None) -> bool:
    """True if ``text`` is a day of the calendar; an absent one counts as right."""
    if text is None:
        return True
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def heading_line(version: str, *, current: bool = False, day: str | None = None, yanked: bool = False) -> str:
    """The heading of a release in its strict form."""
    marks = " (current)" if current else "", f" - {day}" if day else "", " [YANKED]" if yanked else ""
    return f"## {one_line(version)}{''.join(marks)}"


def fingerprint_line(fingerprint: str) -> str:
    """The fingerprint line in its strict form."""
    return f"Fingerprint: `{fingerprint}`"


def read_label(text: str) -> Label | None:
    """Parse the text of a heading below that of a release: one of the six words, or an unknown label."""
    if text in _KIND_WORDS:
        return Label(Kind(text), "", strict=True)
    return _loose_label(text) if len(text) <= MAX_HEADING else None


def read_bold_label(paragraph: str) -> Label | None:
    """Parse a paragraph as a label; ``None`` if it is prose.

    ``**Added**`` is the strict form; ``**Added (x)**``, ``**Changed — x**``, ``**Fixed**: text`` and a bare
    ``Added:`` are labels too, their remainder in ``tail``.
    """
    strict = _STRICT_LABEL.fullmatch(paragraph)
    if strict is not None:
        return Label(Kind(strict[1]), "", strict=True)
    plain = _PLAIN_LABEL.fullmatch(paragraph)
    if plain is not None:
        return Label(Kind(plain["kind"]), "", strict=False)
    bold = _BOLD_START.match(paragraph)
    if bold is None or len(bold["inner"]) > MAX_HEADING:
        return None
    label, rest = _loose_label(bold["inner"].strip(" :")), bold["rest"].strip(" \n:—–-")
    if label is None or (rest and (label.kind is None or label.tail.isalpha())):
        return None
    return label._replace(tail=f"{label.tail} {rest}".strip())


def _loose_label(text: str) -> Label | None:
    match = _LABEL_WORD.match(text)
    if match is None:
        return Label(None, text, strict=False) if text else None
    return Label(_SYNONYMS[match[1].lower()], text[match.end() :].strip(" :—–-"), strict=False)
