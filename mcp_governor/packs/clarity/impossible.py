"""Parameters, calls and alternatives that no value fits, by proof."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcp_governor.packs.clarity.schema import crossed
from mcp_governor.rules.scope import about
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.emptiness import Emptiness
from mcp_governor.subjects.schemas import root_of
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.subjects.context import Context, Hit, SchemaPlace
    from mcp_governor.surface.model import Tool

_MAX_SHOWN = 3
"""Most alternatives named in a message; the rest are counted."""


def argument(tool: Tool, context: Context) -> Iterator[Hit]:
    """A value fits each parameter; those without which no call is valid are :func:`call`'s."""
    is_impossible, names = _impossible(tool, context)
    for name in () if is_impossible else names:
        schema = tool.raw["inputSchema"]["properties"][name]
        if not _is_said_elsewhere(schema):
            yield hit(join_pointer("/inputSchema/properties", name), schema)


def call(tool: Tool, context: Context) -> Iterator[Hit]:
    """Some arguments fit the input schema."""
    is_impossible, names = _impossible(tool, context)
    if not is_impossible:
        return
    schema = tool.raw["inputSchema"]
    if not names:
        yield hit("/inputSchema", schema.get("required"))
    for name in names:
        if not _is_said_elsewhere(schema["properties"][name]):
            pointer = join_pointer("/inputSchema/properties", name)
            yield hit(pointer, schema["properties"][name], says="required", argument=name)


def _impossible(tool: Tool, context: Context) -> tuple[bool, list[str]]:
    schema = tool.raw.get("inputSchema")
    if not isinstance(schema, dict):
        return False, []
    return context.facts.recent(("impossible", tool.index), lambda: _emptiness(context).impossible(schema))


def _emptiness(context: Context) -> Emptiness:
    return context.facts.memo("emptiness", Emptiness)


def _is_said_elsewhere(schema: Any) -> bool:
    """True if ``clarity/bounds`` or ``clarity/empty-enum`` name the keywords that no value fits."""
    return isinstance(schema, dict) and (schema.get("enum") == [] or any(crossed(schema)))


@about(keys={"oneOf"})
def choice(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """Each alternative of ``oneOf`` has a value that fits no other one."""
    if not isinstance(node.schema, dict) or "oneOf" not in node.schema:
        return
    dead = _emptiness(context).dead_choices(root_of(node), node.schema)
    if dead:
        branches = [node.schema["oneOf"][index] for index in dead]
        shown = " and ".join(map(_shown, branches[:_MAX_SHOWN]))
        more = f" and {len(dead) - _MAX_SHOWN} more" if len(dead) > _MAX_SHOWN else ""
        yield hit(f"{node.pointer}/oneOf", branches, choices=shown + more)


def _shown(branch: Any) -> str:
    """The title of an alternative, or its schema."""
    title = branch.get("title") if isinstance(branch, dict) else None
    return one_line(title if isinstance(title, str) else json.dumps(branch, ensure_ascii=False, default=str), 60)
