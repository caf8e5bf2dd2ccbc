"""What a rule is asked about: one subject at a time, with the small questions about schemas that several rules ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_names

if TYPE_CHECKING:
    from mcp_governor.subjects.context import Context, Hit, hit

__all__ = ["Context", "Hit", "hit"]


__getattr__ = lazy_names(__name__, {"context": ("Context", "Hit", "hit")})
