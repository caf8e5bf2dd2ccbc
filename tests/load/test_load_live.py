"""Sweeps of servers that nobody here wrote, on this machine, in both eras."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support import everything, free_port, listening, on_loopback

from mcp_governor.load.model import SweepPlan
from mcp_governor.load.sweep import run_sweep
from mcp_governor.target import LiveSource
from mcp_governor.wire import Era, HttpEndpoint

PLAN = SweepPlan(concurrencies=(2, 8), total=60, timeout=20.0, seconds=120.0)

SDK = """
import sys
from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations
server = MCPServer("shop")
@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def echo(text: str) -> str:
    return text
server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
"""

FASTMCP = """
import sys
from fastmcp import FastMCP
server = FastMCP("shop")
@server.tool(annotations={"readOnlyHint": True})
def echo(text: str) -> str:
    return text
server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
"""


def _swept(port: int, plan: SweepPlan = PLAN, era: Era | None = None):
    url = f"http://127.0.0.1:{port}/mcp"
    return run_sweep(LiveSource(shown=url, endpoint=HttpEndpoint(url, era=era)), plan)


def _is_good(sweep, plan: SweepPlan = PLAN, era: Era | None = None) -> None:
    assert era is None or sweep.era == era.value
    assert [(point.requests, point.errors) for point in sweep.points] == [(plan.total, {})] * len(plan.concurrencies)


@pytest.mark.live
def test_everything_over_http() -> None:
    port = free_port()
    with listening(everything("streamableHttp"), port, {"PORT": str(port), "NODE_OPTIONS": on_loopback()}):
        # It offers one era.
        _is_good(_swept(port), era=Era.LEGACY)


@pytest.mark.parametrize("source", [SDK, FASTMCP], ids=["sdk", "fastmcp"])
def test_servers_of_the_frameworks(source: str, tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text(source)
    port = free_port()
    with listening([sys.executable, str(script), str(port)], port):
        for era in Era:
            _is_good(_swept(port, era=era), era=era)
        call = SweepPlan(
            concurrencies=(4,),
            total=40,
            timeout=20.0,
            method="tools/call",
            params={"name": "echo", "arguments": {"text": "a"}},
        )
        _is_good(_swept(port, call), call)
