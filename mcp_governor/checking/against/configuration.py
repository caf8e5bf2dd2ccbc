"""What did a commit require of the server? Anything that was governed at the last release has to stay governed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.change.options import option_schemas
from mcp_governor.config import DEFAULT_CHANGELOG, OWN_FILE, Config, parse_config
from mcp_governor.errors import ConfigError, FileFormatError, GovernorError
from mcp_governor.files import MAX_TEXT_BYTES, read_bytes, repository_of
from mcp_governor.target.git import files_at
from mcp_governor.target.git_releases import latest_commit
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcp_governor.findings import Finding


class Before(Struct, frozen=True):
    """How a commit governed the server.

    Attributes:
        ref: the tag, branch or commit.
        config: its configuration, with ``path`` and ``root`` of the work tree; ``None`` if there is none, or if it is
            unreadable.
        changelog: path of its changelog, relative to the folder of the current configuration; empty if there is none.
        known: the ids in its lint baseline; empty if there is none, or if it is unreadable.
    """

    ref: str
    config: Config | None = None
    changelog: str = ""
    known: frozenset[str] = frozenset()


def governed_before(config: Config, ref: str = "") -> Before | None:
    """How the server was governed at the baseline's commit, else at the latest release, else at HEAD.

    ``None`` if there is no such commit, or if the run does not depend on files of the repository: an isolated one, or
    one whose configuration was created in Python.
    """
    if config.isolated or not (config.path or config.searched):
        return None
    ref = ref or _latest(config) or ""
    if not ref:
        return None
    names = [DEFAULT_CHANGELOG, *_places(config)]
    held = files_at(config.root, ref, names)
    then = _config_in(held, names[1:], config)
    changelog = DEFAULT_CHANGELOG if DEFAULT_CHANGELOG in held else ""
    if then is not None and then.changelog:
        named = relative(then.root / then.changelog, config.root)
        changelog = named if named in held or files_at(config.root, ref, [named]) else ""
    return Before(ref, then, changelog, known_at(then, config.root, ref))


def _config_in(held: Mapping[str, bytes], names: Iterable[str], config: Config) -> Config | None:
    """The configuration among the files of a commit; ``None`` if there is none, or if it is unreadable."""
    found = (_parsed(held[name], config.root / name) for name in names if name in held)
    return next((one for one in found if one is not None), None)


def gate_at(config: Config, commit: str) -> str:
    """``policy.gate`` at a commit; empty if the commit has no configuration that can be read."""
    names = _places(config)
    then = _config_in(files_at(config.root, commit, names), names, config)
    return then.policy.gate if then is not None else ""


def known_at(then: Config | None, root: Path, ref: str) -> frozenset[str]:
    """The ids in a configuration's lint baseline at a commit; none without a baseline that can be read."""
    if then is None or not then.lint.baseline:
        return frozenset()
    name = relative(then.root / then.lint.baseline, root)
    held = files_at(root, ref, [name])
    from mcp_governor.rules import parse_baseline

    try:
        return parse_baseline(held[name], name) if name in held else frozenset()
    except FileFormatError:
        return frozenset()


def config_before(config: Config) -> Config:
    """The configuration of the latest release, which determines the tiers of a baseline that is a server.

    Today's tiers would hide that a tool has lost its tier. Without such a configuration, it is ``config`` itself.
    """
    before = governed_before(config)
    return config if before is None or before.config is None else before.config


def lost_changelog(before: Before, config: Config) -> bool:
    """True if the changelog was removed."""
    return bool(before.changelog) and not (config.changelog and config.resolve(config.changelog).exists())


def check_governed(before: Before, config: Config) -> list[Finding]:
    """Findings about things that a commit governed and that are no longer governed."""
    from mcp_governor.rules.finding import finding

    found: list[Finding] = []
    ref = visible(before.ref)
    if lost_changelog(before, config):
        name = visible(before.changelog)
        moved = "moved" if config.resolve(before.changelog).exists() else ""
        found.append(finding("policy/changelog-deleted", name, value=name, says=moved, changelog=name, ref=ref))
    found += _check_config(before, config)
    now = config_in_file(config)
    if now is not None and now.lint.baseline:
        from mcp_governor.policy.weakening import check_known
        from mcp_governor.rules import load_baseline

        listed = load_baseline(now.resolve(now.lint.baseline), what=now.lint.baseline)
        found += check_known(before.known, listed, ref=ref, where=visible(now.lint.baseline))
    return found


def _check_config(before: Before, config: Config) -> list[Finding]:
    from mcp_governor.policy.weakening import check_config

    now = config_in_file(config)
    if before.config is None or now is None:
        return []
    path = config.path or before.config.path
    where = path.name if path is not None else ""
    return list(check_config(before.config, now, ref=visible(before.ref), where=where))


def check_settings_of_breaks(before: Before, config: Config) -> list[Finding]:
    """The findings of :func:`check_governed` about settings that decide what breaks, and what fails a run.

    For ``check --only breaking``, which checks nothing else. An acceptance is not such a setting: it is the intended
    way to allow a break, and the report shows it.
    """
    decisive = {"fail-on", "level", "unknown", *option_schemas()}
    return [found for found in _check_config(before, config) if found.value[0].removeprefix("policy.") in decisive]


def as_strict_as_before(config: Config, findings: Iterable[Finding]) -> Config:
    """The configuration with the ``fail-on`` of the last release, until a more lenient one is accepted.

    Otherwise a more lenient setting would hide the finding about itself. A setting from the command line counts. The
    findings are those of the run, after acceptances.
    """
    for one in findings:
        if one.rule == "policy/config-weakened" and one.accepted is None:
            setting, old, new = one.value
            if setting == "fail-on" and new == config.fail_on:
                return replace(config, fail_on=old)
    return config


def config_in_file(config: Config) -> Config | None:
    """The configuration as its file has it: settings from the command line are not a change of it."""
    if config.path is None:
        return Config(root=config.root)
    try:
        data = read_bytes(config.path, limit=MAX_TEXT_BYTES)
    except OSError:
        return None
    return _parsed(data, config.path)


def _latest(config: Config) -> str | None:
    """The latest release, if the baseline is elsewhere: then git is needed for nothing else, and may be missing."""
    try:
        return latest_commit(config.root, tip=config.base or "HEAD")
    except GovernorError:
        return None


def _places(config: Config) -> list[str]:
    """Possible former places of the configuration: the current one, else those where it would be found."""
    if config.path is not None:
        other = "pyproject.toml" if config.path.name == OWN_FILE else OWN_FILE
        return [relative(config.path, config.root), relative(config.path.with_name(other), config.root)]
    top = repository_of(config.root)
    folders = [folder for folder in (config.root, *config.root.parents) if folder.is_relative_to(top)]
    return [relative(folder / name, config.root) for folder in folders for name in (OWN_FILE, "pyproject.toml")]


def relative(path: Path, root: Path) -> str:
    """A path as git names it, relative to a folder."""
    return Path(os.path.relpath(path, root)).as_posix()


def _parsed(data: bytes, path: Path) -> Config | None:
    try:
        return parse_config(data, path)
    except ConfigError:
        # Written for another version of this tool, or invalid at that time: it cannot be compared.
        return None
