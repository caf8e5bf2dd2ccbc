"""Find the line with the version that a server reports, so that a message can name it.

This is a best effort, because a server may compute its version. Only lines with exactly the reported version, or that
create the server, are considered. Nothing is imported or run.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.config.load import config_table
from mcp_governor.documents import toml_line
from mcp_governor.errors import ConfigError
from mcp_governor.files import MAX_TEXT_BYTES, MEBIBYTE, is_regular, read_bytes
from mcp_governor.lazy import lazy_pattern
from mcp_governor.parsing import read_python
from mcp_governor.version_sources.model import Written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SERVER_CLASSES = frozenset({"FastMCP", "MCPServer", "Server"})
"""Classes of the Python SDKs that have ``version=`` and report the SDK's own version without it."""

_SUFFIXES = (".py", ".ts", ".mts", ".js", ".mjs", ".cjs")
_MAX_BYTES = 32 * MEBIBYTE
"""Most source that is read for one place, in bytes: a second or two. After that, the message does not name a place."""

_SCRIPT_VERSION = lazy_pattern(r"""\bversion\s*[:=]\s*(?P<mark>["'`])(?P<version>[^"'`\n]{1,256})(?P=mark)""")
_SCRIPT_SERVER = lazy_pattern(r"\bnew\s+(?:Mcp)?Server\s*\(|\bnew\s+FastMCP\b")


class ServerCall(NamedTuple):
    """A call that creates a server.

    Attributes:
        name: name of the class.
        file: file of the call.
        line: line of the call, from 1.
        version: the literal version argument, or ``None``.
        computed: true if the version argument is not a literal string.
    """

    name: str
    file: Path
    line: int
    version: str | None
    computed: bool


def server_place(text: str | None, root: Path) -> Written | None:
    """The line with the version that a server reports.

    Args:
        text: the version; ``None`` if the server reports none.
        root: the folder of the project. A folder without a project is not searched.
    """
    if not text or not is_project(root):
        return None
    for file, source in _sources(root, _SUFFIXES):
        if text in source and (line := _line_in_source(file, source, text)):
            return _written(file, line, root)
    return project_place(text, root)


def project_place(text: str, root: Path) -> Written | None:
    """The line of a project file with this version, if there is one."""
    from mcp_governor.version_sources.projects import project_files, read_project

    for file in project_files(root):
        try:
            stated = read_project(file, root)
        except ConfigError:
            continue
        if stated.text == text and stated.line is not None:
            return _written(stated.file, stated.line, root)
    return None


def configured_place(root: Path, config: Path | None) -> Written | None:
    """The line of ``schema-version`` in a configuration."""
    files = (config,) if config is not None else (root / "mcp-governor.toml", root / "pyproject.toml")
    for file in files:
        try:
            text = read_bytes(file, limit=MAX_TEXT_BYTES).decode("utf-8-sig").replace("\r\n", "\n")
            line = toml_line(text, (*config_table(file), "schema-version"))
        except (OSError, ValueError):
            continue
        if line:
            return _written(file, line, root)
    return None


def is_project(root: Path) -> bool:
    """True if a folder contains a project, judged by the files of build tools and our own."""
    names = ("pyproject.toml", "package.json", "setup.py", "setup.cfg", "mcp-governor.toml", "server.json")
    return any(is_regular(root / name) for name in names)


def server_calls(root: Path) -> Iterator[ServerCall]:
    """The calls in Python source that create a server."""
    for file, source in _sources(root, (".py",)):
        yield from _calls(file, source)


def _line_in_source(file: Path, source: str, text: str) -> int | None:
    if file.suffix == ".py":
        return _line_in_python(file, source, text)
    if _SCRIPT_SERVER.search(source) is None:
        return None
    for match in _SCRIPT_VERSION.finditer(source):
        if match["version"] == text:
            return source.count("\n", 0, match.start()) + 1
    return None


def _line_in_python(file: Path, source: str, text: str) -> int | None:
    """The line of this version in a server call of the file, or in a constant that a server may use."""
    calls = list(_calls(file, source))
    for call in calls:
        if call.version == text:
            return call.line
    if not any(call.computed for call in calls):
        return None
    assigned = re.compile(rf"(?im)^[ \t]*\w*version\w*[ \t]*(?::[^=\n]*)?=[ \t]*(['\"]){re.escape(text)}\1")
    match = assigned.search(source)
    return source.count("\n", 0, match.start()) + 1 if match else None


def _calls(file: Path, source: str) -> Iterator[ServerCall]:
    if not any(name in source for name in SERVER_CLASSES):
        return
    try:
        tree = read_python(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = _last_name(node.func)
        if name not in SERVER_CLASSES:
            continue
        given = next((word.value for word in node.keywords if word.arg == "version"), None)
        text = given.value if isinstance(given, ast.Constant) and isinstance(given.value, str) else None
        spread = any(word.arg is None for word in node.keywords)
        line = given.lineno if given is not None else node.lineno
        yield ServerCall(name, file, line, text, computed=spread or (given is not None and text is None))


def _last_name(expression: ast.expr) -> str:
    """The class name in ``FastMCP``, ``fastmcp.FastMCP`` and ``Server[Any]``."""
    if isinstance(expression, ast.Subscript):
        expression = expression.value
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else ""


def _sources(root: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
    """The source files below a folder with their text, up to the limits; links are not followed."""
    from mcp_governor.target.discover.python_source import MAX_BYTES, source_paths

    left = _MAX_BYTES
    for file in source_paths(root, suffixes, nested=True):
        try:
            text = "" if file.is_symlink() else read_bytes(file, limit=MAX_BYTES).decode("utf-8-sig")
        except (OSError, UnicodeError):
            continue
        left -= len(text)
        if left < 0:
            return
        yield file, text


def _written(file: Path, line: int, root: Path) -> Written:
    from mcp_governor.version_sources.constants import shown_file

    return Written(shown_file(file, root), line)
