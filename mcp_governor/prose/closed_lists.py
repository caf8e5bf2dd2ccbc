"""Closed lists in prose: the values that a parameter accepts, where the description clearly lists all of them.

People write such lists in few forms: after words that announce a list ("one of", "valid values"), as quoted
alternatives ("'before' or 'after'"), in brackets after a word for a kind ("Cloud provider (gcp, aws, azure)"), with
bars, as bullets, and as ``Literal[…]``. Examples ("e.g.", "such as") and open-ended lists ("etc.", "or a custom one")
are not closed lists. :mod:`mcp_governor.prose.list_words` has the words, and
:mod:`mcp_governor.prose.list_items` reads the items.

All patterns are bounded, and at most :data:`~mcp_governor.prose.list_words.MAX_TEXT` characters of a description are
read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.guarded import Cues, Guarded, lowered
from mcp_governor.prose.list_items import BARE, MAX_VALUES, ClosedList, are_values, bare, is_quoted, items, run, scan
from mcp_governor.prose.list_lines import OPEN_QUOTE, bullets
from mcp_governor.prose.list_words import (
    ABOUT_OTHERS,
    ABROAD,
    CASE,
    CONDITION,
    EXAMPLE,
    MAX_TEXT,
    OTHERWISE,
    PLAINLY,
    PROMISE,
    QUOTED,
    VALUE_WORD,
    is_example,
    is_joined,
    is_open,
    sentence,
    without_stops,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ClosedList", "Values", "closed_lists", "is_open", "values_in"]

_BRANCH = lazy_pattern(
    rf"(?:^|[.;,:(]\s|\n)(?:(?:if|when|with|for|use|using|set to|pass|and|or)\s){{0,2}}(?P<item>{QUOTED})"
    r"(?:\s(?:mode|value))?(?:\s\([^()\n]{0,80}\))?"
    r"(?:,|:|\s(?:[a-z]{2,20}s\b|for\b|to\b|will\b|can\b|=|-|–|—|→))",
    re.IGNORECASE,
)
"""A value and its effect: "If 'full', everything comes back", "'open' lists open ones"."""
_BEHIND = lazy_pattern(
    r"\s?(?:(?:are|is)\s(?:currently\s|the\s|also\s)?(?:only\s)?(?:supported|allowed|accepted|valid|permitted|available"
    r"|possible)\b|のいずれか|中のいずれか|之一|二选一|三选一)",
    re.IGNORECASE,
)
_REST = lazy_pattern(r"[.)]?(?:\s?[(,.]?\s?defaults?\b.{0,80}|\s\([^()\n]{1,40}\)\.?)?", re.IGNORECASE)
_LITERAL = Guarded(r"\b(?:literal|enum)\[([^\]\n]{1,400})\]", "literal[", "enum[")
_ONLY = lazy_pattern(rf"^(?:must|should|has to)\s(?:always\s)?(?:be|equal)\s(?P<one>{QUOTED})\.?$", re.IGNORECASE)
_ALONE = Guarded(
    rf"(?:^|[.;,(]\s?)(?:the\s)?(?:possible|allowed|valid|supported|accepted) values?(?: is| are)?:\s"
    rf"(?P<one>{QUOTED}|[A-Za-z0-9][\w\-]{{1,40}})(?=\s?(?:$|[.)](?:\s|$)))"
    rf"|(?:^|[.;,(]\s?)(?:possible|allowed|valid) values include\s(?P<alone>{QUOTED})\."
    rf"|\bonly\s(?P<other>{QUOTED})\s(?:is\s)?(?:currently\s)?(?:supported|allowed|accepted)\b"
    rf"|(?:^|[.;]\s)(?:must|should|has to)\s(?:always\s)?be(?:\sset to)?\s(?P<set>{QUOTED})(?=[.;,]|\s(?:—|–|-)\s|$)",
    *(f"value{rest}:" for rest in ("", "s", " is", " are", "s is", "s are")),
    *("values include", "only", "must", "should", "has to"),
)
"""A list of one value: "possible values: pdf"."""
# The lookbehind keeps a search from starting again at every letter of a word.
_OPENED = lazy_pattern(
    r"(?<![A-Za-z_])(?P<noun>[A-Za-z_]++)\s?(?:\(|\[|\{|<|:\s|→\s|—\s|–\s|\s-\s)(?=[\w.`'\"“])"
    r"|(?P<abroad>[\u3040-\u30ff\u4e00-\u9fff])\s?(?:[:：(（\[【]\s?)(?=[A-Za-z0-9`'\"“])"
)
_TRAILED = lazy_pattern(
    r"(?:[,;.]|\bby|\bfrom|\bin)\s(?=[a-zA-Z]|\d{1,3}[a-zA-Z])(?![A-Za-z]{1,20}/)|(?<=[a-z])(?<!\bby)(?<!\bof)(?<!\bto)(?<!\bfor)(?<!\bthe)\s(?=[A-Za-z]{2,12}/[A-Za-z]{2,12}(?:[.,]|$))"
)
"""What leads to a list at the end of a sentence: "Sort order, asc or desc"."""
_BARS = lazy_pattern(
    r"(?<![\w|'\"`.\-])(?P<open>[\[({<])?\s?"
    r"(?P<values>[A-Za-z0-9_](?:[\w.\-]{0,40}\w)?(?:\s?\|\s?[A-Za-z0-9_](?:[\w.\-]{0,40}\w)?){1,59})(?![\w|'\"`(\[])"
)
_MARKED = lazy_pattern(
    r"([\w.\-]+)['\"`”]?\s?\((?:[^()\n]{0,40}\b)?default\b"
    r"|\bdefaults?(?:\sto|\sis|\svalue)?(?:\sis)?\s?[:=]?\s?['\"`“]?(\w[\w\-]*)",
    re.IGNORECASE,
)
_BRACKETED = lazy_pattern(rf"\(\s?({QUOTED})\s?\)")
_LINE = lazy_pattern(rf"(?:(?<=\n)|^)(?:\d{{1,2}}[.)]\s)?(?P<item>{QUOTED})\s{{0,4}}(?::|=|–|—|-\s|→)")
"""A value on a line of its own, without a bullet or after a number."""
_ANY_QUOTED = lazy_pattern(rf"(?<![\w=]){QUOTED}")
_START = lazy_pattern(r"(?:^|[.:;]\s|\n)(?:(?:currently|only|both)\s){0,2}(?=[\w`'\"“])", re.IGNORECASE)
_COUNTED = lazy_pattern(rf"\s?[,;]?\s?(?:or\s)?\(?(?:\d{{1,2}}|[a-k])[.)]\s?(?P<item>{QUOTED}|{BARE})")
"""A value after its number or letter, in one line: "1) fast 2) slow"."""
_PHRASES = lazy_pattern(r"[A-Za-z0-9][^.:;()\[\]{}|'\"`\n]{4,400}?(?=\s?(?:[.)\n]|$))")
_PHRASE = lazy_pattern(
    r"(?!(?:a|an|the|any|all|other|your|see|if|when|as|in|for|from|to|by|use|and|or|not)\s)"
    r"[A-Za-z0-9][\w+\-]{0,20}(?:\s[\w+\-&]{1,20}){0,3}"
)
_SPLIT = lazy_pattern(r",\s(?:or\s|and\s)?|\s(?:or|and)\s")
_VALUES_ONLY = lazy_pattern(r"\bvalues?\b", re.IGNORECASE)

_DEFAULT = Guarded(
    rf"\b[Dd]efault(?:s|ing)?(?:\sto|\sis|\svalue(?:\sis)?)?\s?[:=]?\s"
    rf"(?:(?P<quoted>{QUOTED})|(?P<bare>[A-Z][A-Z_]{{2,40}}\b))",
    "default",
    ignore_case=False,
)
_ALSO = lazy_pattern(r"\b[Dd]efault(?:s\sto|\sis)?\s?[:=]?\s(?P<one>[a-z][\w\-]{1,30})(?=[.;,]|\s\()")
"""An unquoted default, for a list of the others: "Default is json. Can also be csv or xml"."""


def closed_lists(text: str) -> tuple[ClosedList, ...]:
    """The closed lists in the description of a parameter, with the clearest ones first."""
    return values_in(text).lists


class Values(NamedTuple):
    """What a description says about the values of a parameter.

    Attributes:
        open: other values are accepted, as in :func:`~mcp_governor.prose.list_words.is_open`.
        lists: the closed lists, as in :func:`closed_lists`.
        joined: a value consists of several of them, with commas between them.
    """

    open: bool
    lists: tuple[ClosedList, ...]
    joined: bool = False


def values_in(text: str) -> Values:
    """:func:`is_open` and :func:`closed_lists` in one reading."""
    found = is_open(text)
    return Values(found, tuple(_closed_lists(text, found)), is_joined(text))


def _closed_lists(text: str, is_open_as_written: bool) -> Iterator[ClosedList]:
    text = text[:MAX_TEXT]
    plain = without_stops(text)
    if plain is not text:
        text, is_open_as_written = plain, is_open(plain)
    if is_open_as_written or not _JOINTS.are_in(text):
        return
    text = _WRAPPED.sub(" ", text) if "\n" in text else text
    promises = [
        found
        for found in (*PROMISE.finditer(text), *ABROAD.finditer(text))
        if not is_example(text, found.start(), found.end())  # "Common values:"
    ]
    for found in (
        *_literals(text),
        *_promised(text, promises),
        *bullets(text, promises),
        *_opened(text),
        *_bars(text),
        *_slashed(text),
        *_quotes(text),
        *_branches(text),
        *_supported(text),
        *_trailing(text),
    ):
        # "'<width>x<height>[,mobile]'. 'mobile' for …": what is listed is a part of the value.
        if found.promised or _TEMPLATE.search(text) is None:
            yield _with_default(text, found)


_TEMPLATE = Guarded(
    r"[<{][a-z][\w\-]{0,24}[>}][^\s<>{}]{1,3}[<{][a-z]|\w(?:[`'\"]\s\+\s[`'\"]?|\s\+\s[`'\"])\w", ">", "}", " + "
)
_JOINTS = Cues(
    *(",", "/", "\n", " or ", " and ", "'", '"', "`", ":", ";", "|", "[", "- ", "“", "‘", ")or ", ")and "),
    *("、", "，", "；", "：", "（", "或", " oder ", " ou ", "«", "「"),
)
"""What separates values or marks them; a third of all descriptions have none of it and no list."""


_WRAPPED = lazy_pattern(
    r"(?<=[a-z,)])\n(?=[a-z(][\w'\-]{0,30}[ ,.)])(?![\w\-]{1,40}\s(?:-|–|—|=|→)\s)|(?<=,)\n(?=['\"`“]|\w+[,.])"
)
"""The end of a line within a sentence, as docstrings have it. Values with a line each have a sign behind them."""


def _with_default(text: str, found: ClosedList) -> ClosedList:
    """Add the default to a list if the text gives it separately."""
    if "efault" not in text:
        return found
    values = {value.casefold() for value in found.values}
    if any(values.intersection(name.casefold() for name in match.groups() if name) for match in _MARKED.finditer(text)):
        found = found._replace(marked=True)
    match = _DEFAULT.search(text)
    default = bare(match["quoted"] or match["bare"]) if match is not None else ""
    if not default and " also " in text and (also := _ALSO.search(text)) is not None:
        default = also["one"]
    if not default or default.casefold() in values:
        return found
    return found._replace(values=(*found.values, default))


def _literals(text: str) -> Iterator[ClosedList]:
    only = _ONLY.match(text) or _ALONE.search(text)
    one = next(filter(None, only.groups())) if only is not None else ""
    if one and (is_quoted(one) or are_values([bare(one)])):
        yield ClosedList((bare(one),), True, True)
    for match in _LITERAL.finditer(text):
        values = tuple(part.strip(" `'\"") for part in match[1].split(","))
        if len(values) <= MAX_VALUES and all(values):
            yield ClosedList(values, True, True)


def _promised(text: str, promises: list[re.Match[str]]) -> Iterator[ClosedList]:
    for match in promises:
        if CASE.search(text[sentence(text, match.start()) : match.start()]):
            continue
        abroad = match.re.groups == 0
        leads = match.start() == 0 and match[0].lower().startswith("either")
        plainly = leads or abroad or PLAINLY.fullmatch(match[0]) is not None
        found = run(text, match.end())
        if found is None and plainly:
            found = _counted(text, match.end()) or (None if abroad else _phrases(text, match))
        if found is not None:
            groups = {} if abroad else match.groupdict()
            noun = next((word.lower() for word in groups.values() if word), "")
            noun = "" if VALUE_WORD.fullmatch(noun) else noun
            yield found._replace(promised=True, plainly=plainly, noun=noun)


def _counted(text: str, at: int) -> ClosedList | None:
    """Values after numbers or letters in one line."""
    values: list[str] = []
    while len(values) <= MAX_VALUES and (match := _COUNTED.match(text, at)):
        values.append(bare(match["item"]))
        at = match.end()
    if len(set(values)) < 2 or not are_values(values):
        return None
    return ClosedList(tuple(dict.fromkeys(values)), False, True, ends=True)


def _phrases(text: str, promise: re.Match[str]) -> ClosedList | None:
    """Values of several words, without quotes: "Valid values: last week, last month"."""
    match = _PHRASES.match(text, promise.end()) if _VALUES_ONLY.search(promise[0]) and ":" in promise[0] else None
    parts = _SPLIT.split(match[0]) if match is not None else []
    if not 1 < len(parts) <= MAX_VALUES or not all(map(_PHRASE.fullmatch, parts)):
        return None
    return ClosedList(tuple(dict.fromkeys(parts)), False, True, ends=True)


def _opened(text: str) -> Iterator[ClosedList]:
    """Lists after a bracket, a colon or a dash, with the word in front, and a list at the start of the text."""
    # The name of the parameter, which led the text, was taken off: "(tcp, udp)".
    bracketed = text[:1] == "("
    first, end = scan(text, 1 if bracketed else 0)
    if first is not None and not first.quoted and not _is_sentence(first.values):
        yield first._replace(whole=_REST.fullmatch(text, end) is not None, bracketed=bracketed)
    for match in _OPENED.finditer(text):
        start = match.start()
        # After a bracket or a colon, only an example or a condition shows that the list is about something else.
        lead = text[max(sentence(text, start), start - 60) : match.end()]
        example = EXAMPLE.search(lead)
        form = example is not None and example[0][:7].lower() == "format:"
        if match["noun"] and match["noun"].lower() in _NO_NOUNS and match[0].rstrip()[-1] in "[{:":
            continue
        if not (
            (example and not form) or CONDITION.search(text[max(0, start - 60) : start]) or _in_bullet(text, start)
        ):
            found = run(text, match.end())
            # "Format: YYYY-MM-DD" is one format; only alternatives are a list of formats, and "a/b" is a form itself.
            listed = found is not None and (
                found.alternatives or found.explained or (found.quoted and len(found.values) > 2)
            )
            if found is not None and (not form or (listed and not any("/" in one for one in found.values))):
                yield found._replace(
                    noun=(match["noun"] or "list").lower(),
                    bracketed=match[0].rstrip()[-1] in "([（【",
                    first=match[0].rstrip()[-1] == ":" and _PHRASE.fullmatch(text, 0, match.end("noun")) is not None,
                )


def _is_sentence(values: tuple[str, ...]) -> bool:
    """True if only the first of some words has a capital: "Host, cluster or region" are words of a sentence."""
    first, *others = values
    return first[0].isupper() and first[1:].islower() and all(map(str.islower, others))


_NO_NOUNS = frozenset(["as", "default", "defaults", "for", "is", "of", "pass", "set", "to", "use", "with"])
"""Words in front of one call's values: "Use ['a', 'b']"."""


def _trailing(text: str) -> Iterator[ClosedList]:
    """Alternatives at the end of a sentence: "Sort order, asc or desc", "Sort by name, date or size"."""
    if not _ENDING.are_in(text):
        return
    at = 0
    while match := _TRAILED.search(text, at):
        found, end = scan(text, match.end())
        at = max(end, match.end())
        if found is not None and (found.alternatives or found.explained) and found.ends and not found.quoted:
            lead = text[sentence(text, match.start()) : match.start()] if match[0][0] != "." else ""
            # "Optional NORTH, EAST or WEST": the word before the sign is the first of them.
            before = _CONSTANT_AT_END.search(lead) if match[0][0] == "," else None
            if before is not None and all(map(str.isupper, found.values)):
                found = found._replace(values=(before[0], *found.values))
            if (
                len(lead) <= _MAX_LEAD
                and not _ONE_OF.search(lead)
                and not _led_by_example(text, match.start(), match.start())
            ):
                yield found


_ENDING = Cues(" or ", "/", " (", " = ", "=")
_CONSTANT_AT_END = lazy_pattern(r"(?<![\w\-])[A-Z][A-Z0-9_]+$", re.NOFLAG)
_MAX_LEAD = 40
"""Maximum number of characters in front of a list that only a comma or "by" introduces: a phrase of a few words."""
_ONE_OF = lazy_pattern(r"\b(?:one|any|name|id|list|some) of\b|\b(?:that|which|whether|if)\b", re.IGNORECASE)


def _bars(text: str) -> Iterator[ClosedList]:
    """Values between bars, wherever they are: "(red|green|blue)"."""
    for match in _BARS.finditer(text) if "|" in text else ():
        line = text.rfind("\n", 0, match.start()) + 1
        values = tuple(dict.fromkeys(value.strip() for value in match["values"].split("|")))
        tight = " " not in match["values"] or match["open"] is not None
        # One of several values may be called "default".
        words = [value for value in values if value.lower() != "default"] if len(values) > 2 else list(values)
        if len(values) <= (1 if tight else 2) or not are_values(words) or text.startswith("|", line):
            continue
        if not _led_by_example(text, match.start(), match.start()):
            tight = " " not in match["values"]
            yield ClosedList(values, False, True, alternatives=True, plainly=True, bars=tight)


def _slashed(text: str) -> Iterator[ClosedList]:
    """Values of several words, as the whole text: "Open/In Progress/Done"."""
    match = _SLASHED.fullmatch(text) if text.count("/") > 1 else None
    if match is not None:
        values = dict.fromkeys(value.strip() for value in match["values"].split("/"))
        yield ClosedList(tuple(values), False, False, alternatives=True, whole=True, ends=True)


_TITLED = r"[A-Z][\w\-]{1,20}(?:\s[\w\-]{1,20}){0,2}"
_SLASHED = lazy_pattern(rf"(?P<values>{_TITLED}(?:\s?/\s?{_TITLED}){{2,30}})\.?")


def _quotes(text: str) -> Iterator[ClosedList]:
    """Quoted alternatives anywhere in a sentence, and alternatives in brackets after their explanation."""
    at = 0
    while match := OPEN_QUOTE.search(text, at):
        found, at = scan(text, match.start())
        at = max(at, match.end())
        of_the = text[max(0, match.start() - 4) : match.start()].lower().endswith("the ")  # "The 'id' or 'key' of it"
        if (
            found is not None
            and found.quoted
            and not of_the
            and not _led_by_example(text, match.start(), match.start())
        ):
            yield found
    explained = list(_BRACKETED.finditer(text))
    if 1 < len(explained) <= MAX_VALUES:
        between = text[explained[0].start() : explained[-1].end()]
        lead = text[sentence(text, explained[0].start()) : explained[0].start()]
        if " or " in between and ". " not in between and not EXAMPLE.search(lead + between):
            yield ClosedList(tuple(match[1][1:-1] for match in explained), True, False, alternatives=True)


def _branches(text: str) -> Iterator[ClosedList]:
    """Values that each have an explanation, if nothing else in the text is quoted."""
    if text.count("'") + text.count('"') + text.count("`") + text.count("“") < 4:
        return
    explained = sorted((*_BRANCH.finditer(text), *_LINE.finditer(text)), key=lambda match: match.start("item"))
    values = dict.fromkeys(bare(match["item"]) for match in explained)
    quoted = {bare(match[0]) for match in _ANY_QUOTED.finditer(text)}
    if not 1 < len(values) <= MAX_VALUES or quoted != values.keys() or OTHERWISE.search(text):
        return
    # Explanations may have "not" and "never"; the words in front of a value may not.
    first = explained[0].start("item")
    if not EXAMPLE.search(text, sentence(text, first), first) and not _SURELY_EXAMPLE.search(text):
        yield ClosedList(tuple(values), True, False, "list", explained=True)


_SURELY_EXAMPLE = lazy_pattern(r"\b(?:e\.?g|such as|for example|for instance|examples?|similar to)\b", re.IGNORECASE)


def _supported(text: str) -> Iterator[ClosedList]:
    """Lists in front of the words that close them: "json, yaml and toml are supported"."""
    if not _CLOSING.are_in(lowered(text)):
        return
    for match in _START.finditer(text):
        found = items(text, match.end())
        values = found.values
        # "Names and ids are accepted" is a sentence: only its first word is capitalised.
        words = not found.quoted and len({value[:1].isupper() for value in values}) > 1
        if 1 < len(values) <= MAX_VALUES and not words and _BEHIND.match(text, found.end):
            yield ClosedList(tuple(dict.fromkeys(values)), found.quoted, True, alternatives=True)


_CLOSING = Cues(
    *("supported", "allowed", "accepted", "valid", "permitted", "available", "possible", "いずれか", "之一", "选一")
)


def _led_by_example(text: str, at: int, end: int) -> bool:
    """True if the words before a list introduce examples, or are about another parameter."""
    lead = text[max(sentence(text, at), at - 60) : end]
    others = ABOUT_OTHERS.search(text[max(0, at - 60) : at])
    if EXAMPLE.search(lead) is not None or others is not None or _in_bullet(text, at):
        return True
    return CASE.search(text[sentence(text, at) : at]) is not None


def _in_bullet(text: str, at: int) -> bool:
    """True if a position is inside a bullet, which contains only some of the values."""
    line = text.rfind("\n", 0, at) + 1
    return text[line : line + 2] in {"- ", "* ", "• ", "+ "}
