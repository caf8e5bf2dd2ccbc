"""Read the version that ``schema-version`` of the configuration refers to, without running anything."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_governor.errors import ConfigError, GovernorError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.text import did_you_mean, one_line, visible
from mcp_governor.version_sources.model import (
    DISTRIBUTION,
    GIT_TAG,
    PROJECT_FILES,
    SERVER_INFO,
    SOURCES,
    SchemaVersion,
    Written,
)

if TYPE_CHECKING:
    from mcp_governor.surface.model import Surface
    from mcp_governor.version_sources.projects import Stated

_LITERAL = lazy_pattern(r"v?\d\S{0,255}", re.ASCII)
_NAME = lazy_pattern(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,212}[A-Za-z0-9])?", re.ASCII)
_TAG_NAME = lazy_pattern(r"[^\s:]{1,200}")


def schema_version(spec: str, surface: Surface | None, root: Path, *, config: Path | None = None) -> SchemaVersion:
    """The version that ``schema-version`` of the configuration refers to.

    Args:
        spec: ``serverInfo``, ``pyproject.toml``, ``package.json`` or ``server.json`` (also below a folder:
            ``packages/one/package.json``), ``distribution:NAME``, ``git-tag`` or ``git-tag:NAME``,
            ``pkg.module:NAME`` (or ``pkg.module:Class.NAME``), or the version itself.
        surface: the live surface, for ``serverInfo``.
        root: the configuration's folder; paths are relative to it, and modules are searched for in it and in ``src``,
            ``lib`` and ``python`` below.
        config: the configuration file, to give the line of a literal version.

    Raises:
        ConfigError: it is not a source, or the source does not contain a version that can be read without running
            code; the message has the file and the line.
    """
    if spec == SERVER_INFO:
        return of_server(surface, root)
    found = _of_project(spec, root, config)
    return replace(found, reported=surface.version) if surface is not None else found


def _of_project(spec: str, root: Path, config: Path | None) -> SchemaVersion:
    """The version from any source other than the server."""
    kind, _, argument = spec.partition(":")
    if kind == DISTRIBUTION:
        return _of_distribution(spec, argument, root)
    if kind == GIT_TAG:
        return _of_tag(spec, argument, root)
    if Path(spec).name in PROJECT_FILES:
        from mcp_governor.version_sources.projects import read_project

        return _of_file(spec, read_project(root / spec, root), root)
    return _of_constant(spec, root) if ":" in spec else _literal(spec, root, config)


def of_server(surface: Surface | None, root: Path) -> SchemaVersion:
    """The version that the server reports, or the one that its target pins."""
    from mcp_governor.version_sources.places import server_place

    text = surface.version if surface is not None else None
    said = surface.server.get("version") if surface is not None else None
    return SchemaVersion(
        text, "the server", reported=said if isinstance(said, str) else None, find=partial(server_place, text, root)
    )


def _of_file(spec: str, stated: Stated, root: Path) -> SchemaVersion:
    from mcp_governor.version_sources.constants import shown_file

    shown = shown_file(stated.file, root)
    written = Written(shown, stated.line) if stated.line is not None else None
    return SchemaVersion(stated.text, f"{shown}:{stated.line}" if written else shown, written, spec)


def _of_distribution(spec: str, name: str, root: Path) -> SchemaVersion:
    """The version of a distribution from the project's own files if they describe it, or else from installed metadata.

    The files come first because they are the same on every machine, and because the metadata of an editable
    installation may be outdated.
    """
    from mcp_governor.version_sources.constants import shown_file
    from mcp_governor.version_sources.distributions import installed, normalised
    from mcp_governor.version_sources.projects import project_name, read_project

    if _NAME.fullmatch(name) is None:
        raise ConfigError(
            f'schema-version: "{one_line(spec, 80)}" does not name a distribution.', 'Write "distribution:NAME".'
        )
    project = root / "pyproject.toml"
    why = ""
    if project.is_file():
        try:
            if normalised(project_name(project, root) or "") == normalised(name):
                return _of_file(spec, read_project(project, root), root)
        except ConfigError as error:
            why = error.message.removeprefix("schema-version: ")
    found = installed(name, root)
    if found is not None:
        return SchemaVersion(found.version, f"{spec} ({shown_file(found.folder, root)})", spec=spec)
    raise ConfigError(
        f"schema-version: {visible(name)} is installed neither in the project's environment (.venv) nor next to "
        f"mcp-governor.{f' {why}' if why else ''}",
        "Install the project (uv sync, or pip install -e .), or name another source: pyproject.toml or git-tag.",
    )


def _of_tag(spec: str, name: str, root: Path) -> SchemaVersion:
    from mcp_governor.target.git import is_shallow
    from mcp_governor.target.git_releases import tagged_version

    if spec != GIT_TAG and _TAG_NAME.fullmatch(name) is None:
        raise ConfigError(
            f'schema-version: "{one_line(spec, 80)}" is neither git-tag nor git-tag:NAME.',
            "NAME is what comes before the version in the package's tags.",
        )
    try:
        found = tagged_version(root, name or None)
        shallow = found is None and is_shallow(root)
    except GovernorError as error:
        raise ConfigError(f"schema-version: {error.message}", error.hint) from None
    if found is not None:
        version, tag = found
        return SchemaVersion(version.text, f"the git tag {visible(tag)}", spec=spec)
    of_name = f" of {visible(name)}" if name else ""
    if shallow:
        raise ConfigError(
            f"schema-version: no release tag{of_name} is in this shallow clone.",
            "Fetch the tags: git fetch --unshallow --tags",
        )
    raise ConfigError(
        f"schema-version: no tag{of_name} reachable from HEAD is a version.",
        "Tag the latest release, for example: git tag v1.0.0",
    )


def _of_constant(spec: str, root: Path) -> SchemaVersion:
    from mcp_governor.version_sources.constants import CONSTANT, read_constant, shown_file

    constant = CONSTANT.fullmatch(spec)
    if constant is None:
        raise _unknown(spec)
    text, file, line = read_constant(constant["module"], constant["name"], root)
    shown = shown_file(file, root)
    return SchemaVersion(text, f"{spec} ({shown}:{line})", Written(shown, line), spec)


def _literal(spec: str, root: Path, config: Path | None) -> SchemaVersion:
    from mcp_governor.version_sources.places import configured_place

    if _LITERAL.fullmatch(spec) is None:
        raise _unknown(spec)
    return SchemaVersion(spec, "the configuration", spec=spec, find=partial(configured_place, root, config))


def _unknown(spec: str) -> ConfigError:
    known = [word for word in SOURCES if "NAME" not in word]
    return ConfigError(
        f'schema-version: "{one_line(spec, 80)}" is neither a version nor a source of one.{did_you_mean(spec, known)}',
        f"Write a version, or one of: {', '.join(SOURCES)}.",
    )
