"""A fresh clone: the program of a command is one of the project, which is not installed or built."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from commandline import governor_here

from mcp_governor.target.setup import setup_hint, stale_build

PYTHON = '[project]\nname = "acme-mcp"\nversion = "1"\n[project.scripts]\nacme-mcp-q81 = "acme.server:main"\n'
NODE = {"name": "acme", "bin": {"acme-mcp-q81": "dist/index.js"}, "scripts": {"build": "tsc"}}


@pytest.mark.parametrize(
    ("files", "command", "hint"),
    [
        ({"pyproject.toml": PYTHON}, ["acme-mcp-q81"], "Install it: pip install -e ."),
        ({"pyproject.toml": PYTHON, "uv.lock": ""}, ["acme-mcp-q81", "--x"], "Install it: uv sync"),
        ({"pyproject.toml": PYTHON, "poetry.lock": ""}, ["acme-mcp-q81"], "Install it: poetry install"),
        ({"pyproject.toml": PYTHON}, ["other-mcp-q81"], ""),
        ({"pyproject.toml": PYTHON}, ["python", "-m", "acme"], ""),
        ({"pyproject.toml": "["}, ["acme-mcp-q81"], ""),
        ({}, ["acme-mcp-q81"], ""),
        ({"package.json": json.dumps(NODE)}, ["node", "dist/index.js"], "npm install && npm run build"),
        ({"package.json": "{}", "package-lock.json": ""}, ["node", "--x", "dist/index.js"], "project: npm ci"),
        ({"package.json": "{}", "dist/index.js": ""}, ["node", "dist/index.js"], ""),
        ({"package.json": "{}"}, ["node"], ""),
        ({}, ["node", "dist/index.js"], ""),
    ],
)
def test_hints(tmp_path: Path, files: dict[str, str], command: list[str], hint: str) -> None:
    (tmp_path / ".git").mkdir()
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    found = setup_hint(command, tmp_path)
    assert found.endswith(hint)
    assert bool(found) == bool(hint)


@pytest.mark.parametrize(
    ("files", "command", "stale"),
    [
        (["dist/index.js", "src/a.ts"], ["node", "dist/index.js"], True),
        (["src/a.ts", "dist/index.js"], ["node", "./dist/index.js"], False),
        # An incremental build writes what has changed.
        (["dist/index.js", "src/a.ts", "dist/a.js"], ["node", "dist/index.js"], False),
        (["dist/index.js", "src/a.test.ts", "test/a.ts", "node_modules/a/a.ts"], ["node", "dist/index.js"], False),
        (["server/index.js", "src/a.ts"], ["node", "server/index.js"], False),
        (["dist/index.js", "src/a.ts"], ["tsx", "dist/index.js"], False),
        (["dist/index.js", "src/a.ts"], ["node"], False),
        (["src/a.ts"], ["node", "dist/index.js"], False),
    ],
)
def test_a_build_older_than_its_source(tmp_path: Path, files: list[str], command: list[str], stale: bool) -> None:
    (tmp_path / "package.json").write_text(json.dumps(NODE))
    for second, name in enumerate(files):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (second, 1_000 + second))
    said = "dist/index.js was built before src/a.ts was edited. Build it again: npm run build"
    assert stale_build(command, tmp_path) == (said if stale else "")
    (tmp_path / "package.json").write_text("{}")
    assert stale_build(command, tmp_path) == "", "nothing to type"


def test_a_stale_build_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "package.json").write_text(json.dumps(NODE))
    for second, name in enumerate(("dist/index.js", "a.ts")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("process.exit(1)")
        os.utime(tmp_path / name, (second, 1_000 + second))
    assert (
        "note: dist/index.js was built before a.ts was edited."
        in governor_here("lint", "--", "node", "dist/index.js", capsys=capsys).err
    )


def test_a_check_in_a_fresh_clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    outcome = governor_here("check", capsys=capsys)
    assert "hint: Set this repository up: mcp-governor init\n" in outcome.err
    assert "init" not in governor_here("check", "--isolated", capsys=capsys).err
    (tmp_path / "pyproject.toml").write_text(PYTHON)
    (tmp_path / "mcp-governor.toml").write_text('[servers.acme]\ncommand = ["acme-mcp-q81"]\n')
    outcome = governor_here("check", capsys=capsys)
    assert outcome.code == 3
    assert (
        "hint: acme-mcp-q81 is a script of this project, which is not installed here. Install it: pip install -e ."
        in outcome.err
    )
