"""Processes that help with a sweep: they take lines of JSON, answer with lines of JSON, and are always ended."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from contextlib import suppress
from typing import Any

from mcp_governor.programs import our_python

START = 30.0
"""Seconds for one of our processes to start and answer: it takes a tenth of one, and a busy machine some."""

ENDING = 5.0
"""Seconds for a process to end after its stdin; then it is killed."""


class HelperError(Exception):
    """One of our processes did not answer."""


class Helper:
    """A process that runs one of our modules.

    Args:
        module: for example ``mcp_governor.load.worker``.
    """

    def __init__(self, module: str) -> None:
        self._process = subprocess.Popen(our_python("-m", module), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def send(self, value: dict[str, Any]) -> None:
        """Send one line.

        Raises:
            HelperError: the process is gone.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(value).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise HelperError("a process that measures has ended") from None

    def hear(self, seconds: float) -> dict[str, Any]:
        """Wait for one line.

        Raises:
            HelperError: it does not come in time, or the process is gone.
        """
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise HelperError(f"a process that measures did not report within {seconds:g} s") from None
        if not line:
            raise HelperError("a process that measures has ended")
        value: dict[str, Any] = json.loads(line)
        return value

    def ask(self, value: dict[str, Any], seconds: float = START) -> dict[str, Any]:
        """Send one line and wait for the answer; see :meth:`send` and :meth:`hear`."""
        self.send(value)
        return self.hear(seconds)

    def close(self) -> None:
        """End the process."""
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        try:
            self._process.wait(ENDING)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            self._process.kill()
            self._process.wait()
        self._reader.join(ENDING)
        if self._process.stdout is not None:
            self._process.stdout.close()
