"""Finding the server of a repository, for ``init``, and trying what was found.

What the repository says of itself is read: the programs that it installs, its source, its Dockerfile, its registry
manifest and its configurations of MCP clients. Nothing outside of it is read. Reading starts nothing;
:mod:`mcp_governor.target.discover.trying` does.
"""

from mcp_governor.target.discover.finding import discover
from mcp_governor.target.discover.model import Candidate, Found, Way

__all__ = ["Candidate", "Found", "Way", "discover"]
