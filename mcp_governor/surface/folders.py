"""Folders of snapshots with one tool each, as tests of Go servers keep them (``__toolsnaps__`` of github-mcp-server).

Each ``NAME.snap`` is one tool of ``tools/list`` as JSON, or a snapshot of JavaScript tests. Tests of feature flags keep
variants of a tool in files with other names; a list of names (``_surface.snap``) is not a tool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.errors import FileFormatError
from mcp_governor.files import list_files, read_bytes
from mcp_governor.surface.read import NO_TIER_RULES, TierRules, build_surface
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mcp_governor.surface.model import Surface

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
