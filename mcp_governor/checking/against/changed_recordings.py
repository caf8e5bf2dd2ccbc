"""Which recordings of a pull request would mislead the next one?

Each is the baseline of a later pull request, which nobody would compare with what the base has today.
"""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_governor.change.vocabulary import Verdict
from mcp_governor.checking.against.base_branch import Base, approval_key
from mcp_governor.checking.against.configuration import relative
from mcp_governor.checking.settings import changes_between
from mcp_governor.errors import GovernorError
from mcp_governor.files import read_bytes
from mcp_governor.findings import Bump
from mcp_governor.surface import fingerprint, parse_surface
from mcp_governor.target import FileSource, GitSource, parse_target, resolve
from mcp_governor.target.git import files_at
from mcp_governor.target.git_branch import changed_files
from mcp_governor.target.git_commits import merge_base
from mcp_governor.target.resolve import baseline_file
from mcp_governor.text import visible
from mcp_governor.versions import Numbered

if TYPE_CHECKING:
    from mcp_governor.checking.asked import Asked
    from mcp_governor.checking.model import Report
    from mcp_governor.config import Config

_MAX_ENTRIES = 10_000
"""Most files of recorded calls among which links are looked for."""

_MAX_RECORDINGS = 100
"""Most changed recordings of releases that are compared; a pull request makes one."""


def changed_recordings(config: Config, base: Base, report: Report, asked: Asked) -> dict[str, Any]:
    """Recordings that the pull request changes for the worse, although what was checked is not worse.

    A recording is the baseline of a later pull request: a tool that leaves it first may leave the server unseen.
    """
    found: dict[str, Any] = {}
    # The pull request did not change what the base branch got since; where that is unknown, it counts as one.
    since = merge_base(config.root, config.base) or config.base
    if config.calls_dir:
        # What a call is expected to give is for the base to say; a new expectation takes nothing away.
        calls: dict[str, str] = {}
        for place in _real_places(config.resolve(config.calls_dir)):
            calls |= changed_files(config.root, since, relative(place, config.root))
        names = [name for name in calls if name.endswith(".json")]
        found |= {name: calls[name] for name in files_at(config.root, since, names)}
    folder = config.changelog_options.surfaces.rstrip("/")
    releases = changed_files(config.root, since, folder)
    names = [name for name in releases if name.endswith(".json") and Numbered.parse(Path(name).stem) is not None]
    if len(names) > _MAX_RECORDINGS:
        found[folder] = approval_key({name: releases[name] for name in names})
        names = []
    found |= _worse([*names, *_recordings(config, asked)], config, since, base, report, asked)
    # No name of a file is that of a setting.
    return {f"the file {visible(name)}": value for name, value in found.items()}


def _real_places(folder: Path) -> list[Path]:
    """A folder, and where it and the links in it lead: git compares what is written, not what it leads to."""
    links = (file for file in islice(folder.rglob("*"), _MAX_ENTRIES) if file.is_symlink())
    return list(dict.fromkeys([folder, *(Path(os.path.realpath(place)) for place in (folder, *links))]))


def _recordings(config: Config, asked: Asked) -> list[str]:
    """The files that are a baseline of this pull request or of a later one, relative to the configuration."""
    names = [baseline_file(config)]
    for text, folder in ((config.baseline, config.root), (asked.against, Path.cwd())):
        try:
            source = parse_target(text, config, base=folder, typed=False) if text else None
        except GovernorError:
            continue  # which the run says
        if isinstance(source, FileSource | GitSource):
            names.append(relative(folder / source.path, config.root))
    return list(dict.fromkeys(names))


def _worse(names: list[str], config: Config, since: str, base: Base, report: Report, asked: Asked) -> dict[str, Any]:
    """Those of some recordings that are worse than at a commit, and than what was checked; see above."""
    before, after = (files_at(config.root, commit, names) for commit in (since, "HEAD"))
    found: dict[str, Any] = {}
    for name in names:
        try:
            here = read_bytes(config.root / name)
        except OSError:
            here = None
        # What git has of it, and what is in the work tree: a link or an encoding can make two of them.
        now = {data for data in (after.get(name, here), here) if data != before.get(name)}
        if None in now:
            found[name] = "removed"
        elif any(_is_worse(data, before.get(name), name, config, base, report, asked) for data in now if data):
            found[name] = approval_key(sorted(data.decode("latin-1") for data in now if data))
    return found


def _is_worse(
    data: bytes, before: bytes | None, name: str, config: Config, base: Base, report: Report, asked: Asked
) -> bool:
    try:
        new = parse_surface(data, name)
        old = parse_surface(before, name) if before is not None else base.surface
        worse = changes_between(old, new, config) if old is not None else []
    except GovernorError:
        return True
    same = fingerprint(new) == report.fingerprint
    if old is None:
        return not same
    protocol = report.server.protocol if report.server is not None else None
    if (old.manifest is not None and new.manifest is None) or (
        # What two eras of the protocol have in different ways is not compared.
        (old.modern, old.protocol is None) != (new.modern, new.protocol is None)
        and (new.protocol != protocol or _checks_recording(config, asked))
    ):
        return True
    seen = {(change.kind, change.tool, change.path, approval_key(change.new)) for change in report.changes}
    return any(
        (one.kind, one.tool, one.path, approval_key(one.new)) not in seen
        for one in worse
        if one.verdict is not Verdict.COMPATIBLE and one.bump is not Bump.NONE and not (same and one.tool is not None)
    )


def _checks_recording(config: Config, asked: Asked) -> bool:
    """True if no server was asked for the surface that was checked."""
    try:
        source = resolve(asked.target or None, config, command=asked.command)
    except GovernorError:
        return asked.offline
    return asked.offline or isinstance(source, FileSource | GitSource)
