"""The last release according to the changelog, for a repository whose tags do not identify it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.checking.governed import gate_at
from mcp_governor.errors import GovernorError
from mcp_governor.surface import fingerprint
from mcp_governor.target import StatedRelease
from mcp_governor.target.git import states_of
from mcp_governor.target.git_commits import is_shallow
from mcp_governor.target.git_releases import release_tags
from mcp_governor.text import visible

if TYPE_CHECKING:
    from mcp_governor.changelog import Changelog, Recorded, Section
    from mcp_governor.checking.base import Base
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.stage import Stage
    from mcp_governor.surface import Surface
    from mcp_governor.target import Baseline


def last_release(
    config: Config, surface: Surface, stage: Stage | None = None, *, changelog: Changelog | None = None
) -> StatedRelease | None:
    """The release with which a run compares, according to the changelog.

    With ``policy.gate = "release"`` it is the section marked ``(current)``, or the one before it if the run checks that
    very release. With ``"change"`` that section describes the current surface; until it does, the changes start from
    the surface that it describes.

    Args:
        config: names the changelog.
        surface: the current one.
        stage: of the run; ``None`` means between releases.
        changelog: as read, if it was.

    Returns:
        ``None`` if the changelog does not say, or cannot be read; whatever needs it reports that.
    """
    if config.isolated:
        return None
    if changelog is None:
        from mcp_governor.checking.changelog import load_changelog

        try:
            changelog = load_changelog(config)
        except GovernorError:
            return None
    section = _last_section(config, surface, stage, changelog)
    stated = [one.value for one in section.fingerprints] if section is not None else []
    return StatedRelease(section.version_text, stated[0]) if section is not None and len(stated) == 1 else None


def last_release_of(
    config: Config, surface: Surface, stage: Stage | None, changelog: Changelog | None, base: Base | None
) -> StatedRelease | None:
    """:func:`last_release`; for a pull request as the changelog of its base states it, because its own is under review.

    Args:
        config, surface, stage, changelog: as there.
        base: the base branch of a pull request.
    """
    if base is None:
        return last_release(config, surface, stage, changelog=changelog)
    # A release that the pull request makes is compared with the one that is current at the base.
    return last_release(config, surface, None, changelog=base.changelog) if base.changelog is not None else None


def _last_section(config: Config, surface: Surface, stage: Stage | None, changelog: Changelog) -> Section | None:
    from mcp_governor.changelog.structure import newest_section

    # Without a marked section, the newest one counts as released.
    section = changelog.current or newest_section(changelog)
    if section is None:
        return None
    described = fingerprint(surface) in [one.value for one in section.fingerprints]
    if config.policy.gate == "change" and described:
        return None
    if config.policy.gate == "release" and stage is not None and stage.at_release and described:
        return changelog.release_before(section)
    return section


def rewritten_release(
    config: Config, surface: Surface, stage: Stage | None, changelog: Changelog
) -> tuple[Recorded, ...]:
    """The statements of the last release's section in earlier commits, if they had another fingerprint.

    For a repository without release tags, in which nothing else records what was published: this uses the history of
    the changelog, as far as :func:`mcp_governor.target.git.states_of` goes. With ``policy.gate = "change"`` the section
    of the current version follows the surface until it is released, so its history proves nothing.

    Args:
        config, surface, stage: as in :func:`last_release`.
        changelog: as read.

    Raises:
        TargetError: git fails.
    """
    from mcp_governor.changelog import Recorded

    section = None if config.isolated else _last_section(config, surface, stage, changelog)
    if section is None or not section.fingerprints or config.policy.gate != "release" or release_tags(config.root):
        return ()
    stated = {one.value for one in section.fingerprints}
    for commit, data in states_of(config.root, config.changelog, tip=config.base or "HEAD"):
        if section.version_text.encode() not in data or any(value.encode() in data for value in stated):
            continue  # not worth reading: before the release, or the same as now
        then = _section_then(data, section.version_text)
        values = [one.value for one in then.fingerprints if one.strict] if then is not None else []
        if values and stated.isdisjoint(values):
            where = f"git:{commit[:12]}"
            released = gate_at(config, commit) == "release"
            return (Recorded(section.version_text, values[0], where, committed=True),) if released else ()
    return ()


def last_rewritten(config: Config, surface: Surface) -> tuple[Finding, ...]:
    """:func:`rewritten_release` as a finding, for a run that does not check the changelog."""
    from mcp_governor.changelog.checks import rewritten
    from mcp_governor.checking.changelog import load_changelog

    try:
        changelog = load_changelog(config)
    except GovernorError:
        return ()
    return tuple(
        rewritten(changelog, section, section.fingerprints[0], recording)
        for recording in rewritten_release(config, surface, None, changelog)
        if (section := changelog.section(recording.version)) is not None
    )


def _section_then(data: bytes, version: str) -> Section | None:
    from mcp_governor.changelog import parse

    try:
        return parse(data.decode("utf-8", "replace"), "").section(version)
    except GovernorError:
        return None


def lost_release(baseline: Baseline | None, config: Config) -> tuple[Finding, ...]:
    """A finding if the surface of the last release cannot be found, so that nothing was compared with it."""
    if baseline is None or not baseline.lost or config.policy.gate != "release":
        return ()  # with "change" the fingerprint is stale, which is reported
    from mcp_governor.rules.finding import finding

    shallow = is_shallow(config.root)
    version = visible(baseline.lost)
    way = (
        "Fetch the history: git fetch --unshallow --tags"
        if shallow
        else f'Tag the commit that released {version}, or name what users have: baseline = "pypi:NAME" or "npm:NAME". '
        f"If {version} was never released, write the current fingerprint into its section."
    )
    file = baseline.source.partition(" (")[0]
    facts = {"version": version, "changelog": config.changelog, "file": file, "way": way}
    says = "shallow" if shallow else ""
    return (finding("policy/baseline-lost", file, value=baseline.lost, says=says, facts=facts),)
