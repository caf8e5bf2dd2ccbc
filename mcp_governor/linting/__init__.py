"""The rules that read a surface: their engine, their checks, and what the checks know of prose and schemas.

Which rules run, and what becomes of a finding, is decided in ``catalogue``.

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
