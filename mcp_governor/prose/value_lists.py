"""The values that a description lists from a position on: quoted or plain, with signs or words between them, each
perhaps with a note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    import re

MAX_ITEMS = 500
"""Maximum number of values read from a list."""
QUOTED = r"`[^`\n]{1,60}`|'[^'\n]{1,60}'|\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”|«[^»\n]{1,60}»|「[^」\n]{1,60}」"
_FURTHER = r"(?:(?<![.:]) (?!OR\b|AND\b)[A-Z][\w\-]{0,29}){0,2}"
"""Further words of a plain value, with capitals as the first has: "In Progress", "INSTEAD OF"."""
_ITEM = lazy_pattern(
    # The second of these is followed by the sign in front of the next value.
    rf"(?P<quoted>{QUOTED})|[\w$+\-][\w.+\-:]{{0,59}}{_FURTHER}(?=\s?[|/])|[A-Z$][\w.+\-/:]{{0,59}}{_FURTHER}"
    r"|[\w$+\-][\w.+\-/:]{0,59}"
)
_BULLET = r"\n\s?(?:[-*]|•|\d{1,2}[.)])\s"
_STEP = lazy_pattern(
    rf"\s?(?:[,;|/]|[、，]\s?)\s?(?:and/or\s|or\s|and\s)?|\s(?:and/or|or|and|und|oder|et|ou)\s|{_BULLET}|\s?-\s?(?=`)|\),?(?:\s\w{{1,20}}){{1,4}}\s?\((?=[`'\"])"
    r"|\.\s(?=[`'\"]|“\S|«\S)|\s?,?\n(?=[`'\"]|\w{1,40}\s?(?:[:=,\n]|$))",
)
_GLOSS = lazy_pattern(r"\s?\((?:[^()\n]|\([^()\n]{0,80}\)){0,200}\)|（[^（）\n]{0,200}）")
"""A note in brackets behind a value."""
_SAID = lazy_pattern(
    # Up to the sign in front of the next value, or the end of the sentence.
    r"(?:\s?(?:[:=]|->|→|—|–|-\s)\s?|\s(?!or\b|and\b|and/or\b|through\b|to\b.{0,9}['\"`])(?=[a-zA-Z]))"
    r"(?:[^,;.\n|`'\"]|[.,](?=\w)|[`'\"](?=\w{1,40}[`'\"] ?[^,|\w])){1,160}?"
    r"(?=\s?[,;.\n|]|\s?-\s?`|\s(?:or|and)\s[`'\"]|$)"
)
"""A note behind a quoted value up to the next one."""
_OF_PLAIN = lazy_pattern(
    r"\s?(?:[:=]|->|→|—|–)\s?(?:(?![、（-，])[^,;\n|()]|（[^（）]{0,80}）|\([^()\n]{0,80}\)){1,120}|\sfor\s[^,;.\n(]{1,60}"
)
_OF_BULLET = lazy_pattern(r"[^\n]{0,400}")
_ENDS = lazy_pattern(
    r"\s?(?:$|[.;:)\]}>\n(]|[、。（]|[–—]|»|,\s|-\s)|\s(?:by default|default|optional|required|if|when|with|are|is)\b",
    2,
)
_LAST = lazy_pattern(r"\s?(?:$|[.;)\]])")
_FILLER = lazy_pattern(r"(?:either\s|the\s(?=[`'\"]))?", 2)
_NO_VALUES = frozenset({"null", "omitted", "unset", "undefined", "nothing", "empty"})
_BEHIND = frozenset({"default", "defaults", "optional", "required", "if", "when", "only", "with", "by"})
_LEFT_OUT = frozenset({"leave", "none", "null", "omit", "omitted", "undefined", "default", "defaults"})
_MORE = frozenset(
    {"etc", "etc.", "more", "other", "others", "any", "custom", "so", "...", "similar", "another", "a", "an"}
)


class Listed(Struct, frozen=True):
    """A list of values in a description.

    Attributes:
        values: as written, without quotes.
        quoted: all are between quotes; otherwise none is.
        joined: signs and words between them, such as ``,`` and ``or``.
        glossed: number of values with words behind them that say what they mean.
        end: the position behind the list.
        clean: no word follows that the list may be a part of.
        open: it goes on with "etc.".
    """

    values: tuple[str, ...] = ()
    quoted: bool = False
    joined: frozenset[str] = frozenset()
    glossed: int = 0
    end: int = 0
    clean: bool = True
    open: bool = False


def listed_at(text: str, at: int) -> Listed:
    """The list that begins at a position; one without values if there is none.

    Args:
        text: a description.
        at: the position of the first value.
    """
    values: list[str] = []
    joined: set[str] = set()
    quoted: bool | None = None
    glossed, clean, more, end = 0, True, False, at
    bullets = text[at - 2 : at] in ("- ", "* ", "• ") and text[:at].rpartition("\n")[2].strip() in ("-", "*", "•")
    step: re.Match[str] | None = None
    while len(values) < MAX_ITEMS:
        filler = _FILLER.match(text, at)
        at = filler.end() if filler else at
        match = _ITEM.match(text, at)
        if match is None:
            more = text.startswith(("...", "…"), at)
            break
        is_quoted = match["quoted"] is not None
        value = match[0][1:-1] if is_quoted else match[0].rstrip(".:-/")
        if quoted is not None and is_quoted is not quoted and step is not None and "\n" not in step[0]:
            # "'a' or a path": what follows belongs not to the list, and "or omit it" does not either.
            clean, more = quoted, quoted and value.lower() not in _LEFT_OUT
        # "One of full, part, other.": a value like the others, unless "or other" says that there are more.
        is_last = value == "other" and step is not None and step[0].strip() == "," and _LAST.match(text, match.end())
        says_more = not is_quoted and value.lower() in _MORE and bool(values) and not is_last
        if (quoted is not None and is_quoted is not quoted) or says_more:
            more = more or is_quoted is quoted
            break
        behind = at + len(value) + (2 if is_quoted else 0)
        stopped = not is_quoted and match[0].endswith(".") and behind < match.end()
        after, step, gloss = _step(text, behind, quoted=is_quoted, stopped=stopped, bullets=bullets)
        if gloss == "said" and step is None and not (glossed and glossed >= len(values) - 1):
            after, gloss = behind, ""
        if not is_quoted and step is None and not stopped and _ENDS.match(text, after) is None:
            # "HOT or COLD; default HOT": the list has ended.
            clean = value.lower() in _BEHIND and bool(values)
            break
        quoted = is_quoted
        if value.lower() not in _NO_VALUES or is_quoted:
            values.append(value)
            glossed += bool(gloss)
        end = after
        if step is None:
            break
        sign = step[0].strip().replace("and/or", "or").split()
        joined.update(sign[:1] + sign[-1:])
        bullets = bullets or "\n" in step[0]
        if "\n" in step[0]:
            joined.add("\n")
        at = step.end()
    if len(values) > 2 and "None" in values and not quoted and all(map(str.islower, set(values) - {"None"})):
        values.remove("None")
    return Listed(tuple(dict.fromkeys(values)), bool(quoted), frozenset(joined), glossed, end, clean, more)


def _step(
    text: str, behind: int, *, quoted: bool, stopped: bool, bullets: bool
) -> tuple[int, re.Match[str] | None, str]:
    """Where a value with its gloss ends, the sign behind it if another value follows, and the kind of the gloss."""
    gloss = _GLOSS.match(text, behind)
    after, kind = (gloss.end(), "brackets") if gloss else (behind, "")
    step = None if stopped else _STEP.match(text, after)
    if step is not None or stopped:
        return after, step, kind
    if bullets:
        rest = _OF_BULLET.match(text, after)
        after, kind = (rest.end(), "bullet" if rest[0].strip(" .") else kind) if rest else (after, kind)
        return after, _STEP.match(text, after), kind
    said = (_SAID if quoted else _OF_PLAIN).match(text, after)
    return (said.end(), _STEP.match(text, said.end()), "said") if said else (after, None, kind)
