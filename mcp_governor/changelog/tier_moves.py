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
_NAMES = "|".join(Tier)
_THE = r"(?:(?:the|an?|its)\s+)?(?:tier\s+)?(?<![\w-])"
_TIER = rf"{_THE}(?:{_NAMES})(?![\w-]*[_(])"
# What may follow the tier that something moves to; `switch to standard search` names a tool.
_ENDS = (
    r"(?=[-\s]*(?:$|[.,:;!?)(\]]|[-–—]|(?:tier|level|catalog(?:ue)?|only|tools?)\b(?!\s+`)|v?\d"
    r"|(?:in|from|as\s+of|with|on|at|by|after|since|and|once|when|because|starting|effective|instead)\b))"
)
_THE_TIER = rf"{_THE}(?P<tier>{_NAMES}){_ENDS}"
_VERB = r"(?:mov|demot|lower|downgrad|shift|reclassif|switch|drop|chang|go(?:es|ing)?\b|reassign)\w*"
_RELEASE = r"(?:\bv?\d+(?:\.(?:\d+|x))+|\bv\d+|\bnext\s+(?:major|minor|release|version)|\bfuture\s+(?:major|release))"

# Each says which tier it will be; tried in this order.
_MOVES = tuple(
    lazy_pattern(pattern, re.IGNORECASE)
    for pattern in (
        # from standard to advanced; tier: standard → advanced
        rf"{_TIER}(?:[-\s]tier)?(?:\s+tools?)?\s*,?\s*(?:to|into|→|-+>|=+>)\s*{_THE_TIER}",
        # will move (down) to the advanced tier; is demoted to advanced
        rf"\b{_VERB}[^.;\n]{{0,60}}?\b(?:to|into|as)\s+{_THE_TIER}",
        # becomes (an) advanced (tool); will be advanced; will only be listed in advanced
        rf"\b(?:becom(?:es?|ing)|will\s+(?:only\s+)?be(?:\s+listed\s+in)?|going\s+to\s+be)\s+{_THE_TIER}",
    )
)
_LEAVES = lazy_pattern(
    rf"\b(?:leav(?:e|es|ing)|drop(?:s|ped|ping)?(?:\s+out)?\s+(?:of|from)|removed\s+from|no\s+longer\s+(?:be\s+)?"
    rf"(?:part\s+of|in|listed\s+in))\s+(?:the\s+|its\s+)?"
    rf"(?:{_TIER}(?:[-\s]+(?:tier|catalog(?:ue)?|tools?|list(?:ing)?))"
    r"|default\s+(?:tiers?|catalog(?:ue)?|list(?:ing)?|tools/list|tools))"
    rf"|\bno\s+longer\s+(?:be\s+)?{_TIER}{_ENDS}",
    re.IGNORECASE,
)
_STAYS = lazy_pattern(
    rf"(?:\b(?:not|never|no\s+longer)|n['’]t)\s+(?:\w+\s+)?(?:{_VERB}|becom(?:e|ing)\b)"
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
    if found is not None:
        return TierMove(tools, Tier(found["tier"].lower()), ahead=ahead)
    return TierMove(tools, ahead=ahead) if _LEAVES.search(text) else None
