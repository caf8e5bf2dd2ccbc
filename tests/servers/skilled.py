"""A FastMCP server that publishes the skills of a folder: ``python skilled.py FOLDER``."""

from __future__ import annotations

import sys

from fastmcp import FastMCP
from fastmcp.skills.provider import SkillsDirectoryProvider

server = FastMCP("skilled", version="1.0.0")


@server.tool
def add(a: int, b: int = 1) -> int:
    """Add two numbers and return the sum."""
    return a + b


if __name__ == "__main__":
    server.add_provider(SkillsDirectoryProvider(sys.argv[1]))
    server.run(show_banner=False)
