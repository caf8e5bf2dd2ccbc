"""Check that a changelog keeps the grammar, whatever the surface: headings, markers, order, labels."""

from __future__ import annotations

import bisect
import re
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.changelog.grammar import fingerprint_line, heading_line
from mcp_governor.rules.finding import finding
from mcp_governor.stage import EVERY_CHANGE, Stage
from mcp_governor.text import one_line
from mcp_governor.versions import Numbered, Scheme, is_semver, same_version, scheme_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.changelog.model import Changelog, Kind, Section
    from mcp_governor.findings import Finding

FINGERPRINT_PLACEHOLDER = "v1:sha256:<64 hex digits>"


UNRELEASED_TITLE = "Unreleased"


class Frame(Struct, frozen=True):
    """What the check of a file's structure depends on, other than the file.

    Attributes:
        version: the version that the schema has now, for the lines to paste.
        scheme: the one that the server's versions follow: headings that follow it too are in order.
        fingerprint: the live one, for the lines to paste; empty if there is no surface.
        stage: between releases an unreleased section stands above the others.
        released: the version of the last release, ``None`` if it is unknown.
        coming: the version to release the changes as; ``None`` if it is unknown.
    """

    version: str
    scheme: Scheme = Scheme.SEMVER
    fingerprint: str = ""
    stage: Stage = EVERY_CHANGE
    released: str | None = None
    coming: str | None = None


def check_structure(changelog: Changelog, frame: Frame) -> Iterator[Finding]:
    """What the grammar asks of the file itself."""
    live = fingerprint_line(frame.fingerprint or FINGERPRINT_PLACEHOLDER)
    if not changelog.sections:
        heading = heading_line(frame.version, current=True)
        yield finding("changelog/empty", at(changelog, 1), heading=heading, fingerprint=live)
    yield from _problems(changelog, live)
    yield from _headings(changelog, frame)
    yield from _markers(changelog, frame)
    yield from _order(changelog)
    for section in changelog.sections:
        yield from _labels(changelog, section)
        yield from _entries(changelog, section)
        yield from _fingerprints(changelog, section, live)


def at(changelog: Changelog, line: int) -> str:
    """A place in the file, as findings name it."""
    return f"{changelog.what}:{line}"


def strict_heading(section: Section, *, current: bool, version: str = "") -> str:
    """The heading of a section as the grammar requires it."""
    return heading_line(section.version_text or version, current=current, day=section.date, yanked=section.yanked)


def _problems(changelog: Changelog, live: str) -> Iterator[Finding]:
    by_line = {section.line: section for section in changelog.sections}
    current = working_section(changelog)
    for problem in changelog.problems:
        values = dict(problem.values)
        section = by_line.get(problem.line)
        if problem.rule == "heading-form" and section is not None:
            values["heading"] = strict_heading(section, current=section.current)
        # Only the section of now can have the live fingerprint; what an old release had is not known here.
        if problem.rule == "fingerprint-form":
            inside = current is not None and current.line <= problem.line <= current.end
            values["line"] = live if inside else fingerprint_line(FINGERPRINT_PLACEHOLDER)
        where = at(changelog, problem.line)
        yield finding(f"changelog/{problem.rule}", where, value=problem.values, facts=values)


def _headings(changelog: Changelog, frame: Frame) -> Iterator[Finding]:
    for section in changelog.sections:
        if section.unreleased:
            yield from _unreleased(changelog, section, frame)
        elif not is_semver(section.version_text) and scheme_of(section.version_text) is not frame.scheme:
            meant = section.numbered.semver if section.numbered is not None else _three_numbers(section.version_text)
            # 2.0.0rc1 is 2.0.0-rc.1 in another spelling; 2.0 and 2.0.0.1 are another count.
            counts = section.numbered is not None and len(section.numbered.numbers) == 3
            spelled = counts and scheme_of(section.version_text) is Scheme.NUMBERED
            yield finding(
                "changelog/heading-form" if spelled else "changelog/heading-version",
                at(changelog, section.line),
                value=section.version_text,
                section=section.title,
                found=section.title,
                heading=heading_line(meant, current=section.current, day=section.date, yanked=section.yanked),
            )


def _unreleased(changelog: Changelog, section: Section, frame: Frame) -> Iterator[Finding]:
    """A section without a version has its place under ``policy.gate = "release"``: above the others, until a release.

    An empty one stays there at a release, too, as keepachangelog.com has it.
    """
    says, first = "", changelog.sections[0]
    if frame.stage.gate == "release":
        if section is first and not section.current and (frame.stage.between or not section.entries):
            return
        if section.current:
            says, repair = "marked", f"Write the heading as: ## {UNRELEASED_TITLE}"
        elif section is not first:
            says, repair = "below", f"Move its entries above line {first.line}, under: ## {UNRELEASED_TITLE}"
        else:
            says, repair = (
                "waiting",
                f"Release them with: mcp-governor changelog release {one_line(frame.coming or 'VERSION', 60)}",
            )
    else:
        repair = _named_version(changelog, section, frame.version)
    yield finding("changelog/unreleased", at(changelog, section.line), says=says, found=UNRELEASED_TITLE, repair=repair)


def _named_version(changelog: Changelog, section: Section, version: str) -> str:
    """What to do with a section without a version: it is the one of now, or of a version to come."""
    known = changelog.section(version)
    if known is None:
        return f"Write the heading as: {heading_line(version, current=True)}"
    if not section.entries:
        return f"Remove it; {known.title} has its section at line {known.line}."
    return f"Move its entries to line {known.line}, or name the version that they will be released as."


def _three_numbers(version: str) -> str:
    numbers = [str(int(number)) for number in re.findall(r"\d+", version)[:3]]
    return ".".join([*numbers, "0", "0"][:3])


def _markers(changelog: Changelog, frame: Frame) -> Iterator[Finding]:
    newest = newest_section(changelog)
    between, last = frame.stage.between, frame.released
    marked = [section for section in changelog.sections if section.current]
    # Between releases the marker stays with the last one.
    version = last if between and last is not None and changelog.section(last) is not None else frame.version
    if not marked:
        if (
            newest is not None
            and not _is_shipped(newest, frame)
            and (between or not any(section.unreleased for section in changelog.sections))
        ):
            named = changelog.section(version)
            line = heading_line(version, current=True, day=named.date if named else None)
            repair = f"Write line {named.line} as: {line}" if named else f"Start a section above it: {line}"
            yield finding("changelog/no-current", at(changelog, (named or newest).line), repair=repair)
        return
    first = marked[0]
    for other in marked[1:]:
        yield finding(
            "changelog/several-current",
            at(changelog, other.line),
            value=other.version_text,
            section=other.title,
            first=first.line,
            heading=strict_heading(other, current=False, version=version),
        )
    waits = between and newest is not None and newest in waiting_sections(changelog, last)
    if newest is not None and newest is not first and is_newer(newest, first) and not waits:
        yield finding(
            "changelog/current-not-newest",
            at(changelog, first.line),
            value=first.version_text,
            section=first.title,
            newest=newest.title,
            heading=strict_heading(first, current=False),
            newest_line=newest.line,
            newest_heading=strict_heading(newest, current=True),
        )


def _is_shipped(newest: Section, frame: Frame) -> bool:
    """True if the newest section is the last release and nothing follows it yet, so that no section needs the marker.

    The source marks a version until it ships, and its guard looks for the fingerprint in the marked section at all
    times: a release that states its fingerprint does without the marker.
    """
    last = frame.released
    if last is None or not newest.fingerprints or not same_version(newest.version_text, last):
        return False
    return frame.stage.between or same_version(frame.version, last)


def working_section(changelog: Changelog) -> Section | None:
    """The section that should describe the current surface: the current one, or one above it without a version."""
    first = changelog.sections[0] if changelog.sections else None
    return first if first is not None and first.unreleased else changelog.current


def waiting_sections(changelog: Changelog, released: str | None) -> tuple[Section, ...]:
    """The sections that no release has yet: those without a version, and those of versions above the last release.

    Args:
        released: the version of the last release; ``None`` if it is unknown, so that none is above it.
    """
    last = Numbered.parse(released or "")
    return tuple(
        section
        for section in changelog.sections
        if section.unreleased or (last is not None and section.numbered is not None and section.numbered > last)
    )


def candidates(changelog: Changelog, released: str | None) -> tuple[Section, ...]:
    """The pre-releases after the last release: clients of a candidate have seen them, clients of the release have not.

    Their entries stand where they are, and what they mention is not repeated by the next candidate or the release
    itself.

    Args:
        changelog: as read; what is newer than its current section is not out.
        released: as for :func:`waiting_sections`.
    """
    current = changelog.current
    if current is None:
        return ()
    return tuple(
        section
        for section in waiting_sections(changelog, released)
        if section.numbered is not None and section.numbered.prerelease and not is_newer(section, current)
    )


def is_newer(one: Section, other: Section) -> bool:
    """True if ``one`` is a later release than ``other``; an unreleased section is later than all."""
    if one.unreleased or other.unreleased:
        return one.unreleased and not other.unreleased
    return one.numbered is not None and other.numbered is not None and one.numbered > other.numbered


def newest_section(changelog: Changelog) -> Section | None:
    """The section of the highest version."""
    newest: Section | None = None
    for section in changelog.released:
        if newest is None or newest.numbered is None or is_newer(section, newest):
            newest = section
    return newest


def _spelled(section: Section) -> str:
    """The version of a section as findings distinguish it: a semantic one without its ``v``."""
    number = section.numbered if is_semver(section.version_text) else None
    return section.version_text if number is None else number.text


def _order(changelog: Changelog) -> Iterator[Finding]:
    seen: dict[object, int] = {}
    lows: list[Section] = []  # each section that is older than all above it
    for section in changelog.released:
        where, key = at(changelog, section.line), section.numbered or section.version_text
        if key in seen:
            first = str(seen[key])
            name = _spelled(section)
            yield finding("changelog/version-repeated", where, value=name, section=section.title, first=first)
            continue
        seen[key] = section.line
        if section.numbered is None:
            continue  # heading-version asks for one that can be ordered
        if not lows or is_newer(lows[-1], section):
            lows.append(section)
            continue
        older = lows[bisect.bisect_left(lows, True, key=partial(is_newer, section))]
        yield finding(
            "changelog/section-order",
            where,
            value=_spelled(section),
            section=section.title,
            above=lows[-1].title,
            line=older.line,
        )


def _labels(changelog: Changelog, section: Section) -> Iterator[Finding]:
    first: dict[Kind, int] = {}
    last: Kind | None = None
    for part in section.subsections:
        if part.kind is None:
            continue
        where, value = at(changelog, part.line), [section.title, part.kind]
        facts: dict[str, object] = {"section": section.title, "label": part.kind.value}
        if part.kind in first:
            facts["first"] = first[part.kind]
            yield finding("changelog/label-repeated", where, value=value, facts=facts)
            continue
        first[part.kind] = part.line
        if last is not None and part.kind.position < last.position:
            yield finding("changelog/label-order", where, value=value, facts={**facts, "above": last.value})
        else:
            last = part.kind


def _entries(changelog: Changelog, section: Section) -> Iterator[Finding]:
    for _, entry in section.entries:
        if not entry.spans:
            found = one_line(entry.text, 60).rstrip(".")
            yield finding("changelog/entry-without-name", at(changelog, entry.line), value=entry.text, found=found)


def _fingerprints(changelog: Changelog, section: Section, live: str) -> Iterator[Finding]:
    stated = section.fingerprints
    if len(stated) > 1:
        keep = live if section.current else fingerprint_line(stated[0].value)
        yield finding(
            "changelog/fingerprint-repeated",
            at(changelog, stated[1].line),
            value=[section.title, [fingerprint.value for fingerprint in stated]],
            section=section.title,
            count=len(stated),
            line=keep,
        )
