"""Does one JSON Schema accept all that another does? Yes, no with a witness, or unknown with a reason.

This package has the decision procedures, the witnesses, the validators that confirm them, and the worker process for
costly questions. It does not depend on tools or surfaces; ``change``, ``linting`` and ``call`` ask the questions.

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
