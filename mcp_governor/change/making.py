"""The only constructor of changes."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mcp_governor.change.facts import NO_FACTS, Facts, names_on
from mcp_governor.change.model import Change
from mcp_governor.change.registry import catalogue, required_bump
from mcp_governor.change.vocabulary import MISSING, Level, Side, Verdict, value_or_none
from mcp_governor.findings import Tier


def make(
    kind: str,
    tool: str | None,
    path: str,
    *,
    verdict: Verdict | None = None,
    side: Side | None = None,
    tier: Tier = Tier.STANDARD,
    level: Level = Level.DECLARED,
    old: Any = MISSING,
    new: Any = MISSING,
    facts: Facts = NO_FACTS,
    reason: str = "",
    witness: Any = MISSING,
) -> Change:
    """Create a change with the version step that it requires.

    Args:
        kind: its name in the catalogue.
        tool, path, tier, level, reason: as in :class:`Change`.
        verdict, side: by default those of the kind.
        old, new, witness: ``MISSING`` if there is none.
        facts: without ``fields``, the names in the path are the subject of a change to a tool.

    Raises:
        KeyError: there is no such kind.
    """
    meaning = catalogue()[kind]
    verdict = verdict or meaning.verdict
    if tool is not None and not facts.fields and (names := names_on(path)):
        facts = replace(facts, fields=names)
    return Change(
        kind=kind,
        tool=tool,
        path=path,
        side=side or meaning.side,
        verdict=verdict,
        bump=required_bump(verdict, kind, tier),
        facts=facts,
        tier=tier,
        level=level,
        old=value_or_none(old),
        new=value_or_none(new),
        has_old=old is not MISSING,
        has_new=new is not MISSING,
        witness=value_or_none(witness),
        has_witness=witness is not MISSING,
        reason=reason,
    )
