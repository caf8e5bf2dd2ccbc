"""``mcp-governor init``."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

import click

from mcp_governor.cli import out
from mcp_governor.cli.common import (
    ENV_FILES_KEY,
    Run,
    TargetCommand,
    run_options,
    server_command,
    target_argument,
    unconfigured,
)
from mcp_governor.cli.init_files import HOOKS, Offer, ci_offers, hook_offer
from mcp_governor.cli.init_plan import Plan, as_started, local_paths, recorded_paths, typed_plan
from mcp_governor.config import OWN_FILE, with_found_files
from mcp_governor.errors import NothingCheckedError, UsageError
from mcp_governor.report.lines import line
from mcp_governor.target import LiveSource, resolve
from mcp_governor.text import one_line, visible
from mcp_governor.writing import NewFile

if TYPE_CHECKING:
    from mcp_governor.config import Config
    from mcp_governor.surface import Surface
    from mcp_governor.target import Source
    from mcp_governor.wire import Endpoint


@click.command(cls=TargetCommand)
@target_argument
@click.option("--ci/--no-ci", default=True, help="Write a GitHub workflow, or show a GitLab job  [default: --ci]")
@click.option("--hook/--no-hook", default=True, help="Write the pre-commit hook  [default: --hook]")
@click.option(
    "--from", "recording", metavar="RECORDING", help="Use this as the first baseline instead of the current surface"
)
@click.option("--force", is_flag=True, help="Begin again: replace the files that init wrote, changelog included")
@run_options("isolated")
def init(run: Run, target: str | None, ci: bool, hook: bool, recording: str | None, force: bool) -> None:
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
        run = Run(unconfigured(), run.output)
    plan = _plan(run, target, root)
    config = _config(plan, run.config)
    source = resolve(None, config)
    live = surface = _surface(plan, source, config)
    plan = as_started(plan, _endpoint(source))
    config = _config(plan, run.config)
    from mcp_governor.cli.init_config import first_files

    if recording is not None:
        from mcp_governor.cli.init_baseline import recorded_surface

        surface = recorded_surface(recording, surface, config)
    files, written, version, verdict = first_files(plan, surface, config, live=live, force=force)
    offers = [
        *(ci_offers(plan.root, _endpoint(source), plan.secrets, force=force) if ci else ()),
        *([hook_offer(plan.root)] if hook else ()),
    ]
    shown = [(visible(os.path.relpath(offer.path, plan.root)), offer) for offer in offers]
    for name, offer in shown:
        if offer.text is not None:
            files.append(NewFile(offer.path, offer.text, plan.root, name))
        if not offer.paste:
            written.append((name, _placed(offer)))
    write_files(*files)
    _summarize(plan, len(live.tools), written, (version, verdict, _of_this_machine(surface, plan.root)))
    for name, offer in shown:
        if offer.paste:
            out.echo(f"\n{name} was not changed; {offer.what}:\n\n{indent(offer.paste, '    ')}")
    then = f", then see what has changed since {one_line(recording, 80)} with" if recording else ", then run"
    out.echo(f"Next: commit these files{then}: {_check(plan, root)}")


def _plan(run: Run, target: str | None, root: Path) -> Plan:
    plan = typed_plan(target, server_command(), run.config.launch, root)
    if plan is not None:
        return plan
    from mcp_governor.cli.init_search import found_plan

    return found_plan(root, run.config)


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


def _endpoint(source: Source) -> Endpoint:
    assert isinstance(source, LiveSource)
    return source.endpoint


def _placed(offer: Offer) -> str:
    """What to say of an offered file."""
    return offer.what if offer.text is not None or offer.path.name == HOOKS else "exists, not changed"


def _summarize(plan: Plan, tools: int, written: list[tuple[str, str]], remarks: tuple[str, ...]) -> None:
    from mcp_governor.report.groups import count_of

    folder = os.path.relpath(plan.root)
    where = visible(plan.found_in if folder == "." or plan.surface is None else f"{folder}/")
    out.echo(f"Found the server {visible(plan.name)} in {where}: {count_of(tools, 'tool')}.")
    width = max(len(name) for name, _ in written)
    out.put_lines(line(f"{name:<{width}}  {what}", indent=2, hang=width + 2) for name, what in written)
    for remark in filter(None, remarks):
        out.echo(remark)
    if paths := [one_line(path, 80) for path in local_paths(plan.keys)]:
        is_, it = ("is a path", "it") if len(paths) == 1 else ("are paths", "them")
        out.echo(f"{', '.join(paths)} {is_} of this machine; write {it} relative to the folder, so that CI has {it}.")
    if plan.secrets:
        which = "it" if len(plan.secrets) == 1 else "them"
        out.echo(f"The server gets {', '.join(plan.secrets)} from the environment; set {which} wherever check runs.")


_PATHS_SHOWN = 3
"""Places with a path of this machine that are named: enough to find what writes them."""


def _of_this_machine(surface: Surface, root: Path) -> str:
    """That the recording will differ on other machines, and where; else empty."""
    from mcp_governor.surface import surface_document

    found = recorded_paths(surface_document(surface), (root, Path.home()))
    if not found:
        return ""
    more = f" and {len(found) - _PATHS_SHOWN:,} more" if len(found) > _PATHS_SHOWN else ""
    return (
        f"The recording has paths of this machine at {', '.join(one_line(place, 80) for place in found[:_PATHS_SHOWN])}"
        f"{more}, so it differs elsewhere; publish names or relative paths, or record it in CI."
    )


def _check(plan: Plan, root: Path) -> str:
    """The command that checks what was written, with the files of variables that this run was given."""
    folder = os.path.relpath(plan.root, root)
    into = "" if folder == "." else f"cd {shlex.quote(folder)} && "
    typed = click.get_current_context().meta.get(ENV_FILES_KEY, ())
    files = [shlex.quote(os.path.relpath(file, plan.root)) for file in typed]
    return f"{into}mcp-governor check{''.join(f' --env-file {file}' for file in files)}"
