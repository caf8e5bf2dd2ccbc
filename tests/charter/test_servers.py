"""Our models on the two server frameworks, asked over a real session."""

from __future__ import annotations

from typing import Literal

import anyio
import pytest
from inprocess import ObjectEndpoint

from mcp_governor.call.validate import validate_response
from mcp_governor.charter import CostHint, ErrorKind, ToolMetadata, ToolResponse, add_tool, facts, v1_0
from mcp_governor.surface import build_surface
from mcp_governor.wire import connect
from mcp_governor.wire.recording import read_recording

Names = ToolResponse[list[str], Literal[ErrorKind, "quota_spent"]]


AGAIN = {"suggested_tool": "find", "suggested_args": {"query": "a"}}


def find(query: str) -> Names:
    if query == "none":
        return Names.fail(
            "quota_spent", "No search is left today.", suggested_tool="find", suggested_args={"query": "a"}
        )
    if query == "secret":
        return Names.refuse(
            "pii_blocked", "It holds contact data.", suggested_tool="find", suggested_args={"query": "a"}
        )
    return Names.success([query], follow_up_hints=["find"])


METADATA = ToolMetadata(
    name="find",
    description="Use this when the user names a table.",
    cost_hint=CostHint(tokens_estimate=40),
    latency_hint="fast",
    idempotent=True,
    side_effects="read",
)


def make(framework: str):
    if framework == "fastmcp":
        from fastmcp import FastMCP

        return FastMCP("tables")
    from mcp.server.mcpserver import MCPServer

    return MCPServer("tables")


@pytest.mark.parametrize("framework", ["mcpserver", "fastmcp"])
def test_a_charter_tool_keeps_the_charter(framework):
    server = make(framework)
    add_tool(server, find, METADATA)

    async def ask():
        async with connect(ObjectEndpoint(server)) as session:
            recording = await read_recording(session)
            results = [await session.call_tool("find", {"query": query}) for query in ("a", "none", "secret")]
            return recording, results

    recording, results = anyio.run(ask)
    surface = build_surface(recording.raw)
    tool = surface.by_name["find"]
    assert tool.hints.read_only
    assert facts.declared_metadata(tool.raw)["cost_hint"]["tokens_estimate"] == 40
    assert [result["structuredContent"]["status"] for result in results] == ["success", "error", "refused"]
    for result in results:
        assert validate_response(result, tool=tool, surface=surface) == []
    published = tool.output_schema
    assert set(published["required"]) == set(facts.ENVELOPE_KEYS)


def plain(query: str) -> dict:
    return {"query": query}


def bare(query: str):
    return Names.success([query])


def perhaps(query: str) -> Names | None:
    return None


def first(query: str) -> v1_0.ToolResponse[list[str]]:
    return v1_0.ToolResponse[list[str]].success([query])


@pytest.mark.parametrize("framework", ["mcpserver", "fastmcp"])
@pytest.mark.parametrize("function", [plain, bare, perhaps])
def test_a_function_that_promises_no_envelope_is_refused(framework, function):
    with pytest.raises(TypeError, match=r"the function of 'find' has to be annotated to return a ToolResponse"):
        add_tool(make(framework), function, METADATA)


def test_the_metadata_say_the_version_of_the_envelope():
    with pytest.raises(ValueError, match=r"charter 1\.0, and its metadata say charter_version='1\.2'"):
        add_tool(make("fastmcp"), first, METADATA)
    add_tool(make("fastmcp"), first, METADATA.model_copy(update={"charter_version": "1.0"}))
