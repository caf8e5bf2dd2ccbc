"""Names in prose that resemble a tool or a parameter: with another case, separator or prefix, or misspelled.

A word is read as a name if it is quoted, followed by "tool" or "parameter", or preceded by a verb such as "call". Any
other word in a description may be a field of a result, an API, a command or a plain word.
"""

from __future__ import annotations

import re
from itertools import accumulate, compress
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.alike_names import INNER_CAPITAL, plain
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.words import MUTATING_VERBS, READING_VERBS, known, name_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcp_governor.prose.alike_names import Names

_COMPOUND = lazy_pattern(r"\b(?:[A-Za-z][A-Za-z0-9]*+(?:[_\-]++[A-Za-z0-9]++)++|[A-Z]*+[a-z]++[A-Z][A-Za-z0-9]*+)")
"""An identifier of several words, joined by separators or by capitals."""
_QUOTES = frozenset("`'\"“”")
_JOINED = frozenset("/.@$:\\-_{<")
_GOES_ON = frozenset("/(@-_}>")
# The expressions for the words in front of a name are searched in 40 characters that seldom have any of these words.
_CALLS = Guarded(
    r"\b(?:call|calls|calling|use|uses|using|run|runs|running|invoke|invoking|via|see|try|prefer|through)\s"
    r"(?:the\s|a\s)?[`'\"“]?$",
    *("call", "use", "using", "run", "invok", "via", "see", "try", "prefer", "through"),
)
_ORDERED = Guarded(r"\b(?:call|calls|calling|invoke|invokes|invoking)\s(?:the\s)?[`'\"“]?$", "call", "invok")
"""Verbs for tools alone."""
_LEADS = Guarded(
    r"\b(?:(?:use|uses|using|run|runs|running|via|see|try|prefer|through|with|from)\s|see also:?\s"
    r"|(?:from|(?:returned|created|produced|generated|provided) by|output of|result of)\s"
    r"|(?:pass|feed|hand)\s(?:\w+\s){1,4}?(?:to|into)\s)(?:the\s)?[`'\"“]?$",
    *("use", "using", "run", "via", "see ", "see:", "also", "try", "prefer", "through", "with", "from"),
    *(" by", "by ", " of", "pass", "feed", "hand"),
)
"""Words in front of tools and of other things, too."""
_SOURCE = Guarded(
    r"\b(?:from|(?:returned|created|produced|generated|written|stored|provided) by|output of|result of|by calling)"
    r"\s(?:the\s)?[`'\"“]?$",
    *("from", " by", "by calling", " of"),
)
_TOOL_BEHIND = lazy_pattern(
    r"[`'\"”]?(?:,?\s(?:and|or)\s(?:the\s)?[`'\"“]?\w{3,64}[`'\"”]?)?\s(?:MCP\s)?tools?\b(?!\s?[-_]\w|\s--)",
    re.IGNORECASE,
)
_CALLED = lazy_pattern(
    r"\b(?:call|calls|calling|use|uses|using|prefer|run|invoke|via)\s(?:the\s)?[`'\"]?(?P<name>[a-z][a-z0-9]*(?:_[a-z0-9]+)+)"
    r"\([a-z_]{1,40}\s?=[^()\n]{0,120}\)"
)
"""A call with a named argument, which in prose is one of a tool: "calling plan_turn(model=…)"."""
# An expression that begins with plain letters is searched for fastest.
_PLAIN_TOOL = lazy_pattern(r"the\s[`'\"“]?(?P<name>[a-z]{4,30})[`'\"”]?\stool\b(?!\s?[-_])", re.NOFLAG)
_USES = lazy_pattern(r"\b(?:use|call|run|invoke|via|with|using|calling)\s\Z", re.IGNORECASE)
_LONGEST_USE = 20
"""Number of characters in front of "the tool" that are searched for a verb: "calling", and what shows its beginning."""
_TITLED_TOOL = lazy_pattern(
    r"[`'\"“](?P<title>[A-Z][A-Za-z]{1,20}(?:[ -][A-Za-z]{2,20}){1,4})[`'\"”]\s(?:MCP\s)?tool\b"
)
_LISTED = lazy_pattern(
    r"[^\S\n]{0,12}(?:[-*•+]|\d{1,2}[.)])\s{1,4}[`*'\"]{0,3}(?P<name>[A-Za-z][\w\-]{2,63})[`*'\"]{0,3}"
    r"\s?(?:\([^()\n]{0,80}\)\s?)?(?::|–|—|-\s)"
)
_MIN_LISTED = 3
"""Minimum number of known tools in a list for it to be a list of tools."""
NOTES = lazy_pattern(
    r"\b(?:hints?|notes?|examples?|syntax|format|guidance|details|tips)\s(?:for|on|about)\s(?:the\s)?[`'\"“]$",
    re.IGNORECASE,
)
_RETURNED = lazy_pattern(r"[^.]{0,80}\b(?:returns?|returned|response)\b")
"""What a note says of a field of results."""
_GIVEN = lazy_pattern(
    r"[`'\"”]?\s(?:is|are)\s(?:not\s)?(?:provided|specified|given|omitted|passed|supplied)\b(?!\s(?:by|in|to|as)\b)",
    re.IGNORECASE,
)
_IN_CALL = lazy_pattern(
    r"[`'\"”]?\s(?:is|are)\s(?:present|included|set|given)\sin\s(?:the|your|each|every|all)\s(?:tool\s)?calls?\b",
    re.IGNORECASE,
)
_PHRASE = lazy_pattern(
    r"\b[Ii]f\s(?:no\s|an?\s|the\s)?(?P<words>[a-z]{2,20}(?:\s[a-z]{2,20}){1,2})"
    r"\s(?:is|are)\s(?:not\s)?(?:provided|specified|given|omitted|passed|supplied)\b(?!\s(?:by|in|to|as)\b)"
)
_ARGUMENT_BEHIND = lazy_pattern(r"[`'\"”]?\s(?:parameters?|arguments?|params?|args?)\b(?!\s?:)", re.IGNORECASE)
_ARGUMENT_FRONT = Guarded(r"\b(?:parameters?|arguments?|params?)\s[`'\"“]?$", "param", "argument")
_FOREIGN = Guarded(
    r"\b(?:url|uri|query(?:[- ]string)?|http|cli|command[- ]line)\s(?:parameters?|arguments?|params?)\s[`'\"“]?$",
    *("param", "argument"),
)
_OTHER_BEHIND = lazy_pattern(
    r"[`'\"”]?\s?(?:\(|\.\w|APIs?\b|permissions?\b|endpoints?\b|operations?\b|headers?\b|enums?\b"
    r"|types?\b|objects?\b|macros?\b|decorators?\b|directives?\b|hooks?\b|(?:and|or)\s[`'\"]?\w{3,40}[`'\"]?\sendpoints\b)",
    re.IGNORECASE,
)
DENIED = Guarded(
    r"\b(?:no|not|without|never|unlike|instead of|rather than|old|deprecated|removed|former)\s[^.]{0,24}$",
    *("no", "without", "never", "unlike", "instead", "rather", "old", "deprecated", "removed", "former"),
)
_CONTRASTED = Guarded(
    r"\b(?:instead of|rather than|unlike|over|than|before|after|as (?:in|for))\s(?:the\s)?[`'\"“]?$",
    *("instead", "than", "unlike", "over", "before", "after", "as"),
)
"""Words that come before another tool of the same server."""
FROM_RESULT = lazy_pattern(r"[`'\"”]?\s(?:string|value|field|from|returned|of)\b", re.IGNORECASE)
_STATES = lazy_pattern(
    r"[`'\"”]?\s(?:is|are)\s(?:set|true|false|not|provided|specified|given|omitted|empty|null)\b|\s?=\s?\w"
)
_SETS = lazy_pattern(
    r"\b(?:adjust|set|pass|provide|specify|supply|omit|with|include|use)\s(?:the\s|a\s)?[`'\"“]?$", re.IGNORECASE
)
_IF = lazy_pattern(r"\b(?:if|when|unless)\s(?:no\s|an?\s|the\s)?[`'\"“]?$", re.IGNORECASE)
_ENTRY = lazy_pattern(r"(?:^|\n)\s{0,20}[-*•]\s[`*'\"]{0,3}$")


def _compounds(chunks: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The identifiers of several words in a string, each with its position.

    Args:
        chunks: the parts of the text between spaces, most of which occur again and again.
    """
    found = list(map(_compounds_of, chunks))
    # Most strings have none.
    if any(found):
        begins = list(accumulate([len(chunk) + 1 for chunk in chunks], initial=0))
        for begin, words in compress(zip(begins, found, strict=False), found):
            for start, word in words:
                yield begin + start, word


@known
def _compounds_of(chunk: str) -> tuple[tuple[int, str], ...]:
    return tuple([(match.start(), match[0]) for match in _COMPOUND.finditer(chunk)])


def _is_hyphenated(word: str) -> bool:
    return "-" in word and "_" not in word


def _is_of_prose(word: str, name: str | None, tools: Names) -> bool:
    """True if a word is written as no tool of the server is: "the training-load tools", "a TAG_NOTE report"."""
    if _is_hyphenated(word):
        return not tools.hyphenated and (name is None or plain(name) != plain(word))
    return word.isupper() and name is not None and not name.isupper()


def misnamed_tools(text: str, tools: Names) -> Iterator[tuple[str, str]]:
    """Words written as the name of a tool that does not exist, each with the nearest name, or an empty string.

    Args:
        text: any string written for a model.
        tools: the tools of the server.
    """
    chunks = text.split()
    text = " ".join(chunks)
    for at, word in _compounds(chunks):
        # Most words resemble no name and are skipped here.
        if word in tools.names or not _may_be_meant(word, text[at - 1 : at], tools):
            continue
        front, end = text[max(0, at - 40) : at], at + len(word)
        if front[-1:] in _JOINED:
            continue
        remark = _REMARK.match(text, end) is not None and tools.is_alike(word) and _has_verb(word)
        called = _CALLS.search(front) is not None or (remark and _is_other_choice(text, at, tools))
        behind_it = not (remark and called) and _OTHER_BEHIND.match(text, end) is not None
        if not text.startswith("()", end) and (text[end : end + 1] in _GOES_ON or behind_it):
            continue
        quoted = front[-1:] in _QUOTES and text[end : end + 1] in _QUOTES
        behind = _TOOL_BEHIND.match(text, end) is not None
        name = tools.variant(word)
        contrasted = name is not None and _CONTRASTED.search(front) is not None
        if not contrasted and DENIED.search(front):
            continue
        # "The recovery and training-load tools" are kinds of tools.
        alone = not behind or text.startswith(" tools", end)
        if alone and not (quoted or called) and _is_of_prose(word, name, tools):
            continue
        if name is None and tools.ends_alike(word):
            yield word, tools.close(word) or tools.nearest(word) or ""
        elif name is None:
            meant = _unknown_tool(word, front, tools, quoted=quoted, behind=behind, called=called)
            # A function of a language is called as well: "call open_file() in Python".
            if meant is None and text[end : end + 1] != "(":
                meant = _called_tool(word, front, tools)
            if meant is not None:
                yield word, meant
        elif behind or _is_spelling(word, name, quoted=quoted, called=called, contrasted=contrasted):
            yield word, name


_REMARK = lazy_pattern(r"[`'\"]?\s\([a-z][a-z-]{1,20}[ ,][^()]{1,80}\)", re.NOFLAG)
"""A remark behind a name, "(needs a session)", unlike arguments: "(id)"."""
_OTHER_CHOICE = lazy_pattern(
    r"\b(?:use|call|see|try)\s[`'\"]?(?P<name>\w{1,64})[`'\"]?\s[^.;]{3,80},?\sor\s[`'\"]?$", re.IGNORECASE
)


def _is_other_choice(text: str, at: int, tools: Names) -> bool:
    """True if a known tool is called in front of a word: "use list_beds for all, or get_bed (by number)"."""
    choice = _OTHER_CHOICE.search(text, max(0, at - 170), at)
    return choice is not None and choice["name"] in tools.names


def _is_spelling(word: str, name: str, *, quoted: bool, called: bool, contrasted: bool) -> bool:
    """True if a word with the same letters as a tool's name means that tool."""
    marked = "_" in word.strip("_") and "_" in name
    if marked and (quoted or called or contrasted or word.lower() == name.lower()):
        return True
    if called and (quoted or INNER_CAPITAL.search(word)):
        return True
    return word.islower() and "_" in word.strip("_") and "-" in name


def _unknown_tool(word: str, front: str, tools: Names, *, quoted: bool, behind: bool, called: bool) -> str | None:
    """The tool nearest to a word that means one, or an empty string; ``None`` if the word may be something else."""
    known = quoted or "_" in word
    alike = tools.is_alike(word)
    if behind and (known or alike):
        name = tools.close(word) or tools.nearest(word)
        return name or "" if name is not None or alike else None
    if called and known and (name := tools.close(word)) is not None:
        return name
    if known and alike and (called or (_has_verb(word) and _SOURCE.search(front))):
        return tools.nearest(word) or ""
    return None


def _called_tool(word: str, front: str, tools: Names) -> str | None:
    """The same for a word that resembles no tool, but is called as one and joined as most names are."""
    if tools.has_style(word) and (_ORDERED.search(front) or (_begins_with_verb(word) and _LEADS.search(front))):
        return tools.close(word) or tools.nearest(word) or ""
    return None


def _begins_with_verb(word: str) -> bool:
    first = name_words(word)[0]
    return first in READING_VERBS or first in MUTATING_VERBS


def _has_verb(word: str) -> bool:
    """False for what only begins like the tools: a table, a library or a topic of the product."""
    return not (READING_VERBS | MUTATING_VERBS).isdisjoint(name_words(word))


def _may_be_meant(word: str, before: str, tools: Names) -> bool:
    """True if a word spells a name differently, or looks like a name by its separators, quotes or beginning."""
    return (
        "_" in word
        or before in _QUOTES
        or tools.is_alike(word)
        or tools.ends_alike(word)
        or tools.variant(word) is not None
    )


def plainly_misnamed(text: str, tools: Names) -> Iterator[tuple[str, str]]:
    """Words in front of "tool" that are the singular or plural of a tool's name, or its last word."""
    for match in _PLAIN_TOOL.finditer(text):
        word = match["name"]
        if word in tools.names or not _USES.search(text[max(0, match.start() - _LONGEST_USE) : match.start()]):
            continue
        name = next((other for other in (f"{word}s", word.removesuffix("s")) if other in tools.names), None)
        if name is not None:
            yield word, name


def titled_tools(text: str, tools: Names) -> Iterator[tuple[str, str]]:
    """Titles in front of "tool", which no call takes: "the 'Query Documents' tool" for query-docs."""
    for match in _TITLED_TOOL.finditer(text):
        title = match["title"]
        if title not in tools.names:
            yield title, tools.variant(title) or tools.nearest(title.replace(" ", "_").lower()) or ""


def listed_tools(text: str, tools: Names) -> Iterator[tuple[str, str]]:
    """Entries of a list of tools that do not exist, each with the nearest name, or an empty string.

    A list is a list of tools if at least three of its entries, and more than half, are tools.
    """
    block: list[str] = []
    for line in (*text.splitlines(), ""):
        entry = _LISTED.match(line)
        if entry is not None:
            block.append(entry["name"])
        elif not line.strip() or not line.startswith((" ", "\t")):
            known = sum(name in tools.names for name in block)
            if known >= _MIN_LISTED and known * 2 > len(block):
                yield from ((name, _nearest(name, tools)) for name in block if name not in tools.names)
            block = []


def _nearest(name: str, tools: Names) -> str:
    near = tools.variant(name) or tools.close(name) or tools.nearest(name)
    if near is None:
        ends = [other for other in tools.names if name_words(other)[-1:] == name_words(name)[-1:]]
        near = ends[0] if len(ends) == 1 else ""
    return near


_NEEDED = lazy_pattern(
    r"[`'\"]?(?:\s(?:or|and)\s[`'\"]?[\w$]{1,64}[`'\"]?)?\s(?:(?:is|are)\s)?"
    r"(?:required|must be (?:provided|specified|given|set))\b"
)
"""Words after a name: "userId or teamId required"."""


def misnamed_arguments(text: str, arguments: Names) -> Iterator[tuple[str, str]]:
    """Words written as the name of a parameter that does not exist, each with the nearest name, or an empty string.

    Args:
        text: the description of a tool or of one of its parameters, without the parts about results.
        arguments: parameters of the tool, nested ones included.
    """
    for at, word in _compounds(text.split(" ")):
        if word in arguments.names:
            continue
        front, end = text[max(0, at - 40) : at], at + len(word)
        if front[-1:] in _JOINED or text[end : end + 1] in _GOES_ON or _FOREIGN.search(front):
            continue
        called = (
            _ARGUMENT_BEHIND.match(text, end) is not None
            or _ARGUMENT_FRONT.search(front) is not None
            or (front[-1:] in _QUOTES and NOTES.search(front) is not None and not _RETURNED.match(text, end))
            or (_GIVEN.match(text, end) is not None and _IF.search(front) is not None)
            or _IN_CALL.match(text, end) is not None
            or (word.startswith("max") and front.rstrip("`'\"").lower().endswith((" up to ", " up to the ")))
        )
        name = arguments.variant(word)
        # "ready-to-run" is a word.
        if name is None and (not called or ("-" in word and not arguments.hyphenated and front[-1:] not in _QUOTES)):
            continue
        if name is None and arguments.begin_with(word) > 1:
            continue  # "the stop_loss params": those that begin with it.
        if (not called and _OTHER_BEHIND.match(text, end)) or DENIED.search(front):
            continue
        if name is not None:
            sets = _SETS.search(front) and not FROM_RESULT.match(text, end)
            entry = _ENTRY.search(front) is not None and text[end : end + 3].lstrip("`*'\"")[:1] == ":"
            # "Use case-sensitive matching" says what it does, not what it is called.
            marked = front[-1:] in _QUOTES or text.startswith("=", end)
            words = _is_hyphenated(word) and not arguments.hyphenated and not marked
            said = sets or _STATES.match(text, end) or _NEEDED.match(text, end)
            if called or entry or (said and not words):
                yield word, name
        elif called:
            yield word, arguments.close(word) or ""


def called_tools(text: str, tools: Names) -> Iterator[tuple[str, str]]:
    """Unknown names in calls with named arguments, each with the nearest tool, or an empty string.

    Args:
        text: any string written for a model.
        tools: the tools of the server.
    """
    for match in _CALLED.finditer(text):
        if match["name"] not in tools.names:
            yield match["name"], tools.close(match["name"]) or ""


def absent_arguments(text: str, arguments: Names, others: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Parameters of other tools that a description treats as this tool's: "If no billing period is given".

    Args:
        text: a tool's description.
        arguments: parameters of the tool.
        others: the parameters of other tools, by their plain names (:func:`plain`).
    """
    for match in _PHRASE.finditer(text):
        said = match["words"].split()
        key = "".join(said)
        if key not in others or arguments.variant(key) is not None:
            continue
        parts = {part for name in arguments.names for part in name_words(name)}
        if parts.isdisjoint(said) and not (said[-1] in _RANGES and parts & _ENDS_OF_RANGE):
            yield others[key], ""


_RANGES = frozenset({"interval", "period", "range", "span", "window"})
_ENDS_OF_RANGE = frozenset({"after", "before", "end", "from", "since", "start", "to", "until"})
"""Words of the names of parameters that are the two ends of a range: "If the time range is not provided"."""
