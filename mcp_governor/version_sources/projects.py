"""Read the version in a project's own files: pyproject.toml, package.json, server.json.

Build tools may compute a version by running code or git, but this module does not run anything. If a version is
computed, it is read from the place where the build tool reads it, or the error names another source to use.
"""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path, PurePosixPath
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
from mcp_governor.version_steps import same_version
from mcp_governor.versions import Numbered

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    return _Dynamic(document, path, root).read()


class _Dynamic:
    """Reads the dynamic version of a project, which is not in its ``pyproject.toml``.

    Args:
        document: content of the ``pyproject.toml``.
        path: path of that file.
        root: as for :func:`read_project`.
    """

    def __init__(self, document: dict[str, Any], path: Path, root: Path) -> None:
        self._document = document
        self._path = path
        self._root = root
        self._shown = shown_file(path, root)

    def read(self) -> Stated:
        """Read the version from the place where the build tool reads it.

        Raises:
            ConfigError: the tool computes the version, or reads it in a way that is not supported here.
        """
        if tool := self._tagging():
            raise _from_tags(self._path, self._root, tool)
        found = self._hatch() or self._setuptools() or self._pdm() or self._flit()
        if found is not None:
            return found
        raise ConfigError(
            f"schema-version: {self._shown} does not state a version that can be read without running the build.",
            'Write schema-version = "distribution:NAME", "git-tag" or "package.module:NAME" instead.',
        )

    def _tagging(self) -> str:
        """The tool that reads the version from git tags, if there is one."""
        tools = self._table("tool")
        if "setuptools_scm" in tools or "versioningit" in tools:
            return "setuptools-scm" if "setuptools_scm" in tools else "versioningit"
        for source in (
            self._under("tool", "hatch", "version", "source"),
            self._under("tool", "pdm", "version", "source"),
        ):
            if source in ("vcs", "scm", "uv-dynamic-versioning", "versioningit"):
                return "hatch-vcs" if source == "vcs" else "PDM" if source == "scm" else str(source)
        if self._under("tool", "hatch", "version", "path") or self._under("tool", "setuptools", "dynamic", "version"):
            return ""
        required = self._under("build-system", "requires")
        for requirement in required if isinstance(required, list) else ():
            match = _TAGGING.match(requirement) if isinstance(requirement, str) else None
            if match is not None:
                return match["tool"]
        return ""

    def _hatch(self) -> Stated | None:
        table = self._table("tool", "hatch", "version")
        path = table.get("path")
        if not isinstance(path, str):
            return None
        if "pattern" in table:
            raise ConfigError(
                f"schema-version: {self._shown} reads its version from {visible(path)} with a pattern of its own.",
                'Write schema-version = "package.module:NAME", the constant that it finds, instead.',
            )
        return self._assigned(path, "tool.hatch.version.path")

    def _pdm(self) -> Stated | None:
        table = self._table("tool", "pdm", "version")
        path = table.get("path")
        return self._assigned(path, "tool.pdm.version.path") if isinstance(path, str) else None

    def _setuptools(self) -> Stated | None:
        table = self._table("tool", "setuptools", "dynamic", "version")
        if "attr" in table:
            return self._attribute(table["attr"], "tool.setuptools.dynamic.version.attr")
        if "file" in table:
            file = table["file"]
            named = file[0] if isinstance(file, list) and len(file) == 1 else file
            return self._content(named)
        return None

    def _flit(self) -> Stated | None:
        """flit reads ``__version__`` of the module with the name of the project."""
        backend = self._under("build-system", "build-backend")
        if not isinstance(backend, str) or not backend.startswith("flit"):
            return None
        module = self._under("tool", "flit", "module", "name") or self._under("project", "name")
        return self._attribute(f"{str(module).replace('-', '_')}.__version__", "the module of the project")

    def _attribute(self, dotted: Any, key: str) -> Stated:
        module, _, name = str(dotted).rpartition(".")
        if not all(map(str.isidentifier, [*module.split("."), name])):
            raise ConfigError(f"schema-version: {key} in {self._shown} is not a dotted name.", "Correct the file.")
        return Stated(*read_constant(module, name, self._path.parent))

    def _assigned(self, path: str, key: str) -> Stated:
        """Read a file as hatch and PDM do: ``__version__ = "…"`` at the start of a line."""
        file = self._path.parent / path
        text = _text(file, self._root)
        match = _ASSIGNED.search(text)
        if match is None:
            raise ConfigError(
                f"schema-version: {shown_file(file, self._root)}, which {key} in {self._shown} names, assigns no "
                "__version__.",
                'Write __version__ = "1.0.0" there.',
            )
        line = text.count("\n", 0, match.start()) + 1
        return Stated(_checked(match["version"], "__version__", shown_file(file, self._root)), file, line)

    def _content(self, path: Any) -> Stated:
        """Read a file that contains only the version."""
        if not isinstance(path, str):
            raise ConfigError(
                f"schema-version: tool.setuptools.dynamic.version.file in {self._shown} does not name one file.",
                "Name one.",
            )
        file = self._path.parent / path
        text = _text(file, self._root)
        return Stated(_checked(text.strip(), "its content", shown_file(file, self._root)), file, 1)

    def _table(self, *keys: str) -> dict[str, Any]:
        found = self._under(*keys)
        return found if isinstance(found, dict) else {}

    def _under(self, *keys: str) -> Any:
        return _under(self._document, *keys)


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


def spec_of(path: Path, root: Path) -> str:
    """The value of ``schema-version`` for a project file."""
    return PurePosixPath(path.relative_to(root).as_posix()).as_posix()
