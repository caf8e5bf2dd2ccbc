"""mcp-governor: hold an MCP server to its word.

The public Python API; each name is imported from its station on first use, so that importing this package is free.

    >>> import mcp_governor
    >>> old = mcp_governor.load_surface("mcp-surface.json")         # doctest: +SKIP
    >>> new = mcp_governor.read_surface("python:my_server:server")  # doctest: +SKIP
    >>> [change.kind for change in mcp_governor.compare(old, new)]  # doctest: +SKIP
    ['argument-required']
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from mcp_governor._version import __version__

if TYPE_CHECKING:
    from mcp_governor.call import validate_response
    from mcp_governor.change import Change, compare
    from mcp_governor.checking import Report, check, read_surface
    from mcp_governor.config import Config, load_config
    from mcp_governor.containment import Containment, contains
    from mcp_governor.errors import GovernorError
    from mcp_governor.findings import Finding, Severity
    from mcp_governor.linting import lint
    from mcp_governor.surface import Surface, fingerprint, load_surface

__all__ = [
    "Change",
    "Config",
    "Containment",
    "Finding",
    "GovernorError",
    "Report",
    "Severity",
    "Surface",
    "__version__",
    "check",
    "compare",
    "contains",
    "fingerprint",
    "lint",
    "load_config",
    "load_surface",
    "read_surface",
    "validate_response",
]

_HOMES = {
    "call": ("validate_response",),
    "change": ("Change", "compare"),
    "checking": ("Report", "check", "read_surface"),
    "config": ("Config", "load_config"),
    "containment": ("Containment", "contains"),
    "errors": ("GovernorError",),
    "findings": ("Finding", "Severity"),
    "linting": ("lint",),
    "surface": ("Surface", "fingerprint", "load_surface"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
