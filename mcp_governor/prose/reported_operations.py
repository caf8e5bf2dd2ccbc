"""Operations that a tool only reports: "list_audit_log" with an action "delete" lists deletions.

The name of such a tool begins with a verb for reading, or the argument says that it filters.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.call_arguments import call_properties
from mcp_governor.prose.side_effects import says_change
from mcp_governor.prose.words import MUTATING_VERBS, READING_VERBS, name_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_governor.surface.model import Tool

_ASKS = READING_VERBS - {"query", "resolve"}
"""Verbs of tools that report operations; a query may be any statement, and what is resolved may be closed."""
_SENDS = frozenset({"check", "fetch", "validate"})
"""Of these, the verbs of tools that send a request to see what comes back."""
_MAKES = frozenset({"build", "compose", "draft", "format", "generate", "preview", "render"})
_WRITTEN = frozenset(
    ["code", "command", "curl", "example", "link", "query", "script", "snippet", "sql", "statement", "url"]
)
"""What is built to be returned, so that the caller runs it."""
_CALLED = frozenset({"api", "http", "request"})
"""Last words of names of tools that send any request: "get_request"."""
_BODIES = frozenset({"body", "data", "json", "payload", "requestbody"})
"""Names of arguments that only a tool takes that sends the request."""
_FILTER = lazy_pattern(
    r"\W{0,4}(?:optional(?:ly)?\W{1,3})?(?:"
    r"(?:(?:find|get|include|keep|list|match|return|show)s?\s)?only\s"
    # "Only supports …", "Only needed …" are about the argument itself.
    r"(?!(?:accepts|affects|allows|applies|deletes|does|has|is|needs|removes|supports|takes|uses|works)\b)"
    r"(?:[a-z-]{1,20}\s){0,2}?[a-z-]{2,20}s\s(?:about|by|for|from|matching|of|on|that|where|which|whose|with)\b"
    r"|filter(?:s|ed|ing)?\s(?:(?:the\s)?[a-z-]{2,20}s\s)?(?:by|on|to|for|with)\b"
    r"|(?:restrict|limit|narrow)s?\s(?:(?:the\s)?[a-z-]{2,20}s\s)?to\b"
    r"|(?:action|event|method|mode|operation)\sfilter\b)",
    re.IGNORECASE,
)
_PERFORMED = lazy_pattern(
    r"\b(?:action|command|method|mode|operation|task|verb|what)\sto\s(?:apply|be performed|carry out|do|execute"
    r"|perform|run|send|take|use)\b",
    re.IGNORECASE,
)
"""Not "what the role wants to do"."""
_NAMED = lazy_pattern(
    r"(?:\A|[,/|:='\"`(]|\b(?:and|can|or|to))\s?['\"`*]{0,3}(?!(?:and|can|or|to)\b)([A-Za-z]{2,20})\b", re.NOFLAG
)
"""A word in a list of verbs, or after the name of the argument: "get, create or drop", "action='delete'"."""
_GERUND = lazy_pattern(r"\b([A-Za-z]{2,20})ing\b", re.NOFLAG)
_SUPPORTS = lazy_pattern(
    r"\b(?:allow|includ|permit|support)\w{0,4}\b|\b(?:operations?|tools?)\b|\A\W*\Z", re.IGNORECASE
)
_NOT_DONE = lazy_pattern(
    r"\b(?:how|if|may|never|no|not|nothing|whether|which|who|without|would)\b|n't\b", re.IGNORECASE
)
_TOPIC = lazy_pattern(
    r"\b(?:about|as|by|for|from|in|like|of|on|with)\s(?:(?:an?|the)\s)?(?:(?:[a-z]{1,20}\s){0,2}[a-z]{1,20}\s?\()?"
    r"((?:[a-z]{2,20}(?:,?\s(?:and|or)\s|,\s?|/|\s\|\s)){0,6})\Z",
    re.IGNORECASE,
)
"""A list of verbs that something is about: "entries of create, update and …"."""
_SENDS_IT = lazy_pattern(
    r"\b(?:issu|mak|perform|send|execut)e?s?\s(?:[\w-]{1,20}\s){0,3}(?:requests?|calls?)\b", re.IGNORECASE
)
_ONE_SENTENCE = lazy_pattern(r"[.!?;]\s|\n")
_ANY_MANAGED = lazy_pattern(r"\bmanag(?:e|es|ing)\b", re.IGNORECASE)
_REACH = 80
"""Number of characters before a verb in which words say that it is not what the tool does."""
_MAX_TEXT = 3000
"""Maximum number of characters read of a description; what a tool does comes first."""
_MAX_FIRST = 300
"""Maximum number of characters read of the description of an argument."""


def filters(schema: Any) -> bool:
    """True if an argument says that it picks among the results: "Only entries about this action"."""
    return _FILTER.match(_described(schema)) is not None


def only_reports(tool: Tool, schema: Any, verbs: Iterable[str]) -> bool:
    """True if a tool reports operations that it does not do.

    Args:
        tool: the tool.
        schema: of the argument that has the operations as values.
        verbs: the operations that change something.
    """
    named, changes = name_words(tool.name), frozenset(verbs)
    if not _asks(named, tool.description, _ASKS) or not changes.isdisjoint(named):
        return False
    return not _is_performed(named, schema) and not _says_it_does(tool.description[:_MAX_TEXT], changes)


def sends_nothing(tool: Tool, schema: Any) -> bool:
    """True if a tool reports requests, or writes one down, and the argument is the method that those have."""
    named, text = name_words(tool.name), tool.description[:_MAX_TEXT]
    if not _asks(named, text, _ASKS - _SENDS) or _is_performed(named, schema):
        return False
    if named[0] not in _MAKES and (
        named[-1] in _CALLED or not _BODIES.isdisjoint(map(str.lower, call_properties(tool)))
    ):
        return False
    sends = _SENDS_IT.search(text)
    return not says_change(text) and (sends is None or _NOT_DONE.search(_before(text, sends.start())) is not None)


def _asks(named: tuple[str, ...], text: str, asks: frozenset[str]) -> bool:
    """True if a name begins with a verb for reading, maybe after a product's name: "pg_list_triggers"."""
    if named[:1] and (named[0] in asks or (named[0] in _MAKES and not _WRITTEN.isdisjoint(named))):
        return True
    # A noun elsewhere ("todo_list"), so the description has to begin with it.
    opens = _opening(text)
    return len(named) > 2 and named[1] in asks and named[1] in (opens, opens.removesuffix("s"))


def _is_performed(named: tuple[str, ...], schema: Any) -> bool:
    """True if the argument is what the tool is to do: "The action to perform"."""
    return named[0] not in _MAKES and _PERFORMED.search(_described(schema)) is not None


# One tool at a time is asked for, and its variants ask for the same: a few sets of verbs for each of some tools.
@lru_cache(maxsize=64)
def _says_it_does(text: str, changes: frozenset[str]) -> bool:
    """True if the description says that the tool does one of the operations, or manages something."""
    if says_change(text) or _ANY_MANAGED.search(text):
        return True
    # "List deletes" has a noun where "Lists entries, deletes them" has a verb.
    ending = "s" if _opening(text).endswith("s") else ""
    for sentence in _ONE_SENTENCE.split(text):
        for match in _NAMED.finditer(sentence):
            before = _before(sentence, match.start(1))
            if (
                match[1].lower().removesuffix(ending) in changes
                and not _NOT_DONE.search(before)
                and not _is_topic(before)
            ):
                return True
        for match in _GERUND.finditer(sentence):
            stem, before = match[1].lower(), _before(sentence, match.start())
            done = not changes.isdisjoint((stem, f"{stem}e", stem[:-1]))
            if done and _SUPPORTS.search(before) and not _NOT_DONE.search(before):
                return True
    return False


def _is_topic(before: str) -> bool:
    listed = _TOPIC.search(before)
    return listed is not None and _JOINTS.issuperset(re.findall(r"[a-z]+", listed[1].lower()))


_JOINTS = READING_VERBS | MUTATING_VERBS | {"and", "or"}


def _before(text: str, end: int) -> str:
    return text[max(0, end - _REACH) : end]


def _opening(text: str) -> str:
    first = re.match(r"\W{0,8}([A-Za-z]{2,20})", text)
    return first[1].lower() if first is not None else ""


def _described(schema: Any) -> str:
    said = schema.get("description") if isinstance(schema, dict) else None
    return said[:_MAX_FIRST] if isinstance(said, str) else ""
