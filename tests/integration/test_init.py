"""``init`` in repositories of every kind: what it writes makes the next check pass, and nothing is overwritten."""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from frameworks import CARELESS, COUNT, LIST, source
from projects import contents, governor, governor_process, repository, write
from support import SERVERS, missing

CONFIG, SURFACE, CHANGELOG, KNOWN = (
    "mcp-governor.toml",
    "mcp-surface.json",
    "docs/mcp-schema-changelog.md",
    "mcp-lint-baseline.json",
)
DESCRIBED = {"type": "string", "description": "What to look for."}
FIND = {
    "name": "find_stock",
    "description": "Looks a word up in the stock list of the shop and returns the number of pieces.",
    "inputSchema": {"type": "object", "properties": {"word": DESCRIBED}, "required": ["word"]},
}
# an array without items: an error that clients choke on
WRONG = {**FIND, "inputSchema": {"type": "object", "properties": {"words": {"type": "array"}}, "required": ["word"]}}


def plain(tools=(FIND,), version="2.1.0"):
    """The command of the fixture server."""
    how = {"tools": list(tools), "info": {"name": "stock", "version": version}}
    return [sys.executable, str(SERVERS / "plain.py"), json.dumps(how)]


def begun(root, *arguments, run=governor):
    """``init``, which must succeed, and the check after it, which must pass; then a second ``init``, refused."""
    before = contents(root)
    done = run(root, "init", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    after = contents(root)
    assert {name: after[name] for name in before} == before
    checked = run(root, "check", "--format", "json")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    report = json.loads(checked.stdout)
    assert report["verdict"] == "pass"
    assert report["changes"] == []
    assert report["baseline"]["source"] == SURFACE
    again = run(root, "init", *arguments)
    assert again.returncode == 2
    assert "configured already" in again.stderr
    assert contents(root) == after
    return done.stdout, after


class TestFound:
    """No TARGET is given: the server of the repository is found."""

    def test_a_module_with_a_fastmcp_server(self, tmp_path):
        told, files = begun(write(tmp_path, {"stock_server.py": source("fastmcp")}), run=governor_process)
        assert "stock_server.py: 2 tools" in told
        assert b'object = "stock_server:server"' in files[CONFIG]
        assert b"## 1.2.0 (current)" in files[CHANGELOG]
        assert b"count_pieces" in files[CHANGELOG]
        assert {CONFIG, SURFACE, CHANGELOG} <= set(files)

    def test_an_mcpserver_in_the_src_layout(self, tmp_path):
        files = {
            "pyproject.toml": '[project]\nname = "stock"\n',
            "src/stock/__init__.py": "",
            "src/stock/api.py": source("mcpserver"),
            "tests/test_api.py": "from fastmcp import FastMCP\nserver = FastMCP('of a test')\n",
        }
        told, files = begun(write(tmp_path, files), run=governor_process)
        assert "src/stock/api.py" in told
        assert b'object = "stock.api:server"' in files[CONFIG]

    def test_a_node_package_with_a_bin(self, tmp_path):
        if shutil.which("node") is None:
            missing("node is not installed")
        script = """
        const tools = %s;
        let rest = "";
        process.stdin.on("data", (chunk) => {
          rest += chunk;
          const lines = rest.split("\\n");
          rest = lines.pop();
          for (const line of lines) {
            const { id, method, params } = JSON.parse(line);
            if (id === undefined) continue;
            let body = { error: { code: -32601, message: "no such method" } };
            if (method === "initialize")
              body = { result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} },
                                 serverInfo: { name: "stock", version: "0.3.0" } } };
            if (method === "tools/list") body = { result: { tools } };
            process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...body }) + "\\n");
          }
        });
        """
        package = {
            "name": "@shop/stock",
            "bin": {"stock": "./dist/index.js"},
            "dependencies": {"@modelcontextprotocol/sdk": "1"},
        }
        files = {"package.json": json.dumps(package), "dist/index.js": script % json.dumps([FIND])}
        told, files = begun(write(tmp_path, files))
        assert "the server stock in package.json" in told
        assert b'command = ["node", "dist/index.js"]' in files[CONFIG]

    def test_a_client_configuration(self, tmp_path):
        command, *arguments = plain()
        entry = {"mcpServers": {"stock": {"command": command, "args": arguments}}}
        _, files = begun(write(tmp_path, {".mcp.json": json.dumps(entry)}))
        assert b'target = ".mcp.json#stock"' in files[CONFIG]

    def test_several_servers_are_named_and_none_is_taken(self, tmp_path):
        write(tmp_path, {"one.py": source("fastmcp"), "two.py": source("mcpserver")})
        before = contents(tmp_path)
        done = governor(tmp_path, "init")
        assert done.returncode == 2
        assert "2 servers were found: one in one.py; two in two.py" in done.stderr
        assert "mcp-governor init python:one:server" in done.stderr
        assert contents(tmp_path) == before

    def test_nothing_to_govern(self, tmp_path):
        write(tmp_path, {"README.md": "FastMCP", "lib.py": "FastMCP = dict\nclass A:\n    server = FastMCP()\n"})
        before = contents(tmp_path)
        done = governor(tmp_path, "init")
        assert done.returncode == 2
        assert "No MCP server was found" in done.stderr
        assert "mcp-governor init -- COMMAND" in done.stderr
        assert contents(tmp_path) == before


class TestNamed:
    """The server is given on the command line."""

    def test_a_command(self, tmp_path):
        told, files = begun(repository(tmp_path, {"README.md": "a"}), "--", *plain())
        assert "1 tools" in told
        assert b"## 2.1.0 (current)" in files[CHANGELOG]
        assert b"schema-version" not in files[CONFIG]

    def test_findings_of_today_do_not_fail_and_new_ones_do(self, tmp_path):
        command = plain([WRONG])
        assert governor(tmp_path, "lint", "--isolated", "--", *command).returncode == 1
        _, files = begun(tmp_path, "--", *command)
        assert KNOWN in files
        assert f'baseline = "{KNOWN}"'.encode() in files[CONFIG]
        worse = {**WRONG, "inputSchema": {**WRONG["inputSchema"], "required": ["word", "other"]}}
        assert governor(tmp_path, "lint", "--", *plain([worse])).returncode == 1

    def test_careless_tools_of_a_real_server(self, tmp_path):
        begun(write(tmp_path, {"s.py": source("mcpserver", COUNT, LIST, CARELESS)}), run=governor_process)

    @pytest.mark.parametrize("version", ["2026.11", "", "next"])
    def test_a_server_without_a_semantic_version_is_held_to_a_literal(self, tmp_path, version):
        _, files = begun(tmp_path, "--", *plain(version=version))
        assert b'schema-version = "0.1.0"' in files[CONFIG]
        assert b"## 0.1.0 (current)" in files[CHANGELOG]

    def test_files_that_are_there_are_left(self, tmp_path):
        own = {CHANGELOG: "mine\n", SURFACE: "mine\n"}
        write(tmp_path, own)
        done = governor(tmp_path, "init", "--", *plain())
        assert done.returncode == 0
        assert done.stdout.count("left as it was") == 2
        assert {name: contents(tmp_path)[name].decode() for name in own} == own

    def test_a_configured_pyproject_is_enough_to_refuse(self, tmp_path):
        write(tmp_path, {"pyproject.toml": '[tool.mcp-governor]\nprofile = "charter"\n'})
        done = governor(tmp_path, "init", "--", *plain())
        assert done.returncode == 2
        assert "pyproject.toml" in done.stderr

    @pytest.mark.parametrize(
        ("arguments", "code", "words"),
        [
            (["--", "/no/such/server"], 3, "/no/such/server"),
            (["mcp-surface.json"], 2, "live server"),
            (["python:nothing:server"], 2, "nothing"),
            (["--", *plain([])], 4, "publishes no tools"),
        ],
    )
    def test_a_server_that_cannot_be_read_leaves_nothing_behind(self, tmp_path, arguments, code, words):
        done = governor(tmp_path, "init", *arguments)
        assert done.returncode == code
        assert words in done.stderr
        assert contents(tmp_path) == {}
