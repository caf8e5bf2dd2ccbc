"""Deprecation windows: when a tool was announced to go, and how many minor releases have carried the warning."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from functools import cached_property, cmp_to_key
from typing import TYPE_CHECKING

from mcp_governor.config.model import Windows
from mcp_governor.frozen import frozen
from mcp_governor.schemas.walking import walk
from mcp_governor.version_steps import Scheme, scheme_of
from mcp_governor.versions import Numbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.changelog import Announcement, Changelog, Section
    from mcp_governor.changelog.replacements import Parting
    from mcp_governor.changelog.tier_moves import TierMove
    from mcp_governor.findings import Tier
    from mcp_governor.surface.model import Tool

DEFAULT_WINDOWS = Windows()

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_WITHDRAWN = re.compile(r"\bno longer deprecated\b|\bun-?deprecated\b|\bdeprecation\b.*\bwithdrawn\b", re.IGNORECASE)


@frozen
class Notice:
    """What is known of a tool's deprecation, from the surface and the changelog together.

    Attributes:
        since: the release that announced it; the changelog's word counts, then the surface's, then the baseline
            that carried it.
        replacement: what to use instead, wherever it is announced.
        sunset: version or day of the removal, where announced.
        source: ``_meta``, ``description``, ``tags`` or ``changelog``.
        stated_since: what the surface itself says, where it says it.
        nothing: where no replacement is named, it is stated that there is none.
    """

    since: str
    replacement: str | None
    sunset: str | None
    source: str
    stated_since: str | None = None
    nothing: bool = False


@frozen(slots=False)
class History:
    """The releases there were, for counting.

    Args:
        changelog: where releases and deprecations are announced; ``None`` where there is none.
        old_version: version of the baseline, a release in any case.
        new_version: version that the surface has now: what it announces has not been out yet.
        windows: how many minor releases must carry a warning, by tier.
    """

    changelog: Changelog | None
    old_version: str | None
    new_version: str | None
    windows: Windows = DEFAULT_WINDOWS

    @cached_property
    def _ends(self) -> tuple[Numbered | None, Numbered | None]:
        return Numbered.parse(self.old_version or ""), Numbered.parse(self.new_version or "")

    @cached_property
    def _met(self) -> frozenset[Numbered]:
        """The releases that clients have met and that count: no pre-release, and none that was taken back."""
        sections = self.changelog.released if self.changelog else ()
        versions = [section.numbered for section in sections if self.is_out(section) and not section.yanked]
        # The baseline is out even if the changelog does not say so.
        if not (self.changelog and self.old_version and self.changelog.section(self.old_version)):
            versions.append(self._ends[0])
        return frozenset(version for version in versions if version is not None and not version.prerelease)

    @cached_property
    def _announced(self) -> Mapping[str, Sequence[Announcement]]:
        """The announcements that count for each tool, those since it was last withdrawn, the earliest first."""
        found: dict[str, list[Announcement]] = {}
        if self.changelog is None:
            return found
        from mcp_governor.changelog import announcements

        for announced in announcements(self.changelog):
            last = self._withdrawn.get(announced.tool)
            if last is None or not last.follows(announced.section):
                found.setdefault(announced.tool, []).append(announced)
        # Sections stand newest first; where they do not, versions decide.
        return {tool: sorted(known, key=cmp_to_key(_earlier)) for tool, known in found.items()}

    @cached_property
    def _withdrawn(self) -> Mapping[str, _Last]:
        """Where the deprecation of a name was last withdrawn."""
        found: dict[str, _Last] = {}
        for section in self.changelog.sections if self.changelog is not None else ():
            for _, entry in section.entries:
                if _WITHDRAWN.search(entry.text):
                    for name in entry.names:
                        found.setdefault(name, _Last()).meet(section)
        return found

    def announcement(self, tool: Tool) -> Announcement | None:
        """The announcement that counts for a tool: the earliest that is about the tool, and not about a part of it."""
        parts = _parts_of(tool)
        announced = self._announced.get(tool.name, ())
        whole = (one for one in announced if one.replacement is not None or one.nothing or parts.isdisjoint(one.names))
        return next(whole, None)

    def is_out(self, section: Section) -> bool:
        """True if clients have met a section's release: the baseline's and older, and any before the one of now."""
        if section.unreleased:
            return False
        version = section.numbered
        old, now = self._ends
        known = [
            end for end, text in zip(self._ends, (self.old_version, self.new_version), strict=True) if text is not None
        ]
        # Versions that cannot be ordered: the marker of the current section is all that is left to announce.
        if version is None or not known or None in known:
            return not section.current
        return (old is not None and version <= old) or (now is not None and version < now)

    def carried(self, since: str) -> int:
        """How many minor releases have carried a warning that was announced in ``since``.

        The release that announced it is one of them, unless it is a patch: clients that follow minor releases have
        not met it. A date says nothing of the size of a step, so each release that is dated counts.
        """
        start = Numbered.parse(since)
        if start is None:
            return self._carried_unordered(since)
        known = self._met | {start} if self._is_release(since, start) else self._met
        minors = {_minor(version) for version in known if version >= start and not _is_repeated(version)}
        if _is_patch(start) and not self._leads(start):
            minors.discard(start.line)
        return len(minors)

    def _is_release(self, since: str, start: Numbered) -> bool:
        """True if a surface that says ``since`` names a release that no section does: it was out at the baseline."""
        if start.prerelease or _DAY.fullmatch(since) or (self.changelog and self.changelog.section(since)):
            return False
        old = self._ends[0]
        return old is not None and start <= old

    def _leads(self, patch: Numbered) -> bool:
        """True if a patch is the first of its minor release that clients have met: those before it were taken back."""
        sections = self.changelog.released if self.changelog else ()
        of_line = [
            section
            for section in sections
            if section.numbered is not None and section.numbered.line == patch.line and section.numbered < patch
        ]
        lower = [section for section in of_line if section.numbered is not None and not section.numbered.prerelease]
        return bool(lower) and all(section.yanked for section in lower)

    def _carried_unordered(self, since: str) -> int:
        """The same for versions that have no order: the sections from the announcement up, as they stand."""
        first = self.changelog.section(since) if self.changelog and since else None
        if first is None or self.changelog is None:
            return 1 if since and since == self.old_version else 0
        later = (section for section in self.changelog.released if section.line <= first.line)
        return sum(1 for section in later if self.is_out(section) and not section.yanked)

    def _release_of(self, since: str | None) -> str | None:
        """The release that a surface means by its ``since``: itself, or the first one from a day on."""
        if since is None or not _DAY.fullmatch(since):
            return since
        if scheme_of(self.old_version or "") is Scheme.CALENDAR:
            return since
        sections = self.changelog.released if self.changelog is not None else ()
        later = [section for section in sections if section.date is not None and section.date >= since]
        return min(later, key=lambda section: section.date or "").version_text if later else None

    def notice(self, tool: Tool, *, out: bool = True) -> Notice | None:
        """The deprecation of a tool as its surface and the changelog announce it.

        Args:
            tool: as published.
            out: count only what clients have met already: for a removal, not for a tool that is still there.
        """
        announced = self.announcement(tool)
        if announced is not None and out and not self.is_out(announced.section):
            announced = None
        own = tool.deprecation
        if announced is None and own is None:
            return None
        since = announced.section.version_text if announced else self._release_of(own.since if own else None)
        replacement = (own.replacement if own else None) or (announced.replacement if announced else None)
        return Notice(
            since=since or self.old_version or "",
            replacement=replacement,
            sunset=own.sunset if own else None,
            source=own.source if own else "changelog",
            stated_since=own.since if own else None,
            nothing=replacement is None and bool((own and own.nothing) or (announced and announced.nothing)),
        )

    def parting(self, tool: str) -> Parting | None:
        """What the changelog says of the way on where it says that a tool is removed, the release of now included."""
        from mcp_governor.changelog.model import Kind
        from mcp_governor.changelog.replacements import parting_of

        for section in self.changelog.sections if self.changelog is not None else ():
            for entry in section.of_kind(Kind.REMOVED, Kind.BREAKING):
                if tool in entry.names and tool in (announced := parting_of(entry)).names:
                    return announced
        return None

    def tier_move(self, tool: Tool, tier: Tier) -> str | None:
        """The first release that is out and announced that a tool moves as low as ``tier``, or lower.

        What was announced before the changelog said that the tool stays does not count.
        """
        moves = [(section, move) for section, move in self._tier_moves if _is_meant(tool.name, move.tools)]
        last = _Last()
        for section, move in moves:
            if move.stays:
                last.meet(section)
        standing = [
            section
            for section, move in moves
            if not move.stays and move.reaches(tier) and self.is_out(section) and not last.follows(section)
        ]
        return min(standing, key=cmp_to_key(_earlier_section)).version_text if standing else None

    @cached_property
    def _tier_moves(self) -> Sequence[tuple[Section, TierMove]]:
        """What the changelog announces of tiers: under Deprecated, or as something to come under Changed."""
        from mcp_governor.changelog.model import Kind
        from mcp_governor.changelog.tier_moves import tier_move

        found = []
        for section in self.changelog.sections if self.changelog is not None else ():
            for kind, entry in section.entries:
                announced = tier_move(entry) if kind in (Kind.DEPRECATED, Kind.CHANGED) else None
                if announced is not None and (kind is Kind.DEPRECATED or announced.ahead or announced.stays):
                    found.append((section, announced))
        return found

    def announced_parts(self, tool: str, names: frozenset[str]) -> str | None:
        """The first release that is out and deprecates one of ``names`` together with the tool, in one entry.

        Args:
            tool: its name.
            names: of arguments or fields; empty: any entry about the tool counts.
        """
        entries = self._deprecated.get(tool, {})
        named = [entries] if not names else [entries.keys() & self._deprecated.get(name, {}).keys() for name in names]
        # Sections stand newest first, so the entry furthest down is the earliest.
        first = max((number for numbers in named for number in numbers), default=None)
        return entries[first].version_text if first is not None else None

    @cached_property
    def _deprecated(self) -> Mapping[str, Mapping[int, Section]]:
        """Name → the Deprecated entries that hold it, by their line, with the releases that are out."""
        from mcp_governor.changelog.model import Kind

        found: dict[str, dict[int, Section]] = {}
        for section in self.changelog.released if self.changelog is not None else ():
            for entry in section.of_kind(Kind.DEPRECATED) if self.is_out(section) else ():
                for name in entry.names:
                    found.setdefault(name, {})[entry.line] = section
        return found


def _minor(version: Numbered) -> Numbered | tuple[int, int]:
    """The minor release that a version belongs to; a dated version is one of its own."""
    return version if scheme_of(version.text) is Scheme.CALENDAR else version.line


def _is_patch(version: Numbered) -> bool:
    return any(version.numbers[2:]) and scheme_of(version.text) is not Scheme.CALENDAR


def _is_repeated(version: Numbered) -> bool:
    """True if a dated release is published once more (``2026.11.post1``)."""
    return version.suffixes[0] > 0 and scheme_of(version.text) is Scheme.CALENDAR


def _parts_of(tool: Tool) -> frozenset[str]:
    """The names of a tool's arguments and fields."""
    nodes = (node for schema in (tool.input_schema, tool.output_schema) for _, node in walk(schema))
    tables = (node.get("properties") for node in nodes if isinstance(node, dict))
    return frozenset(name for table in tables if isinstance(table, dict) for name in table)


@dataclass
class _Last:
    """The latest of some sections, of those with a number and of those without."""

    numbered: Numbered | None = None
    highest: int | None = None
    highest_unnumbered: int | None = None

    def meet(self, section: Section) -> None:
        if self.highest is None:  # sections come from the top
            self.highest = section.line
        if section.numbered is None:
            self.highest_unnumbered = self.highest_unnumbered or section.line
        elif self.numbered is None or section.numbered > self.numbered:
            self.numbered = section.numbered

    def follows(self, section: Section) -> bool:
        """True if one of them is later than a section."""
        if section.numbered is None:
            return self.highest is not None and self.highest < section.line
        later = self.numbered is not None and section.numbered < self.numbered
        return later or (self.highest_unnumbered is not None and self.highest_unnumbered < section.line)


def _earlier(one: Announcement, other: Announcement) -> int:
    """Below 0 where ``one`` was made in an earlier release, or further down in the file; above 0 for the reverse."""
    return _earlier_section(one.section, other.section) or other.line - one.line


def _earlier_section(one: Section, other: Section) -> int:
    first, second = one.numbered, other.numbered
    if first is not None and second is not None and first != second:
        return -1 if first < second else 1
    return other.line - one.line


def _is_meant(tool: str, names: Sequence[str]) -> bool:
    return any(name == tool or ("*" in name and fnmatch.fnmatchcase(tool, name)) for name in names)
