"""Descriptions that say if a parameter is required."""

from __future__ import annotations

import re

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.prose import type_note

# At the start, or in brackets at the end of a phrase; not before a noun ("required scopes") or a condition.
_SAYS = Guarded(
    r"^[\[(]?(?:always\s)?(required|mandatory|optional)\b[\])]?(?:\s(?:parameter|argument|field))?"
    r"\s?(?:[.:,;–](?:\s|$)|-\s|$|(?<=[\])]))"
    r"|^[^:\n(\[]{0,200}[\[(](required|mandatory|optional)"
    r"(?:,\s(?:default|max|min|e\.g|usually|normally|inferred|detected|taken)[^()\n]{0,40})?[\])]"
    r"(?=\s?(?:$|[.:\n]))"
    r"|^[^:\n(\[]{0,200}(?:[.;]\s|\s[-–—]\s|,\s)(?:always\s)?(required|mandatory|optional)(?=\.?$)"
    r"|\bthis\s(?:field|argument|parameter|property|value|option)?\s?is\s(required|mandatory|optional)(?=\s?(?:$|[.\n]))",
    "required",
    "mandatory",
    "optional",
)
_CONDITIONAL = Guarded(
    r"\b(?:required|mandatory|optional)\)?,?\s(?:if|when|for|unless|with|in|only|but|by|on|to|except|or|and)\b"
    r"|\b(?:required|optional)\b.{0,200}\b(?:required|optional)\b|\bonly\W{1,3}(?:required|mandatory)\b",
    "required",
    "mandatory",
    "optional",
)


_ORDERED = Guarded(
    r"\bthis\s(?:field|argument|parameter|property|value|option)\sis\s(required|mandatory)\s?(?:,\s?)?(?:and|so|as|because)\s"
    r"(?!optional\b|only\b)",
    "required",
    "mandatory",
)


_ORDER = Guarded(
    r"(?:^|\.\s)(?:it\s|this\s)?"
    r"(?:must\s(?:always\s)?be\s(?:provided|specified|given|supplied)|can\s?not\sbe\s(?:omitted|left out))"
    r"(?=\s?(?:$|\.))",
    "must",
    "not be",
)


# Behind "required:", and at the beginning of what a flag says about anything: "If this is optional".
_ANSWERED = lazy_pattern(r"\s?(?:true|false|yes|no)\b", re.IGNORECASE)
_ABOUT_ELSE = lazy_pattern(r"(?:whether|if|when|set to|true if)\s", re.IGNORECASE)


def stated_necessity(text: str) -> str | None:
    """``required`` or ``optional``, if a description says so about the parameter without a condition."""
    if _ORDERED.search(text):
        return "required"
    if _CONDITIONAL.search(text):
        return None
    if _ORDER.search(text):
        return "required"
    match = _SAYS.search(text)
    if match is not None:
        if _ANSWERED.match(text, match.end()) or _ABOUT_ELSE.match(text):
            return None
        said = next(filter(None, match.groups())).lower()
        return "optional" if said == "optional" else "required"
    parts = {part.strip().lower() for part in re.split(r"[,;]", type_note(text))}
    return next((word for word in ("required", "optional") if word in parts), None)
