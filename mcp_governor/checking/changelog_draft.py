"""A changelog with everything that drafting and releasing need besides its text."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.changelog import parse
from mcp_governor.changelog.history import admitted_step
from mcp_governor.changelog.model import Released
from mcp_governor.changelog.stating import baseline_version
from mcp_governor.changelog.structure import waiting_sections, working_section
from mcp_governor.checking.against.baseline import baseline_of
from mcp_governor.checking.against.stale_recording import older_record, recorded_at_head
from mcp_governor.checking.changelog import load_changelog, read_declared, released_versions
from mcp_governor.checking.reading import changes_between, read_governed, trusting
from mcp_governor.config import DEFAULT_CHANGELOG
from mcp_governor.errors import UsageError
from mcp_governor.findings import Bump
from mcp_governor.policy.model import needed_by
from mcp_governor.surface import fingerprint
from mcp_governor.target.git_door import one_look
from mcp_governor.target.git_releases import release_tags
from mcp_governor.target.resolve import baseline_file
from mcp_governor.text import capital, one_line
from mcp_governor.versions import Numbered, Scheme, declared_step, needed_step, next_version, same_version, scheme_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.change import Change
    from mcp_governor.changelog import Changelog, Section
    from mcp_governor.checking.against.baseline import Baseline
    from mcp_governor.config import Config
    from mcp_governor.surface import Surface
    from mcp_governor.target import Source
    from mcp_governor.version_sources import SchemaVersion


class OpenChangelog(Struct, frozen=True, dict=True):
    """A changelog with the surfaces that it describes.

    Attributes:
        config: names the changelog, even if the configuration file does not.
        book: the changelog; an empty one if there is none.
        surface: the current one.
        baseline: the start of the changes; ``None`` if there is none.
        changes: from the baseline to the current surface.
        expected: the current version of the surface, and where it is set.
        recording: the file from which the surface was read, because it is of this commit; empty if the target was read.
    """

    config: Config
    book: Changelog
    surface: Surface
    baseline: Baseline | None
    changes: Sequence[Change]
    expected: SchemaVersion
    recording: str = ""

    @property
    def tools(self) -> set[str]:
        """The names of all former and current tools."""
        old = set(self.baseline.surface.by_name) if self.baseline else set()
        return old | set(self.surface.by_name)

    @property
    def replacements(self) -> dict[str, str]:
        """Replacements of removed tools, from their deprecation notices."""
        if self.baseline is None:
            return {}
        return {
            tool.name: tool.deprecation.replacement
            for tool in self.baseline.surface.tools
            if tool.deprecation is not None and tool.deprecation.replacement
        }

    @cached_property
    def before(self) -> str | None:
        """The version of the baseline; ``None`` if it is unknown."""
        if self.baseline is None:
            return None
        return baseline_version(self.config.schema_version, self.baseline.surface, self.book, self.expected)

    @cached_property
    def needed(self) -> Bump:
        """The step that the changes require."""
        return needed_by(self.changes, self.before, self.config.policy)[0]

    @property
    def counts(self) -> bool:
        """True if the versions define what a step may break; dates and names do not."""
        known = [text for text in (self.before, self.expected.text) if text]
        return all(scheme_of(text) in (Scheme.SEMVER, Scheme.NUMBERED) for text in known)

    @property
    def moved(self) -> bool:
        """True if the current version differs from the baseline's."""
        now = self.expected.text
        return now is not None and (self.before is None or not same_version(now, self.before))

    @cached_property
    def goal(self) -> str | None:
        """The version for the release of the changes: the current one if its step from the baseline's is large enough,
        else the next one that is; ``None`` if that is unknown."""
        now, before = self.expected.text, self.before
        if before is None or (self.moved and not self.counts):
            return now
        if self.moved and now is not None and self.enough(now):
            return now
        if self.proposed is Bump.NONE:
            return now
        return next_version(before, self.proposed) if self.counts else None

    def enough(self, version: str) -> bool:
        """True if a version is a large enough step from the baseline's, or the team has accepted a smaller one."""
        accepted = (one.finding for one in self.config.accept if not one.released)
        if self.before is None or any(name.startswith("policy/bump-too-small:") for name in accepted):
            return True
        return declared_step(self.before, version, calver=self.config.policy.calver).bump.rank >= self.needed.rank

    @cached_property
    def proposed(self) -> Bump:
        """The step of the release, which may be larger than the changes require, because of entries about what no
        surface shows."""
        tiers = {tool.name: tool.tier for tool in self.surface.tools}
        admitted = admitted_step(self.waiting, tiers) if self.config.policy.gate == "release" else Bump.NONE
        return Bump.highest(
            [self.needed, needed_step(admitted, self.before or "", zero_policy=self.config.policy.zero_policy)]
        )

    @property
    def since_release(self) -> bool:
        """True if the changes are all since the last release: the baseline is what its section states."""
        section = self.book.section(self.before) if self.before is not None else None
        if section is None or self.baseline is None:
            return False
        return fingerprint(self.baseline.surface) in [one.value for one in section.fingerprints]

    @cached_property
    def waiting(self) -> tuple[Section, ...]:
        """The sections that are not released yet."""
        return waiting_sections(self.book, self.before)

    @cached_property
    def tags(self) -> dict[Numbered, str]:
        """Each tagged release with its tag."""
        return release_tags(self.config.root)

    @cached_property
    def released(self) -> Released:
        """The released versions: tagged, recorded, or the baseline."""
        known = released_versions(self.config)
        last = Numbered.parse(self.before or "")
        baseline = {last: "it is the baseline"} if last is not None else {}
        stated = fingerprint(self.baseline.surface) if self.baseline is not None else ""
        return Released({**baseline, **known}, last, stated, kept=bool(known))


@one_look()
def open_changelog(config: Config, source: Source, against: str | None, *, live: bool = True) -> OpenChangelog:
    """Read everything for a :class:`OpenChangelog`; ``live`` reads the server even if its recording is of this commit.

    Raises:
        GovernorError: a document cannot be read.
    """
    if config.changelog and config.resolve(config.changelog).exists():
        book = load_changelog(config)
    else:
        config = replace(config, changelog=config.changelog or DEFAULT_CHANGELOG)
        book = parse("", config.changelog)
    recorded = None if live else recorded_at_head(config, source)
    surface = read_governed(source, config) if recorded is None else recorded
    # As in a check: a server that the configuration starts anyway may come with its own rules.
    config = trusting(config, source)
    baseline = baseline_of(surface, config, against, source=source, changelog=book)
    changes = changes_between(baseline.surface, surface, config) if baseline is not None else []
    expected = read_declared(config, surface, book)[1]
    name = "" if recorded is None else baseline_file(config)
    return OpenChangelog(config, book, surface, baseline, changes, expected, name)


class Drafted(Struct, frozen=True):
    """A changelog with the missing entries added.

    Attributes:
        text: the whole file.
        version: the version of the drafted section; empty for ``## Unreleased``.
        missing: number of missing entries.
        outdated: number of removed entries, which nobody had edited since they were drafted.
        advice: one sentence with the next step.
    """

    text: str
    version: str
    missing: int
    outdated: int
    advice: str


def draft_changelog(opened: OpenChangelog, version: str | None = None) -> Drafted:
    """Draft the missing entries, in the section where they belong, or in that of ``version``, if the user named one.

    With ``policy.gate = "release"`` that is ``## Unreleased``, or the section of the current version if it exists;
    otherwise it is the section of the version that the changes require.

    Raises:
        UsageError: the version is already released, or the next version is unknown.
    """
    from mcp_governor.changelog.drafting import draft, draft_unreleased, placeholders

    book = opened.book
    named, last = Numbered.parse(version or ""), Numbered.parse(opened.before or "")
    if version is not None and named is not None and last is not None and named < last:
        raise UsageError(
            f"{one_line(version, 60)} is older than {opened.before}, which is released; nothing was written.",
            "Name a later version, or leave --for out.",
        )
    chosen = version if version is not None else _chosen(opened)
    how: dict[str, Any] = {
        "tools": opened.tools,
        "replacements": opened.replacements,
        "repair": opened.since_release,
    }
    if chosen:
        digest = fingerprint(opened.surface)
        text = draft(book, opened.changes, version=chosen, fingerprint=digest, released=opened.released, **how)
    else:
        text = draft_unreleased(book, opened.changes, waiting=opened.waiting, **how)
    after = parse(text, book.what)
    before, now = (Counter(entry.text for part in one.sections for _, entry in part.entries) for one in (book, after))
    advice = _advice(opened, chosen, placeholders(book.text, text))
    return Drafted(text, chosen, (now - before).total(), (before - now).total(), advice)


def _chosen(opened: OpenChangelog) -> str:
    """The version of the section; empty for ``## Unreleased``."""
    now = opened.expected.text
    if not opened.book.sections and opened.baseline is None and now is not None:
        return now  # the first section, whatever the gate: there is nothing to wait for
    if opened.config.policy.gate == "release":
        own = opened.book.section(now) if now is not None and opened.moved else None
        top = working_section(opened.book)
        waits = top is not None and top.unreleased and bool(top.entries)
        return now if now is not None and own is not None and not waits and not opened.released.evidence(own) else ""
    current = opened.book.current
    if now is None and current is not None and not current.unreleased:
        return current.version_text
    if now is None:
        raise UsageError("The server reports no version.", 'Set schema-version = "1.0.0" in the configuration.')
    if opened.goal is None:
        place = f" in {opened.expected.place}" if opened.expected.place is not None else ""
        raise UsageError(
            f"{capital(opened.expected.stands)}, which is released, and these changes need a new version; nothing was "
            "written.",
            f"Set the new version first{place}, or name it: mcp-governor changelog draft --for VERSION",
        )
    return opened.goal


def _advice(opened: OpenChangelog, version: str, lines: list[int]) -> str:
    if lines:
        shown = ", ".join(map(str, lines[:5])) + (", …" if len(lines) > 5 else "")
        return (
            f"Next: in line{'' if len(lines) == 1 else 's'} {shown} of {opened.config.changelog}, name the tool to use "
            "instead of REPLACEMENT, or write that nothing replaces it, and why."
        )
    if version and not opened.enough(version) and opened.before is not None and opened.counts:
        fitting = next_version(opened.before, opened.needed)
        return (
            f"Next: {one_line(version, 60)} is too small, because these changes need a {opened.needed.value} step: "
            f"mcp-governor changelog draft --for {fitting}"
        )
    now = opened.expected.text
    wanted = version or (opened.goal if opened.moved else None)
    if wanted and now is not None and not same_version(now, wanted):
        return f"Next: {opened.expected.lags(wanted)}."
    if version:
        return "Next: mcp-governor check"
    coming = opened.goal if opened.goal is not None and opened.proposed is not Bump.NONE else "VERSION"
    older = older_record(opened.surface, opened.config)
    record = f"Record the surface in {older}: mcp-governor snapshot\nCommit both" if older else "Commit it"
    return f"{record} with the change. When you release: mcp-governor changelog release {coming}"
