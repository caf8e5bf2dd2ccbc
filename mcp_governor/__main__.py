"""The program: ``mcp-governor`` and ``python -m mcp_governor``."""

from __future__ import annotations

from mcp_governor.cli import main

if __name__ == "__main__":
    main()
