"""What a shell offers when TAB is pressed: names that only this project or this installation knows.

click knows the commands, the options and their fixed values. Nothing is started, fetched or imported for a TAB, and
what is wrong with a configuration is not said then: the command that is being typed will say it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.errors import GovernorError
from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    import click
    from click.shell_completion import CompletionItem

    from mcp_governor.config import Config
    from mcp_governor.rules import Catalogue

VARIABLE = "_MCP_GOVERNOR_COMPLETE"
"""The variable by which the script of a shell asks for completions."""

# A repository that somebody else wrote names servers and rules; what is offered is soon run by a shell.
_HARMLESS = lazy_pattern(r"[A-Za-z0-9_][A-Za-z0-9_.@/+-]*")

COMMAND_KEY = "mcp_governor.command"
"""Key in the context for the words after ``--``."""


def answer(app: click.Command) -> int:
    """Answer the script of a shell; returns the exit code.

    Errors are suppressed, because output would overwrite the line that the user is typing.
    """
    from click.shell_completion import BashComplete, add_completion_class

    class JoinedBashComplete(BashComplete):
        """bash takes ``--option=value`` for three words, which click expects of other shells only."""

        def get_completion_args(self) -> tuple[list[str], str]:
            args, incomplete = super().get_completion_args()
            return [word for word in args if word != "="], incomplete

    add_completion_class(JoinedBashComplete)
    try:
        app.main(prog_name="mcp-governor", standalone_mode=False)
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else 1
    except Exception:  # noqa: BLE001  see above
        return 1
    return 0


def script(app: click.Command, shell: str) -> str | None:
    """The script that makes a shell complete our command lines; ``None`` if the installed click knows no such shell.

    Args:
        app: the command line.
        shell: ``bash``, ``zsh``, ``fish`` or ``powershell``.
    """
    from click.shell_completion import ShellComplete, get_completion_class

    made = get_completion_class(shell)
    # The method of the base class: the one for bash asks for the version of a bash that need not be here.
    return None if made is None else ShellComplete.source(made(app, {}, "mcp-governor", VARIABLE))


def rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:  # noqa: ARG001
    """Rule ids."""
    catalogue = _catalogue(ctx)
    return _items([(name, None) for name in catalogue.rules] if catalogue else (), incomplete)


def packs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:  # noqa: ARG001
    """Packs of rules."""
    catalogue = _catalogue(ctx)
    return _items([(name, None) for name in catalogue.packs] if catalogue else (), incomplete)


def profiles(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:  # noqa: ARG001
    """Profiles, each with a sentence about whom it is for."""
    catalogue = _catalogue(ctx)
    return _items([(one.name, one.summary) for one in catalogue.profiles.values()] if catalogue else (), incomplete)


def targets(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:  # noqa: ARG001
    """Servers of the configuration, and files; behind ``--`` files alone."""
    from click.shell_completion import CompletionItem

    named: list[CompletionItem[Any]] = []
    if COMMAND_KEY not in ctx.meta:
        config = _config(ctx)
        named = _items([(name, None) for name in config.servers] if config else (), incomplete)
    # Files come first: the script for bash forgets names that come before them.
    return [CompletionItem(incomplete, type="file"), *named]


def _items(known: Iterable[tuple[str, str | None]], incomplete: str) -> list[CompletionItem[Any]]:
    from click.shell_completion import CompletionItem

    return [
        CompletionItem(name, help=about)
        for name, about in known
        if name.startswith(incomplete) and _HARMLESS.fullmatch(name)
    ]


def _config(ctx: click.Context) -> Config | None:
    from mcp_governor.config import load_config

    if ctx.params.get("isolated"):
        return None
    try:
        return load_config(ctx.params.get("config"))
    except (GovernorError, OSError):
        return None


def _catalogue(ctx: click.Context) -> Catalogue | None:
    """Our own rules, and those of the configuration if it is valid. Python rules are not run."""
    from mcp_governor.rules import load_catalogue

    config = _config(ctx)
    for folders in (config.lint.rules if config else (), ()):
        try:
            return load_catalogue(tuple(map(config.resolve, folders)) if config else ())
        except (GovernorError, OSError):
            continue
    return None
