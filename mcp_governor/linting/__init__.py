"""Rules that read a surface: the engine, the checks, and the readers of prose and schemas that checks share.

``catalogue`` decides which rules run and what becomes of a finding.

The rules themselves are data (:mod:`mcp_governor.catalogue`). Names are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_names

if TYPE_CHECKING:
    from mcp_governor.findings import Correction, Edit, Effect
    from mcp_governor.linting.context import Context, Hit, hit
    from mcp_governor.linting.run import lint, run_rules

__all__ = ["Context", "Correction", "Edit", "Effect", "Hit", "hit", "lint", "run_rules"]


__getattr__ = lazy_names(
    __name__,
    {
        "context": ("Context", "Hit", "hit"),
        "corrections": ("Correction", "Edit", "Effect"),
        "run": ("lint", "run_rules"),
    },
)
