"""Token cost of a server's tools: the tokens that their definitions take in every request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp_governor.surface.model import Surface, Tool

BYTES_PER_TOKEN = 4
"""An estimate: English text and JSON have 3.5 to 4.5 bytes per token with current tokenizers."""

_PASSED = ("name", "description", "inputSchema")


def json_bytes(value: Any) -> int:
    """Size of a value in bytes as compact JSON in UTF-8."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def definition_bytes(tool: Tool) -> int:
    """Size in bytes of a tool's definition as a client passes it to a model.

    The APIs of Anthropic and OpenAI have no place for a title, hints or an output schema.
    """
    return json_bytes({key: tool.raw[key] for key in _PASSED if key in tool.raw})


def token_costs(surface: Surface) -> dict[str, int]:
    """Name of a tool → estimated tokens of its definition, as a client passes it to a model."""
    return {tool.name: definition_bytes(tool) // BYTES_PER_TOKEN for tool in surface.tools}
