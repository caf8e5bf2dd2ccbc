"""Descriptions of optional parameters: that a caller may omit them, and what applies then."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.guarded import Guarded

if TYPE_CHECKING:
    from collections.abc import Collection

_ALL = Guarded(
    r"\bdefaults?(?:\sis|\sto|\s?:)\s(?:all|every|unlimited|no limit|infinite)\b"
    r"(?![^.]{0,60}\b(?:for|when|if|unless)\b)"
    r"|\bif\s(?:omitted|not (?:provided|specified|given|set)),?\s(?:all|every)\b[^.]{0,60}\breturned\b",
    "default",
    "if ",
)


def states_no_limit(text: str) -> bool:
    """True if a description says that there is no limit without the parameter."""
    return _ALL.search(text) is not None


_SPARE = Guarded(
    r"(?:^|[.;,(]\s?|\b(?:and|but|it|this|value)\s)(?:it\s|this\s)?(?:can|may|should|must)\s(?:also\s)?be\s"
    r"(?:omitted|left out|left unset|skipped)\b"
    r"|(?:^|[.;(]\s?)(?:omit|leave out)(?:\sthis|\sit)?\s(?:for|to|if|when|unless)\b"
    r"|(?:^|[.;(]\s?)(?:if|when)\s(?:it is\s|this is\s)?(?:omitted|unspecified|left out"
    r"|not (?:provided|specified|given|set))\s?,|(?:^|[.;(]\s?)defaults\sto\s",
    "omit",
    "left",
    "skipped",
    "leave",
    "unspecified",
    "not ",
    "defaults",
)


_KEY = lazy_pattern(r"[A-Za-z_]\w{1,40}\s\([^()]{1,80}$")


_GOT = lazy_pattern(
    r"[^.;\n]{0,60}?\b(?:(?:ask|prompt)(?:s|ed)?\b|(?:use|call|run)\s(?:the\s)?[`'\"]?\w+[`'\"]?\s(?:tool|first|to\s(?:get|find|list|fetch))\b"
    r"|(?:the\s)?(?:call|request|tool)\s(?:fails|is (?:refused|rejected))|(?:an?\s)?error\s(?:is|will)\b)",
    re.IGNORECASE,
)
"""Where the caller gets what was not given, or that the call fails without it: it is required all the same."""
_ORDER = lazy_pattern(
    r"\s?(?:(?:please|first|then|always|just|simply)\s)?(?:do\snot|don't|never|use\s[`'\"]?(?:[a-z]+_[a-z_]+|(?-i:[a-z]+[A-Z]\w*))"
    r"|(?:assume|calculate|call|check|choose|collect|compute|confirm|create|derive|detect|determine|estimate|extract"
    r"|fetch|find|gather|generate|get|guess|identify|infer|list|look|make|obtain|offer|pass|pick|propose|provide|read"
    r"|request|resolve|retrieve|run|search|select|set|stop|suggest|try|wait)\b)",
    re.IGNORECASE,
)
"""An order behind "if not given,": to the caller, who has to get the value, or what the tool does. Nobody knows."""


def _of_a_key(text: str, at: int) -> bool:
    """True in the parentheses behind an identifier: "commit_sha (string, optional; if omitted, …" is about a key."""
    found = _KEY.search(text, max(0, at - 120), at + 1)
    return found is not None and "_" in found[0].split("(")[0].strip("_ ")


def states_optional(text: str) -> str | None:
    """The words by which a description makes the parameter optional, in some cases or always."""
    match = next(
        (
            found
            for found in _SPARE.finditer(text)
            if not _of_a_key(text, found.start())
            and not _GOT.match(text, found.end())
            and not (found[0].endswith(",") and _ORDER.match(text, found.end()))
        ),
        None,
    )
    return " ".join(text[match.start() : match.start() + 60].strip(" .;,(").split()) if match is not None else None


_IF_NOT = Guarded(
    r"\b(?:if|when)\s(?:the\s|an?\s)?[`'\"]?(?P<name>[A-Za-z_]\w{0,63})[`'\"]?"
    r"(?:\s(?:parameter|argument|field|option))?\s"
    r"(?:(?:is|are)\s)?(?:(?:not|n't)\s(?:provided|given|specified|set|supplied|passed)|omitted|left (?:out|blank)"
    r"|unset)\b(?P<then>[^.;\n]{0,100})",
    "not ",
    "omitted",
    "left ",
    "unset",
)
_FAILS = lazy_pattern(
    r"\b(?:errors?|fails?|raises?|throws?|rejects?|refuses?|refused|rejected|ask|prompt|must|required|call|run|first|find"
    r"|invalid|cannot|look|infer|derive|determine|search|confirm|obtain|guess|choose|suggest)\b",
    re.IGNORECASE,
)
"""What happens without a parameter that may not be left out, or where the caller gets it."""
_OPTIONALLY = Guarded(
    r"\b(?:optionally\s(?:(?:with|by|using|from|for|specify|provide|pass|give|and)\s)?(?:the\s|an?\s)?|(?:an?|the)\soptional\s)"
    r"[`'\"]?(?P<name>[A-Za-z_]\w{0,63})[`'\"]?(?:\s(?:name|id|parameter|argument))?(?=\s?(?:$|[.,;)\n]))",
    "optional",
)


def left_out(text: str, names: Collection[str]) -> set[str]:
    """The parameters that the description of a tool lets its caller leave out: "If a is not given, it uses …",
    "by name and optionally a".

    Args:
        text: the description of a tool.
        names: of parameters.
    """
    out = {match["name"] for match in _IF_NOT.finditer(text) if not _FAILS.search(match["then"])}
    out.update(match["name"] for match in _OPTIONALLY.finditer(text))
    return out.intersection(names)
