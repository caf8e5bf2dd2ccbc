"""``mcp-governor schema``."""

from __future__ import annotations

import json

import click

from mcp_governor.cli import out


@click.command()
@click.argument("name", type=click.Choice(["report", "config", "surface", "rule", "fix-plan"]))
def schema(name: str) -> None:
    """Print the JSON Schema of one of mcp-governor's own formats."""
    out.put(json.dumps(_schema(name), indent=2) + "\n", form="json")


def _schema(name: str) -> dict[str, object]:
    if name == "report":
        from mcp_governor.checking.schema import report_schema

        return report_schema()
    if name == "config":
        from mcp_governor.checking.settings import full_config_schema

        return full_config_schema()
    if name == "surface":
        from mcp_governor.surface.schema import surface_schema

        return surface_schema()
    if name == "fix-plan":
        from mcp_governor.checking.fix_plan_schema import fix_plan_schema

        return fix_plan_schema()
    from mcp_governor.catalogue import RULE_SCHEMA

    return dict(RULE_SCHEMA)
