"""Tools of other servers, among which a search has to find ours: any file or folder of recorded surfaces."""

from __future__ import annotations

import gzip
import io
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.errors import FileFormatError
from mcp_governor.evaluation.fields import tool_text
from mcp_governor.evaluation.offering import offered_tools
from mcp_governor.files import MAX_BYTES, MEBIBYTE, list_files, read_bytes
from mcp_governor.surface import build_surface
from mcp_governor.surface.file import parse_json, parse_surface
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from mcp_governor.evaluation.fields import ToolText

MAX_FILES = 2_000
"""Maximum number of recordings in a folder: the public registry has about so many servers that start without a key."""

MAX_TOOLS = 50_000
"""Maximum number of tools; a search over them takes a second, and no host offers that many."""


class Crowd(Struct, frozen=True):
    """Tools of other servers.

    Attributes:
        servers: the tools of each recording, in the order of the files.
    """

    servers: tuple[tuple[ToolText, ...], ...]

    @property
    def tools(self) -> tuple[ToolText, ...]:
        """The tools of all recordings."""
        return tuple(tool for server in self.servers for tool in server)

    def besides(self, own: Iterable[ToolText]) -> tuple[ToolText, ...]:
        """The tools without the recordings of our own server: those that share most of their names with it.

        Another release of the server has nearly the same words, and would push each of its tools to the second place.
        """
        names = {tool.name for tool in own}
        return tuple(
            tool
            for server in self.servers
            if 2 * sum(one.name in names for one in server) <= len(server)
            for tool in server
        )


def load_crowd(path: Path) -> Crowd:
    """Read a recorded surface, or all in a folder and its subfolders: ``.json``, also as ``.json.gz``.

    A document that holds several releases (version → surface) counts with its last one.

    Raises:
        FileFormatError: a file cannot be read or is not a recording, or there is none, or too many.
    """
    shown = visible(str(path))
    try:
        files = [path]
        if path.is_dir():
            files = sorted(
                (
                    *list_files(path, ".json", most=MAX_FILES, deep=True),
                    *list_files(path, ".json.gz", most=MAX_FILES, deep=True),
                )
            )
    except OSError as error:
        raise FileFormatError(f"{shown} cannot be read: {error.strerror}.", "Check the path.") from None
    servers: list[tuple[ToolText, ...]] = []
    for file in files:
        found = _tools(file, alone=not path.is_dir())
        if found is not None:
            servers.append(tuple(found))
        if sum(map(len, servers)) > MAX_TOOLS:
            raise FileFormatError(f"{shown} has more than {MAX_TOOLS:,} tools.", "Name a smaller folder.")
    if not servers:
        raise FileFormatError(
            f"{shown} has no recorded surface.", "Record some: mcp-governor snapshot TARGET -o DIR/NAME.json"
        )
    return Crowd(tuple(servers))


def _tools(file: Path, *, alone: bool) -> list[ToolText] | None:
    """The tools of one recording; ``None`` if a file of a folder is something else."""
    shown = visible(str(file))
    try:
        data = read_bytes(file)
        document = parse_json(_unpacked(data) if file.suffix == ".gz" else data, shown)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "it is not a whole gzip file"
        raise FileFormatError(f"{shown} cannot be read: {reason}.", "Check the file.") from None
    releases = _releases(document)
    if releases is not None:
        surface = build_surface(releases, source=shown)
    elif not alone and not _looks_recorded(document):
        return None
    else:
        import json

        surface = parse_surface(json.dumps(document), shown)
    return [tool_text(tool) for tool in offered_tools(surface)]


def _unpacked(data: bytes) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        text = stream.read(MAX_BYTES + 1)
    if len(text) > MAX_BYTES:
        raise OSError(0, f"it is larger than {MAX_BYTES // MEBIBYTE} MiB when unpacked")
    return text


def _releases(document: Any) -> dict[str, Any] | None:
    """The last of several releases in one document."""
    if not isinstance(document, dict) or not document or "tools" in document or "result" in document:
        return None
    last = list(document.values())[-1]
    recorded = all(isinstance(value, dict) and isinstance(value.get("tools"), list) for value in document.values())
    return last if recorded else None


def _looks_recorded(document: Any) -> bool:
    if isinstance(document, list):
        return bool(document) and all(isinstance(item, dict) and "name" in item for item in document)
    if not isinstance(document, dict):
        return False
    result = document.get("result")
    return isinstance(document.get("tools"), list) or (isinstance(result, dict) and "tools" in result)
