"""A child process for calls that cannot be interrupted, which is killed on timeout.

The native engine and the validators have no time limit. Schemas that may be slow are passed to them only here, in one
reused child process with limited memory, which is started on first use.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import sys
import threading
import time
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp_governor.programs.child import Helper

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
        self._child: Helper | None = None
        self._owner = 0

    def ask(self, request: dict[str, Any], until: float) -> Any:
        """The answer to a request, or ``None`` if there was none in time.

        Args:
            request: see :func:`answer`.
            until: the time (of :func:`time.monotonic`) at which to give up.
        """
        from mcp_governor.programs.child import HelperError

        start = time.monotonic()
        with self._lock:
            child = self._started()
            try:
                seconds = max(0.0, until - time.monotonic())
                child.send({**request, "seconds": seconds})
                reply, computed = child.hear(seconds)
            except HelperError:
                self._kill()
                self.computed += time.monotonic() - start
                return None
            except BaseException:
                # Interrupted by the user. The pending answer must not be mistaken for that to the next request.
                self._kill()
                raise
            self.computed += computed - self._reported
            self._reported = computed
            return reply

    def close(self) -> None:
        """End the child, if there is one."""
        with self._lock:
            self._kill()

    def _started(self) -> Helper:
        if self._child is None or self._owner != os.getpid() or not self._child.child.lives:
            import subprocess

            from mcp_governor.programs.child import Helper

            self._child = Helper("-m", "mcp_governor.containment.worker", stderr=subprocess.DEVNULL)
            self._owner = os.getpid()
            self._reported = 0.0
        return self._child

    def _kill(self) -> None:
        child, self._child = self._child, None
        if child is not None and self._owner == os.getpid():
            child.close(patience=0)


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
        request = json.loads(line)
        _limit_seconds(request["seconds"] + 1)
        try:
            reply = answer(request)
        except Exception:  # noqa: BLE001 - whatever went wrong, the parent needs a line
            reply = None
        _limit_seconds(0)
        sys.stdout.write(json.dumps([reply, time.process_time()]) + "\n")
        sys.stdout.flush()


def _limit_seconds(seconds: float) -> None:
    """End ourselves at that time, also within native code, because whoever would kill us may be gone."""
    if sys.platform != "win32":
        import signal

        signal.setitimer(signal.ITIMER_REAL, seconds)


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
