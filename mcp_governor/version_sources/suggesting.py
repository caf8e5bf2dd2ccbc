"""Suggest the source of a server's version: the server itself or its project.

A FastMCP or SDK server that is created without ``version=`` reports the version of its library, which changes with each
release of the library. Servers may also report an outdated version of their project.
"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.errors import ConfigError
from mcp_governor.files import MEBIBYTE, read_bytes
from mcp_governor.lazy import lazy_pattern
from mcp_governor.text import one_line
from mcp_governor.version_sources.distributions import in_folder, own_environment, project_environment
from mcp_governor.version_sources.model import GIT_TAG, SERVER_INFO, SchemaVersion
from mcp_governor.version_sources.places import ServerCall, server_calls
from mcp_governor.version_sources.projects import is_placeholder, project_files, project_name
from mcp_governor.version_sources.reading import of_server, schema_version
from mcp_governor.versions import Numbered, same_version

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mcp_governor.surface.model import Surface

FIRST_VERSION = "0.1.0"
"""The first version in a changelog if neither the server nor the project has one."""

LIBRARIES = {"fastmcp": "FastMCP", "mcp": "the MCP SDK"}
"""Distributions whose version a server reports if it has none of its own → their names in messages."""

_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock")
_LOCKED = lazy_pattern(r'^name = "(?P<name>fastmcp|mcp)"\nversion = "(?P<version>[^"\n]{1,256})"', re.MULTILINE)
_MAX_LOCK_SIZE = 8 * MEBIBYTE
"""Largest lock file that is read, in bytes: one with 2,000 packages has 5 MB. A larger one is skipped."""


class Suggestion(Struct, frozen=True):
    """The source that ``schema-version`` should name.

    Attributes:
        spec: the value for the configuration; ``serverInfo`` if the server's own version is right.
        reason: a sentence about why it is not ``serverInfo``; empty if it is.
        version: the current version of that source.
        library: name of the library whose version the server reports; empty if unknown.
    """

    spec: str
    reason: str
    version: SchemaVersion
    library: str = ""


def suggest_source(surface: Surface, root: Path, *, search: bool = True) -> Suggestion:
    """Suggest the source of a server's version. Project files are read, but nothing is run.

    Args:
        surface: the surface of the server.
        root: the folder of its project. If that has no version, the server's own is used.
        search: search the project's source for the call that creates the server, which may take a second.

    Returns:
        ``serverInfo`` if the server reports its project's version, or if there is no reason against it; a source in the
        project if that has another version; the literal version 0.1.0 if neither has a version of its own.
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
    """The version of the project: the reported one if any of its sources has it, or else the first one."""
    found = [version for version in _sources(root) if version.text and not is_placeholder(version.text)]
    for version in found:
        if reported and same_version(version.text or "", reported):
            return version
    return found[0] if found else None


def _sources(root: Path) -> Iterator[SchemaVersion]:
    """The versions from the sources of a project, the most reliable first."""
    for file in project_files(root):
        specs = [file.relative_to(root).as_posix()]
        if file.name == "pyproject.toml":
            specs += _computed(file, root)
        for spec in specs:
            try:
                yield schema_version(spec, None, root)
            except ConfigError:
                continue
            break


def _computed(project: Path, root: Path) -> list[str]:
    """The sources for a Python project with a computed version: its tags, or else its installed metadata."""
    try:
        name = project_name(project, root)
    except ConfigError:
        return []
    return [GIT_TAG, f"distribution:{name}"] if name else []


def _library(reported: str, root: Path, *, search: bool) -> tuple[str, str]:
    """The library whose version is reported, and a sentence with the evidence; both empty if unknown."""
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
    """The call that creates the server without a version, if no call in the project passes one."""
    calls = list(server_calls(root))
    if any(call.computed or call.version is not None for call in calls):
        return None
    return calls[0] if calls else None


def _library_versions(root: Path) -> Iterator[tuple[str, str]]:
    """Library versions that the server may use: from the project's lock file, its environment, and our own."""
    for name in _LOCKS:
        with contextlib.suppress(OSError):
            text = read_bytes(root / name, limit=_MAX_LOCK_SIZE).decode("utf-8", "replace").replace("\r\n", "\n")
            yield from ((match["name"], match["version"]) for match in _LOCKED.finditer(text))
    for folder in (*project_environment(root), *own_environment()):
        for name in LIBRARIES:
            found = in_folder(folder, name)
            if found is not None:
                yield name, found.version
