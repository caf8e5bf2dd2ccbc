"""A server that follows a script, so that a case says every word of the server that it is about.

It sends what the script says without looking at it: an SDK would correct or refuse the wrong answers that the cases are
about. ``fixtures/sources/README.md`` explains the script.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio

from mcp_governor.config.servers import ServerConfig
from mcp_governor.containment.validators import compiled
from mcp_governor.target import LiveSource
from mcp_governor.wire import Limits
from mcp_governor.wire.duplex import Duplex
from mcp_governor.wire.transport import Inbox

_SCRIPTS: list[dict[str, Any]] = []

_LISTS = {
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}


def play(script: dict[str, Any]) -> None:
    """Follow this script from now on."""
    _SCRIPTS[:] = [script]


def current(server: ServerConfig, _config: object) -> LiveSource:
    """The server of the script, as the one that a configuration names."""
    return LiveSource("scripted", ScriptedServer(_SCRIPTS[0]), server.list_params, configured=True)


@dataclass
class ScriptedServer:
    """An endpoint that answers by itself, without a process."""

    script: dict[str, Any]
    made: dict[str, int] = field(default_factory=dict)
    shown: str = "scripted"
    runs_code: bool = True
    only_era: None = None

    @asynccontextmanager
    async def open(self, limits: Limits, inbox: Inbox) -> AsyncIterator[Duplex]:
        self.made.clear()
        self.duplex = Duplex(self.send, inbox)
        yield self.duplex

    async def send(self, asked: dict[str, Any]) -> None:
        if "id" in asked and "method" in asked:
            answer = await self.answer(asked["method"], asked.get("params") or {})
            await self.duplex.feed(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}))

    async def answer(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method == "initialize":
            return {"result": self.greeting(params)}
        if method == "tools/list":
            return {"result": {"tools": self.listed(params)}}
        if method in _LISTS:
            return {"result": {_LISTS[method]: self.script.get(_LISTS[method], [])}}
        if method == "tools/call":
            return await self.called(str(params.get("name")), params.get("arguments") or {})
        return {"error": {"code": -32601, "message": f"Method not found: {method}"}}

    def greeting(self, params: dict[str, Any]) -> dict[str, Any]:
        reported = {
            "protocolVersion": params.get("protocolVersion"),
            "capabilities": {"tools": {}, **{kind: {} for kind in ("prompts", "resources") if kind in self.script}},
            "serverInfo": {"name": "scripted", "version": "1.0.0"},
        }
        return {**reported, **{key: self.script[key] for key in (*reported, "instructions") if key in self.script}}

    def listed(self, params: dict[str, Any]) -> list[Any]:
        for other in self.script.get("lists", ()):
            if other["params"].items() <= params.items():
                return other["tools"]
        return self.script["tools"]

    async def called(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        lists = (self.script["tools"], *(other["tools"] for other in self.script.get("lists", ())))
        tool = next((tool for tools in lists for tool in tools if tool.get("name") == name), None)
        if tool is None:
            return {"error": {"code": -32602, "message": f"Unknown tool: {name}"}}
        validator = compiled(tool.get("inputSchema", {}))
        if not self.script.get("lax") and validator is not None and validator.accepts(arguments) is False:
            return self.script.get("refusal", {"error": {"code": -32602, "message": "The arguments are not valid."}})
        answers = self.script.get("calls", {}).get(name, [{}])
        answer = answers[min(self.made.get(name, 0), len(answers) - 1)]
        self.made[name] = self.made.get(name, 0) + 1
        return await _spoken(answer)


async def _spoken(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer of the script as a JSON-RPC response: whole, or structured content with its copy as text."""
    if "after" in answer:
        await anyio.sleep(answer["after"])
    if answer.keys() & {"result", "error"} and "status" not in answer:
        return {key: value for key, value in answer.items() if key != "after"}
    structured = {key: value for key, value in answer.items() if key != "after"}
    text = {"type": "text", "text": json.dumps(structured)}
    return {"result": {"content": [text], "structuredContent": structured, "isError": False}}
