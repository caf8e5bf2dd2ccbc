"""Read constants of a Python project with :mod:`ast`, without running the project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

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


def read_constant(module: str, name: str, root: Path, *, hops: int = 0) -> tuple[str, Path, int]:
    """The value of a string constant, its file, and its line.

    Args:
        module: name of the module, as in an import.
        name: name of the constant, or ``Class.NAME``.
        root: the folder of the project; modules are searched for in it and in ``src``, ``lib`` and ``python`` below.
        hops: imports and aliases that led here.

    Raises:
        ConfigError: the module or the constant does not exist, is not Python, or is not a string that can be read
            without running code; the message has the file and the line.
    """
    import ast

    file = _find(module, root)
    tree, shown = _tree(file, root), shown_file(file, root)
    body = tree.body
    *classes, last = name.split(".")
    for wanted in classes:
        found = next((one for one in body if isinstance(one, ast.ClassDef) and one.name == wanted), None)
        if found is None:
            raise ConfigError(f'schema-version: {shown} has no class "{visible(wanted)}" for {visible(name)}.')
        body = found.body
    try:
        assigned = dict(_assignments(body))
    except RecursionError:
        raise ConfigError(f"{shown}: {visible(name)} is nested too deep to read.") from None
    node = assigned.get(last)
    if node is None:
        imported = _import_of(last, tree, module, file) if not classes else None
        if imported is not None and hops < _MAX_HOPS:
            return read_constant(*imported, root, hops=hops + 1)
        raise ConfigError(
            f'schema-version: {shown} has no constant "{visible(name)}".{did_you_mean(last, assigned)}',
            f'Write it at module level: {last} = "1.0.0"',
        )
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value, file, node.lineno
    if isinstance(node, ast.Name) and node.id != name and hops < _MAX_HOPS:
        return read_constant(module, node.id, root, hops=hops + 1)
    raise ConfigError(
        f"schema-version: {shown}:{node.lineno}: {visible(name)} is not a string literal, so it cannot be read without "
        "running the module.",
        f'Assign a literal: {last} = "1.0.0"',
    )


def _import_of(name: str, tree: ast.Module, module: str, file: Path) -> tuple[str, str] | None:
    """The module from which a module imports a name, and the name there."""
    import ast

    for statement in ast.walk(tree):
        for alias in statement.names if isinstance(statement, ast.ImportFrom) else ():
            if (alias.asname or alias.name) == name:
                assert isinstance(statement, ast.ImportFrom)
                # One dot is the package of the module, which is the module itself where that is a package.
                package = module.split(".")
                up = statement.level - (file.name == "__init__.py")
                above = package[: len(package) - up] if statement.level else []
                return ".".join([*above, *([statement.module] if statement.module else [])]), alias.name
    return None


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
