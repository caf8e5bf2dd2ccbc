"""What of the comparison does a pull request change itself? Its base branch says what is compared, and with what.

A pull request may change that as well: the place of the configuration, the baseline, the command of the server. Then
both comparisons are made and the worse one counts, until somebody approves the change.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import astuple, replace

from mcp_governor.checking.against.base_branch import (
    APPROVED,
    REQUIRED,
    Base,
    approval_key,
    approve,
    changed_recordings,
    read_base,
)
from mcp_governor.checking.against.configuration import config_in_file, known_at, relative
from mcp_governor.checking.reading import fail_on, selection_of
from mcp_governor.config import (
    DEFAULT_CHANGELOG,
    DEFAULT_MANIFEST,
    OWN_FILE,
    Config,
    load_config,
    parse_config,
    with_found_files,
)
from mcp_governor.errors import ConfigError, GovernorError, UsageError
from mcp_governor.files import MAX_TEXT_BYTES, read_bytes, read_named, repository_of
from mcp_governor.findings import Severity
from mcp_governor.target import tier_rules
from mcp_governor.target.git import commit_of, files_at
from mcp_governor.target.git_branch import governs_anything, new_links, replaced_folders
from mcp_governor.target.resolve import baseline_file
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcp_governor.checking.model import Asked, Report
    from mcp_governor.findings import Finding


RULE = "policy/comparison-changed"


def read_approved(file: Path) -> frozenset[str]:
    """The keys (:func:`~.base_branch.approval_key`) in a file: one on a line.

    Raises:
        UsageError: the file cannot be read.
    """
    data = read_named(file, visible(str(file)), limit=MAX_TEXT_BYTES, error=UsageError, hint="Check --approved.")
    return frozenset(filter(None, map(str.strip, data.decode("utf-8", "replace").splitlines())))


def check_gated(config: Config, asked: Asked, run: Callable[[Config, Base], Report]) -> Report:
    """Check a pull request as its base branch configures it, and as itself does where that differs.

    Returns the worse report, with a finding if the two configurations differ. ``config`` is that of the pull request,
    with the options that were typed; ``run`` makes one comparison.
    """
    commit = commit_of(config.root, asked.base)
    config = replace(config, base=commit)
    # The same for both comparisons, whatever a configuration calls the server.
    here = Path.cwd()
    scope = (relative(here, repository_of(here)), asked.target or "", *asked.command)
    scope += (relative(config.path, here),) if asked.config_typed and config.path is not None else ()
    base = read_base(config, asked, scope)
    problem = ""
    try:
        then, governed = _config_of_base(config, commit, asked)
        theirs = _laid_over(config, then, asked)
        there = read_base(theirs, asked, scope)
        # What git has of the pull request counts as well: a link, or an encoding in .gitattributes, lets the work tree
        # have another text, but the next base is what git has.
        changed = _changed(then, _as_written(config), asked, there)
        changed |= _changed(then, _config_of_base(config, "HEAD", asked)[0], asked, there)
    except ConfigError as error:
        theirs, there, problem, governed = config, base, error.message, True
        changed = {"configuration": "unreadable"}
    changed |= _moved_folders(here, commit) | _new_links(config)
    if changed and base.surface is None and there.surface is not None:
        moved = theirs.resolve(baseline_file(theirs))
        base = replace(base, surface=there.surface, changelog=base.changelog or there.changelog, moved_from=moved)

    def run_theirs() -> Report:
        if problem:
            raise ConfigError(problem, "")
        return run(theirs, there)

    def judged(report: Report, says: str = "", why: str = "") -> Report:
        """The report with the finding; before somebody approved it, it asks for that."""
        return _with(report, _finding(theirs, changed, asked.base, says, why), base, theirs)

    try:
        report = run(config, base)
    except GovernorError as error:
        if not changed or asked.approval != REQUIRED or base.approves({"": _key(base, changed)}):
            raise
        return judged(run_theirs(), "ours", error.message)
    one_comparison = not changed
    changed |= changed_recordings(config, base if base.surface is not None else there, report, asked)
    if not changed:
        return report
    alone = judged(report)
    if one_comparison or alone.findings[0].accepted is not None:
        return alone
    try:
        other = run_theirs()
    except GovernorError as error:
        return judged(report, "lost", error.message) if governed else report
    if not governed and other.baseline is None:
        return report
    return judged(other, "worse") if _badness(other) > _badness(report) else alone


def _key(base: Base, changed: Mapping[str, Any]) -> str:
    return approval_key([*base.scope, RULE, changed])


def _with(report: Report, found: Finding, base: Base, theirs: Config) -> Report:
    """A report with the finding first: it says what the rest is about. What fails it is for the base to say."""
    if base.approval and report.base is not None:
        report = approve(report, base, {found.id: _key(base, found.value), **report.base.keys})
        assert report.base is not None
        found = replace(found, accepted=APPROVED if found.id in report.base.approved else None)
    else:
        found = replace(found, severity=Severity.WARNING)
    return replace(report, findings=(found, *report.findings), fail_on=fail_on(theirs))


def _moved_folders(here: Path, commit: str) -> dict[str, Any]:
    """Links and submodules in the place of folders of the base: a job that is meant for such a folder is elsewhere."""
    places = replaced_folders(_nearest_folder(here), commit)
    return {f"the folder {visible(place)}": target for place, target in places.items()}


def _new_links(config: Config) -> dict[str, Any]:
    """Links in the place of files that decide the comparison: git has their text, the work tree what they lead to."""
    names = [name for name in (config.changelog, config.server_json) if name]
    names += [relative(config.path, config.root)] if config.path is not None else []
    return {f"{visible(name)} (a link)": blob for name, blob in new_links(config.root, config.base, names).items()}


def _badness(report: Report) -> tuple[bool, int, int]:
    waiting = len(report.base.asks) if report.base is not None else 0
    return report.verdict == "fail", waiting, report.required_bump.rank


def _finding(theirs: Config, changed: Mapping[str, Any], ref: str, says: str = "", problem: str = "") -> Finding:
    from mcp_governor.rules.finding import finding

    facts = {"settings": ", ".join(changed), "ref": ref.removeprefix("refs/remotes/"), "problem": problem}
    # An approval is of these values: another one later is another finding.
    return finding(RULE, theirs.shown, says=says, value=changed, facts=facts)


def _config_of_base(config: Config, commit: str, asked: Asked) -> tuple[Config, bool]:
    """The configuration that governs at the base, or the defaults; false if the base governs nothing at all."""
    here = config.path.parent if asked.config_typed and config.path is not None else Path.cwd()
    top = repository_of(here)
    folders = [folder for folder in (here, *here.parents) if folder.is_relative_to(top)]
    files = [config.path] if asked.config_typed and config.path is not None else []
    files += [folder / name for folder in folders for name in (OWN_FILE, "pyproject.toml")]
    held = files_at(config.root, commit, [relative(file, config.root) for file in files])
    for file in files:
        data = held.get(relative(file, config.root))
        then = parse_config(data, file) if data is not None else None
        if then is not None:
            return _with_files_at(then, commit), True
    outside = load_config(start=top.parent) if top.parent != top else Config(root=here)
    if outside.path is not None:
        return outside, True  # of the user, above the repository
    return _with_files_at(Config(root=here), commit), governs_anything(_nearest_folder(here), commit)


def _with_files_at(then: Config, commit: str) -> Config:
    """A configuration with the files at their usual places, as its commit has them."""
    names = {"changelog": DEFAULT_CHANGELOG, "server_json": DEFAULT_MANIFEST}
    wanted = {key: name for key, name in names.items() if not getattr(then, key)}
    there = _nearest_folder(then.root)
    paths = {key: relative(then.root / name, there) for key, name in wanted.items()}
    held = files_at(there, commit, list(paths.values()))
    return replace(then, **{key: wanted[key] for key, path in paths.items() if path in held})


def _nearest_folder(folder: Path) -> Path:
    """The folder, or the nearest one above it that the pull request has not removed."""
    return next(place for place in (folder, *folder.parents) if place.is_dir())


def _as_written(config: Config) -> Config:
    """The configuration of the pull request without what was typed."""
    written = config_in_file(config)
    return with_found_files(written) if written is not None else config


_SIMPLE: tuple[str, ...] = ("baseline", "schema_version", "level", "fail_on", "profile", "policy", "changelog_options")
_SIMPLE += ("calls_mode", "calls_dir")
"""Settings that decide what is compared, with what, and what fails, if any value differs."""

_ADDED = ("changelog", "server_json")
"""Such settings that only add a check where the base has none."""


def _changed(then: Config, now: Config, asked: Asked, base: Base) -> dict[str, Any]:
    """The settings that decide what is compared and that differ, as they are written, with their values now.

    Settings that were typed make no difference. ``base`` is what the base has under its own configuration.
    """
    found: dict[str, Any] = {}
    if then.root != now.root:
        found["place of the configuration"] = relative(now.root, then.root)
    if not (asked.target or asked.command or asked.offline) and then.target != now.target:
        found["target"] = now.target
    for name in _SIMPLE:
        if name == "baseline" and asked.against and not asked.offline:
            continue
        if getattr(then, name) != getattr(now, name):
            found[name.replace("_", "-")] = getattr(now, name)
    for name in _ADDED:
        if getattr(then, name) and getattr(then, name) != getattr(now, name):
            found[name.replace("_", "-")] = getattr(now, name)
    found |= _changed_servers(then, now, asked, base)
    found |= _fewer_calls(then, now, base)
    if _moves_tools(then, now, base):
        found["tiers"] = {tier: list(globs) for tier, globs in now.tiers.items()}
    if added := _accepted_more(then, now):
        found["accept"] = added
    return {name: value if isinstance(value, str | dict | list) else str(value) for name, value in found.items()}


def _fewer_calls(then: Config, now: Config, base: Base) -> dict[str, Any]:
    """Settings under which fewer calls are made than at the base, or say less."""
    found: dict[str, Any] = {}
    if dropped := [repr(call) for call in then.calls if call not in now.calls]:
        found["calls"] = dropped
    if dropped := [name for name in then.read_only_tools if name not in now.read_only_tools]:
        found["read-only-tools"] = dropped
    if now.calls_budget < then.calls_budget:
        found["calls-budget"] = now.calls_budget
    if (then.lint, then.profile) != (now.lint, now.profile):
        (had, ignored), (has, ignores) = _rules_of_calls(then), _rules_of_calls(now)
        if changed := sorted((had - has) | (ignores - ignored)):
            found["lint"] = changed
    known = known_at(now, now.root, "HEAD") - known_at(then, now.root, base.ref)
    if added := sorted(one for one in known if one.startswith("call/")):
        found["lint-baseline"] = added
    return found


def _rules_of_calls(config: Config) -> tuple[set[str], set[str]]:
    """The rules about calls that run, with their severities, and those that are ignored for some tools: calls are not a
    matter of style."""
    selection = selection_of(config)
    calls = {one.id: one.severity for one in selection.active.values() if one.rule.station == "call"}
    run = {f"{name} = {severity}" for name, severity in calls.items() if name not in selection.ignored}
    return run, {f"{glob}: {name}" for glob, _, names in selection.tool_ignores for name in names if name in calls}


def _changed_servers(then: Config, now: Config, asked: Asked, base: Base) -> dict[str, Any]:
    """Servers that take part in either comparison and that differ, by their names."""
    found: dict[str, Any] = {}
    for target in sorted(_targets_used(then, now, asked)):
        # What is typed is relative to the current folder, what a configuration says to its own.
        folder = Path.cwd() if target in (asked.target, asked.against) else now.root
        if (entry := _client_entry(target, folder, base)) is not None:
            found[target] = entry
    for name in sorted(_servers_used(then, now, asked)):
        old, new = then.servers.get(name), now.servers.get(name)
        if old != new:
            # Its environment and headers count and are not shown.
            found[f"servers.{name}"] = approval_key(None if new is None else [repr(part) for part in astuple(new)])
    return found


def _client_entry(target: str, folder: Path, base: Base) -> str | None:
    """What a client's file says of a server, if the pull request says something else than the base; else ``None``.

    Of all TARGETs, only CONFIG.json#NAME is of that kind.
    """
    file, mark, name = target.rpartition("#")
    if not (mark and file.endswith(".json")):
        return None
    try:
        data = read_bytes(folder / file)
    except OSError:
        return "removed"
    before = files_at(folder, base.ref, [relative(folder / file, folder)])
    return None if data in before.values() else approval_key([name, data.decode("utf-8", "replace")])


def _targets_used(then: Config, now: Config, asked: Asked) -> set[str]:
    """What takes part in either comparison, as it is named."""
    named = {asked.against} if asked.against else {then.baseline, now.baseline}
    if not (asked.command or asked.offline):
        named |= {asked.target} if asked.target else {then.target, now.target}
    return named


def _servers_used(then: Config, now: Config, asked: Asked) -> set[str]:
    """The names of the servers that take part in either comparison."""
    known = {**then.servers, **now.servers}
    # Where no target is named, the only server is meant.
    unnamed = not (asked.target or asked.command or asked.offline or (then.target and now.target))
    return set(known) if unnamed else _targets_used(then, now, asked) & known.keys()


def _moves_tools(then: Config, now: Config, base: Base) -> bool:
    """True if a tool that the base has would get another tier: a tier for a new tool changes no promise."""
    if base.surface is None:
        return then.tiers != now.tiers
    old, new = tier_rules(then), tier_rules(now)
    return any(old.tier_of(tool.name) is not new.tier_of(tool.name) for tool in base.surface.tools)


def _accepted_more(then: Config, now: Config) -> list[str]:
    """Ids that only the pull request accepts, or for longer; what the linter finds changes no comparison."""
    from mcp_governor.policy.weakening import of_releases

    known = {(item.finding, item.released): item.until or date.max for item in then.accept}
    more = [
        item.finding
        for item in now.accept
        if (item.until or date.max) > known.get((item.finding, item.released), date.min)
        # A release that the changelog of the pull request makes marks what it had.
        and not (item.released and (item.finding, "") in known)
    ]
    # The id of a change has no pack.
    rules = {finding: finding.partition(":")[0] for finding in more}
    return [one for one, rule in rules.items() if "/" not in rule or rule.startswith("call/") or of_releases(one)]


def _laid_over(config: Config, then: Config, asked: Asked) -> Config:
    """The configuration of the run with what the base says of the comparison, apart from what was typed."""
    names = (*_SIMPLE, *_ADDED, "target", "tiers", "accept", "calls", "read_only_tools", "calls_budget", "lint")
    taken = {name: getattr(then, name) for name in names if name not in asked.options}
    servers = then.servers
    if config.timeout != _as_written(config).timeout:
        servers = {name: replace(server, timeout=None, start_timeout=None) for name, server in servers.items()}
    return replace(config, path=then.path or config.path, root=then.root, servers=servers, **taken)
