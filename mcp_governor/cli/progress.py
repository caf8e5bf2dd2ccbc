"""Show progress on standard error, if it is a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mcp_governor.cli import out, terminal
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcp_governor.checking.model import Emit, Station
    from mcp_governor.cli.common import Output

_WORDS = {
    "read": "reading",
    "compare": "comparing",
    "policy": "checking the version",
    "lint": "linting",
    "call": "calling",
    "load": "measuring",
}


@contextmanager
def progress_line(output: Output) -> Iterator[Callable[[str], None]]:
    """Show a line of progress, which is removed at the end."""
    if not terminal.takes_control(sys.stderr) or output.verbose < 0:
        yield lambda _: None
        return
    try:
        yield out.progress_line
    finally:
        out.progress_line("")


@contextmanager
def progress(output: Output) -> Iterator[Emit]:
    """A listener that shows which station is at work."""
    with progress_line(output) as show:

        def emit(station: Station, subject: str) -> None:
            show(f"{_WORDS[station]} {one_line(subject, 60)} …")

        yield emit
