"""Tools for cases of false findings, and what the default profile says of one."""

from __future__ import annotations

from mcp_governor.catalogue import LintSettings
from mcp_governor.linting import lint
from mcp_governor.surface import build_surface

STRING = {"type": "string"}


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
    return lint(build_surface({"tools": [tool]}), LintSettings(profiles=("recommended",)))
