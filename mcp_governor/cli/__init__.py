"""The command line: one module per command, imported when it is called.

Here live options, exit codes and everything that is printed. A command asks ``checking`` or another station
for its values and decides nothing about them.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING, NoReturn

import click

from mcp_governor._version import __version__
from mcp_governor.cli import out, terminal
from mcp_governor.cli.groups import LazyGroup, color_option
from mcp_governor.errors import STOPPED, Exit, GovernorError, UsageError
from mcp_governor.rule_names import noting

if TYPE_CHECKING:
    from collections.abc import Sequence

# name → (module, one-line help): the help of the group costs no import of the commands.
COMMANDS = {
    "check": ("check", "Check changes, version, changelog and rules; one verdict."),
    "snapshot": ("snapshot", "Record the surface as a baseline."),
    "fingerprint": ("fingerprint", "Print digests of the surface, or of each tool."),
    "diff": ("diff", "Compare two targets: changes, proof, required version bump."),
    "lint": ("lint", "Check names, descriptions and schemas against the rules."),
    "call": ("call", "Call tools and validate their results."),
    "load": ("grouped", "Measure a server under load: tools/list, or a call of one tool."),
    "eval": ("grouped", "Measure how well models choose the right tool from its description."),
    "schemas": ("schemas", "Write schemas as files, and check files, server and models against each other."),
    "changelog": ("changelog", "Check, draft or release the schema changelog."),
    "rules": ("rules", "List the rules."),
    "rule": ("rules", "Explain a rule, or create one."),
    "init": ("init", "Write configuration, baseline, changelog, CI job and hook."),
    "schema-version": ("schema_version", "Show or change where the version comes from."),
    "ci": ("ci", "Run the check as a job of GitHub Actions or GitLab CI/CD."),
    "fleet": ("grouped", "Work on many servers in one run."),
    "accept": ("accept", "Accept a finding, with a reason."),
    "serve": ("serve", "Run mcp-governor as an MCP server."),
    "login": ("login", "Sign in at a remote server with OAuth."),
    "logout": ("login", "Delete the login at a remote server."),
    "demo": ("demo", "Show a complete run on a packaged example server."),
    "schema": ("schema", "Print the JSON Schemas of mcp-governor's own formats."),
    "completion": ("completion", "Print the completion script for a shell."),
}


_HOMES = {
    name: (f"mcp_governor.cli.{module}_command", name.replace("-", "_"), text)
    for name, (module, text) in COMMANDS.items()
}


@click.group(
    cls=LazyGroup, homes=_HOMES, params=[color_option()], context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="mcp-governor")
def app() -> None:
    """Catch breaking changes in MCP servers, with proof.

    Also checks the version and the changelog against the changes, and lints what models read.
    Start with "mcp-governor demo", then "mcp-governor init" in the repository of a server.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit; the only place that turns errors into exit codes."""
    _reopen()
    if "_MCP_GOVERNOR_COMPLETE" in os.environ:
        from mcp_governor.cli.completion import answer

        sys.exit(answer(app))
    terminal.prepare_streams()
    code = run(arguments)
    # Nothing that is left has to be looked through once more on the way out.
    gc.freeze()
    sys.exit(code)


def _reopen() -> None:
    """Open the null device for closed standard streams, because the next opened file would get their number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    with terminal.color_of(words), noting() as notes:
        code = _run(words)
        for note in notes:
            out.echo(f"note: {note}", err=True)
        return code


def _run(words: list[str]) -> int:
    try:
        _see_words(words)
        _see_folder()
        _learn_addresses(words)
        width = terminal.help_columns(sys.stdout)
        result = app.main(args=words, prog_name="mcp-governor", standalone_mode=False, terminal_width=width)
    except GovernorError as error:
        out.complain(error.message, error.hint)
        return int(error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        out.echo(error.format_message(), err=True, wrap=False)
        return int(Exit.USAGE)
    except click.ClickException as error:
        from mcp_governor.cli.repeating import explain

        out.complain(*explain(error))
        return int(Exit.USAGE)
    except (click.Abort, KeyboardInterrupt):
        out.echo("interrupted", err=True)
        return STOPPED
    except BrokenPipeError:
        # The reader went away (head, less): not our error, and there is nothing left to say.
        out.abandon()
        return int(Exit.PASS)
    except OSError as error:
        # The system refused something that no command expects to be refused; that is not our bug.
        out.abandon()
        out.complain(_refusal(error), "Check the path, its permissions and the space on the disk.")
        return int(Exit.USAGE)
    except Exception as error:  # noqa: BLE001  the last fence: a bug is reported as one, with exit code 70
        return _bug(error)
    return result if isinstance(result, int) else int(Exit.PASS)


def _see_folder() -> None:
    """A folder that was deleted under the shell fails in many places, and says nothing in any of them."""
    try:
        os.getcwd()  # noqa: PTH109  (pathlib is not loaded for --version)
    except FileNotFoundError:
        raise UsageError("The current folder no longer exists.", "Change to a folder that exists.") from None


def _see_words(words: Sequence[str]) -> None:
    """No program gets a NUL from its shell; a caller in this process may send one, and no file has it in its name."""
    if any("\0" in word for word in words):
        raise UsageError("An argument contains a NUL character.", "Remove it.")


def _learn_addresses(words: Sequence[str]) -> None:
    """Redact URLs in click's errors, because a URL in the wrong place is quoted with its password."""
    if any("://" in word for word in words):
        from mcp_governor.secret_detection import learn_addresses

        learn_addresses(words)


def _refusal(error: OSError) -> str:
    from mcp_governor.text import one_line

    where = f"{one_line(str(error.filename), 200)}: " if error.filename is not None else ""
    return f"{where}{error.strerror or 'the operating system refused the operation'}."


def _bug(error: Exception) -> int:
    import traceback

    from mcp_governor.text import one_line

    out.complain(
        f"a bug in mcp-governor {__version__}: {type(error).__name__}: {one_line(str(error))}",
        "Report it with the command that you ran; MCP_GOVERNOR_DEBUG=1 shows the traceback.",
    )
    if os.environ.get("MCP_GOVERNOR_DEBUG"):
        out.echo("".join(traceback.format_exception(error)), err=True)
    return int(Exit.BUG)
