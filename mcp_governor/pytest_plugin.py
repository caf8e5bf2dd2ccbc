"""``pytest --mcp-charter``: one test item per tool and rule family. Off, and free of imports, without the flag."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the flag; everything else waits for it."""
    group = parser.getgroup("mcp-charter", "MCP server governance")
    group.addoption("--mcp-charter", action="store_true", default=False, help="Check the MCP server of this project.")
