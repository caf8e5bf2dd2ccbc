"""Snapshots of tests: the ``.snap`` files of Jest, Vitest and Bun, and folders with a file for each tool.

A file of JavaScript tests has an export for each ``toMatchSnapshot()``: a template literal with the value as
pretty-format writes it, one member a line and a comma after each. Since Jest 29, and in Vitest, strings are not
escaped: ``"a "quoted" word",``. So the end of a string is what the next line shows.

Tests of Go servers keep folders (``__toolsnaps__`` of github-mcp-server), in which each ``NAME.snap`` is one tool of
``tools/list`` as JSON, or a snapshot of JavaScript tests. Tests of feature flags keep variants of a tool in files with
other names; a list of names (``_surface.snap``) is not a tool.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import FileFormatError
from mcp_governor.files import list_files, read_bytes
from mcp_governor.lazy import lazy_pattern
from mcp_governor.parsing import read_json
from mcp_governor.surface.read import NO_TIER_RULES, TierRules, build_surface
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mcp_governor.surface.model import Surface


_HEADER = lazy_pattern(r"// (?P<runner>\w+) Snapshot v\d")
_LITERAL = r"`([^`\\]*(?:\\.[^`\\]*)*)`"
_EXPORT = lazy_pattern(rf"^exports\[{_LITERAL}\] = {_LITERAL};", re.MULTILINE | re.DOTALL)
_TEMPLATE = lazy_pattern(r"\\(\\|`|\$\{)")
_ESCAPED = lazy_pattern(r'\\(["\\])')
_MEMBER = lazy_pattern(r'"(.*?)": (.*)')
_OF_ONE_SCHEMA = lazy_pattern(r"\btools?:? +[`'\"]?([\w./-]+)\b.*\b(inputSchema|outputSchema)\b", re.IGNORECASE)
"""The name of a test about one schema of one tool."""
_OPENING = {"{": "}", "Object {": "}", "[": "]", "Array [": "]"}
_EMPTY: dict[str, Any] = {"{}": {}, "Object {}": {}, "[]": [], "Array []": []}
_OF_ZOD = "~standard"
"""A member of schemas that zod makes, which it hides from JSON and not from pretty-format."""
_MAX_NAME = 500
"""Most characters of the name of a test that are read, because looking for two words takes time quadratic in them."""
_MAX_DEPTH = 200
"""Nesting, as in other recordings."""


class _OmittedError(Exception):
    """A value that JSON does not have, such as a function, which is not sent to a client either."""


class _UnreadableError(Exception):
    """A line that pretty-format does not write."""


def is_test_snapshot(text: str) -> bool:
    """True for a document that begins as such a file does."""
    return _HEADER.match(text) is not None


def tools_of_snapshot(text: str, what: str) -> dict[str, Any]:
    """What a file records as a ``tools/list`` result; the first of several exports about a tool counts.

    Args:
        text: the file.
        what: its name in messages.

    Raises:
        FileFormatError: an export about tools cannot be read, or there is none.
    """
    header = _HEADER.match(text)
    bun = header is not None and header["runner"] == "Bun"
    tools: dict[str, dict[str, Any]] = {}
    for found in _EXPORT.finditer(text.replace("\r\n", "\n")):
        name, written = (_TEMPLATE.sub(r"\1", part) for part in found.groups())
        try:
            value = _read(written.strip("\n"), escaped=bun or "Object {" in written or "Array [" in written)
        except (_UnreadableError, _OmittedError):
            if "inputSchema" not in written:
                continue  # of another test
            raise FileFormatError(
                f'{what} has the snapshot "{one_line(name, 80)}", which cannot be read.',
                "Record the server instead: mcp-governor snapshot TARGET -o mcp-surface.json",
            ) from None
        for tool in _tools_in(value, name):
            tools[tool["name"]] = {**tool, **tools.get(tool["name"], {})}
    listed = [tool for tool in tools.values() if "inputSchema" in tool]
    if not listed:
        raise FileFormatError(
            f"{what} contains no tool: no snapshot in it is a list of tools, a tool or the schema of one.",
            "Name the file of the test that lists the tools.",
        )
    return {"tools": listed}


def _tools_in(value: Any, name: str) -> Iterator[dict[str, Any]]:
    if isinstance(value, str):
        try:
            value = read_json(value)
        except (ValueError, RecursionError):
            return
    if isinstance(value, dict) and isinstance(value.get("result"), dict):
        value = value["result"]
    if isinstance(value, dict) and isinstance(value.get("tools"), list):
        value = value["tools"]
    of_schema = _OF_ONE_SCHEMA.search(name[:_MAX_NAME])
    if isinstance(value, dict) and of_schema is not None and "inputSchema" not in value:
        yield {"name": of_schema[1], of_schema[2]: value}
        return
    for tool in value if isinstance(value, list) else [value]:
        if isinstance(tool, dict) and isinstance(tool.get("name"), str) and isinstance(tool.get("inputSchema"), dict):
            yield tool


def _read(text: str, *, escaped: bool) -> Any:
    lines = f"{text},".split("\n")
    value, end = _value(lines, 0, lines[0], 0, escaped=escaped)
    if end != len(lines):
        raise _UnreadableError
    return value


def _value(lines: list[str], at: int, rest: str, depth: int, *, escaped: bool, named: bool = False) -> tuple[Any, int]:
    """The value that begins with ``rest`` on a line, and the line after it."""
    if depth > _MAX_DEPTH:
        raise _UnreadableError
    bare = rest.removesuffix(",")
    if bare in _EMPTY:
        return type(_EMPTY[bare])(), at + 1
    if bare in _OPENING:
        return _members(lines, at + 1, _OPENING[bare], depth + 1, escaped=escaped)
    if bare.startswith('"'):
        return _string(lines, at, rest, depth, escaped=escaped, named=named)
    try:
        return json.loads(bare), at + 1
    except ValueError:
        raise _OmittedError(at + 1) from None


def _members(lines: list[str], at: int, closing: str, depth: int, *, escaped: bool) -> tuple[Any, int]:
    found: dict[str, Any] = {}
    listed: list[Any] = []
    indent, end = "  " * depth, f"{'  ' * (depth - 1)}{closing}"
    while at < len(lines):
        if lines[at].removesuffix(",") == end:
            return (found if closing == "}" else listed), at + 1
        member = _MEMBER.fullmatch(lines[at].removeprefix(indent)) if closing == "}" else None
        if not lines[at].startswith(indent) or (member is None and closing == "}"):
            raise _UnreadableError
        try:
            rest = member[2] if member else lines[at][len(indent) :]
            value, at = _value(lines, at, rest, depth, escaped=escaped, named=member is not None)
        except _OmittedError as omitted:
            at = omitted.args[0]
            continue
        if not member:
            listed.append(value)
        elif member[1] != _OF_ZOD:
            found[member[1]] = value
    raise _UnreadableError


def _string(lines: list[str], at: int, rest: str, depth: int, *, escaped: bool, named: bool) -> tuple[str, int]:
    """A string of one line or of several; the last one is followed by a member or by the end of what contains it."""
    parts: list[str] = []
    line = rest
    while True:
        at += 1
        last = at == len(lines)
        if line.endswith('",') and (parts or len(line) > 2) and (last or _ends_member(lines[at], depth, named=named)):
            text = "\n".join([*parts, line.removesuffix('",')])[1:]
            return (_ESCAPED.sub(r"\1", text) if escaped else text), at
        if last:
            raise _UnreadableError
        parts.append(line)
        line = lines[at]


def _ends_member(following: str, depth: int, *, named: bool) -> bool:
    """True if a line begins the next member at a depth, or closes what contains the member before."""
    indent = "  " * depth
    if following.removesuffix(",") in (f"{indent[2:]}}}", f"{indent[2:]}]"):
        return True
    member = following[len(indent) :]
    if depth == 0 or not following.startswith(indent):
        return False
    return _MEMBER.fullmatch(member) is not None if named else not member.startswith((" ", "}", "]"))


SUFFIX = ".snap"
MAX_TOOLS = 10_000
"""Maximum number of files in a folder; the largest known has 400. A folder with more is rejected."""


def is_snapshot_folder(path: Path) -> bool:
    """True if a path is a folder of snapshots."""
    try:
        return path.is_dir() and any(entry.suffix == SUFFIX for entry in path.iterdir())
    except (OSError, ValueError):
        return False


def load_folder(
    path: Path, *, what: str, parse: Callable[[bytes, str], Any], tiers: TierRules = NO_TIER_RULES
) -> Surface:
    """The surface recorded in a folder of snapshots, which contains tools only, and no version.

    Args:
        path: the folder.
        what: its name in messages.
        parse: parses a JSON document with a given name, within the limits of recordings.
        tiers: globs from the configuration.

    Raises:
        FileFormatError: a file cannot be read or is not JSON, or no file contains a tool.
    """
    try:
        files = list_files(path, SUFFIX, most=MAX_TOOLS)
    except OSError as error:
        raise FileFormatError(f"{what} cannot be read: {error.strerror}.", "Check the path.") from None
    own: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for file in files:
        shown = f"{what}/{visible(file.name)}"
        try:
            tool = parse(read_bytes(file), shown)
        except OSError as error:
            raise FileFormatError(f"{shown} cannot be read: {error.strerror}.", "Check the path.") from None
        listed = tool.get("tools") if isinstance(tool, dict) else None
        for one in listed if isinstance(listed, list) else [tool]:
            if isinstance(one, dict) and isinstance(one.get("name"), str) and "inputSchema" in one:
                name = one["name"]
                (own if file.stem == name else others).setdefault(name, one)
    # A variant is used only if the tool has no snapshot of its own.
    tools = {**others, **own}
    if not tools:
        raise FileFormatError(
            f"{what} contains no tool: none of its {SUFFIX} files is an entry of tools/list.",
            "Name the folder of snapshots.",
        )
    return build_surface({"tools": [tools[name] for name in sorted(tools)]}, tiers=tiers, source=what)
