"""Servers that live in a registry: ``pypi:`` through uvx, ``npm:`` through npx."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from mcp_governor.errors import MissingDependencyError, TargetError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.text import one_line

_PYPI = lazy_pattern(
    r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?P<extras>\[[A-Za-z0-9._,-]+\])?"
    r"(?:==(?P<version>[A-Za-z0-9][A-Za-z0-9.!+_-]*))?(?::(?P<script>[A-Za-z0-9][\w.-]*))?",
    re.ASCII,
)
_NPM = lazy_pattern(
    r"(?P<name>(?:@[a-z0-9~-][a-z0-9._~-]*/)?[A-Za-z0-9~_][A-Za-z0-9._~-]*)(?:@(?P<version>[A-Za-z0-9.^~*+-]+))?",
    re.ASCII,
)

# What package runners need beyond the minimal environment to find their registry, proxy and cache.
_RUNNER_PREFIXES = ("UV_", "PIP_", "NPM_CONFIG_", "npm_config_", "NODE_", "XDG_")
_RUNNER_NAMES = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
)


RUNNERS = frozenset({"npm", "npx", "pipx", "uv", "uvx"})
"""Programs that fetch a server from a registry before they start it."""


def runner_environment() -> dict[str, str]:
    """The part of our environment that uvx and npx need to reach their registries."""
    return {
        name: value for name, value in os.environ.items() if name in _RUNNER_NAMES or name.startswith(_RUNNER_PREFIXES)
    }


def pypi_command(spec: str) -> tuple[str, ...]:
    """``NAME[==VERSION][:SCRIPT]`` → a uvx command line.

    Raises:
        TargetError: not such a spec.
        MissingDependencyError: uv is not installed.
    """
    match = _PYPI.fullmatch(spec)
    if match is None:
        raise TargetError(f'"pypi:{one_line(spec, 60)}" is not pypi:NAME[==VERSION][:SCRIPT].', "Correct it.")
    requirement = match["name"] + (match["extras"] or "") + (f"=={match['version']}" if match["version"] else "")
    return (*_uvx(), "--from", requirement, match["script"] or match["name"])


def _uvx() -> tuple[str, ...]:
    import shutil

    beside = Path(sys.executable).parent / "uvx"
    found = str(beside) if beside.is_file() else shutil.which("uvx")
    if found:
        return (found,)
    if uv := shutil.which("uv"):
        return (uv, "tool", "run")
    raise MissingDependencyError(
        "pypi: targets run through uvx, which is not installed.", 'Install it with: pip install "mcp-governor[run]"'
    )


def npm_command(spec: str) -> tuple[str, ...]:
    """``NAME[@VERSION]`` → an npx command line.

    Raises:
        TargetError: not such a spec.
        MissingDependencyError: node's npx is not installed.
    """
    import shutil

    match = _NPM.fullmatch(spec)
    if match is None:
        raise TargetError(f'"npm:{one_line(spec, 60)}" is not npm:NAME[@VERSION].', "Correct it.")
    npx = shutil.which("npx")
    if npx is None:
        raise MissingDependencyError(
            "npm: targets run through npx, which is not installed.",
            "Install Node.js, which brings npx: https://nodejs.org/en/download",
        )
    return (npx, "--yes", spec)
