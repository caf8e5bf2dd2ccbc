"""What ``init`` takes for the server of a repository, without running any of it."""

from __future__ import annotations

import json

import pytest
from projects import write

from mcp_governor.target.discover import discover

SDK = '"dependencies": {"@modelcontextprotocol/sdk": "1"}'
CLIENT = json.dumps({"mcpServers": {"helper": {"command": "helper"}, "far": {"url": "https://example.org/mcp"}}})


def found(root):
    return [candidate.target for candidate in discover(root)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("server = FastMCP('a')", ["server"]),
        ("server: FastMCP = FastMCP('a')", ["server"]),
        ("server = fastmcp.FastMCP('a')", ["server"]),
        ("server = MCPServer[dict]('a')", ["server"]),
        ("one = two = MCPServer('a')", ["one", "two"]),
        ("def make() -> FastMCP: ...", ["make"]),
        ("async def make() -> 'MCPServer[Any]': ...", ["make"]),
        ("def make(debug: bool = False, *, log=None) -> fastmcp.FastMCP: ...", ["make"]),
        ("def make(path) -> FastMCP: ...", []),
        ("def make(*, path) -> FastMCP: ...", []),
        ("server = FastMCP('a')\ndef make() -> FastMCP: ...", ["server"]),
        ("class A:\n    server = FastMCP('a')", []),
        ("server: FastMCP", []),
        ("server = NotFastMCP('a')", []),
        ("# server = FastMCP('a')", []),
        ("server = FastMCP('a'", []),
    ],
)
def test_python_source(tmp_path, text, names):
    write(tmp_path, {"shop/api.py": text})
    assert found(tmp_path) == [f"python:shop.api:{name}" for name in names]


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("server.py", "server"),
        ("src/shop/__init__.py", "shop"),
        ("src/shop/api.py", "shop.api"),
        ("lib/api.py", "api"),
        ("shop/__init__.py", "shop"),
        ("tests/api.py", None),
        (".venv/lib/api.py", None),
        ("node_modules/a/api.py", None),
    ],
)
def test_modules_are_named_as_they_are_imported(tmp_path, path, module):
    write(tmp_path, {path: "server = FastMCP('a')"})
    assert found(tmp_path) == ([f"python:{module}:server"] if module else [])


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        (f'{{"name": "@shop/stock", "bin": "./dist/a.js", {SDK}}}', ["-- node dist/a.js"]),
        (f'{{"bin": {{"a": "a.js", "b": "b c.js"}}, {SDK}}}', ["-- node a.js", "-- node 'b c.js'"]),
        (f'{{"main": "index.js", {SDK}}}', ["-- node index.js"]),
        (f"{{{SDK}}}", []),
        (f'{{"bin": 5, "main": 5, {SDK}}}', []),
        ('{"bin": "a.js", "dependencies": {"express": "1"}}', []),
        ('{"bin": "a.js", "dependencies": []}', []),
        ("[]", []),
        ("{", []),
    ],
)
def test_node_packages(tmp_path, text, targets):
    write(tmp_path, {"package.json": text})
    assert found(tmp_path) == targets


def test_client_configurations_count_where_there_is_no_source(tmp_path):
    write(tmp_path, {".mcp.json": CLIENT, ".vscode/mcp.json": '{"servers": {"own": {"command": "own"}}}'})
    assert found(tmp_path) == [".mcp.json#helper", ".mcp.json#far", ".vscode/mcp.json#own"]
    write(tmp_path, {"api.py": "server = FastMCP('a')"})
    assert found(tmp_path) == ["python:api:server"]


def test_files_that_cannot_be_read_are_passed_over(tmp_path):
    write(tmp_path, {"good.py": "server = FastMCP('a')", "deep.py": "FastMCP" + "(" * 5000, ".mcp.json": "[" * 5000})
    (tmp_path / "binary.py").write_bytes(b"FastMCP \xff\xfe")
    (tmp_path / "large.py").write_text("server = FastMCP('a')\n" + "#" * 600_000)
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere")
    assert found(tmp_path) == ["python:good:server"]
