"""The packaged example server, in two releases, for ``mcp-governor demo`` and the documentation."""
