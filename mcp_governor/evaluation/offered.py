"""The tools of a server as a host offers them to a model: name, description and input schema, unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.errors import FileFormatError
from mcp_governor.files import read_bytes
from mcp_governor.surface import build_surface
from mcp_governor.surface.file import parse_json, parse_surface
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mcp_governor.surface import Surface

_SCHEMA_KEYS = ("input_schema", "schema", "parameters")
"""How lists of tools that are not from a server call ``inputSchema``."""


def offered_tools(surface: Surface) -> tuple[Mapping[str, Any], ...]:
    """The default list: every tool that each client gets, with the three members that a model sees.

    A description or schema that is not published is not invented: the member is absent.
    """
    keys = ("name", "description", "inputSchema")
    return tuple(
        {key: tool.raw[key] for key in keys if key in tool.raw} for tool in surface.tools if tool.opt_in is None
    )


def load_tools(path: Path) -> Surface:
    """The tools in a file: a recorded surface, or a list of tools as published sets have them.

    Such lists call the input schema ``schema``, ``input_schema`` or ``parameters``.

    Raises:
        FileFormatError: the file cannot be read, or is none of these.
    """
    shown = visible(str(path))
    try:
        data = read_bytes(path)
    except OSError as error:
        raise FileFormatError(f"{shown} cannot be read: {error.strerror}.", "Check the path.") from None
    document = parse_json(data, shown)
    if not isinstance(document, list):
        return parse_surface(data, shown)
    return build_surface({"tools": [_as_tool(item) for item in document]}, source=shown)


def _as_tool(item: Any) -> Any:
    if not isinstance(item, dict) or "inputSchema" in item:
        return item
    key = next((key for key in _SCHEMA_KEYS if key in item), None)
    if key is None:
        return item
    return {("inputSchema" if name == key else name): value for name, value in item.items()}
