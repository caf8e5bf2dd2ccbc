"""In which environment a server object is read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mcp_governor.config import Config
from mcp_governor.target import environments, resolve

BIN, PACKAGES = (
    ("Scripts/python.exe", "Lib/site-packages")
    if sys.platform == "win32"
    else (
        "bin/python",
        "lib/python3.12/site-packages",
    )
)


def environment(folder: Path, *, sdk: bool = True) -> Path:
    """What lies on the disk of a virtual environment."""
    for place in (folder / BIN, folder / PACKAGES / ("mcp" if sdk else "other") / "__init__.py"):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("")
    return folder


@pytest.fixture(autouse=True)
def _no_active(monkeypatch):
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)


@pytest.mark.parametrize("name", [".venv", "venv"])
def test_the_project_has_one(tmp_path, name):
    environment(tmp_path / name)
    assert environments.python_of(tmp_path) == str(tmp_path / name / BIN)


def test_a_folder_of_a_repository_uses_the_one_of_the_repository_and_none_above(tmp_path):
    top = tmp_path / "repository"
    (top / ".git").mkdir(parents=True)
    package = top / "packages" / "shop"
    package.mkdir(parents=True)
    environment(tmp_path / ".venv")
    assert environments.python_of(package) == ""
    environment(top / ".venv")
    assert environments.python_of(package) == str(top / ".venv" / BIN)
    environment(package / ".venv")
    assert environments.python_of(package) == str(package / ".venv" / BIN)


def test_an_active_environment_comes_after_the_project_and_ours_before_all(tmp_path, monkeypatch):
    active = environment(tmp_path / "elsewhere")
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.setenv("VIRTUAL_ENV", str(active))
    assert environments.python_of(project) == str(active / BIN)
    environment(project / ".venv")
    assert environments.python_of(project) == str(project / ".venv" / BIN)
    monkeypatch.setattr(sys, "prefix", str(active))
    assert environments.python_of(project) == ""
    # Not activated, but the project's own: it is ours all the same.
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "gone"))
    monkeypatch.setattr(sys, "prefix", str(project / ".venv"))
    assert environments.python_of(project) == ""


def test_a_target_is_our_object_or_a_child(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = Config(root=tmp_path)
    here = resolve("python:shop:server", config).endpoint
    assert here.command[0] == sys.executable
    environment(tmp_path / ".venv")
    there = resolve("python:shop:server", config).endpoint
    assert there.command[0] == str(tmp_path / ".venv" / BIN)
    assert there.command[2:] == ("shop:server", str(tmp_path.resolve()))
    assert there.shown == "shop:server"
    assert there.inherits
