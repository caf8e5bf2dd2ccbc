"""The rules of pack ``surface`` about versions, deprecations and the changelog, for runs that select them; and at a
release: were models asked about these words? (``policy.evaluation``)
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mcp_governor.config import DEFAULT_CHANGELOG
from mcp_governor.errors import GovernorError
from mcp_governor.findings import Tier
from mcp_governor.rules.finding import finding
from mcp_governor.surface import fingerprint
from mcp_governor.surface.fingerprint import wording_fingerprint
from mcp_governor.text import one_line, short_digests, visible
from mcp_governor.versions import Numbered, is_development, same_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcp_governor.changelog import Changelog, SchemaVersion
    from mcp_governor.checking.against.comparison import Comparison
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.policy.windows import History
    from mcp_governor.stage import Stage
    from mcp_governor.surface import Surface


CHANGELOG_EXISTS = "surface/changelog-exists"
SERVER_VERSION = "surface/server-version"
DEPRECATION_UNMARKED = "surface/deprecation-unmarked"
DEPRECATION_UNANNOUNCED = "surface/deprecation-unannounced"


def check_discipline(
    compared: Comparison,
    changelog: Changelog | None,
    expected: SchemaVersion,
    before: str | None,
    runs: Callable[[str], bool],
) -> Iterator[Finding]:
    """The findings of the rules that run.

    Args:
        compared: the run.
        changelog, expected: as read, and the current version.
        before: the version of the baseline.
        runs: returns true for the id of a rule that runs.
    """
    surface, config = compared.surface, compared.config
    if runs(SERVER_VERSION):
        yield from _server_version(compared, expected)
    if changelog is None:
        if runs(CHANGELOG_EXISTS):
            yield from _changelog_exists(config)
        return
    from mcp_governor.changelog.history import REMOVED_ENTRY, check_removals
    from mcp_governor.policy.windows import History

    yield from _of_release(compared, changelog, expected, before, runs)
    if runs(REMOVED_ENTRY):
        names = frozenset(surface.by_name).union(compared.old.by_name if compared.old is not None else ())
        yield from check_removals(changelog, compared.changes, names, before)
    history = History(changelog, before, expected.text, config.policy.windows)
    if runs(DEPRECATION_UNMARKED):
        yield from _unmarked(compared, history)
    if runs(DEPRECATION_UNANNOUNCED):
        yield from _unannounced(compared, history, changelog)


def _server_version(compared: Comparison, expected: SchemaVersion) -> Iterator[Finding]:
    """``initialize`` reports the version of the schema."""
    from mcp_governor.version_sources import SERVER_INFO

    surface, stage = compared.surface, compared.stage
    if expected.spec == SERVER_INFO or not surface.server:
        return
    # A recording states both as of the time it was made, and need not be renewed for each new version.
    recorded = surface.stated
    version = recorded[0] if recorded is not None and recorded[1] == expected.count else expected.text
    if version is None or (expected.tagged and stage.tag is None):
        return
    said = surface.server.get("version")
    reported = said if isinstance(said, str) else ""
    if same_version(version, reported) or (stage.between and is_development(reported)):
        return
    facts = {"reported": reported, "version": version, "source": expected.source}
    path = "/serverInfo/version"
    yield finding(SERVER_VERSION, path, value=[reported, version], says="" if reported else "none", facts=facts)


def _changelog_exists(config: Config) -> Iterator[Finding]:
    if config.path is None or config.isolated or config.changelog:
        return  # no repository is governed, or the file was deleted, which is reported elsewhere
    name = visible(DEFAULT_CHANGELOG)
    says = "unnamed" if config.resolve(DEFAULT_CHANGELOG).exists() else ""
    yield finding(CHANGELOG_EXISTS, visible(config.path.name), value=None, says=says, file=name)


def _of_release(
    compared: Comparison,
    changelog: Changelog,
    expected: SchemaVersion,
    before: str | None,
    runs: Callable[[str], bool],
) -> Iterator[Finding]:
    """What the section of a release must have; nothing between releases."""
    from mcp_governor.changelog.history import (
        MIGRATION_GUIDE,
        RELEASE_ENTRY,
        check_entries,
        check_guide,
        release_section,
    )

    stage, config = compared.stage, compared.config
    if before is None or stage.between:
        return
    section = release_section(changelog, before, expected.text, zero_policy=config.policy.zero_policy)
    if section is None:
        return
    # While the release is only planned, its section has this heading in the file.
    written = "## Unreleased" if stage.version and stage.gate == "release" else ""
    folder = config.resolve(config.changelog).parent

    def exists(name: str) -> bool:
        try:
            return (folder / name).exists()
        except (OSError, ValueError):
            return False  # not a file name

    if runs(RELEASE_ENTRY):
        yield from check_entries(changelog, section, before, written=written)
    if runs(MIGRATION_GUIDE):
        yield from check_guide(changelog, section, before, exists=exists, written=written)


def _unmarked(compared: Comparison, history: History) -> Iterator[Finding]:
    for tool in compared.surface.tools:
        announced = history.announcement(tool) if tool.deprecation is None else None
        if announced is None or tool.tier is Tier.INTERNAL:
            continue
        section, instead = announced.section, announced.replacement
        mark = {"since": section.version_text, "replacement": instead or "none"}
        shown = {"deprecated": {key: value for key, value in mark.items() if value}}
        ending = f"use `{instead}` instead." if instead else "nothing replaces it, because REASON."
        yield finding(
            DEPRECATION_UNMARKED,
            "/deprecated",
            tool=tool.name,
            value=section.version_text,
            section=section.title,
            mark=json.dumps(shown),
            words=f"Deprecated: {ending}",
        )


def _unannounced(compared: Comparison, history: History, changelog: Changelog) -> Iterator[Finding]:
    before = compared.old.by_name if compared.old is not None else None
    versions = [section.numbered for section in changelog.released]
    known = [version for version in versions if version is not None]
    for tool in compared.surface.tools:
        notice = tool.deprecation
        if notice is None or tool.tier is Tier.INTERNAL or history.announcement(tool) is not None:
            continue
        was = before.get(tool.name) if before is not None else None
        if before is not None and (was is None or was.deprecation is None):
            continue  # the change has no entry, which is reported elsewhere
        since = Numbered.parse(notice.since or "")
        if since is not None and known and since < min(known):
            continue  # before the changelog, which then cannot have announced it
        instead = notice.replacement
        ending = f"use `{instead or 'REPLACEMENT'}` instead"
        if notice.nothing:
            ending = "nothing replaces it, because REASON"
        yield finding(
            DEPRECATION_UNANNOUNCED,
            "/deprecated",
            tool=tool.name,
            value=instead,
            source=notice.source,
            entry=f"- `{visible(tool.name)}` is deprecated; {one_line(ending, 120)}.",
        )


_RULE = "evaluation/run-missing"


def check_evaluated(surface: Surface, config: Config, stage: Stage) -> Iterator[Finding]:
    """A finding if the recorded evaluation is about other words, or there is none.

    MCP Charter 1.2, Enforcement and "How to propose changes": level 3 runs at the boundary of a phase, not for each
    commit, and a change of descriptions or of the response shape needs a run. With ``policy.gate = "change"``, every
    change is treated as a release, but only a tag and ``--release`` are the end of a phase.
    """
    file = config.evaluation_record
    at_release = stage.tag is not None or stage.asked or (stage.at_release and stage.gate == "release")
    if config.policy.evaluation == "none" or file is None or not at_release:
        return
    from mcp_governor.evaluation.record import read_record

    shown = visible(file.relative_to(config.root).as_posix() if file.is_relative_to(config.root) else str(file))
    if not file.exists():
        yield finding(_RULE, shown, says="none", value="", facts={"file": shown})
        return
    try:
        recorded = read_record(file)
    except GovernorError as error:
        yield finding(_RULE, shown, says="unreadable", value="", facts={"reason": error.message.rstrip(".")})
        return
    if not recorded.models:
        yield finding(_RULE, shown, says="proxies", value="", facts={"file": shown})
        return

    digests = [("wording", recorded.wording, wording_fingerprint(surface))]
    if config.policy.evaluation == "descriptions-and-schemas":
        digests.append(("contract", recorded.fingerprint, fingerprint(surface)))
    for what, then, now in digests:
        if then != now:
            facts = {"file": shown, "what": what, "then": short_digests(then), "now": short_digests(now)}
            yield finding(_RULE, shown, value=[what, now], facts=facts)
            return
