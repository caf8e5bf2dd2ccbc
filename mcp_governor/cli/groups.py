"""Groups of commands: what they list, and the option that every command takes."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

import click

from mcp_governor.cli import terminal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from click.shell_completion import CompletionItem


def color_option() -> click.Option:
    """``--color`` for the help of a command, and to check its value; :mod:`.terminal` obeys it."""
    return click.Option(
        ["--color"],
        type=click.Choice(terminal.COLORS),
        default="auto",
        show_default=True,
        expose_value=False,
        help="When to color the output; auto: on a terminal",
    )


class HelpContext(click.Context):
    """A context whose help uses only characters that standard output can show."""

    def get_help(self) -> str:
        # click writes UTF-8 even if a stream is ASCII, so pass it text that is already converted.
        return terminal.spelled(super().get_help(), terminal.encoding_of(sys.stdout))


def with_color(command: click.Command) -> click.Command:
    """The command itself, which takes ``--color`` from now on."""
    if not any(param.name == "color" for param in command.params):
        command.params.append(color_option())
        command.context_class = HelpContext
    return command


class Group(click.Group):
    """A group that lists its commands with the whole first sentence of each, and gives each of them ``--color``."""

    context_class = HelpContext

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # click cannot write a list without rows.
        if rows := list(self.summaries(ctx)):
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    def summaries(self, ctx: click.Context) -> Iterable[tuple[str, str]]:
        """The commands, each with one sentence."""
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None:
                yield name, " ".join((command.help or "").partition("\n\n")[0].split())

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[Any]]:
        from click.shell_completion import CompletionItem

        found = [CompletionItem(name, help=text) for name, text in self.summaries(ctx) if name.startswith(incomplete)]
        # The options; the method of the group would import every command for its name.
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        super().add_command(with_color(cmd), name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from mcp_governor.text import did_you_mean, visible

        known = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in known and not ctx.resilient_parsing:
            raise click.UsageError(f'No such command "{visible(args[0])}".{did_you_mean(args[0], known)}', ctx)
        return super().resolve_command(ctx, args)


class LazyGroup(Group):
    """A group that imports a command's module when the command is called.

    Args:
        homes: name → (module, name of the command in it, one-line help). The help of the group costs no import.
    """

    def __init__(self, *args: Any, homes: Mapping[str, tuple[str, str, str]], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._homes = homes

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self._homes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in self._homes:
            return None
        module, attribute, _ = self._homes[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return with_color(command)

    def summaries(self, ctx: click.Context) -> Iterable[tuple[str, str]]:  # noqa: ARG002
        return [(name, text) for name, (_, _, text) in self._homes.items()]


def subcommands(group: click.Group) -> dict[str, click.Command]:
    """The commands of a group by name, in the order of its help."""
    context = click.Context(group)
    found = {name: group.get_command(context, name) for name in group.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}
