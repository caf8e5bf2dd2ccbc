"""Sessions of real clients with `serve` over stdio and HTTP: the official SDK's, and the Inspector's command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import asynccontextmanager

import anyio
import pytest
from projects import repository, surface_text, tool
from support import free_port, inspector, listening, node

from mcp_governor.server.address import TOKEN

CONFIG = """\
target = "stock"
profile = "recommended"
baseline = "mcp-surface.json"
changelog = "CHANGELOG.md"
[servers.stock]
file = "live.json"
"""
NAMES = (
    "check_server", "list_findings", "explain_finding", "compare_surfaces", "lint_description", "validate_response",
    "draft_changelog", "list_rules",
)  # fmt: skip
SERVE = [sys.executable, "-m", "mcp_governor", "serve"]
SECRET = "s7" * 20


@pytest.fixture
def root(tmp_path):
    files = {
        "mcp-governor.toml": CONFIG,
        "mcp-surface.json": surface_text(tool("find"), tool("list")),
        "live.json": surface_text(tool("find")),
        "CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2026-01-05\n\n- Added `find` and `list`.\n",
    }
    return repository(tmp_path / "project", files)


def in_folder(root, *options):
    """The command that starts our server in a folder."""
    script = "import os, sys; os.chdir(sys.argv[1]); os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"
    return [sys.executable, "-c", script, str(root), *SERVE[1:], *options]


@asynccontextmanager
async def sdk_session(transport, root):
    from mcp import ClientSession
    from mcp.client.stdio import StdioServerParameters, stdio_client
    from mcp.client.streamable_http import streamable_http_client

    if transport == "stdio":
        parameters = StdioServerParameters(command=SERVE[0], args=SERVE[1:], cwd=str(root))
        async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            yield session
        return
    import httpx2

    port = free_port()
    with listening(in_folder(root, "--http", f"127.0.0.1:{port}"), port, env={TOKEN: SECRET}):
        headers = {"Authorization": f"Bearer {SECRET}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as client,
            streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=client) as streams,
            ClientSession(streams[0], streams[1]) as session,
        ):
            await session.initialize()
            yield session


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_client_of_the_sdk(root, transport):
    async def talk():
        async with sdk_session(transport, root) as session:

            async def call(name, arguments):
                result = await session.call_tool(name, arguments)
                assert not result.is_error, (name, result)
                assert json.loads(result.content[0].text) == result.structured_content
                return result.structured_content

            assert tuple(one.name for one in (await session.list_tools()).tools) == NAMES
            checked = await call("check_server", {})
            assert checked["data"]["verdict"] == "fail"
            if transport == "http":  # the transport is another one, and not the tools
                return
            listed = await call("list_findings", {"pageSize": 200})
            found = next(item for item in listed["data"]["findings"] if item["rule"] == "tool-removed")
            told = await call("explain_finding", {"finding_id": found["id"]})
            assert told["data"]["finding"] == found
            assert "list" in (await call("draft_changelog", {}))["data"]["diff"]

            # Each recovery is followed as it says.
            for name, arguments, kind in (
                ("explain_finding", {"finding_id": found["id"] + "x"}, "unknown_name"),
                ("explain_finding", {"finding_id": found["id"], "server": "stok"}, "unknown_name"),
                ("list_findings", {"server": "stok"}, "unknown_name"),
                ("check_server", {"server": "stok"}, "unknown_name"),
                ("draft_changelog", {"server": "stok"}, "unknown_name"),
                ("compare_surfaces", {"old_uri": "none.json", "new_tools": []}, "unknown_name"),
                ("compare_surfaces", {"new_tools": []}, "malformed_name"),
                ("list_rules", {"pack": "charta"}, "unknown_name"),
            ):
                error = (await call(name, arguments))["error"]
                assert error["kind"] == kind
                recovery = error["recovery"]
                again = await call(recovery["suggested_tool"], recovery["suggested_args"])
                assert again["status"] in ("success", "empty"), (name, arguments)

    anyio.run(talk)


@pytest.fixture
def url(root):
    """Our server of the project over HTTP."""
    port = free_port()
    with listening(in_folder(root, "--http", f"127.0.0.1:{port}"), port, env={TOKEN: SECRET}):
        yield f"http://127.0.0.1:{port}/mcp"


@pytest.mark.live
def test_the_inspector_from_its_command_line(root, url, tmp_path):
    """Over stdio each command starts a server of its own, which takes longer than the rest of it; so only two do."""
    script, home = inspector(), tmp_path / "home"
    home.mkdir()
    stdio = tuple(SERVE)
    http = ("--transport", "http", "--server-url", url, "--header", f"Authorization: Bearer {SECRET}")

    def inspect(server, *options, code=0):
        command = [node(), script, "--cli", *server, *options]
        environment = {**os.environ, "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(done.stdout)

    def call(name, /, server=http, **arguments):
        pairs = [f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in arguments.items()]
        result = inspect(
            server, "--method", "tools/call", "--tool-name", name, *(("--tool-arg", *pairs) if pairs else ())
        )
        return result["structuredContent"]

    assert tuple(one["name"] for one in inspect(stdio, "--method", "tools/list", "--strict")["tools"]) == NAMES
    assert call("check_server", offline=True)["status"] == "success"
    # Nothing was checked by the server that this command starts.
    error = call("explain_finding", stdio, finding_id="none")["error"]
    assert error["kind"] == "index_not_ready"
    assert error["recovery"]["suggested_tool"] == "check_server"
    error = call("list_rules", pack="charta")["error"]
    assert call("list_rules", pack=error["recovery"]["fuzzy_matches"][0])["status"] == "success"
