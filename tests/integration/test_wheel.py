"""The built packages: what the sdist holds, and the wheel in a fresh environment without extras."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from support import REPO, missing, uv

DATA = (".css", ".js", ".json", ".svg", ".txt")
"""Endings of files in the package that are not Python: the page of a report, published schemas."""


def build(out: Path, kind: str, ending: str) -> Path:
    command = [uv(), "build", "--quiet", kind, "--out-dir", str(out), str(REPO)]
    built = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if built.returncode:
        missing(f"uv cannot build the package: {built.stderr.strip()[-300:]}")
    (file,) = out.glob(ending)
    return file


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build(tmp_path_factory.mktemp("wheel"), "--wheel", "*.whl")


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
    inside = {name for name in names if name.startswith("mcp_governor/rule_files/") and name.endswith(".toml")}
    assert inside == {
        f"mcp_governor/rule_files/{path.relative_to(REPO / 'rules')}" for path in (REPO / "rules").rglob("*.toml")
    }
    assert "mcp_governor/py.typed" in names
    package = {str(path.relative_to(REPO)) for path in (REPO / "mcp_governor").rglob("*") if path.suffix in DATA}
    assert package
    assert package <= set(names)
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"mcp_governor"}


@pytest.mark.live
def test_the_sdist_holds_what_git_tracks_and_nothing_else(tmp_path):
    """Distributions run our tests from it; a cache or a recorded case would be published for good."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPO,
        capture_output=True,
        check=False,
    )
    if listed.returncode:
        missing("this is not a git checkout")
    tracked = {name for name in listed.stdout.decode().split("\0") if (REPO / name).is_file()}
    with tarfile.open(build(tmp_path, "--sdist", "*.tar.gz")) as archive:
        inside = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    assert inside - tracked == {"PKG-INFO"}
    assert tracked - inside == set()


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
    assert "'mcp>=2.3'" in serve.stderr


@pytest.mark.live
def test_the_line_of_the_readme_brings_serve(wheel, tmp_path, monkeypatch):
    (line,) = re.findall(r'uv tool install "/path/to/mcp-governor(\[.+\])"', (REPO / "README.md").read_text("utf-8"))
    monkeypatch.setenv("UV_TOOL_DIR", str(tmp_path / "tools"))
    monkeypatch.setenv("UV_TOOL_BIN_DIR", str(tmp_path / "bin"))
    command = [uv(), "tool", "install", "--quiet", "--python", sys.executable, f"{wheel}{line}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    ours = tmp_path / "bin" / "mcp-governor"
    read = run(tmp_path / "bin", tmp_path, "snapshot", "--isolated", "-o", "-", "--", str(ours), "serve")
    assert read.returncode == 0, read.stderr
    own = json.loads((REPO / "mcp-surface.json").read_text("utf-8"))
    assert [tool["name"] for tool in json.loads(read.stdout)["tools"]] == [tool["name"] for tool in own["tools"]]
