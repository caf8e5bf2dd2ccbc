"""Does one JSON Schema accept all that another does? Yes, no with a witness, or unknown with a reason.

Here live the decision procedures, the witnesses and the validators that confirm them, and the processes in which costly
ones run. Nothing here knows a tool or a surface: the questions come from ``change``, ``linting`` and ``call``.

Names are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_names

if TYPE_CHECKING:
    from mcp_governor.containment.decide import contains
    from mcp_governor.containment.model import Containment

__all__ = ["Containment", "contains"]


__getattr__ = lazy_names(
    __name__,
    {
        "decide": ("contains",),
        "model": ("Containment",),
    },
)
