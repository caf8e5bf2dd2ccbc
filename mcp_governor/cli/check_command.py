"""``mcp-governor check``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcp_governor.cli import common
from mcp_governor.cli.fleet_options import Many, all_option, run_all
from mcp_governor.cli.out import progress

if TYPE_CHECKING:
    from pathlib import Path


@click.command(cls=common.TargetCommand)
@common.target_argument
@common.against_option
@common.level_option
@common.profile_option("Rules to run, and the result contract")
@click.option("--no-calls", is_flag=True, help="Call no tool  [default: calls-mode in the configuration]")
@click.option(
    "--load/--no-load",
    "load",
    default=None,
    help="Measure tools/list and judge its budgets, or not  [default: load.check in the configuration]",
)
@click.option("--only", type=click.Choice(["breaking"]), help="Check only changes that break, or may break")
@click.option("--release", is_flag=True, help="Check the version and the changelog as for a release")
@click.option(
    "--base", metavar="REF", help="Base branch of a pull request: say which changes are new, check a release as one"
)
@click.option(
    "--approval",
    type=click.Choice(["required", "given"]),
    help="With --base: breaks that the base does not have fail the run, or are approved",
)
@click.option(
    "--approved",
    type=common.FILE,
    metavar="FILE",
    help="With --approval required: file with the keys of breaks that somebody approved, one on a line",
)
@click.option("--offline", is_flag=True, help="Check the recorded surface; start, fetch and import nothing")
@click.option("--new-only", is_flag=True, help="Report only lint findings that the baseline does not have")
@all_option(
    *("no_calls", "load", "only", "release", "base", "approval", "approved", "offline", "new_only", "report"),
)
@common.reporting("trust")
def check(
    run: common.Run,
    target: str | None,
    against: str | None,
    level: str | None,
    profile: tuple[str, ...],
    no_calls: bool,
    load: bool | None,
    only: str | None,
    release: bool,
    base: str | None,
    approval: str | None,
    approved: Path | None,
    offline: bool,
    new_only: bool,
    many: Many,
) -> int:
    """Check breaking changes, version, changelog and rules, and report one verdict.

    TARGET is optional if the configuration names one; a server can also be given as -- COMMAND. A server is started
    and runs its code; a recording (FILE.json, git:REF) starts nothing. After a pypi: or npm: TARGET, the words after
    -- are its arguments:

        mcp-governor check pypi:mcp-server-git --with 'mcp<2' -- --repository .

    With --only breaking, the run fails only on breaking changes: version, changelog and rules are not checked, and no
    configuration is needed. Compare with the latest published release, or with a branch:

    \b
        mcp-governor check --only breaking --against pypi:NAME -- my-server
        mcp-governor check --only breaking --against git:main...:FILE -- my-server

    Three dots name the last commit that main and HEAD share, as in git diff: what main got since is not removed.

    If the profile has a result contract (charter, surface, schema-md, omni), each tool with readOnlyHint is called once
    with good arguments and once with bad ones, and the responses are checked. Other tools are called only if [[calls]]
    in the configuration names them. --no-calls turns this off.

    With --load, tools/list is measured: its bytes, tokens and time are compared with the limits of [load] in the
    configuration and with the figures of mcp-load.json, which "load probe --record" writes.

    With policy.gate = "release", changes are listed under ## Unreleased between releases; --release checks them as a
    release, and so does a build of a release tag.

    With --base REF, a run says which changes the base branch does not have yet, and checks a pull request that makes a
    release as one. What is compared, and with what, is read from the configuration of the base; if the pull request
    changes that, both comparisons are made, and the worse one counts. With policy.gate = "change", it compares with
    the surface file at the last commit that HEAD shares with the base. With --approval required, a break that is new
    fails the run until somebody approves it (mcp-governor ci does so by a label):

    \b
        mcp-governor check --new-only --base origin/main --approval required

    With --offline, the recorded surface file is compared with the same file at the latest release tag, or at HEAD if
    there is no tag.

    With --new-only, the linter reports only findings that the baseline does not have; breaking changes, version and
    changelog are checked as usual. Use it for pull requests and in pre-commit hooks.

    With --all, each server of the configuration or of a client's file is compared with its recording in the folder
    surfaces, or in the folder of --against, and linted; see mcp-governor fleet check.
    """
    from msgspec.structs import replace

    if many.every:
        return run_all(run, "check", target, replace(many, against=against, profile=profile, level=level))
    from mcp_governor.checking.model import Asked
    from mcp_governor.checking.run import check_as_asked
    from mcp_governor.errors import UsageError

    config = replace(
        run.config,
        level=level or run.config.level,
        profile=profile or run.config.profile,
        calls_mode="none" if no_calls else run.config.calls_mode,
        load=run.config.load if load is None else replace(run.config.load, check=load),
        lint_new_only=new_only,
    )
    if offline:
        common.refuse_server_options(config)
    if new_only and config.isolated and against is None:
        raise common.useless("--new-only", "--isolated, which knows no baseline")
    if load and (offline or only):
        other = "--offline, which starts no server" if offline else "--only breaking, which measures nothing"
        raise common.useless("--load", other)
    if only and (release or new_only):
        option, why = ("--release", "no version") if release else ("--new-only", "no rules")
        raise common.useless(option, f"--only breaking, which looks at {why}")
    if approval and base is None:
        raise UsageError("--approval is about breaks that a base branch does not have.", "Name it: --base origin/main")
    if approved is not None and approval != "required":
        raise UsageError("--approved names breaks that need an approval.", "Add: --approval required")
    if base is not None and config.isolated:
        raise common.useless("--base", "--isolated, which reads no file of the repository")
    typed = {"level": level, "profile": profile, "calls_mode": no_calls}
    typed["fail_on"] = click.get_current_context().params.get("fail_on")
    with progress(run.output.verbose) as emit:
        asked = Asked(
            target=target,
            command=common.server_command(),
            against=against,
            offline=offline,
            release=release,
            only_breaking=only is not None,
            places=common.places_wanted(run.output),
            base=base or "",
            approval=approval or "",
            approved=_approved(approved) if approved is not None else frozenset(),
            config_typed=run.config_typed,
            options=frozenset(name for name, value in typed.items() if value),
            emit=emit,
        )
        report = check_as_asked(asked, config)
    return common.deliver(report, run)


def _approved(file: Path) -> frozenset[str]:
    from mcp_governor.checking.against.pull_request import read_approved

    return read_approved(file)
