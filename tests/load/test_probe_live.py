"""A probe of real servers over the wire, in both eras."""

from __future__ import annotations

import sys

import pytest
from commandline import governor_here
from support import SERVERS, everything, free_port, listening, on_loopback, uv_tool

from mcp_governor.load.findings import list_findings, record_of
from mcp_governor.load.probe import Probe, ProbePlan, run_probe
from mcp_governor.target import LiveSource
from mcp_governor.wire import HttpEndpoint, StdioEndpoint

PLAN = ProbePlan(runs=(), lists=5)


def http(port: int) -> LiveSource:
    return LiveSource("server", HttpEndpoint(f"http://127.0.0.1:{port}/mcp"))


def offered(measured: Probe) -> set[str]:
    return {era.era for era in measured.eras if not era.problem}


def looks_measured(measured: Probe, tools: set[str]) -> None:
    """What holds for every server that behaves."""
    listing = measured.listing
    assert tools <= {size.name for size in listing.payload.tools}
    assert sum(size.bytes for size in listing.payload.tools) < listing.payload.bytes
    assert [size.tokens for size in listing.payload.tools] == sorted(
        (size.tokens for size in listing.payload.tools), reverse=True
    )
    assert listing.cold_ms > listing.main.first_ms > 0
    assert listing.main.lists.count == 5
    assert listing.yardstick is not None
    assert listing.yardstick.rounds == 3
    assert listing.caching.same_content
    assert list(list_findings(measured)) == []


@pytest.fixture(scope="module")
def python_servers():
    """Framework → port of its streamable HTTP server."""
    ports = [free_port() for _ in range(4)]
    command = [sys.executable, str(SERVERS / "sdk.py"), "all", *map(str, ports)]
    with listening(command, ports[-1]):
        yield {"sdk": ports[0], "fastmcp": ports[2]}


@pytest.mark.parametrize("framework", ["sdk", "fastmcp"])
def test_python_servers_over_http(framework, python_servers):
    source = http(python_servers[framework])
    measured = run_probe(source, PLAN)
    recorded = record_of(measured, source)
    looks_measured(measured, {"add"})
    assert offered(measured) == {"modern", "legacy"}
    assert measured.health.problem == "HTTP 404: the server does not have it"
    assert not measured.info.conforms
    assert (recorded.time.over, recorded.listed.bytes) == ("http modern", measured.listing.payload.bytes)


@pytest.mark.live
def test_server_everything_over_http():
    port = free_port()
    with listening(everything("streamableHttp"), port, {"PORT": str(port), "NODE_OPTIONS": on_loopback()}):
        measured = run_probe(http(port), PLAN)
    looks_measured(measured, {"echo"})
    assert offered(measured)


@pytest.mark.live
def test_server_time_over_stdio():
    source = LiveSource("time", StdioEndpoint(uv_tool("mcp-server-time", "mcp-server-time")), start_timeout=120)
    measured = run_probe(source, PLAN)
    looks_measured(measured, {"get_current_time", "convert_time"})
    assert offered(measured)
    assert measured.health is None


def test_the_base_url_of_the_guide_is_a_host_without_a_path(python_servers, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    base = f"http://127.0.0.1:{python_servers['sdk']}"
    done = governor_here("load", "probe", "--sequential-only", "--isolated", "--base-url", base, capsys=capsys)
    assert done.code == 0, done.err
    assert f"{base}/mcp" in done.out
    assert "health: HTTP 404: the server does not have it" in done.out
