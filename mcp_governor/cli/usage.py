"""Explain errors in a command line, and suggest what was probably meant."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_governor.errors import UsageError
from mcp_governor.text import command_line, nearest, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


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
    """Refuse a server's command among our own arguments, without ``--`` before it.

    Args:
        context: of the command that takes one.
        args: its arguments.
        error: what click has against them.

    Raises:
        UsageError: one of them starts a server; the hint is the command line that was probably meant.
    """
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
