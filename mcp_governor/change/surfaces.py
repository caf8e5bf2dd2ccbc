"""Compares two surfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcp_governor.change.budget import Budget
from mcp_governor.change.matching import match_renamed
from mcp_governor.change.options import DEFAULT_OPTIONS, ChangeOptions
from mcp_governor.change.server import compare_servers, same_era
from mcp_governor.change.siblings import compare_siblings
from mcp_governor.change.skills import compare_skills
from mcp_governor.change.tools import compare_tool, compare_unusable, tool_added, tool_removed, tool_renamed
from mcp_governor.change.vocabulary import Level, Side, Verdict

if TYPE_CHECKING:
    from mcp_governor.change.model import Change
    from mcp_governor.surface.model import Surface

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
    one_era = same_era(old, new)
    for tool in old.tools:
        successor = new.by_name.get(tool.name) or renamed.get(tool.name)
        if successor is None:
            changes.append(tool_removed(tool))
            continue
        if tool.name in renamed:
            changes.append(tool_renamed(tool, successor))
        changes.extend(compare_tool(tool, successor, level, options, same_era=one_era, run=budget))
    known = {tool.name for tool in renamed.values()}
    changes.extend(tool_added(tool) for tool in come if tool.name not in known)
    changes.extend(compare_unusable(old, new))
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
