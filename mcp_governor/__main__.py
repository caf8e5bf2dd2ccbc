"""``python -m mcp_governor``."""

from mcp_governor.cli import main

if __name__ == "__main__":
    main()
