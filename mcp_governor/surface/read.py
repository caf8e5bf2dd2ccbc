"""Turns a server's raw responses into a :class:`Surface`, with tier, category and deprecation resolved."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from mcp_governor.findings import Tier
from mcp_governor.surface.deprecations import META_PREFIX, deprecation_of, tags_of
from mcp_governor.surface.listings import read_listings
from mcp_governor.surface.model import Surface, Tool

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_TIERS = {tier.value: tier for tier in Tier}


class TierRules(Struct, frozen=True):
    """Tiers that do not come from the server.

    Attributes:
        globs: from the configuration, tier name → globs over tool names.
        recorded: from a surface file, tool name → tier that the tool had when it was recorded.
    """

    globs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    recorded: Mapping[str, str] = field(default_factory=dict)

    def tier_of(self, name: str) -> Tier | None:
        """The configured tier of a tool; an exact name overrides a glob, then the order of the tiers decides."""
        for tier in Tier:
            if name in self.globs.get(tier.value, ()):
                return tier
        for tier in Tier:
            if any(fnmatch.fnmatchcase(name, glob) for glob in self.globs.get(tier.value, ())):
                return tier
        return None


NO_TIER_RULES = TierRules()


def build_surface(
    raw: Mapping[str, Any],
    *,
    tiers: TierRules = NO_TIER_RULES,
    tier_of_list: Mapping[str, str] | None = None,
    source: str = "",
) -> Surface:
    """The surface that a recording describes.

    Args:
        raw: ``{"tools": […], "prompts": […], "resources": […], "resourceTemplates": […], "serverInfo": {…},
            "protocolVersion": …, "capabilities": {…}, "instructions": …, "release": …, "schemaVersion": {…},
            "listings": {…}, "conversation": {…}, "optIn": {…}, "tierLists": {…}, "skills": […],
            "skillFiles": {…}}``; every key may be missing and any value may have the wrong type. Unusable values stay
            in ``entries`` for the rules.
        tiers: globs from the configuration.
        tier_of_list: tiers found by per-tier ``tools/list`` parameters.
        source: what the user named, for messages.
    """
    entries = _items(raw.get("tools"))
    of_list = {**_object(raw.get("tierLists")), **(tier_of_list or {})}
    opt_in = _object(raw.get("optIn"))
    names = {entry["name"] for entry in entries if isinstance(entry, dict) and isinstance(entry.get("name"), str)}
    tools: list[Tool] = []
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict):
            continue
        name = entry.get("name")
        if not isinstance(name, str) or not name or name in seen:
            continue
        seen.add(name)
        tool = _build_tool(entry, index, tiers, of_list, names)
        tools.append(replace(tool, opt_in=opt_in[name]) if isinstance(opt_in.get(name), dict) else tool)
    instructions = raw.get("instructions")
    return Surface(
        entries=entries,
        tools=tuple(tools),
        prompts=_items(raw.get("prompts")),
        resources=_items(raw.get("resources")),
        templates=_items(raw.get("resourceTemplates")),
        server=_object(raw.get("serverInfo")),
        protocol=raw["protocolVersion"] if isinstance(raw.get("protocolVersion"), str) else None,
        capabilities=_object(raw.get("capabilities")),
        instructions=instructions if isinstance(instructions, str) else None,
        source=source,
        listings=read_listings(raw),
        conversation=_object(raw.get("conversation")),
        release=raw["release"] if isinstance(raw.get("release"), str) and raw["release"] else None,
        stated=_stated(_object(raw.get("schemaVersion"))),
        manifest=raw["manifest"] if isinstance(raw.get("manifest"), dict) else None,
        skill_entries=_items(raw["skills"]) if isinstance(raw.get("skills"), list) else None,
        skill_files={uri: read for uri, read in _object(raw.get("skillFiles")).items() if isinstance(read, dict)},
    )


def _stated(recorded: Mapping[str, Any]) -> tuple[str, str] | None:
    version, source = recorded.get("version"), recorded.get("source")
    return (version, source) if isinstance(version, str) and version and isinstance(source, str) else None


def _items(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list) else ()


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _build_tool(
    entry: dict[str, Any], index: int, tiers: TierRules, of_list: Mapping[str, Any], names: Collection[str]
) -> Tool:
    tier, source = _tier(entry, tiers, of_list)
    return Tool(
        raw=entry,
        index=index,
        tier=tier,
        tier_source=source,
        category=_category(entry),
        deprecation=deprecation_of(entry, names),
        list_tier=_known_tier(of_list.get(str(entry["name"]))),
    )


def _meta(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    return _object(entry.get("_meta"))


def _tier(entry: Mapping[str, Any], rules: TierRules, of_list: Mapping[str, Any]) -> tuple[Tier, str]:
    name = str(entry["name"])
    configured = rules.tier_of(name)
    if configured is not None:
        return configured, "config"
    if rules.recorded.get(name) in _TIERS:
        return _TIERS[rules.recorded[name]], "recorded"
    meta = _meta(entry)
    own = meta.get(f"{META_PREFIX}tier")
    if isinstance(own, str) and own in _TIERS:
        return _TIERS[own], "_meta"
    tagged = [_TIERS[tag.removeprefix("tier:")] for tag in tags_of(entry) if tag.removeprefix("tier:") in _TIERS]
    if tagged:
        # Two tier tags contradict each other; only the less stable promise can be kept.
        return min(tagged, key=lambda tier: tier.rank), "tags"
    for plain in (meta.get("tier"), entry.get("tier")):
        if isinstance(plain, str) and plain in _TIERS:
            return _TIERS[plain], "_meta"
    listed = _known_tier(of_list.get(name))
    return (listed, "list") if listed is not None else (Tier.STANDARD, "default")


def _known_tier(name: Any) -> Tier | None:
    return _TIERS.get(name) if isinstance(name, str) else None


def _category(entry: Mapping[str, Any]) -> str | None:
    meta = _meta(entry)
    for value in (meta.get(f"{META_PREFIX}category"), meta.get("category"), entry.get("category")):
        if isinstance(value, str) and value:
            return value
    return None
