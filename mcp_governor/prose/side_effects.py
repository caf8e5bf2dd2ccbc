"""What a tool that reads by its name also changes: the words of its description, and a parameter for a place to save.

A wrong "only reads" does harm, because a client then calls the tool without asking. So each of these takes the tool
out of that group, even if it turns out to be about a part of the result.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.call_arguments import call_properties
from mcp_governor.prose.guarded import Guarded, has_any, lowered
from mcp_governor.prose.words import READING_VERBS, name_words
from mcp_governor.subjects.schemas import types_of

if TYPE_CHECKING:
    from mcp_governor.surface.model import Tool

_MAX_TEXT = 20_000
"""Maximum number of characters read from a description; what a tool does comes first."""
_CLAIMED = Guarded(
    # A sentence or an item of a list that begins with what the tool does: "- Creates tables and inserts data". Only
    # with "s": without it, the sentence is advice for the caller.
    r"(?:(?:\A|\n|[.!:;]\s)[ \t]{0,40}(?:[-*•]\s{0,4}|\d{1,2}[.)]\s{0,4})?"
    r"|\b(?:it|this\s(?:tool|function))\s(?:(?:will|also|then|automatically)\s){0,3})"
    r"(?:creates|deletes|removes|updates|overwrites|saves|stores|modifies|replaces|renames|drops|inserts|uploads"
    r"|installs|deploys|resets|appends|writes|cleans\sup|sets\sup)\s"
    # What a tool saves its caller, and what is about the result.
    r"(?!(?:you|tokens?|time|context|money|requests?|calls?|as|with)\b)"
    r"|\bauto(?:matically\s|-|\s)(?:marks|saves|creates|deletes|updates|stores|starts|installs|pulls)\s"
    r"|\bauto-(?:create|delete|save|start|update)\s"
    r"|\b(?:it|this\s(?:tool|function))\s(?:also\s|automatically\s)?will\s(?:also\s|automatically\s)?"
    r"(?:create|delete|remove|update|overwrite|save|store|modify|replace|rename|drop|insert|upload|install|write)\b",
    *("creates", "deletes", "removes", "updates", "overwrites", "saves", "stores", "modifies", "replaces", "renames"),
    *("drops", "inserts", "uploads", "installs", "deploys", "resets", "appends", "writes", "cleans", "sets", "auto"),
    "will",
)
_FILES = Guarded(
    r"\b(?:generates|saves|writes|stores|downloads|exports)\s(?:[\w'/()-]+,?\s){0,6}?(?:files?|disk|folders?|director(?:y|ies))\b"
    r"|\b(?:will\sbe|are|is|automatically)\s(?:saved|written|downloaded|appended|exported)\b",
    *("generates", "saves", "writes", "stores", "downloads", "exports"),
    *("saved", "written", "downloaded", "appended", "exported"),
)
_MANAGES = Guarded(
    r"\b(?:commands?|operations?|functions?)\s(?:to|for)\s(?:manag|creat|updat|delet|configur)\w{1,4}\b",
    *("command", "operation", "function"),
)
_OPENING = lazy_pattern(r"\W{0,8}([A-Za-z]{2,20}(?:(?:,\s|,?\s(?:or|and)\s|/)[A-Za-z]{2,20}){1,6})\b")
_CHANGING = frozenset(
    [
        *("add", "apply", "cancel", "close", "create", "delete", "edit", "execute", "install", "manage", "modify"),
        *("move", "overwrite", "publish", "restart", "run", "submit", "trigger"),
        *("record", "remove", "rename", "replace", "reset", "save", "send", "set", "start", "stop"),
        *("store", "subscribe", "track", "unsubscribe"),
        *("update", "upload", "write"),
    ]
)
_TAKEN = lazy_pattern(r"\b(?:tak|creat|mak)\w{1,3}\s(?:an?\s)(?:new\s)?snapshot\sof\b", re.IGNORECASE)
_SEEN = lazy_pattern(r"\b(?:accessib|browser|dom|element|page|screen|tab|window|ui)", re.IGNORECASE)
_SAVING = frozenset({"dest", "destination", "download", "export", "output", "save"})
_PLACES = frozenset({"dir", "directory", "file", "filename", "folder", "path"})
_MAX_FIRST = 600
"""Maximum number of characters read from the description of a parameter."""
_SAVED_TO = lazy_pattern(
    r"\b(?:path|file|folder|directory)\b(?:\s(?:path|name))?\s(?:to|where|in which|into which)\s"
    r"(?:[\w'-]+\s){0,4}?(?:save|write|saved|written)\b"
    r"|\b(?:saves?|writes?|saved|written)\s(?:[\w'-]+\s){0,4}?(?:to|into)\s(?:a|this|the)\s(?:local\s)?"
    r"(?:file|path|folder|directory)\b",
    re.IGNORECASE,
)
READ_ONLY = Guarded(r"\bread[- ]?only\b", "read-only", "read only", "readonly")
"""The statement of a description that its tool changes nothing."""


def side_effect(tool: Tool, verb: str | None) -> Literal["writes", "unknown"] | None:
    """What a tool does whose verb is one for reading, if it may do more than that.

    Args:
        tool: the tool.
        verb: of its name, or of its description.
    """
    text = tool.description[:_MAX_TEXT]
    if _saves(tool, verb):
        return "writes"
    if verb == "snapshot" and _TAKEN.search(text) and not _SEEN.search(text):
        return "unknown"
    if READ_ONLY.search(text):
        return None
    claims = _claims(text)
    if claims >= _SURE:
        return "writes"
    words = name_words(tool.name)
    if words[:1] and (words[0] in _RENEWS or (words[0] not in READING_VERBS and not _RENEWS.isdisjoint(words[1:2]))):
        return "unknown"
    return "unknown" if claims or _does_both(text) or _has_a_switch_to_save(tool) else None


def _has_a_switch_to_save(tool: Tool) -> bool:
    """True if a switch makes the tool keep something: ``save_baseline``."""
    return any(
        name_words(name)[:1]
        and name_words(name)[0] in _SWITCHED
        and isinstance(schema, dict)
        and types_of(schema) == frozenset({"boolean"})
        for name, schema in call_properties(tool).items()
    )


_SWITCHED = frozenset({"overwrite", "persist", "save", "store", "write"})


def says_change(text: str) -> bool:
    """True if a description says that its tool changes something: "It also deletes …", "List, create or close …"."""
    return not READ_ONLY.search(text) and (_claims(text) > 0 or _does_both(text))


class Switch(NamedTuple):
    """An argument that makes a tool change something, whatever the tool does without it.

    Attributes:
        argument: its name.
        words: by which its description says so.
        effect: ``destroys``, ``runs`` or ``writes``; ``unknown`` if it may be about a part of the result.
    """

    argument: str
    words: str
    effect: Literal["destroys", "runs", "writes", "unknown"]


def switch(tool: Tool) -> Switch | None:
    """The gravest argument that makes a tool delete, run or keep something: "Remove the messages after reading"."""
    found = [one for name, schema in call_properties(tool).items() if (one := _switch(name, schema)) is not None]
    return min(found, key=lambda one: _GRAVEST.index(one.effect), default=None)


_GRAVEST = ("destroys", "runs", "writes", "unknown")


def _switch(name: str, schema: Any) -> Switch | None:
    text = schema.get("description") if isinstance(schema, dict) else None
    text = text[:_MAX_FIRST] if isinstance(text, str) else ""
    match = _SWITCHES.match(text) or _LOST.search(text)
    if match is not None and match.lastgroup is not None:
        effect = "unknown" if _OF_THE_RESULT.match(text, match.end()) else _SWITCH_EFFECTS[match.lastgroup]
        return Switch(name, " ".join(match[0].split()), effect)
    if _EXECUTES.search(text):
        return Switch(name, text.split(".", 1)[0], "runs")
    is_boolean = isinstance(schema, dict) and types_of(schema) == frozenset({"boolean"})
    verb = next(iter(name_words(name)), "")
    return Switch(name, name, "unknown") if is_boolean and verb in _SWITCH_NAMES else None


_SWITCHES = lazy_pattern(
    r"\W{0,4}(?:(?:(?:if|when)\s(?:true|set|enabled|given|yes)|set\s(?:this\s)?to\strue|true)\b[,:;]?\s(?:to\s)?"
    r"|whether\s(?:or\snot\s)?(?:to\s|the\stool\s)|(?:also|then|automatically|permanently|immediately|optionally)\s){0,4}"
    r"(?:(?P<destroys>(?:delete|remove|purge|erase|drop|destroy|wipe|clear|overwrite|truncate|discard|replace|revoke)s?)"
    r"|(?P<writes>(?:acknowledge|ack|archive|mark|move|create|update|insert|send|publish|reset|commit|apply|install)(?:e?s)?))"
    r"(?=\s(?-i:[a-z`'\"(]))",
    re.IGNORECASE,
)
_LOST = lazy_pattern(
    r"(?<!not\s)(?<!never\s)\b(?P<destroys>(?:is|are|be|gets?|been)\s(?:then\s|also\s|permanently\s|automatically\s)?"
    r"(?:deleted|purged|erased|overwritten|wiped|destroyed|truncated))\b",
    re.IGNORECASE,
)
_SWITCH_EFFECTS: dict[str, Literal["destroys", "writes"]] = {"destroys": "destroys", "writes": "writes"}
_OF_THE_RESULT = lazy_pattern(
    r".{0,80}?\b(?:from\s(?:the\s)?(?:output|results?|response|text|answer|content|markdown)|white\s?space|html|tags?|markup"
    r"|duplicates?|formatting|comments|noise|nulls?|accents|punctuation|background|emojis?|borders?|quotes|prefix|suffix"
    r"|cache[sd]?|filters?)\b",
    re.IGNORECASE,
)
"""What is taken out of the answer, or of a cache, and not out of what is kept."""
_EXECUTES = lazy_pattern(
    r"\bEXPLAIN\s\(?ANALY[SZ]E\b|\b(?:actual(?:ly)?|real(?:ly)?)\s(?:run|execut)\w*"
    r"|\A\W{0,4}(?:(?:if|when)\strue,?\s|whether\sto\s|also\s){0,2}(?:execute|run)s?\s(?:the\s|this\s|a\s|your\s)?"
    r"(?:code|command|query|script|sql|statement)\b",
    re.IGNORECASE,
)
"""What a statement does is done, whatever it is run for."""
_SWITCH_NAMES = frozenset(
    [
        "ack",
        "apply",
        "autoack",
        "clear",
        "commit",
        "delete",
        "destroy",
        "drop",
        "erase",
        "execute",
        "flush",
        "overwrite",
    ]
) | {"purge", "remove", "wipe"}


_RENEWS = frozenset({"refresh", "reindex", "sync"})
"""Verbs of names for what reads from elsewhere and keeps it here."""
_SURE = 2
"""Number of statements from which on the tool does change something: a single one may be about a part of the result."""


def _claims(text: str) -> int:
    """The number of statements that the tool changes something, up to two."""
    claimed = sum(1 for _ in islice(_CLAIMED.finditer(text), _SURE))
    return claimed or int(any(pattern.search(text) for pattern in (_FILES, _MANAGES)))


def _does_both(text: str) -> bool:
    """True if the first words are verbs, and one of them changes something: "List, create or close tabs"."""
    match = _OPENING.match(text)
    words = re.findall(r"[a-z]{2,}", match[1].lower()) if match is not None else []
    return any(form in _CHANGING for word in words[1:] for form in (word, word.removesuffix("s")))


def saving_parameter(tool: Tool) -> tuple[str, str] | None:
    """The parameter that asks where to save a file, and the words by which it does."""
    for name, schema in call_properties(tool).items():
        text = schema.get("description") if isinstance(schema, dict) else None
        if isinstance(text, str) and has_any(lowered(text), ("save", "write", "writ")):
            match = _SAVED_TO.search(text, 0, _MAX_FIRST)
            if match is not None:
                return name, match[0]
    return None


def _saves(tool: Tool, verb: str | None) -> bool:
    """True if a parameter is the place for a file: "save_path", or any path of a tool that downloads."""
    for name in call_properties(tool):
        parts = name_words(name)
        if parts[-1:] and parts[-1] in _PLACES and (verb == "download" or parts[0] in _SAVING):
            return True
    return saving_parameter(tool) is not None
