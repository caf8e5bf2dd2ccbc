"""The surface file, which people review in pull requests, and every other recording that we can read.

The file is deterministic, sorted, indented, and without timestamps: the same surface gives the same bytes on every
machine.
"""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import FileFormatError
from mcp_governor.files import MEBIBYTE, read_bytes
from mcp_governor.parsing import exceeds_depth, read_json
from mcp_governor.surface.fingerprint import fingerprint, wording_fingerprint
from mcp_governor.surface.listings import recorded_listings
from mcp_governor.surface.read import NO_TIER_RULES, TierRules, build_surface
from mcp_governor.text import escape_json, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.surface.model import Surface

FORMAT = "mcp-governor/surface-1"
MAX_VALUES = 2_000_000
"""Maximum number of values in a document. Ten thousand tools as servers publish them have 1.6 million. A file of
brackets takes forty times its size in memory, so larger documents are rejected before they are parsed."""
MAX_TEXT = 128 * MEBIBYTE
"""Maximum size of a decoded document in bytes: Python uses four for every character if one of them needs four."""
MAX_DEPTH = 200
"""Maximum nesting depth: deeper than any schema that a client accepts, and safe for all our recursive walks."""

_BEGINNING = 100
"""Characters in which a snapshot says what it is."""


def parse_json(text: str | bytes, what: str) -> Any:
    """Parse a JSON document within the limits of this module.

    Args:
        text: the document.
        what: its name in messages (``"mcp-surface.json"``).

    Raises:
        FileFormatError: the text is not UTF-8, is not JSON (with line and column), is nested deeper than ``MAX_DEPTH``,
            or is larger than ``MAX_VALUES`` and ``MAX_TEXT`` allow.
    """
    try:
        decoded = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        if decoded.__sizeof__() > MAX_TEXT or sum(map(decoded.count, "[{,")) > MAX_VALUES:
            raise FileFormatError(
                f"{what} contains more than {MAX_VALUES:,} values, or more text than {MAX_TEXT // MEBIBYTE} MiB.",
                "Name a smaller one.",
            )
        value = read_json(decoded)
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{what} is not UTF-8 (byte {error.start}).", "Save it as UTF-8.") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        if error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string"):
            raise FileFormatError(f"{what} is cut off at {where}.", "Record it again.") from None
        raise FileFormatError(f"{what} is not JSON: {error.msg} at {where}.", "Record it again.") from None
    except (RecursionError, ValueError) as error:
        raise FileFormatError(f"{what} cannot be read: {_reason(error)}.", "Record it again.") from None
    if exceeds_depth(value, MAX_DEPTH):
        raise FileFormatError(f"{what} is nested deeper than {MAX_DEPTH} levels.", "Flatten the schema.")
    return value


def parse_recording(text: str | bytes, what: str) -> Any:
    """:func:`parse_json` for a document that may be a snapshot of JavaScript tests as well; its tools then."""
    begin = text[:_BEGINNING]
    begun = begin.decode("utf-8", "replace") if isinstance(begin, bytes) else begin
    if len(text) > MAX_TEXT // 4 or begun.lstrip().startswith("{"):
        return parse_json(text, what)
    from mcp_governor.surface.folders import is_test_snapshot, tools_of_snapshot

    if not is_test_snapshot(begun):
        return parse_json(text, what)
    return tools_of_snapshot(text.decode("utf-8", "replace") if isinstance(text, bytes) else text, what)


def _reason(error: Exception) -> str:
    return f"nested deeper than {MAX_DEPTH} levels" if isinstance(error, RecursionError) else one_line(str(error))


def load_surface(path: str | Path, *, what: str | None = None, tiers: TierRules = NO_TIER_RULES) -> Surface:
    """Load the surface recorded in a file.

    Reads a surface file, a bare ``tools/list`` result, a JSON-RPC response that contains one, an array of tools, or the
    snapshots of JavaScript tests.
    Folders of snapshots are read by :func:`mcp_governor.surface.folders.load_folder`.

    Args:
        path: the file or folder.
        what: its name in messages; defaults to the path.
        tiers: globs from the configuration.

    Raises:
        FileFormatError: the file is missing, unreadable, or none of these.
    """
    shown = what or visible(str(path))
    if os.path.isdir(path):  # noqa: PTH112 - unlike Path.is_dir, it is false for a path that no system accepts
        from mcp_governor.surface.folders import is_snapshot_folder, load_folder

        if is_snapshot_folder(Path(path)):
            return load_folder(Path(path), what=shown, parse=parse_recording, tiers=tiers)
    try:
        data = read_bytes(path)
    except FileNotFoundError:
        raise FileFormatError(f"{shown} does not exist.", f"Record it with: mcp-governor snapshot -o {shown}") from None
    except OSError as error:
        raise FileFormatError(f"{shown} cannot be read: {error.strerror}.", "Check the path.") from None
    return parse_surface(data, shown, tiers=tiers)


def parse_surface(text: str | bytes, what: str, *, tiers: TierRules = NO_TIER_RULES) -> Surface:
    """The surface in a document that messages call ``what``. See :func:`load_surface`."""
    document = parse_recording(text, what)
    recording, recorded = _recording(document, what)
    return build_surface(recording, tiers=TierRules(tiers.globs, recorded), source=what)


def _recording(document: Any, what: str) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    if isinstance(document, list):
        return {"tools": document}, {}
    if isinstance(document, dict):
        declared = document.get("format")
        if declared is not None:
            _check_format(declared, what)
            if not isinstance(document.get("tools"), list):
                raise FileFormatError(f"{what} has no tools array.", "Record it again.")
            tiers = document.get("tiers")
            recorded = {str(k): str(v) for k, v in tiers.items()} if isinstance(tiers, dict) else {}
            return document, recorded
        if isinstance(document.get("tools"), list):
            return document, {}
        result = document.get("result")
        if isinstance(result, dict) and isinstance(result.get("tools"), list):
            return result, {}
    raise FileFormatError(
        f"{what} is not a surface: neither a surface file, nor a tools/list result, nor an array of tools.",
        "Record one with: mcp-governor snapshot TARGET -o mcp-surface.json",
    )


def _check_format(declared: Any, what: str) -> None:
    if declared == FORMAT:
        return
    family, _, number = str(declared).rpartition("-")
    if family == FORMAT.rpartition("-")[0] and number.isdecimal():
        from mcp_governor.installation import upgrade

        raise FileFormatError(
            f"{what} is in format {visible(str(declared))}, newer than {FORMAT}, the newest this version reads.",
            upgrade(),
        )
    raise FileFormatError(
        f'{what} says "format": "{one_line(str(declared), 60)}", which is not a surface file.',
        f"A surface file says {FORMAT}.",
    )


def surface_document(surface: Surface) -> dict[str, Any]:
    """The content of a surface file, tools sorted by name."""
    tiers = {tool.name: tool.tier.value for tool in surface.tools if tool.tier_source != "default"}
    document: dict[str, Any] = {
        "format": FORMAT,
        "fingerprint": fingerprint(surface),
        "wording": wording_fingerprint(surface),
        "serverInfo": dict(surface.server),
        "release": surface.release,
        "schemaVersion": _stated(surface),
        "protocolVersion": surface.protocol,
        "capabilities": dict(surface.capabilities),
        "instructions": surface.instructions,
        "tiers": tiers,
        "optIn": {tool.name: dict(tool.opt_in) for tool in surface.tools if tool.opt_in is not None},
        "tierLists": _contradicting_lists(surface),
        "tools": sorted(surface.entries, key=_sort_key),
        "prompts": sorted(surface.prompts, key=_sort_key),
        "resources": sorted(surface.resources, key=_sort_key),
        "resourceTemplates": sorted(surface.templates, key=_sort_key),
        "skills": None if surface.skill_entries is None else sorted(surface.skill_entries, key=_sort_key),
        "skillFiles": dict(surface.skill_files),
        "listings": recorded_listings(surface),
        "manifest": surface.manifest,
    }
    empty: tuple[Any, ...] = (None, {}, [])
    return {key: value for key, value in document.items() if value not in (empty[:1] if key in _KEPT else empty)}


_KEPT = frozenset({"skills", "tools"})
"""Lists that are recorded when they are empty as well: without skills, nobody has looked for any."""


def _contradicting_lists(surface: Surface) -> dict[str, str]:
    """The tiers of lists that returned tools of another tier; for other tools ``tiers`` contains the same."""
    lists = ((tool, tool.list_tier) for tool in surface.tools)
    return {tool.name: tier.value for tool, tier in lists if tier is not None and tier is not tool.tier}


def _stated(surface: Surface) -> dict[str, str] | None:
    return None if surface.stated is None else dict(zip(("version", "source"), surface.stated, strict=True))


def dump_surface(surface: Surface) -> str:
    """The text of a surface file, ending in a line feed. Lone surrogates stay ``\\udXXX`` escapes."""
    return dump_json(surface_document(surface))


def dump_json(document: Any) -> str:
    """Sorted, indented JSON. Non-ASCII text stays readable, except what UTF-8 lacks or what could deceive a reader."""
    # json.dumps would keep every bracket, comma and indentation as a separate string before joining them.
    pieces = json.JSONEncoder(indent=2, sort_keys=True, ensure_ascii=False).iterencode(document)
    # UTF-8, because one emoji makes a whole string four times as large.
    encoded = bytearray()
    while piece := "".join(itertools.islice(pieces, _PIECES)):
        encoded += escape_json(piece).encode("utf-8", "surrogatepass")
    return encoded.decode("utf-8", "surrogatepass") + "\n"


_PIECES = 10_000
"""Number of encoder pieces joined at a time; each has a few characters."""


def _sort_key(entry: Any) -> tuple[str, str]:
    if isinstance(entry, dict):
        for key in ("name", "uri", "uriTemplate"):
            if isinstance(entry.get(key), str):
                return entry[key], ""
    return "", json.dumps(entry, sort_keys=True)
