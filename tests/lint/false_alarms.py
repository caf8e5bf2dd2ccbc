"""Tools for cases of false findings, and what the default profile says of one."""

from __future__ import annotations

from typing import Any

from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

STRING = {"type": "string"}


def tool(name: str, said: str = "", **more: Any) -> dict[str, Any]:
    """A tool with this description that takes anything, unless ``more`` has a schema."""
    return {"name": name, "description": said, "inputSchema": {"type": "object"}, **more}


def findings(rules: str, *tools: dict[str, Any]) -> list[Any]:
    """What these rules say, their names with spaces between, of a server with these tools."""
    return lint(build_surface({"tools": list(tools)}), LintSettings(select=tuple(rules.split())))


def described(text: str) -> dict:
    return {"name": "a", "description": text, "inputSchema": {"type": "object", "properties": {}}}


def argument(text: str, **schema: object) -> dict:
    properties = {"x": {"description": text, **schema}}
    return {"name": "a", "description": "Gets a row.", "inputSchema": {"type": "object", "properties": properties}}


def text(described_as: str) -> dict:
    return argument(described_as, type="string")


def table(**properties: dict) -> dict:
    return {**described("Draws it."), "inputSchema": {"type": "object", "properties": properties}}


def findings_of(tool: dict) -> list:
    return lint(build_surface({"tools": [tool]}), LintSettings())
