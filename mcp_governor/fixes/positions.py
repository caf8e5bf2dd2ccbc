"""Maps JSON pointers to lines and columns of a recorded file, for code frames and for SARIF."""

from __future__ import annotations

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.pointers import join_pointer, unescape_pointer
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcp_governor.surface.model import Surface

_SPACE = lazy_pattern(r"[ \t\n\r]*")
# Numbers stay text: their digits would cost time, and may be too many for Python.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
_FRAME_WIDTH = 100
"""Maximum number of characters per line in a code frame: what terminals show next to the line number. A longer line is
cut around the place."""


class Position(Struct, frozen=True):
    """A position in a file. Line and column count from 1; columns are in code points."""

    line: int
    column: int


class _Wanted:
    """The requested pointers as a tree; each node stores where it was found."""

    __slots__ = ("below", "offset")

    def __init__(self) -> None:
        self.below: dict[str, _Wanted] = {}
        self.offset: int | None = None


_NOTHING = _Wanted()


def locate_all(text: str, pointers: Iterable[str]) -> dict[str, Position | None]:
    """Locate the values at several pointers in a JSON document, in one pass over the text.

    The position of an object's member is where its key begins, that of any other value is where the value begins. A
    pointer to a missing value gets the position of its last existing ancestor. All are ``None`` if the text is not
    JSON.
    """
    wanted = {pointer: [unescape_pointer(token) for token in pointer.split("/")[1:]] for pointer in pointers}
    root = _Wanted()
    for tokens in wanted.values():
        node = root
        for token in tokens:
            node = node.below.setdefault(token, _Wanted())
    try:
        start = _skip_space(text, 1 if text.startswith("\ufeff") else 0)
        root.offset = start
        _walk(text, start, root)
    except (IndexError, ValueError, RecursionError):
        return dict.fromkeys(wanted)
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    return {pointer: _position(starts, _deepest(root, tokens)) for pointer, tokens in wanted.items()}


def _deepest(root: _Wanted, tokens: Sequence[str]) -> int:
    node, offset = root, root.offset or 0
    for token in tokens:
        node = node.below[token]
        if node.offset is None:
            break
        offset = node.offset
    return offset


def _skip_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _walk(text: str, at: int, node: _Wanted) -> int:
    """Read one value, store the offsets of requested values in it, and return the end of the value."""
    opening = text[at]
    if opening not in "{[" or not node.below:
        return _end(text, at)
    at, index = _skip_space(text, at + 1), 0
    while text[at] not in "}]":
        start, key = at, str(index)
        if opening == "{":
            key, at = scanstring(text, at + 1, True)
            at = _skip_space(text, at)
            if text[at] != ":":
                raise ValueError(at)
            at = _skip_space(text, at + 1)
        inner = node.below.get(key, _NOTHING)
        if inner is not _NOTHING and inner.offset is None:
            inner.offset = start
        at, index = _skip_space(text, _walk(text, at, inner)), index + 1
        if text[at] == ",":
            at = _skip_space(text, at + 1)
        elif text[at] not in "}]":
            raise ValueError(at)
    return at + 1


def _end(text: str, at: int) -> int:
    """The end of a value in which nothing is requested: the decoder finds it in a tenth of the time of a walk."""
    return _DECODER.raw_decode(text, at)[1]


def _position(starts: list[int], offset: int) -> Position:
    """The line and the column of an offset.

    Args:
        starts: offsets at which lines begin.
        offset: from the start of the text.
    """
    from bisect import bisect_right

    line = bisect_right(starts, offset)
    return Position(line, offset - starts[line - 1] + 1)


class About(Protocol):
    """Anything with a place in a surface: a finding, or a change."""

    @property
    def tool(self) -> str | None: ...
    @property
    def path(self) -> str: ...


def finding_positions(text: str, surface: Surface, findings: Sequence[About]) -> list[Position | None]:
    """The position of each finding or change in a recorded file.

    Args:
        text: the content of the file from which ``surface`` was read: a surface file, a ``tools/list`` result, a
            response that contains one, or an array of tools.
        surface: as read from it.
        findings: about that surface; those about another file (``FILE:LINE``) get ``None``.
    """
    prefix = _tools_pointer(text)
    order = {tool.name: tool.index for tool in surface.tools}
    pointers = [_document_pointer(finding, prefix, order) for finding in findings]
    found = locate_all(text, {pointer for pointer in pointers if pointer is not None})
    return [found[pointer] if pointer is not None else None for pointer in pointers]


def _tools_pointer(text: str) -> str:
    """The pointer to the list of tools in a recording."""
    try:
        document = json.loads(text)
    except ValueError:
        return "/tools"
    if isinstance(document, list):
        return ""
    nested = isinstance(document, dict) and "tools" not in document and isinstance(document.get("result"), dict)
    return "/result/tools" if nested else "/tools"


def _document_pointer(finding: About, prefix: str, order: dict[str, int]) -> str | None:
    if finding.path and not finding.path.startswith("/"):
        return None
    if finding.tool is not None:
        index = order.get(finding.tool)
        return None if index is None else join_pointer(prefix, index) + finding.path
    if finding.path == "/tools" or finding.path.startswith("/tools/"):
        return prefix + finding.path.removeprefix("/tools")
    return prefix.removesuffix("/tools") + finding.path


def code_frame(text: str | Sequence[str], position: Position, *, around: int = 1) -> str:
    """The line at a position with ``around`` lines before and after it, numbered, and a caret below the column.

    ``text`` may be a list of lines, so that many frames of one file split it only once.

    The result is safe to print: control and invisible characters are escaped, and long lines are cut around the column.
    """
    lines = text.split("\n") if isinstance(text, str) else text
    first = max(1, position.line - around)
    last = min(len(lines), position.line + around)
    width = len(str(last))
    left = max(0, position.column - 1 - _FRAME_WIDTH // 2) if len(lines[position.line - 1]) > _FRAME_WIDTH else 0
    out = []
    for number in range(first, last + 1):
        line = lines[number - 1].rstrip("\r")
        marker = ">" if number == position.line else " "
        shown = visible(line[left : left + _FRAME_WIDTH].replace("\t", " "))
        out.append(f"{marker} {number:>{width}} | {'…' if left else ''}{shown}".rstrip())
        if number == position.line:
            before = visible(line[left : position.column - 1].replace("\t", " "))
            out.append(f"  {'':>{width}} | {' ' * (len(before) + (1 if left else 0))}^")
    return "\n".join(out)
