"""Find the server of a repository for ``init``, and try the candidates.

Discovery reads the repository only: the programs that it installs, its source, its Dockerfile, its registry manifest
and its configurations of MCP clients. It does not start anything; :mod:`mcp_governor.target.discover.trying` does.
"""

from mcp_governor.target.discover.finding import discover
from mcp_governor.target.discover.model import Candidate, Found, Way

__all__ = ["Candidate", "Found", "Way", "discover"]
