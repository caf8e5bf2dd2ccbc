"""Read constants of a Python project with :mod:`ast`, without running the project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.errors import ConfigError
from mcp_governor.files import MAX_TEXT_BYTES, read_bytes
from mcp_governor.lazy import lazy_pattern
from mcp_governor.parsing import read_python
from mcp_governor.text import did_you_mean, one_line, visible

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

CONSTANT = lazy_pattern(r"(?P<module>[^\W\d]\w*(?:\.[^\W\d]\w*)*):(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)")
_SOURCE_FOLDERS = ("", "src", "lib", "python")
_MAX_HOPS = 8
"""Most imports and aliases that are followed to a constant: projects re-export once or twice. More hops, or a circle,
are a configuration error."""


def read_constant(module: str, name: str, root: Path) -> tuple[str, Path, int]:
    """The value of a string constant, its file, and its line.

    Args:
        module: name of the module, as in an import.
        name: name of the constant, or ``Class.NAME``.
        root: the folder of the project; modules are searched for in it and in ``src``, ``lib`` and ``python`` below.

    Raises:
        ConfigError: the module or the constant does not exist, is not Python, or is not a string that can be read
            without running code; the message has the file and the line.
    """
    return _read(module, name, root, hops=0)


def _read(module: str, name: str, root: Path, *, hops: int) -> tuple[str, Path, int]:
    return _of_file(module, name, _find(module, root), root, hops=hops)


def _of_file(module: str, name: str, file: Path, root: Path, *, hops: int) -> tuple[str, Path, int]:
    tree = _tree(file, root)
    try:
        return _Scope(module, file, root, tree, hops).text_of(name)
    except RecursionError:
        raise ConfigError(f"{shown_file(file, root)}: {visible(name)} is nested too deep to read.") from None


def _find(module: str, root: Path) -> Path:
    relative = Path(*module.split("."))
    for folder in _SOURCE_FOLDERS:
        base = root / folder if folder else root
        for candidate in (base / relative.with_suffix(".py"), base / relative / "__init__.py"):
            if candidate.is_file():
                return candidate
    looked = ", ".join(folder + "/" if folder else "the config's folder" for folder in _SOURCE_FOLDERS)
    raise ConfigError(
        f'schema-version: module "{visible(module)}" was not found in {looked}.',
        "Name the module as it is imported, relative to the config's folder or its src folder.",
    )


def _tree(file: Path, root: Path) -> ast.Module:
    try:
        return read_python(read_bytes(file, limit=MAX_TEXT_BYTES))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        raise ConfigError(
            f"schema-version: {shown_file(file, root)}:{line} is not Python: {one_line(str(error), 80)}.",
            "Correct the file, or write the version into the configuration.",
        ) from None
    except OSError as error:
        raise ConfigError(f"schema-version: {shown_file(file, root)} cannot be read: {error.strerror}.") from None


def shown_file(file: Path, root: Path) -> str:
    """The name of a project file in messages."""
    path = file.relative_to(root) if file.is_relative_to(root) else file
    return visible(path.as_posix())


class _Scope(Struct, frozen=True, dict=True):
    """Follows the assignments of one module to a string."""

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
            f'schema-version: {shown_file(self.file, self.root)} has no constant "{visible(name)}".'
            + did_you_mean(last, (known for known, _ in _assignments(body))),
            f'Write it at module level: {last} = "1.0.0"',
        )

    def _class_body(self, body: list[ast.stmt], wanted: str, name: str) -> list[ast.stmt]:
        import ast

        for statement in body:
            if isinstance(statement, ast.ClassDef) and statement.name == wanted:
                return statement.body
        raise ConfigError(
            f'schema-version: {shown_file(self.file, self.root)} has no class "{visible(wanted)}" for {visible(name)}.'
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
            f"schema-version: {shown_file(self.file, self.root)}:{node.lineno}: {visible(name)} is not a "
            "string literal, so it cannot be read without running the module.",
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
