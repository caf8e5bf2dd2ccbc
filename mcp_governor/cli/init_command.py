"""``mcp-governor init``: configuration, baseline, changelog and known findings."""

from __future__ import annotations

import contextlib
import os
import shlex
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from mcp_governor.cli import common, out
from mcp_governor.cli.init_files import HOOKS, ci_offers, hook_offer
from mcp_governor.cli.init_plan import Plan, as_started, found_plan, local_paths, recorded_paths, typed_plan
from mcp_governor.config import DEFAULT_CHANGELOG, OWN_FILE, with_found_files
from mcp_governor.errors import GovernorError, NothingCheckedError, UsageError
from mcp_governor.findings import Severity
from mcp_governor.report.lines import line
from mcp_governor.target import SURFACE_FILE, LiveSource, resolve
from mcp_governor.text import one_line, toml_key, toml_value, visible
from mcp_governor.versions import Numbered
from mcp_governor.writing import NewFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.surface import Surface
    from mcp_governor.target import Source
    from mcp_governor.version_sources import Suggestion


@click.command(cls=common.TargetCommand)
@common.target_argument
@click.option("--ci/--no-ci", default=True, help="Write a GitHub workflow, or show a GitLab job  [default: --ci]")
@click.option("--hook/--no-hook", default=True, help="Write the pre-commit hook  [default: --hook]")
@click.option(
    "--from", "recording", metavar="RECORDING", help="Use this as the first baseline instead of the current surface"
)
@click.option("--force", is_flag=True, help="Begin again: replace the files that init wrote, changelog included")
@common.run_options("isolated")
def init(run: common.Run, target: str | None, ci: bool, hook: bool, recording: str | None, force: bool) -> None:
    """Write configuration, baseline, changelog, CI job and hook, so that the next check passes.

    No file is overwritten without --force.

    Without TARGET, init looks for the server of this repository: in pyproject.toml, package.json, Python source, the
    Dockerfile, and the configuration files of MCP clients. It runs each command that leads to a file or a script of
    the repository, as shown, and takes the server that responds. Other commands are listed; name one to start it.

    If the server needs environment variables, name them with --env NAME or --env-file FILE. Values are not written.

    --from takes an existing recording: a folder of .snap files (__toolsnaps__), the .snap file of a Jest or Vitest
    test that lists the tools, an export of MCPJam, a tools/list result, or a surface file.
    """
    from mcp_governor.writing import write_files

    root = Path.cwd()
    if run.config.path is not None and run.config.path.parent == root:
        if force and run.config.path.name != OWN_FILE:
            raise UsageError(
                f"--force does not replace the configuration in {run.config.shown}.",
                "Remove [tool.mcp-governor] from it, then run init again.",
            )
        if not force:
            raise UsageError(
                f"This folder already has a configuration: {run.config.shown}.",
                "Edit it. To record a new baseline, run: mcp-governor snapshot\n"
                "To begin again, with a new changelog: mcp-governor init --force",
            )
    if force:
        run = common.Run(common.unconfigured(), run.output)
    plan = typed_plan(target, common.server_command(), run.config.launch, root) or found_plan(root, run.config)
    config = _config(plan, run.config)
    source = resolve(None, config)
    live = surface = _surface(plan, source, config)
    assert isinstance(source, LiveSource)
    plan = as_started(plan, source.endpoint)
    config = _config(plan, run.config)
    if recording is not None:
        surface = _recorded_surface(recording, surface, config)
    files, written, remarks = _first_files(plan, surface, config, live=live, force=force)
    offers = [
        *(ci_offers(plan.root, source.endpoint, plan.secrets, force=force) if ci else ()),
        *([hook_offer(plan.root)] if hook else ()),
    ]
    shown = [(visible(os.path.relpath(offer.path, plan.root)), offer) for offer in offers]
    for name, offer in shown:
        if offer.text is not None:
            files.append(NewFile(offer.path, offer.text, plan.root, name))
        if not offer.paste:
            is_said = offer.text is not None or offer.path.name == HOOKS
            written.append((name, offer.what if is_said else "exists, not changed"))
    write_files(*files)
    _summarize(plan, len(live.tools), written, [*remarks, *_of_this_machine(surface, plan.root)])
    for name, offer in shown:
        if offer.paste:
            out.echo(f"\n{name} was not changed; {offer.what}:\n\n{indent(offer.paste, '    ')}")
    then = f", then see what has changed since {one_line(recording, 80)} with" if recording else ", then run"
    out.echo(f"Next: commit these files{then}: {_check(plan, root)}")


def _config(plan: Plan, typed: Config) -> Config:
    """What the written configuration will say, with what the command line says of this run."""
    from mcp_governor.target.discover.trying import config_of

    return with_found_files(config_of(plan.name, plan.keys, plan.target, plan.root, typed))


def _surface(plan: Plan, source: Source, config: Config) -> Surface:
    from mcp_governor.checking.reading import read_governed, with_manifest

    surface = read_governed(source, config) if plan.surface is None else with_manifest(plan.surface, config)
    if not surface.entries:
        raise NothingCheckedError(
            f"The server {visible(config.target)} publishes no tools; nothing was written.",
            "Register the tools before the server starts, then try again.",
        )
    return surface


def _summarize(plan: Plan, tools: int, written: list[tuple[str, str]], remarks: Sequence[str]) -> None:
    from mcp_governor.report.groups import count_of

    folder = os.path.relpath(plan.root)
    where = visible(plan.found_in if folder == "." or plan.surface is None else f"{folder}/")
    out.echo(f"Found the server {visible(plan.name)} in {where}: {count_of(tools, 'tool')}.")
    width = max(len(name) for name, _ in written)
    out.put_lines(line(f"{name:<{width}}  {what}", indent=2, hang=width + 2) for name, what in written)
    for remark in remarks:
        out.echo(remark)
    if paths := [one_line(path, 80) for path in local_paths(plan.keys)]:
        is_, it = ("is a path", "it") if len(paths) == 1 else ("are paths", "them")
        out.echo(f"{', '.join(paths)} {is_} of this machine; write {it} relative to the folder, so that CI has {it}.")
    if plan.secrets:
        which = "it" if len(plan.secrets) == 1 else "them"
        out.echo(f"The server gets {', '.join(plan.secrets)} from the environment; set {which} wherever check runs.")


_PATHS_SHOWN = 3
"""Places with a path of this machine that are named: enough to find what writes them."""


def _of_this_machine(surface: Surface, root: Path) -> list[str]:
    """That the recording will differ on other machines, and where; nothing if it does not."""
    from mcp_governor.surface import surface_document

    found = recorded_paths(surface_document(surface), (root, Path.home()))
    if not found:
        return []
    more = f" and {len(found) - _PATHS_SHOWN:,} more" if len(found) > _PATHS_SHOWN else ""
    return [
        f"The recording has paths of this machine at {', '.join(one_line(place, 80) for place in found[:_PATHS_SHOWN])}"
        f"{more}, so it differs elsewhere; publish names or relative paths, or record it in CI."
    ]


def _check(plan: Plan, root: Path) -> str:
    """The command that checks what was written, with the files of variables that this run was given."""
    folder = os.path.relpath(plan.root, root)
    into = "" if folder == "." else f"cd {shlex.quote(folder)} && "
    typed = click.get_current_context().meta.get(common.ENV_FILES_KEY, ())
    files = [shlex.quote(os.path.relpath(file, plan.root)) for file in typed]
    return f"{into}mcp-governor check{''.join(f' --env-file {file}' for file in files)}"


_KNOWN_FILE = "mcp-lint-baseline.json"


def _first_files(
    plan: Plan, surface: Surface, config: Config, *, live: Surface, force: bool
) -> tuple[list[NewFile], list[tuple[str, str]], list[str]]:
    """The files of a repository that nothing governs yet.

    Args:
        plan: what is governed.
        surface: the baseline.
        config: what the written configuration will say.
        live: what the server publishes now, where the baseline is another one.
        force: replace the files that are there.

    Returns:
        What will be written; what to say of each file, written or left alone; and remarks: where the version is taken
        from, that commits after its tag may have added to it, and one line about the findings of today.
    """
    from mcp_governor.changelog import recorded_path
    from mcp_governor.changelog.editing import first_changelog
    from mcp_governor.checking.reading import lint_settings
    from mcp_governor.rules import dump_baseline
    from mcp_governor.rules.run import lint
    from mcp_governor.surface import dump_surface
    from mcp_governor.version_sources import SERVER_INFO, suggest_source

    root = plan.root
    suggested = suggest_source(surface, root)
    version = suggested.version.text or suggested.spec
    stated = None if suggested.spec == SERVER_INFO else (version, suggested.version.count)
    found = lint(live, lint_settings(config))
    failing = [finding for finding in found if finding.severity is Severity.ERROR]
    recorded = "it is now" if surface is live else f"recorded in {one_line(surface.source, 60)}"
    text = dump_surface(replace(surface, stated=stated))
    files = {
        OWN_FILE: (_config_text(plan, suggested, bool(failing)), "the configuration"),
        SURFACE_FILE: (text, f"the baseline: the surface as {recorded}"),
        DEFAULT_CHANGELOG: (first_changelog(surface, version), f"the schema changelog, starting at {visible(version)}"),
    }
    past = "" if surface is not live else _past_release(plan, surface, version)
    if Numbered.parse(version) is not None and not past:
        # As a release records it: a clone without history has what this version published.
        release = recorded_path(config.changelog_options.surfaces, version)
        files[release] = (text, f"the same surface, recorded for {version}")
    if failing:
        files[_KNOWN_FILE] = (dump_baseline(failing), "the current lint errors, which do not fail the check")
    there = {name for name in files if os.path.lexists(root / name)}
    new = [NewFile(root / name, text, root, name) for name, (text, _) in files.items() if force or name not in there]
    written = [
        (name, what if name not in there else f"replaced: {what}" if force else "exists, not changed")
        for name, (_, what) in files.items()
    ]
    remarks = [past, _verdict(found)]
    if suggested.reason:
        shown = visible(version)
        where = "written into the configuration" if shown == suggested.spec else f"taken from {visible(suggested.spec)}"
        remarks.insert(0, f"{suggested.reason} Its version is {where}: {shown}.")
    return new, written, [remark for remark in remarks if remark]


def _past_release(plan: Plan, surface: Surface, version: str) -> str:
    """That the surface may have more than the release of its version published, and how to begin with that; else
    empty."""
    from mcp_governor.target.discover.node import read_json
    from mcp_governor.target.discover.python_projects import PythonProject
    from mcp_governor.target.git_releases import changed_since, release_tags

    parsed, tag = Numbered.parse(version), ""
    if parsed is not None and surface.release is None and "url" not in plan.keys:
        with contextlib.suppress(GovernorError):
            tag = release_tags(plan.root).get(parsed, "")
    if not tag or not changed_since(plan.root, tag):
        return ""
    npm = read_json(plan.root / "package.json").get("name")
    python = PythonProject(plan.root, plan.root).name
    package = f"pypi:{python}=={version}" if python else f"npm:{npm}@{version}" if npm else "PACKAGE"
    file = f"{version}.json"
    return (
        f"HEAD is past {visible(tag)}, so this surface is not recorded for {visible(version)}. To begin with what that "
        f"published, run: mcp-governor snapshot {shlex.quote(one_line(package))} -o {shlex.quote(file)}, then this "
        f"init again with: --force --from {shlex.quote(file)}"
    )


def _verdict(found: Sequence[Finding]) -> str:
    """One line about the findings of today."""
    from mcp_governor.report.groups import count_of

    errors, warnings = (sum(one.severity is kind for one in found) for kind in (Severity.ERROR, Severity.WARNING))
    counts = [count_of(number, word) for number, word in ((errors, "error"), (warnings, "warning")) if number]
    if not counts:
        return "Lint found no problems."
    which = "the error is in the baseline and does" if errors == 1 else "the errors are in the baseline and do"
    known = f"; {which} not fail the check" if errors else ""
    return f"Lint found {' and '.join(counts)}{known}. List them with: mcp-governor lint"


def _config_text(plan: Plan, version: Suggestion, known: bool) -> str:
    """The configuration: what differs from the defaults, and why."""
    lines = [
        "# Configuration of mcp-governor; `mcp-governor schema config` prints all keys.",
        f"target = {toml_value(plan.target)}",
        f"# The baseline is {SURFACE_FILE} at the latest release tag, or the file itself if there is no tag.",
    ]
    if version.reason:
        lines += [f"# {version.reason}", f"schema-version = {toml_value(version.spec)}"]
    if plan.keys:
        lines += [
            "",
            f"[servers.{toml_key(plan.name)}]",
            *(f"{key} = {toml_value(value)}" for key, value in plan.keys.items()),
        ]
    lines += [
        "",
        "[policy]",
        "# Between releases, changes are listed under ## Unreleased; the version is checked at a release.",
        'gate = "release"',
    ]
    if known:
        lines += ["", "[lint]", f"baseline = {toml_value(_KNOWN_FILE)}"]
    return "\n".join(lines) + "\n"


_LEFT_OUT = ("title", "description", "annotations", "icons", "execution", "_meta")
"""Keys of a tool that some exports leave out of every tool (MCPJam writes name, description and schemas)."""
_PUBLISHED = frozenset({"name", "inputSchema", "outputSchema", *_LEFT_OUT})
"""Keys that the protocol knows; others are notes of a project in its own list, unless the server publishes them."""


def _recorded_surface(text: str, live: Surface, config: Config) -> Surface:
    """The surface of a recording, completed with what its format lacks: version, prompts, resources and the keys of
    tools that are not in it are those that the server publishes now."""
    from mcp_governor.surface import build_surface
    from mcp_governor.target import LiveSource, parse_target, read_source, tier_rules

    source = parse_target(text, config, base=Path.cwd())
    if isinstance(source, LiveSource):
        raise UsageError(
            f'--from takes a recording, but "{one_line(text, 80)}" is a server.',
            f"Record it first: mcp-governor snapshot {one_line(text, 80)} -o FILE.json",
        )
    old = read_source(source)
    if not old.entries:
        raise NothingCheckedError(f"{source.shown} contains no tools; nothing was written.", "Use another recording.")
    skills = old.skill_entries if old.skills_recorded else live.skill_entries
    raw: dict[str, Any] = {
        "tools": _completed(old, live),
        "prompts": list(old.prompts or live.prompts),
        "resources": list(old.resources or live.resources),
        "resourceTemplates": list(old.templates or live.templates),
        "skills": None if skills is None else list(skills),
        "skillFiles": dict(old.skill_files or live.skill_files),
        "serverInfo": dict(old.server or live.server),
        "capabilities": dict(old.capabilities or live.capabilities),
        "protocolVersion": old.protocol or live.protocol,
        "instructions": old.instructions or live.instructions,
    }
    return build_surface(raw, tiers=tier_rules(config), source=source.shown)


def _completed(old: Surface, live: Surface) -> list[Any]:
    """The recorded tools, with what their format leaves out of every tool, without what no server publishes."""
    recorded = {key for entry in old.entries if isinstance(entry, dict) for key in entry}
    missing = [key for key in _LEFT_OUT if key not in recorded]
    now: Mapping[str, Mapping[str, Any]] = {tool.name: tool.raw for tool in live.tools}
    published = _PUBLISHED.union(*now.values())
    tools: list[Any] = []
    for entry in old.entries:
        if not isinstance(entry, dict):
            tools.append(entry)
            continue
        more = now.get(str(entry.get("name")), {})
        kept = {key: value for key, value in entry.items() if key in published}
        tools.append({**{key: more[key] for key in missing if key in more}, **kept})
    return tools
