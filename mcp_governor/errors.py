"""Every error a user can see, with the exit code it ends in.

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


class GovernorError(Exception):
    """Base of all errors that are told to a user.

    Args:
        message: one sentence, what went wrong and where.
        hint: what to do about it, an imperative sentence or a command; may be empty.
    """

    exit_code: Exit = Exit.BUG

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(GovernorError):
    """The command line asks for something that cannot be done."""

    exit_code = Exit.USAGE


class ConfigError(UsageError):
    """The configuration file is wrong; the message names file and key."""


class TargetError(UsageError):
    """A TARGET cannot be understood or names something that is not there."""


class FileFormatError(UsageError):
    """A file that should hold a surface, a changelog or another of our formats does not."""


class MissingDependencyError(UsageError):
    """A runner or an optional extra is not installed; the hint is the install command."""


class ServerError(GovernorError):
    """The server could not be reached or did not speak MCP.

    Attributes:
        said: the last words of a server that is a child, without secrets; empty for any other.
    """

    exit_code = Exit.UNREACHABLE
    said: str = ""


class UnreachableError(ServerError):
    """No connection: command not found, refused, timed out, TLS failure."""


class ProtocolError(ServerError):
    """The peer answered, and what it said is not MCP or breaks a limit."""


class NothingCheckedError(GovernorError):
    """A run that would have checked nothing; it never passes."""

    exit_code = Exit.NOTHING_CHECKED
