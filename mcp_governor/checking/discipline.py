"""The rules of pack ``surface`` about versions, deprecations and the changelog, for runs that select them."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.config import DEFAULT_CHANGELOG
from mcp_governor.findings import Tier
from mcp_governor.rules.finding import finding
from mcp_governor.text import one_line, visible
from mcp_governor.version_steps import is_development, same_version
from mcp_governor.versions import Numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mcp_governor.changelog import Changelog, SchemaVersion
    from mcp_governor.changelog.model import Section
    from mcp_governor.checking.against.comparison import Comparison
    from mcp_governor.checking.changelog import Declared
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.policy.windows import History
    from mcp_governor.stage import Stage
    from mcp_governor.surface import Surface

CHANGELOG_EXISTS = "surface/changelog-exists"
SERVER_VERSION = "surface/server-version"
DEPRECATION_UNMARKED = "surface/deprecation-unmarked"
DEPRECATION_UNANNOUNCED = "surface/deprecation-unannounced"


class Discipline(Struct, frozen=True, dict=True):
    """A run from the point of view of these rules.

    Attributes:
        compared: the run.
        declared: the changelog, and the current version.
        before: the version of the baseline.
    """

    compared: Comparison
    declared: Declared
    before: str | None

    @property
    def surface(self) -> Surface:
        return self.compared.surface

    @property
    def config(self) -> Config:
        return self.compared.config

    @property
    def stage(self) -> Stage:
        return self.compared.stage

    @property
    def changelog(self) -> Changelog | None:
        return self.declared.changelog

    @property
    def expected(self) -> SchemaVersion:
        return self.declared.expected

    def findings(self, runs: Callable[[str], bool]) -> Iterator[Finding]:
        """The findings of the rules that run.

        Args:
            runs: returns true for the id of a rule that runs.
        """
        for check in self._checks(runs):
            yield from check()

    def _checks(self, runs: Callable[[str], bool]) -> Iterator[Callable[[], Iterable[Finding]]]:
        from mcp_governor.changelog.discipline import MIGRATION_GUIDE, RELEASE_ENTRY, REMOVED_ENTRY

        if runs(SERVER_VERSION):
            yield self._server_version
        if self.changelog is None:
            if runs(CHANGELOG_EXISTS):
                yield self._changelog_exists
            return
        for rule, check in (
            (RELEASE_ENTRY, self._release_entry),
            (MIGRATION_GUIDE, self._migration_guide),
            (REMOVED_ENTRY, self._removed_entry),
            (DEPRECATION_UNMARKED, self._unmarked),
            (DEPRECATION_UNANNOUNCED, self._unannounced),
        ):
            if runs(rule):
                yield check

    # -- the server

    def _server_version(self) -> Iterator[Finding]:
        """``initialize`` reports the version of the schema."""
        from mcp_governor.version_sources import SERVER_INFO

        expected, said = self.expected, self.surface.server.get("version")
        if expected.spec == SERVER_INFO or not self.surface.server:
            return
        # A recording states both as of the time it was made, and need not be renewed for each new version.
        recorded = self.surface.stated
        version = recorded[0] if recorded is not None and recorded[1] == expected.count else expected.text
        if version is None or (expected.tagged and self.stage.tag is None):
            return
        reported = said if isinstance(said, str) else ""
        if same_version(version, reported) or (self.stage.between and is_development(reported)):
            return
        facts = {"reported": reported, "version": version, "source": expected.source}
        path = "/serverInfo/version"
        yield finding(SERVER_VERSION, path, value=[reported, version], says="" if reported else "none", facts=facts)

    # -- the changelog

    def _changelog_exists(self) -> Iterator[Finding]:
        config = self.config
        if config.path is None or config.isolated or config.changelog:
            return  # no repository is governed, or the file was deleted, which is reported elsewhere
        name = visible(DEFAULT_CHANGELOG)
        says = "unnamed" if config.resolve(DEFAULT_CHANGELOG).exists() else ""
        yield finding(CHANGELOG_EXISTS, visible(config.path.name), value=None, says=says, file=name)

    def _release_entry(self) -> Iterable[Finding]:
        from mcp_governor.changelog.discipline import check_entries

        released = self._released
        return check_entries(*released, written=self._written) if released is not None else ()

    def _migration_guide(self) -> Iterable[Finding]:
        from mcp_governor.changelog.discipline import check_guide

        released = self._released
        if released is None:
            return ()
        return check_guide(*released, exists=self._is_next_to_changelog, written=self._written)

    @property
    def _written(self) -> str:
        """The heading that the section of a release has in the file while the release is only planned."""
        return "## Unreleased" if self.stage.version and self.stage.gate == "release" else ""

    @cached_property
    def _released(self) -> tuple[Changelog, Section, str] | None:
        """The section of the release, and the version before it; ``None`` if the run is not at a release."""
        from mcp_governor.changelog.discipline import release_section

        if self.changelog is None or self.before is None or self.stage.between:
            return None
        zero_policy = self.config.policy.zero_policy
        section = release_section(self.changelog, self.before, self.expected.text, zero_policy=zero_policy)
        return None if section is None else (self.changelog, section, self.before)

    def _is_next_to_changelog(self, name: str) -> bool:
        folder = self.config.resolve(self.config.changelog).parent
        try:
            return (folder / name).exists()
        except (OSError, ValueError):
            return False  # not a file name

    def _removed_entry(self) -> Iterable[Finding]:
        from mcp_governor.changelog.discipline import check_removals

        assert self.changelog is not None
        before = self.compared.old.by_name if self.compared.old is not None else {}
        names = frozenset(before) | frozenset(self.surface.by_name)
        return check_removals(self.changelog, self.compared.changes, names, self.before)

    # -- deprecations, in the changelog and on the surface

    @cached_property
    def _history(self) -> History:
        from mcp_governor.policy.windows import History

        return History(self.changelog, self.before, self.expected.text, self.config.policy.windows)

    def _unmarked(self) -> Iterator[Finding]:
        for tool in self.surface.tools:
            announced = self._history.announcement(tool) if tool.deprecation is None else None
            if announced is None or tool.tier is Tier.INTERNAL:
                continue
            section, instead = announced.section, announced.replacement
            mark = {"since": section.version_text, **({"replacement": instead} if instead else {"replacement": "none"})}
            shown = {"deprecated": {key: value for key, value in mark.items() if value}}
            words = (
                f"Deprecated: use `{instead}` instead."
                if instead
                else "Deprecated: nothing replaces it, because REASON."
            )
            yield finding(
                DEPRECATION_UNMARKED,
                "/deprecated",
                tool=tool.name,
                value=section.version_text,
                section=section.title,
                mark=json.dumps(shown),
                words=words,
            )

    def _is_before_the_changelog(self, since: str | None) -> bool:
        """True if a version is older than every release of the changelog, which then cannot have announced it."""
        said = Numbered.parse(since or "")
        sections = [section.numbered for section in self.changelog.released] if self.changelog is not None else []
        known = [version for version in sections if version is not None]
        return said is not None and bool(known) and said < min(known)

    def _unannounced(self) -> Iterator[Finding]:
        before = self.compared.old.by_name if self.compared.old is not None else None
        for tool in self.surface.tools:
            if tool.deprecation is None or tool.tier is Tier.INTERNAL or self._history.announcement(tool) is not None:
                continue
            was = before.get(tool.name) if before is not None else None
            if before is not None and (was is None or was.deprecation is None):
                continue  # the change has no entry, which is reported elsewhere
            if self._is_before_the_changelog(tool.deprecation.since):
                continue
            instead = tool.deprecation.replacement
            ending = f"use `{instead}` instead" if instead else "use `REPLACEMENT` instead"
            if tool.deprecation.nothing:
                ending = "nothing replaces it, because REASON"
            yield finding(
                DEPRECATION_UNANNOUNCED,
                "/deprecated",
                tool=tool.name,
                value=instead,
                source=tool.deprecation.source,
                entry=f"- `{visible(tool.name)}` is deprecated; {one_line(ending, 120)}.",
            )
