"""Servers whose behaviour under load is known, for the tests of the engine."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

if TYPE_CHECKING:
    from collections.abc import Iterator

SCRIPT = Path(__file__).parents[1] / "servers" / "loaded.py"


class Loaded:
    """A running ``tests/servers/loaded.py``."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}/mcp"

    @property
    def seen(self) -> dict[str, Any]:
        """What it counted."""
        with urlopen(f"http://127.0.0.1:{self.port}/seen", timeout=20) as response:
            found: dict[str, Any] = json.load(response)
            return found


@contextmanager
def loaded(**options: Any) -> Iterator[Loaded]:
    process = subprocess.Popen([sys.executable, str(SCRIPT), json.dumps(options)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Loaded(int(process.stdout.readline()))
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
