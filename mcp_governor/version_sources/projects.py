"""Read the version in a project's own files: pyproject.toml, package.json, server.json.

Build tools may compute a version by running code or git, but this module does not run anything. If a version is
computed, it is read from the place where the build tool reads it, or the error names another source to use.
"""

from __future__ import annotations

import contextlib
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.documents import toml_line
from mcp_governor.errors import ConfigError, FileFormatError
from mcp_governor.files import MAX_TEXT_BYTES, is_regular, read_bytes
from mcp_governor.lazy import lazy_pattern
from mcp_governor.parsing import BadValueError, check_values, read_toml
from mcp_governor.surface.file import parse_json
from mcp_governor.text import one_line, visible
from mcp_governor.version_sources.constants import read_constant, shown_file
from mcp_governor.version_sources.model import PROJECT_FILES
from mcp_governor.versions import Numbered, same_version

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_TAGGING = lazy_pattern(
    r"\s*(?P<tool>setuptools[-_]scm|hatch[-_]vcs|versioningit|versioneer|setuptools[-_]git[-_]versioning|pbr"
    r"|uv[-_]dynamic[-_]versioning|poetry[-_]dynamic[-_]versioning|dunamai)(?![\w-])",
    re.IGNORECASE,
)
"""Build requirements that take the version from git tags."""

# Hatch's default pattern; PDM uses its first alternative.
_ASSIGNED = lazy_pattern(r"(?im)^(?:__version__|VERSION)(?: ?: ?str)? *= *(['\"])v?(?P<version>[^'\"\n]+)\1")

_MAX_LENGTH = 256
"""Longest version, in characters; see :mod:`mcp_governor.versions`."""


class Stated(NamedTuple):
    """A version in a file.

    Attributes:
        text: the version.
        file: the file with the version, which may not be the requested one.
        line: line number, from 1; ``None`` if the version is not on a single line.
    """

    text: str
    file: Path
    line: int | None


def read_project(path: Path, root: Path) -> Stated:
    """Read the version of a project file.

    Args:
        path: a ``pyproject.toml``, ``package.json`` or ``server.json``.
        root: the folder to which paths in messages are relative.

    Raises:
        ConfigError: the file is missing, has the wrong format, or does not contain a version that can be read without
            running code; the hint says what to configure instead.
    """
    reader = {"pyproject.toml": _pyproject}.get(path.name, _json)
    return reader(path, root)


VERSION_FILES = (*PROJECT_FILES, "manifest.json", ".claude-plugin/plugin.json", ".codex-plugin/plugin.json")
"""Files that a release gives the new version: those of projects, bundles and plugins."""


def stating(root: Path, version: str) -> Iterator[Stated]:
    """Each line of the :data:`VERSION_FILES` of a folder that states a version; server.json does so for its packages,
    too. Files that cannot be read are left out."""
    for path in (root / name for name in VERSION_FILES):
        with contextlib.suppress(ConfigError):
            if path.name == "server.json":
                text = _text(path, root)
                for member in re.finditer(rf'"version"\s*:\s*{re.escape(json.dumps(version))}', text):
                    yield Stated(version, path, text.count("\n", 0, member.start()) + 1)
            elif same_version((stated := read_project(path, root)).text, version):
                yield stated


def project_name(path: Path, root: Path) -> str | None:
    """The name of the distribution in a ``pyproject.toml``, or ``None``.

    Raises:
        ConfigError: it cannot be read.
    """
    document = _toml(path, root)[0]
    for keys in (("project", "name"), ("tool", "poetry", "name")):
        name = _under(document, *keys)
        if isinstance(name, str) and name:
            return name
    return None


def _json(path: Path, root: Path) -> Stated:
    shown = shown_file(path, root)
    text = _text(path, root)
    try:
        document = parse_json(text, shown)
    except FileFormatError as error:
        raise ConfigError(f"schema-version: {error.message}", "Correct that file.") from None
    if not isinstance(document, dict):
        raise ConfigError(f"schema-version: {shown} is not a JSON object.", "Correct that file.")
    if "version" not in document:
        raise ConfigError(
            f"schema-version: {shown} does not state a version.",
            f"Add one, or name the file of the package: packages/NAME/{path.name}",
        )
    version = _checked(document["version"], "version", shown)
    # Others with the same key and value are further in.
    members = re.finditer(rf'(?m)^([ \t{{]*)"version"\s*:\s*{re.escape(json.dumps(version))}', text)
    first = min(members, key=lambda one: len(one[1]), default=None)
    return Stated(version, path, text.count("\n", 0, first.start()) + 1 if first else None)


def _pyproject(path: Path, root: Path) -> Stated:
    document, text = _toml(path, root)
    for keys in (("project", "version"), ("tool", "poetry", "version")):
        value = _under(document, *keys)
        if value is None:
            continue
        version = _checked(value, ".".join(keys), shown_file(path, root))
        if keys[0] == "tool" and _under(document, "tool", "poetry-dynamic-versioning", "enable") is True:
            raise _from_tags(path, root, "poetry-dynamic-versioning")
        return Stated(version, path, toml_line(text, keys) or None)
    return _dynamic(document, path, root)


def _dynamic(document: dict[str, Any], path: Path, root: Path) -> Stated:
    """The version of a project that is not in its ``pyproject.toml``, from the place where the build tool reads it.

    Raises:
        ConfigError: the tool computes the version, or reads it in a way that is not supported here.
    """
    shown = shown_file(path, root)
    if tool := _tagging(document):
        raise _from_tags(path, root, tool)
    for key in ("tool.hatch.version", "tool.pdm.version"):
        table = _under(document, *key.split("."))
        file = table.get("path") if isinstance(table, dict) else None
        if isinstance(file, str) and "pattern" in table:
            raise ConfigError(
                f"schema-version: {shown} reads its version from {visible(file)} with a pattern of its own.",
                'Write schema-version = "package.module:NAME", the constant that it finds, instead.',
            )
        if isinstance(file, str):
            return _assigned(path.parent / file, root, f"{key}.path in {shown}")
    table = _under(document, "tool", "setuptools", "dynamic", "version")
    if isinstance(table, dict) and "attr" in table:
        return _attribute(table["attr"], f"tool.setuptools.dynamic.version.attr in {shown}", path.parent)
    if isinstance(table, dict) and "file" in table:
        file = table["file"]
        return _content(file[0] if isinstance(file, list) and len(file) == 1 else file, path, root)
    backend = _under(document, "build-system", "build-backend")
    if isinstance(backend, str) and backend.startswith("flit"):
        module = _under(document, "tool", "flit", "module", "name") or _under(document, "project", "name")
        dotted = f"{str(module).replace('-', '_')}.__version__"
        return _attribute(dotted, f"the module of the project in {shown}", path.parent)
    raise ConfigError(
        f"schema-version: {shown} does not state a version that can be read without running the build.",
        'Write schema-version = "distribution:NAME", "git-tag" or "package.module:NAME" instead.',
    )


def _tagging(document: dict[str, Any]) -> str:
    """The tool that reads the version from git tags; empty if there is none."""
    for name, tool in (("setuptools_scm", "setuptools-scm"), ("versioningit", "versioningit")):
        if _under(document, "tool", name) is not None:
            return tool
    for source in (_under(document, "tool", tool, "version", "source") for tool in ("hatch", "pdm")):
        if source in ("vcs", "scm", "uv-dynamic-versioning", "versioningit"):
            return {"vcs": "hatch-vcs", "scm": "PDM"}.get(source, str(source))
    if _under(document, "tool", "hatch", "version", "path") or _under(
        document, "tool", "setuptools", "dynamic", "version"
    ):
        return ""
    required = _under(document, "build-system", "requires")
    for requirement in required if isinstance(required, list) else ():
        if isinstance(requirement, str) and (match := _TAGGING.match(requirement)):
            return match["tool"]
    return ""


def _attribute(dotted: Any, key: str, folder: Path) -> Stated:
    module, _, name = str(dotted).rpartition(".")
    if not all(map(str.isidentifier, [*module.split("."), name])):
        raise ConfigError(f"schema-version: {key} is not a dotted name.", "Correct the file.")
    return Stated(*read_constant(module, name, folder))


def _assigned(file: Path, root: Path, key: str) -> Stated:
    """Read a file as hatch and PDM do: ``__version__ = "…"`` at the start of a line."""
    text, shown = _text(file, root), shown_file(file, root)
    match = _ASSIGNED.search(text)
    if match is None:
        raise ConfigError(
            f"schema-version: {shown}, which {key} names, assigns no __version__.",
            'Write __version__ = "1.0.0" there.',
        )
    return Stated(_checked(match["version"], "__version__", shown), file, text.count("\n", 0, match.start()) + 1)


def _content(name: Any, path: Path, root: Path) -> Stated:
    """Read a file that contains only the version."""
    if not isinstance(name, str):
        shown = shown_file(path, root)
        raise ConfigError(
            f"schema-version: tool.setuptools.dynamic.version.file in {shown} does not name one file.", "Name one."
        )
    file = path.parent / name
    return Stated(_checked(_text(file, root).strip(), "its content", shown_file(file, root)), file, 1)


def _from_tags(path: Path, root: Path, tool: str) -> ConfigError:
    return ConfigError(
        f"schema-version: {shown_file(path, root)} does not state a version: {tool} takes it from git tags.",
        'Write schema-version = "git-tag" instead.',
    )


def _under(document: Any, *keys: str) -> Any:
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def _checked(value: Any, key: str, shown: str) -> str:
    """Check that a version is a string of one line.

    Raises:
        ConfigError: it is not.
    """
    if not isinstance(value, str):
        raise ConfigError(f"schema-version: {key} in {shown} is not a string.", 'Write it as a string: "1.0.0".')
    version = value.strip()
    if not version or len(version) > _MAX_LENGTH or not version.isprintable() or " " in version:
        raise ConfigError(
            f'schema-version: {key} in {shown} is "{one_line(value, 60)}", which is not a version.',
            'Write it as a string: "1.0.0".',
        )
    return version


def _toml(path: Path, root: Path) -> tuple[dict[str, Any], str]:
    text = _text(path, root)
    try:
        document = read_toml(text)
        check_values(document)
    except BadValueError as error:
        raise ConfigError(
            f"schema-version: {shown_file(path, root)} contains a value that cannot be used: {one_line(str(error))}.",
            "Correct the value.",
        ) from None
    except ValueError as error:
        raise ConfigError(
            f"schema-version: {shown_file(path, root)} is not TOML: {one_line(str(error)).rstrip('.')}.",
            "Correct the line.",
        ) from None
    return document, text


def _text(path: Path, root: Path) -> str:
    shown = shown_file(path, root)
    try:
        return read_bytes(path, limit=MAX_TEXT_BYTES).decode("utf-8-sig").replace("\r\n", "\n")
    except FileNotFoundError:
        raise ConfigError(f"schema-version: {shown} does not exist.", "Correct the path.") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"schema-version: {shown} is not UTF-8 (byte {error.start}).", "Save it as UTF-8.") from None
    except OSError as error:
        raise ConfigError(f"schema-version: {shown} cannot be read: {error.strerror}.", "Check the path.") from None


def is_placeholder(version: str) -> bool:
    """True if a version is a placeholder that a release tool replaces: ``0.0.0``, ``0.0.0-development``,
    ``${VERSION}``."""
    parsed = Numbered.parse(version)
    return parsed is None or not any(parsed.numbers)


def project_files(folder: Path) -> list[Path]:
    """The existing project files of a folder, the most reliable first."""
    return [folder / name for name in ("pyproject.toml", "package.json", "server.json") if is_regular(folder / name)]
