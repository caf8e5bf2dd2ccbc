"""The program: ``mcp-governor`` and ``python -m mcp_governor``."""

from __future__ import annotations

import gc
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit."""
    # A command lives for a second and makes few cycles: collecting them costs more than it frees, from the imports on.
    gc.set_threshold(100_000)
    from mcp_governor import cli

    cli.main()


if __name__ == "__main__":
    main()
