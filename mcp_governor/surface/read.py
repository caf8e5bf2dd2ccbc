"""Raw answers of a server → a :class:`Surface`, with tier, category and deprecation resolved."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import field
from typing import TYPE_CHECKING, Any

from mcp_governor.findings import Tier
from mcp_governor.frozen import frozen
from mcp_governor.surface.listings import read_listings
from mcp_governor.surface.model import Deprecation, Surface, Tool
from mcp_governor.surface.parting import nothing_instead

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

META_PREFIX = "dev.mcp-governor/"
"""Our own ``_meta`` prefix (reverse DNS, as the specification recommends)."""

_TIERS = {tier.value: tier for tier in Tier}

# "Deprecated: use `new_tool` instead", "[DEPRECATED since 1.4] …", "**Deprecated.** …"
_DEPRECATED_PREFIX = re.compile(r"[\s*_`\[(#>!]*deprecated\b(?!\s+(?:tools?|items?|entries)\b)", re.IGNORECASE)
_REPLACEMENT = re.compile(
    r"\b(?:use|call|replaced by|superseded by|in favou?r of|prefer|switch to|migrate to)\s+"
    r"(?:the\s+)?(?:[`'\"“‘*]+(?P<quoted>[\w.\-/]+)[`'\"”’*]+|(?P<bare>[A-Za-z][\w-]*[_.-][\w.-]*\w))",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\b(?:since|as of|in)\s+v?(?P<version>\d+\.\d+(?:\.\d+)?[\w.+-]*)", re.IGNORECASE)


@frozen
class TierRules:
    """Tiers that do not come from the server.

    Attributes:
        globs: from the configuration, tier name → globs over tool names.
        recorded: from a surface file, tool name → tier: how the tool was published when it was recorded.
    """

    globs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    recorded: Mapping[str, str] = field(default_factory=dict)

    def tier_of(self, name: str) -> Tier | None:
        """The tier that the config gives a tool; an exact name beats a glob, then the order of the tiers."""
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
            "listings": {…}, "conversation": {…}}``; every key may be missing and any value may be of the wrong type:
            what cannot be used is kept in ``entries`` for the rules.
        tiers: globs from the configuration.
        tier_of_list: tiers found by per-tier ``tools/list`` parameters.
        source: what the user named, for messages.
    """
    entries = _items(raw.get("tools"))
    of_list = dict(tier_of_list or {})
    tools: list[Tool] = []
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict):
            continue
        name = entry.get("name")
        if not isinstance(name, str) or not name or name in seen:
            continue
        seen.add(name)
        tools.append(_build_tool(entry, index, tiers, of_list))
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
    )


def _stated(recorded: Mapping[str, Any]) -> tuple[str, str] | None:
    version, source = recorded.get("version"), recorded.get("source")
    return (version, source) if isinstance(version, str) and version and isinstance(source, str) else None


def _items(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list) else ()


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _build_tool(entry: dict[str, Any], index: int, tiers: TierRules, of_list: Mapping[str, str]) -> Tool:
    tier, source = _tier(entry, tiers, of_list)
    return Tool(
        raw=entry,
        index=index,
        tier=tier,
        tier_source=source,
        category=_category(entry),
        deprecation=deprecation_of(entry),
    )


def _meta(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    return _object(entry.get("_meta"))


def _tags(entry: Mapping[str, Any]) -> Iterable[str]:
    """FastMCP's tags, under the key of FastMCP 3/4 and the older one."""
    meta = _meta(entry)
    for key in ("fastmcp", "_fastmcp"):
        tags = _object(meta.get(key)).get("tags")
        if isinstance(tags, list):
            return [tag for tag in tags if isinstance(tag, str)]
    return []


def _tier(entry: Mapping[str, Any], rules: TierRules, of_list: Mapping[str, str]) -> tuple[Tier, str]:
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
    tagged = [_TIERS[tag.removeprefix("tier:")] for tag in _tags(entry) if tag.removeprefix("tier:") in _TIERS]
    if tagged:
        # Two tier tags contradict each other; the less stable promise is the one that can be kept.
        return min(tagged, key=lambda tier: tier.rank), "tags"
    for plain in (meta.get("tier"), entry.get("tier")):
        if isinstance(plain, str) and plain in _TIERS:
            return _TIERS[plain], "_meta"
    listed = of_list.get(name)
    if listed in _TIERS:
        return _TIERS[listed], "list"
    return Tier.STANDARD, "default"


def _category(entry: Mapping[str, Any]) -> str | None:
    meta = _meta(entry)
    for value in (meta.get(f"{META_PREFIX}category"), meta.get("category"), entry.get("category")):
        if isinstance(value, str) and value:
            return value
    return None


def deprecation_of(entry: Mapping[str, Any]) -> Deprecation | None:
    """A tool's deprecation, from ``_meta`` (own prefix, then plain), FastMCP tags, then its description."""
    meta = _meta(entry)
    for value in (meta.get(f"{META_PREFIX}deprecated"), meta.get("deprecated"), entry.get("deprecated")):
        if value is True:
            told = _from_description(entry)
            return told or Deprecation()
        if isinstance(value, str) and value:
            return _from_text(value, "_meta")
        if isinstance(value, dict):
            return Deprecation(
                since=_text(value.get("since")),
                replacement=_text(value.get("replacement")),
                sunset=_text(value.get("sunset")),
                reason=_text(value.get("reason")),
            )
    if "deprecated" in _tags(entry):
        return _from_description(entry) or Deprecation(source="tags")
    return _from_description(entry)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _from_description(entry: Mapping[str, Any]) -> Deprecation | None:
    text = entry.get("description")
    if not isinstance(text, str) or _DEPRECATED_PREFIX.match(text) is None:
        return None
    return _from_text(text, "description")


def _from_text(text: str, source: str) -> Deprecation:
    nothing = nothing_instead(text) is not None
    named = None if nothing else _REPLACEMENT.search(text)
    since = _SINCE.search(text)
    return Deprecation(
        since=since["version"].rstrip(".") if since else None,
        replacement=(named["quoted"] or named["bare"]) if named else None,
        reason=text.split("\n", 1)[0].strip(),
        source=source,
        nothing=nothing,
    )
