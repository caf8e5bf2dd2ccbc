"""What a changelog admits by itself: breaks in releases that are not major, renames and breaks described as something
else. Read from the text of every section, because the surfaces of old releases are seldom at hand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.changelog.model import Kind
from mcp_governor.changelog.structure import at
from mcp_governor.findings import Bump, Tier
from mcp_governor.lazy import lazy_pattern
from mcp_governor.rules.finding import finding
from mcp_governor.text import one_line
from mcp_governor.versions import Scheme, declared_step, needed_step, next_version, scheme_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcp_governor.changelog.model import Changelog, Entry, Section
    from mcp_governor.findings import Finding

# "`a` renames a note" says what a tool does; "renamed" and a second name say what became of one.
_RENAMED = lazy_pattern(r"\brenamed\b|\brename of\b|\bis now (?:called|named)\b", re.IGNORECASE)
_RENAMING = lazy_pattern(r"\brenam(?:es?|ing)\b|\((?:was|formerly|previously)\b", re.IGNORECASE)
_TYPES = "array|list|object|map|string|number|integer|boolean"
_BREAK = lazy_pattern(
    r"\b(?:breaking|incompatible|incompatibly|renam(?:ed|es|ing)|now requires?|now required|now (?:rejects?|refuses?)"
    r"|(?:is|are) (?:now )?gone|no longer (?:accepts?|takes?|returns?|supports?|exists?|available|callable|listed"
    r"|works?|recogni[sz]ed?|allowed|valid)|now defaults? to|reshap(?:ed|es))\b"
    r"|\bdefault\b[^.;]{0,60}\b(?:chang(?:ed|es)|flip(?:ped|s)|is now)\b"
    rf"|\b(?:(?:is|are|becomes?|returns?) now|now (?:is|are|returns?)) an? (?:{_TYPES})\b"
    r"|\b(?:type|shape)\b[^.;]{0,60}\bchang(?:ed|es)\b|\bchang(?:ed|es)(?: (?:its|the))? (?:type|shape)\b"
    r"|\b(?:removed|dropped|deleted)\b(?=[^.;]{0,20}`)|`[^.;`]{0,24}\b(?P<near>removed|dropped|deleted)\b",
    re.IGNORECASE,
)
_DENIED = lazy_pattern(
    r"\b(?:not|non|no|never)[- ](?:(?:a|been) )?(?:breaking|incompatible|removed|dropped|deleted|renamed)\b"
    r"|\bnon-?breaking\b"
    # What widens breaks nobody, and an entry may say how: "accepts more values: the type changed from …".
    r"|\b(?:accepts? more|returns? fewer|no longer requires?|widen(?:s|ed))\b[^.;]*"
    # A format is an annotation: the draft's own sentence for one that goes away.
    r"|\bno longer returns? `[^`]*` in the format\b",
    re.IGNORECASE,
)
_GONE = lazy_pattern(r"remov|drop|delet|gone|no longer (?:exist|available|callable|listed)", re.IGNORECASE)


def check_history(
    changelog: Changelog,
    *,
    tiers: Mapping[str, Tier],
    zero_policy: str,
    settled: frozenset[int],
    coming: tuple[str, str] | None = None,
) -> Iterator[Finding]:
    """What the text of the releases admits.

    Args:
        tiers: tiers of the tools that are known: a break of an advanced tool needs no major step.
        zero_policy: see :func:`needed_step`.
        settled: lines of entries whose changes are known, so that their words need no reading.
        coming: the last release and the version that unreleased entries will come with, where that is decided.
    """
    for section in changelog.sections:
        yield from _misplaced(changelog, section, tiers, settled)
        yield from _undersized(changelog, section, tiers, zero_policy, coming)


def admitted_step(sections: Iterable[Section], tiers: Mapping[str, Tier]) -> Bump:
    """The step that a release of these sections needs by their own words, from 1.0.0 on."""
    return Bump.highest(
        [
            Bump.MINOR if step is Bump.MAJOR and _is_lenient(entry, tiers) else step
            for section in sections
            for kind, entry in section.entries
            if (step := _STEPS.get(kind)) is not None
        ]
    )


_STEPS: Mapping[Kind | None, Bump] = {
    Kind.ADDED: Bump.MINOR,
    Kind.CHANGED: Bump.PATCH,
    Kind.DEPRECATED: Bump.MINOR,
    Kind.REMOVED: Bump.MAJOR,
    Kind.FIXED: Bump.PATCH,
    Kind.BREAKING: Bump.MAJOR,
}


def _misplaced(
    changelog: Changelog, section: Section, tiers: Mapping[str, Tier], settled: frozenset[int]
) -> Iterator[Finding]:
    for kind, entry in section.entries:
        if kind not in (Kind.ADDED, Kind.CHANGED, Kind.FIXED) or entry.line in settled:
            continue
        renamed = kind is Kind.ADDED and _is_rename(entry)
        cue = _cue(entry)
        if not (renamed or cue) or _is_lenient(entry, tiers):
            continue
        where, shown = at(changelog, entry.line), one_line(entry.text, 60).rstrip(".")
        if renamed:
            yield finding("changelog/rename-as-added", where, value=entry.text, label=kind.value, found=shown)
        else:
            home = Kind.REMOVED if _GONE.search(cue) else Kind.BREAKING
            yield finding(
                "changelog/unmarked-break",
                where,
                value=entry.text,
                label=kind.value,
                cue=cue,
                found=shown,
                home=home.value,
            )


def _cue(entry: Entry) -> str:
    """The phrase with which an entry admits a break; empty if there is none."""
    found = _BREAK.search(_DENIED.sub("", entry.text))
    cue = (found["near"] or found[0]) if found is not None else ""
    return "" if cue.lower().startswith("renam") and _renames(entry) else cue


def _renames(entry: Entry) -> bool:
    """True if an entry is about a tool whose work is renaming."""
    return any("renam" in span.lower() for span in entry.leading)


def _is_rename(entry: Entry) -> bool:
    """True if an entry gives an old thing a new name."""
    if _renames(entry):
        return False
    return bool(_RENAMED.search(entry.text) or (len(entry.spans) > 1 and _RENAMING.search(entry.text)))


def _is_lenient(entry: Entry, tiers: Mapping[str, Tier]) -> bool:
    """True if every tool that an entry names may break in a minor release."""
    named = [tiers[name] for name in entry.names if name in tiers]
    return bool(named) and all(tier in (Tier.ADVANCED, Tier.INTERNAL) for tier in named)


def _undersized(
    changelog: Changelog,
    section: Section,
    tiers: Mapping[str, Tier],
    zero_policy: str,
    coming: tuple[str, str] | None,
) -> Iterator[Finding]:
    by_kind = {
        kind: [entry for entry in section.of_kind(kind) if not _is_lenient(entry, tiers)]
        for kind in (Kind.BREAKING, Kind.REMOVED)
    }
    if not any(by_kind.values()):
        return
    if section.unreleased:
        previous, version = coming or ("", "")
    else:
        before = changelog.release_before(section)
        previous, version = before.version_text if before is not None else "", section.version_text
    if not previous or scheme_of(version) not in (Scheme.SEMVER, Scheme.NUMBERED):
        return
    made = declared_step(previous, version).bump
    needed = needed_step(Bump.MAJOR, previous, zero_policy=zero_policy)
    if made.rank >= needed.rank:
        return
    for kind, entries in by_kind.items():
        if entries:
            yield finding(
                "changelog/breaking-needs-major",
                at(changelog, entries[0].line),
                value=[section.version_text, kind],
                section=section.title,
                label=kind.value,
                previous=previous,
                version=version,
                step=made.value,
                major=next_version(previous, needed),
            )
