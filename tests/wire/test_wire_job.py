"""The job object of a server on Windows, with a kernel that is played: no test here runs on Windows."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import pytest

from mcp_governor.programs.job import Job

JOB, PROCESS = 40, 44


class Kernel:
    """Remembers what it is asked; ``fails`` names the function that returns 0."""

    def __init__(self, child: SimpleNamespace, fails: str = "") -> None:
        self._child = child
        self._fails = fails
        self.open: list[int] = []
        self.held: dict[int, int] = {}
        self.flags: dict[int, int] = {}

    def _answer(self, name: str, value: int) -> int:
        if name == self._fails:
            return 0
        if value > 1:
            self.open.append(value)
        return value

    def CreateJobObjectW(self, attributes: None, name: None) -> int:
        return self._answer("CreateJobObjectW", JOB)

    def OpenProcess(self, access: int, inherit: bool, pid: int) -> int:
        # AssignProcessToJobObject asks for PROCESS_TERMINATE (1) and PROCESS_SET_QUOTA (0x100).
        assert (access, inherit, pid) == (0x101, False, self._child.pid)
        return self._answer("OpenProcess", PROCESS)

    def SetInformationJobObject(self, job: int, kind: int, information: Any, size: int) -> int:
        # JobObjectExtendedLimitInformation; 144 bytes on 64-bit Windows, with LimitFlags behind two 8-byte integers.
        assert (kind, size) == (9, 144 if ctypes.sizeof(ctypes.c_void_p) == 8 else size)
        self.flags[job] = int.from_bytes(bytes(information._obj)[16:20], "little")
        return self._answer("SetInformationJobObject", 1)

    def AssignProcessToJobObject(self, job: int, process: int) -> int:
        assert {job, process} <= set(self.open)
        done = self._answer("AssignProcessToJobObject", 1)
        if done:
            self.held[job] = process
        return done

    def CloseHandle(self, handle: int) -> int:
        self.open.remove(handle)
        # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
        if handle in self.held and self.flags[handle] & 0x2000:
            self._child.returncode = 1
        return 1


@pytest.fixture
def child() -> SimpleNamespace:
    found = SimpleNamespace(pid=7, returncode=None, kills=0)

    def kill() -> None:
        found.kills += 1
        found.returncode = 1

    found.kill = kill
    return found


def test_the_last_handle_of_a_job_is_ours_and_ends_the_child(child: SimpleNamespace) -> None:
    kernel = Kernel(child)
    job = Job(child, 2.0, kernel)
    assert (kernel.open, kernel.held) == ([JOB], {JOB: PROCESS})
    assert (job.pid, job.look(), job.returncode, job.lost) == (7, False, None, False)
    job.release()
    assert (kernel.open, job.look(), job.over, job.returncode, child.kills) == ([], True, True, 1, 0)
    job.close(7)
    assert job.left == []


@pytest.mark.parametrize(
    "fails", ["CreateJobObjectW", "OpenProcess", "SetInformationJobObject", "AssignProcessToJobObject"]
)
def test_without_a_job_the_child_is_killed_and_the_rest_is_said_to_be_lost(child: SimpleNamespace, fails: str) -> None:
    kernel = Kernel(child, fails)
    job = Job(child, 2.0, kernel)
    assert (kernel.open, job.lost, job.over) == ([], True, False)
    job.release()
    assert (child.kills, job.over) == (1, True)


def test_a_child_that_does_not_end_is_named(child: SimpleNamespace) -> None:
    kernel = Kernel(child)
    job = Job(child, 2.0, kernel)
    # Something that the system cannot end.
    kernel.flags[JOB] = 0
    job.close(7)
    assert job.left == ["7"]
