"""Does one JSON Schema accept all that another does? Yes, no with a witness, or unknown with a reason.

Names are loaded on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp_governor.containment.decide import contains
    from mcp_governor.containment.model import Containment
    from mcp_governor.containment.problem import schema_problem
    from mcp_governor.containment.sampling import instances

__all__ = ["Containment", "contains", "instances", "schema_problem"]

_HOME_OF = {"Containment": "model", "contains": "decide", "instances": "sampling", "schema_problem": "problem"}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value
