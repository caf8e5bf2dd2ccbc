"""Variables for children: the few that every program needs, or ours with the place of our own modules."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# Variables that a program needs to find itself, its user, its language, its certificates and its temporary files.
# Others are not passed on, because they may contain secrets that the server must not see.
_INHERITED = (
    *("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
    "MCP_GOVERNOR_NESTED",  # how many of our own jobs are around: see mcp_governor.server.jobs
    *("APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE"),
    *("PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR"),
)

# These variables point our own Python to its modules and would break another one.
_OURS = frozenset({"PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__"})


def clean_environment(more: Mapping[str, str], *, inherits: bool = False) -> dict[str, str]:
    """The environment of a program that is not ours.

    Args:
        more: its own variables.
        inherits: start from all of our variables, not from the few that every program needs.
    """
    if inherits:
        return {name: value for name, value in os.environ.items() if name not in _OURS} | dict(more)
    return {name: os.environ[name] for name in _INHERITED if name in os.environ} | dict(more)


def our_environment(**more: str) -> dict[str, str]:
    """Our own environment, in which Python finds our package even if it is not installed."""
    package = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, **more}
