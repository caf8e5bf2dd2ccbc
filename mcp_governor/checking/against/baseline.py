"""Which surface is a run compared with, where is it, and of which release?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.checking.against.configuration import config_before
from mcp_governor.checking.against.last_release import last_release, published_surface, recordings
from mcp_governor.checking.model import BaselineInfo
from mcp_governor.errors import UsageError
from mcp_governor.parsing import read_json, read_toml
from mcp_governor.stage import EVERY_CHANGE
from mcp_governor.surface import NO_TIER_RULES, fingerprint
from mcp_governor.target import (
    SURFACE_FILE,
    FileSource,
    GitSource,
    LiveSource,
    no_server,
    parse_target,
    read_source,
    tier_rules,
)
from mcp_governor.target.git import commit_of, files_at, holds, is_shallow
from mcp_governor.target.git_releases import latest_release
from mcp_governor.target.packages import is_package
from mcp_governor.target.resolve import baseline_file
from mcp_governor.text import one_line, visible
from mcp_governor.versions import Numbered

if TYPE_CHECKING:
    from mcp_governor.changelog import Changelog
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.stage import Stage
    from mcp_governor.surface import Surface
    from mcp_governor.target import Source


class Baseline(Struct, frozen=True):
    """The baseline of a run, by its name in reports.

    ``lost`` is the last release, if its published surface was not found and this baseline is another surface.
    """

    source: str
    surface: Surface
    lost: str = ""

    @property
    def ref(self) -> str:
        """The git ref that it comes from; empty if that is not git."""
        return self.source.removeprefix("git:").partition(":")[0] if self.source.startswith("git:") else ""

    def described(self, version: str | None = None) -> BaselineInfo:
        """The baseline in a report, with its version from the configured source, or else the one that it states."""
        return BaselineInfo(self.source, version or self.surface.version, fingerprint(self.surface))


def baseline_of(
    surface: Surface,
    config: Config,
    against: str | None = None,
    *,
    source: Source | None = None,
    stage: Stage | None = None,
    changelog: Changelog | None = None,
    offline: bool = False,
) -> Baseline | None:
    """Find and read the baseline of a surface.

    It is ``--against``, or else the configured one, or else the surface file at the latest release tag, or else the
    surface file in the work tree; ``None`` if none of these exists, or if the run is isolated from them. Offline, the
    file in the work tree is what is checked, so that the last one is the surface file at ``HEAD``.

    That file may be recorded again between releases. So it stands for the last release only if it still has the surface
    that this release published; otherwise, that surface is searched for.

    Args:
        surface: what is governed. A package without a version stands for the newest release that is not newer.
        config: the configuration, which may name a baseline; its ``base`` is the commit of the base branch, which has
            the last word on what a file is.
        against: the baseline that the user typed.
        source: the governed source; ``None`` for a surface that has been read already. If it is a configured server,
            the run starts what the configuration names anyway. For a recording, or for a server that the user typed,
            the configuration must not make the run start or fetch anything else.
        stage: the stage of the run, ``None`` between releases; a tagged release is compared with the release before it.
        changelog: says which release is the last one, instead of the configured one: for a pull request, that of its
            base.
        offline: the recorded surface is checked, and no server is started.

    Raises:
        UsageError: a server is named that must not be started.
        GovernorError: a named baseline cannot be read. Unnamed baselines may be absent.
    """
    last = last_release(config, surface, stage, changelog=changelog)
    stage = stage or EVERY_CHANGE
    typed = against is not None
    if typed or (config.baseline and not offline):
        found: Source | None = named_baseline(config, against, source=source, offline=offline)
        text = against if against is not None else config.baseline
        if is_package(text):
            from mcp_governor.target.published import newest_release

            text = newest_release(text, _governed_version(surface, config), below=bool(stage.tag))
            found = parse_target(text, config, base=config.root)
    else:
        found = None if config.isolated else _default_source(config, stage, offline=offline)
    may_be_newer = not typed and _is_overwritten(found, config, offline=offline)
    if config.base and found is not None:
        found = recording_of_base(found, config, typed=typed)
    if found is None:
        return None
    # A recording has its own tiers; those of the current configuration would hide that a tool was moved.
    tiers = tier_rules(config_before(config)) if isinstance(found, LiveSource) else NO_TIER_RULES
    before = read_source(found, tiers=tiers)
    if not may_be_newer or last is None or last.states(before):
        return Baseline(found.shown, before)
    published = published_surface(config, last)
    return Baseline(found.shown, before, lost=last.version) if published is None else Baseline(*published)


def named_baseline(
    config: Config, against: str | None = None, *, source: Source | None = None, offline: bool = False
) -> Source:
    """The source that ``--against`` or the configuration names, without starting or fetching anything.

    Raises:
        UsageError: a server is named that must not be started.
        TargetError: the name is not valid, or the source does not exist.
    """
    if against is not None:
        named = parse_target(against, config, base=Path.cwd())
        return no_server(named, against) if offline else named
    named = parse_target(config.baseline, config, base=config.root, typed=False)
    if isinstance(named, LiveSource) and not (isinstance(source, LiveSource) and source.configured):
        shown = one_line(config.baseline, 60)
        raise UsageError(
            f'The baseline in {config.shown}, "{shown}", is a server. It is started only to check a configured server, '
            "not a recording or a target from the command line.",
            f'Add --against "{shown}" to start it, or record it first and compare with the file: mcp-governor snapshot',
        )
    return named


def _default_source(config: Config, stage: Stage, *, offline: bool) -> Source | None:

    name = baseline_file(config) if offline else SURFACE_FILE
    tip = config.base or "HEAD"
    held = latest_release(config.root, *recordings(config), before=stage.tag, tip=tip)
    if held is None and offline and holds(config.root, tip, name):
        held = (tip, name)
    if held is not None:
        ref, path = held
        shown = f"git:{visible(ref[:12] if ref == config.base else ref)}"
        return GitSource(shown=shown, ref=ref, path=path, folder=config.root)
    file = config.root / name
    # The work tree of a pull request does not decide if there is one.
    if offline or not (file.is_file() or (config.base and holds(config.root, config.base, name))):
        return None
    shown = name
    if not config.base and is_shallow(config.root):
        # Reports show this with the name of the baseline, because fetching the tags may be enough.
        shown += " (no release tag in this shallow clone; fetch them: git fetch --unshallow --tags)"
    return FileSource(shown=shown, path=file)


def _is_overwritten(source: Source | None, config: Config, *, offline: bool) -> bool:
    """True if a baseline is the file that ``snapshot`` writes, or, offline, the last one that was committed."""
    if offline:
        return isinstance(source, GitSource) and source.ref == (config.base or "HEAD")
    return isinstance(source, FileSource) and source.path == config.resolve(baseline_file(config))


def recording_of_base(source: Source, config: Config, *, typed: bool) -> Source | None:
    """A baseline as the base branch of a pull request has it: the pull request may change every file, and every ref.

    Returns:
        The file at the base instead of the one in the work tree; what neither the base nor HEAD tracks stays, because
        the job made it. ``None`` for a file that only the pull request has.

    Raises:
        UsageError: it is a ref, or a file that the user typed, that only the pull request has.
    """
    from mcp_governor.target.git_branch import belongs_to_branch

    if isinstance(source, GitSource):
        commit = commit_of(source.folder, source.ref)
        if belongs_to_branch(source.folder, commit, config.base):
            raise UsageError(
                f"{source.shown} cannot be the baseline of a pull request, which itself chooses what that is.",
                "Name a release or the base branch: git:v1.0.0, git:origin/main",
            )
        return replace(source, ref=commit)
    if not isinstance(source, FileSource):
        return source
    # Not resolved: the pull request may have made a link of it.
    path = Path(os.path.relpath(source.path, config.root)).as_posix()
    if holds(config.root, config.base, path):
        shown = f"git:{config.base[:12]}:{visible(path)}"
        return GitSource(shown=shown, ref=config.base, path=path, folder=config.root)
    if not holds(config.root, "HEAD", path):
        return source
    if typed:
        raise UsageError(
            f"{source.shown} cannot be the baseline of a pull request: the base branch does not have it.",
            "Add it in a pull request of its own, or name another one.",
        )
    return None


def _governed_version(surface: Surface, config: Config) -> str | None:
    """The version whose releases are the baseline; ``None`` for the newest release.

    A pull request that states a lower version than its base does not get an older baseline.
    """
    ours = _package_version(surface, config)
    if not config.base or ours is None:
        return ours
    before, now = Numbered.parse(_version_at_base(config)), Numbered.parse(ours)
    if before is None or now is None:
        return None
    return ours if now >= before else before.text


def _package_version(surface: Surface, config: Config) -> str | None:
    """The version of the governed package in a registry; ``None`` if it is unknown.

    The configured source provides it. If that source is the server itself, and the project has another version, the
    project's counts: registries contain packages, whatever the server in them reports.
    """
    from mcp_governor.version_sources import SERVER_INFO, schema_version, suggest_source

    if config.schema_version != SERVER_INFO:
        return schema_version(config.schema_version, surface, config.root, config=config.path).text
    suggested = suggest_source(surface, config.root, search=False)
    return None if suggested.spec == suggested.version.text else suggested.version.text


def _version_at_base(config: Config) -> str:
    """The version that the project file of the base states; empty if it states none."""

    held = files_at(config.root, config.base, ["pyproject.toml", "package.json"])
    try:
        if "pyproject.toml" in held:
            table = read_toml(held["pyproject.toml"].decode("utf-8-sig")).get("project")
        else:
            table = read_json(held.get("package.json", b"{}"))
    except (ValueError, RecursionError):
        return ""
    return str(table.get("version") or "") if isinstance(table, dict) else ""


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
