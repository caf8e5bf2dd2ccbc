"""Code for all ways to run a child process: its environment, and messages about its end."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_governor.errors import ProtocolError, TargetError, UnreachableError
from mcp_governor.programs import misread, startable
from mcp_governor.programs.child import clean_environment
from mcp_governor.programs.leashed import Program
from mcp_governor.text import one_line
from mcp_governor.wire.transport import ConnectionLostError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.wire.endpoint import StdioEndpoint
    from mcp_governor.wire.limits import Limits

CHUNK = 65_536
"""Size of one read, in bytes: the capacity of a pipe on Linux."""
POLL = 0.01
"""Polling interval for a child that is about to exit, in seconds."""


def program_of(endpoint: StdioEndpoint, limits: Limits) -> Program:
    """What the operating system is to start.

    Raises:
        TargetError: the command is empty, the folder to start in does not exist, or Windows would run it through
            ``cmd.exe``, which would read one of its arguments as commands.
    """
    if not endpoint.command:
        raise TargetError("the command of the server is empty.", "Name the program after --.")
    if endpoint.cwd is not None and not Path(endpoint.cwd).is_dir():
        raise TargetError(f"the folder to start in, {one_line(endpoint.cwd)}, does not exist.", "Check cwd.")
    environment = clean_environment(endpoint.env, inherits=endpoint.inherits)
    command = startable(endpoint.command, environment, endpoint.cwd)
    if (argument := misread(command)) is not None:
        raise TargetError(
            f"{one_line(command[0], 80)} runs through cmd.exe, which would not take the argument "
            f"{one_line(argument, 80)} as text.",
            "Start the program behind it instead, such as node with the path of a script.",
        )
    return Program(command, environment, endpoint.cwd, limits.close_timeout)


class Lines:
    """Joins the pieces that are read from a pipe into lines.

    Args:
        longest: most bytes of a line.
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._parts: list[bytes] = []
        self._size = 0

    def split(self, piece: bytes) -> list[bytes]:
        """The lines that end in this piece.

        Raises:
            ProtocolError: the current line is too long; the rest of it is dropped.
        """
        *lines, rest = piece.split(b"\n")
        if lines:
            lines[0] = b"".join((*self._parts, lines[0]))
            self._parts, self._size = [], 0
        self._parts.append(rest)
        self._size += len(rest)
        if self._size > self._longest:
            self._parts.clear()
            raise ProtocolError(
                f"it sent a message longer than {self._longest:,} bytes.",
                "Split the list into pages (nextCursor), or shorten its schemas.",
            )
        return lines

    def rest(self) -> list[bytes]:
        """The last line if it has no line feed."""
        return [b"".join(self._parts)] if self._size else []


def not_started(error: OSError | ValueError) -> UnreachableError:
    """The error for a child that the operating system did not start."""
    if isinstance(error, FileNotFoundError):
        return UnreachableError(
            "the command was not found.", "Check its spelling, or install it; it is looked up in PATH."
        )
    if isinstance(error, PermissionError):
        return UnreachableError("the command is not executable.", "Make the file executable.")
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return UnreachableError(f"the command cannot be started: {reason}.", "Check the command.")


def gone(code: int | None, *, heard: bool = True) -> ConnectionLostError:
    """The error for a child whose stdout ended.

    Args:
        code: its exit status; ``None`` if it still runs.
        heard: true if it had read what was sent to it.
    """
    if code is None:
        return ConnectionLostError(
            "it closed its stdout before it answered.", "Run the command by hand to see what it does.", heard=heard
        )
    if code < 0:
        name = next((known.name for known in signal.Signals if known == -code), f"signal {-code}")
        return ConnectionLostError(
            f"it was ended by {name} before it answered.", "Run the command by hand to see why.", heard=heard
        )
    return ConnectionLostError(
        f"it exited with status {code} before it answered.",
        "Run the command by hand: it must stay and read JSON-RPC from stdin.",
        heard=heard,
    )


def name_left(left: Sequence[str], *, lost: bool = False) -> None:
    """Warn about processes that could not be ended.

    Args:
        left: processes, each with its id and its command in parentheses.
        lost: true if there may be more.
    """
    import logging

    # If logging is not configured, this is printed to stderr unchanged.
    log = logging.getLogger("mcp_governor")
    if left:
        log.warning("warning: these server processes could not be stopped: %s", one_line(", ".join(left), 500))
    if lost:
        log.warning("warning: lost track of the processes that a server started; some of them may still run.")
