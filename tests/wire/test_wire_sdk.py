"""Servers on the official SDK and on FastMCP: in-process, and the same words over every transport."""

from __future__ import annotations

import sys

import anyio
import pytest
from inprocess import ObjectEndpoint
from support import SERVERS, Leash, free_port, listening

from mcp_governor.wire import Era, HttpEndpoint, connect, object_elsewhere, read

sys.path.insert(0, str(SERVERS))


@pytest.fixture(scope="module")
def ports():
    numbers = [free_port() for _ in range(4)]
    command = [sys.executable, str(SERVERS / "sdk.py"), "all", *map(str, numbers)]
    with listening(command, numbers[-1]):
        for number in numbers:
            _wait_for(number)
        yield numbers


def _wait_for(port: int) -> None:
    import socket
    import time

    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(f"nothing listens on {port}")


def endpoints(which: str, ports: list[int]):
    import sdk

    first = 0 if which == "sdk" else 2
    leash = Leash()
    return {
        "stdio": leash.endpoint(sys.executable, str(SERVERS / "sdk.py"), which, "stdio"),
        "http": HttpEndpoint(f"http://127.0.0.1:{ports[first]}/mcp"),
        "sse": HttpEndpoint(f"http://127.0.0.1:{ports[first + 1]}/sse"),
        "object": ObjectEndpoint(getattr(sdk, which)),
    }


@pytest.mark.parametrize(
    ("which", "info"),
    [("sdk", {"name": "sdk", "version": "2.1.0"}), ("fastmcp", {"name": "fastmcp", "version": "4.0.1"})],
)
def test_every_transport_gives_the_same_words(ports, which: str, info: dict) -> None:
    found = {name: read(endpoint) for name, endpoint in endpoints(which, ports).items()}
    assert {name: recording.era for name, recording in found.items()} == {
        "stdio": Era.MODERN,
        "http": Era.MODERN,
        "sse": Era.LEGACY,
        "object": Era.MODERN,
    }
    for recording in found.values():
        (tool,) = recording.raw["tools"]
        assert tool["name"] == "add"
        assert tool["inputSchema"]["required"] == ["a"]
        assert tool["outputSchema"]["properties"]["result"]["type"] == "integer"
        assert tool["_meta"]["dev.example/kept"] == [1, None]
        assert recording.raw["serverInfo"] == info
        assert recording.raw["instructions"] == "Add things."
        assert [prompt["name"] for prompt in recording.raw["prompts"]] == ["greeting"]
        assert [resource["uri"] for resource in recording.raw["resources"]] == ["file:///readme"]
        assert recording.raw["conversation"] == {"noise": [], "requests": [], "failedLists": {}}
    assert found["object"].raw == found["stdio"].raw == found["http"].raw
    assert found["sse"].raw["tools"] == found["stdio"].raw["tools"]


@pytest.mark.parametrize("which", ["sdk", "fastmcp"])
@pytest.mark.parametrize("era", [Era.MODERN, Era.LEGACY])
def test_a_call_in_both_eras(ports, which: str, era: Era) -> None:
    async def call(endpoint):
        async with connect(endpoint, era=era) as session:
            await session.list_all("tools/list", "tools")
            return session.protocol, await session.call_tool("add", {"a": 40, "b": 2})

    for name, endpoint in endpoints(which, ports).items():
        if name != "stdio" and (name, era) != ("sse", Era.MODERN):
            protocol, result = anyio.run(call, endpoint)
            assert protocol == ("2026-07-28" if era is Era.MODERN else "2025-11-25"), name
            assert result["structuredContent"] == {"result": 42}, name


def test_a_factory_and_a_low_level_server_that_are_named() -> None:
    for name in ("sdk:build_later", "sdk:low"):
        endpoint = object_elsewhere(sys.executable, name, (str(SERVERS),))
        assert [tool["name"] for tool in read(endpoint).raw["tools"]] == ["add"]
