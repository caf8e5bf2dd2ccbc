"""Descriptions with single spaces and whole lines, as the readers of claims take them."""

from __future__ import annotations

import re

from mcp_governor.lazy import lazy_pattern


def without_name(text: str, argument: str) -> str:
    """The text with single spaces, without empty lines, bold marks, and the parameter's own name before a claim."""
    flat = _EMPHASIS.sub(r"(\1) ", text.lstrip(), count=1) if text.lstrip()[:1] in ("*", "_") else text
    flat = _lines(flat) if "\n" in flat or "**" in flat else " ".join(flat.split())
    bare = flat.lstrip("`'\"")
    if bare.startswith(argument):
        rest = bare[len(argument) :].lstrip("`'\" ")
        if rest.startswith("("):
            return rest
        if rest.startswith((":", "–", "—", "- ")):
            return rest[1:].lstrip()
    return flat


_EMPHASIS = lazy_pattern(r"^[*_]{1,3}(required|optional|mandatory)[.:]?[*_]{1,3}:?\s", re.IGNORECASE)
_SHORTEST_WRAPPED = 50
"""Minimum number of characters in a line that a docstring may have wrapped; lists of values have shorter lines."""
_OWN_LINE = lazy_pattern(r"[-*•+#|>`'\"“]|\d{1,2}[.)]\s|[\w$.\-]{1,64}\s?(?::|=|–|—|-\s|→)")


def _lines(text: str) -> str:
    """The lines of a description, with lines that a docstring has wrapped joined again."""
    out: list[str] = []
    wrapped = False
    for line in text.split("\n"):
        flat = " ".join(line.replace("**", "").split())
        if flat:
            if wrapped and _OWN_LINE.match(flat) is None:
                out[-1] = f"{out[-1]} {flat}"
            else:
                out.append(flat)
        wrapped = len(flat) >= _SHORTEST_WRAPPED and flat[-1] not in ".:;!?"
    return "\n".join(out)
