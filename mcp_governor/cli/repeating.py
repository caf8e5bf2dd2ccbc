"""The words that were typed: what is wrong with them, and the command that repeats a run.

A report prints that command, so that what CI found is seen at the desk. It is made of what was typed, so it means the
same: target, options and the words after ``--``. What only says where and how the report is written is left out, and so
are the values of secrets.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcp_governor.errors import UsageError
from mcp_governor.files import repository_of
from mcp_governor.secrets import redact
from mcp_governor.text import command_line, nearest, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


_TYPED = "mcp_governor.typed"
ENV_PARAMETER = "launch_env"
"""Name of the parameter of ``--env``."""

OUTPUT_ONLY = frozenset(
    {"format_", "output", "report", "quiet", "verbose", "color", "stat", "statistics", "record", "approved"}
)
"""Parameters that say where and how a report is written, and change nothing in what is found; and the file with what is
approved, which only the job has."""

LONGEST = 2_000
"""Characters of a command: four lines of a wide terminal, and half of what GitHub shows of an annotation. A longer one
is not printed, because a part of a command is of no use."""


CI_VARIABLES = ("CI", "TF_BUILD", "JENKINS_URL", "TEAMCITY_VERSION", "CODEBUILD_BUILD_ID")
"""Variables that CI systems set: most of them ``CI``, the others are of Azure Pipelines, Jenkins, TeamCity and AWS
CodeBuild."""


def in_ci() -> bool:
    """True if this run is made by a CI system, so that whoever reads its output has not typed the command."""
    return any(os.environ.get(name, "").lower() not in ("", "0", "false") for name in CI_VARIABLES)


def remember(context: click.Context, arguments: Sequence[str], command: Sequence[str] = ()) -> None:
    """Keep what was typed after a command's name, and the words after ``--``."""
    context.meta[_TYPED] = (tuple(arguments), tuple(command))


def command_to_repeat(*, without: Iterable[str] = OUTPUT_ONLY, added: Iterable[str] = (), folder: bool = True) -> str:
    """The current command line as somebody would type it elsewhere, quoted for a shell, without secrets.

    It is without some parameters, and with further options. With ``folder``, it begins with ``cd FOLDER &&`` if the run
    was not made at the top of its repository. It is empty if no command line was kept, or if it is too long.
    """
    context = click.get_current_context(silent=True)
    if context is None or _TYPED not in context.meta:
        return ""
    arguments, server = context.meta[_TYPED]
    left_out = frozenset(without)
    here = Path.cwd()
    top = repository_of(here)
    words = [*context.command_path.split(), *_words(context, list(arguments), left_out)]
    words += [option for option in added if option not in words]
    words += ["--", *server] if server else []
    shown = command_line((_portable(word, here, top) for word in words), LONGEST + 1)
    if folder and here != top:
        shown = f"cd {command_line([here.relative_to(top).as_posix()])} && {shown}"
    return shown if len(shown) <= LONGEST else ""


def _words(context: click.Context, arguments: list[str], left_out: frozenset[str]) -> Iterator[str]:
    """Arguments, then options in the order in which they were typed."""
    values, _, order = context.command.make_parser(context).parse_args(arguments)
    for param in context.command.params:
        value = values.get(param.name) if isinstance(param, click.Argument) else None
        if isinstance(value, str):
            yield value
    # An option that was typed twice is in the order twice; only a repeatable one has two values.
    seen: dict[str, int] = {}
    for option in order:
        name = option.name or ""
        if not isinstance(option, click.Option) or name in left_out:
            continue
        at = seen[name] = seen.get(name, -1) + 1
        if at and not option.multiple:
            continue
        yield from _option(option, values[name][at] if option.multiple else values[name])


def _option(option: click.Option, value: Any) -> Iterator[str]:
    names = option.secondary_opts if option.is_flag and value is False else option.opts
    name = max(names, key=len)
    if option.is_flag or option.count:
        yield name
        return
    text = _without_value(str(value)) if option.name == ENV_PARAMETER else str(value)
    yield from (f"{name}={text}",) if text.startswith("-") else (name, text)


def _without_value(word: str) -> str:
    """``NAME`` for ``NAME=VALUE``, unless the value is certainly no secret."""
    from mcp_governor.secret_detection import is_plain

    name, equals, value = word.partition("=")
    return word if equals and is_plain(value, name) and redact(value) == value else name


def _portable(word: str, here: Path, top: Path) -> str:
    """An absolute path inside the repository as a relative one: the repository is elsewhere on another machine."""
    if not Path(word).is_absolute() or not Path(word).is_relative_to(top):
        return word
    relative = os.path.relpath(word, here)
    # A program without a slash would be looked up in PATH.
    return relative if os.sep in relative else f".{os.sep}{relative}"


def explain(error: click.ClickException) -> tuple[str, str]:
    """The message and the hint for a mistake that click found."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if isinstance(error, click.NoSuchOption):
        message, hint = f"No such option {one_line(error.option_name, 80)}.", _alike(error.option_name, context)
    else:
        message, hint = error.format_message(), ""
    if not hint and context is not None and "Did you mean" not in message:
        hint = f"For the arguments and options: {context.command_path} --help"
    return message if message.endswith((".", "?")) else f"{message}.", hint


def _alike(option: str, context: click.Context | None) -> str:
    known = [name for param in context.command.get_params(context) for name in param.opts] if context else []
    # Two letters resemble each other by chance.
    hit = nearest(option, [name for name in known if name.startswith("--")]) if option.startswith("--") else None
    return f"Did you mean {hit}?" if hit else ""


def refuse_bare_command(context: click.Context, args: Sequence[str], error: click.UsageError) -> None:
    """Refuse a server's command among our own arguments, without ``--`` before it; ``error`` is what click has against
    them. The hint is the command line that was probably meant."""
    if isinstance(error, click.BadParameter):
        return
    mistyped = isinstance(error, click.NoSuchOption) and _alike(error.option_name, context)
    for index in _places_of_arguments(context.command, args):
        if _is_launcher(args[index]) or (not mistyped and _is_program(args[index])):
            meant = command_line((*args[:index], "--", *args[index:]), 200)
            hint = f"Put the server's command after --: {context.command_path} {meant}"
            raise UsageError(explain(error)[0], hint) from None


def _places_of_arguments(command: click.Command, args: Sequence[str]) -> Iterator[int]:
    """Where words are that are neither options nor their values."""
    takes_value = {
        name
        for param in command.params
        if isinstance(param, click.Option) and not (param.is_flag or param.count)
        for name in param.opts
    }
    is_value = False
    for index, word in enumerate(args):
        if not is_value and not word.startswith("-"):
            yield index
        is_value = not is_value and word in takes_value


_LAUNCHERS = frozenset({"bun", "bunx", "cargo", "deno", "docker", "dotnet", "go", "java", "node", "npx", "php", "pipx"})
_LAUNCHERS |= {"pnpm", "podman", "poetry", "python", "python3", "ruby", "sh", "bash", "uv", "uvx", "yarn"}
"""Programs that start servers; they are recognised even if they are not installed."""


def _is_launcher(word: str) -> bool:
    from mcp_governor.programs import program_name

    return program_name(word) in _LAUNCHERS


def _is_program(word: str) -> bool:
    """True if a word that may also be a TARGET is a program."""
    from mcp_governor.programs import find_program

    if not word or ":" in word:
        return False
    # A path may be a TARGET or a program; a shell does not search the current folder for a bare name.
    return (
        os.access(word, os.X_OK) and Path(word).is_file()
        if "/" in word or os.sep in word
        else find_program(word) is not None
    )
