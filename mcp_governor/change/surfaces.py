"""Compares two surfaces, and the servers themselves: name, instructions, capabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcp_governor.change.budget import Budget
from mcp_governor.change.equality import same_json
from mcp_governor.change.model import make
from mcp_governor.change.options import DEFAULT_OPTIONS, ChangeOptions
from mcp_governor.change.renames import match_renamed
from mcp_governor.change.siblings import compare_siblings
from mcp_governor.change.skills import compare_skills
from mcp_governor.change.tools import compare_tool, of_tool
from mcp_governor.change.vocabulary import MISSING, Facts, Level, Side, value_or_none
from mcp_governor.findings import Verdict
from mcp_governor.surface.listings import languages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.change.model import Change
    from mcp_governor.surface.model import Surface


def compare_servers(old: Surface, new: Surface, options: ChangeOptions) -> Iterator[Change]:
    """Changes of what the server publishes about itself. A bare recording has no such data, which is not a change."""

    def changed(kind: str, path: str, before: Any, after: Any) -> Change:
        facts = Facts(fields=(path.rpartition("/")[2],))
        return make(kind, None, path, old=before, new=after, facts=facts)

    if old.name and new.name and old.name != new.name:
        yield changed("server-name-changed", "/serverInfo/name", old.name, new.name)
    for key in ("title", "description", "websiteUrl", "icons"):
        before, after = old.server.get(key, MISSING), new.server.get(key, MISSING)
        if old.server and new.server and not same_json(value_or_none(before), value_or_none(after)):
            yield changed("server-wording-changed", f"/serverInfo/{key}", before, after)
    spoken, speaks = languages(old), languages(new)
    for listing in sorted(spoken.keys() & speaks.keys()):
        if spoken[listing].lower() != speaks[listing].lower():
            yield changed("content-language-changed", f"/listings/{listing}", spoken[listing], speaks[listing])
    if not (_has_handshake(old) and _has_handshake(new)):
        return
    if (old.instructions or "") != (new.instructions or ""):
        yield changed("instructions-changed", "/instructions", old.instructions or MISSING, new.instructions or MISSING)
    if old.same_era(new):
        yield from _capabilities(old, new, options)


def _capabilities(old: Surface, new: Surface, options: ChangeOptions) -> Iterator[Change]:
    """Changed capabilities as one change: an SDK upgrade changes several at once.

    Clients read capabilities on every connection, and the entries of a lost family (tools, prompts, resources) are
    reported one by one. So this is a note, unless the policy says that losing a capability breaks clients.
    """
    before, after = _flags(old.capabilities), _flags(new.capabilities)
    moved = before ^ after
    # A sub-capability is added and removed together with its parent.
    lost, gained = (
        [".".join(flag) for flag in sorted(flags) if not (flag[:-1] and flag[:-1] in moved)]
        for flags in (before - after, after - before)
    )
    if not (lost or gained):
        return
    yield make(
        "capabilities-changed",
        None,
        "/capabilities",
        verdict=Verdict.BREAKING if lost and options.capabilities == "breaking" else Verdict.COMPATIBLE,
        old=lost or MISSING,
        new=gained or MISSING,
        facts=Facts(fields=("capabilities",), lost=tuple(lost), gained=tuple(gained)),
    )


def _has_handshake(surface: Surface) -> bool:
    return bool(surface.server or surface.protocol or surface.capabilities)


def _flags(capabilities: Mapping[str, Any]) -> frozenset[tuple[str, ...]]:
    """Offered capabilities: present ones, and their sub-capabilities unless they are ``false``.

    ``experimental`` is left out, since it promises nothing.
    """
    found: set[tuple[str, ...]] = set()
    for name, value in capabilities.items():
        if name == "experimental" or value is None or value is False:
            continue
        found.add((name,))
        if isinstance(value, dict):
            found |= {(name, key) for key, item in value.items() if item is not None and item is not False}
    return frozenset(found)


_VERDICT_ORDER = {Verdict.BREAKING: 0, Verdict.UNKNOWN: 1, Verdict.COMPATIBLE: 2}


def compare(
    old: Surface,
    new: Surface,
    *,
    level: Level | str = Level.DECLARED,
    options: ChangeOptions = DEFAULT_OPTIONS,
) -> list[Change]:
    """The changes from one surface to the next, with their effect on a client.

    Args:
        old: the surface that clients know.
        new: the surface that replaces it.
        level: ``declared`` reads schemas as people mean them, ``strict`` as pure sets of instances (docs/changes.md,
            Two levels).
        options: the policy for questions that a schema cannot settle.

    Returns:
        Breaking changes first, then unknown ones, then compatible ones with the larger version step first; each sorted
        by tool and place. Never raises because of the content of the surfaces; anything beyond the time in ``options``
        is unknown.

    Raises:
        ValueError: ``level`` is not one of the two.
    """
    level = Level(level)
    budget = Budget.of_run(options)
    changes: list[Change] = []
    gone = [tool for tool in old.tools if tool.name not in new.by_name]
    come = [tool for tool in new.tools if tool.name not in old.by_name]
    renamed = match_renamed(gone, come)
    one_era = old.same_era(new)
    for tool in old.tools:
        successor = new.by_name.get(tool.name) or renamed.get(tool.name)
        if successor is None:
            changes.append(of_tool(tool, "tool-removed", old=tool.name))
            continue
        if tool.name in renamed:
            facts = Facts(successor=successor.name)
            changes.append(of_tool(tool, "tool-renamed", "/name", old=tool.name, new=successor.name, facts=facts))
        changes.extend(compare_tool(tool, successor, level, options, same_era=one_era, run=budget))
    known = {tool.name for tool in renamed.values()}
    changes.extend(of_tool(tool, "tool-added", new=tool.name) for tool in come if tool.name not in known)
    changes.extend(compare_siblings(old, new))
    changes.extend(compare_skills(old, new))
    changes.extend(compare_servers(old, new, options))
    if level is not Level.DECLARED:
        changes = [replace(change, level=level) for change in changes]
    return sorted(changes, key=_order)


def _order(change: Change) -> tuple[int, int, str, bool, str, str]:
    return (
        _VERDICT_ORDER[change.verdict],
        -change.bump.rank,
        change.tool or "",
        change.side is not Side.SURFACE,  # then by path, /inputSchema before /outputSchema
        change.path,
        change.kind,
    )
