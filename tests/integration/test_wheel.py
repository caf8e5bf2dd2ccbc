"""The built wheel in a fresh environment without extras: rules inside, no SDK needed."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from support import REPO, missing, uv


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    out = tmp_path_factory.mktemp("wheel")
    command = [uv(), "build", "--quiet", "--wheel", "--out-dir", str(out), str(REPO)]
    built = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if built.returncode:
        missing(f"uv cannot build the wheel: {built.stderr.strip()[-300:]}")
    (file,) = out.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def commands(wheel, tmp_path_factory):
    """The folder of executables of an environment that holds the wheel and what it requires."""
    env = tmp_path_factory.mktemp("fresh") / "env"
    for command in (
        [uv(), "venv", "--quiet", "--python", sys.executable, str(env)],
        [uv(), "pip", "install", "--quiet", "--python", str(env), str(wheel)],
    ):
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            missing(f"uv cannot install the wheel: {done.stderr.strip()[-300:]}")
    return env / "bin"


def run(commands: Path, folder: Path, *arguments: str):
    command = [str(commands / "mcp-governor"), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.live
def test_the_wheel_holds_the_rules_and_no_tests(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    inside = {name for name in names if name.startswith("mcp_governor/rules/") and name.endswith(".toml")}
    assert inside == {f"mcp_governor/{path.relative_to(REPO)}" for path in (REPO / "rules").rglob("*.toml")}
    assert "mcp_governor/py.typed" in names
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"mcp_governor"}


@pytest.mark.live
def test_demo_and_rules_work_without_extras(commands, tmp_path):
    done = run(commands, tmp_path, "demo")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "release as 2.0.0" in done.stdout
    rules = run(commands, tmp_path, "rules")
    assert rules.returncode == 0
    assert "charter/use-this-when" in rules.stdout
    serve = run(commands, tmp_path, "serve")
    assert serve.returncode == 2
    assert "'mcp>=2.1'" in serve.stderr
