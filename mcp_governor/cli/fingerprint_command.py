"""``mcp-governor fingerprint``."""

from __future__ import annotations

import click

from mcp_governor.cli.common import Run, TargetCommand, configured, target_argument, write_json, write_text
from mcp_governor.text import visible


@click.command(cls=TargetCommand)
@target_argument
@click.option("--tools", "per_tool", is_flag=True, help="Also show one fingerprint per tool")
@configured("output", formats=click.Choice(["text", "json"]))
def fingerprint(run: Run, target: str | None, per_tool: bool) -> None:
    """Print the digests of a surface: contract (v1) and wording (w1); with --tools, of each tool.

    Reports show the first 12 digits of each.
    """
    from mcp_governor.surface import fingerprint as digest
    from mcp_governor.surface import tool_fingerprint, wording_fingerprint
    from mcp_governor.target import read_source, tier_rules

    surface = read_source(run.source(target), tiers=tier_rules(run.config))
    tools = {tool.name: tool_fingerprint(tool) for tool in sorted(surface.tools, key=lambda tool: tool.name)}
    if run.output.format == "json":
        document = {"fingerprint": digest(surface), "wording": wording_fingerprint(surface)}
        write_json({**document, **({"tools": tools} if per_tool else {})}, run.output)
        return
    lines = [digest(surface), wording_fingerprint(surface)]
    if per_tool:
        width = max((len(visible(name)) for name in tools), default=0)
        lines += [f"{visible(name):<{width}}  {value}" for name, value in tools.items()]
    write_text("\n".join(lines) + "\n", run.output, form="text")
