"""Progress on standard error, where that is a terminal and somebody is waiting."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mcp_governor.checking.events import Event, Started, silent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.checking.events import Emit
    from mcp_governor.cli.common import Output

_WORDS = {
    "read": "reading",
    "compare": "comparing",
    "policy": "judging the version",
    "changelog": "reading the changelog",
    "lint": "linting",
    "call": "calling",
}
_CLEAR = "\r\x1b[2K"


@contextmanager
def progress(output: Output) -> Iterator[Emit]:
    """A listener that shows one line of progress, and takes it away at the end."""
    if not sys.stderr.isatty() or output.verbose < 0:
        yield silent
        return

    def show(event: Event) -> None:
        if isinstance(event, Started):
            subject = f" {event.subject}" if event.subject else ""
            sys.stderr.write(f"{_CLEAR}{_WORDS[event.station]}{subject[:60]} …")
            sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write(_CLEAR)
        sys.stderr.flush()
