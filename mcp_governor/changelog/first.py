"""The changelog that ``init`` starts a repository with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.changelog.grammar import fingerprint_line, heading_line
from mcp_governor.surface.fingerprint import fingerprint
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from mcp_governor.surface.model import Surface

INTRODUCTION = """\
# MCP schema changelog

What changes for clients of this server: tools, their parameters and results. One section per version, the newest
first. `mcp-governor check` compares it with the published surface; `mcp-governor changelog draft` writes missing
entries.
"""


def first_changelog(surface: Surface, version: str) -> str:
    """A changelog with one current section that lists every published tool."""
    lines = [INTRODUCTION, heading_line(version, current=True), "", fingerprint_line(fingerprint(surface))]
    names = sorted(tool.name for tool in surface.tools)
    if names:
        lines += ["", "**Added**", "", *(f"- `{one_line(name).replace('`', '')}`, first recorded." for name in names)]
    return "\n".join(lines) + "\n"
