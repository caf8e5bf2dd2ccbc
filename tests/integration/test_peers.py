"""`check` on a trivial server of each SDK that a registry brings, and on published servers of other languages."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from commandline import typed
from support import node, npm_modules, uv

pytestmark = pytest.mark.live

ROOT = Path(__file__).parents[2]
ADD = '''
@server.tool()
def add(left: int, right: int) -> int:
    """Add two numbers and return the sum."""
    return left + right


server.run()
'''
V1 = f"from mcp.server.fastmcp import FastMCP\nserver = FastMCP('peer')\n{ADD}"
V2 = f"from mcp.server.mcpserver import MCPServer\nserver = MCPServer('peer')\n{ADD}"
FAST = f"from fastmcp import FastMCP\nserver = FastMCP('peer')\n{ADD}"
SCRIPT = """
import {{ createRequire }} from 'node:module';
import {{ pathToFileURL }} from 'node:url';
const root = process.argv[2] + '/';
const load = name => import(pathToFileURL(root + name));
const {{ z }} = createRequire(root)('zod');
const {{ McpServer }} = await load('{server}');
const {{ StdioServerTransport }} = await load('{stdio}');
const server = new McpServer({{ name: 'peer', version: '1.0.0' }});
const inputSchema = {schema};
const add = async ({{ left, right }}) => ({{ content: [{{ type: 'text', text: String(left + right) }}] }});
server.registerTool('add', {{ description: 'Add two numbers and return the sum.', inputSchema }}, add);
await server.connect(new StdioServerTransport());
"""
SHAPE = "{ left: z.number(), right: z.number() }"
SDK = "@modelcontextprotocol/sdk/dist/esm/server"
TYPESCRIPT = {
    "1": SCRIPT.format(server=f"{SDK}/mcp.js", stdio=f"{SDK}/stdio.js", schema=SHAPE),
    "2": SCRIPT.format(
        server="@modelcontextprotocol/server/dist/index.mjs",
        stdio="@modelcontextprotocol/server/dist/stdio.mjs",
        schema=f"z.object({SHAPE})",
    ),
}
KUBECONFIG = {
    "apiVersion": "v1",
    "kind": "Config",
    "clusters": [{"name": "a", "cluster": {"server": "http://127.0.0.1:1"}}],
    "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
    "users": [{"name": "a", "user": {}}],
    "current-context": "a",
}


class Peer(NamedTuple):
    """A row of the table in docs/systems.md.

    Attributes:
        sdk: as the table calls it.
        command: what is typed after the command of mcp-governor.
        code: the server, in ``server.py`` or ``server.mjs``.
        protocol: the revision in which it is read.
    """

    sdk: str
    command: tuple[str, ...]
    code: str
    protocol: str


def _python(requirement: str) -> tuple[str, ...]:
    return ("--", "uv", "run", "--quiet", "--no-project", "--with", requirement, "python", "server.py")


PEERS = (
    Peer("Python `mcp` 1.x", _python("mcp<2"), V1, "2025-11-25"),
    Peer("Python `mcp` 2.x", _python("mcp>=2,<3"), V2, "2026-07-28"),
    Peer("FastMCP 2.x", _python("fastmcp>=2,<3"), FAST, "2025-11-25"),
    Peer("FastMCP 3.x", _python("fastmcp>=3,<4"), FAST, "2025-11-25"),
    Peer("FastMCP 4.x", _python("fastmcp>=4,<5"), FAST, "2026-07-28"),
    Peer(
        "TypeScript `@modelcontextprotocol/sdk` 1.x",
        ("--", "node", "server.mjs", "MODULES"),
        TYPESCRIPT["1"],
        "2025-11-25",
    ),
    Peer(
        "TypeScript `@modelcontextprotocol/server` 2.x",
        ("--", "node", "server.mjs", "MODULES"),
        TYPESCRIPT["2"],
        "2025-11-25",
    ),
    Peer(
        "Go, by `npm:kubernetes-mcp-server`",
        ("npm:kubernetes-mcp-server@0.0.67", "--", "--kubeconfig", "kube.json"),
        "",
        "2026-07-28",
    ),
    Peer("Go, by `pypi:mcp-grafana`", ("pypi:mcp-grafana==2.1.1",), "", "2026-07-28"),
    Peer("C#, by `npm:@azure/mcp`", ("npm:@azure/mcp@2.0.5", "--", "server", "start"), "", "2025-11-25"),
)


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: re.sub(r"\W+", "-", peer.sdk).strip("-"))
def test_a_server_of_each_sdk_is_checked(peer: Peer, tmp_path: Path) -> None:
    words = {"uv": uv, "node": node, "MODULES": lambda: str(npm_modules())}
    command = [str(words[word]()) if word in words else word for word in peer.command]
    (tmp_path / ("server.mjs" if "server.mjs" in peer.command else "server.py")).write_text(peer.code, "utf-8")
    (tmp_path / "kube.json").write_text(json.dumps(KUBECONFIG), "utf-8")
    (tmp_path / "mcp-governor.toml").write_text('baseline = "mcp-surface.json"\n', "utf-8")
    env = {**os.environ, "NO_COLOR": "1", "PYTHONPATH": ""}
    code, said = typed("snapshot", *command, cwd=tmp_path, env=env)
    assert code == 0, said
    recorded = json.loads((tmp_path / "mcp-surface.json").read_text("utf-8"))
    assert recorded["protocolVersion"] == peer.protocol
    assert recorded["tools"]
    if peer.code:
        assert [tool["name"] for tool in recorded["tools"]] == ["add"]
    code, said = typed("check", *command, cwd=tmp_path, env=env)
    assert "no changes" in said, said
    assert code in (0, 1), said


def test_the_table_has_each_peer() -> None:
    section = (
        (ROOT / "docs" / "systems.md").read_text("utf-8").partition("## Servers of every SDK")[2].partition("\n## ")[0]
    )
    rows = re.findall(r"^\| (.+?) \| (\d{4}-\d{2}-\d{2}) \|", section, re.M)
    assert rows == [(peer.sdk, peer.protocol) for peer in PEERS]
