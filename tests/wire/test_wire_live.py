"""Servers that nobody here wrote, from their registries, over every transport that they speak."""

from __future__ import annotations

import os

import anyio
import pytest
from support import Leash, everything, free_port, listening, on_loopback, uv_tool

from mcp_governor.wire import Era, HttpEndpoint, connect, read

pytestmark = pytest.mark.live

# The child's environment is minimal, so that what a registry client is configured with has to be named.
FETCHING = ("UV_", "PIP_", "NPM_CONFIG_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "https_proxy", "no_proxy")


def fetched(leash: Leash, *command: str):
    """A server that a registry client starts."""
    passed = {name: value for name, value in os.environ.items() if name.startswith(FETCHING)}
    return leash.endpoint(*command, **passed)


def names(recording) -> list[str]:
    return [tool["name"] for tool in recording.raw["tools"]]


def test_an_old_server_that_dies_of_the_probe(leash: Leash) -> None:
    """On SDK 1.2.0: a request before ``initialize`` ends it, so it is started twice."""
    command = uv_tool("mcp-server-time==0.5.1", "mcp-server-time", "mcp==1.2.0", "pydantic<2.11", "anyio<4.8", "tzdata")
    recording = read(fetched(leash, *command, "--local-timezone", "UTC"))
    assert recording.raw["protocolVersion"] == "2024-11-05"
    assert recording.era is Era.LEGACY
    assert names(recording) == ["get_current_time", "convert_time"]


def test_everything_over_stdio(leash: Leash) -> None:
    recording = read(leash.endpoint(*everything("stdio")))
    assert {"echo", "get-sum"} <= set(names(recording))
    assert recording.raw["prompts"]
    assert recording.raw["resources"]
    assert recording.raw["resourceTemplates"]
    assert recording.raw["conversation"] == {"noise": [], "requests": [], "failedLists": {}}


@pytest.mark.parametrize(("transport", "path"), [("streamableHttp", "/mcp"), ("sse", "/sse")])
def test_everything_over_http(transport: str, path: str) -> None:
    port = free_port()
    with listening(everything(transport), port, {"PORT": str(port), "NODE_OPTIONS": on_loopback()}):
        endpoint = HttpEndpoint(f"http://127.0.0.1:{port}{path}")
        recording = read(endpoint)
        assert {"echo", "get-sum"} <= set(names(recording))
        assert recording.raw["conversation"] == {"noise": [], "requests": [], "failedLists": {}}

        async def add() -> str:
            async with connect(endpoint) as session:
                result = await session.call_tool("get-sum", {"a": 40, "b": 2})
                return result["content"][0]["text"]

        assert "42" in anyio.run(add)
