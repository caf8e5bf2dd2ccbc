"""Find servers in a repository's own configurations of MCP clients.

Only files inside the repository are read. Most entries are tools for people who work on the repository, so only entries
that run something from the repository are tried.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_governor.target.discover.model import Candidate, Way, typed_target
from mcp_governor.target.discover.node import read_json
from mcp_governor.target.packages import RUNNERS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

CLIENTS = 4
"""The last stage."""

_FILES = (
    *(".mcp.json", "mcp.json", ".vscode/mcp.json", ".cursor/mcp.json", ".windsurf/mcp.json", ".roo/mcp.json"),
    *(".kiro/settings/mcp.json", ".amazonq/mcp.json", ".junie/mcp/mcp.json", ".gemini/settings.json"),
    *("claude_desktop_config.json", ".claude/mcp.json"),
)
_MAX_ENTRIES = 20
"""Most entries of one file that are read: generous, people have a few."""


def client_candidates(top: Path, own: Collection[str]) -> tuple[list[Candidate], list[str]]:
    """The entries that run something from the repository, and the TARGETs of all others.

    Args:
        top: top folder of the repository.
        own: names of its packages and programs.
    """
    found: list[Candidate] = []
    others: list[str] = []
    for file in _FILES:
        for name, entry in _entries(read_json(top / file)):
            target = f"{file}#{name}"
            if _is_own(entry, own):
                found.append(Candidate(name, top, file, (Way({}, target=target),), CLIENTS))
            else:
                others.append(typed_target(target))
    return found, others


def _entries(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    nested = document.get("mcp")
    for holder in (document, nested if isinstance(nested, dict) else {}):
        for key in ("mcpServers", "servers"):
            servers = holder.get(key)
            for name, entry in list(servers.items())[:_MAX_ENTRIES] if isinstance(servers, dict) else ():
                if isinstance(entry, dict) and (isinstance(entry.get("command"), str) or entry.get("url")):
                    yield str(name), entry


def _is_own(entry: dict[str, Any], own: Collection[str]) -> bool:
    """True if an entry starts a program of the repository, and not another package, a container or a URL."""
    command = entry.get("command")
    if not isinstance(command, str):
        return False
    arguments = entry.get("args")
    words = [word for word in arguments if isinstance(word, str)] if isinstance(arguments, list) else []
    program = Path(command).name
    if program in RUNNERS - {"uv"} or (program == "uv" and "tool" in words[:1]):
        return any(word in own for word in words)
    return program not in ("docker", "podman", "bunx", "pnpx", "mcp-remote")
