"""References to a page, a picture or a link that is missing: remains of a web page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.declared import declared
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.words import name_words, word_count
from mcp_governor.subjects.context import Context, Hit, hit
from mcp_governor.subjects.phrases import counted
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface

_LINK = lazy_pattern(r"\[([^\[\]\n\"'`{}<>|=]{2,80})\](?!\s?[(\[:])")
_CUE = lazy_pattern(
    r"\b(?:see|click|refers? to|referring to|consult|ref|visit|learn more|details?|guide|documented in|described in)\b"
    r"[^.\[\]\n]{0,30}$",
    re.IGNORECASE,
)
_TITLE = lazy_pattern(
    r"here$|this (?:page|document|link|article)\b|how to\b|more details?\b|learn more\b|"
    r".*\b(?:guide|overview|documentation|docs|manual|faq|tutorial)$",
    re.IGNORECASE,
)
_SHOWN = Guarded(
    r"\bin the (?:image|picture|figure|screenshot|diagram|illustration)s? (?:below|above)\b", " below", " above"
)
_HERE = Guarded(r"\b(?:click|see|documented|described) here\b(?!\s?[:(])(?!.{0,80}https?:)", " here")
_PAGE = Guarded(
    r"\b(?:at|on|in) the (?:bottom|top|end) of this page\b|\bREADME\b(?=:? ['\"])", "of this page", "readme"
)
_DOCS = Guarded(
    r"\b(?:see|refer to|consult) (?:the )?(?-i:[A-Z])[\w!.'’-]{1,20}(?: [a-z.'’-]{1,20}){0,3} (?:docs|documentation)\b"
    r"(?![^\n]{0,200}https?:)",
    *(" docs", " documentation"),
)
"""The manual of a product, without its address."""
_MAX_TEXT = 4_000
"""Maximum number of characters searched per string."""
_MAX_LINKS = 40
"""Maximum number of brackets tried per string; a string with more contains data."""
_FEW_WORDS = 12
"""Maximum number of words in a string that says little apart from its link, the link included."""
_MAX_PLACES = 12
"""Maximum number of places named in a message; the rest are counted."""


def dead_reference(surface: Surface, context: Context) -> Iterator[Hit]:
    """No string refers to something that is missing; one hit for the server."""
    places: dict[tuple[str, str], tuple[int, str]] = {}
    spots: dict[tuple[str, str], tuple[str, str]] = {}
    manual = any(not _MANUALS.isdisjoint(name_words(tool.name)) for tool in surface.tools)
    for one in declared(surface, context):
        if found := _dead(one.schema.get("description"), manual=manual):
            # Strings that say nothing else come first. A tool without its manual is easier to understand than a value.
            rank = 0 if word_count(one.text) <= _FEW_WORDS else 1 if one.required else 2
            named = one_line(one.tool.name, 64), one_line(one.name, 64)
            places.setdefault(named, (rank, found))
            spots.setdefault(named, (one.tool.name, f"{one.pointer}/description"))
    for tool in surface.tools:
        if found := _dead(tool.description, manual=manual):
            places[one_line(tool.name, 64), ""] = (3, found)
            spots[one_line(tool.name, 64), ""] = (tool.name, "/description")
    if not places:
        return
    ordered = sorted(places.items(), key=lambda item: item[1][0])
    shown = [
        f'{f"{name} of {named}" if name else named} ("{one_line(said, 60)}")'
        for (named, name), (_, said) in ordered[:_MAX_PLACES]
    ]
    if len(ordered) > _MAX_PLACES:
        shown.append(counted(len(ordered) - _MAX_PLACES, "more place"))
    yield hit("/tools", spots=(spots[named] for named, _ in ordered), places="; ".join(shown))


_MANUALS = frozenset({"doc", "docs", "documentation", "guide", "help", "manual"})
"""Words of the names of tools that return what a manual says."""


def _dead(value: Any, *, manual: bool) -> str:
    """The first words that refer to something missing, or an empty string.

    Args:
        value: a description.
        manual: the server has a tool for its manual.
    """
    if not isinstance(value, str):
        return ""
    text = value[:_MAX_TEXT]
    if "[" in text:
        for count, link in enumerate(_LINK.finditer(text)):
            if count >= _MAX_LINKS:
                break
            named = link[1]
            is_title = named[0].isupper() or named.lower() == "here"
            cue = _TITLE.match(named) or (" " in named and _CUE.search(text[max(0, link.start() - 48) : link.start()]))
            if is_title and cue and f"[{named}]:" not in text:
                return link[0]
    for pattern in (_SHOWN, _HERE, _PAGE) if manual else (_SHOWN, _HERE, _PAGE, _DOCS):
        if found := pattern.search(text):
            return found[0]
    return ""
