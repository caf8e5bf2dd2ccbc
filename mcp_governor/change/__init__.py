"""Compares two surfaces: what differs, where, and the effect on a client.

This package contains the kinds of changes with their messages, the comparison of lists and of schemas, rename
detection, and the verdict on each edit. ``containment`` decides if one schema accepts everything that another does;
``policy`` decides what a change means for a release, and ``changelog`` if a changelog mentions it.

Names are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.findings import Verdict
from mcp_governor.lazy import lazy_names

if TYPE_CHECKING:
    from mcp_governor.change.kind_model import Example, Kind
    from mcp_governor.change.model import Change, catalogue, kind, required_bump
    from mcp_governor.change.options import (
        CHARTER_OPEN_ENUMS,
        DEFAULT_OPTIONS,
        ChangeOptions,
        Policy,
        option_schemas,
        options_from,
    )
    from mcp_governor.change.surfaces import compare
    from mcp_governor.change.vocabulary import Level, Side

__all__ = [
    "CHARTER_OPEN_ENUMS",
    "DEFAULT_OPTIONS",
    "Change",
    "ChangeOptions",
    "Example",
    "Kind",
    "Level",
    "Policy",
    "Side",
    "Verdict",
    "catalogue",
    "compare",
    "kind",
    "option_schemas",
    "options_from",
    "required_bump",
]


__getattr__ = lazy_names(
    __name__,
    {
        "kind_model": ("Example", "Kind"),
        "model": ("Change", "catalogue", "kind", "required_bump"),
        "options": (
            "CHARTER_OPEN_ENUMS",
            "DEFAULT_OPTIONS",
            "ChangeOptions",
            "Policy",
            "option_schemas",
            "options_from",
        ),
        "surfaces": ("compare",),
        "vocabulary": ("Level", "Side"),
    },
)
