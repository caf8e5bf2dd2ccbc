"""``init`` in a fresh clone, with the packages of the registries: one project of each ecosystem."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
from projects import contents, git, governor_process, repository
from support import missing

pytestmark = pytest.mark.live

PYTHON = {
    "pyproject.toml": """
[project]
name = "shop-stock"
version = "0.4.0"
requires-python = ">=3.10"
dependencies = ["mcp>=1.9,<2"]

[project.scripts]
shop-stock = "shop_stock.server:main"

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
""",
    "src/shop_stock/__init__.py": "",
    "src/shop_stock/server.py": '''
import os
import sys

from mcp.server.fastmcp import FastMCP

server = FastMCP("stock")


@server.tool()
def count_pieces(article: str) -> int:
    """Use this to count the pieces of an article that are left in the shop."""
    return len(article)


def main():
    if "SHOP_TOKEN" not in os.environ:
        sys.exit("Error: the environment variable SHOP_TOKEN is not set")
    server.run()
''',
    ".gitignore": "__pycache__\n",
}

NODE = {
    "package.json": json.dumps(
        {
            "name": "@shop/stock",
            "version": "0.4.0",
            "type": "module",
            "bin": {"shop-stock": "index.js"},
            "dependencies": {"@modelcontextprotocol/sdk": "^1.12.0"},
        }
    ),
    "index.js": """
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "stock", version: "0.1.0" });
server.tool("count_pieces", "Counts the pieces of all articles that are left in the shop.", async () => ({
  content: [{ type: "text", text: "5" }],
}));
await server.connect(new StdioServerTransport());
""",
    ".gitignore": "node_modules\n",
}


def cloned(tmp_path, files):
    """A clone of a repository, as a stranger has it."""
    origin = repository(tmp_path / "origin", files)
    clone = tmp_path / "clone"
    assert git(tmp_path, "clone", "-q", str(origin), str(clone)).returncode == 0
    return clone


def written(root):
    """What git sees beside the commit."""
    return sorted(line[3:] for line in git(root, "status", "--short").stdout.splitlines())


def test_a_python_project_that_is_not_installed(tmp_path):
    root = cloned(tmp_path, PYTHON)
    first = governor_process(root, "init", "--no-ci", "--no-hook")
    if "Failed to fetch" in first.stderr or "Failed to resolve" in first.stderr:
        missing(f"uv cannot install the project: {first.stderr.strip()[-300:]}")
    assert first.returncode == 3, first.stdout + first.stderr
    assert first.stderr.splitlines()[-1].endswith("run: mcp-governor init --env SHOP_TOKEN")
    assert written(root) == []

    done = governor_process(root, "init", "--no-ci", "--no-hook", "--env", "SHOP_TOKEN", SHOP_TOKEN="sekret-98765")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Found the server shop-stock in pyproject.toml: 1 tool." in done.stdout
    assert written(root) == ["docs/", "mcp-governor.toml", "mcp-surface.json"]
    config = contents(root)["mcp-governor.toml"].decode()
    assert 'schema-version = "pyproject.toml"' in config
    command = '["uv", "run", "--no-project", "--isolated", "--with-editable", ".", "shop-stock"]'
    assert f'[servers.shop-stock]\ncommand = {command}\nenv = {{ SHOP_TOKEN = "$SHOP_TOKEN" }}\n' in config
    assert "sekret-98765" not in config

    # editable: what is edited is what is read
    server = root / "src/shop_stock/server.py"
    passed = governor_process(root, "check", SHOP_TOKEN="sekret-98765")
    assert passed.returncode == 0, passed.stdout + passed.stderr
    server.write_text(server.read_text().replace("article: str", "article: str, shelf: int"))
    failed = governor_process(root, "check", SHOP_TOKEN="sekret-98765")
    assert failed.returncode == 1
    assert "shelf" in failed.stdout


def test_a_node_package_that_is_not_installed(tmp_path):
    npm = shutil.which("npm") or missing("npm is not installed")
    root = cloned(tmp_path, NODE)
    first = governor_process(root, "init", "--no-ci", "--no-hook")
    assert first.returncode == 3, first.stdout + first.stderr
    assert first.stderr.splitlines()[-1] == "hint: Run: npm install && mcp-governor init"

    quiet = [npm, "install", "--silent", "--no-audit", "--no-fund", "--no-package-lock"]
    installed = subprocess.run(
        quiet, cwd=root, capture_output=True, text=True, timeout=300, check=False, env=os.environ
    )
    if installed.returncode:
        missing(f"npm cannot install the SDK: {installed.stderr.strip()[-300:]}")
    done = governor_process(root, "init", "--no-ci", "--no-hook")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Found the server stock in package.json: 1 tool." in done.stdout
    config = contents(root)["mcp-governor.toml"].decode()
    assert 'command = ["node", "index.js"]' in config
    assert 'schema-version = "package.json"' in config
    assert str(tmp_path) not in config
    passed = governor_process(root, "check")
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert sys.executable not in passed.stdout
