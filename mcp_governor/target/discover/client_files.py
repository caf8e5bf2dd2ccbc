"""Find servers in a repository's own configurations of MCP clients.

Only files inside the repository are read. Most entries are tools for people who work on the repository, so only entries
that run something from the repository are tried.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.errors import GovernorError
from mcp_governor.target.clients import endpoint_from_client_config, servers_in
from mcp_governor.target.discover.model import Candidate, Way
from mcp_governor.wire.endpoint import StdioEndpoint

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_governor.target.discover.own import Repository

CLIENTS = 4
"""The last stage."""

_FILES = (
    *(".mcp.json", "mcp.json", ".vscode/mcp.json", ".cursor/mcp.json", ".windsurf/mcp.json", ".roo/mcp.json"),
    *(".kiro/settings/mcp.json", ".amazonq/mcp.json", ".junie/mcp/mcp.json", ".gemini/settings.json"),
    *("claude_desktop_config.json", ".claude/mcp.json"),
)
_MAX_ENTRIES = 20
"""Most entries of one file that are read: generous, people have a few."""


def client_candidates(top: Path, repository: Repository) -> tuple[list[Candidate], list[Way]]:
    """The entries that run something from the repository, and all others.

    Args:
        top: the folder in which init runs.
        repository: judges what an entry starts.
    """
    found: list[Candidate] = []
    others: list[Way] = []
    for file in _FILES:
        for name in servers_in(top / file)[:_MAX_ENTRIES]:
            target = f"{file}#{name}"
            try:
                endpoint = endpoint_from_client_config(top / file, name)
            except GovernorError as error:
                others.append(Way({}, target=target, says=error.message))
                continue
            way = Way({}, target=target, says=endpoint.shown)
            own = isinstance(endpoint, StdioEndpoint) and repository.leads_here(
                endpoint.command, top / (endpoint.cwd or ""), endpoint.env
            )
            if own:
                found.append(Candidate(name, top, file, (way,), CLIENTS))
            else:
                others.append(way)
    return found, others
