"""Finding the server of a repository, for ``init``: in client configurations, in Python source, in package.json.

Nothing is imported or run: Python is read with :mod:`ast`, and bounded in files and bytes.
"""

from __future__ import annotations

import ast
import shlex
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import FileFormatError
from mcp_governor.files import read_bytes
from mcp_governor.frozen import frozen
from mcp_governor.target.jsonc import read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_SERVER_CLASSES = frozenset({"FastMCP", "MCPServer"})
_SERVER_PACKAGES = frozenset({"@modelcontextprotocol/sdk", "@modelcontextprotocol/server", "fastmcp"})
_CLIENT_FILES = (".mcp.json", "mcp.json", ".vscode/mcp.json", ".cursor/mcp.json")
_SKIPPED = frozenset({".git", ".venv", "venv", "node_modules", "dist", "build", "__pycache__", "tests", "test", "docs"})
_SOURCE_ROOTS = ("src", "lib", "python")
_MAX_FILES = 2_000
"""Python files that ``init`` looks into: a few seconds. Later ones are not looked into, and a server in one of them is
not proposed."""
_MAX_BYTES = 512 * 1024
"""Bytes of one file; larger ones are generated. They are passed over."""


@frozen
class Candidate:
    """A server that a repository seems to hold.

    Attributes:
        name: what to call it in the configuration.
        keys: its ``[servers.NAME]`` table, without the name; empty where ``target`` says it all.
        target: the TARGET that reaches it.
        found_in: the file that tells, relative to the repository.
    """

    name: str
    keys: Mapping[str, Any]
    target: str
    found_in: str


def discover(root: Path) -> list[Candidate]:
    """Every server that the repository seems to hold: in its source, else in the configurations of clients.

    Where there is source of a server, client configurations are not read: they name the tools that people who work
    on the repository use.
    """
    return [*_in_python(root), *_in_package_json(root)] or list(_in_client_files(root))


def _in_python(root: Path) -> Iterator[Candidate]:
    for path in _python_files(root):
        try:
            text = read_bytes(path, limit=_MAX_BYTES).decode()
            if not any(name in text for name in _SERVER_CLASSES):
                continue
            tree = ast.parse(text)
        except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        for attribute in _server_names(tree):
            module = _module_of(path, root)
            relative = path.relative_to(root).as_posix()
            reference = f"{module}:{attribute}"
            yield Candidate(module.rpartition(".")[2], {"object": reference}, f"python:{reference}", relative)


def _python_files(root: Path) -> Iterator[Path]:
    count = 0
    stack = [root]
    while stack:
        folder = stack.pop()
        try:
            entries = sorted(folder.iterdir())
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir() and not entry.is_symlink():
                if entry.name not in _SKIPPED and not entry.name.startswith("."):
                    stack.append(entry)
            elif entry.suffix == ".py":
                count += 1
                if count > _MAX_FILES:
                    return
                yield entry


def _server_names(tree: ast.Module) -> Iterator[str]:
    """Module-level names that are assigned a server, else functions that make one without being told anything."""
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


def _module_of(path: Path, root: Path) -> str:
    parts = list(path.relative_to(root).with_suffix("").parts)
    if parts[0] in _SOURCE_ROOTS and len(parts) > 1:
        parts = parts[1:]
    if parts[-1] == "__init__" and len(parts) > 1:
        parts = parts[:-1]
    return ".".join(parts)


def _in_package_json(root: Path) -> Iterator[Candidate]:
    document = _json(root / "package.json")
    dependencies = document.get("dependencies")
    if not isinstance(dependencies, dict) or _SERVER_PACKAGES.isdisjoint(dependencies):
        return
    binaries = document.get("bin")
    if isinstance(binaries, str):
        binaries = {str(document.get("name", "server")).rpartition("/")[2]: binaries}
    if not isinstance(binaries, dict):
        binaries = {"server": document["main"]} if isinstance(document.get("main"), str) else {}
    for name, script in binaries.items():
        if isinstance(script, str):
            command = ["node", script.removeprefix("./")]
            yield Candidate(str(name), {"command": command}, shlex.join(["--", *command]), "package.json")


def _in_client_files(root: Path) -> Iterator[Candidate]:
    for file in _CLIENT_FILES:
        document = _json(root / file)
        for key in ("mcpServers", "servers"):
            servers = document.get(key)
            for name, entry in servers.items() if isinstance(servers, dict) else ():
                if isinstance(entry, dict) and (isinstance(entry.get("command"), str) or entry.get("url")):
                    yield Candidate(str(name), {}, f"{file}#{name}", file)


def _json(path: Path) -> dict[str, Any]:
    try:
        document = read_settings(path, path.name)
    except (OSError, FileFormatError):
        return {}
    return document if isinstance(document, dict) else {}
