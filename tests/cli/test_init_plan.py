"""What ``init`` calls a server, which paths it remarks on, and how it begins again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commandline import PYTHON, governor_here
from support import SERVERS

from mcp_governor.cli.init_plan import local_paths, name_of, recorded_paths


@pytest.mark.parametrize(
    ("text", "files", "name"),
    [
        ("server.py", {"pyproject.toml": '[project]\nname = "Acme_MCP"\n'}, "acme-mcp"),
        ("src/main.py", {"package.json": '{"name": "@acme/books-mcp"}'}, "books-mcp"),
        ("src/main.py", {"package.json": '{"name": "@acme/mcp"}'}, "acme-mcp"),
        ("server.py", {}, "shop"),
        ("python:acme.server:mcp", {"pyproject.toml": '[project]\nname = "acme-mcp"\n'}, "acme-mcp"),
        ("https://h.example/mcp", {"pyproject.toml": '[project]\nname = "acme-mcp"\n'}, "acme-mcp"),
        # A script or a package with a name of its own, of which a project may have several.
        ("servers/books.py", {"pyproject.toml": '[project]\nname = "acme-mcp"\n'}, "books"),
        ("pypi:some_pkg[x]==1.0:run-it", {}, "some-pkg"),
        ("npm:@modelcontextprotocol/server-memory@1.2.3", {}, "server-memory"),
        (".mcp.json#stock", {}, "stock"),
        ("pypi:mcp-server-git==1", {"pyproject.toml": '[project]\nname = "acme-mcp"\n'}, "mcp-server-git"),
        ("awslabs.aws-documentation-mcp-server", {}, "aws-documentation"),
        ("acme.weather", {}, "weather"),
        ("acme.server", {}, "acme"),
        ("server.py", {"pyproject.toml": "[", "package.json": "[]"}, "shop"),
    ],
)
def test_names(tmp_path: Path, text: str, files: dict[str, str], name: str) -> None:
    root = tmp_path / "shop"
    root.mkdir()
    for file, content in files.items():
        (root / file).write_text(content)
    assert name_of(text, root) == name


@pytest.mark.parametrize(
    ("keys", "paths"),
    [
        ({"command": ["/home/me/.venv/bin/python", "server.py", "--db=/home/me/x.db"]}, 2),
        ({"command": ["/usr/bin/node", "dist/index.js"]}, 0),
        ({"package": "pypi:x", "args": ["/home/me/repository", "/home/me/repository"]}, 1),
        ({"url": "https://h.example/mcp"}, 0),
    ],
)
def test_paths_of_this_machine(keys: dict[str, object], paths: int) -> None:
    assert len(local_paths(keys)) == paths


def test_force_begins_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()

    def words(tool: str) -> list[str]:
        surface = {"tools": [{"name": tool, "description": "Finds.", "inputSchema": {"type": "object"}}]}
        return ["--", PYTHON, str(SERVERS / "plain.py"), json.dumps(surface)]

    outcome = governor_here("init", *words("find_q81"), capsys=capsys)
    assert outcome.code == 0, outcome.err
    assert "of this machine" in outcome.out
    assert "init --force" in governor_here("init", *words("find_book"), capsys=capsys).err
    outcome = governor_here("init", "--force", *words("find_book"), capsys=capsys)
    assert outcome.code == 0, outcome.err
    assert "mcp-surface.json" in outcome.out
    written = [file.read_text() for file in tmp_path.rglob("*") if file.is_file() and ".git/" not in str(file)]
    # The tool is called what no page calls anything.
    assert not any("find_q81" in text for text in written)
    assert governor_here("check", capsys=capsys).code == 0


def test_force_leaves_a_project_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.mcp-governor]\n")
    outcome = governor_here("init", "--force", "--", "true", capsys=capsys)
    assert outcome.code == 2
    assert "Remove [tool.mcp-governor] from it" in outcome.err


@pytest.mark.parametrize(
    ("document", "found"),
    [
        ({"tools": [{"inputSchema": {"properties": {"a/b": {"default": "/home/ann/x"}}}}]}, ["a~1b/default"]),
        ({"resources": [{"uri": "file:///home/ann/repo/notes.txt"}, {"uri": "notes://1"}]}, ["/resources/0/uri"]),
        ({"instructions": "Files are in /home/ann/files.", "tools": []}, ["/instructions"]),
        ({"instructions": "Files are in /home/annabel/files, or /srv/x."}, []),
    ],
)
def test_paths_of_this_machine_in_a_recording_are_found(document, found):
    places = recorded_paths(document, (Path("/home/ann"), Path("/")))
    assert len(places) == len(found)
    assert all(place.endswith(end) for place, end in zip(places, found, strict=True))
