"""Checks of a changelog against the surface: version, fingerprint, and (see :mod:`.coverage`) every change."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from mcp_governor.changelog.coverage import Coverage, Home, Names, check_claims, check_coverage, check_names
from mcp_governor.changelog.grammar import fingerprint_line, heading_line
from mcp_governor.changelog.history import check_history
from mcp_governor.changelog.model import Released
from mcp_governor.changelog.stating import SchemaVersion
from mcp_governor.changelog.structure import (
    UNRELEASED_TITLE,
    Frame,
    at,
    candidates,
    check_structure,
    is_newer,
    newest_section,
    strict_heading,
    waiting_sections,
    working_section,
)
from mcp_governor.changelog.subjects import subject_of
from mcp_governor.rules.finding import finding
from mcp_governor.stage import EVERY_CHANGE, Stage
from mcp_governor.surface.fingerprint import fingerprint
from mcp_governor.text import capital
from mcp_governor.versions import Numbered, Scheme, is_development, same_version, scheme_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.changelog.model import Changelog, Fingerprint, Section
    from mcp_governor.findings import Finding
    from mcp_governor.surface.model import Surface


MAX_PROBLEMS = 1000
"""Findings of one rule that are listed: more than anybody reads. Each rule has its own share, so that ten thousand odd
labels do not hide a merge conflict."""


class Recorded(Struct, frozen=True):
    """The recorded surface of a release.

    Attributes:
        version: of the release.
        fingerprint: of the recorded surface.
        where: how messages name the recording (``docs/mcp-surface/1.2.0.json``).
        committed: it is not a recording, but what the section itself stated in an earlier commit.
    """

    version: str
    fingerprint: str
    where: str
    committed: bool = False


class ChangelogSettings(Struct, frozen=True):
    """What a changelog is checked against, other than the surface.

    Attributes:
        expected: the version that the schema has now; ``None``: the one that the server reports.
        baseline: the surface that the changes start from, for names that existed.
        recorded: surfaces of released versions.
        out: other released versions, and how that is known.
        names: other names that entries may use, such as environment variables.
        zero_policy: what a version before 1.0.0 may break, as the config's ``policy.zero-policy``.
        stage: between releases changes may be under ``## Unreleased``.
        coming: the version to release the changes as; ``None`` if it is unknown.
    """

    expected: SchemaVersion | None = None
    baseline: Surface | None = None
    recorded: tuple[Recorded, ...] = ()
    out: Mapping[Numbered, str] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    zero_policy: str = "minor-may-break"
    stage: Stage = EVERY_CHANGE
    coming: str | None = None

    @property
    def last(self) -> str | None:
        """The version that clients have met: the baseline's."""
        return self.baseline.version if self.baseline is not None else None


DEFAULT_SETTINGS = ChangelogSettings()


def check(
    changelog: Changelog,
    surface: Surface | None,
    changes: Sequence[Change] | None = None,
    *,
    settings: ChangelogSettings = DEFAULT_SETTINGS,
) -> list[Finding]:
    """Everything that is wrong with a changelog, in the order of the file.

    Args:
        surface: the current surface; with ``None``, the file is checked alone.
        changes: from the baseline to ``surface``; ``None`` if there is no baseline.
        settings: see :class:`ChangelogSettings`.

    Returns:
        Findings of pack ``changelog``; each one's ``fix`` holds the line to paste, its ``path`` is
        ``FILE:LINE``. A rule with more than ``MAX_PROBLEMS`` of them has one more, which says how many.

    Raises:
        FileFormatError: the entries name the same things too often.
    """
    return _limited(_findings(changelog, surface, changes, settings))


def _findings(
    changelog: Changelog, surface: Surface | None, changes: Sequence[Change] | None, settings: ChangelogSettings
) -> Iterator[Finding]:
    expected = settings.expected or SchemaVersion(surface.version if surface else None, "the server")
    live = fingerprint(surface) if surface is not None else ""
    newest = newest_section(changelog)
    now = expected.text or (newest.version_text if newest is not None else "1.0.0")
    scheme = scheme_of(now) if expected.text or scheme_of(now) is Scheme.CALENDAR else Scheme.SEMVER
    yield from check_structure(changelog, Frame(now, scheme, live, settings.stage, settings.last, settings.coming))
    current, settled = changelog.current, frozenset[int]()
    # At a release they are asked to become one, and everything else follows from that.
    waits = settings.stage.gate == "release" and any(part.unreleased and part.entries for part in changelog.sections)
    if current is not None and not (waits and settings.stage.at_release):
        yield from _version(changelog, current, expected, live, settings)
    if surface is not None:
        names = Names(surface, settings.baseline, settings.names | _names_of(changes or ()))
        if waits or (settings.stage.between and changes is not None):
            coverage = _coverage_between(changelog, changes, names, settings)
        else:
            coverage = _coverage_now(changelog, changes, names, expected, live, settings)
        yield from coverage.findings
        settled = coverage.settled
    known = (one for one in (surface, settings.baseline) if one is not None)
    tiers = {tool.name: tool.tier for one in known for tool in one.tools}
    yield from check_history(
        changelog, tiers=tiers, zero_policy=settings.zero_policy, settled=settled, coming=_moved(expected, settings)
    )
    yield from _recorded(changelog, settings)


def _coverage_now(
    changelog: Changelog,
    changes: Sequence[Change] | None,
    names: Names,
    expected: SchemaVersion,
    live: str,
    settings: ChangelogSettings,
) -> Coverage:
    """Check that the section of the current version describes the surface: its fingerprint, names and changes."""
    # If another section has the marker, a section of this version is still the current one.
    section = (changelog.section(expected.text) if expected.text else None) or working_section(changelog)
    if section is None:
        return Coverage()
    out = _is_released(section, settings)
    # A section of another version that is out keeps its fingerprint: version-mismatch asks for a new one.
    ahead = out and expected.text is not None and not same_version(section.version_text, expected.text)
    found = [] if ahead else [*_fingerprint(changelog, section, live, out=out)]
    of_baseline = _is_baseline(section, settings)
    found += check_names(changelog, section, names, released=of_baseline)
    if changes is None:
        return Coverage(tuple(found))
    earlier = tuple(part for part in candidates(changelog, settings.last) if is_newer(section, part))
    home = Home((section, *earlier), section.title, section.line)
    if ahead and expected.text:
        home = Home((section,), expected.text, section.line)
    elif out and settings.coming and not same_version(section.version_text, settings.coming):
        # What is out is history: nothing is added to it.
        heading = heading_line(settings.coming, current=True).removeprefix("## ")
        home = Home((section,), settings.coming, changelog.sections[0].line, begins=heading)
    wording = settings.stage.asks_for_wording
    coverage = check_coverage(changelog, home, changes, names, of_baseline=of_baseline, wording=wording)
    judged = not of_baseline and _is_last_release(changelog, settings)
    claims = _unnamed(check_claims(changelog, (section,), names, coverage.mentioning), found) if judged else ()
    return Coverage((*found, *coverage.findings, *claims), coverage.settled)


def _coverage_between(
    changelog: Changelog, changes: Sequence[Change] | None, names: Names, settings: ChangelogSettings
) -> Coverage:
    """Check that the sections that no release has yet mention what has changed since the last one."""
    waiting = waiting_sections(changelog, settings.last)
    # What a branch that is ahead of the release took leave of is on neither surface.
    ahead = not _is_last_release(changelog, settings)
    # What a candidate brought may be gone again.
    out = candidates(changelog, settings.last)
    new = [part for part in waiting if part not in out]
    found = [one for part in new for one in check_names(changelog, part, names, released=ahead)]
    if changes is None:
        return Coverage(tuple(found))
    if waiting:
        home = Home(waiting, waiting[0].title, waiting[0].line)
    else:
        first = changelog.sections[0].line if changelog.sections else 1
        home = Home((), UNRELEASED_TITLE, first, begins=UNRELEASED_TITLE)
    coverage = check_coverage(changelog, home, changes, names, wording=settings.stage.asks_for_wording)
    claims = () if ahead else _unnamed(check_claims(changelog, new, names, coverage.mentioning), found)
    return Coverage((*found, *coverage.findings, *claims), coverage.settled)


def _unnamed(claims: Iterable[Finding], found: Sequence[Finding]) -> Iterator[Finding]:
    """The claims of entries about which nothing was found yet: of a name that does not exist, that is enough."""
    places = {one.path for one in found}
    return (claim for claim in claims if claim.path not in places)


def _is_last_release(changelog: Changelog, settings: ChangelogSettings) -> bool:
    """True if the baseline is what the last release published, as its section states it."""
    section = changelog.section(settings.last) if settings.last is not None else None
    if section is None or settings.baseline is None:
        return False
    return any(stated.value == fingerprint(settings.baseline) for stated in section.fingerprints)


def _moved(expected: SchemaVersion, settings: ChangelogSettings) -> tuple[str, str] | None:
    """The last release and the next version, if the version has changed since."""
    last = settings.last
    if last is None or expected.text is None or same_version(last, expected.text) or is_development(expected.text):
        return None
    return last, expected.text


def _limited(found: Iterable[Finding]) -> list[Finding]:
    """In the order of the file, up to a limit per rule; the others are only counted, because nobody would read them."""
    by_rule: dict[str, list[Finding]] = {}
    met: Counter[str] = Counter()
    for one in found:
        met[one.rule] += 1
        if met[one.rule] <= MAX_PROBLEMS:
            by_rule.setdefault(one.rule, []).append(one)
    for rule, listed in by_rule.items():
        if more := met[rule] - len(listed):
            message = f"{more:,} more findings of {rule} are not listed."
            listed.append(replace(listed[-1], message=message, fix="Correct the listed ones first.", value=more))
    return sorted(
        (one for listed in by_rule.values() for one in listed), key=lambda one: int(one.path.rpartition(":")[2])
    )


def _names_of(changes: Sequence[Change]) -> frozenset[str]:
    """The names that changes are about: an entry that mentions one may use them."""
    subjects = [subject_of(change) for change in changes]
    return frozenset(name for subject in subjects for name in (*subject.fields, subject.successor) if name)


def _version(
    changelog: Changelog, current: Section, expected: SchemaVersion, live: str, settings: ChangelogSettings
) -> Iterator[Finding]:
    if expected.text is None or current.unreleased or same_version(current.version_text, expected.text):
        return
    last = settings.last
    if settings.stage.between and last is not None and _waits(changelog, current, expected.text, last):
        return  # the marker moves with the release
    newest = newest_section(changelog)
    if newest is not None and newest is not current and same_version(newest.version_text, expected.text):
        return  # current-not-newest says so
    yield finding(
        "changelog/version-mismatch",
        at(changelog, current.line),
        value=[current.version_text, expected.text],
        section=current.title,
        source=expected.source,
        expected=expected.text,
        repair=_version_repair(changelog, current, expected, live, settings),
    )


def _waits(changelog: Changelog, current: Section, now: str, last: str) -> bool:
    """True if the current section is the last release, or a candidate that the version of now comes after."""
    number = Numbered.parse(now)
    later = number is not None and current.numbered is not None and number > current.numbered
    return same_version(current.version_text, last) or (later and current in candidates(changelog, last))


def _version_repair(
    changelog: Changelog, current: Section, expected: SchemaVersion, live: str, settings: ChangelogSettings
) -> str:
    """What to do: the version is still to move, or the marker belongs to another section, or the heading is wrong.

    A section that is out keeps its heading, whatever the version is now.
    """
    now = expected.text or ""
    out, number = _is_released(current, settings), Numbered.parse(now)
    ahead = number is not None and current.numbered is not None and current.numbered > number
    own = changelog.section(now)
    if ahead and not out and (own is None or _is_released(own, settings)):
        return f"{capital(expected.lags(current.version_text))}."
    heading, plain = heading_line(now, current=True), strict_heading(current, current=False)
    other = own or next((part for part in changelog.sections if part.unreleased), None)
    if other is not None and other is not current:
        return f"If {now} is right, write line {current.line} as: {plain}\nand line {other.line} as: {heading}"
    if ahead and out:
        return f"{current.title} is released. {capital(expected.lags(f'a version after {current.title}'))}."
    if out and settings.coming is not None and not same_version(settings.coming, now):
        return f"{capital(expected.lags(settings.coming))}."
    if out:
        begin = f"{heading}\n\n{fingerprint_line(live)}" if live else heading
        return f"If {now} is right, write line {current.line} as: {plain}\nand start a section above it:\n\n{begin}"
    return f"If {now} is right, write line {current.line} as: {heading_line(now, current=True, day=current.date)}"


def _is_baseline(section: Section, settings: ChangelogSettings) -> bool:
    """True if the surface before a section's release is not at hand: no baseline, or the release itself."""
    baseline, last = settings.baseline, settings.last
    if baseline is None or (last is not None and same_version(section.version_text, last)):
        return True
    return any(stated.value == fingerprint(baseline) for stated in section.fingerprints)


def _is_released(section: Section, settings: ChangelogSettings) -> bool:
    """True if clients have met a section's version: it is tagged, recorded, dated, or the baseline's."""
    last = Numbered.parse(settings.last or "")
    recorded = {Numbered.parse(one.version): one.where for one in reversed(settings.recorded)}
    known: dict[Numbered | None, str] = {last: "it is the baseline"} | recorded
    known |= settings.out  # type: ignore[arg-type]
    stated = fingerprint(settings.baseline) if settings.baseline is not None else ""
    versions = {version: how for version, how in known.items() if version is not None}
    return bool(Released(versions, last, stated).evidence(section))


def _fingerprint(changelog: Changelog, current: Section, live: str, *, out: bool) -> Iterator[Finding]:
    line = fingerprint_line(live)
    if not current.fingerprints:
        where = at(changelog, current.line)
        yield finding("changelog/fingerprint-missing", where, value=live, section=current.title, line=line)
    elif all(stated.value != live for stated in current.fingerprints):
        stated = current.fingerprints[0]
        where = at(changelog, stated.line)
        hint = f" (in a section of its own: {current.title} is released)" if out else ""
        yield finding("changelog/fingerprint-stale", where, value=live, stated=stated.value, line=line, hint=hint)


def _recorded(changelog: Changelog, settings: ChangelogSettings) -> Iterator[Finding]:
    seen: set[tuple[int, str]] = set()
    for recording in settings.recorded:
        section = changelog.section(recording.version)
        # At a release the current section is checked against the current surface.
        if section is None or (section.current and settings.stage.at_release):
            continue
        strict = [stated for stated in section.fingerprints if stated.strict]
        if not strict or any(stated.value == recording.fingerprint for stated in strict):
            continue
        place = strict[0].line, recording.fingerprint
        if place not in seen:
            seen.add(place)
            yield rewritten(changelog, section, strict[0], recording)


def rewritten(changelog: Changelog, section: Section, stated: Fingerprint, recording: Recorded) -> Finding:
    """A released section that states another fingerprint than it did, or than its recording has."""
    return finding(
        "changelog/released-fingerprint",
        at(changelog, stated.line),
        says="committed" if recording.committed else "",
        value=recording.fingerprint,
        section=section.title,
        stated=stated.value,
        recorded_in=recording.where,
        line=fingerprint_line(recording.fingerprint),
        way=f"If {section.title} was never released, accept this finding; otherwise restore the line"
        if recording.committed
        else "Correct the line in the section",
    )
