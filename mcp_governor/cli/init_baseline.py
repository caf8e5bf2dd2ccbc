"""The first baseline of ``init`` from an existing recording: ``init --from``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import NothingCheckedError, UsageError
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.config import Config
    from mcp_governor.surface import Surface

_LEFT_OUT = ("title", "description", "annotations", "icons", "execution", "_meta")
"""Keys of a tool that some exports leave out of every tool (MCPJam writes name, description and schemas)."""
_PUBLISHED = frozenset({"name", "inputSchema", "outputSchema", *_LEFT_OUT})
"""Keys that the protocol knows; others are notes of a project in its own list, unless the server publishes them."""


def recorded_surface(text: str, live: Surface, config: Config) -> Surface:
    """The surface of a recording, completed with what its format lacks.

    Args:
        text: a TARGET that is a recording.
        live: what the server publishes now; its version, prompts, resources and the keys of tools that are not in
            the recording are taken from it.
        config: what is governed.

    Raises:
        UsageError: it is a server.
        NothingCheckedError: no tool is in it.
    """
    from mcp_governor.surface import build_surface
    from mcp_governor.target import LiveSource, parse_target, read_source, tier_rules

    source = parse_target(text, config, base=Path.cwd())
    if isinstance(source, LiveSource):
        raise UsageError(
            f'--from takes a recording, but "{one_line(text, 80)}" is a server.',
            f"Record it first: mcp-governor snapshot {one_line(text, 80)} -o FILE.json",
        )
    old = read_source(source)
    if not old.entries:
        raise NothingCheckedError(f"{source.shown} contains no tools; nothing was written.", "Use another recording.")
    skills = old.skill_entries if old.skills_recorded else live.skill_entries
    raw: dict[str, Any] = {
        "tools": _completed(old, live),
        "prompts": list(old.prompts or live.prompts),
        "resources": list(old.resources or live.resources),
        "resourceTemplates": list(old.templates or live.templates),
        "skills": None if skills is None else list(skills),
        "skillFiles": dict(old.skill_files or live.skill_files),
        "serverInfo": dict(old.server or live.server),
        "capabilities": dict(old.capabilities or live.capabilities),
        "protocolVersion": old.protocol or live.protocol,
        "instructions": old.instructions or live.instructions,
    }
    return build_surface(raw, tiers=tier_rules(config), source=source.shown)


def _completed(old: Surface, live: Surface) -> list[Any]:
    """The recorded tools, with what their format leaves out of every tool, without what no server publishes."""
    recorded = {key for entry in old.entries if isinstance(entry, dict) for key in entry}
    missing = [key for key in _LEFT_OUT if key not in recorded]
    now: Mapping[str, Mapping[str, Any]] = {tool.name: tool.raw for tool in live.tools}
    published = _PUBLISHED.union(*now.values())
    tools: list[Any] = []
    for entry in old.entries:
        if not isinstance(entry, dict):
            tools.append(entry)
            continue
        more = now.get(str(entry.get("name")), {})
        kept = {key: value for key, value in entry.items() if key in published}
        tools.append({**{key: more[key] for key in missing if key in more}, **kept})
    return tools
