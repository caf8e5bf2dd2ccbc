"""How programs are found, and started on Windows: with a system that is played, no test here runs on Windows."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from mcp_governor import writing
from mcp_governor.errors import TargetError
from mcp_governor.programs import finding as programs
from mcp_governor.wire import Limits, StdioEndpoint, stdio


def put(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("", "utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "WINDOWS", True)
    monkeypatch.setenv("PATHEXT", ".COM;.EXE;.BAT;.CMD")


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of Node.js, which has a script for shells and a batch file of the same name."""
    put(tmp_path / "nodejs" / "npx")
    put(tmp_path / "nodejs" / "npx.CMD")
    monkeypatch.setenv("PATH", str(tmp_path / "nodejs"))
    return tmp_path / "nodejs"


class TestFinding:
    def test_elsewhere_a_name_is_the_name_of_the_file(self, node: Path) -> None:
        assert programs.find_program("npx") == str(node / "npx")
        assert programs.find_program("npm") is None

    def test_windows_finds_the_batch_file_and_not_the_script(self, node: Path, windows: None) -> None:
        assert programs.find_program("npx") == str(node / "npx.CMD")
        assert programs.find_program("npx.CMD") == str(node / "npx.CMD")

    def test_the_order_of_pathext_decides(self, node: Path, windows: None, monkeypatch) -> None:
        put(node / "npx.EXE")
        assert programs.find_program("npx") == str(node / "npx.EXE")
        monkeypatch.setenv("PATHEXT", ".CMD;.EXE")
        assert programs.find_program("npx") == str(node / "npx.CMD")

    def test_without_pathext_the_usual_endings_count(self, node: Path, windows: None, monkeypatch) -> None:
        monkeypatch.delenv("PATHEXT")
        put(node / "uv.EXE")
        assert programs.find_program("uv") == str(node / "uv.EXE")

    def test_a_version_in_a_name_is_not_an_ending(self, node: Path, windows: None) -> None:
        put(node / "python3.11.EXE")
        assert programs.find_program("python3.11") == str(node / "python3.11.EXE")

    def test_a_relative_folder_in_path_is_not_searched(self, tmp_path: Path, windows: None, monkeypatch) -> None:
        put(tmp_path / "git.EXE")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("PATH", os.pathsep.join([".", ""]))
        assert programs.find_program("git") is None

    @pytest.mark.parametrize(
        ("program", "name", "elsewhere"),
        [("npx.cmd", "npx", "npx.cmd"), ("uvx.EXE", "uvx", "uvx.EXE"), ("python3.11", "python3.11", "python3.11")],
    )
    def test_names_without_endings(self, program: str, name: str, elsewhere: str, monkeypatch) -> None:
        assert programs.program_name(f"/programs/{program}") == elsewhere
        monkeypatch.setattr(programs, "WINDOWS", True)
        assert programs.program_name(f"/programs/{program}") == name


class TestStarting:
    def test_elsewhere_the_system_finds_it(self, node: Path) -> None:
        assert programs.startable(("npx", "-y", "a&b"), {}) == ["npx", "-y", "a&b"]
        assert programs.misread(("npx.cmd", "a&b")) is None

    def test_the_path_of_the_child_counts(self, node: Path, windows: None, monkeypatch) -> None:
        monkeypatch.setenv("PATH", "")
        found = [str(node / "npx.CMD"), "--yes", "server"]
        assert programs.startable(("npx", "--yes", "server"), {"Path": str(node)}) == found
        assert programs.startable(("npx", "--yes", "server"), {}) == ["npx", "--yes", "server"]

    def test_a_path_counts_from_the_folder_of_the_child(self, tmp_path: Path, windows: None) -> None:
        program = put(tmp_path / "bin" / "server.CMD")
        assert programs.startable(("bin/server",), {}, str(tmp_path)) == [program]
        assert programs.startable((program.removesuffix(".CMD"),), {}) == [program]
        assert programs.startable(("bin/other",), {}, str(tmp_path)) == ["bin/other"]

    @pytest.mark.parametrize(
        ("argument", "misread"),
        [
            ("@scope/server@1.2.3", False),
            ("two words", False),
            ("", False),
            ("this & that", False),  # Python quotes it because of the blanks
            ("a&b", True),
            ("server@^1.0", True),
            (">file", True),
            ("%PATH%", True),
            ("two %PATH%", True),
            ('say "a" & b', True),
            ("two\nlines", True),
        ],
    )
    def test_arguments_that_a_batch_file_would_not_get(self, windows: None, argument: str, misread: bool) -> None:
        assert programs.misread(("npx.CMD", "--yes", argument)) == (argument if misread else None)
        assert programs.misread(("server.exe", argument)) is None

    def test_such_a_child_is_not_started(self, node: Path, windows: None) -> None:
        with pytest.raises(TargetError) as refused:
            stdio.program_of(StdioEndpoint(("npx", "--yes", "a&calc")), Limits())
        said = str(refused.value)
        # The path may be cut where it is long.
        assert said.startswith(str(node)[:40])
        assert said.endswith(" runs through cmd.exe, which would not take the argument a&calc as text.")
        program = stdio.program_of(StdioEndpoint(("npx", "--yes", "a")), Limits())
        assert program.command == [str(node / "npx.CMD"), "--yes", "a"]


def test_the_lock_of_windows_is_taken_by_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    held: set[int] = set()

    def locking(handle: int, mode: int, size: int) -> None:
        assert (mode, size) == (2, 1)
        if held:
            raise PermissionError
        held.add(handle)

    monkeypatch.setitem(__import__("sys").modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    assert writing._try_lock_windows(3)
    assert not writing._try_lock_windows(4)
