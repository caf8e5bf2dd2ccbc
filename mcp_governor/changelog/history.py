"""What a changelog admits by itself: breaks in releases that are no major, renames and breaks told as something
else. Read from the text of every section, because the surfaces of old releases are seldom at hand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.changelog.model import Kind
from mcp_governor.changelog.rulebook import finding
from mcp_governor.changelog.steps import Scheme, declared_step, needed_step, scheme_of
from mcp_governor.changelog.structure import at
from mcp_governor.findings import Bump, Tier
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.changelog.model import Changelog, Entry, Section
    from mcp_governor.findings import Finding

_RENAME = re.compile(r"\brenam(?:ed?|es|ing)\b|\bis now (?:called|named)\b", re.IGNORECASE)
_BREAK = re.compile(
    r"\b(?:removed|dropped|deleted|breaking|incompatible|incompatibly|renam(?:ed|es|ing)|now requires?|now required"
    r"|(?:is|are) (?:now )?gone|no longer (?:accepts?|takes?|returns?|supports?|exists?|available|callable|listed"
    r"|works?|recogni[sz]ed?|allowed|valid))\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|non|no)[- ](?:a )?(?:breaking|incompatible)|\bnon-?breaking\b", re.IGNORECASE)
_GONE = re.compile(r"remov|drop|delet|gone|no longer (?:exist|available|callable|listed)", re.IGNORECASE)


def check_history(
    changelog: Changelog, *, tiers: Mapping[str, Tier], zero_policy: str, settled: frozenset[int]
) -> Iterator[Finding]:
    """What the text of the releases admits.

    Args:
        changelog: as read.
        tiers: tiers of the tools that are known: a break of an advanced tool needs no major step.
        zero_policy: see :func:`needed_step`.
        settled: lines of entries whose changes are known, so that their words need no reading.
    """
    for section in changelog.sections:
        yield from _misplaced(changelog, section, tiers, settled)
        yield from _undersized(changelog, section, tiers, zero_policy)


def _misplaced(
    changelog: Changelog, section: Section, tiers: Mapping[str, Tier], settled: frozenset[int]
) -> Iterator[Finding]:
    for kind, entry in section.entries:
        if kind not in (Kind.ADDED, Kind.CHANGED, Kind.FIXED) or entry.line in settled:
            continue
        renamed = kind is Kind.ADDED and _RENAME.search(entry.text) is not None
        cue = _BREAK.search(_DENIED.sub("", entry.text))
        if not (renamed or cue) or _is_lenient(entry, tiers):
            continue
        where, shown = at(changelog, entry.line), one_line(entry.text, 60)
        if renamed:
            yield finding("changelog/rename-as-added", where, value=entry.text, label=kind.value, found=shown)
        elif cue is not None:
            home = Kind.REMOVED if _GONE.search(cue[0]) else Kind.BREAKING
            yield finding(
                "changelog/unmarked-break",
                where,
                value=entry.text,
                label=kind.value,
                cue=one_line(cue[0], 30),
                found=shown,
                home=home.value,
            )


def _is_lenient(entry: Entry, tiers: Mapping[str, Tier]) -> bool:
    """Whether every tool that an entry names may break in a minor release."""
    named = [tiers[name] for name in entry.names if name in tiers]
    return bool(named) and all(tier in (Tier.ADVANCED, Tier.INTERNAL) for tier in named)


def _undersized(
    changelog: Changelog, section: Section, tiers: Mapping[str, Tier], zero_policy: str
) -> Iterator[Finding]:
    told = {
        kind: [entry for entry in section.of_kind(kind) if not _is_lenient(entry, tiers)]
        for kind in (Kind.BREAKING, Kind.REMOVED)
    }
    previous = changelog.release_before(section) if any(told.values()) else None
    if previous is None or previous.version is None or scheme_of(section.version_text) is not Scheme.SEMVER:
        return
    made = declared_step(previous.version_text, section.version_text).bump
    needed = needed_step(Bump.MAJOR, previous.version_text, zero_policy=zero_policy)
    if made.rank >= needed.rank:
        return
    for kind, entries in told.items():
        if entries:
            yield finding(
                "changelog/breaking-needs-major",
                at(changelog, entries[0].line),
                value=[section.version_text, kind],
                section=section.title,
                label=kind.value,
                previous=previous.title,
                step=made.value,
                major=str(previous.version.bumped(needed)),
            )
