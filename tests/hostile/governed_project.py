"""A governed project, and what is said to the server that serves it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from support import SERVERS
from test_hostile_serve import Client
from traps import put, surface

SECRET = "zk7-Vq93-hidden-Lp51"
OUTSIDE = {"name": "outside_canary", "inputSchema": {"type": "object"}}
CONFIG = """\
target = "stock"
timeout = 2
start-timeout = 3
baseline = "mcp-surface.json"
changelog = "CHANGELOG.md"
[servers.stock]
file = "live.json"
"""


def made(folder: Path) -> Path:
    """The project, in a folder; a surface with a tool that nobody may see is next to it."""
    (folder / "outside.json").write_text(surface(OUTSIDE))
    (folder / "temporary").mkdir()
    files = {"mcp-surface.json": surface(), "live.json": surface(), "mcp-governor.toml": CONFIG}
    return put(folder / "project", {**files, "CHANGELOG.md": "# Changelog\n\n## [1.0.0]\n"})


def say(session: Client, tool: str, arguments: dict) -> dict:
    """The result of a call; ``said`` has all of it as text."""
    number = getattr(session, "count", 0) + 1
    session.count = number
    session.call(number, tool, arguments)
    return session.answer(number)


def lives(session: Client) -> None:
    """The server still does its work."""
    assert say(session, "list_rules", {"pack": "charter"})["result"]["structuredContent"]["status"] == "success"


def governed(root: Path, mode: str, **more: str) -> None:
    """A server of ``servers/hostile.py`` in the configuration."""
    command = json.dumps([sys.executable, str(SERVERS / "hostile.py"), mode])
    env = "".join(f"{key} = {json.dumps(value)}\n" for key, value in more.items())
    config = CONFIG.replace('file = "live.json"', f"command = {command}")
    (root / "mcp-governor.toml").write_text(f"{config}[servers.stock.env]\n{env}" if env else config)


def hostile(session: Client) -> list[str]:
    return [line for line in session.leash.running() if "hostile.py" in line or "time.sleep(600)" in line]
