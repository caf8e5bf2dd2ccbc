"""Tools in snapshots of JavaScript tests: the ``.snap`` files of Jest, Vitest and Bun.

A file has an export for each ``toMatchSnapshot()``: a template literal with the value as pretty-format writes it, one
member a line and a comma after each. Since Jest 29, and in Vitest, strings are not escaped: ``"a "quoted" word",``. So
the end of a string is what the next line shows.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import FileFormatError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.parsing import read_json
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

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
