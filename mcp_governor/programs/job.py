"""Run a server on Windows in a job object, which ends it and all processes that it started, even if we are killed.

``JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE`` ends all processes of a job when its last handle is closed, and the system closes
our handle when we exit. Processes cannot leave the job. Processes that the server starts within microseconds, before it
is put into the job, are not in it.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyio.abc import Process

_EXTENDED_LIMIT_INFORMATION = 9
"""``JobObjectExtendedLimitInformation`` of the Windows API."""
_KILL_ON_JOB_CLOSE = 0x2000
"""``JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE``."""
# PROCESS_TERMINATE and PROCESS_SET_QUOTA, which AssignProcessToJobObject requires.
_ACCESS = 0x0001 | 0x0100


class _BasicLimits(ctypes.Structure):
    """``JOBOBJECT_BASIC_LIMIT_INFORMATION``."""

    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class _ExtendedLimits(ctypes.Structure):
    """``JOBOBJECT_EXTENDED_LIMIT_INFORMATION``."""

    _fields_ = (
        ("BasicLimitInformation", _BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


class Job:
    """The Windows counterpart of :class:`~mcp_governor.programs.leashed.Hold`.

    Args:
        process: the child, just started.
        patience: time that its end may take, in seconds.
        kernel: ``kernel32``, or a replacement for tests.
    """

    def __init__(self, process: Process, patience: float, kernel: Any = None) -> None:
        self._process = process
        self._kernel = kernel or _kernel()
        self._job = _job_of(self._kernel, process.pid)
        self.pid = process.pid
        self.longest_end = patience
        self.left: list[str] = []
        self.lost = not self._job

    @property
    def returncode(self) -> int | None:
        """The exit code of the child."""
        return self._process.returncode

    @property
    def over(self) -> bool:
        """True if the child has exited."""
        return self.returncode is not None

    def look(self) -> bool:
        """See :class:`~mcp_governor.programs.leashed.Hold`."""
        return self.over

    def release(self) -> None:
        """End all processes of the job; without a job, only the child."""
        if self._job:
            self._kernel.CloseHandle(self._job)
            self._job = 0
        elif not self.over:
            with suppress(OSError):
                self._process.kill()

    def close(self, holder: int) -> None:  # noqa: ARG002
        """See :class:`~mcp_governor.programs.leashed.Hold`."""
        self.release()
        if not self.over:
            self.left.append(str(self.pid))


def _job_of(kernel: Any, pid: int) -> int:
    """The handle of a new job with one process in it; 0 if the system refuses."""
    job: int = kernel.CreateJobObjectW(None, None)
    limits = _ExtendedLimits()
    limits.BasicLimitInformation.LimitFlags = _KILL_ON_JOB_CLOSE
    process = kernel.OpenProcess(_ACCESS, False, pid)
    try:
        if (
            job
            and process
            and kernel.SetInformationJobObject(
                job, _EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), ctypes.sizeof(limits)
            )
            and kernel.AssignProcessToJobObject(job, process)
        ):
            return job
        if job:
            kernel.CloseHandle(job)
        return 0
    finally:
        if process:
            kernel.CloseHandle(process)


def _kernel() -> Any:
    kernel: Any = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
    # Handles are pointers, which ctypes would truncate to 32 bits by default.
    handle = ctypes.c_void_p
    kernel.CreateJobObjectW.restype = kernel.OpenProcess.restype = handle
    kernel.SetInformationJobObject.argtypes = (handle, ctypes.c_int, handle, ctypes.c_uint32)
    kernel.AssignProcessToJobObject.argtypes = (handle, handle)
    kernel.CloseHandle.argtypes = (handle,)
    return kernel
