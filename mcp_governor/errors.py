"""Every error that a user can see, with its exit code.

Each carries one sentence that says what and where, and a ``hint`` that says what to do. The command line
prints both and exits with :attr:`GovernorError.exit_code`; library users catch :class:`GovernorError`.
"""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of every command (docs/commands.md)."""

    PASS = 0
    FINDINGS = 1
    USAGE = 2
    UNREACHABLE = 3
    NOTHING_CHECKED = 4
    BUG = 70


STOPPED = 130
"""Exit code after Ctrl-C, as of every program: 128 and the number of SIGINT. This is not a verdict."""


class GovernorError(Exception):
    """Base of all errors that are reported to a user.

    Args:
        message: one sentence that says what went wrong and where.
        hint: what to do about it, an imperative sentence or a command; may be empty.
    """

    exit_code: Exit = Exit.BUG

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(GovernorError):
    """The command line asks for something impossible."""

    exit_code = Exit.USAGE


class ConfigError(UsageError):
    """The configuration file is invalid; the message names file and key."""


class TargetError(UsageError):
    """A TARGET cannot be parsed, or names something that does not exist."""


class FileFormatError(UsageError):
    """A file does not contain the expected surface, changelog or other format."""


class MissingDependencyError(UsageError):
    """A runner or an optional extra is not installed; the hint is the install command."""


class ServerError(GovernorError):
    """The server could not be reached or did not speak MCP.

    Attributes:
        said: the last lines of output from a child process, without secrets; empty for any other server.
    """

    exit_code = Exit.UNREACHABLE
    said: str = ""


class UnreachableError(ServerError):
    """No connection: command not found, connection refused, timeout, TLS failure."""


class ProtocolError(ServerError):
    """The peer responded, but not with MCP, or it exceeded a limit."""


class TooMuchError(ProtocolError):
    """The peer sent more in one response than is accepted; what it sent may well be MCP."""


class NothingCheckedError(GovernorError):
    """A run that would have checked nothing; such a run never passes."""

    exit_code = Exit.NOTHING_CHECKED
