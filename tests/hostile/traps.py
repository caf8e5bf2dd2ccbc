"""What several attacks need: commands that leave a mark when they run, and files that a stranger would send."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

TOOL = {
    "name": "find",
    "description": "Finds a book by its title.",
    "inputSchema": {"type": "object", "properties": {"title": {"type": "string", "description": "The title."}}},
}


class Trap:
    """Commands that leave a file in ``folder`` when anything runs them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def shell(self, name: str = "trap") -> str:
        """A shell command."""
        return f"touch {self.folder}/{name} #"

    def server(self, name: str = "trap") -> dict[str, Any]:
        """A server of a client's configuration."""
        return {"command": sys.executable, "args": ["-c", f"open({str(self.folder / name)!r}, 'w')"]}

    def python(self, name: str = "trap") -> str:
        """A statement."""
        return f"open({str(self.folder / name)!r}, 'w').close()\n"

    @property
    def sprung(self) -> list[str]:
        """What ran."""
        return sorted(path.name for path in self.folder.iterdir())


def surface(*tools: dict[str, Any], **more: Any) -> str:
    """A recorded surface as text."""
    return json.dumps({"tools": list(tools) or [TOOL], "serverInfo": {"name": "shelf", "version": "1.0.0"}, **more})


def put(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Files below a folder, by name."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder
