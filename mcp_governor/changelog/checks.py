"""Holding a changelog to the surface: version, fingerprint, and (see :mod:`.telling`) every change told."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_governor.catalogue.finding import finding
from mcp_governor.changelog.grammar import fingerprint_line, heading_line
from mcp_governor.changelog.history import check_history
from mcp_governor.changelog.reading import MAX_PROBLEMS
from mcp_governor.changelog.stating import SchemaVersion
from mcp_governor.changelog.structure import at, check_structure, newest_section, strict_heading, working_section
from mcp_governor.changelog.subjects import subject_of
from mcp_governor.changelog.telling import Names, check_names, check_telling
from mcp_governor.frozen import frozen
from mcp_governor.surface.fingerprint import fingerprint
from mcp_governor.version_steps import Scheme, same_version, scheme_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.changelog.model import Changelog, Section
    from mcp_governor.findings import Finding, Tier
    from mcp_governor.surface.model import Surface


@frozen
class Recorded:
    """The surface of a release, where it is at hand.

    Attributes:
        version: of the release.
        fingerprint: of the recorded surface.
        where: how messages name the recording (``docs/mcp-surface/1.2.0.json``).
    """

    version: str
    fingerprint: str
    where: str


@frozen
class ChangelogSettings:
    """What a changelog is held to besides the surface.

    Attributes:
        expected: the version that the schema has now; ``None``: the one that the server reports.
        baseline: the surface that the changes start from, for names that existed.
        recorded: surfaces of released versions.
        names: further names that entries may use, such as environment variables.
        zero_policy: what a version before 1.0.0 may break, as the config's ``policy.zero-policy``.
    """

    expected: SchemaVersion | None = None
    baseline: Surface | None = None
    recorded: tuple[Recorded, ...] = ()
    names: frozenset[str] = frozenset()
    zero_policy: str = "minor-may-break"


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
        changelog: as read.
        surface: the surface of now; ``None`` checks the file by itself.
        changes: from the baseline to ``surface``; ``None`` where there is no baseline.
        settings: see :class:`ChangelogSettings`.

    Returns:
        Findings of pack ``changelog``; each one's ``fix`` holds the line to paste, its ``path`` is
        ``FILE:LINE``. A rule with more than ``MAX_PROBLEMS`` of them has one more, which says how many.

    Raises:
        FileFormatError: the entries name the same things too often.
    """
    expected = settings.expected or SchemaVersion(surface.version if surface else None, "the server")
    live = fingerprint(surface) if surface is not None else ""
    version = expected.text or _fallback_version(changelog)
    scheme = scheme_of(expected.text) if expected.text else Scheme.SEMVER
    found = _Found(changelog)
    found += check_structure(changelog, version=version, scheme=scheme, fingerprint=live)
    current, settled = changelog.current, frozenset[int]()
    if current is not None:
        found += _version(changelog, current, expected, live, settings)
    # Where the marker stands elsewhere, a section of this version is still the one that is meant.
    section = (changelog.section(expected.text) if expected.text else None) or working_section(changelog)
    if surface is not None and section is not None:
        names = Names(surface, settings.baseline, settings.names | _names_of(changes or ()))
        out = _is_released(section, settings)
        # A section of another version that is out keeps its fingerprint: version-mismatch asks for a new one.
        ahead = out and expected.text is not None and not same_version(section.version_text, expected.text)
        if not ahead:
            found += _fingerprint(changelog, section, live, out=out)
        of_baseline = _is_baseline(section, settings.baseline)
        found += check_names(changelog, section, names, released=of_baseline)
        if changes is not None:
            title = expected.text if ahead and expected.text else section.title
            telling = check_telling(changelog, section, changes, names, title=title, of_baseline=of_baseline)
            found += telling.findings
            settled = telling.settled
    tiers = _tiers(surface, settings.baseline)
    found += check_history(changelog, tiers=tiers, zero_policy=settings.zero_policy, settled=settled)
    found += _recorded(changelog, settings.recorded)
    return found.result()


class _Found:
    """Findings as they come, so many of each rule; the others are counted, for nobody reads them."""

    def __init__(self, changelog: Changelog) -> None:
        self._listed: list[Finding] = []
        self._last: dict[str, Finding] = {}
        self._unlisted = Counter({f"changelog/{rule}": count for rule, count in changelog.unlisted.items()})
        self._met: Counter[str] = Counter()

    def __iadd__(self, findings: Iterable[Finding]) -> _Found:
        for one in findings:
            self._met[one.rule] += 1
            if self._met[one.rule] <= MAX_PROBLEMS:
                self._listed.append(one)
                self._last[one.rule] = one
            else:
                self._unlisted[one.rule] += 1
        return self

    def result(self) -> list[Finding]:
        """In the order of the file; the number of those that are left out stands with the last of their rule."""
        more = [
            replace(
                self._last[rule],
                message=f"{count:,} more findings of {rule} are not listed.",
                fix="Correct the listed ones first.",
                value=count,
            )
            for rule, count in self._unlisted.items()
        ]
        return sorted([*self._listed, *more], key=_line)


def _tiers(*surfaces: Surface | None) -> dict[str, Tier]:
    return {tool.name: tool.tier for surface in surfaces if surface is not None for tool in surface.tools}


def _names_of(changes: Sequence[Change]) -> frozenset[str]:
    """The names that changes are about: an entry that tells one may use them."""
    subjects = [subject_of(change) for change in changes]
    return frozenset(name for subject in subjects for name in (*subject.fields, subject.successor) if name)


def _line(found: Finding) -> int:
    return int(found.path.rpartition(":")[2])


def _fallback_version(changelog: Changelog) -> str:
    newest = newest_section(changelog)
    return newest.version_text if newest is not None else "1.0.0"


def _version(
    changelog: Changelog, current: Section, expected: SchemaVersion, live: str, settings: ChangelogSettings
) -> Iterator[Finding]:
    if expected.text is None or current.unreleased or same_version(current.version_text, expected.text):
        return
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
        repair=_version_repair(changelog, current, expected.text, live, settings),
    )


def _version_repair(
    changelog: Changelog, current: Section, expected: str, live: str, settings: ChangelogSettings
) -> str:
    """What to write: the marker belongs to another section, or to a new one, or the heading is wrong."""
    heading, plain = heading_line(expected, current=True), strict_heading(current, current=False)
    other = changelog.section(expected) or next((part for part in changelog.sections if part.unreleased), None)
    if other is not None and other is not current:
        return f"write line {current.line} as: {plain}\nand line {other.line} as: {heading}"
    if _is_released(current, settings):
        begin = f"{heading}\n\n{fingerprint_line(live)}" if live else heading
        return f"write line {current.line} as: {plain}\nand start a section above it:\n\n{begin}"
    return f"write line {current.line} as: {heading_line(expected, current=True, day=current.date)}"


def _is_baseline(section: Section, baseline: Surface | None) -> bool:
    """Whether the surface before a section's release is not at hand: no baseline, or the release itself."""
    if baseline is None or (baseline.version is not None and same_version(section.version_text, baseline.version)):
        return True
    return any(stated.value == fingerprint(baseline) for stated in section.fingerprints)


def _is_released(section: Section, settings: ChangelogSettings) -> bool:
    """Whether clients have met a section's version: it is dated, recorded, or the baseline's."""
    known = [recording.version for recording in settings.recorded]
    if settings.baseline is not None and settings.baseline.version is not None:
        known.append(settings.baseline.version)
    return section.date is not None or any(same_version(section.version_text, version) for version in known)


def _fingerprint(changelog: Changelog, current: Section, live: str, *, out: bool) -> Iterator[Finding]:
    line = fingerprint_line(live)
    if not current.fingerprints:
        where = at(changelog, current.line)
        yield finding("changelog/fingerprint-missing", where, value=live, section=current.title, line=line)
    elif all(stated.value != live for stated in current.fingerprints):
        stated = current.fingerprints[0]
        where = at(changelog, stated.line)
        hint = f" (in a section of its own: {current.title} is out)" if out else ""
        yield finding("changelog/fingerprint-stale", where, value=live, stated=stated.value, line=line, hint=hint)


def _recorded(changelog: Changelog, recorded: Sequence[Recorded]) -> Iterator[Finding]:
    for recording in recorded:
        section = changelog.section(recording.version)
        if section is None or section.current:
            continue
        strict = [stated for stated in section.fingerprints if stated.strict]
        if strict and all(stated.value != recording.fingerprint for stated in strict):
            yield finding(
                "changelog/released-fingerprint",
                at(changelog, strict[0].line),
                value=recording.fingerprint,
                section=section.title,
                stated=strict[0].value,
                recorded_in=recording.where,
                line=fingerprint_line(recording.fingerprint),
            )
