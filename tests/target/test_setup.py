"""A fresh clone: the program of a command is one of the project, which is not installed or built."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commandline import governor_here

from mcp_governor.target.setup import setup_hint

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
