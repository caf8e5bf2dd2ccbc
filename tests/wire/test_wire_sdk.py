"""Servers on the official SDK and on FastMCP: in-process, and the same words over every transport."""

from __future__ import annotations

import sys

import anyio
import pytest
from support import SERVERS, Leash, free_port, listening

from mcp_governor.errors import Exit, MissingDependencyError, ProtocolError, TargetError, UnreachableError
from mcp_governor.wire import Era, HttpEndpoint, Limits, ObjectEndpoint, connect, object_elsewhere, read

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
        "named": object_elsewhere(sys.executable, f"sdk:{which}", (str(SERVERS),)),
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
        "named": Era.MODERN,
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
    assert found["object"].raw == found["named"].raw == found["stdio"].raw == found["http"].raw
    assert found["sse"].raw["tools"] == found["stdio"].raw["tools"]


@pytest.mark.parametrize("which", ["sdk", "fastmcp"])
def test_the_older_era_of_the_same_servers(ports, which: str) -> None:
    for name, endpoint in endpoints(which, ports).items():
        if name != "stdio":
            assert read(endpoint, era=Era.LEGACY).raw["protocolVersion"] == "2025-11-25", name


@pytest.mark.parametrize("which", ["sdk", "fastmcp"])
@pytest.mark.parametrize("era", [Era.MODERN, Era.LEGACY])
def test_a_call(ports, which: str, era: Era) -> None:
    async def call(endpoint):
        async with connect(endpoint, era=era) as session:
            await session.list_all("tools/list", "tools")
            return await session.call_tool("add", {"a": 40, "b": 2})

    for name, endpoint in endpoints(which, ports).items():
        if name != "stdio" and (name, era) != ("sse", Era.MODERN):
            result = anyio.run(call, endpoint)
            assert result["structuredContent"] == {"result": 42}, name


def test_an_object_a_factory_and_a_low_level_server() -> None:
    import sdk

    for target in (sdk.sdk, sdk.build_fastmcp, sdk.build_later, sdk.low):
        assert [tool["name"] for tool in read(ObjectEndpoint(target)).raw["tools"]] == ["add"]
    for name in ("sdk:build_later", "sdk:low"):
        assert len(read(object_elsewhere(sys.executable, name, (str(SERVERS),))).raw["tools"]) == 1


def test_the_lifespan_of_an_object_is_entered_and_left() -> None:
    import sdk

    sdk.entered.clear()
    read(ObjectEndpoint(sdk.fastmcp))
    assert sdk.entered[0] == "in"
    assert sdk.entered[-1] == "out"


@pytest.mark.parametrize(
    ("target", "kind", "sentence"),
    [
        ("not_a_server", TargetError, "dict is not an MCP server but dict."),
        ("build_never", TargetError, "cannot be called to make a server: RuntimeError: no database \\x1b[31m."),
        ("build_broken", UnreachableError, "its lifespan fails: RuntimeError: no port."),
    ],
)
def test_objects_that_are_not_servers(target: str, kind: type[Exception], sentence: str) -> None:
    import sdk

    with pytest.raises(kind) as caught:
        read(ObjectEndpoint(getattr(sdk, target)))
    assert sentence in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("no_such_module_x:server", "It needs a module that is not installed with it. Install 'no_such_module_x'"),
        ("sdk:nothing", "AttributeError: module 'sdk' has no attribute 'nothing'"),
        ("sdk:not_a_server", "sdk:not_a_server is not an MCP server but dict."),
        ("sdk:build_never", "RuntimeError: no database \\x1b[31m"),
        ("sdk:build_broken", "RuntimeError: no port"),
    ],
)
def test_names_of_what_is_not_a_server(target: str, words: str) -> None:
    with pytest.raises(UnreachableError) as caught:
        read(object_elsewhere(sys.executable, target, (str(SERVERS),)))
    assert words in caught.value.hint


class Odd:
    """What a low-level server looks like from outside."""

    def __init__(self, run) -> None:
        self.run = run

    def create_initialization_options(self) -> None:
        return None


def test_an_object_that_fails_hangs_or_stops_while_it_serves() -> None:
    async def fails(reads, writes, options) -> None:
        await reads.receive()
        raise ValueError("boom")

    async def stops(reads, writes, options) -> None:
        await reads.receive()

    async def hangs(reads, writes, options) -> None:
        await anyio.sleep_forever()

    for run, sentence, patience in (
        (fails, "Odd: it fails: ValueError: boom.", 60),
        (stops, "Odd: it stopped serving.", 60),
        (hangs, "Odd: no response to `initialize` within 0.5 s.", 0.5),
    ):
        with pytest.raises(UnreachableError) as caught:
            read(ObjectEndpoint(Odd(run)), limits=Limits(connect_timeout=patience, close_timeout=0.2))
        assert caught.value.message == sentence


@pytest.mark.parametrize(("levels", "sentence"), [(210, "deeper than 200 levels"), (400, "cannot be sent as JSON")])
def test_an_object_that_nests_too_deep(levels: int, sentence: str) -> None:
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCResponse

    def nested(levels: int) -> dict:
        return {"not": nested(levels - 1)} if levels else {}

    async def answers(reads, writes, options) -> None:
        async for item in reads:
            result = {"tools": [{"name": "t", "inputSchema": nested(levels)}]}
            await writes.send(SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=item.message.id, result=result)))

    with pytest.raises(ProtocolError, match=sentence):
        read(ObjectEndpoint(Odd(answers)))


def test_without_the_sdk_the_install_command_is_reported(monkeypatch) -> None:
    import sdk

    monkeypatch.setitem(sys.modules, "mcp.shared.message", None)
    with pytest.raises(MissingDependencyError) as caught:
        read(ObjectEndpoint(sdk.sdk))
    assert "pip install 'mcp>=1.9'" in caught.value.hint
    assert caught.value.exit_code is Exit.USAGE


def test_what_an_object_prints_while_it_serves_is_kept_off_stdout(capsys) -> None:
    from mcp.server.mcpserver import MCPServer

    from mcp_governor.wire.loop import run

    server = MCPServer("loud")

    @server.tool()
    def shout() -> str:
        print("HELLO")
        return "done"

    async def call() -> None:
        async with connect(ObjectEndpoint(server)) as session:
            result = await session.call_tool("shout", {})
            assert result["content"][0]["text"] == "done"

    run(call)
    assert capsys.readouterr() == ("", "HELLO\n")
