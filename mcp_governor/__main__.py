"""The program: ``mcp-governor`` and ``python -m mcp_governor``."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from typing import NoReturn

from mcp_governor import cli


def main() -> NoReturn:
    """Run the command line and end the process."""
    try:
        cli.main()
    except SystemExit as end:
        _leave(end.code)
        raise


def _leave(code: object) -> None:
    """End the process without freeing what it has loaded, one object after the other: that takes a tenth of a run.

    Returns where somebody wants to see more of the process, and where Python has to report an error of its own.
    """
    if not isinstance(code, int) or _is_watched() or threading.active_count() > 1:
        return
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):  # a full disk, or a stream that is closed or missing
        return
    os._exit(code)


def _is_watched() -> bool:
    """True under a debugger, a profiler or a tool for coverage, in development mode, and before a prompt."""
    monitoring = getattr(sys, "monitoring", None)
    tools = () if monitoring is None else map(monitoring.get_tool, range(6))
    return bool(sys.gettrace() or sys.getprofile() or any(tools) or sys.flags.dev_mode or sys.flags.inspect)


if __name__ == "__main__":
    main()
