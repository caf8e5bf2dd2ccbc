"""Which release the changelog says was the last one, for a repository whose tags do not say it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.errors import GovernorError
from mcp_governor.surface import fingerprint
from mcp_governor.target import StatedRelease
from mcp_governor.target.git import is_shallow
from mcp_governor.text import visible

if TYPE_CHECKING:
    from mcp_governor.changelog import Changelog
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.stage import Stage
    from mcp_governor.surface import Surface
    from mcp_governor.target import Baseline


def last_release(
    config: Config, surface: Surface, stage: Stage | None = None, *, changelog: Changelog | None = None
) -> StatedRelease | None:
    """The release that a run compares with, by the changelog's own words.

    Under ``policy.gate = "release"`` that is the section that is marked ``(current)``; where a run judges that very
    release, the one before it. Under ``"change"`` that section describes the surface of now; where it does not yet, the
    changes start from what it describes.

    Args:
        config: names the changelog.
        surface: of now.
        stage: of the run; ``None`` is between releases.
        changelog: as read, where it was.

    Returns:
        ``None`` where the changelog does not say it, or cannot be read: whatever needs it says so itself.
    """
    if config.isolated:
        return None
    if changelog is None:
        from mcp_governor.checking.changelog import load_changelog

        try:
            changelog = load_changelog(config)
        except GovernorError:
            return None
    section = changelog.current
    if section is None:
        return None
    stated = [one.value for one in section.fingerprints]
    described = fingerprint(surface) in stated
    if config.policy.gate == "change" and described:
        return None
    if config.policy.gate == "release" and stage is not None and stage.at_release and described:
        section = changelog.release_before(section)
        stated = [one.value for one in section.fingerprints] if section is not None else []
    return StatedRelease(section.version_text, stated[0]) if section is not None and len(stated) == 1 else None


def lost_release(baseline: Baseline | None, config: Config) -> tuple[Finding, ...]:
    """Whether the surface that the last release published is not to be found, so that nothing was compared with it."""
    if baseline is None or not baseline.lost or config.policy.gate != "release":
        return ()  # under "change" the fingerprint is stale, and that is said
    from mcp_governor.catalogue.finding import finding

    shallow = is_shallow(config.root)
    version = visible(baseline.lost)
    way = (
        "Fetch the history: git fetch --unshallow --tags"
        if shallow
        else f'Tag the commit that released {version}, or name what users have: baseline = "pypi:NAME" or "npm:NAME". '
        f"If {version} was never released, write the fingerprint of now into its section."
    )
    file = baseline.source.partition(" (")[0]
    facts = {"version": version, "changelog": config.changelog, "file": file, "way": way}
    says = "shallow" if shallow else ""
    return (finding("policy/baseline-lost", file, value=baseline.lost, says=says, facts=facts),)
