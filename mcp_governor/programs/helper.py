"""One of our own modules in a process of its own, which takes lines of JSON and answers with lines of JSON."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO

from mcp_governor.programs.child import Child, our_environment
from mcp_governor.programs.finding import our_python

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

START = 30.0
"""Seconds for one of our processes to start and answer: it takes a tenth of one, and a busy machine some."""

ENDING = 5.0
"""Seconds for a process to end after its stdin; then it is killed."""


class HelperError(Exception):
    """One of our processes did not answer.

    Args:
        what: what it did, to follow its name: ``ended``.
    """

    def __init__(self, what: str) -> None:
        super().__init__(f"a process of mcp-governor {what}")
        self.what = what


class Helper:
    """A process that runs our own code. It ends with its stdin, so also if we are killed.

    Args:
        words: ``-m MODULE`` or a script, and its arguments.
        stderr, cwd: see :class:`~mcp_governor.programs.child.Child`; by default, its stderr is ours.
        variables: added to our own environment.

    Attributes:
        child: the process.
    """

    def __init__(
        self,
        *words: str,
        stderr: int | BinaryIO | None = None,
        cwd: str | Path | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.child = Child(
            our_python(*words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=our_environment(**(variables or {})),
            cwd=cwd,
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        """Forward its output; an empty line marks the end."""
        assert self.child.stdout is not None
        with suppress(OSError, ValueError):
            for line in self.child.stdout:
                self._lines.put(line)
        self._lines.put(b"")

    def send(self, value: Any) -> None:
        """Send one line; of bytes, they are it.

        Raises:
            HelperError: the process is gone.
        """
        line = value if isinstance(value, bytes) else json.dumps(value).encode()
        try:
            self.child.write(line + b"\n")
        except (OSError, ValueError):
            raise HelperError("ended") from None

    def hear(self, seconds: float) -> Any:
        """Wait for one line.

        Raises:
            HelperError: it does not come in time, or the process is gone.
        """
        try:
            line = self._lines.get(timeout=max(0.0, seconds))
        except queue.Empty:
            raise HelperError(f"did not respond within {seconds:,.0f} s") from None
        if not line:
            raise HelperError("ended")
        return json.loads(line)

    def ask(self, value: Any, seconds: float = START) -> Any:
        """Send one line and wait for the answer; see :meth:`send` and :meth:`hear`."""
        self.send(value)
        return self.hear(seconds)

    def end_stdin(self) -> None:
        """Close its stdin, which asks it to end."""
        with suppress(OSError):
            if self.child.stdin is not None:
                self.child.stdin.close()

    def close(self, patience: float = ENDING) -> None:
        """End the process.

        Args:
            patience: seconds to let it end by itself after its stdin.
        """
        self.end_stdin()
        if patience:
            with suppress(KeyboardInterrupt):
                self.child.wait(patience)
        self.child.kill()
        self._reader.join(ENDING)
        if not self._reader.is_alive():
            self.child.close_pipes()
