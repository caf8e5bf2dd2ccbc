"""The one door through which text leaves the command line: nothing else here writes to a stream.

What comes from outside (servers, files, the configuration, the command line itself) may be anywhere in a text, so it is
made safe as a whole when it leaves: without secrets, without characters that fool a terminal, without commands to a CI
system, and without lines that have no end (:func:`mcp_governor.text.printable`). Style is added afterwards.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from typing import TYPE_CHECKING

import click

from mcp_governor.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_governor.report.lines import Line

_CLEAR = "\r\x1b[2K"


def echo(text: str = "", *, err: bool = False, bold: bool = False, dim: bool = False, color: str | None = None) -> None:
    """Print a message; on a terminal with the style that is asked for.

    Raises:
        UsageError: standard output is closed or full. Of standard error nothing is expected.
    """
    from mcp_governor.text import printable

    shown = printable(text)
    if (bold or dim or color) and is_terminal(sys.stderr if err else sys.stdout):
        shown = click.style(shown, fg=color, bold=bold or None, dim=dim or None)
    if err:
        _tell(f"{shown}\n")
    else:
        put(f"{shown}\n", encoding=getattr(sys.stdout, "encoding", None) or "utf-8")


def progress_line(text: str) -> None:
    """Show a line of progress on standard error, instead of the last one; empty takes it away."""
    from mcp_governor.text import one_line

    _tell(_CLEAR + one_line(text, 78))


def put(text: str, *, encoding: str = "utf-8") -> None:
    """Write a text that is safe already to standard output. A reader that has left is no error.

    Raises:
        UsageError: standard output is closed, or takes no more.
    """
    stream = sys.stdout
    if stream is None:
        raise UsageError("Standard output is closed.", "Open it, or write the report with --output FILE.")
    try:
        stream.flush()
        # Words of a server may hold what the terminal's encoding cannot write; a report must not die of that.
        stream.buffer.write(text.encode(encoding, "backslashreplace"))
        stream.flush()
    except BrokenPipeError:
        # head, or less: the verdict stays, and so does the exit code.
        abandon()
    except (OSError, ValueError) as error:
        abandon()
        reason = getattr(error, "strerror", None) or "it is closed"
        raise UsageError(f"Standard output cannot be written: {reason}.", "Write to another place.") from None


def abandon() -> None:
    """Send to nowhere what is still written to standard output, so that the interpreter can leave."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def styled_text(lines: Iterable[Line]) -> str:
    """Lines with style, as :func:`put` takes them, wrapped to the width of the terminal."""
    from io import StringIO

    from mcp_governor.report.lines import print_rich

    buffer = StringIO()
    print_rich(lines, buffer)
    # Wrapping may put any word first on a line; a runner looks for its commands there.
    command = re.compile(r"(?m)^((?:[^\S\n]|\x1b\[[0-9;]*m)*+):(?=(?:\x1b\[[0-9;]*m)*+:)")
    return command.sub(r"\1\\x3a", buffer.getvalue())


def _tell(text: str) -> None:
    stream = sys.stderr
    if stream is None:
        return
    with contextlib.suppress(OSError, ValueError):
        stream.write(text.encode(stream.encoding or "utf-8", "backslashreplace").decode(stream.encoding or "utf-8"))
        stream.flush()


def is_terminal(stream: object) -> bool:
    """Whether somebody may be reading a stream; a closed one nobody reads."""
    with contextlib.suppress(OSError, ValueError):
        return bool(getattr(stream, "isatty", bool)())
    return False
