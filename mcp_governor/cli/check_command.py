"""``mcp-governor check``."""

from __future__ import annotations

import click

from mcp_governor.cli.common import (
    Run,
    TargetCommand,
    against_option,
    deliver,
    places_wanted,
    reporting,
    server_command,
    target_argument,
    useless,
)
from mcp_governor.cli.progress import progress
from mcp_governor.errors import UsageError


@click.command(cls=TargetCommand)
@target_argument
@against_option
@click.option(
    "--level",
    type=click.Choice(["declared", "strict"]),
    help="How to compare schemas  [default: level in the configuration, or declared]",
)
@click.option("--only", type=click.Choice(["breaking"]), help="Only changes that break, or may break; nothing else")
@click.option("--release", is_flag=True, help="Judge the version and the changelog as for a release")
@click.option("--offline", is_flag=True, help="Check the recorded surface; start, fetch and import nothing")
@click.option("--new-only", is_flag=True, help="Report only lint findings that the baseline does not have")
@reporting("trust")
def check(
    run: Run,
    target: str | None,
    against: str | None,
    level: str | None,
    only: str | None,
    release: bool,
    offline: bool,
    new_only: bool,
) -> int:
    """Check the surface: breaking changes, version, changelog, lint. One verdict.

    TARGET may be left out where the configuration names one. A server can be given as -- COMMAND. A server that you
    or the configuration name is started and runs its code; a recording (FILE.json, git:REF) starts
    nothing. After a pypi: or npm: TARGET the words after -- are its arguments:

        mcp-governor check pypi:mcp-server-git --with 'mcp<2' -- --repository .

    With --only breaking it fails for breaking changes and for nothing else: no version, changelog or rules, and no
    configuration is needed. Against the last published release, or against a branch:

    \b
        mcp-governor check --only breaking --against pypi:NAME -- my-server
        mcp-governor check --only breaking --against git:main:FILE -- my-server

    Under policy.gate = "release" changes wait under ## Unreleased between releases; --release judges them as a release,
    and so does a build of a release tag.

    With --offline the recorded surface file is checked, against the same file at the latest release tag, else at
    HEAD.

    With --new-only the linter reports only what the change brought; breaking changes, version and changelog are judged
    as ever. Pull requests and pre-commit hooks ask for that.
    """
    from dataclasses import replace

    from mcp_governor.checking.offline import check_offline
    from mcp_governor.checking.run import check as run_check

    config = replace(run.config, level=level or run.config.level, lint_new_only=new_only)
    command = server_command()
    if offline and command:
        raise UsageError("--offline starts no server, and -- COMMAND is one.", "Keep one of them.")
    if offline and (config.launch.with_ or config.launch.env):
        raise useless("--with" if config.launch.with_ else "--env", "--offline, which starts no server")
    if new_only and config.isolated and against is None:
        raise useless("--new-only", "--isolated, which knows no baseline")
    if only and (release or new_only):
        option, why = ("--release", "no version") if release else ("--new-only", "no rules")
        raise useless(option, f"--only breaking, which looks at {why}")
    places = places_wanted(run.output)
    with progress(run.output) as emit:
        if offline:
            report = check_offline(
                target,
                config=config,
                against=against,
                emit=emit,
                places=places,
                release=release,
                only_breaking=only is not None,
            )
        else:
            report = run_check(
                target,
                config=config,
                against=against,
                command=command,
                emit=emit,
                places=places,
                release=release,
                only_breaking=only is not None,
            )
    return deliver(report, run.output)
