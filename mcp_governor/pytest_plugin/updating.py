"""``--mcp-update``: record the server in the surface file, as ``snapshot`` does, or only what is new in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcp_governor.change.vocabulary import Verdict
from mcp_governor.checking.reading import changes_between, read_surface, refuse_empty, with_schema_version
from mcp_governor.report.finding_groups import named_tools
from mcp_governor.surface import build_surface, dump_surface, load_surface
from mcp_governor.target.resolve import baseline_file
from mcp_governor.text import printable, visible
from mcp_governor.writing import write_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.config import Config
    from mcp_governor.surface import Surface

NEW = "new"
_BY_NAME = ("tools", "prompts", "resources", "resourceTemplates")
"""The lists of a surface file."""


def update(what: str, target: str | None, config: Config) -> Iterator[str]:
    """Write the surface file, and say what has changed in it.

    Args:
        what: ``all``, or ``new`` for only what the file does not have.
        target: the server, ``None`` for the configured one.
        config: names the file.

    Returns:
        Lines that are safe to print.

    Raises:
        GovernorError: the server cannot be read, or the file cannot be read or written.
    """
    name = baseline_file(config)
    path = config.resolve(name)
    now = read_surface(target, config=config)
    refuse_empty(now)
    now = with_schema_version(now, config)
    before = load_surface(path, what=name) if path.exists() else None
    after = _added(before, now) if what == NEW and before is not None else now
    text = dump_surface(after)
    if before is not None and text.encode("utf-8", "backslashreplace") == path.read_bytes():
        yield printable(f"{visible(name)}: unchanged")
        return
    write_file(path, text, root=config.root, shown=name)
    yield printable(f"{visible(name)}: {_difference(before, after) if before is not None else 'written'}")
    if before is not None and (broken := _broken(before, after, config)):
        yield printable(f"{visible(name)}: the update contains breaking changes of {named_tools(broken)}")


def _added(before: Surface, now: Surface) -> Surface:
    """A recorded surface with what only the current one has."""
    document, other = (json.loads(dump_surface(surface)) for surface in (before, now))
    for part in _BY_NAME:
        known = {_key(entry) for entry in document.get(part, [])}
        more = [entry for entry in other.get(part, []) if _key(entry) not in known]
        if more:
            document[part] = [*document.get(part, []), *more]
    document["tiers"] = {**other.get("tiers", {}), **document.get("tiers", {})}
    return build_surface(document, source=before.source)


def _key(entry: Any) -> str:
    named = entry if isinstance(entry, dict) else {}
    return str(next((named[key] for key in ("name", "uri", "uriTemplate") if key in named), json.dumps(entry)))


def _broken(before: Surface, after: Surface, config: Config) -> list[str]:
    """The tools that clients of the former surface cannot use as before; ``server`` for the server itself."""
    changes = changes_between(before, after, config)
    return list(dict.fromkeys(one.tool or "server" for one in changes if one.verdict is not Verdict.COMPATIBLE))


def _difference(before: Surface, after: Surface) -> str:
    """What has changed, by tool."""
    old, new = ({tool.name: tool.raw for tool in surface.tools} for surface in (before, after))
    parts = {
        "new": [name for name in new if name not in old],
        "changed": [name for name in new if name in old and new[name] != old[name]],
        "removed": [name for name in old if name not in new],
    }
    said = [f"{kind} {named_tools(names)}" for kind, names in parts.items() if names]
    return f"updated: {'; '.join(said)}" if said else "updated: no tool has changed"
