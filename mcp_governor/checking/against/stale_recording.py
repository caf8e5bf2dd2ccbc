"""The recorded surface file: does it still say what the server publishes, and is it of this very commit?

``snapshot --check`` asks the server. Without one to ask, this distinguishes an old recording from a wrong changelog: a
hook fails, as a rule, because the server was edited, the changelog was written from it, and nobody recorded it again.
Then every finding about the changelog would ask for the opposite of the right fix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.checking.reading import changes_between, with_manifest
from mcp_governor.errors import FileFormatError
from mcp_governor.files import MAX_TEXT_BYTES, read_bytes
from mcp_governor.rules.finding import finding
from mcp_governor.surface import fingerprint, parse_surface
from mcp_governor.surface.file import dump_json, parse_json
from mcp_governor.target import LiveSource, read_source, tier_rules
from mcp_governor.target.git import commit_at, files_at
from mcp_governor.target.git_door import ask_git
from mcp_governor.target.model import FileSource
from mcp_governor.target.resolve import baseline_file
from mcp_governor.text import did_you_mean, visible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mcp_governor.change import Change
    from mcp_governor.checking.against.comparison import Comparison
    from mcp_governor.checking.model import Report
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.surface import Surface
    from mcp_governor.target import Source


class Staleness(Struct, frozen=True):
    """Why a recorded file is not what would be recorded now.

    Attributes:
        reason: one clause, safe to print, with the file as its subject.
        changes: from the recorded surface to the current one, those of wording included.
    """

    reason: str
    changes: tuple[Change, ...] = ()


def staleness(path: Path, text: str, surface: Surface, config: Config, *, shown: str) -> Staleness | None:
    """Compare a recorded file with what would be recorded now.

    Values are compared, not bytes: a formatter of JSON and the line endings of git do not make a file stale.

    Args:
        path: the file, which need not exist.
        text: the content that it should have, with this ``surface``.
        config: of the run.
        shown: name of the file in messages, safe to print.

    Raises:
        FileFormatError: the file exists and the system does not let us read it.
    """
    try:
        data = read_bytes(path)
    except FileNotFoundError:
        return Staleness(f"{shown} does not exist")
    except OSError as error:
        raise FileFormatError(f"{shown} cannot be read: {error.strerror}.", "Check the path.") from None
    try:
        if dump_json(parse_json(data, shown)) == dump_json(parse_json(text, shown)):
            return None
        before = parse_surface(data, shown, tiers=tier_rules(config))
        changes = tuple(changes_between(before, surface, config))
    except FileFormatError as error:
        # Markers of a merge conflict, for example. To record again is the remedy, so it is stale and no error.
        return Staleness(error.message.removesuffix("."))
    return Staleness(f"{shown} is not what the server publishes now", changes)


def older_record(surface: Surface, config: Config) -> str:
    """The repository's surface file, if it lacks what the next pull request is compared with; else empty.

    With ``policy.gate = "release"`` it is recorded with each change, otherwise by ``changelog release``.
    """
    name = baseline_file(config)
    if config.isolated or config.policy.gate != "release":
        return ""
    try:
        recorded = parse_surface(read_bytes(config.resolve(name)), name, tiers=tier_rules(config))
    except (OSError, FileFormatError):
        return ""  # whoever needs it says so
    return visible(name) if fingerprint(recorded) != fingerprint(surface) else ""


def recorded_at_head(config: Config, source: Source) -> Surface | None:
    """The recorded surface, if it was committed with the sources that are in the work tree.

    That is so if the commit at ``HEAD`` changed the recording, and nothing but the changelog and the recordings of
    releases has changed since. A commit that does not touch the recording says nothing: it may have been forgotten.
    Files that git ignores, and what is installed, are not looked at.

    Returns:
        The surface as a live read would return it; ``None`` if the server has to be asked.
    """
    if config.isolated or not isinstance(source, LiveSource) or not source.configured:
        return None
    name = baseline_file(config)
    path = config.resolve(name)
    head = commit_at(config.root, "HEAD")
    if not head or not path.is_file():
        return None
    last = ask_git(config.root, "rev-list", "--max-count=1", "HEAD", "--", f":(literal){name}").lines
    if last != [head]:
        return None
    written = [f":(exclude,literal){one}" for one in (config.changelog, config.changelog_options.surfaces) if one]
    if not _is_clean(config, written):
        return None
    surface = read_source(FileSource(source.shown, path), tiers=tier_rules(config))
    # A live server says nothing of the version of the project.
    return with_manifest(replace(surface, source=source.shown, stated=None, release=None), config)


_MAX_TOUCHED = 50
"""Files whose content is compared with the commit; where more have another time, the server is started."""


def _is_clean(config: Config, written: Sequence[str]) -> bool:
    """True if the work tree has the files of ``HEAD`` and no others, except for what ``written`` leaves out."""
    touched = [
        ask_git(config.root, "diff-index", "--name-only", "-z", *form, "HEAD", "--", ":/", *written)
        for form in ((), ("--relative",))
    ]
    new = ask_git(config.root, "ls-files", "--others", "--exclude-standard", "--", ":/", *written)
    if new.code or new.out or any(answer.code for answer in touched):
        return False
    everywhere, names = (answer.out.decode("utf-8", "surrogateescape").split("\0")[:-1] for answer in touched)
    if len(everywhere) != len(names) or len(names) > _MAX_TOUCHED:
        return False
    # git names files by their time, too: one that was written again may be the same.
    held = files_at(config.root, "HEAD", names)
    try:
        return all(
            name in held and read_bytes(config.root / name).splitlines() == held[name].splitlines() for name in names
        )
    except OSError:
        return False


_EVIDENCE = frozenset({"changelog/fingerprint-stale", "changelog/version-mismatch", "changelog/unknown-name"})
"""Findings about a changelog that was written for a later surface than the recorded one."""


def stale_record(report: Report, source: Source | None, compared: Comparison) -> Finding | None:
    """A finding if a report about a recording fails because the recording was not updated.

    That is the case if the recording is the same as at the baseline or at HEAD, and the changelog differs and does not
    match it.

    Returns:
        The one finding to show instead; ``None`` if the recording is not the reason.

    Raises:
        TargetError: git cannot read the files.
    """
    config = compared.config
    name = baseline_file(config)
    if config.isolated or not config.changelog or not isinstance(source, FileSource):
        return None
    if source.path != config.resolve(name) or not any(_is_evidence(found, report) for found in report.failing_findings):
        return None
    try:
        recorded = read_bytes(source.path).splitlines()
        written = read_bytes(config.resolve(config.changelog), limit=MAX_TEXT_BYTES).splitlines()
    except OSError:
        return None
    refs = [compared.baseline.ref] if compared.baseline is not None else []
    for ref in filter(None, (*refs, "HEAD")):
        then = files_at(config.root, ref, (name, config.changelog))
        # git may use other line endings in its storage than in the work tree
        if then.get(name, b"").splitlines() == recorded and then.get(config.changelog, b"").splitlines() != written:
            facts = {"file": name, "ref": ref, "changelog": config.changelog}
            return finding("policy/stale-record", visible(name), value=name, facts=facts)
    return None


def _is_evidence(found: Finding, report: Report) -> bool:
    """False for a name close to one of the surface: it is misspelled, and no later surface has it."""
    if found.rule == "changelog/unknown-name":
        if isinstance(found.value, list):
            return "Did you mean" not in found.message  # a part of tools that exist
        return not did_you_mean(str(found.value).split(".")[0], report.tools)
    return found.rule in _EVIDENCE
