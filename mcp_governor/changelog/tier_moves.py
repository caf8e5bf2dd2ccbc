"""Recognise announcements that a tool will move to another tier.

The form that the documentation recommends, under Deprecated::

    - `search` moves from standard to advanced in 2.0.0.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.changelog.reading import code_spans
from mcp_governor.findings import Tier
from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from mcp_governor.changelog.model import Entry

TIERS = frozenset(tier.value for tier in Tier)

_MARKED = lazy_pattern(rf"([`*\"'“”]{{1,3}})({'|'.join(Tier)})([`*\"'“”]{{1,3}})", re.IGNORECASE)
_TIER = rf"(?:(?:the|an?|its)\s+)?(?:tier\s+)?(?<![\w-])(?:{'|'.join(Tier)})(?![\w-]*[_(])"
_THE_TIER = rf"(?:(?:the|an?|its)\s+)?(?:tier\s+)?(?<![\w-])(?P<tier>{'|'.join(Tier)})"
# What may follow the tier that something moves to; `switch to standard search` names a tool.
_ENDS = (
    r"(?=[-\s]*(?:$|[.,:;!?)(\]]|[-–—]|(?:tier|level|catalog(?:ue)?|only|tools?)\b(?!\s+`)|v?\d"
    r"|(?:in|from|as\s+of|with|on|at|by|after|since|and|once|when|because|starting|effective|instead)\b))"
)
_ARROW = r"(?:to|into|down\s+to|→|➜|⇒|-+>|=+>)"
_VERB = (
    r"(?:mov(?:e[sd]?|ing)|demot(?:e[sd]?|ing)|lower(?:s|ed|ing)?|downgrad(?:e[sd]?|ing)|shift(?:s|ed|ing)?"
    r"|reclassif(?:y|ies|ied)|relegat(?:e[sd]?|ing)|transition(?:s|ed|ing)?|switch(?:es|ed|ing)?|step(?:s|ping)?"
    r"|drop(?:s|ped|ping)?|chang(?:e[sd]?|ing)|go(?:es|ing)?|reassign(?:s|ed)?|push(?:es|ed)?|put|transfer(?:s|red)?)"
)
_RELEASE = r"(?:\bv?\d+(?:\.(?:\d+|x))+|\bv\d+|\bnext\s+(?:major|minor|release|version)|\bfuture\s+(?:major|release))"

# Each says which tier it will be; tried in this order.
_MOVES = tuple(
    lazy_pattern(pattern, re.IGNORECASE)
    for pattern in (
        # from standard to advanced; tier: standard → advanced
        rf"{_TIER}(?:[-\s]tier)?(?:\s+tools?)?\s*,?\s*{_ARROW}\s*(?:being\s+)?{_THE_TIER}{_ENDS}",
        # will move (down) to the advanced tier; is demoted to advanced; goes advanced
        rf"\b{_VERB}\b[^.;\n]{{0,60}}?\b(?:to|into|as|in)\s+{_THE_TIER}{_ENDS}",
        rf"\bgo(?:es|ing)?\s+{_THE_TIER}{_ENDS}",
        # becomes (an) advanced (tool); will be advanced; will only be listed under advanced
        rf"\b(?:becom(?:es?|ing)|will\s+be|going\s+to\s+be|turns?(?:\s+into)?|to\s+be|counts?\s+as|opt(?:ing)?[-\s]in\s+to"
        rf"|(?:listed|available|visible|published|offered|appears?)\s+(?:only\s+)?(?:as|under|in|with)|requires?|needs?)"
        rf"\s+(?:only\s+|merely\s+|just\s+)?(?:in\s+|part\s+of\s+)?{_THE_TIER}{_ENDS}",
        # in 2.0.0 it is advanced; tier from 2.0.0: advanced
        rf"{_RELEASE}[^.;\n]{{0,40}}?(?:\b(?:is|are)|:)\s+(?:only\s+)?{_THE_TIER}{_ENDS}",
    )
)
# advanced from 2.0.0 on; tried last, for what leaves a tier in 2.0.0 says the same
_FROM = lazy_pattern(
    rf"{_THE_TIER}(?:[-\s]+(?:tier|only))?,?\s+(?:in|from|as\s+of|since|with|starting(?:\s+(?:in|with))?)\s+"
    rf"(?:the\s+)?{_RELEASE}",
    re.IGNORECASE,
)
_LEAVES = lazy_pattern(
    rf"\b(?:leav(?:e|es|ing)|drop(?:s|ped|ping)?(?:\s+out)?\s+(?:of|from)|removed\s+from|no\s+longer\s+(?:be\s+)?"
    rf"(?:part\s+of|in|listed\s+in)|los(?:es|ing))\s+(?:the\s+|its\s+)?"
    rf"(?:{_TIER}(?:[-\s]+(?:tier|catalog(?:ue)?|status|tools?|list(?:ing)?))"
    r"|default\s+(?:tiers?|catalog(?:ue)?|list(?:ing)?|tools/list|tools))"
    rf"|\bno\s+longer\s+(?:be\s+)?{_TIER}{_ENDS}"
    rf"|\bdeprecated\s+(?:as|in|from)\s+{_TIER}{_ENDS}|{_TIER}[-\s]+(?:tier|status)[^.;\n]{{0,60}}?\bdeprecated\b",
    re.IGNORECASE,
)
_STAYS = lazy_pattern(
    rf"(?:\b(?:not|never|no\s+longer)|n['’]t)\s+(?:\w+\s+)?(?:{_VERB}|becom(?:e|ing))\b"
    rf"|\b(?:stays?|remains?|keeps?)\s+(?:in\s+|at\s+|on\s+)?{_TIER}",
    re.IGNORECASE,
)
_AHEAD = lazy_pattern(rf"\b(?:will|going\s+to|planned|upcoming|soon)\b|{_RELEASE}", re.IGNORECASE)


class TierMove(Struct, frozen=True):
    """An announced move of tools between tiers.

    Attributes:
        tools: in backticks; globs are allowed.
        target: their new tier; ``None`` if the entry only names the tier that they leave.
        stays: they keep their tier after all.
        ahead: it is announced as something to come.
    """

    tools: tuple[str, ...]
    target: Tier | None = None
    stays: bool = False
    ahead: bool = False

    def reaches(self, tier: Tier) -> bool:
        """True if a tool that went as low as ``tier`` did what was announced."""
        return self.target is None or self.target.rank <= tier.rank


def tier_move(entry: Entry) -> TierMove | None:
    """The announced move in an entry; ``None`` if it is about something else."""
    if not any(tier in entry.text.lower() for tier in (*TIERS, "default")):
        return None
    text = _MARKED.sub(lambda match: match[2], entry.text)
    tools = replace(entry, text=text, spans=code_spans(text)).leading
    if not tools:
        return None
    if _STAYS.search(text):
        return TierMove(tools, stays=True)
    ahead = _AHEAD.search(text) is not None
    found = next(filter(None, (pattern.search(text) for pattern in _MOVES)), None)
    if found is None and _LEAVES.search(text):
        return TierMove(tools, ahead=ahead)
    found = found or _FROM.search(text)
    return TierMove(tools, Tier(found["tier"].lower()), ahead=ahead) if found is not None else None
