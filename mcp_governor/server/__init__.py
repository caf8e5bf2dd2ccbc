"""mcp-governor as an MCP server: tools that keep the charter's rules and answer in its envelope.

Run it with ``mcp-governor serve``. ``mcp-governor check`` in this repository governs it: the changelog of its
surface is ``docs/mcp-schema-changelog.md``, the recorded surface ``mcp-surface.json``.

The agent that calls is not trusted. ``lines`` and ``stdio`` read a client that may send anything and answer every line
of it; ``app`` carries each call to a process of ``pool``, where ``worker`` does the work of ``work`` within a budget,
or to ``service``, which knows the project: it has ``jobs`` check the servers that the configuration names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.server.app import SCHEMA_VERSION, build_server

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

__all__ = ["SCHEMA_VERSION", "build_server", "server_here"]


def server_here() -> MCPServer[Any]:
    """The server for the project in the current folder, as ``mcp-governor serve`` runs it.

    Raises:
        ConfigError: the configuration has a mistake.
        MissingDependencyError: the SDK is not installed.
    """
    from mcp_governor.config import load_config
    from mcp_governor.server.project import Project

    return build_server(project=Project.of(load_config()))
