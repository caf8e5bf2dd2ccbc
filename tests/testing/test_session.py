"""``McpSession``: calls with and without an event loop, and servers that die, hang or never start."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import anyio
import pytest
from inprocess import ObjectEndpoint

from mcp_governor.errors import ServerError, UnreachableError
from mcp_governor.target import LiveSource
from mcp_governor.testing import McpSession, RpcError, session
from mcp_governor.wire import StdioEndpoint

# A server that counts its calls, dies when it is told to, and does not respond when it is told so.
SERVER = """
import json, sys
calls = 0
for line in sys.stdin:
    asked = json.loads(line)
    method, params = asked["method"], asked.get("params") or {}
    if "id" not in asked:
        continue
    if method == "initialize":
        info = {"name": "counter", "version": "1.0.0"}
        out = {"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}}
    elif method == "tools/list":
        out = {"result": {"tools": [{"name": "count", "inputSchema": {"type": "object"}}]}}
    elif method != "tools/call":
        out = {"error": {"code": -32601, "message": "no such method"}}
    elif params["name"] == "die":
        sys.exit("out of memory")
    elif params["name"] == "hang":
        continue
    else:
        calls += 1
        out = {"result": {"content": [], "structuredContent": {"calls": calls, **params["arguments"]}}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **out}), flush=True)
"""


def counts(made):
    return made.call_tool("count")["structuredContent"]["calls"]


@pytest.fixture
def made(tmp_path):
    (tmp_path / "server.py").write_text(SERVER)
    endpoint = StdioEndpoint((sys.executable, str(tmp_path / "server.py")))
    one = McpSession(LiveSource("server.py", endpoint, timeout=20.0))
    yield one
    one.close()


def test_one_connection_serves_all_calls(made):
    assert made.call_tool("count", {"a": 1})["structuredContent"] == {"calls": 1, "a": 1}
    assert counts(made) == 2
    assert made.server_info["name"] == "counter"
    assert [tool["name"] for tool in made.list_tools()] == ["count"]
    with pytest.raises(RpcError, match="no such method"):
        made.request("prompts/list")
    # An error is a response: the server is still the same.
    assert counts(made) == 3


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_in_asynchronous_tests(made, backend):
    async def both():
        first = await made.call_tool_async("count")
        return first["structuredContent"]["calls"], counts(made)

    if backend == "trio":
        pytest.importorskip("trio")
    assert anyio.run(both, backend=backend) == (1, 2)


def test_a_server_that_dies_fails_the_call_and_is_started_again(made):
    assert counts(made) == 1
    with pytest.raises(UnreachableError) as caught:
        made.call_tool("die")
    assert "server.py" in caught.value.message
    assert "out of memory" in caught.value.hint
    # What pytest shows of an exception: its message and its notes, and no frame that is not hidden.
    assert [note for note in caught.value.__notes__ if "out of memory" in note] == [caught.value.hint]
    shown = [frame for frame in caught.traceback if not frame.frame.f_locals.get("__tracebackhide__")]
    assert [Path(str(frame.path)) for frame in shown] == [Path(__file__)]
    assert counts(made) == 1


def test_a_server_that_does_not_respond_ends_with_the_timeout(made):
    assert counts(made) == 1
    begun = time.monotonic()
    with pytest.raises(UnreachableError, match=r"within 0\.2 s"):
        made.call_tool("hang", timeout=0.2)
    assert time.monotonic() - begun < 15
    assert counts(made) == 1


def test_a_server_that_does_not_start_is_tried_once(tmp_path):
    log = tmp_path / "starts"
    program = f"import sys; print(1, file=open({str(log)!r}, 'a')); sys.exit('no key')"
    one = McpSession(LiveSource("broken", StdioEndpoint((sys.executable, "-c", program))))
    for _ in range(2):
        with pytest.raises(ServerError) as caught:
            one.call_tool("count")
        assert [note for note in caught.value.__notes__ if "no key" in note] == [caught.value.hint]
        starts = log.read_text().count("1")
    assert log.read_text().count("1") == starts
    one.close()


def test_a_server_in_this_process_that_blocks_its_thread_is_left_behind(monkeypatch):
    from mcp.server.mcpserver import MCPServer

    monkeypatch.setattr(session, "_CLOSE", 0.1)
    monkeypatch.setattr(session, "_GRACE", 0.2)
    server = MCPServer("blocked", version="1.0.0")
    over = []

    @server.tool()
    async def block() -> int:
        while not over:
            time.sleep(0.01)  # noqa: ASYNC251
        return 1

    one = McpSession(LiveSource("blocked", ObjectEndpoint(server), timeout=20.0, start_timeout=20.0))
    assert len(one.list_tools()) == 1
    try:
        with pytest.raises(UnreachableError, match="blocks its thread"):
            one.call_tool("block", timeout=0.1)
    finally:
        over.append(1)
    one.close()
