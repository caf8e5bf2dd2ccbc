"""Which changes are new to the base branch of a pull request, and which new breaks has somebody to approve?

A run compares with the last release, so it also shows what was merged since then. The surface file and the changelog
of the base say what that was: the rest is what the pull request brings.

A recording that it changes is the baseline of a later pull request, which nobody would compare with what the base has
today: which of them would mislead that one?
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.checking.against.configuration import relative
from mcp_governor.checking.model import BaseInfo
from mcp_governor.checking.reading import changes_between
from mcp_governor.checking.token_cost import token_cost
from mcp_governor.errors import GovernorError
from mcp_governor.files import read_bytes
from mcp_governor.findings import Bump, Verdict
from mcp_governor.surface import dump_surface, fingerprint, parse_surface
from mcp_governor.surface.fingerprint import tool_fingerprint
from mcp_governor.target import FileSource, GitSource, parse_target, resolve
from mcp_governor.target.git import commit_at, commit_of, files_at, holds, merge_base
from mcp_governor.target.git_branch import changed_files
from mcp_governor.target.resolve import baseline_file
from mcp_governor.text import visible
from mcp_governor.versions import Numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.changelog import Changelog
    from mcp_governor.changelog.coverage import Names
    from mcp_governor.checking.against.comparison import Comparison
    from mcp_governor.checking.model import Asked, Report
    from mcp_governor.config import Config
    from mcp_governor.surface import Surface


REQUIRED, GIVEN = "required", "given"
"""``--approval``: new breaks fail the run, or are approved."""

APPROVED = "approved on the pull request"
"""The reason of an accepted break in reports."""


def approval_key(value: Any) -> str:
    """What stands for one break, or for all of several, where an approval is written down.

    Args:
        value: JSON that says all of it; the ids of changes do not, they have 32 bits of the values.

    Returns:
        26 letters and digits, so that a label with them stays below the 50 characters that GitHub allows. They are 128
        bits: who makes a pull request chooses both the break that is approved and the other one, and finds two with one
        key of 64 bits.
    """
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
    digest = hashlib.sha256(text.encode()).digest()[:16]
    return base64.b32encode(digest).decode("ascii").rstrip("=").lower()


def key_of_all(keys: Iterable[str]) -> str:
    """The key that stands for all of several."""
    return approval_key(sorted(keys))


class Base(Struct, frozen=True, dict=True):
    """What a base branch has.

    Attributes:
        ref: as the user typed it.
        approval: :data:`REQUIRED`, :data:`GIVEN` or empty.
        approved: keys (:func:`approval_key`) that somebody approved, with :data:`REQUIRED`.
        scope: what the user typed to name the server; an approval for one server says nothing of another.
        surface: its recorded surface; ``None`` if it has none that can be read.
        changelog: its changelog; ``None`` as above.
        moved_from: the file of ``surface`` if the pull request names another one, which the base does not have.
    """

    ref: str
    approval: str = ""
    approved: frozenset[str] = frozenset()
    scope: tuple[str, ...] = ()
    surface: Surface | None = None
    changelog: Changelog | None = None
    moved_from: Path | None = None

    def approves(self, keys: Mapping[str, str]) -> tuple[str, ...]:
        """Those of some ids, by their keys, that somebody approved: one by one, or all that are left by one key."""
        left = {name: key for name, key in keys.items() if key not in self.approved}
        if self.approval == GIVEN or key_of_all(left.values()) in self.approved:
            return tuple(keys)
        return tuple(name for name in keys if name not in left)

    def asked(self, asked: Asked, config: Config) -> Asked:
        """What was asked, as the base understands it: compared with what, and if a release is checked as one."""
        against = self._against(config, asked) if asked.against is None else asked.against
        release = asked.release or (not asked.only_breaking and self._is_before_release(config))
        return replace(asked, against=against, release=release)

    def _against(self, config: Config, asked: Asked) -> str | None:
        """The TARGET to compare with instead of the configured baseline; ``None`` to keep that one.

        With ``policy.gate = "change"`` each merged change is a version of its own, so a pull request makes the step
        from its base. Nor does a run for breaks alone read a changelog, which would say what was merged since the
        release.

        That is the last commit that both have: what the base branch got since then is not for the pull request to
        remove. Where that commit is unknown, or has no surface file, the base branch itself is the stricter choice.
        """
        named = config.baseline and config.baseline != baseline_file(config)
        steps = self.moved_from is not None or asked.only_breaking or config.policy.gate == "change"
        if self.surface is None or named or not steps:
            return None
        file = self.moved_from or config.resolve(baseline_file(config))
        fork = f"{self.ref}..."
        apart = commit_at(config.root, fork) not in ("", commit_of(config.root, self.ref))
        ref = fork if apart and holds(config.root, fork, relative(file, config.root)) else self.ref
        return f"git:{ref}:{relative(file, Path.cwd())}"

    def _is_before_release(self, config: Config) -> bool:
        """True if the work tree releases a version: its changelog has another current one than the base's."""
        if config.policy.gate != "release" or self.changelog is None or self.changelog.current is None:
            return False
        from mcp_governor.checking.changelog import load_changelog

        try:
            now = load_changelog(config).current
        except GovernorError:
            return False  # reported by the run
        return now is not None and now.version_text != self.changelog.current.version_text


def read_base(config: Config, asked: Asked, scope: tuple[str, ...] = ()) -> Base:
    """Read what a base branch has, under the file names of the current configuration.

    A file that is missing or cannot be read there says nothing, so that more changes count as new.

    Raises:
        TargetError: git does not have the ref, or refuses to read the repository.
    """
    from mcp_governor.changelog import parse

    commit = commit_of(config.root, asked.base)
    names = [name for name in (baseline_file(config), config.changelog) if name]
    held = files_at(config.root, commit, names)
    surface, changelog = None, None
    with contextlib.suppress(GovernorError):
        if baseline_file(config) in held:
            surface = parse_surface(held[baseline_file(config)], f"git:{asked.base}")
    with contextlib.suppress(GovernorError):
        if config.changelog in held:
            changelog = parse(held[config.changelog].decode("utf-8", "replace"), config.changelog)
    return Base(asked.base, asked.approval, asked.approved, scope, surface=surface, changelog=changelog)


def with_base(report: Report, base: Base, compared: Comparison) -> Report:
    """A report that says what is new, and in which new breaks fail the run, or approved ones do not.

    With an approval, required or given, breaks that the base has as well do not fail the run.
    """
    new = _new_changes(report, base, compared)
    breaks = tuple(change.id for change in new if _breaks(change, report))
    names = tuple(change.id for change in new)
    cost = token_cost(compared.surface, base.surface, report.changes) if base.surface is not None else None
    info = BaseInfo(visible(base.ref.removeprefix("refs/remotes/")), names, breaks, base.approval, tokens=cost)
    if not base.approval:
        return replace(report, base=info)
    failing = [change.id for change in report.failing_changes]
    known = {name for name in failing if name not in names and name not in report.outright}
    report = replace(report, base=info, accepted={**report.accepted, **dict.fromkeys(known, f"already in {info.ref}")})
    # An acceptance does not approve: the pull request may have written it, and its id has 32 bits of a break.
    waiting = list(dict.fromkeys([*breaks, *(name for name in failing if name not in known)]))
    contents: dict[str, list[Any]] = {}
    for change in report.changes:
        if change.id in waiting:
            contents.setdefault(change.id, []).append(content(change, compared.old, compared.surface))
    return approve(report, base, {name: approval_key([*base.scope, contents[name]]) for name in waiting})


def approve(report: Report, base: Base, keys: Mapping[str, str]) -> Report:
    """A report in which what somebody approved does not fail, and the rest of what needs it does.

    ``keys`` has the key of each change or finding that needs an approval, by its id.
    """
    assert report.base is not None
    approved = base.approves(keys)
    asks = tuple(name for name in keys if name not in approved)
    changes = {change.id for change in report.changes}
    accepted = {name: why for name, why in report.accepted.items() if name not in asks}
    return replace(
        report,
        base=replace(report.base, keys=keys, asks=asks, approved=approved),
        accepted={**accepted, **{name: APPROVED for name in approved if name in changes}},
        outright=(report.outright - set(approved)) | (changes & set(asks)),
    )


def content(change: Change, old: Surface | None, new: Surface) -> Any:
    """All of a change that its id stands for, as JSON: two changes with the same content are one break."""
    said = [change.kind, change.tool, change.path, change.side.value, change.verdict.value]
    if change.has_old or change.has_new:
        return [*said, change.old, change.new]
    # A change that could not be decided has no values, so both sides count as they are, apart from words.
    return [*said, *(None if one is None else _side(change, one) for one in (old, new))]


def _side(change: Change, surface: Surface) -> str | None:
    if change.tool is None:
        return approval_key(dump_surface(surface))
    tool = surface.by_name.get(change.tool)
    return tool_fingerprint(tool) if tool is not None else None


def _breaks(change: Change, report: Report) -> bool:
    if change.bump is Bump.NONE:
        return False  # internal tools promise nothing
    return change.verdict is Verdict.BREAKING or (change.verdict is Verdict.UNKNOWN and report.unknown_fails)


def _new_changes(report: Report, base: Base, compared: Comparison) -> list[Change]:
    """The changes that neither the recorded surface of the base nor its changelog has."""
    old, surface = compared.old, compared.surface
    if old is None or not report.changes:
        return []
    from mcp_governor.changelog.coverage import Names

    left = list(report.changes)
    if base.surface is not None:
        before = changes_between(old, base.surface, compared.config)
        known = {approval_key(content(change, old, base.surface)) for change in before}
        left = [one for one in left if approval_key(content(one, old, surface)) not in known]
    if base.changelog is not None and left:
        released = report.baseline.version if report.baseline is not None else None
        stated = _stated(left, base.changelog, released, Names(surface, old))
        left = [change for change in left if change.id not in stated]
    return left


def _stated(changes: Sequence[Change], changelog: Changelog, released: str | None, names: Names) -> set[str]:
    """Ids of the changes that the base's changelog lists for the next release.

    The surface file may be recorded at releases only; then the changelog is what says that a change was merged. Of a
    break it says too little: an entry may be there before its break, and names what another break is about as well.
    """
    from mcp_governor.changelog.coverage import Home, check_coverage
    from mcp_governor.changelog.structure import waiting_sections

    home = Home(waiting_sections(changelog, released), "", 0)
    if not home.sections:
        return set()
    judged = [one for one in changes if one.bump is not Bump.NONE and one.verdict is Verdict.COMPATIBLE]
    found = check_coverage(changelog, home, judged, names).findings
    missing = {one.value if isinstance(one.value, str) else one.value[0] for one in found if one.value}
    return {change.id for change in judged if change.id not in missing}


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
