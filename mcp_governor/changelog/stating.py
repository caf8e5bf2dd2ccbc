"""Where the version of the schema comes from: the server, the config, or a constant that is read, not run.

``SCHEMA_VERSION`` is the version that a client meets; the changelog has to speak of the same one (surface
governance, "Changelog discipline"). A constant is read with :mod:`ast`: governing a server never executes it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_governor.errors import ConfigError
from mcp_governor.files import MAX_TEXT_BYTES, read_bytes
from mcp_governor.frozen import frozen
from mcp_governor.surface.fingerprint import fingerprint
from mcp_governor.text import did_you_mean, one_line, visible

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

    from mcp_governor.changelog.model import Changelog
    from mcp_governor.surface.model import Surface

SERVER_INFO = "serverInfo"
_CONSTANT = re.compile(r"(?P<module>[^\W\d]\w*(?:\.[^\W\d]\w*)*):(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)")
_SOURCE_FOLDERS = ("", "src", "lib", "python")
_MAX_HOPS = 8
"""Imports and aliases that are followed to a constant: projects re-export once or twice. Beyond, and in a circle, it is
a configuration error."""


@frozen
class SchemaVersion:
    """The version that the changelog must speak of.

    Attributes:
        text: the version, ``None`` where the server reports none.
        source: who says so, as messages name it (``the server``, ``pkg.mod:NAME (src/pkg/mod.py:3)``).
    """

    text: str | None
    source: str


def schema_version(spec: str, surface: Surface | None, root: Path) -> SchemaVersion:
    """The version that the config's ``schema-version`` stands for.

    Args:
        spec: ``serverInfo``, ``pkg.module:NAME`` (or ``pkg.module:Class.NAME``), or the version itself.
        surface: the live surface, for ``serverInfo``.
        root: the config's folder; modules are looked for in it and in ``src``, ``lib`` and ``python`` below.

    Raises:
        ConfigError: the module or the constant is not there, is not Python, or is no text that can be read
            without running it; the message names the file and the line.
    """
    if spec == SERVER_INFO:
        return SchemaVersion(surface.version if surface else None, "the server")
    constant = _CONSTANT.fullmatch(spec)
    if constant is None:
        return SchemaVersion(spec, "the configuration")
    value, file, line = _read(constant["module"], constant["name"], root, hops=0)
    return SchemaVersion(value, f"{spec} ({_shown(file, root)}:{line})")


def baseline_version(spec: str, baseline: Surface, changelog: Changelog | None, expected: SchemaVersion) -> str | None:
    """The schema version of a baseline.

    The server said it in its time, where ``schema-version`` is ``serverInfo``. A constant or a literal of then is
    not at hand; the changelog is: the release that states the baseline's fingerprint, else the one before now.

    Args:
        spec: the config's ``schema-version``.
        baseline: the surface of then.
        changelog: as read, ``None`` where there is none.
        expected: the version of now.
    """
    if spec == SERVER_INFO or changelog is None:
        return baseline.version
    stated = fingerprint(baseline)
    known = [part for part in changelog.released if any(told.value == stated for told in part.fingerprints)]
    if known:
        ordered = [part.numbered for part in known if part.numbered is not None]
        return max(ordered).text if ordered else known[0].version_text
    section = changelog.section(expected.text) if expected.text else None
    before = changelog.release_before(section) if section is not None else None
    return before.version_text if before is not None else expected.text


def _read(module: str, name: str, root: Path, *, hops: int) -> tuple[str, Path, int]:
    file = _find(module, root)
    tree = _tree(file, root)
    try:
        return _Scope(module, file, root, tree, hops).text_of(name)
    except RecursionError:
        raise ConfigError(f"{_shown(file, root)}: {visible(name)} is nested too deep to read.") from None


def _find(module: str, root: Path) -> Path:
    relative = Path(*module.split("."))
    for folder in _SOURCE_FOLDERS:
        base = root / folder if folder else root
        for candidate in (base / relative.with_suffix(".py"), base / relative / "__init__.py"):
            if candidate.is_file():
                return candidate
    looked = ", ".join(folder + "/" if folder else "the config's folder" for folder in _SOURCE_FOLDERS)
    raise ConfigError(
        f'schema-version: there is no module "{visible(module)}" in {looked}.',
        "Name the module as it is imported, relative to the config's folder or its src folder.",
    )


def _tree(file: Path, root: Path) -> ast.Module:
    import ast

    try:
        return ast.parse(read_bytes(file, limit=MAX_TEXT_BYTES))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        raise ConfigError(
            f"schema-version: {_shown(file, root)}:{line} is not Python: {one_line(str(error), 80)}.",
            "Correct the file, or write the version into the configuration.",
        ) from None
    except OSError as error:
        raise ConfigError(f"schema-version: {_shown(file, root)} cannot be read: {error.strerror}.") from None


def _shown(file: Path, root: Path) -> str:
    path = file.relative_to(root) if file.is_relative_to(root) else file
    return visible(path.as_posix())


@frozen(slots=False)
class _Scope:
    """The assignments of one module, followed as far as text can be followed."""

    module: str
    file: Path
    root: Path
    tree: ast.Module
    hops: int

    def text_of(self, name: str) -> tuple[str, Path, int]:
        body: list[ast.stmt] = self.tree.body
        *classes, last = name.split(".")
        for part in classes:
            body = self._class_body(body, part, name)
        found = [pair for pair in _assignments(body) if pair[0] == last]
        if found:
            return self._evaluate(found[-1][1], name)
        imported = self._import_of(last) if not classes else None
        if imported is not None and self.hops < _MAX_HOPS:
            return _read(*imported, self.root, hops=self.hops + 1)
        raise ConfigError(
            f'schema-version: {_shown(self.file, self.root)} has no constant "{visible(name)}".'
            + did_you_mean(last, (known for known, _ in _assignments(body))),
            f'Write it at module level: {last} = "1.0.0"',
        )

    def _class_body(self, body: list[ast.stmt], wanted: str, name: str) -> list[ast.stmt]:
        import ast

        for statement in body:
            if isinstance(statement, ast.ClassDef) and statement.name == wanted:
                return statement.body
        raise ConfigError(
            f'schema-version: {_shown(self.file, self.root)} has no class "{visible(wanted)}" for {visible(name)}.'
        )

    def _import_of(self, name: str) -> tuple[str, str] | None:
        import ast

        for statement in ast.walk(self.tree):
            if isinstance(statement, ast.ImportFrom):
                for alias in statement.names:
                    if (alias.asname or alias.name) == name:
                        return self._absolute(statement), alias.name
        return None

    def _absolute(self, statement: ast.ImportFrom) -> str:
        if not statement.level:
            return statement.module or ""
        package = self.module.split(".")
        if self.file.name != "__init__.py":
            package = package[:-1]
        package = package[: len(package) - (statement.level - 1)]
        return ".".join([*package, *([statement.module] if statement.module else [])])

    def _evaluate(self, node: ast.expr, name: str) -> tuple[str, Path, int]:
        import ast

        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value, self.file, node.lineno
        if isinstance(node, ast.Name) and node.id != name and self.hops < _MAX_HOPS:
            following = _Scope(self.module, self.file, self.root, self.tree, self.hops + 1)
            return following.text_of(node.id)
        raise ConfigError(
            f"schema-version: {_shown(self.file, self.root)}:{node.lineno}: {visible(name)} is no plain text, "
            "so it cannot be read without running the module.",
            f'Assign a literal: {name.rpartition(".")[2]} = "1.0.0"',
        )


def _assignments(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """Names and values assigned directly in a body, and in its ``if`` and ``try`` blocks."""
    import ast

    for statement in body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield target.id, statement.value
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            if statement.value is not None:
                yield statement.target.id, statement.value
        elif isinstance(statement, ast.If | ast.Try):
            yield from _assignments([*statement.body, *statement.orelse])
