"""What the tools of a server cost a model: the tokens that their definitions take in every request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp_governor.surface.model import Surface, Tool

BYTES_PER_TOKEN = 4
"""An estimate: English text and JSON have 3.5 to 4.5 bytes a token with the tokenizers of today's models."""

_PASSED = ("name", "description", "inputSchema")


def json_bytes(value: Any) -> int:
    """Bytes of a value as compact JSON in UTF-8."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def definition_bytes(tool: Tool) -> int:
    """Bytes of what a client passes to a model of a tool.

    Neither Anthropic's nor OpenAI's API has a place for a title, hints or an output schema.
    """
    return json_bytes({key: tool.raw[key] for key in _PASSED if key in tool.raw})


def token_costs(surface: Surface) -> dict[str, int]:
    """Name of a tool → estimated tokens of its definition, as a client passes it to a model."""
    return {tool.name: definition_bytes(tool) // BYTES_PER_TOKEN for tool in surface.tools}
