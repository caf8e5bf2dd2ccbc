"""A schema changelog as values: releases, their subsections, the entries, and what is odd about them."""

from __future__ import annotations

import bisect
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcp_governor.lazy import lazy_pattern
from mcp_governor.versions import Numbered

if TYPE_CHECKING:
    from collections.abc import Mapping


class Kind(StrEnum):
    """The subsections of a release, in the order they stand (surface governance, "Changelog discipline")."""

    ADDED = "Added"
    CHANGED = "Changed"
    DEPRECATED = "Deprecated"
    REMOVED = "Removed"
    FIXED = "Fixed"
    BREAKING = "Breaking"

    @property
    def position(self) -> int:
        """0 for Added up to 5 for Breaking."""
        return list(Kind).index(self)


class Problem(Struct, frozen=True):
    """What the reader met that the grammar does not know.

    Attributes:
        rule: the name of a rule of pack ``changelog``, without the pack.
        line: from 1.
        values: what the rule's message and fix name.
    """

    rule: str
    line: int
    values: Mapping[str, str] = field(default_factory=dict)


class Entry(Struct, frozen=True, dict=True):
    """One thing that a release mentions.

    Attributes:
        text: the Markdown of the entry without its bullet.
        line, end: first and last line, from 1.
        spans: the strings in backticks, in order.
        bullet: ``False`` for prose in the place of a list.
    """

    text: str
    line: int
    end: int
    spans: tuple[str, ...] = ()
    bullet: bool = True

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that the strings in backticks may mean."""
        return frozenset().union(*map(names_in, self.spans))

    @cached_property
    def leading(self) -> tuple[str, ...]:
        """The first text in backticks and those enumerated with it (``a``, ``b`` and ``c``): what it is about."""
        found: list[str] = []
        end = 0
        for span in self.spans:
            start = self.text.find(f"`{span}`", end)
            before = self.text[end : start if start >= 0 else None]
            if found and not _ENUMERATED.fullmatch(before.strip("`")):
                break
            found.append(span)
            end = start + len(span) + 2 if start >= 0 else len(self.text)
        return tuple(found)


def names_in(span: str) -> frozenset[str]:
    """Every name that a string in backticks may mean.

    ``search.filter.limit`` names itself and each run of its parts; ``search(limit=5)`` names ``search`` and
    ``limit``. The whole text is a name too, whatever its characters.
    """
    names = {span}
    for token in _IDENTIFIER.findall(span):
        names.add(token)
        parts = _SEPARATOR.split(token)[:_MAX_PARTS]
        for start in range(len(parts)):
            names.update(".".join(parts[start:end]) for end in range(start + 1, len(parts) + 1))
    return frozenset(names)


_IDENTIFIER = lazy_pattern(r"[^\W\d][\w-]*(?:[./][\w-]+)*")
_SEPARATOR = lazy_pattern(r"[./]")
LINE_END = lazy_pattern(r"\r\n|\n|\r")
_MAX_PARTS = 8
"""Parts of a dotted name: real ones have four or five. Each run of parts is a name, so the work grows with the square;
of a longer name the first parts count."""
_ENUMERATED = lazy_pattern(r"[\s,;/&]*+(?:and|or)?\s*+|:\s*+")


class Subsection(Struct, frozen=True):
    """The entries under one label.

    Attributes:
        kind: which of the six; ``None`` for entries under no label or an unknown one.
        label: the label as written, without markup; empty if there is none.
        line, end: first and last line, from 1.
        entries: in order.
    """

    kind: Kind | None
    label: str
    line: int
    end: int
    entries: tuple[Entry, ...] = ()


class Fingerprint(Struct, frozen=True):
    """A digest of the surface that a section states.

    Attributes:
        value: ``v1:sha256:<hex>`` as written, or what is in its place (``sha256:<16 hex>``).
        line: from 1.
        strict: true if the whole line is the one that the grammar asks for.
    """

    value: str
    line: int
    strict: bool


class Section(Struct, frozen=True, dict=True):
    """One release.

    Attributes:
        version_text: the version as written; empty for an unreleased section.
        current: true if the heading carries ``(current)``.
        date: the date as written (``YYYY-MM-DD``), or ``None``.
        yanked: true if the release was taken back.
        line, end: line of the heading and last line of the section, from 1.
        subsections, fingerprints: in order.
    """

    version_text: str
    current: bool
    date: str | None
    line: int
    end: int
    subsections: tuple[Subsection, ...] = ()
    fingerprints: tuple[Fingerprint, ...] = ()
    yanked: bool = False

    @property
    def unreleased(self) -> bool:
        """True if the heading names no version (``## Unreleased``)."""
        return not self.version_text

    @cached_property
    def numbered(self) -> Numbered | None:
        """The version in a form that can be ordered; ``None`` if it does not consist of numbers."""
        return Numbered.parse(self.version_text)

    @property
    def title(self) -> str:
        """How messages name the section."""
        return self.version_text or "Unreleased"

    @cached_property
    def entries(self) -> tuple[tuple[Kind | None, Entry], ...]:
        """Every entry with the kind of its subsection."""
        return tuple((part.kind, entry) for part in self.subsections for entry in part.entries)

    def of_kind(self, *kinds: Kind) -> tuple[Entry, ...]:
        """The entries under any of ``kinds``, in order."""
        return tuple(entry for kind, entry in self.entries if kind in kinds)


class Changelog(Struct, frozen=True, dict=True):
    """A whole changelog.

    Attributes:
        text: as read, byte order mark and line ends included.
        what: how messages name the file.
        sections: in the order of the file.
        problems: what is odd, in the order of the file.
    """

    text: str
    what: str
    sections: tuple[Section, ...] = ()
    problems: tuple[Problem, ...] = ()

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without their ends."""
        return LINE_END.split(self.text.removeprefix("\ufeff"))

    @cached_property
    def current(self) -> Section | None:
        """The section that describes the surface as it is now: the first one marked ``(current)``."""
        return next((section for section in self.sections if section.current), None)

    def section(self, version: str) -> Section | None:
        """The section of a version; spelled alike, or another spelling of the same numbers."""
        return self._by_version.get(version) or self._by_version.get(Numbered.parse(version))

    @cached_property
    def _by_version(self) -> Mapping[str | Numbered | None, Section]:
        """The first section of each version, by its text and by its numbers."""
        found: dict[str | Numbered | None, Section] = {}
        for part in self.released:
            found.setdefault(part.version_text, part)
            if part.numbered is not None:
                found.setdefault(part.numbered, part)
        return found

    @cached_property
    def released(self) -> tuple[Section, ...]:
        """Every section with a version, in the order of the file."""
        return tuple(section for section in self.sections if not section.unreleased)

    @cached_property
    def _stable(self) -> tuple[Section, ...]:
        """Sections of versions that can be ordered, without pre-releases, oldest first."""
        stable = [part for part in self.released if part.numbered is not None and not part.numbered.prerelease]
        return tuple(sorted(stable, key=_number_of))

    def release_before(self, section: Section) -> Section | None:
        """The release before a section: the highest version below its own that is not a pre-release."""
        if section.numbered is None:
            return None
        index = bisect.bisect_left(self._stable, section.numbered, key=_number_of)
        return self._stable[index - 1] if index else None


def _number_of(section: Section) -> Numbered:
    assert section.numbered is not None
    return section.numbered


class Released(Struct, frozen=True):
    """What is known of the versions that are out.

    Attributes:
        versions: each of them → how that is known, as messages name it (``tag v1.2.0``).
        last: the version of the baseline, ``None`` if it is unknown.
        fingerprint: of the baseline; empty if there is none.
        kept: somebody keeps account of releases, with tags or recorded surfaces: a version that neither knows is not
            out.
    """

    versions: Mapping[Numbered, str] = field(default_factory=dict)
    last: Numbered | None = None
    fingerprint: str = ""
    kept: bool = False

    def evidence(self, section: Section) -> str:
        """The evidence that a section is released; empty if it is not."""
        number = section.numbered
        if section.unreleased:
            return ""
        if number is not None and number in self.versions:
            return self.versions[number]
        if section.date is not None:
            return f"dated {section.date}"
        # A later version with the same fingerprint is one that changes words only, and may be on its way.
        later = number is not None and self.last is not None and number > self.last
        if self.fingerprint and not later and any(one.value == self.fingerprint for one in section.fingerprints):
            return "it states the fingerprint of the baseline"
        return ""


NOTHING_RELEASED = Released()
