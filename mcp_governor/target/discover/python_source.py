"""Find server objects in Python source without importing it, with :mod:`ast`; files and bytes are limited."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from mcp_governor.files import is_regular, read_bytes
from mcp_governor.parsing import read_python

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

_SERVER_CLASSES = frozenset({"FastMCP", "MCPServer"})
_SKIPPED = frozenset(
    (
        *(".git", ".venv", "venv", "node_modules", "dist", "build", "__pycache__"),
        *("tests", "test", "docs", "examples", "example", "samples", "scripts", "benchmarks"),
    )
)
SOURCE_ROOTS = ("src", "lib", "python")
"""Folders of a project from which modules are imported, besides its own."""
_MAX_FILES = 2_000
"""Most Python files that ``init`` reads: a few seconds. The others are not read, so a server in one of them is not
proposed."""
MAX_BYTES = 512 * 1024
"""Largest file that is read, in bytes; larger ones are generated and skipped."""


PROJECT_FILES = ("pyproject.toml", "package.json", "setup.py")
"""Files that make a folder a project of its own."""


def is_project(folder: Path) -> bool:
    """True if a folder is a project of its own, and not part of another project."""
    return any(is_regular(folder / file) for file in PROJECT_FILES)


def python_files(folder: Path) -> Iterator[tuple[Path, str]]:
    """The Python files of a project with their text, except tests and environments."""
    for path in source_paths(folder, (".py",)):
        try:
            yield path, read_bytes(path, limit=MAX_BYTES).decode()
        except (OSError, ValueError):
            continue


def source_paths(folder: Path, suffixes: Collection[str], *, nested: bool = False) -> Iterator[Path]:
    """The files of a project with these suffixes, up to a limit, except tests and environments.

    Args:
        folder: folder of the project. Folders that are links are not entered.
        suffixes: suffixes such as ``.py``.
        nested: also include files of projects inside it.
    """
    count = 0
    stack = [folder]
    while stack:
        here = stack.pop()
        try:
            entries = sorted(here.iterdir())
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir() and not entry.is_symlink():
                skipped = entry.name in _SKIPPED or entry.name.startswith(".")
                if not skipped and (nested or not is_project(entry)):
                    stack.append(entry)
            elif entry.suffix in suffixes:
                count += 1
                if count > _MAX_FILES:
                    return
                yield entry


def find_objects(folder: Path) -> Iterator[tuple[Path, str]]:
    """The server objects of a project: their files, and ``package.module:attribute``."""
    for path, text in python_files(folder):
        if not any(name in text for name in _SERVER_CLASSES):
            continue
        try:
            tree = read_python(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        for attribute in _server_names(tree):
            yield path, f"{module_of(path, folder)}:{attribute}"


_SDK = re.compile(r"^\s*(?:from|import)\s+(?:mcp|fastmcp)\b", re.MULTILINE)
_GUARD = re.compile(r"^if\s+__name__\s*==\s*['\"]__main__['\"]\s*:", re.MULTILINE)


def runs_server(text: str) -> bool:
    """True if a file imports an MCP SDK and has a ``__main__`` block."""
    return _SDK.search(text) is not None and _GUARD.search(text) is not None


def _server_names(tree: ast.Module) -> Iterator[str]:
    """Module-level names of servers, or else of functions without required parameters that make one."""
    yield from _assigned(tree) or (
        statement.name
        for statement in tree.body
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
        and _class_name(statement.returns) in _SERVER_CLASSES
        and not _required_arguments(statement.args)
    )


def _required_arguments(arguments: ast.arguments) -> int:
    positional = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    return positional + sum(default is None for default in arguments.kw_defaults)


def _assigned(tree: ast.Module) -> list[str]:
    names: list[str] = []
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            targets, value = statement.targets, statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets, value = [statement.target], statement.value
        else:
            continue
        if isinstance(value, ast.Call) and _class_name(value.func) in _SERVER_CLASSES:
            names += [target.id for target in targets if isinstance(target, ast.Name)]
    return names


def _class_name(expression: ast.expr | None) -> str:
    """The last name of ``FastMCP``, ``fastmcp.FastMCP``, ``MCPServer[Any]`` or ``"FastMCP"``."""
    if isinstance(expression, ast.Subscript):
        expression = expression.value
    if isinstance(expression, ast.Attribute):
        return expression.attr
    if isinstance(expression, ast.Constant):
        return str(expression.value).partition("[")[0].rpartition(".")[2]
    return expression.id if isinstance(expression, ast.Name) else ""


def module_of(path: Path, folder: Path) -> str:
    """The module name of a file if ``folder`` or its ``src`` is in ``sys.path``."""
    parts = list(path.relative_to(folder).with_suffix("").parts)
    if parts[0] in SOURCE_ROOTS and len(parts) > 1:
        parts = parts[1:]
    if parts[-1] == "__init__" and len(parts) > 1:
        parts = parts[:-1]
    return ".".join(parts)
