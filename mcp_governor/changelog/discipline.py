"""Check what the surface governance requires of a release beyond the grammar: its artefacts, and where removals are.

Optional, unlike the other checks of a changelog: the rules are those of pack ``surface``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.changelog.model import Kind
from mcp_governor.changelog.structure import at, candidates, is_newer, waiting_sections
from mcp_governor.changelog.subjects import EntryIndex, subject_of
from mcp_governor.findings import Bump
from mcp_governor.lazy import lazy_pattern
from mcp_governor.rules.finding import finding
from mcp_governor.text import one_line
from mcp_governor.versions import Scheme, declared_step, is_promised, next_version, same_version, scheme_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.changelog.model import Changelog, Section
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
    where, text = at(changelog, section.line), _text_of(changelog, section)
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


def _text_of(changelog: Changelog, section: Section) -> str:
    lines = changelog.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(lines[section.line : section.end])


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
