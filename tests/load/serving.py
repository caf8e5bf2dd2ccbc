"""Servers whose behaviour under load is known, for the tests of the engine."""

from __future__ import annotations

import json
import ssl
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

    def __init__(self, port: int, scheme: str = "http") -> None:
        self.port = port
        self.origin = f"{scheme}://127.0.0.1:{port}"
        self.url = f"{self.origin}/mcp"

    @property
    def seen(self) -> dict[str, Any]:
        """What it counted."""
        # The certificate of a test is nobody's.
        with urlopen(f"{self.origin}/seen", timeout=20, context=ssl._create_unverified_context()) as response:
            found: dict[str, Any] = json.load(response)
            return found


@contextmanager
def loaded(**options: Any) -> Iterator[Loaded]:
    process = subprocess.Popen([sys.executable, str(SCRIPT), json.dumps(options)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Loaded(int(process.stdout.readline()), "https" if "certificate" in options else "http")
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
