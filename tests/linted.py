"""The findings of chosen rules about a surface, for tests of the linter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.rules import LintSettings
from mcp_governor.rules.governing import govern
from mcp_governor.rules.run import lint, run_rules
from mcp_governor.surface import build_surface

if TYPE_CHECKING:
    from mcp_governor.findings import Finding
    from mcp_governor.rules import Selection
    from mcp_governor.surface import Surface

PROSE = ("prose-type", "prose-enum", "prose-default", "prose-bounds", "prose-required")
"""The rules that compare what a description says with the schema."""


def linted(surface: Surface, chosen: Selection) -> list[Finding]:
    """The findings of a selection as the command gives them, with severities and suppressions."""
    return govern(run_rules(surface, chosen), chosen, surface, stations=("lint",))


def hint_groups(message: str) -> dict[str, str]:
    """The names of tools in a message of clarity/hints-declared, by what it says that they do."""
    said = message.partition(". ")[2].removesuffix(".").lower()
    return dict(part.removeprefix("these ").split(": ", 1) for part in said.split("; "))


def contradictions(
    schema: dict[str, Any], text: str, *, required: bool = False, name: str = "limit", tool: str = ""
) -> list[str]:
    """The rules of :data:`PROSE`, without the pack, that fire for one argument."""
    argument = {**schema, **({"description": text} if text else {})}
    root = {"type": "object", "properties": {name: argument}, "required": [name] if required else []}
    surface = build_surface({"tools": [{"name": "a", "description": tool, "inputSchema": root}]})
    settings = LintSettings(select=tuple(f"clarity/{rule}" for rule in PROSE))
    return [finding.rule.removeprefix("clarity/") for finding in lint(surface, settings)]
