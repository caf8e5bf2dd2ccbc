"""mcp-governor: hold an MCP server to its word.

The public Python API. Each name is imported from its package on first use, so importing this package is free.

    >>> import mcp_governor
    >>> old = mcp_governor.load_surface("mcp-surface.json")         # doctest: +SKIP
    >>> new = mcp_governor.read_surface("python:my_server:server")  # doctest: +SKIP
    >>> [change.kind for change in mcp_governor.compare(old, new)]  # doctest: +SKIP
    ['argument-required']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor._version import __version__
from mcp_governor.lazy import lazy_names

if TYPE_CHECKING:
    from mcp_governor.call.validate import validate_response
    from mcp_governor.change import Change, compare
    from mcp_governor.checking.model import Report
    from mcp_governor.checking.reading import read_surface
    from mcp_governor.checking.run import check
    from mcp_governor.config import Config, load_config
    from mcp_governor.containment import Containment, contains
    from mcp_governor.errors import GovernorError
    from mcp_governor.findings import Finding, Severity
    from mcp_governor.rules.run import lint
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


__getattr__ = lazy_names(
    __name__,
    {
        "call.validate": ("validate_response",),
        "change": ("Change", "compare"),
        "checking.model": ("Report",),
        "checking.run": ("check",),
        "checking.reading": ("read_surface",),
        "config": ("Config", "load_config"),
        "containment": ("Containment", "contains"),
        "errors": ("GovernorError",),
        "findings": ("Finding", "Severity"),
        "rules": ("lint",),
        "surface": ("Surface", "fingerprint", "load_surface"),
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
