"""``init`` in repositories of every kind: what it writes makes the next check pass, and nothing is overwritten."""

from __future__ import annotations

import json

import pytest
from beginnings import CHANGELOG, CONFIG, KNOWN, SECRET, SURFACE, WRONG, begun, plain, steps_of
from frameworks import source
from projects import committed, contents, git, governor, governor_process, repository, write
from support import REPO, running_web

from mcp_governor.cli.init_plan import script_of


class TestFound:
    """No TARGET is given: the server of the repository is found."""

    def test_a_module_with_a_fastmcp_server(self, tmp_path):
        reported, files = begun(write(tmp_path, {"stock_server.py": source("fastmcp")}), run=governor_process)
        assert "stock_server.py: 2 tools" in reported
        assert b'object = "stock_server:server"' in files[CONFIG]
        assert b"## 1.2.0 (current)" in files[CHANGELOG]
        assert b"count_pieces" in files[CHANGELOG]
        assert {CONFIG, SURFACE, CHANGELOG} <= set(files)

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
        reported, files = begun(repository(tmp_path, {"README.md": "a"}), "--", *plain())
        assert "1 tool." in reported
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

    @pytest.mark.parametrize("version", ["", "next"])
    def test_a_server_without_a_version_that_counts_is_checked_against_a_literal(self, tmp_path, version):
        reported, files = begun(tmp_path, "--", *plain(version=version))
        assert b'schema-version = "0.1.0"' in files[CONFIG]
        assert b"## 0.1.0 (current)" in files[CHANGELOG]
        assert "Its version is written into the configuration: 0.1.0." in reported

    def test_the_version_of_the_project_is_taken_and_the_screen_says_why(self, tmp_path):
        write(tmp_path, {"pyproject.toml": '[project]\nname = "stock"\nversion = "0.3.0"\n'})
        reported, files = begun(tmp_path, "--", *plain(version="94.1.2"))
        why = "The server reports 94.1.2, and pyproject.toml line 3 says 0.3.0."
        assert f"{why} Its version is taken from pyproject.toml: 0.3.0.\n" in reported
        assert f'# {why}\nschema-version = "pyproject.toml"\n'.encode() in files[CONFIG]
        assert b"## 0.3.0 (current)" in files[CHANGELOG]

    def test_commits_after_the_tag_are_not_recorded_for_its_version(self, tmp_path):
        """They may have added tools, which the next release has to mention."""
        project = '[project]\nname = "stock"\nversion = "2.1.0"\n'
        root = repository(tmp_path, {"pyproject.toml": project, "other/a": ""})
        git(root, "tag", "v2.1.0")
        committed(write(root, {"src/new.py": ""}), "more")
        reported, files = begun(root, "--", *plain())
        assert "docs/mcp-surface/2.1.0.json" not in {*files, *reported.split()}
        command = "mcp-governor snapshot pypi:stock==2.1.0 -o 2.1.0.json"
        assert "HEAD is past v2.1.0, so this surface is not recorded for 2.1.0." in reported
        assert f"run: {command}, then this init again with: --force --from 2.1.0.json\n" in reported
        write(tmp_path, {"2.1.0.json": files[SURFACE].decode()})
        again = governor(root, "init", "--force", "--from", "2.1.0.json", "--", *plain())
        assert again.returncode == 0, again.stderr
        assert "the same surface, recorded for 2.1.0" in again.stdout
        # Not of the project in a folder that they did not touch.
        reported, files = begun(root / "other", "--", *plain())
        assert "docs/mcp-surface/2.1.0.json" in files

    def test_a_server_of_a_client_configuration_is_named(self, tmp_path):
        command, *arguments = plain()
        entry = {"servers": {"stock": {"command": command, "args": arguments}}}
        write(tmp_path, {".vscode/mcp.json": json.dumps(entry)})
        done = governor(tmp_path, "init", ".vscode/mcp.json")
        assert done.returncode == 2
        assert "Name one: .vscode/mcp.json#stock" in done.stderr
        _, files = begun(tmp_path, ".vscode/mcp.json#stock")
        assert b'target = ".vscode/mcp.json#stock"' in files[CONFIG]

    def test_a_token_of_the_environment_is_named_and_not_written(self, tmp_path, monkeypatch):
        with running_web() as web:
            monkeypatch.setenv("MCP_GOVERNOR_BEARER_TOKEN", SECRET)
            _, files = begun(tmp_path, web.url("/good"))
            assert {headers.get("Authorization") for _, _, headers, _ in web.seen} == {f"Bearer {SECRET}"}
        assert b'bearer-token = "$MCP_GOVERNOR_BEARER_TOKEN"' in files[CONFIG]
        assert SECRET.encode() not in b"".join(files.values())
        _, job = steps_of(files)
        secret = "${{ secrets.MCP_GOVERNOR_BEARER_TOKEN }}"
        assert job["steps"][-2]["env"] == {"MCP_GOVERNOR_BEARER_TOKEN": secret}

    @pytest.mark.parametrize(
        "address",
        [
            f"http://me:{SECRET}@h.example/mcp",
            f"https://h.example/mcp?api_key={SECRET}",
            f"https://h.example/mcp?s={SECRET}",
            f"https://h.example/mcp;token={SECRET}",
            "https://h.example/s/0a1b2c3d4e5f6a7b8c9d/mcp",
        ],
    )
    def test_credentials_in_an_address_are_not_written(self, tmp_path, address):
        done = governor(tmp_path, "init", address)
        assert done.returncode == 2
        assert "contains credentials" in done.stderr
        assert SECRET not in done.stdout + done.stderr
        assert "0a1b2c3d" not in done.stdout + done.stderr
        assert contents(tmp_path) == {}

    @pytest.mark.parametrize("query", ["toolsets=issues", "toolsets=issues,pull_requests&readonly=true", "v=2"])
    def test_an_address_with_choices_is_written(self, tmp_path, query):
        with running_web() as web:
            _, files = begun(tmp_path, web.url(f"/good?{query}"))
        assert f"?{query}".encode() in files[CONFIG]

    def test_a_configured_pyproject_is_enough_to_refuse(self, tmp_path):
        write(tmp_path, {"pyproject.toml": '[tool.mcp-governor]\nprofile = "charter"\n'})
        done = governor(tmp_path, "init", "--", *plain())
        assert done.returncode == 2
        assert "pyproject.toml" in done.stderr

    @pytest.mark.parametrize(
        ("arguments", "code", "words"),
        [
            (["--", "/no/such/server"], 3, "/no/such/server"),
            (["mcp-surface.json"], 2, "mcp-surface.json does not exist."),
            ([str(REPO / "mcp-surface.json")], 2, f"mcp-governor init --from {REPO}/mcp-surface.json"),
            (["server.py"], 2, "Start it: -- python server.py"),
            (["python:nothing:server"], 3, "nothing"),
            (["--", *plain([])], 4, "publishes no tools"),
        ],
    )
    def test_a_server_that_cannot_be_read_leaves_nothing_behind(self, tmp_path, arguments, code, words):
        done = governor(tmp_path, "init", *arguments)
        assert done.returncode == code
        assert words in done.stderr
        assert contents(tmp_path) == {}

    def test_a_folder_that_cannot_be_made(self, tmp_path):
        write(tmp_path, {"docs": "a file"})
        done = governor(tmp_path, "init", "--", *plain())
        assert done.returncode == 2
        assert "docs/mcp-schema-changelog.md cannot be written: Not a directory. Nothing was written." in done.stderr
        assert contents(tmp_path) == {"docs": b"a file"}


@pytest.mark.parametrize(
    ("command", "script"),
    [
        ("uv run stock.py", "stock.py"),
        ("uv tool run --quiet stock", "stock"),
        ("npx -y @shop/stock .", "@shop/stock"),
        ("python -m shop.stock --all", "shop.stock"),
        ("stock", "stock"),
    ],
)
def test_the_word_of_a_command_that_names_the_server(command, script):
    assert script_of(tuple(command.split())) == script
