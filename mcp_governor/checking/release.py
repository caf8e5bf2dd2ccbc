"""Checks that version, deprecations and changelog reflect the changes: policy and changelog together."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.changelog.stating import baseline_version
from mcp_governor.checking.against.last_release import rewritten_release
from mcp_governor.checking.changelog import read_declared, recorded_releases, released_versions
from mcp_governor.checking.discipline import check_discipline
from mcp_governor.errors import ConfigError
from mcp_governor.files import MAX_TEXT_BYTES, read_bytes
from mcp_governor.findings import Bump
from mcp_governor.rules.finding import finding
from mcp_governor.target.git import files_at
from mcp_governor.target.git_releases import version_of_tag
from mcp_governor.target.packages import is_package
from mcp_governor.text import one_line, visible
from mcp_governor.version_sources import SERVER_INFO
from mcp_governor.versions import Numbered, same_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mcp_governor.changelog import Changelog, SchemaVersion
    from mcp_governor.checking.against.comparison import Comparison
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.stage import Pending, Stage
    from mcp_governor.surface import Surface


class ReleaseResult(Struct, frozen=True, dict=True):
    """The statements of a release about itself, compared with what is published.

    Attributes:
        required_bump, declared_bump: the step that the changes require, and the one between the versions.
        versions: the two versions of the declared step; ``None`` if one is unknown.
        old_version: the version of the baseline; ``None`` if it is unknown.
        forcing: ids of the changes that require the step.
        pending: changes that wait for the next release.
        findings: of packs ``policy`` and ``changelog``.
    """

    required_bump: Bump = Bump.NONE
    declared_bump: Bump | None = None
    versions: tuple[str, str] | None = None
    old_version: str | None = None
    forcing: tuple[str, ...] = ()
    pending: Pending | None = None
    findings: tuple[Finding, ...] = ()


def check_release(compared: Comparison, *, runs: Callable[[str], bool] | None = None) -> ReleaseResult:
    """Check a surface against the configured changelog, or another one, and against the policy.

    Args:
        compared: the run.
        runs: returns true for selected rules of :mod:`mcp_governor.checking.discipline`; ``None`` if there are none.

    Raises:
        FileFormatError: the configured changelog cannot be read.
        ConfigError: the schema version refers to a constant that does not exist.
    """
    from mcp_governor.policy.evaluation import evaluate

    surface, config, stage = compared.surface, compared.config, compared.stage
    changelog, expected = read_declared(config, surface, compared.changelog)
    if stage.version:
        expected = expected.for_release(stage.version)
    old_version = None
    if compared.old is not None:
        old_version = baseline_version(config.schema_version, compared.old, changelog, expected)
    expected = _to_be_tagged(changelog, expected, stage)
    new_version = expected.text
    result = evaluate(
        compared.changes,
        compared.old,
        surface,
        old_version=old_version,
        new_version=new_version,
        changelog=changelog,
        settings=config.policy,
        today=compared.today,
        stage=stage,
        source=expected,
        admitted=_admitted(changelog, compared, old_version),
    )
    behind = tuple(_left_behind(expected, compared, old_version))
    wrong_source = () if behind else tuple(_source(surface, config))
    further = check_discipline(compared, changelog, expected, old_version, runs) if runs else ()
    return ReleaseResult(
        required_bump=result.required_bump,
        declared_bump=result.declared_bump,
        versions=(old_version, new_version) if old_version and new_version else None,
        old_version=old_version,
        forcing=tuple(change.id for change in result.forcing),
        pending=result.pending,
        findings=(
            *result.findings,
            *_changelog(changelog, expected, compared, old_version, result.coming),
            *_contract_doc(compared),
            *_configured(compared, expected),
            *behind,
            *wrong_source,
            *further,
            *(() if wrong_source else _tag(expected, compared, old_version, result.required_bump)),
        ),
    )


def _changelog(
    changelog: Changelog | None,
    expected: SchemaVersion,
    compared: Comparison,
    version: str | None,
    coming: str | None,
) -> list[Finding]:
    """Problems of the changelog, checked against everything that is available; ``coming`` is the next version."""
    if changelog is None:
        return []
    from mcp_governor.changelog import ChangelogSettings, check
    from mcp_governor.policy.manifest import manifest_names

    surface, config, stage, old = compared.surface, compared.config, compared.stage, compared.old
    if old is not None and version is not None:
        # From the configured source; the server of the baseline may not have reported it.
        old = replace(old, release=version)
    manifests = [one.manifest for one in (surface, old) if one is not None and one.manifest is not None]
    settings = ChangelogSettings(
        expected=expected,
        baseline=old,
        recorded=(
            *recorded_releases(changelog, config, with_current=stage.between),
            *rewritten_release(config, surface, stage, changelog),
        ),
        out=_released_if_needed(changelog, expected, config),
        names=frozenset[str]().union(*map(manifest_names, manifests)),
        zero_policy=config.policy.zero_policy,
        stage=stage,
        coming=coming,
    )
    return check(changelog, surface, compared.changes if old is not None else None, settings=settings)


def _released_if_needed(changelog: Changelog, expected: SchemaVersion, config: Config) -> dict[Numbered, str]:
    """Released versions, if a heading might have to change: computed only then, because it runs git."""
    current, now = changelog.current, expected.text
    if current is None or now is None or current.numbered == Numbered.parse(now):
        return {}
    return released_versions(config)


def _to_be_tagged(changelog: Changelog | None, expected: SchemaVersion, stage: Stage) -> SchemaVersion:
    """The version of the source, or its next one: a tag follows the commit whose changelog has the new version."""
    current = changelog.current if changelog is not None else None
    if not expected.tagged or stage.tag is not None or expected.text is None or current is None:
        return expected
    # The tag, not the baseline: before a tag contains a recording, the baseline is the one of the work tree.
    version, last = current.numbered, Numbered.parse(expected.text)
    ahead = version is not None and last is not None and version > last
    return expected.for_release(current.version_text) if ahead else expected


def _admitted(changelog: Changelog | None, compared: Comparison, released: str | None) -> Bump:
    """The step that the changelog's entries for the next release require, in their own words."""
    if changelog is None or compared.stage.gate != "release":
        return Bump.NONE
    from mcp_governor.changelog.history import admitted_step
    from mcp_governor.changelog.structure import waiting_sections

    surfaces = (compared.surface, compared.old)
    tiers = {tool.name: tool.tier for one in surfaces if one is not None for tool in one.tools}
    return admitted_step(waiting_sections(changelog, released), tiers)


def _configured(compared: Comparison, expected: SchemaVersion) -> Iterator[Finding]:
    """What a repository asks for by a key of its own: versions in definitions, an evaluation, a registry manifest."""
    surface, config = compared.surface, compared.config
    if config.policy.definition_version and compared.old is not None:
        from mcp_governor.policy.definition_version import check_definition_versions

        yield from check_definition_versions(compared.old, surface, config.policy.definition_version)
    if config.policy.evaluation != "none":
        from mcp_governor.checking.discipline import check_evaluated

        yield from check_evaluated(surface, config, compared.stage)
    if surface.manifest is not None:
        from mcp_governor.policy.manifest import check_manifest

        yield from check_manifest(surface.manifest, expected, what=config.server_json or "server.json")


def _source(surface: Surface, config: Config) -> Iterable[Finding]:
    """Check that the version reported by the server is the right source, for a configured server."""
    if not _reports_itself(surface, config):
        return ()
    from mcp_governor.policy.version_source import check_source

    return check_source(surface, config.root)


def _reports_itself(surface: Surface, config: Config) -> bool:
    """True if the version of a configured server is the one that it reports."""

    return config.path is not None and config.schema_version == SERVER_INFO and not is_package(surface.source)


def _left_behind(expected: SchemaVersion, compared: Comparison, before: str | None) -> Iterator[Finding]:
    """The project file that states an older version than the server, which has left its last release.

    npm and PyPI publish under the version of that file. Where it is ahead of the server, or no version has moved, the
    two may count different things, which ``policy/version-source`` reports.
    """
    config, now, last = compared.config, Numbered.parse(expected.text or ""), Numbered.parse(before or "")
    if not _reports_itself(compared.surface, config) or now is None or last is None or now <= last or now.is_dev:
        return
    from mcp_governor.target.discover.node import read_json
    from mcp_governor.version_sources.constants import shown_file
    from mcp_governor.version_sources.projects import is_placeholder, project_files, read_project

    for file in project_files(config.root)[:1]:
        try:
            stated = read_project(file, config.root)
        except ConfigError:
            return
        published = file.name == "pyproject.toml" or (
            file.name == "package.json" and read_json(file).get("private") is not True
        )
        version = Numbered.parse(stated.text)
        if published and version is not None and version < now and not is_placeholder(stated.text):
            name = shown_file(stated.file, config.root)
            yield finding(
                "policy/manifest-version",
                name,
                value=[stated.text, expected.text],
                manifest=f"{name} line {stated.line}" if stated.line else name,
                found=f"version {one_line(stated.text, 40)}",
                source=expected.source,
                expected=expected.text,
            )


def _tag(expected: SchemaVersion, compared: Comparison, old: str | None, needed: Bump) -> Iterable[Finding]:
    """Check that the tag of this build matches the current version, if tags and versions count the same thing.

    They do if the source counts packages, if the previous release was tagged with its version, and at a first tag if
    the server reports the version of its project; otherwise ``policy/version-source`` was reported. A server whose
    surface has not changed may keep its version under a later tag.
    """

    tag, baseline = compared.stage.tag, compared.baseline
    tagged = version_of_tag(tag or "")
    if tag is None or tagged is None or expected.text is None or same_version(expected.text, tagged.text):
        return ()
    before = version_of_tag(baseline.ref) if baseline is not None else None
    alike = expected.spec == SERVER_INFO if before is None else same_version(old or "", before.text)
    now = Numbered.parse(expected.text)
    stands = needed is Bump.NONE and now is not None and now < tagged
    if not (expected.counts_packages or (alike and not stands)):
        return ()
    says = "the server reports" if expected.spec == SERVER_INFO else f"{expected.source} says"
    facts = {"tag": visible(tag), "says": says, "version": visible(expected.text)}
    return (finding("policy/tag-version", "/serverInfo/version", value=[tagged.text, expected.text], facts=facts),)


def _contract_doc(compared: Comparison) -> Sequence[Finding]:
    """The configured contract document, compared with its version at the baseline's git ref (else at HEAD)."""
    config, baseline = compared.config, compared.baseline
    if not config.contract_doc or baseline is None or not compared.changes:
        return ()
    from mcp_governor.changelog.reading import MAX_LINES
    from mcp_governor.policy.contract_doc import check_contract_doc

    path = config.resolve(config.contract_doc)
    try:
        now = read_bytes(path, limit=MAX_TEXT_BYTES).decode()
        if now.count("\n") > MAX_LINES:
            raise OSError(errno.EFBIG, f"it has more than {MAX_LINES} lines")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise ConfigError(
            f"{config.shown}: contract-doc {visible(config.contract_doc)} cannot be read: {reason}.",
            "Correct the path.",
        ) from None
    held = files_at(config.root, baseline.ref or "HEAD", [config.contract_doc]).get(config.contract_doc)
    before = None if held is None else held.decode("utf-8", "replace")
    return tuple(check_contract_doc(before, now, compared.changes, doc=config.contract_doc))
