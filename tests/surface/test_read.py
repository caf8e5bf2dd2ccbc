"""Raw answers → the typed view: what is kept, what is left out, tiers and deprecations."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.findings import Tier
from mcp_governor.surface import TierRules, build_surface


def one(tool: dict[str, Any], **more: Any) -> Any:
    return build_surface({"tools": [{"name": "t", "inputSchema": {}, **tool}]}, **more).tools[0]


def test_unusable_entries_stay_for_the_rules_and_leave_the_view() -> None:
    entries = [{"name": "a"}, {"inputSchema": {}}, "text", None, {"name": ""}, {"name": 3}, {"name": "a", "x": 1}]
    surface = build_surface({"tools": entries})
    assert list(surface.entries) == entries
    assert [(tool.name, tool.index) for tool in surface.tools] == [("a", 0)]
    assert "x" not in surface.tools[0].raw


@pytest.mark.parametrize("value", [None, {}, "tools", 3])
def test_a_list_that_is_none_is_empty(value: object) -> None:
    assert build_surface({"tools": value, "prompts": value, "serverInfo": value}).entries == ()


@pytest.mark.parametrize(
    ("tool", "rules", "of_list", "tier", "source"),
    [
        ({}, {}, {}, "standard", "default"),
        ({}, {"facade": ("t",)}, {}, "facade", "config"),
        ({}, {"advanced": ("t*",), "facade": ("*",)}, {}, "facade", "config"),
        ({}, {"advanced": ("t",), "facade": ("*",)}, {}, "advanced", "config"),
        ({"_meta": {"dev.mcp-governor/tier": "internal", "tier": "facade"}}, {}, {}, "internal", "_meta"),
        ({"_meta": {"fastmcp": {"tags": ["tier:advanced"]}, "tier": "facade"}}, {}, {}, "advanced", "tags"),
        ({"_meta": {"fastmcp": {"tags": ["facade", "internal"]}}}, {}, {}, "internal", "tags"),
        ({"_meta": {"tier": "facade"}}, {}, {"t": "advanced"}, "facade", "_meta"),
        ({"_meta": {"tier": "gold"}}, {}, {"t": "advanced"}, "advanced", "list"),
        ({}, {}, {"t": "gold"}, "standard", "default"),
    ],
)
def test_tiers_in_their_order(tool: Any, rules: Any, of_list: Any, tier: str, source: str) -> None:
    found = one(tool, tiers=TierRules(rules), tier_of_list=of_list)
    assert (found.tier, found.tier_source) == (Tier(tier), source)


@pytest.mark.parametrize(
    ("given", "resolved"),
    [
        ({}, (False, True, False, True)),
        ({"readOnlyHint": True}, (True, False, True, True)),
        ({"readOnlyHint": True, "destructiveHint": True}, (True, False, True, True)),
        ({"destructiveHint": False, "idempotentHint": True}, (False, False, True, True)),
        ({"readOnlyHint": "yes", "openWorldHint": 0}, (False, True, False, True)),
    ],
)
def test_hints_resolve_to_the_specification(given: Any, resolved: tuple[bool, ...]) -> None:
    hints = one({"annotations": given}).hints
    assert (hints.read_only, hints.destructive, hints.idempotent, hints.open_world) == resolved
