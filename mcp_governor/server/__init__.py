"""mcp-governor as an MCP server: three tools that keep the charter's rules and answer in its envelope.

Run it with ``mcp-governor serve``. ``mcp-governor check`` in this repository governs it: the changelog of its
surface is ``docs/mcp-schema-changelog.md``, the recorded surface ``mcp-surface.json``.

The agent that calls is not trusted. ``lines`` and ``stdio`` read a client that may send anything and answer every line
of it; ``app`` carries each call to a process of ``pool``, where ``worker`` does the work of ``tools`` within a budget.
"""

from __future__ import annotations

from mcp_governor.server.app import SCHEMA_VERSION, build_server

__all__ = ["SCHEMA_VERSION", "build_server"]
