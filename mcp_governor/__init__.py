"""mcp-governor: governance and lint for MCP servers. The public Python API is imported lazily."""
