"""Is a run between releases, or at one? Which release is the last one, what did it publish, and what did earlier ones
record?
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.checking.against.configuration import gate_at
from mcp_governor.checking.model import History, Release
from mcp_governor.errors import GovernorError
from mcp_governor.files import MAX_TEXT_BYTES, read_bytes
from mcp_governor.rule_names import note
from mcp_governor.stage import Stage
from mcp_governor.surface import fingerprint, parse_surface
from mcp_governor.target.git import file_at, files_at, is_shallow, states_of
from mcp_governor.target.git_door import one_look
from mcp_governor.target.git_releases import first_held, release_of_head, release_tag, release_tags, released_files
from mcp_governor.target.resolve import baseline_file
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcp_governor.change import Change
    from mcp_governor.changelog import Changelog, Recorded, Section
    from mcp_governor.checking.model import Report
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.surface import Surface
    from mcp_governor.target.git_releases import ReleasedFile


def stage_of(
    config: Config, surface: Surface, *, release: bool = False, environ: Mapping[str, str] | None = None
) -> Stage:
    """The stage of a run over a surface: between releases or at one.

    Runs at a release are those that say so (``release``), those with ``policy.gate = "change"``, and builds of a
    release tag: CI names the tag (GitHub and GitLab), or HEAD has it and nothing has changed since. A work tree whose
    surface or changelog has changed since its tag is between releases again. If git fails there is no tag; whatever
    needs git reports the failure.
    """
    tag = None
    # A tag at the commit of a pull request makes no release of it.
    if not (config.isolated or config.base):
        tag = _named_by_ci(config, os.environ if environ is None else environ) or _built_here(config, surface) or None
    gate = config.policy.gate
    return Stage(gate, at_release=release or tag is not None or gate == "change", tag=tag, asked=release)


def _named_by_ci(config: Config, environ: Mapping[str, str]) -> str:
    """The release tag that CI builds; empty if there is none, or if it belongs to another package."""
    name = environ.get("CI_COMMIT_TAG", "")
    if not name and environ.get("GITHUB_REF_TYPE") == "tag":
        name = environ.get("GITHUB_REF_NAME", "")
    tag = ""
    with contextlib.suppress(GovernorError):
        tag = release_tag(config.root, name) if name else ""
    if name and not tag and config.policy.gate == "release":
        note(f"The tag {visible(name)} is none of this server's releases, so nothing is judged as a release.")
    return tag


def _built_here(config: Config, surface: Surface) -> str:
    """The release tag at HEAD, if surface and changelog are those of its release."""
    with contextlib.suppress(GovernorError):
        tag = release_of_head(config.root)
        if tag and _same_changelog(config) and _same_surface(config, surface, tag):
            return tag
    return ""


def _same_changelog(config: Config) -> bool:
    if not config.changelog:
        return True
    try:
        now = read_bytes(config.resolve(config.changelog), limit=MAX_TEXT_BYTES)
    except OSError:
        return False
    # git may use other line endings in the work tree than in its storage
    return now.splitlines() == file_at(config.root, "HEAD", config.changelog).splitlines()


def _same_surface(config: Config, surface: Surface, tag: str) -> bool:
    from mcp_governor.checking.reading import changes_between

    path = first_held(config.root, tag, *recordings(config))
    if path is None:
        return False
    released = parse_surface(file_at(config.root, tag, path), f"git:{tag}")
    return released.version == surface.version and not changes_between(released, surface, config)


_SHORT = 12
"""Digits of a commit id in reports, as in git's output for large repositories."""


class StatedRelease(Struct, frozen=True):
    """A release as the changelog states it.

    Attributes:
        version: version of its section.
        fingerprint: fingerprint of the surface that it published.
    """

    version: str
    fingerprint: str

    def states(self, surface: Surface) -> bool:
        """True if a surface is the published one."""
        return fingerprint(surface) == self.fingerprint


def last_release(
    config: Config, surface: Surface, stage: Stage | None = None, *, changelog: Changelog | None = None
) -> StatedRelease | None:
    """The release with which a run compares, according to the changelog.

    With ``policy.gate = "release"`` it is the section marked ``(current)``, or the one before it if the run checks that
    very release. With ``"change"`` that section describes the current surface; until it does, the changes start from
    the surface that it describes. A release that a pull request makes is compared with the one that is current at its
    base, which is then ``changelog``: its own is under review.

    Returns:
        ``None`` if the changelog does not say, or cannot be read; whatever needs it reports that.
    """
    if config.isolated:
        return None
    if config.base:
        stage = None
    elif changelog is None:
        from mcp_governor.checking.changelog import load_changelog

        with contextlib.suppress(GovernorError):
            changelog = load_changelog(config)
    section = _last_section(config, surface, stage, changelog) if changelog is not None else None
    stated = [one.value for one in section.fingerprints] if section is not None else []
    return StatedRelease(section.version_text, stated[0]) if section is not None and len(stated) == 1 else None


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


def recordings(config: Config) -> tuple[str, str]:
    """Paths where a release may record its surface: that of ``changelog release``, and the surface file."""
    return f"{config.changelog_options.surfaces.rstrip('/')}/{{version}}.json", baseline_file(config)


def published_surface(config: Config, last: StatedRelease) -> tuple[str, Surface] | None:
    """Find the recorded surface of a release, and its place as reports name it; ``None`` if it was not found.

    The search includes files that ``changelog release`` recorded, and then the history of the surface file, which a
    shallow clone does not have.
    """
    for shown, data in _candidates(config, last):
        try:
            surface = parse_surface(data, shown)
        except GovernorError:
            continue  # an older format, or a broken file that was committed by mistake
        if last.states(surface):
            return shown, surface
    return None


def _candidates(config: Config, last: StatedRelease) -> Iterator[tuple[str, bytes]]:
    recorded, file = recordings(config)
    own = recorded.replace("{version}", last.version)
    path = config.resolve(own)
    # The version comes from the changelog, so make sure that it does not lead out of the folder.
    if path.parent != config.resolve(recorded).parent:
        pass
    elif config.base:
        # The fingerprint does not cover all that is compared, so the file of a pull request does not count.
        for name, data in files_at(config.root, config.base, [own]).items():
            yield visible(name), data
    elif path.is_file():
        with contextlib.suppress(OSError):
            yield visible(own), read_bytes(path)
    for commit, data in states_of(config.root, file, tip=config.base or "HEAD"):
        yield f"git:{commit[:_SHORT]}", data


def rewritten_release(
    config: Config, surface: Surface, stage: Stage | None, changelog: Changelog
) -> tuple[Recorded, ...]:
    """The statements of the last release's section in earlier commits, if they had another fingerprint.

    For a repository without release tags, in which nothing else records what was published: this uses the history of
    the changelog, as far as :func:`mcp_governor.target.git.states_of` goes. With ``policy.gate = "change"`` the section
    of the current version follows the surface until it is released, so its history proves nothing.
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
            where = f"git:{commit[:_SHORT]}"
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


# the picture of how the server grew


MAX_RELEASES = 12
"""Latest releases that are read: as many columns as a page of 75 rem shows with readable labels. The picture says how
many older ones there are."""

SECONDS = 8.0
"""Time for reading and comparing all releases. Twelve releases with 100 tools take a second; what is left then is not
compared, and the picture says so."""


def with_history(report: Report, config: Config) -> Report:
    """The report with the history of the recorded surface, if the run compared with a recording of it.

    Reads git, so that only a format that draws the history asks for it. Never raises: what cannot be read is said in
    the history.
    """

    if report.baseline is None or not report.tools or config.isolated:
        return report
    try:
        with one_look():
            found, older = released_files(config.root, *recordings(config), most=MAX_RELEASES)
            if not found and is_shallow(config.root):
                way = "This clone has no release tags. Fetch them: git fetch --unshallow --tags"
                return replace(report, history=History(problem=way))
    except GovernorError as error:
        return replace(report, history=History(problem=str(error)))
    return replace(report, history=_history(found, older, report, config))


def _history(found: list[ReleasedFile], older: int, report: Report, config: Config) -> History | None:
    """The history; ``None`` with fewer than two releases, or if the run did not compare with a recording of them."""
    from mcp_governor.checking.reading import changes_between
    from mcp_governor.surface.tokens import token_costs

    assert report.baseline is not None
    end = time.monotonic() + SECONDS
    releases: list[Release] = []
    unread: list[str] = []
    late: list[str] = []
    prints: list[str] = []
    before: Surface | None = None
    for one in found:
        if time.monotonic() >= end:
            late.append(one.tag)
            continue
        try:
            surface = parse_surface(one.content, one.tag) if one.content is not None else None
        except GovernorError:
            surface = None
        if surface is None:
            unread.append(one.tag)
            continue
        tiers = Counter(tool.tier.value for tool in surface.tools)
        tokens = sum(token_costs(surface).values())
        changes = None
        if before is not None and (left := end - time.monotonic()) > 0:
            changes = _counted(changes_between(before, surface, config, seconds=left))
        releases.append(Release(one.tag, one.version, tiers, tokens, changes))
        prints.append(fingerprint(surface))
        before = surface  # only one at a time is held: a recording may be large
    ours = report.baseline.fingerprint in prints or report.baseline.source.endswith(baseline_file(config))
    if len(releases) < 2:
        what = f"{len(unread) + len(late)} recordings at release tags could not be read."
        return History(unread=tuple(unread), late=tuple(late), problem=what) if unread or late else None
    if not ours:
        return None
    if report.fingerprint != prints[-1]:
        since = _counted(report.changes) if report.baseline.fingerprint == prints[-1] else None
        version = report.server.version if report.server is not None else None
        tokens = report.tokens.total if report.tokens is not None else 0
        releases.append(Release("", version or "", Counter(report.tiers.values()), tokens, since))
    return History(tuple(releases), older, tuple(unread), tuple(late))


def _counted(changes: Sequence[Change]) -> Mapping[str, int]:
    """Number of changes by verdict."""
    return Counter(change.verdict.value for change in changes)
