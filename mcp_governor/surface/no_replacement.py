"""Phrases for "there is no replacement", in descriptions and changelogs alike."""

from __future__ import annotations

import re

from mcp_governor.lazy import lazy_pattern

_ADJECTIVES = (
    r"(?:(?:direct|drop-?in|planned|exact|known|new|suitable|other|real|single|one-to-one|1:1|like-for-like|immediate"
    r"|viable|obvious|further)\s+){0,2}"
)
_NOUNS = r"(?:replacements?|successors?|substitutes?|alternatives?|equivalents?|counterparts?|migration(?:\s+path)?)\b"
_REPLACED = r"(?:replac(?:ed|es?|ing)|supersed(?:ed|es?|ing)|succeed(?:ed|s)?|substitut(?:ed|es?|ing))\b"
_INSTEAD = rf"(?:{_REPLACED}|instead\b|in\s+(?:its|their)\s+(?:place|stead)\b|tak(?:es?|ing)\s+(?:its|their|over)\b)"
_NONE = r"(?:none|nothing|nil|null|n/a|no)\b"

# "no alternative but to use …" names a replacement.
_NOTHING = lazy_pattern(
    rf"\b(?:no|without(?:\s+(?:an?|any))?)\s+{_ADJECTIVES}{_NOUNS}(?!\s+(?:but|than|other\s+than|except)\b)"
    rf"|(?:\bnot|n['’]t|\bnever)\s+(?:have|need|require|get|offer|provide|ha[ds])\s+(?:an?|any)\s+{_ADJECTIVES}{_NOUNS}"
    rf"|\b(?:nothing|nobody|no\s+(?:other\s+)?(?:tool|one|call|command))\b[^.;`\n]{{0,40}}?\b{_INSTEAD}"
    rf"|\b(?:replaced|superseded|succeeded)\s+by\s+(?:nothing|nobody|no\s+(?:other\s+)?tool)\b|\buse\s+nothing\s+instead\b"
    rf"|(?:\b(?:not|never)|n['’]t)\s+(?:(?:be|been|being|get|going\s+to\s+be|directly)\s+){{0,2}}{_REPLACED}"
    rf"|\b(?:replacement|replaced\s+by|successor|alternative|migration|instead|use)(?:\s+tool)?[*_`]{{0,2}}"
    rf"\s*[:=]\s*[*_`]{{0,2}}{_NONE}|\bthere\s+(?:is|are)\s+none\b|\b(?:stop\s+(?:calling|using)\s+(?:it|them)\b)",
    re.IGNORECASE,
)


def nothing_instead(text: str) -> int | None:
    """Finds words that say that there is no replacement ("no replacement", "nothing replaces it").

    Returns:
        The position of the first such words; ``None`` if there are none.
    """
    found = _NOTHING.search(text)
    return found.start() if found is not None else None
