"""One file with everything, as `make dist` writes it, on a Python that knows nothing of it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import REPO, missing, uv

from mcp_governor.cli import demo_command
from mcp_governor.target import packages


def test_the_example_starts_where_the_interpreter_does_not_know_our_package(monkeypatch: pytest.MonkeyPatch) -> None:
    from zipimport import zipimporter

    assert demo_command._server() == ("-m", "mcp_governor.demo.server")
    monkeypatch.setattr(sys.modules["__main__"], "__loader__", zipimporter.__new__(zipimporter), raising=False)
    (script,) = demo_command._server()
    assert Path(script).is_file()
    assert not re.search("^(?:from|import) mcp_governor", Path(script).read_text("utf-8"), re.MULTILINE)


def test_programs_next_to_our_modules_are_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "uvx-of-one-file"
    program.parent.mkdir()
    program.write_text("")
    program.chmod(0o755)
    assert packages.in_our_environment(program.name) is None
    monkeypatch.setattr(packages, "__file__", str(tmp_path / "mcp_governor" / "target" / "packages.py"))
    assert packages.in_our_environment(program.name) == str(program)


@pytest.mark.live
def test_one_file_runs_the_example_serves_and_finds_its_uv(tmp_path: Path) -> None:
    made = tmp_path / "mcp-governor.pyz"
    recipe = (REPO / "Makefile").read_text("utf-8")
    assert "--console-script mcp-governor --python '/usr/bin/env python3'" in recipe
    words = ["--quiet", "--console-script", "mcp-governor", "--python", sys.executable, "--output-file", str(made)]
    shiv = [uv(), "tool", "run", "--quiet", "--python", sys.executable, "--with", "pip", "shiv"]
    done = subprocess.run(
        [*shiv, *words, f"{REPO}[run,serve]"], capture_output=True, text=True, check=False, timeout=550, cwd=tmp_path
    )
    if done.returncode:
        missing(f"shiv does not make the file: {done.stderr[-500:]}")
    environment = {**os.environ, "SHIV_ROOT": str(tmp_path / "root"), "PATH": "/usr/bin:/bin"}
    environment.pop("PYTHONPATH", None)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(made), *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            cwd=tmp_path,
            env=environment,
        )

    demo = run("demo")
    assert demo.returncode == 0, demo.stderr
    assert "argument-required  reserve_copy" in demo.stdout, "its worker decided, and its example answered"
    served = run("snapshot", "--isolated", "-o", "own.json", "--", str(made), "serve")
    assert served.returncode == 0, served.stderr
    ours = json.loads((REPO / "mcp-surface.json").read_text("utf-8"))["tools"]
    recorded = json.loads((tmp_path / "own.json").read_text("utf-8"))["tools"]
    assert [tool["name"] for tool in recorded] == [tool["name"] for tool in ours]
    assert list((tmp_path / "root").glob("*/site-packages/bin/uvx")), "the extra run is in it"
