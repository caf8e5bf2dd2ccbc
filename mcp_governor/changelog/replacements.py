"""What entries announce about tools: removals with their replacement, or that there is none, and moves to another tier.

The form that the documentation recommends for a move, under Deprecated::

    - `search` moves from standard to advanced in 2.0.0.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.changelog.model import Kind
from mcp_governor.changelog.reading import code_spans
from mcp_governor.findings import Tier
from mcp_governor.lazy import lazy_pattern
from mcp_governor.surface.deprecations import nothing_instead

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.changelog.model import Changelog, Entry, Section


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


_INSTEAD = lazy_pattern(
    r"\b(?:use|using|call|prefer|switch to|migrate to|replaced (?:by|with)|superseded by|in favou?r of"
    r"|becomes?|became|renamed(?: to)?|called|moved to|merged into|replacement:?)\b|→|->|=>",
    re.IGNORECASE,
)
_RENAMED = lazy_pattern(r"\brenamed\b|\bcalled\b|\bbecomes?\b|\bbecame\b|→|->|=>", re.IGNORECASE)
_INSTEAD_OF = lazy_pattern(r"\b(?:instead of|rather than|in place of)\b", re.IGNORECASE)
_ADVICE = lazy_pattern(r"\b(?:use|call|prefer|switch to|migrate to)\s+(?:the\s+)?(?=`)", re.IGNORECASE)
_OF_A_PART = lazy_pattern(
    r"\b(?:arguments?|parameters?|fields?|propert(?:y|ies)|values?|options?|keys?)\b", re.IGNORECASE
)


class Announcement(Struct, frozen=True):
    """A tool's deprecation as the changelog announces it.

    Attributes:
        tool: the name in backticks.
        section: the release that announced it.
        replacement: what to use instead, ``None`` if the entry does not say.
        nothing: the entry says that nothing replaces it.
        names: every name in the entry.
    """

    tool: str
    section: Section
    replacement: str | None
    names: frozenset[str] = frozenset()
    nothing: bool = False


class Parting(Struct, frozen=True):
    """What an entry takes leave of.

    Attributes:
        names: in backticks, in order.
        replacement: what to use instead, ``None`` if the entry does not say.
        nothing: the entry says that nothing replaces them.
    """

    names: tuple[str, ...]
    replacement: str | None = None
    nothing: bool = False


def parting_of(entry: Entry) -> Parting:
    """The names that an entry takes leave of, and the one to use instead.

    ``use `b` instead`` and ``→ `b``` follow the old name; ``use `b` instead of `a``` puts it last. Where nothing
    replaces them, only advice names a replacement after all: "there is no direct replacement; use `b`".
    """
    denial = nothing_instead(entry.text)
    if denial is not None:
        advice = _ADVICE.search(entry.text)
        replacement = _first(code_spans(entry.text[advice.end() :])) if advice is not None else None
        before = code_spans(entry.text[: min(denial, advice.start()) if advice is not None else denial])
        return Parting(before or entry.leading, replacement, nothing=replacement is None)
    turn = _INSTEAD.search(entry.text)
    if turn is None:
        return Parting(entry.leading)
    before, after = code_spans(entry.text[: turn.start()]), entry.text[turn.end() :]
    if before:
        return Parting(before, _first(code_spans(after)))
    old = _INSTEAD_OF.search(after)
    if old is None:
        return Parting(code_spans(after))
    return Parting(code_spans(after[old.end() :]), _first(code_spans(after[: old.start()])))


def renamed_to(entry: Entry, tool: str) -> str | None:
    """The new name of a tool, if an entry says that it is the same tool under another name: "renamed", "now called",
    or an arrow. A tool that replaces another ("use `b` instead") is not renamed."""
    if is_about_a_part(entry) or not _RENAMED.search(entry.text):
        return None
    parting = parting_of(entry)
    if parting.replacement is None and len(parting.names) == 2:  # "Renamed `a` to `b`"
        return parting.names[1] if parting.names[0] == tool else None
    return parting.replacement if tool in parting.names else None


def _first(spans: tuple[str, ...]) -> str | None:
    return spans[0] if spans else None


def is_about_a_part(entry: Entry) -> bool:
    """True if an entry takes leave of an argument, a field or a value, and not of a tool."""
    turn = _INSTEAD.search(entry.text)
    return _OF_A_PART.search(entry.text[: turn.start()] if turn else entry.text) is not None


def announcements(changelog: Changelog) -> Iterator[Announcement]:
    """Every tool that a Deprecated entry names; entries about an argument, a field or a tier are left out."""
    for section in changelog.sections:
        for entry in section.of_kind(Kind.DEPRECATED):
            if tier_move(entry) is None and not is_about_a_part(entry):
                parting = parting_of(entry)
                for name in parting.names:
                    yield Announcement(name, section, parting.replacement, entry.names, parting.nothing)
