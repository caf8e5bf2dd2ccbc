"""``mcp-governor ci``."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_governor.cli import out
from mcp_governor.errors import Exit, UsageError
from mcp_governor.text import inert, one_line

if TYPE_CHECKING:
    from mcp_governor.ci.phases import Remark

_COMMANDS = ("check", "lint", "diff", "call", "changelog check")
_PHASES = ("all", "prepare", "check", "comment")


def _variable(name: str) -> str:
    return f"MCP_GOVERNOR_CI_{name.upper().replace('-', '_')}"


@click.command()
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGUMENT…]")
@click.option(
    "--command",
    type=click.Choice(_COMMANDS),
    default="check",
    show_default=True,
    envvar=_variable("command"),
    help="Command to run",
)
@click.option("--target", envvar=_variable("target"), help="TARGET of the command")
@click.option("--against", envvar=_variable("baseline"), help="Compare with this target instead of the baseline")
@click.option(
    "--config",
    envvar=_variable("config"),
    help="Configuration file  [default: the nearest one in this folder or above]",
)
@click.option(
    "--fail-on",
    envvar=_variable("fail-on"),
    help="Lowest severity that fails the run  [default: fail-on in the configuration]",
)
@click.option("--args", envvar=_variable("args"), help="Further arguments of the command, quoted as for a shell")
@click.option(
    "--approval-label",
    default="mcp-breaking-approved",
    show_default=True,
    envvar=_variable("approval-label"),
    help="Label that approves breaking changes; none: they need no approval",
)
@click.option(
    "--comment/--no-comment", default=True, show_default=True, envvar=_variable("comment"), help="Comment on changes"
)
@click.option("--sarif", envvar=_variable("sarif"), metavar="FILE", help="Also write a SARIF report to this file")
@click.option(
    "--name", envvar=_variable("name"), help="Name of the server in its comment  [default: folder in the repository]"
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    envvar=_variable("folder"),
    help="Folder for reports  [default: one for temporary files]",
)
@click.option("--phase", type=click.Choice(_PHASES), default="all", show_default=True, help="Part of the job to run")
def ci(
    arguments: tuple[str, ...],
    command: str,
    target: str | None,
    against: str | None,
    config: str | None,
    fail_on: str | None,
    args: str | None,
    approval_label: str,
    comment: bool,
    sarif: str | None,
    name: str | None,
    folder: Path | None,
    phase: str,
) -> int:
    """Run a check as a job of GitHub Actions or GitLab CI/CD.

    On a pull request the job fetches what a shallow clone lacks, compares with the base branch, and requires the
    approval label for breaks that the base does not have. It writes annotations, the job summary, and, on GitHub, a
    comment that it keeps up to date. Words after -- are arguments of the command:

    \b
        mcp-governor ci -- --level strict
        mcp-governor ci -- --only breaking -- python server.py

    The token for labels and comments is in MCP_GOVERNOR_GITHUB_TOKEN. A server could read it from a process that has
    it, so make each phase a step of its own, and set the token for prepare and comment only. In one step it is given up
    before the server starts, and no comment is written, unless the check is --offline. Every option can be set by a
    variable: MCP_GOVERNOR_CI_ARGS for --args.
    """
    from mcp_governor.ci import phases

    named = {"--against": against, "--config": config, "--fail-on": fail_on}
    words = [word for option, value in named.items() if value for word in (option, value)]
    words += [target] if target else []
    try:
        words += shlex.split(args or "")
    except ValueError as error:
        raise UsageError(
            f"--args cannot be split into words: {str(error).lower()}.", "Close the quotation mark."
        ) from None
    wanted = phases.Wanted(
        command=command,
        arguments=(*words, *arguments),
        label="" if approval_label == "none" else approval_label,
        comment=comment,
        sarif=sarif or "",
        name=name or "",
        folder=(folder or _default_folder(phase)).absolute(),
    )
    code = int(Exit.PASS)
    if phase in ("all", "prepare"):
        _say(phases.prepare(wanted))
    if phase in ("all", "check"):
        if phases.gives_up_token(wanted):
            _say((phases.Remark("notice", _GIVEN_UP[phase]),))
            phases.check_without_token(wanted)
        code = phases.check(wanted)
        verdict, remarks = phases.conclude(wanted, code)
        _say(remarks)
        if code == Exit.PASS and verdict == "error":
            code = int(Exit.NOTHING_CHECKED)  # such as --help among the arguments
    if phase in ("all", "comment"):
        _say(phases.comment(wanted))
    return code


_GIVEN_UP = {
    "all": "No comment is written: in one step the token is given up before the server starts. Run the phases prepare, "
    "check and comment as steps of their own (docs/ci.md).",
    "check": "The step that starts the server has the token: set it for the phases prepare and comment only.",
}
"""What is said if the process that starts a server has the token."""


def _default_folder(phase: str) -> Path:
    if given := os.environ.get("RUNNER_TEMP"):
        return Path(given) / "mcp-governor"
    if phase != "all":
        raise UsageError("The phases of a job need a folder that they share.", "Name it: --folder DIRECTORY")
    import tempfile

    return Path(tempfile.mkdtemp(prefix="mcp-governor-"))


def _say(remarks: tuple[Remark, ...]) -> None:
    for remark in remarks:
        text = inert(one_line(remark.text, 1_000))
        if os.environ.get("GITHUB_ACTIONS") == "true":
            escaped = text.replace("%", "%25")
            out.put(f"::{remark.level} title=mcp-governor::{escaped}\n", form="commands")
        else:
            out.echo(f"{remark.level}: {text}", err=True)
