"""What a model is shown: the tools of a server, and the little that a host has to change before a provider takes them.

A host passes on the name, the description and the input schema of each tool. It changes what a provider refuses:
names with other characters or lengths, and an input schema that is missing. Everything else is sent as it was
published, and a provider that refuses it refuses it to every host.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.files import read_named
from mcp_governor.surface import build_surface
from mcp_governor.surface.file import parse_json, parse_surface
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
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

    Raises:
        FileFormatError: the file cannot be read, or is none of these.
    """
    shown = visible(str(path))
    return surface_in(parse_json(read_named(path, shown), shown), shown)


def surface_in(document: Any, shown: str) -> Surface:
    """The surface in a document; published lists call the input schema ``schema``, ``input_schema`` or ``parameters``.

    Raises:
        FileFormatError: it is neither a recorded surface nor a list of tools.
    """
    if isinstance(document, list):
        return build_surface({"tools": [_as_tool(item) for item in document]}, source=shown)
    return parse_surface(json.dumps(document), shown)


def _as_tool(item: Any) -> Any:
    if not isinstance(item, dict) or "inputSchema" in item:
        return item
    key = next((key for key in _SCHEMA_KEYS if key in item), None)
    if key is None:
        return item
    return {("inputSchema" if name == key else name): value for name, value in item.items()}


MAX_NAME = 64
"""Longest name of a tool in characters that all three providers take; some of their models take more."""

_OTHER = {"google": re.compile(r"[^a-zA-Z0-9_.:-]")}
_OTHER_CHARACTERS = re.compile(r"[^a-zA-Z0-9_-]")
"""Characters that no name has: of Anthropic, of OpenAI, and of endpoints that imitate OpenAI."""


class SentTool(Struct, frozen=True):
    """One tool as it is sent.

    Attributes:
        name: as sent.
        published: the name as published.
        description: as published; ``None`` if there is none.
        schema: the input schema as sent.
    """

    name: str
    published: str
    description: str | None
    schema: Mapping[str, Any]


def as_sent(family: str, tools: Sequence[Mapping[str, Any]]) -> tuple[SentTool, ...]:
    """The tools of an offer as a host sends them.

    Args:
        family: ``anthropic``, ``openai``, ``google`` or ``local``.
        tools: in the order shown; their names may be anything, even equal.
    """
    names = _names(family, [str(tool.get("name", "")) for tool in tools])
    return tuple(_as_sent(family, tool, name) for tool, name in zip(tools, names, strict=True))


def _as_sent(family: str, tool: Mapping[str, Any], name: str) -> SentTool:
    description, schema = tool.get("description"), tool.get("inputSchema")
    if not isinstance(schema, dict):
        schema = {"type": "object", "properties": {}}
    elif family in ("openai", "local") and schema.get("type") == "object" and "properties" not in schema:
        # OpenAI refuses the whole request, so each of its hosts adds them.
        schema = {**schema, "properties": {}}
    return SentTool(name, str(tool.get("name", "")), description if isinstance(description, str) else None, schema)


def _names(family: str, published: Sequence[str]) -> list[str]:
    """Names that the provider takes, each once, whatever the order of the tools."""
    taken = {name for name in published if _repaired(family, name) == name}
    given: dict[int, str] = {}
    seen: set[str] = set()
    for index in sorted(range(len(published)), key=lambda index: published[index]):
        name = published[index]
        if name not in taken or name in seen:
            name = _unused(_repaired(family, name), taken)
            taken.add(name)
        seen.add(name)
        given[index] = name
    return [given[index] for index in range(len(published))]


def _repaired(family: str, name: str) -> str:
    name = _OTHER.get(family, _OTHER_CHARACTERS).sub("_", name)[:MAX_NAME] or "tool"
    return f"_{name}"[:MAX_NAME] if family == "google" and not (name[0].isalpha() or name[0] == "_") else name


def _unused(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        ending = f"_{number}"
        free = name[: MAX_NAME - len(ending)] + ending
    return free
