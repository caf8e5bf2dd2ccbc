"""The one door through which text leaves the command line: nothing else here writes to a stream.

What is foreign (servers, files, the configuration, the command line itself) may be anywhere in a string, so it is
made safe as a whole when it leaves: without secrets, without characters that fool a terminal, without commands to a CI
system, and without lines that have no end (:func:`mcp_governor.text.printable`). Style is added afterwards, and what
a stream cannot show is replaced (:mod:`.terminal`).
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from typing import TYPE_CHECKING, Literal

import click

from mcp_governor.cli import terminal
from mcp_governor.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mcp_governor.checking.model import Emit, Station
    from mcp_governor.report.lines import Line


_CLEAR = "\r\x1b[2K"

Form = Literal["text", "document", "markup", "json", "commands"]
"""What a string is: for people, in the encoding that they read; a document, which is UTF-8 wherever it is kept; markup,
which is a document whose lines are not cut, since that would cut through an element or an escape; JSON, which is a
document and has escapes for what a terminal cannot show; commands to a CI system, which are a document."""


def echo(
    text: str = "",
    *,
    err: bool = False,
    bold: bool = False,
    dim: bool = False,
    color: str | None = None,
    wrap: bool = True,
) -> None:
    """Print a message; on a terminal, with style.

    Args:
        text: one or more lines.
        err: to standard error.
        bold, dim, color: style of all of it.
        wrap: break long lines between words on a terminal; not for what is copied. Indented lines are never broken.

    Raises:
        UsageError: standard output is closed or full. Of standard error nothing is expected.
    """
    stream = sys.stderr if err else sys.stdout
    shown = _shown(text, stream, wrap=wrap)
    if (bold or dim or color) and terminal.takes_color(stream):
        shown = click.style(shown, fg=color, bold=bold or None, dim=dim or None)
    if err:
        _to_stderr(f"{shown}\n")
    else:
        put(f"{shown}\n")


def _shown(text: str, stream: object, *, wrap: bool = True) -> str:
    """A message as a stream can show it."""
    from mcp_governor.text import printable

    shown = terminal.spelled(printable(text), terminal.encoding_of(stream))
    return _wrapped(shown, terminal.columns(stream)) if wrap else shown


def complain(message: str, hint: str = "") -> None:
    """Print an error on standard error, and what to do about it; without a message, only that."""
    for label, text, style in (("error:", message, {"fg": "red", "bold": True}), ("hint:", hint, {"fg": "cyan"})):
        if text:
            shown = _shown(f"{label} {text}", sys.stderr)
            if terminal.takes_color(sys.stderr):
                shown = click.style(label, **style) + shown.removeprefix(label)
            _to_stderr(f"{shown}\n")


_NARROWEST = 20
"""Minimum width for wrapping, in characters; a narrower terminal breaks lines by itself."""


def _wrapped(text: str, width: int | None) -> str:
    """The text with long lines broken between words; continuation lines are indented."""
    if width is None or width < _NARROWEST or all(len(line) <= width for line in text.split("\n")):
        return text
    import textwrap

    from mcp_governor.text import inert

    wrapper = textwrap.TextWrapper(width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    rows = (wrapper.fill(line) if len(line) > width and not line[0].isspace() else line for line in text.split("\n"))
    # Wrapping may put any word first on a line; a runner looks for its commands there.
    return inert("\n".join(rows))


def _show_progress(text: str) -> None:
    """Show a line of progress on standard error, instead of the last one; empty takes it away."""
    from mcp_governor.text import one_line

    stream = sys.stderr
    # A line that the terminal breaks is not erased as a whole; the last column is left free for the same reason.
    width = (terminal.columns(stream) or terminal.DEFAULT_COLUMNS) - 1
    _to_stderr(_CLEAR + terminal.spelled(one_line(text, width), terminal.encoding_of(stream))[:width])


def put(text: str, *, form: Form = "text") -> None:
    """Write a string that is already safe to standard output. A reader that has left is not an error.

    Raises:
        UsageError: standard output is closed, or takes no more.
    """
    stream = sys.stdout
    if stream is None:
        raise UsageError("Standard output is closed.", "Open it, or write the report with --output FILE.")
    try:
        stream.flush()
        stream.buffer.write(_bytes(text, form, stream))
        stream.flush()
    except BrokenPipeError:
        # head, or less: the verdict stays, and so does the exit code.
        abandon()
    except (OSError, ValueError) as error:
        abandon()
        reason = getattr(error, "strerror", None) or "it is closed"
        raise UsageError(
            f"Standard output cannot be written: {reason}.",
            "Write to another place with --output FILE, or redirect it.",
        ) from None


def _bytes(text: str, form: Form, stream: object) -> bytes:
    """Replace characters that the encoding of a stream lacks, because text of a server must not make a report fail."""
    encoding = terminal.encoding_of(stream)
    if form == "text" or (form in ("document", "markup") and terminal.is_terminal(stream)):
        return terminal.encoded(text, encoding)
    if form == "json" and terminal.is_terminal(stream) and not terminal.is_utf8(encoding):
        from mcp_governor.text import ascii_json

        text = ascii_json(text)
    return text.encode("utf-8", "backslashreplace")


def abandon() -> None:
    """Discard what is still written to standard output, so that the interpreter can leave."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, sys.stdout.fileno())
        os.close(sink)


def put_lines(lines: Iterable[Line]) -> None:
    """Write lines to standard output; on a terminal, wrapped, and with style if it supports color."""
    color, width = terminal.takes_color(sys.stdout), terminal.columns(sys.stdout)
    put(lines_text(lines, color=color, width=width, links=terminal.takes_links(sys.stdout)))


def lines_text(lines: Iterable[Line], *, color: bool = False, width: int | None = None, links: bool = False) -> str:
    """Lines as :func:`put` takes them.

    Args:
        lines: what to write.
        color: with style.
        width: maximum length of a line, in characters; with ``None``, lines are not wrapped.
        links: with links, if there is color.
    """
    from mcp_governor.report.lines import plain_text, print_rich

    if not color and width is None:
        return plain_text(lines)
    from io import StringIO

    buffer, encoding = StringIO(), terminal.encoding_of(sys.stdout)
    print_rich(
        lines,
        buffer,
        color=color,
        width=width,
        spell=lambda text: terminal.spelled(text, encoding),
        url_of=terminal.url_of if links else None,
    )
    # Wrapping may put any word first on a line; a runner looks for its commands there.
    style = r"\x1b\[[0-9;]*m|\x1b\]8;[^\x1b\n]*\x1b\\"
    command = re.compile(rf"(?m)^((?:[^\S\n]|{style})*+):(?=(?:{style})*+:)")
    return command.sub(r"\1\\x3a", buffer.getvalue())


def _to_stderr(text: str) -> None:
    stream = sys.stderr
    if stream is None:
        return
    with contextlib.suppress(OSError, ValueError):
        stream.write(terminal.spelled(text, terminal.encoding_of(stream)))
        stream.flush()


_WORDS = {
    "read": "reading",
    "compare": "comparing",
    "policy": "checking the version",
    "lint": "linting",
    "call": "calling",
    "load": "measuring",
}


@contextlib.contextmanager
def progress_line(verbose: int) -> Iterator[Callable[[str], None]]:
    """Show a line of progress, which is removed at the end; none with ``--quiet``."""
    if not terminal.takes_control(sys.stderr) or verbose < 0:
        yield lambda _: None
        return
    try:
        yield _show_progress
    finally:
        _show_progress("")


@contextlib.contextmanager
def progress(verbose: int) -> Iterator[Emit]:
    """A listener that shows which station is at work."""
    from mcp_governor.text import one_line

    with progress_line(verbose) as show:

        def emit(station: Station, subject: str) -> None:
            show(f"{_WORDS[station]} {one_line(subject, 60)} …")

        yield emit
