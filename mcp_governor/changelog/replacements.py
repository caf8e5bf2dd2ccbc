"""Parse entries about removals: the removed tools, and their replacement or the statement that there is none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.changelog.model import Kind
from mcp_governor.changelog.reading import code_spans
from mcp_governor.changelog.tier_moves import tier_move
from mcp_governor.lazy import lazy_pattern
from mcp_governor.surface.no_replacement import nothing_instead

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.changelog.model import Changelog, Entry, Section

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
        line: of the entry, from 1.
        names: every name in the entry.
    """

    tool: str
    section: Section
    replacement: str | None
    line: int
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
                    yield Announcement(name, section, parting.replacement, entry.line, entry.names, parting.nothing)
