"""The command line: one module per command, imported when it is called.

Here live options, exit codes and everything that is printed. A command asks ``checking`` or another station
for its values and decides nothing about them.
"""

from __future__ import annotations

import gc
import importlib
import io
import os
import sys
from typing import TYPE_CHECKING, NoReturn

import click

from mcp_governor._version import __version__
from mcp_governor.cli import out
from mcp_governor.errors import Exit, GovernorError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

# name → (module, one-line help): the help of the group costs no import of the commands.
COMMANDS = {
    "check": ("check", "Everything the config asks for, one verdict."),
    "snapshot": ("snapshot", "Record the surface for later comparison."),
    "fingerprint": ("fingerprint", "Digests of the surface, and per tool."),
    "diff": ("diff", "Changes between two targets, with proof and required bump."),
    "lint": ("lint", "Rules that read the surface."),
    "call": ("call", "Exercise tools and validate what comes back."),
    "changelog": ("changelog", "The schema changelog: check, draft, release, diff, show."),
    "rules": ("rules", "The catalogue of rules."),
    "rule": ("rules", "One rule explained, with its examples."),
    "init": ("init", "Write config, baseline, changelog, CI and hook for this repo."),
    "schema-version": ("schema_version", "Where the version comes from, or another source for it."),
    "accept": ("accept", "Accept one finding, with a reason."),
    "serve": ("serve", "mcp-governor as an MCP server."),
    "demo": ("demo", "A packaged server in two versions, shown end to end."),
    "schema": ("schema", "JSON Schemas of our own formats."),
}


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"mcp_governor.cli.{COMMANDS[cmd_name][0]}_command")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from mcp_governor.text import did_you_mean, visible

        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            raise click.UsageError(f'No such command "{visible(args[0])}".{did_you_mean(args[0], COMMANDS)}', ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="mcp-governor")
def app() -> None:
    """Hold an MCP server to its word.

    Finds breaking changes and proves them, holds version and changelog to them, and lints what models read.
    Start with "mcp-governor demo", then "mcp-governor init" in the repository of a server.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit; the only place that turns errors into exit codes."""
    # A command lives for a second and makes few cycles: collecting them costs more than it frees.
    gc.set_threshold(100_000)
    _reopen()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that cannot show a character gets an escape instead of our traceback.
        sys.stdout.reconfigure(errors="backslashreplace")
    code = run(arguments)
    # Nor does anything that is left have to be looked through once more on the way out.
    gc.freeze()
    sys.exit(code)


def _reopen() -> None:
    """Give a closed standard stream's number to nothing, or the next file or pipe that is opened would get it."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        _see_words(words)
        _see_folder()
        _learn_addresses(words)
        result = app.main(args=words, prog_name="mcp-governor", standalone_mode=False)
    except GovernorError as error:
        _tell(f"error: {error.message}", error.hint)
        return int(error.exit_code)
    except click.ClickException as error:
        said = io.StringIO()
        error.show(file=said)
        out.echo(said.getvalue().rstrip(), err=True)
        return int(Exit.USAGE)
    except (click.Abort, KeyboardInterrupt):
        _tell("interrupted", "")
        return 130
    except BrokenPipeError:
        # The reader went away (head, less): not an error of ours, and nothing is left to say.
        out.abandon()
        return int(Exit.PASS)
    except OSError as error:
        # The system refuses what no command expects to be refused; that is not a bug of ours.
        out.abandon()
        _tell(f"error: {_refusal(error)}", "Check the path, its permissions and the space on the disk.")
        return int(Exit.USAGE)
    except Exception as error:  # noqa: BLE001  the last fence: a bug is told as one, with exit code 70
        # Python before 3.12 hides what ends the making of a class in a RuntimeError, Ctrl-C included.
        if isinstance(error.__cause__, KeyboardInterrupt):
            _tell("interrupted", "")
            return 130
        return _bug(error)
    return result if isinstance(result, int) else int(Exit.PASS)


def _see_folder() -> None:
    """A folder that was deleted under the shell fails in many places, and says nothing in any of them."""
    try:
        os.getcwd()  # noqa: PTH109  (pathlib is not loaded for --version)
    except FileNotFoundError:
        raise UsageError("The current folder does not exist any more.", "Change to one that does.") from None


def _see_words(words: Sequence[str]) -> None:
    """No program gets a NUL from its shell; a caller in this process may send one, and no file has it in its name."""
    if any("\0" in word for word in words):
        raise UsageError("An argument contains a NUL character.", "Remove it.")


def _learn_addresses(words: Sequence[str]) -> None:
    """An address may be typed where none belongs, and is quoted there with the password in it."""
    if any("://" in word for word in words):
        from mcp_governor.given import learn_addresses

        learn_addresses(words)


def _refusal(error: OSError) -> str:
    from mcp_governor.text import one_line

    where = f"{one_line(str(error.filename), 200)}: " if error.filename is not None else ""
    return f"{where}{error.strerror or 'the system refused an operation'}."


def _tell(message: str, hint: str) -> None:
    out.echo(message, err=True)
    if hint:
        out.echo(f"  {hint}", err=True)


def _bug(error: Exception) -> int:
    import traceback

    from mcp_governor.text import one_line

    _tell(
        f"error: a bug in mcp-governor {__version__}: {type(error).__name__}: {one_line(str(error))}",
        "Please report it with the command; MCP_GOVERNOR_DEBUG=1 shows the traceback.",
    )
    if os.environ.get("MCP_GOVERNOR_DEBUG"):
        out.echo("".join(traceback.format_exception(error)), err=True)
    return int(Exit.BUG)
