"""What commands share: options, the command after ``--``, and the way a report leaves the process."""

from __future__ import annotations

import functools
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mcp_governor.cli import out
from mcp_governor.config import Config, Launch, load_config
from mcp_governor.config.model import MOST_SECONDS
from mcp_governor.config.trust import rules_trusted
from mcp_governor.errors import Exit, UsageError
from mcp_governor.findings import Severity
from mcp_governor.frozen import frozen
from mcp_governor.secrets import redact
from mcp_governor.text import escape_json, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcp_governor.checking.model import Report
    from mcp_governor.report.lines import Line
    from mcp_governor.target import Source

_F = TypeVar("_F", bound="Callable[..., Any]")
_COMMAND_KEY = "mcp_governor.command"
_LAUNCH_KEY = "mcp_governor.launch"
_WITH, _ENV = "launch_with", "launch_env"


class _Seconds(click.FloatRange):
    """A time that a clock can count: NaN is in every range for click."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{number} is not a number of seconds.", param, ctx)
        return number


SECONDS = _Seconds(min=0, min_open=True, max=MOST_SECONDS)
"""The type of options that are a time."""


class TargetCommand(click.Command):
    """A command whose ``-- COMMAND…`` part is a server to start, kept apart from its own arguments.

    It has the options that say how a server is started, too.
    """

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.params += [
            click.Option(
                ["--with", _WITH],
                multiple=True,
                metavar="REQUIREMENT",
                help="Install this beside a pypi: or npm: target, too.",
            ),
            click.Option(
                ["--env", _ENV],
                multiple=True,
                metavar="NAME[=VALUE]",
                help="Variable that the server gets; without a value, ours.",
            ),
        ]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            cut = args.index("--")
            args, command = args[:cut], args[cut + 1 :]
            if not command:
                raise click.UsageError("Nothing stands after --; write the command that starts the server.", ctx)
            ctx.meta[_COMMAND_KEY] = tuple(command)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        with_, env = ctx.params.pop(_WITH), ctx.params.pop(_ENV)
        named = [ctx.params.get(key) for key in ("target", "old", "new")]
        args: tuple[str, ...] = ()
        if ctx.params.get("new" if "old" in ctx.params else "target") and any(map(_is_package, named)):
            # The place of a COMMAND is taken by a TARGET: these are the arguments of the packages.
            args = ctx.meta.pop(_COMMAND_KEY, ())
        ctx.meta[_LAUNCH_KEY] = Launch(args, with_, _environment(env))
        return super().invoke(ctx)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "[-- COMMAND…]"]


def _is_package(target: object) -> bool:
    return isinstance(target, str) and target.startswith(("pypi:", "npm:"))


def _environment(named: Iterable[str]) -> dict[str, str]:
    """``NAME=VALUE`` as it is, ``NAME`` from our environment."""
    import os

    values = {}
    for word in named:
        name, equals, value = word.partition("=")
        if not name.replace("_", "a").isalnum():
            raise UsageError("--env takes NAME or NAME=VALUE.", "Name the variable, for example: --env API_KEY")
        if not equals and name not in os.environ:
            raise UsageError(f"--env names {name}, which is not set.", f"Set it: export {name}=…")
        values[name] = value if equals else os.environ[name]
    return values


def server_command() -> tuple[str, ...]:
    """The words after ``--`` of the current command line."""
    command: tuple[str, ...] = click.get_current_context().meta.get(_COMMAND_KEY, ())
    return command


@frozen
class Output:
    """How and where a report is written."""

    format: str = "text"
    file: Path | None = None
    color: str = "auto"
    verbose: int = 0

    @property
    def styled(self) -> bool:
        """Whether text gets style: asked for, or a terminal that wants it."""
        import os

        if self.color != "auto":
            return self.color == "always"
        return self.file is None and out.is_terminal(sys.stdout) and "NO_COLOR" not in os.environ


@frozen
class Run:
    """The shared options of one command line."""

    config: Config
    output: Output
    config_typed: bool = False
    """Whether the user typed the path of the configuration, and so means that very file."""

    def source(self, target: str | None) -> Source:
        """What is governed."""
        from mcp_governor.target import resolve

        return resolve(target, self.config, command=server_command())


def run_options(formats: Iterable[str] = ("text", "json", "markdown")) -> Callable[[_F], _F]:
    """The options every command takes; the callback gets them as one :class:`Run`."""

    def decorate(function: _F) -> _F:
        @click.option("--format", "format_", type=click.Choice(list(formats)), default="text", help="Report format.")
        @click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the report there.")
        @click.option(
            "--fail-on",
            type=click.Choice([*(severity.value for severity in Severity), "never"]),
            help="Severity that fails the run.",
        )
        @click.option("--config", type=click.Path(dir_okay=False, path_type=Path), help="Configuration file.")
        @click.option("--isolated", is_flag=True, help="Ignore every configuration, baseline and changelog file.")
        @click.option("--trust", is_flag=True, help="Run rules in Python that the repository or a package brings.")
        @click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
        @click.option(
            "--timeout",
            type=SECONDS,
            help="Seconds for one answer [default: 30], and for starting [default: 60, a package 180].",
        )
        @click.option("-q", "--quiet", is_flag=True, help="Only the summary.")
        @click.option("-v", "--verbose", count=True, help="More: ids, wording changes.")
        @functools.wraps(function)
        def wrapper(**values: Any) -> Any:
            path = values.pop("config")
            config = _configured(path, values.pop("isolated"), values.pop("timeout"), values.pop("fail_on"))
            if values.pop("trust"):
                config = replace(config, trust_rules=True)
            output = Output(
                format=values.pop("format_"),
                file=values.pop("output"),
                color=values.pop("color"),
                verbose=-1 if values.pop("quiet") else values["verbose"],
            )
            values.pop("verbose")
            return function(run=Run(config, output, path is not None), **values)

        return wrapper  # type: ignore[return-value]

    return decorate


def _configured(path: Path | None, isolated: bool, timeout: float | None, fail_on: str | None) -> Config:
    if isolated and path is not None:
        raise UsageError("--config names a file and --isolated ignores every file.", "Keep one of them.")
    if isolated:
        config = Config(root=Path.cwd(), isolated=True, trust_rules=rules_trusted(Path.cwd()))
    else:
        config = load_config(path)
    launch = click.get_current_context().meta.get(_LAUNCH_KEY)
    if launch is not None:
        config = replace(config, launch=launch)
    if timeout is not None:
        # What is typed bounds everything, also what the file says of single servers.
        servers = {name: replace(server, timeout=None, start_timeout=None) for name, server in config.servers.items()}
        config = replace(config, timeout=timeout, start_timeout=timeout, servers=servers)
    return replace(config, fail_on=fail_on) if fail_on else config


def target_argument(function: _F) -> _F:
    """The optional TARGET argument."""
    return click.argument("target", required=False)(function)


def deliver(report: Report, output: Output, lines: Iterable[Line] | None = None) -> int:
    """Write a report where the options say and return the exit code of its verdict.

    Args:
        report: what to tell.
        output: format and place.
        lines: the text form, where a command has one of its own.
    """
    tell_skipped(report.skipped_rules)
    if output.format == "text":
        from mcp_governor.report.text import report_lines

        write_lines(lines if lines is not None else report_lines(report, verbose=output.verbose), output)
    else:
        from mcp_governor.report import renderer

        write_text(renderer(output.format)(report), output)
    return int(Exit.PASS if report.verdict == "pass" else Exit.FINDINGS)


def tell_skipped(names: Sequence[str]) -> None:
    """Say on standard error, in one line, which rules did not run because their Python is not trusted."""
    if names:
        from mcp_governor.text import one_line

        shown = ", ".join(one_line(name, 60) for name in names[:5]) + (", …" if len(names) > 5 else "")
        out.echo(f"Not run: rules in Python that you have not trusted ({shown}); see --trust.", err=True)


def write_lines(lines: Iterable[Line], output: Output) -> None:
    """Styled where a terminal wants it, plain elsewhere."""
    from mcp_governor.report.lines import plain_text

    _place(out.styled_text(lines) if output.styled else plain_text(lines), output)


def write_text(text: str, output: Output) -> None:
    """To the file, atomically, or to standard output; made safe to show, as text or as JSON."""
    _place(escape_json(redact(text)) if output.format == "json" else printable(text), output)


def _place(text: str, output: Output) -> None:
    """Where a text goes that is safe already."""
    if output.file is not None:
        from mcp_governor.writing import write_file

        write_file(output.file, text)
        return
    out.put(text)
