"""Deprecation windows: when a removal was announced, and how many minor releases have carried the warning."""

from __future__ import annotations

import fnmatch
import re
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.config.policy import Windows
from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.walking import walk
from mcp_governor.versions import Numbered, Scheme, scheme_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.changelog import Announcement, Changelog, Section
    from mcp_governor.changelog.replacements import Parting, TierMove
    from mcp_governor.findings import Tier
    from mcp_governor.surface.model import Tool

DEFAULT_WINDOWS = Windows()

_DAY = lazy_pattern(r"\d{4}-\d{2}-\d{2}")
_WITHDRAWN = lazy_pattern(r"\bno longer deprecated\b|\bun-?deprecated\b|\bdeprecation\b.*\bwithdrawn\b", re.IGNORECASE)


class Notice(Struct, frozen=True):
    """The deprecation of a tool, from the surface and the changelog together.

    Attributes:
        since: the release that announced it, according to the changelog, or else the surface, or else the baseline
            that carried it.
        replacement: what to use instead, from either of them.
        sunset: announced version or day of the removal.
        source: ``_meta``, ``description``, ``tags`` or ``changelog``.
        stated_since: the release that the surface itself states.
        nothing: true if it is stated that there is no replacement.
    """

    since: str
    replacement: str | None
    sunset: str | None
    source: str
    stated_since: str | None
    nothing: bool


class History(Struct, frozen=True, dict=True):
    """The past releases, to count how many carried a warning.

    Args:
        changelog: the changelog, which announces releases and deprecations; ``None`` if there is none.
        old_version: version of the baseline, which is always a release.
        new_version: current version of the surface; its announcements are not published yet.
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
    def _published(self) -> frozenset[Numbered]:
        """The published releases that count, which excludes pre-releases and yanked releases."""
        sections = self.changelog.released if self.changelog else ()
        versions = [section.numbered for section in sections if self.is_out(section) and not section.yanked]
        # The baseline was published even if the changelog does not mention it.
        if not (self.changelog and self.old_version and self.changelog.section(self.old_version)):
            versions.append(self._ends[0])
        return frozenset(version for version in versions if version is not None and not version.prerelease)

    @cached_property
    def _announced(self) -> Mapping[str, Sequence[Announcement]]:
        """The announcements for each tool since its deprecation was last withdrawn, in the order of the file."""
        found: dict[str, list[Announcement]] = {}
        if self.changelog is None:
            return found
        from mcp_governor.changelog import announcements

        for announced in announcements(self.changelog):
            # Newest first: what stands above a section is later.
            if announced.section.line <= self._withdrawn.get(announced.tool, announced.section.line):
                found.setdefault(announced.tool, []).append(announced)
        return found

    @cached_property
    def _withdrawn(self) -> Mapping[str, int]:
        """The line of the last section that withdrew the deprecation of each name."""
        found: dict[str, int] = {}
        for section in self._sections:
            for _, entry in section.entries:
                for name in entry.names if _WITHDRAWN.search(entry.text) else ():
                    found.setdefault(name, section.line)
        return found

    @property
    def _sections(self) -> Sequence[Section]:
        """Every section, the newest first; a changelog in another order is a finding of its own."""
        return self.changelog.sections if self.changelog is not None else ()

    def announcement(self, tool: Tool) -> Announcement | None:
        """The announcement that counts for a tool: the earliest one for the whole tool, not for a part of it."""
        parts = parts_of(tool)
        announced = reversed(self._announced.get(tool.name, ()))
        whole = (one for one in announced if one.replacement is not None or one.nothing or parts.isdisjoint(one.names))
        return next(whole, None)

    def is_out(self, section: Section) -> bool:
        """True if a section's release is published: the baseline and older ones, or any before the current version."""
        if section.unreleased:
            return False
        version = section.numbered
        old, now = self._ends
        known = [
            end for end, text in zip(self._ends, (self.old_version, self.new_version), strict=True) if text is not None
        ]
        # Versions that cannot be ordered: only the section marked as current is not published yet.
        if version is None or not known or None in known:
            return not section.current
        return (old is not None and version <= old) or (now is not None and version < now)

    def carried(self, since: str) -> int:
        """The number of minor releases that have carried a warning that was announced in ``since``.

        The release that announced it counts unless it is a patch, because clients that follow minor releases have
        not seen that. Calendar versions do not show the size of a step, so each of these releases counts.
        """
        start = Numbered.parse(since)
        if start is None:
            return self._carried_unordered(since)
        known = self._published | {start} if self._is_release(since, start) else self._published
        minors = {_minor(version) for version in known if version >= start} - {None}
        if any(start.numbers[2:]):
            minors.discard(start.line)
        return len(minors)

    def _is_release(self, since: str, start: Numbered) -> bool:
        """True if ``since`` is a release without a section in the changelog that is not newer than the baseline."""
        if start.prerelease or _DAY.fullmatch(since) or (self.changelog and self.changelog.section(since)):
            return False
        old = self._ends[0]
        return old is not None and start <= old

    def _carried_unordered(self, since: str) -> int:
        """The same for versions without an order: count sections from the announcement to the top of the file."""
        first = self.changelog.section(since) if self.changelog and since else None
        if first is None or self.changelog is None:
            return 1 if since and since == self.old_version else 0
        later = (section for section in self.changelog.released if section.line <= first.line)
        return sum(1 for section in later if self.is_out(section) and not section.yanked)

    def _release_of(self, since: str | None) -> str | None:
        """The release that a surface's ``since`` refers to: a day refers to the first release on or after it."""
        if since is None or not _DAY.fullmatch(since):
            return since
        if scheme_of(self.old_version or "") is Scheme.CALENDAR:
            return since
        later = [section for section in self._sections if section.date is not None and section.date >= since]
        return min(later, key=lambda section: section.date or "").version_text if later else None

    def notice(self, tool: Tool, *, out: bool = True) -> Notice | None:
        """The deprecation of a tool as the surface and the changelog announce it.

        Args:
            tool: the tool as published.
            out: count published announcements only, as for a removal; false for a tool that is still there.
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
        """The replacement in the changelog entry for the removal of a tool, current release included."""
        from mcp_governor.changelog.model import Kind
        from mcp_governor.changelog.replacements import parting_of

        for section in self._sections:
            for entry in section.of_kind(Kind.REMOVED, Kind.BREAKING):
                if tool in entry.names and tool in (announced := parting_of(entry)).names:
                    return announced
        return None

    def says_renamed(self, tool: str, successor: str) -> bool:
        """True if an entry of the changelog, current release included, says that a tool was or will be renamed."""
        from mcp_governor.changelog.replacements import renamed_to

        entries = (entry for section in self._sections for _, entry in section.entries)
        return any(tool in entry.names and renamed_to(entry, tool) == successor for entry in entries)

    def tier_move(self, tool: Tool, tier: Tier) -> str | None:
        """The first published release that announced the move of a tool to ``tier`` or lower.

        If the changelog later says that the tool stays, earlier announcements do not count.
        """
        earliest = None
        for section, move in self._tier_moves:
            if not any(fnmatch.fnmatchcase(tool.name, name) for name in move.tools):
                continue
            if move.stays:
                break
            if move.reaches(tier) and self.is_out(section):
                earliest = section.version_text
        return earliest

    @cached_property
    def _tier_moves(self) -> Sequence[tuple[Section, TierMove]]:
        """Announced moves between tiers, newest first: under Deprecated, or as future changes under Changed."""
        from mcp_governor.changelog.model import Kind
        from mcp_governor.changelog.replacements import tier_move

        found = []
        for section in self._sections:
            for kind, entry in section.entries:
                announced = tier_move(entry) if kind in (Kind.DEPRECATED, Kind.CHANGED) else None
                if announced is not None and (kind is Kind.DEPRECATED or announced.ahead or announced.stays):
                    found.append((section, announced))
        return found

    def announced_parts(self, tool: str, names: frozenset[str]) -> str | None:
        """The first published release with an entry that deprecates the tool together with one of ``names``.

        Args:
            tool: name of the tool.
            names: names of parameters or fields; if empty, any entry about the tool counts.
        """
        entries = self._deprecated.get(tool, {})
        named = [entries] if not names else [entries.keys() & self._deprecated.get(name, {}).keys() for name in names]
        # Sections are sorted newest first, so the last entry in the file is the earliest.
        first = max((number for numbers in named for number in numbers), default=None)
        return entries[first].version_text if first is not None else None

    @cached_property
    def _deprecated(self) -> Mapping[str, Mapping[int, Section]]:
        """Name → line of each Deprecated entry with this name in a published release → its section."""
        from mcp_governor.changelog.model import Kind

        found: dict[str, dict[int, Section]] = {}
        for section in self.changelog.released if self.changelog is not None else ():
            for entry in section.of_kind(Kind.DEPRECATED) if self.is_out(section) else ():
                for name in entry.names:
                    found.setdefault(name, {})[entry.line] = section
        return found


def _minor(version: Numbered) -> Numbered | tuple[int, int] | None:
    """The minor release that a version belongs to; each calendar version is one of its own, and a repetition
    (``2026.11.post1``) is none."""
    if scheme_of(version.text) is not Scheme.CALENDAR:
        return version.line
    return None if version.suffixes[0] > 0 else version


def parts_of(tool: Tool) -> frozenset[str]:
    """The names of a tool's parameters and fields."""
    nodes = (node for schema in (tool.input_schema, tool.output_schema) for _, node in walk(schema))
    tables = (node.get("properties") for node in nodes if isinstance(node, dict))
    return frozenset(name for table in tables if isinstance(table, dict) for name in table)
