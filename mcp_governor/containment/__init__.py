"""Does one JSON Schema accept all that another does? Yes, no with a witness, or unknown with a reason."""

from mcp_governor.containment.model import Containment

__all__ = ["Containment"]
