"""Which source of a version is the right one for a server: its own word, or its project's.

A FastMCP or SDK server that is made without ``version=`` reports the version of its library, and its reported version
then moves whenever the library is released. Servers also report a version that their project left behind.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.errors import ConfigError
from mcp_governor.files import MEBIBYTE, read_bytes
from mcp_governor.frozen import frozen
from mcp_governor.text import one_line
from mcp_governor.version_sources.distributions import in_folder, own_environment, project_environment
from mcp_governor.version_sources.model import GIT_TAG, SERVER_INFO, SchemaVersion
from mcp_governor.version_sources.places import ServerCall, server_calls
from mcp_governor.version_sources.projects import is_placeholder, project_files, project_name, spec_of
from mcp_governor.version_sources.reading import of_server, schema_version
from mcp_governor.version_steps import same_version
from mcp_governor.versions import Numbered

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mcp_governor.surface.model import Surface

FIRST_VERSION = "0.1.0"
"""What a changelog starts at where neither the server nor the project says a version."""

LIBRARIES = {"fastmcp": "FastMCP", "mcp": "the MCP SDK"}
"""Distributions whose version a server reports that is given none, and how messages name them."""

_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock")
_LOCKED = re.compile(r'^name = "(?P<name>fastmcp|mcp)"\nversion = "(?P<version>[^"\n]{1,256})"', re.MULTILINE)
_REQUIREMENTS = ("requirements.txt", "requirements.lock", "requirements-dev.txt")
_PINNED = re.compile(
    r"^(?P<name>fastmcp|mcp)(?:\[[\w,. -]*\])?[ \t]*==[ \t]*(?P<version>[\w.!+-]{1,256})", re.MULTILINE | re.IGNORECASE
)
_LARGEST_LOCK = 8 * MEBIBYTE
"""Bytes of a lock file: one of 2,000 packages has 5 MB. A larger one is passed over."""


@frozen
class Suggestion:
    """The source that ``schema-version`` should name.

    Attributes:
        spec: as the configuration writes it; ``serverInfo`` where the server's own word is right.
        reason: why it is not ``serverInfo``, one sentence; empty where it is.
        version: what that source says now.
        library: the library whose version the server reports, as messages name it; empty where that is not known.
    """

    spec: str
    reason: str
    version: SchemaVersion
    library: str = ""


def suggest_source(surface: Surface, root: Path, *, search: bool = True) -> Suggestion:
    """The right source of a server's version; files of the project are read, nothing is run.

    Args:
        surface: of the server.
        root: the folder of its project. Where it states no version, the server's own counts.
        search: look through the source of the project for the call that makes the server, which may take a second.

    Returns:
        ``serverInfo`` where the server reports its project's version, or nothing says otherwise; a source of the
        project where that states another one; the version 0.1.0 itself where neither says one that is its own.
    """
    reported = of_server(surface, root)
    if surface.release is not None:
        return Suggestion(SERVER_INFO, "", reported)
    own = _own_version(reported.text, root)
    if own is not None and reported.text and own.text and same_version(own.text, reported.text):
        return Suggestion(SERVER_INFO, "", reported)
    counts = bool(reported.text) and Numbered.parse(reported.text or "") is not None
    library, why = _library(reported.text, root, search=search) if reported.text else ("", "")
    if own is not None:
        said = f"The server reports {_shown(reported)}" if reported.text else "The server reports no version"
        reason = why or f"{said}, and {own.written or own.source} says {one_line(own.text or '', 40)}."
        return Suggestion(own.spec, reason, own, library)
    if why or not counts:
        reason = why or (
            f"The server reports {_shown(reported)}, which is not a numeric version."
            if reported.text
            else "The server reports no version."
        )
        first = SchemaVersion(FIRST_VERSION, "the configuration", spec=FIRST_VERSION)
        return Suggestion(FIRST_VERSION, reason, first, library)
    return Suggestion(SERVER_INFO, "", reported)


def _shown(version: SchemaVersion) -> str:
    return one_line(version.text or "", 40)


def _own_version(reported: str | None, root: Path) -> SchemaVersion | None:
    """The version that the project states: the reported one where any of its sources says that, else the first."""
    found = [version for version in _sources(root) if version.text and not is_placeholder(version.text)]
    for version in found:
        if reported and same_version(version.text or "", reported):
            return version
    return found[0] if found else None


def _sources(root: Path) -> Iterator[SchemaVersion]:
    """What the sources of a project say, the most telling first."""
    for file in project_files(root):
        specs = [spec_of(file, root)]
        if file.name == "pyproject.toml":
            specs += _computed(file, root)
        for spec in specs:
            try:
                yield schema_version(spec, None, root)
            except ConfigError:
                continue
            break


def _computed(project: Path, root: Path) -> list[str]:
    """The sources of a Python project that computes its version: its tags, else how it is installed."""
    try:
        name = project_name(project, root)
    except ConfigError:
        return []
    return [GIT_TAG, f"distribution:{name}"] if name else []


def _library(reported: str, root: Path, *, search: bool) -> tuple[str, str]:
    """The library whose version is reported, and a sentence that says how that is known; both empty where it is not."""
    call = _unversioned_call(root) if search else None
    name = next((name for name, version in _library_versions(root) if same_version(version, reported)), "")
    if not name and call is None:
        return "", ""
    library = LIBRARIES.get(name, "its library")
    where = ""
    if call is not None:
        from mcp_governor.version_sources.constants import shown_file

        where = f": {call.name}(…) in {shown_file(call.file, root)} line {call.line} sets no version"
    return library, f"The server reports {one_line(reported, 40)}, the version of {library}{where}."


def _unversioned_call(root: Path) -> ServerCall | None:
    """The call that makes the server without a version, where no call in the project gives one."""
    calls = list(server_calls(root))
    if any(call.computed or call.version is not None for call in calls):
        return None
    return calls[0] if calls else None


def _library_versions(root: Path) -> Iterator[tuple[str, str]]:
    """The libraries that the server may run with: as its project locks them, as they are installed there, and here."""
    for names, pattern in ((_LOCKS, _LOCKED), (_REQUIREMENTS, _PINNED)):
        for name in names:
            try:
                text = read_bytes(root / name, limit=_LARGEST_LOCK).decode("utf-8", "replace").replace("\r\n", "\n")
            except OSError:
                continue
            yield from ((match["name"].lower(), match["version"]) for match in pattern.finditer(text))
    for folder in (*project_environment(root), *own_environment()):
        for name in LIBRARIES:
            found = in_folder(folder, name)
            if found is not None:
                yield name, found.version
