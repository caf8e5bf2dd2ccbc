"""What a server starts ends with it: in any session, orphaned, deaf to SIGTERM, and also where we are killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from attack import attack
from support import SERVERS, missing, uv

from mcp_governor.programs import leash
from mcp_governor.programs.leashed import Hold
from mcp_governor.wire import Limits, StdioEndpoint, read

BROOD = str(SERVERS / "brood.py")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only the process group is ended")


def alive(folder: Path) -> list[int]:
    """The processes of a brood that still run; a zombie does not."""
    found = []
    for pid in (int(file.name) for file in folder.iterdir()):
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except OSError:
            continue
        found += [pid] if state != "Z" else []
    return found


def ended(folder: Path, seconds: float = 10) -> bool:
    """Whether a brood has ended, or ends in time; what is left is killed here."""
    deadline = time.monotonic() + seconds
    while alive(folder) and time.monotonic() < deadline:
        time.sleep(0.02)
    left = alive(folder)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return not left


@pytest.fixture
def brood(tmp_path: Path) -> Path:
    folder = tmp_path / "brood"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("how", ["group", "session", "orphan", "wide"])
def test_what_a_server_starts_ends_with_a_run(tmp_path: Path, brood: Path, how: str) -> None:
    run = attack("snapshot", "-o", "-", "--", sys.executable, BROOD, how, str(brood), cwd=tmp_path).held(0)
    assert len(list(brood.iterdir())) == (21 if how == "wide" else 2)
    # By the end of the run, not some time later.
    assert ended(brood, 0), run.err
    assert not run.err


@pytest.mark.parametrize("how", ["session", "orphan"])
def test_what_a_server_leaves_behind_when_it_exits_ends_too(tmp_path: Path, brood: Path, how: str) -> None:
    command = [sys.executable, BROOD, how, str(brood), "then-exit"]
    run = attack("snapshot", "-o", "-", "--", *command, cwd=tmp_path).held(3)
    assert "it exited with status 3 before it answered." in run.err
    assert ended(brood, 0)


def endpoint(how: str, folder: Path, *more: str) -> StdioEndpoint:
    return StdioEndpoint((sys.executable, BROOD, how, str(folder), *more))


def leash_that(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change the leash of the next server by some lines of Python."""

    def wrapped(self: Hold, command: tuple[str, ...]) -> list[str]:
        start = f"import sys; sys.path.append({str(Path(leash.__file__).parent)!r}); import leash\n{code}\nleash.main()"
        return [sys.executable, "-I", "-S", "-c", start, *map(str, self.theirs), str(self._patience), *command]

    monkeypatch.setattr(Hold, "wrapped", wrapped)


def test_without_the_means_of_linux_the_process_group_is_ended(brood: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leash_that("leash._LINUX = False", monkeypatch)
    assert len(read(endpoint("group", brood)).raw["tools"]) == 1
    assert len(list(brood.iterdir())) == 2
    assert ended(brood, 0)


KILLED = """
import sys
sys.path.insert(0, {tests!r})
from mcp_governor.wire import StdioEndpoint, read
read(StdioEndpoint({command!r}))
"""


def test_our_own_end_by_sigkill_ends_server_and_orphans(tmp_path: Path, brood: Path) -> None:
    command = (sys.executable, BROOD, "orphan", str(brood), "then-wait")
    code = KILLED.format(tests=str(SERVERS.parent), command=command)
    with subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stderr=subprocess.DEVNULL) as ours:
        deadline = time.monotonic() + 30
        while len(alive(brood)) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        assert len(alive(brood)) == 2
        ours.kill()
    assert ended(brood)


def test_the_command_line_killed_in_the_middle_of_a_check_leaves_nothing(tmp_path: Path, brood: Path) -> None:
    command = [sys.executable, "-m", "mcp_governor", "check", "--"]
    command += [sys.executable, BROOD, "session", str(brood), "then-wait"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as ours:
        deadline = time.monotonic() + 30
        while len(alive(brood)) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        assert len(alive(brood)) == 2
        ours.kill()
    assert ended(brood)


def test_what_cannot_be_ended_is_named(brood: Path, monkeypatch: pytest.MonkeyPatch, caplog) -> None:
    # The leash may signal nobody, as if everything belonged to another user.
    leash_that("def kill(pid, number): raise PermissionError\nleash.os.kill = kill", monkeypatch)
    read(endpoint("orphan", brood, "a\nb\x1b[31m"), limits=Limits(close_timeout=0.2))
    (left,) = alive(brood)
    assert not ended(brood, 0)
    shown = f"{left} ({sys.executable} {BROOD} orphan {brood} a b\\x1b[31m)"
    assert caplog.messages == [f"warning: these server processes could not be stopped: {shown}"]


def test_a_server_that_kills_what_holds_it_is_ended_and_reported(tmp_path: Path, brood: Path) -> None:
    run = attack("snapshot", "-o", "-", "--", sys.executable, BROOD, "killer", str(brood), cwd=tmp_path)
    assert run.code in (0, 3)
    assert run.err == "warning: lost track of the processes that a server started; some of them may still run.\n"
    # The server itself has the highest number or the lowest; its orphan is nobody's child any more.
    assert not [pid for pid in alive(brood) if os.getsid(pid) == pid]
    ended(brood, 0)


def test_a_server_behind_a_shell_ends_with_what_it_starts(tmp_path: Path, brood: Path) -> None:
    script = f"'{sys.executable}' '{BROOD}' orphan '{brood}'; exit 0"
    attack("snapshot", "-o", "-", "--", "sh", "-c", script, cwd=tmp_path).held(0)
    assert ended(brood, 0)


@pytest.mark.live
def test_a_server_behind_uv_ends_with_what_it_starts(tmp_path: Path, brood: Path) -> None:
    runner = [uv(), "run", "--no-project", "--quiet", "--python", sys.executable]
    command = [*runner, "python", BROOD, "orphan", str(brood)]
    attack("snapshot", "-o", "-", "--", *command, cwd=tmp_path, seconds=120, address_space=0).held(0)
    assert ended(brood, 0)


@pytest.mark.live
def test_a_server_behind_npx_ends_with_what_it_starts(tmp_path: Path, brood: Path) -> None:
    npx = shutil.which("npx") or missing("npx is not installed")
    (tmp_path / "package.json").write_text(json.dumps({"name": "x", "version": "1.0.0"}))
    words = f"'{sys.executable}' '{BROOD}' orphan '{brood}'"
    command = [npx, "--offline", "-c", words]
    attack("snapshot", "-o", "-", "--", *command, cwd=tmp_path, seconds=120, address_space=0).held(0)
    assert ended(brood, 0)


@pytest.mark.parametrize(
    "written",
    [
        b"p 1\np -1\nx x\nl\nx 99999999999999999999\n",  # another number, no number, a number that is none of a process
        b"l 1 a\n" * 5_000,
        b"x" * 500_000,
    ],
)
def test_what_a_server_writes_into_the_pipe_of_its_leash_is_bounded(written: bytes) -> None:
    held = Hold(0.1)
    ours = os.dup(held.theirs[1])
    try:
        os.write(ours, b"p 4000001\n")
        held.wait_until_started()
        writer = threading.Thread(target=os.write, args=(ours, written))
        writer.start()
        while writer.is_alive():
            held.look()
        writer.join()
        held.look()
        assert (held.pid, held.over) == (4000001, False)
        assert len(held.left) <= leash.MAX_NAMED
        assert len(held._said) <= 4096
    finally:
        os.close(ours)
        held.pid = 0
        held.close(0)
