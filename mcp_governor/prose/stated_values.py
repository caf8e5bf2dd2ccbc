"""Lists of values in prose about a parameter that has an ``enum``, read only if they are unambiguous.

A list that is compared with an enum may be incomplete, so these readers accept more forms than
:mod:`mcp_governor.prose.closed_lists`, whose lists suggest an enum where there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.guarded import Guarded

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

QUOTED = r"(?:`[^`\n]{1,60}`|'[^'\n]{1,60}'|\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”)"
_ITEM = lazy_pattern(rf"({QUOTED})|([+\-]?[A-Za-z0-9_][\w.+\-/]{{0,59}})")
_ITEM_OF_SLASHES = lazy_pattern(rf"({QUOTED})|([A-Za-z0-9_][\w.+\-]{{0,59}})")
_SEPARATOR = lazy_pattern(r"\s?(?:,\s?(?:(?:or|and)\s)?|;\s?|\|\s?|(?:or|and)\s)|\s/\s")
_SLASH = lazy_pattern(r"/")
_BAR = lazy_pattern(r"\s?\|\s?")
_REMARKS = lazy_pattern(r"\s?\([^()\n]{0,80}\)|\s?=\s?\w{1,30}")
_INTRO = Guarded(
    r"\b(?:(one of|any of|(?:allowed|valid|possible|accepted|supported|available) (?:values?|options?))"
    r"(?:\sthe\sfollowing)?|values|options|choices|must be|can be|either)"
    r"(?:\s(?:are|is|includes?)\b)?\s?(:|=)?\s?[(\[{]?\s?",
    "one of",
    "any of",
    "value",
    "option",
    "choices",
    "must be",
    "can be",
    "either",
)
_OPENED = Guarded(r"[(\[]\s?(?=[\w`'\"“])|\w:\s(?=[\w`'\"“])", "(", "[", ":")
_LIST_ENDS = lazy_pattern(r"\s?(?:$|[.;)\]}\n]|[,:]\s)")
_AND_SO_ON = frozenset({"etc", "more", "other", "others"})
_NO_VALUES = frozenset({"null", "none", "empty", "omitted", "unset", "default", "defaults", "undefined"})


class ValuesClaim(NamedTuple):
    """A stated list of values.

    Attributes:
        values: as written, without quotes.
        complete: the list is exhaustive ("one of: …"), so that it need not share a value with an enum.
        shared: minimum number of values that it shares with an enum that it is about.
    """

    values: tuple[str, ...]
    complete: bool
    shared: int


def listed_values(text: str) -> Iterator[ValuesClaim]:
    """Every list of values in a description, with the condition for it to be about the enum."""
    for match in _INTRO.finditer(text):
        values, quoted = _items(text, match.end())
        complete = match[1] is not None and match[1].lower() != "any of" and (quoted or match[2] is not None)
        # Unquoted words after "must be" are usually a sentence, not a list.
        if quoted or match[1] is not None or match[2] is not None:
            yield from _claims(values, complete, 1)
            yield from _claims(_items(text, match.end(), _ITEM_OF_SLASHES, _SLASH)[0], False, 1)
    for at in (0, *(match.end() for match in _OPENED.finditer(text))):
        values, quoted = _items(text, at)
        if at:
            yield from _claims(values, False, 1 if quoted else 2)
        yield from _claims(_items(text, at, separator=_BAR)[0], False, 1)
        yield from _claims(_items(text, at, _ITEM_OF_SLASHES, _SLASH)[0], False, 2)


def _claims(values: tuple[str, ...], complete: bool, shared: int) -> Iterator[ValuesClaim]:
    if len(values) > 1:
        yield ValuesClaim(values, complete, shared)


def _items(
    text: str, at: int, item: re.Pattern[str] = _ITEM, separator: re.Pattern[str] = _SEPARATOR
) -> tuple[tuple[str, ...], bool]:
    """The items of a list that begins at a position, and if they are quoted: either all are, or none."""
    out: list[str] = []
    quoted: bool | None = None
    while match := item.match(text, at):
        if quoted is not (match[1] is not None) and quoted is not None:
            break
        quoted = match[1] is not None
        # A full stop after an unquoted word ends the sentence.
        value = match[1][1:-1] if quoted else match[2].rstrip(".")
        stopped = not quoted and value != match[2]
        remark = _REMARKS.match(text, match.end())
        end = remark.end() if remark else match.end()
        step = None if stopped else separator.match(text, end)
        clean = stopped or step is not None or _LIST_ENDS.match(text, end) is not None
        if value.lower() in _AND_SO_ON:
            return (), False
        # An unquoted word with more words after it is the start of a phrase, not a value.
        if quoted or (clean and value.lower() not in _NO_VALUES):
            out.append(value)
        if step is None:
            break
        at = step.end()
    return tuple(out), bool(quoted)
