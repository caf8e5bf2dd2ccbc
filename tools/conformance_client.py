"""Our wire client, driven by the official conformance suite: ``conformance client --command "… this file"``.

The suite appends the URL of its scenario's server and names the scenario in the environment. Each scenario uses the
client like a station of mcp-governor: connect, list, call.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import anyio

from mcp_governor.errors import GovernorError
from mcp_governor.wire import HttpEndpoint, Limits, Session, connect, read_recording

LIMITS = Limits(connect_timeout=10, request_timeout=10)


async def _list_only(session: Session) -> None:
    await read_recording(session)


async def _call_numbers(session: Session) -> None:
    await _list_only(session)
    await session.call_tool("add_numbers", {"a": 5, "b": 3})


async def _call_reconnection(session: Session) -> None:
    await _list_only(session)
    await session.call_tool("test_reconnection", {})


async def _standard_headers(session: Session) -> None:
    raw = (await read_recording(session)).raw
    for tool in raw["tools"]:
        await session.call_tool(tool["name"], {})
    for resource in raw.get("resources", ()):
        await session.request("resources/read", {"uri": resource["uri"]})
    for prompt in raw.get("prompts", ()):
        await session.request("prompts/get", {"name": prompt["name"]})


async def _custom_headers(session: Session) -> None:
    await _list_only(session)
    for call in json.loads(os.environ["MCP_CONFORMANCE_CONTEXT"])["toolCalls"]:
        await session.call_tool(call["name"], call["arguments"])


async def _invalid_tools(session: Session) -> None:
    for tool in (await read_recording(session)).raw["tools"]:
        arguments = dict.fromkeys(tool["inputSchema"]["properties"], "x")
        try:
            await session.call_tool(tool["name"], arguments)
        except GovernorError as error:
            print(error.message)


async def _echo_schema(session: Session) -> None:
    tools = (await read_recording(session)).raw["tools"]
    await session.call_tool("json_schema_echo", {"schema": tools[0]["inputSchema"]})


async def _input_required(session: Session) -> None:
    tools = (await read_recording(session)).raw["tools"]
    async with anyio.create_task_group() as tasks:
        for tool in tools:
            tasks.start_soon(session.call_tool, tool["name"], {})


SCENARIOS: dict[str, Any] = {
    "tools_call": _call_numbers,
    "sse-retry": _call_reconnection,
    "http-standard-headers": _standard_headers,
    "http-custom-headers": _custom_headers,
    "http-invalid-tool-headers": _invalid_tools,
    "json-schema-2020-12-preservation": _echo_schema,
    "sep-2322-client-request-state": _input_required,
}


async def main() -> None:
    """Connect as to any server, detect the revision, then run the scenario."""
    scenario = SCENARIOS.get(os.environ.get("MCP_CONFORMANCE_SCENARIO", ""), _list_only)
    async with connect(HttpEndpoint(sys.argv[1], transport="http"), limits=LIMITS) as session:
        await scenario(session)


if __name__ == "__main__":
    anyio.run(main)
