"""A child process for calls that cannot be interrupted, which is killed on timeout.

The native engine and the validators have no time limit. Schemas that may be slow are passed to them only here, in one
reused child process with limited memory, which is started on first use.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from itertools import islice
from pathlib import Path
from typing import Any

from mcp_governor.programs import our_python

MEMORY = 2 << 30
"""Limit on the child's address space, in bytes."""
DATA = 256 << 20
"""Limit on the child's memory, in bytes, if the system counts it. It keeps the child and us below 500 MB."""
MAX_ERRORS = 20
"""Most errors of one value that are returned: reports do not show more."""


class Worker:
    """Sends requests to a child process, which is killed if a request takes too long.

    Attributes:
        computed: total computing time of the children, in seconds; for a killed child, the time that we waited.
    """

    def __init__(self) -> None:
        self.computed = 0.0
        self._reported = 0.0
        self._lock = threading.Lock()
        self._child: subprocess.Popen[str] | None = None
        self._owner = 0
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()

    def ask(self, request: dict[str, Any], until: float) -> Any:
        """The answer to a request, or ``None`` if there was none in time.

        Args:
            request: see :func:`answer`.
            until: the time (of :func:`time.monotonic`) at which to give up.
        """
        start = time.monotonic()
        with self._lock:
            child = self._started()
            try:
                assert child.stdin is not None
                child.stdin.write(json.dumps(request) + "\n")
                child.stdin.flush()
                line = self._answers.get(timeout=max(0.0, until - time.monotonic()))
            except (queue.Empty, OSError, ValueError):
                line = ""
            except BaseException:
                # Interrupted by the user. The pending answer must not be mistaken for that to the next request.
                self._kill()
                raise
            if not line:
                self._kill()
                self.computed += time.monotonic() - start
                return None
            reply, computed = json.loads(line)
            self.computed += computed - self._reported
            self._reported = computed
            return reply

    def close(self) -> None:
        """End the child, if there is one."""
        with self._lock:
            self._kill()

    def _started(self) -> subprocess.Popen[str]:
        if self._child is not None and self._owner == os.getpid() and self._child.poll() is None:
            return self._child
        root = str(Path(__file__).parents[2])
        path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
        child = subprocess.Popen(
            our_python("-m", "mcp_governor.containment.worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": path},
        )
        self._reported = 0.0
        self._child, self._owner, self._answers = child, os.getpid(), queue.SimpleQueue()
        threading.Thread(target=_pump, args=(child, self._answers), daemon=True).start()
        return child

    def _kill(self) -> None:
        child, self._child = self._child, None
        if child is not None and self._owner == os.getpid():
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()


def _pump(child: subprocess.Popen[str], answers: queue.SimpleQueue[str]) -> None:
    """Forward the child's output; an empty line marks its end."""
    with contextlib.suppress(OSError, ValueError):
        assert child.stdout is not None
        for line in child.stdout:
            answers.put(line)
    answers.put("")


WORKER = Worker()
atexit.register(WORKER.close)


def answer(request: dict[str, Any]) -> Any:
    """Answer one request in the child: ``covers`` (native engine), ``accepts`` (both validators) or ``errors``
    (native).

    Returns:
        For ``covers``, the answer of the native engine; for ``accepts``, the verdict on each of the schemas; for
        ``errors``, at most :data:`MAX_ERRORS` lists with the arguments of :class:`~mcp_governor.schemas.flaws.Flaw`.
    """
    from mcp_governor.containment.schema import Schema, native_covers

    schemas = [Schema(json.loads(text), text, draft, trusted=True) for text, draft in request["schemas"]]
    if request["ask"] == "covers":
        return native_covers(*schemas)
    if request["ask"] == "errors":
        from mcp_governor.schemas.flaws import flaw_of

        found = islice(schemas[0].validator.iter_errors(request["value"]), MAX_ERRORS)
        return [flaw_of(error).as_list() for error in found]
    return [schema.accepts(request["value"]) for schema in schemas]


def main() -> None:
    """Answer requests, one per line of JSON, until the input ends."""
    _limit_memory()
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line))
        except Exception:  # noqa: BLE001 - whatever went wrong, the parent needs a line
            reply = None
        sys.stdout.write(json.dumps([reply, time.process_time()]) + "\n")
        sys.stdout.flush()


def _limit_memory() -> None:
    if sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        most = min([DATA, *(limit for limit in resource.getrlimit(resource.RLIMIT_DATA) if limit >= 0)])
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


if __name__ == "__main__":
    main()
