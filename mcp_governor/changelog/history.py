"""What a changelog admits by itself: breaks in releases that are not major, renames and breaks described as something
else. Read from the text of every section, because the surfaces of old releases are seldom at hand.

And what pack ``surface`` requires beyond the grammar: the artefacts of a release, and where removals are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.changelog.model import Kind
from mcp_governor.changelog.structure import at, candidates, is_newer, waiting_sections
from mcp_governor.changelog.subjects import EntryIndex, subject_of
from mcp_governor.findings import Bump, Tier
from mcp_governor.lazy import lazy_pattern
from mcp_governor.rules.finding import finding
from mcp_governor.text import one_line
from mcp_governor.versions import Scheme, declared_step, is_promised, needed_step, next_version, same_version, scheme_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.changelog.model import Changelog, Entry, Section
    from mcp_governor.findings import Finding


RELEASE_ENTRY = "surface/release-entry"
MIGRATION_GUIDE = "surface/migration-guide"
REMOVED_ENTRY = "surface/removed-entry"

_KINDS = {
    Bump.PATCH: (Kind.FIXED,),
    Bump.MINOR: (Kind.ADDED, Kind.CHANGED, Kind.DEPRECATED),
    Bump.MAJOR: (Kind.REMOVED, Kind.BREAKING),
}
"""Where the entry stands that a release must have ("Schema versioning rules"). A minor release may do nothing but
deprecate, whose entry is under Deprecated ("Deprecation policy", step 1)."""

_LINK = lazy_pattern(r"\[([^\[\]\n]{0,200})\]\(\s*<?([^()\s<>]{1,500})")
_BARE = lazy_pattern(r"\bhttps?://[^\s<>()`]{1,500}|`([^`\s]{1,300}\.(?:md|rst|html?))`")
_GUIDE = lazy_pattern(r"migrat|upgrad", re.IGNORECASE)
_INLINE = lazy_pattern(r"^[ \t]{0,3}(?:#{3,6}[ \t]+|\*\*)?(?:migrati(?:on|ng)|upgrading|upgrade guide)\b", re.I | re.M)


def release_section(changelog: Changelog, before: str | None, now: str | None, *, zero_policy: str) -> Section | None:
    """The section of a release whose artefacts can be judged.

    ``None`` if nothing is released (the version has not moved, or is a pre-release), where the step between the two
    versions is unknown, and before 1.0.0, from where on the guarantees hold.
    """
    if before is None or now is None or same_version(before, now) or not is_promised(before, zero_policy=zero_policy):
        return None
    counts = all(scheme_of(text) in (Scheme.SEMVER, Scheme.NUMBERED) for text in (before, now))
    section = changelog.section(now) if counts else None
    number = section.numbered if section is not None else None
    return None if number is None or number.prerelease else section


def check_entries(changelog: Changelog, section: Section, before: str, *, written: str = "") -> Iterator[Finding]:
    """A release has an entry of the kind that its step stands for.

    Args:
        section: see :func:`release_section`; the entries of its candidates count.
        before: the version of the last release.
        written: the heading that the section has in the file until it is released.
    """
    step = declared_step(before, section.version_text).bump
    parts = (section, *(part for part in candidates(changelog, before) if is_newer(section, part)))
    kinds = _KINDS.get(step)
    if kinds is None or any(part.of_kind(*kinds) for part in parts):
        return
    place = f" below {written}" if written else ""
    repairs = {
        Bump.PATCH: f"Under **Fixed**{place}, write what it fixes, like: - `TOOL` accepts empty input again.",
        Bump.MINOR: f"Under **Added** or **Changed**{place}, write what is new. "
        f"If nothing is, release it as {next_version(before, Bump.PATCH)}.",
        Bump.MAJOR: f"Under **Removed** or **Breaking**{place}, write what breaks. "
        f"If nothing does, release it as {next_version(before, Bump.MINOR)}.",
    }
    *others, last = (kind.value for kind in kinds)
    yield finding(
        RELEASE_ENTRY,
        at(changelog, section.line),
        value=[section.version_text, step.value],
        section=section.title,
        step=step.value,
        labels=f"{', '.join(others)} or {last}" if others else last,
        repair=repairs[step],
    )


def check_guide(
    changelog: Changelog, section: Section, before: str, *, exists: Callable[[str], bool], written: str = ""
) -> Iterator[Finding]:
    """Check that a major release links or contains a migration guide.

    Args:
        changelog, section, before, written: as for :func:`check_entries`.
        exists: answers for a file that is named relative to the changelog; addresses are not asked.
    """
    if declared_step(before, section.version_text).bump is not Bump.MAJOR:
        return
    where, text = at(changelog, section.line), "\n".join(changelog.lines[section.line : section.end])
    guides = list(_guides(text))
    files = [target for target in guides if "://" not in target and not target.startswith("#")]
    if any(target not in files or exists(target.partition("#")[0]) for target in guides):
        return
    if not files and _INLINE.search(text):
        return  # the guide is part of the section
    if files:
        shown = one_line(files[0], 80)
        yield finding(MIGRATION_GUIDE, where, says="lost", value=files[0], section=section.title, guide=shown)
    else:
        heading = written or "the heading"
        yield finding(MIGRATION_GUIDE, where, value=section.version_text, section=section.title, heading=heading)


def _guides(text: str) -> Iterator[str]:
    """The links of a section to a guide, recognised by their text or target."""
    for match in _LINK.finditer(text):
        if _GUIDE.search(match[1]) or _GUIDE.search(match[2]):
            yield match[2]
    for match in _BARE.finditer(text):
        if _GUIDE.search(match[0]):
            yield match[1] or match[0]


def check_removals(
    changelog: Changelog, changes: Sequence[Change], tools: frozenset[str], before: str | None
) -> Iterator[Finding]:
    """A tool that is gone is listed under Removed, wherever else it is."""
    gone = [change for change in changes if change.kind == "tool-removed" and change.bump is not Bump.NONE]
    sections = waiting_sections(changelog, before) if gone else ()
    index = EntryIndex([pair for part in sections for pair in part.entries], tools, changelog.what)
    for change in gone:
        mentions = index.of(subject_of(change))
        kinds = {kind for kind, _ in mentions}
        if Kind.BREAKING in kinds and Kind.REMOVED not in kinds:
            entry = next(entry for kind, entry in mentions if kind is Kind.BREAKING)
            text = one_line(entry.text, 200)
            yield finding(
                REMOVED_ENTRY, at(changelog, entry.line), tool=change.tool, value=change.id, entry=f"- {text}"
            )


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
        facts = {"label": kind.value, "found": one_line(entry.text, 60).rstrip(".")}
        if not renamed:
            facts |= {"cue": cue, "home": (Kind.REMOVED if _GONE.search(cue) else Kind.BREAKING).value}
        rule = "changelog/rename-as-added" if renamed else "changelog/unmarked-break"
        yield finding(rule, at(changelog, entry.line), value=entry.text, facts=facts)


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
