"""Deprecation windows: when a tool was announced to go, and how many minor releases have passed since."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mcp_governor.changelog import announcements
from mcp_governor.changelog.model import Kind
from mcp_governor.changelog.steps import Scheme, scheme_of
from mcp_governor.findings import Tier
from mcp_governor.versions import Version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.changelog import Announcement, Changelog, Section
    from mcp_governor.surface.model import Tool

WINDOWS: Mapping[Tier, int] = {Tier.FACADE: 2, Tier.STANDARD: 2, Tier.ADVANCED: 1, Tier.INTERNAL: 0}
"""Minor releases between announcement and removal (surface governance, "Deprecation policy", step 3)."""

_WITHDRAWN = re.compile(r"\bno longer deprecated\b|\bun-?deprecated\b|\bdeprecation\b.*\bwithdrawn\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Notice:
    """What is known of a tool's deprecation, from the surface and the changelog together.

    Attributes:
        since: the release that announced it; the changelog's word counts, then the surface's, then the baseline
            that carried it.
        replacement: what to use instead, wherever it is told.
        sunset: version or day of the removal, where told.
        source: ``_meta``, ``description``, ``tags`` or ``changelog``.
        told_since: what the surface itself says, where it says it.
    """

    since: str
    replacement: str | None
    sunset: str | None
    source: str
    told_since: str | None = None


def release_line(version: str) -> tuple[int, int] | None:
    """The minor release that a version belongs to: ``1.4`` of 1.4.2; year and month of a date."""
    parsed = Version.parse(version)
    if parsed is not None:
        return parsed.core[:2]
    numbers = [int(number) for number in _NUMBER.findall(version)]
    return (numbers[0], numbers[1]) if len(numbers) > 1 else None


def _is_release(version: str) -> bool:
    parsed = Version.parse(version)
    return parsed is None or not parsed.prerelease or scheme_of(version) is not Scheme.SEMVER


@dataclass(frozen=True)
class History:
    """The releases there were, for counting.

    Args:
        changelog: where releases and deprecations are told; ``None`` where there is none.
        old_version: version of the baseline, a release in any case.
        new_version: version that the surface has now: what it announces has not been out yet.
    """

    changelog: Changelog | None
    old_version: str | None
    new_version: str | None

    @cached_property
    def _lines(self) -> tuple[tuple[int, int], ...]:
        """The minor releases that clients have met, each once."""
        sections = self.changelog.released if self.changelog else ()
        versions = [section.version_text for section in sections if self.is_out(section)]
        if self.old_version:
            versions.append(self.old_version)
        lines = {release_line(version) for version in versions if _is_release(version)}
        return tuple(sorted(line for line in lines if line is not None))

    @cached_property
    def announced(self) -> Mapping[str, Announcement]:
        """The announcement that counts for each tool: the earliest since it was last withdrawn."""
        found: dict[str, Announcement] = {}
        if self.changelog is None:
            return found
        for told in announcements(self.changelog):
            if not self._is_withdrawn(told):
                known = found.get(told.tool)
                # Sections stand newest first; where they do not, versions decide.
                if known is None or not _is_before(known.section, told.section):
                    found[told.tool] = told
        return found

    def _is_withdrawn(self, told: Announcement) -> bool:
        assert self.changelog is not None
        return any(
            told.tool in entry.names and _WITHDRAWN.search(entry.text)
            for section in self.changelog.sections
            if _is_before(told.section, section)
            for _, entry in section.entries
        )

    def is_out(self, section: Section) -> bool:
        """Whether clients have met a section's release: the baseline's and older, and any before the one of now."""
        if section.unreleased:
            return False
        version = Version.parse(section.version_text)
        known = [Version.parse(text) for text in (self.old_version, self.new_version) if text is not None]
        if version is None or not known or None in known:
            return not section.current
        old, now = Version.parse(self.old_version or ""), Version.parse(self.new_version or "")
        return (old is not None and version <= old) or (now is not None and version < now)

    def passed(self, since: str) -> int:
        """How many minor releases are out since the one that announced."""
        start = release_line(since)
        return sum(1 for line in self._lines if start < line) if start is not None else 0

    def notice(self, tool: Tool, *, out: bool = True) -> Notice | None:
        """The deprecation of a tool as its surface and the changelog tell it.

        Args:
            tool: as published.
            out: count only what clients have met already: for a removal, not for a tool that is still there.
        """
        told = self.announced.get(tool.name)
        if told is not None and out and not self.is_out(told.section):
            told = None
        own = tool.deprecation
        if told is None and own is None:
            return None
        since = told.section.version_text if told else (own.since if own else None)
        return Notice(
            since=since or self.old_version or "",
            replacement=(own.replacement if own else None) or (told.replacement if told else None),
            sunset=own.sunset if own else None,
            source=own.source if own else "changelog",
            told_since=own.since if own else None,
        )

    def announced_parts(self, tool: str, names: frozenset[str]) -> str | None:
        """The latest-but-out release whose Deprecated section names the tool and one of ``names``."""
        if self.changelog is None:
            return None
        found = [
            section
            for section in self.changelog.released
            if self.is_out(section)
            and any(
                tool in entry.names and (not names or not names.isdisjoint(entry.names))
                for entry in section.of_kind(Kind.DEPRECATED)
            )
        ]
        return found[-1].version_text if found else None


def _is_before(one: Section, other: Section) -> bool:
    if one.version is not None and other.version is not None:
        return one.version < other.version
    return one.line > other.line
