"""A server object on every SDK that people pin: read in one environment with us, and from outside of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from projects import write
from support import REPO, missing, uv

FASTMCP = """\
import os, sys
from contextlib import asynccontextmanager
from fastmcp import FastMCP

print("said while importing")

@asynccontextmanager
async def lifespan(server):
    assert os.environ["SHOP_KEY"] == "word", "every variable is there"
    yield {}

server = FastMCP("shop", version="1.2.3", instructions="Sells.", lifespan=lifespan)

@server.tool
def add(a: int, b: int = 1) -> int:
    "Adds."
    return a + b
"""
SDK_1 = """\
from mcp.server.fastmcp import FastMCP

print("said while importing")
server = FastMCP("shop", instructions="Sells.")

@server.tool()
def add(a: int, b: int = 1) -> int:
    "Adds."
    return a + b
"""
LOW_1 = """\
import mcp.types as types
from mcp.server.lowlevel import Server

async def make():
    server = Server("shop", version="1.2.3", instructions="Sells.")

    @server.list_tools()
    async def tools():
        schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
        return [types.Tool(name="add", description="Adds.", inputSchema=schema)]

    return server

server = make
"""
SDK_2 = SDK_1.replace("fastmcp import FastMCP", "mcpserver import MCPServer").replace("FastMCP(", "MCPServer(")
KINDS = {
    "mcp-1": ("mcp<2", SDK_1, "1."),
    "mcp-1-low": ("mcp<2", LOW_1, "1.2.3"),
    "mcp-2": ("mcp>=2", SDK_2, ""),
    "fastmcp-2": ("fastmcp<3", FASTMCP, "1.2.3"),
    "fastmcp-4": ("fastmcp>=4", FASTMCP, "1.2.3"),
}


def ran(command, folder, **more):
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**environment, "SHOP_KEY": "word", **more},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """We, built once."""
    folder = tmp_path_factory.mktemp("wheel")
    made = ran((uv(), "build", "-q", "--wheel", "--python", sys.executable, "-o", folder, REPO), folder)
    if made.returncode:
        missing(f"uv cannot build a wheel: {made.stderr.strip()[-300:]}")
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An environment whose packages are exchanged; what stays keeps its bytecode, which takes seconds to compile."""
    folder = tmp_path_factory.mktemp("environment")
    made = ran((uv(), "venv", "-q", "--python", sys.executable, folder / ".venv"), folder)
    if made.returncode:
        missing(f"uv cannot make a virtual environment: {made.stderr.strip()[-300:]}")
    return folder / ".venv"


@pytest.mark.live
@pytest.mark.parametrize("kind", KINDS)
def test_a_server_is_read_whatever_its_sdk(kind, wheel, environment, tmp_path):
    pin, source, version = KINDS[kind]
    (tmp_path / "shop.py").write_text(source)
    (tmp_path / ".venv").symlink_to(environment)
    python = tmp_path / ".venv" / "bin" / "python"
    install = (uv(), "pip", "install", "-q", "--exact", "--upgrade", "--python", python)
    made = ran((*install, pin), tmp_path)
    if made.returncode:
        missing(f"uv cannot install {pin}: {made.stderr.strip()[-300:]}")
    assert not python.with_name("mcp-governor").exists()

    # From outside, as uvx runs us: the server's environment does not have us, and needs nothing of ours.
    outside = ran((sys.executable, "-P", "-m", "mcp_governor", "snapshot", "python:shop:server"), tmp_path)
    assert outside.returncode == 0, outside.stdout + outside.stderr
    assert "said while importing" not in outside.stdout
    read = json.loads((tmp_path / "mcp-surface.json").read_text())
    assert [tool["name"] for tool in read["tools"]] == ["add"]
    assert read["tools"][0]["inputSchema"]["required"] == ["a"]
    assert read["serverInfo"]["name"] == "shop"
    assert read["serverInfo"]["version"].startswith(version)
    assert read["instructions"] == "Sells."

    # Together: our extra leaves the pin as it is, and the words are the same.
    joined = ran((*install, f"{wheel}[inprocess]", pin), tmp_path)
    assert joined.returncode == 0, joined.stderr
    inside = ran((python.with_name("mcp-governor"), "snapshot", "python:shop:server", "-o", "inside.json"), tmp_path)
    assert inside.returncode == 0, inside.stdout + inside.stderr
    assert "Processing request" not in inside.stderr
    assert json.loads((tmp_path / "inside.json").read_text()) == read


def hosted(folder: Path, source: str) -> subprocess.CompletedProcess[str]:
    """Run the host under our own Python, as it would run under the server's."""
    (folder / "shop.py").write_text(source)
    script = REPO / "mcp_governor" / "wire" / "hosted.py"
    return subprocess.run(
        [sys.executable, str(script), "shop:server", str(folder)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("server = {}\n", "shop:server is not an MCP server but dict."),
        ("a = 1\n\n\nserver = 1 / 0\n", "ZeroDivisionError: division by zero ("),
        ("import nothing_of_this_name\n", "No module named 'nothing_of_this_name'"),
        ("def server():\n    raise RuntimeError('no database')\n", "RuntimeError: no database ("),
        ("other = 1\n", "module 'shop' has no attribute 'server'"),
    ],
)
def test_a_server_that_cannot_be_loaded_elsewhere_is_reported_in_a_line(tmp_path, source, words):
    # It comes before the SDK, which takes a second to load, and which nothing here needs.
    write(tmp_path, {"mcp/__init__.py": "", "mcp/server/__init__.py": ""})
    done = hosted(tmp_path, source)
    assert done.returncode == 1
    assert done.stdout == ""
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    if "line" in done.stderr:
        assert str(tmp_path / "shop.py") in done.stderr


def test_the_modules_next_to_the_host_hide_none_of_the_standard_library(tmp_path):
    # `http` and others are names of our modules, too.
    done = hosted(tmp_path, "import http.client, http\nserver = {'where': http.__file__}\nprint(http.__file__)\n")
    assert "is not an MCP server but dict" in done.stderr
    assert str(REPO) not in done.stderr
