"""What commands share: options, the command after ``--``, and the way a report leaves the process."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.cli import completion, out, terminal
from mcp_governor.cli.repeating import ENV_PARAMETER, command_to_repeat, in_ci, remember
from mcp_governor.cli.report_formats import REPORT, REPORT_FILE
from mcp_governor.config import Config, load_config
from mcp_governor.config.load import rules_trusted, trusted_by_variable
from mcp_governor.config.policy import MAX_SECONDS
from mcp_governor.errors import Exit, GovernorError, UsageError
from mcp_governor.findings import Severity
from mcp_governor.secrets import redact
from mcp_governor.text import escape_json, inert, one_line, printable, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcp_governor.checking.model import Report
    from mcp_governor.report import Format
    from mcp_governor.report.lines import Line
    from mcp_governor.target import Source

_F = TypeVar("_F", bound="Callable[..., Any]")
_LAUNCH_KEY = "mcp_governor.launch"
ENV_FILES_KEY = "mcp_governor.env_files"
"""Key in a command's context for the files of variables from the command line."""
_TIMEOUT_KEY = "mcp_governor.timeout"
_WITH, _ENV, _ENV_FILE, _TIMEOUT = "launch_with", ENV_PARAMETER, "launch_env_file", "launch_timeout"
_HEADER, _BEARER, _NO_RESOLVE = "launch_header", "launch_bearer", "launch_no_resolve"


class Seconds(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """A time that a clock can count, in seconds: above 0, and no NaN."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number of seconds.", param, ctx)
        if not 0 < number <= MAX_SECONDS:
            self.fail(f"{value} is out of range; it must be above 0 and at most {MAX_SECONDS:,} seconds.", param, ctx)
        return number


FILE = click.Path(dir_okay=False, path_type=Path)
"""The type of options and arguments that are a file."""

SECONDS = Seconds()
"""The type of options that are a time."""

TIMEOUT_HELP = "Timeout per response, in seconds [default: 30], and for startup [default: 60, packages: 180]"


class TargetCommand(click.Command):
    """A command whose ``-- COMMAND…`` part is a server to start, kept apart from its own arguments.

    It has the options that say how a server is started, and how long it may take.
    """

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.params += [
            click.Option(
                ["--with", _WITH],
                multiple=True,
                metavar="REQUIREMENT",
                help="Also install this package with a pypi: or npm: target",
            ),
            click.Option(
                ["--no-resolve", _NO_RESOLVE],
                is_flag=True,
                help="Start a pypi: or npm: target only as it is named, also if it needs another script, or another "
                "version of Python, Node.js or mcp",
            ),
            click.Option(
                ["--env", _ENV],
                multiple=True,
                metavar="NAME[=VALUE]",
                help="Environment variable for the server; without a value, taken from this environment",
            ),
            click.Option(
                ["--env-file", _ENV_FILE],
                multiple=True,
                metavar="FILE",
                type=FILE,
                help="File of environment variables for the server, as NAME=VALUE lines",
            ),
            click.Option(
                ["--header", _HEADER],
                multiple=True,
                metavar="NAME=VARIABLE",
                help="HTTP header for a server at a URL; its value is taken from this environment variable",
            ),
            click.Option(
                ["--bearer", _BEARER],
                metavar="VARIABLE",
                help="Environment variable with the bearer token for a server at a URL  "
                "[default: MCP_GOVERNOR_BEARER_TOKEN]",
            ),
            click.Option(
                ["--timeout", _TIMEOUT],
                type=SECONDS,
                help=TIMEOUT_HELP,
            ),
        ]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            cut = args.index("--")
            args, command = args[:cut], args[cut + 1 :]
            remember(ctx, args, command)
            if not command and not ctx.resilient_parsing:
                raise click.UsageError("No command follows --; add the command that starts the server.", ctx)
            ctx.meta[completion.COMMAND_KEY] = tuple(command)
            return super().parse_args(ctx, args)
        typed = list(args)
        remember(ctx, args)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            from mcp_governor.cli.repeating import refuse_bare_command

            refuse_bare_command(ctx, typed, error)
            raise

    def invoke(self, ctx: click.Context) -> Any:
        with_, env, env_files = (ctx.params.pop(key) for key in (_WITH, _ENV, _ENV_FILE))
        headers = ctx.params.pop(_HEADER), ctx.params.pop(_BEARER)
        resolves = not ctx.params.pop(_NO_RESOLVE)
        ctx.meta[_TIMEOUT_KEY] = ctx.params.pop(_TIMEOUT)
        ctx.meta[ENV_FILES_KEY] = env_files
        packages = [str(ctx.params.get(key)).startswith(("pypi:", "npm:")) for key in ("target", "old", "new")]
        args: tuple[str, ...] = ()
        if any(packages) and ctx.params.get("new" if "old" in ctx.params else "target"):
            # The place of a COMMAND is taken by a TARGET: these are the arguments of the packages.
            args = ctx.meta.pop(completion.COMMAND_KEY, ())
        if any((args, with_, env, env_files, *headers, not resolves)):
            from mcp_governor.cli.launching import launch_of

            ctx.meta[_LAUNCH_KEY] = launch_of(args, with_, env, env_files, headers, resolves=resolves)
        return super().invoke(ctx)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "[-- COMMAND…]"]


def server_command() -> tuple[str, ...]:
    """The words after ``--`` of the current command line."""
    command: tuple[str, ...] = click.get_current_context().meta.get(completion.COMMAND_KEY, ())
    return command


class Output(Struct, frozen=True):
    """The format and the destination of a report."""

    format: str = "text"
    file: Path | None = None
    verbose: int = 0
    reports: tuple[tuple[str, Path], ...] = ()
    """Additional reports, as formats and files."""
    next_to: bool = False
    """The user typed the folder of the file, or a file next to it, so that a link in its place is not the user's."""


class Run(Struct, frozen=True):
    """The shared options of one command line."""

    config: Config
    output: Output
    config_typed: bool = False
    """If the user typed the path of the configuration, and so means exactly that file."""

    def source(self, target: str | None) -> Source:
        """What is governed."""
        from mcp_governor.target import resolve

        return resolve(target, self.config, command=server_command())


_OPTIONS = {
    "output": click.option(
        "-o",
        "--output",
        type=FILE,
        help="Write the output to this file  [default: standard output]",
    ),
    "report": click.option(
        "--report",
        multiple=True,
        metavar="FORMAT=FILE",
        type=REPORT_FILE,
        help="Also write a report of this format to this file; repeatable",
    ),
    "fail-on": click.option(
        "--fail-on",
        type=click.Choice([*(severity.value for severity in Severity), "never"]),
        help="Lowest severity that fails the run  [default: fail-on in the configuration, or error]",
    ),
    "config": click.option(
        "--config",
        type=FILE,
        help="Configuration file  [default: the nearest one in this folder or above]",
    ),
    "isolated": click.option(
        "--isolated", is_flag=True, help="Ignore every configuration, baseline and changelog file"
    ),
    "trust": click.option(
        "--trust",
        is_flag=True,
        help="Run rules in Python from the repository and from packages, and let its configuration permit calls of any "
        "server",
    ),
    "quiet": click.option("-q", "--quiet", is_flag=True, help="Show only errors and the summary"),
    "verbose": click.option(
        "-v", "--verbose", count=True, help="Show every finding with its location, fix and id, and wording changes"
    ),
}
_REPORTING = ("output", "report", "fail-on", "quiet", "verbose")


def run_options(*names: str, formats: click.Choice[str] | None = None) -> Callable[[_F], _F]:
    """Options that commands share; the callback gets them as one :class:`Run`.

    Args:
        names: of the options; a command takes those that it obeys, and no others.
        formats: what ``--format`` takes; ``None`` for a command that writes in one way.
    """

    def decorate(function: _F) -> _F:
        @functools.wraps(function)
        def wrapper(**values: Any) -> Any:
            shared = {
                key: values.pop(key)
                for key in ("format_", *(option.replace("-", "_") for option in _OPTIONS))
                if key in values
            }
            return function(run=_run(**shared), **values)

        made: Any = wrapper
        for name in reversed([name for name in _OPTIONS if name in names]):
            made = _OPTIONS[name](made)
        if formats is not None:
            made = click.option(
                *("--format", "format_"),
                type=formats,
                default="text",
                show_default=True,
                metavar="FORMAT",
                help=f"Output format: {', '.join(formats.choices)}",
            )(made)
        return cast("_F", made)

    return decorate


def configured(*names: str, formats: click.Choice[str] | None = None, isolated: bool = True) -> Callable[[_F], _F]:
    """:func:`run_options` of a command that obeys the configuration.

    Args:
        names, formats: as there.
        isolated: it can do its work without the files of the repository; what reads or writes them cannot.
    """
    return run_options("config", *(["isolated"] if isolated else []), *names, formats=formats)


def reporting(*names: str, isolated: bool = True) -> Callable[[_F], _F]:
    """:func:`run_options` of a command that writes a report; see :func:`configured`."""
    return configured(*_REPORTING, *names, formats=REPORT, isolated=isolated)


def _run(
    *,
    format_: str = "text",
    output: Path | None = None,
    report: tuple[tuple[str, Path], ...] = (),
    fail_on: str | None = None,
    config: Path | None = None,
    isolated: bool = False,
    trust: bool = False,
    quiet: bool = False,
    verbose: int = 0,
) -> Run:
    changes = {**({"trust_rules": True} if trust else {}), **({"fail_on": fail_on} if fail_on else {})}
    made = replace(_configured(config, isolated), **changes)
    return Run(made, Output(format_, output, -1 if quiet else verbose, report), config is not None)


def typed_timeout() -> float | None:
    """``--timeout`` of the current command line; ``None`` if it has none."""
    seconds: float | None = click.get_current_context().meta.get(_TIMEOUT_KEY)
    return seconds


def useless(option: str, other: str) -> UsageError:
    """The error for an option that has no effect because of another one."""
    return UsageError(f"{option} has no effect with {other}.", "Remove one of them.")


def refuse_server_options(config: Config) -> None:
    """Refuse what is only for a server that is started, with ``--offline``.

    Raises:
        UsageError: the command line names a command, ``--with``, ``--env`` or headers.
    """
    if server_command():
        raise UsageError("--offline does not start a server, so -- COMMAND has no effect.", "Remove one of them.")
    if config.launch.with_ or config.launch.env:
        raise useless("--with" if config.launch.with_ else "--env", "--offline, which starts no server")
    if config.launch.headers:
        raise useless("--header", "--offline, which reads no server")


def _configured(path: Path | None, isolated: bool) -> Config:
    if isolated and path is not None:
        raise UsageError("--config and --isolated cannot be used together.", "Remove one of them.")
    if isolated:
        config = Config(root=Path.cwd(), isolated=True, trust_rules=rules_trusted(Path.cwd()))
    else:
        config = load_config(path)
    typed = click.get_current_context().meta
    config = replace(config, launch=typed.get(_LAUNCH_KEY, config.launch))
    timeout = typed.get(_TIMEOUT_KEY)
    if timeout is not None:
        # Limits from the command line take precedence over those of single servers in the file.
        servers = {name: replace(server, timeout=None, start_timeout=None) for name, server in config.servers.items()}
        config = replace(config, timeout=timeout, start_timeout=timeout, servers=servers)
    return config


def unconfigured() -> Config:
    """The configuration of a folder that has none, with what the command line says of servers."""
    return replace(_configured(None, True), isolated=False)


target_argument = click.argument("target", required=False, shell_complete=completion.targets)


def profile_option(what: str = "Rules to run") -> Callable[[_F], _F]:
    """``--profile NAME``; ``what`` is what a profile says, as the help names it."""
    return click.option(
        "--profile",
        multiple=True,
        metavar="NAME",
        shell_complete=completion.profiles,
        help=f"{what}  [default: profile in the configuration, or recommended]",
    )


level_option = click.option(
    "--level",
    type=click.Choice(["declared", "strict"]),
    help="How to compare schemas  [default: level in the configuration, or declared]",
)
against_option = click.option(
    "--against",
    metavar="TARGET",
    shell_complete=completion.targets,
    help="Compare with this target instead of the configured baseline",
)


def deliver(report: Report, run: Run, lines: Iterable[Line] | None = None) -> int:
    """Write a report to its destination, and return the exit code of its verdict.

    Args:
        report: what to write.
        run: formats and places, and the configuration whose files the report is about.
        lines: the text form, if the command has its own.
    """
    report_skipped(report.skipped_rules)
    lines = list(lines) if lines is not None else None
    # At a desk, the command is what was just typed.
    if in_ci() or run.output.reports or run.output.format != "text":
        report = replace(report, reproduce=_reproduction(report))
    failed: list[GovernorError] = []
    more = (replace(run.output, format=name, file=file) for name, file in run.output.reports)
    for output in (run.output, *more):
        # One place that cannot be written costs no other report.
        try:
            _write_report(report, run, output, lines)
        except GovernorError as error:
            # It is about this file; other ones were written.
            message = error.message.removesuffix(" Nothing was written.") if run.output.reports else error.message
            failed.append(type(error)(message, error.hint))
    for other in failed[:-1]:
        out.complain(other.message, other.hint)
    if failed:
        raise failed[-1]
    return int(Exit.PASS if report.verdict == "pass" else Exit.FINDINGS)


def _reproduction(report: Report) -> str:
    """The command that repeats the run at a desk, which need not have the environment of CI."""
    context = click.get_current_context()
    names = {param.name for param in context.command.params}
    added = ["--release"] if "release" in names and report.stage is not None and report.stage.tag is not None else []
    added += ["--trust"] if "trust" in names and trusted_by_variable() else []
    # A release is written if the check passes.
    added += ["--check"] if "only_check" in names else []
    return command_to_repeat(added=added)


def _write_report(report: Report, run: Run, output: Output, lines: Iterable[Line] | None) -> None:
    if output.format == "text":
        from mcp_governor.report.text import report_lines, reproduction_lines

        written = lines if lines is not None else report_lines(report, verbose=output.verbose)
        write_lines([*written, *(reproduction_lines(report) if in_ci() else ())], output)
        return
    from mcp_governor.report import load_format

    chosen = load_format(output.format)
    if getattr(chosen, "WITH_PLACES", False):
        from mcp_governor.checking.places import in_repository

        report = in_repository(report, run.config)
    if getattr(chosen, "WITH_HISTORY", False):
        from mcp_governor.checking.against.last_release import with_history

        report = with_history(report, run.config)
    write_text(chosen.render(report), output, form=_form_of(chosen))


def _form_of(chosen: Format) -> out.Form:
    """What the document of a format is, for the door through which it leaves."""
    if getattr(chosen, "IS_JSON", False):
        return "json"
    if getattr(chosen, "IS_COMMANDS", False):
        return "commands"
    return "markup" if getattr(chosen, "WHOLE_LINES", False) else "document"


def report_skipped(names: Sequence[str]) -> None:
    """Say on standard error, in one line, which rules did not run because their Python is not trusted."""
    if names:
        shown = ", ".join(one_line(name, 60) for name in names[:5]) + (", …" if len(names) > 5 else "")
        out.echo(
            f"Rules in Python were not run because they are not trusted ({shown}); to run them, add --trust.", err=True
        )


def write_lines(lines: Iterable[Line], output: Output) -> None:
    """To the file, or to standard output as it can show them."""
    if output.file is None:
        out.put_lines(lines)
    else:
        _write_file(output.file, out.lines_text(lines, color=terminal.color_is_typed()))


def write_text(text: str, output: Output, *, form: out.Form = "document") -> None:
    """To the file, atomically, or to standard output; made safe to show, as text or as JSON."""
    if form == "json":
        safe = escape_json(redact(text))
    elif form in ("commands", "markup"):
        safe = visible(redact(text), keep_newlines=True)
        safe = inert(safe) if form == "markup" else safe
    else:
        safe = printable(text)
    if output.file is None:
        out.put(safe, form=form)
    else:
        _write_file(output.file, safe, next_to=output.next_to)


def write_json(document: Any, output: Output) -> None:
    """A JSON document that is not a report, as :func:`write_text` writes it."""
    import json

    write_text(json.dumps(document, indent=2) + "\n", output, form="json")


def places_wanted(output: Output) -> bool:
    """True if lines of recorded files are shown."""
    from mcp_governor.report import load_format

    formats = [output.format, *(name for name, _ in output.reports)]
    return any(
        output.verbose >= 0 if name == "text" else bool(getattr(load_format(name), "WITH_PLACES", False))
        for name in formats
    )


def _write_file(file: Path, text: str, *, next_to: bool = False) -> None:
    from mcp_governor.writing import write_below, write_file

    if next_to:
        write_below(file.parent, file.name, text)
    else:
        write_file(file, text)
