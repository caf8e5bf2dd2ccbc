"""Check that the version that a server reports can be checked against its changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.rules.finding import finding
from mcp_governor.version_sources import SERVER_INFO, suggest_source
from mcp_governor.versions import Numbered

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mcp_governor.findings import Finding
    from mcp_governor.surface.model import Surface


def check_source(surface: Surface, root: Path) -> Iterator[Finding]:
    """Suggest another source for the version if the server reports its library's version or an old one.

    Args:
        surface: the surface of a server whose reported version is the configured source.
        root: the folder of its project.
    """
    if surface.version is None:
        return  # `policy/version-missing` reports it
    suggested = suggest_source(surface, root, search=False)
    if suggested.spec == SERVER_INFO or (not suggested.library and Numbered.parse(surface.version) is None):
        return
    if suggested.spec == suggested.version.text:
        repair = 'Give the server a version of its own: version="0.1.0" where it is made.'
    else:
        repair = f"Take the version from the project: mcp-governor schema-version {suggested.spec}"
    yield finding(
        "policy/version-source",
        "/serverInfo/version",
        value=suggested.spec,
        reason=suggested.reason,
        repair=repair,
    )
