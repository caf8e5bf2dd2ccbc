"""Two surfaces → changes: what differs, where, and what it does to a client."""

from mcp_governor.change.catalogue import catalogue, kind, required_bump
from mcp_governor.change.compare import compare
from mcp_governor.change.kind import Example, Kind
from mcp_governor.change.model import Change, Level, Side, Verdict
from mcp_governor.change.options import (
    CHARTER_OPEN_ENUMS,
    DEFAULT_OPTIONS,
    ChangeOptions,
    Policy,
    option_schemas,
    options_from,
)

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
