"""Does one JSON Schema accept all that another does? Yes, no with a witness, or unknown with a reason."""

from mcp_governor.containment.decide import contains
from mcp_governor.containment.instances import instances
from mcp_governor.containment.model import Containment
from mcp_governor.containment.problem import schema_problem

__all__ = ["Containment", "contains", "instances", "schema_problem"]
