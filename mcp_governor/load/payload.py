"""How large a list of tools is, in bytes and tokens, and what compaction would save (tool schema guide, section 0b)."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from mcp_governor.documents import Count  # noqa: TC001 - msgspec reads the types
from mcp_governor.packs.omni import DROPPED_KEYS, compacted
from mcp_governor.schemas.keywords import DEFINITIONS
from mcp_governor.schemas.walking import subschemas
from mcp_governor.surface.tokens import BYTES_PER_TOKEN, definition_bytes, json_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcp_governor.surface.model import Surface

DESCRIPTION_CAP = 140
"""Characters of a description that compaction keeps: the default of the tool schema guide, section 0b."""

_MAX_LOST = 20
"""Most properties that are named as lost: more than a screen of names helps nobody."""


class ToolSize(Struct, frozen=True):
    """One tool.

    Attributes:
        name: Its name.
        bytes: Its entry in the list, as compact JSON in UTF-8.
        tokens: Estimated tokens of what a client passes to a model: name, description and input schema.
    """

    name: str
    bytes: Count
    tokens: Count


class Savings(Struct, frozen=True):
    """What compaction would take from the list, in bytes.

    Attributes:
        descriptions: White space, and the part of descriptions beyond 140 characters.
        keys: Members of input schemas that compaction drops, without properties that only have such a name.
        definitions: Copies of equal definitions: all but one of each. MCP has no references between tools, so a server
            saves them only by not publishing them, such as output schemas that nobody reads.
        copies: Number of these copies.
        lost: TOOL.PROPERTY of properties that have the name of a dropped key; the compaction of the guide drops them as
            well, so it is not counted.
    """

    descriptions: int
    keys: int
    definitions: Count = field(name="repeated_definitions")
    copies: Count
    lost: tuple[str, ...] = field(default=(), name="lost_properties")

    @property
    def compaction(self) -> int:
        """What the guide's compaction saves, in bytes: descriptions and keys."""
        return self.descriptions + self.keys


class Payload(Struct, frozen=True):
    """The size of a list.

    Attributes:
        bytes: The result of ``tools/list`` as compact JSON in UTF-8, all pages together. Spaces, headers and the frame
            of an event stream come on top.
        tokens: Sum of the tools' tokens.
        tools: The tools, the largest first.
    """

    bytes: Count
    tokens: Count
    tools: tuple[ToolSize, ...]
    savings: Savings


def payload(surface: Surface, entries: Sequence[Any], fields: Mapping[str, Any]) -> Payload:
    """Measure a list.

    Args:
        surface: the tools, typed.
        entries: the tools as listed, on all pages.
        fields: the other members of the result.
    """
    sizes = [
        ToolSize(tool.name, json_bytes(tool.raw), definition_bytes(tool) // BYTES_PER_TOKEN) for tool in surface.tools
    ]
    sizes.sort(key=lambda size: (-size.tokens, -size.bytes, size.name))
    return Payload(
        bytes=json_bytes({"tools": list(entries), **fields}),
        tokens=sum(size.tokens for size in sizes),
        tools=tuple(sizes),
        savings=savings(surface),
    )


def savings(surface: Surface) -> Savings:
    """What compaction would take from the tools of a surface."""
    descriptions = keys = 0
    lost: list[str] = []
    definitions: Counter[str] = Counter()
    for tool in surface.tools:
        text = tool.raw.get("description")
        if isinstance(text, str):
            descriptions += json_bytes(text) - json_bytes(compacted(text, DESCRIPTION_CAP))
        before = tool.raw.get("inputSchema")
        for schema in _schemas(before):
            dropped = {key: value for key, value in schema.items() if key in DROPPED_KEYS}
            # Without its braces, and with the comma before what stays.
            keys += json_bytes(dropped) - 2 + (0 < len(dropped) < len(schema))
            names = schema.get("properties")
            lost += [
                f"{tool.name}.{name}" for name in (names if isinstance(names, dict) else ()) if name in DROPPED_KEYS
            ]
        for side in ("inputSchema", "outputSchema"):
            for schema in _schemas(tool.raw.get(side)):
                definitions.update(_definitions(schema))
    copies = {text: count - 1 for text, count in definitions.items() if count > 1}
    return Savings(
        descriptions=descriptions,
        keys=keys,
        definitions=sum(len(text.encode("utf-8", "surrogatepass")) * count for text, count in copies.items()),
        copies=sum(copies.values()),
        lost=tuple(dict.fromkeys(lost))[:_MAX_LOST],
    )


def _schemas(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and all schemas within it."""
    if isinstance(schema, dict):
        yield schema
        for _, part in subschemas(schema):
            yield from _schemas(part)


def _definitions(schema: Mapping[str, Any]) -> Iterator[str]:
    """The definitions of a schema with their names, as canonical text: the same name and content is a copy."""
    for key in DEFINITIONS:
        found = schema.get(key)
        for name, part in found.items() if isinstance(found, dict) else ():
            text = json.dumps(part, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
            yield f"{json.dumps(name, ensure_ascii=False)}:{text}"
