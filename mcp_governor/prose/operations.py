"""What the arguments of a tool can make it do: values that pick its operation, switches, and places to save a file.

Such a tool does whatever a call can ask of it, so its name and its description say half of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.call_arguments import call_properties
from mcp_governor.prose.claims import read_values
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.outline import outline
from mcp_governor.prose.words import MUTATING_VERBS, READING_VERBS, name_words, word_set, words
from mcp_governor.subjects.schemas import types_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Tool

_PICKS = frozenset({"action", "mode", "operation"})
"""Names of arguments whose values are operations, if one of them is a verb that says so; a mode is mostly a manner."""
_METHODS = frozenset({"httpmethod", "method", "requestmethod"})
_LOSE = word_set("delete destroy drop erase prune purge remove revoke uninstall wipe")
_CHANGE = MUTATING_VERBS | _LOSE | word_set("alter disable enable initialize rollback set start stop")
_READ = READING_VERBS | word_set("discover download status versions")
_OF_A_STORE = word_set("fetch find get list query read search show status view")
"""What is done to what is stored."""
_FEW = 2
"""Number of operations up to which a tool is not taken for one that computes: "append" and "replace"."""
_COMPUTED = word_set("add replace")
"""What is done to values as well as to what is stored: "add" to a date, "replace" in a string."""
_ASKS = READING_VERBS - {"query", "resolve"}
"""First words of tools that report operations; a query may be any statement, and what is resolved may be closed."""
_MAX_VALUES = 200
"""Maximum number of values read of one argument; no tool has as many operations."""
_MAX_NODES = 300
"""Maximum number of objects looked at in one schema: more variants than any known tool has."""
_MAX_TEXT = 600
"""Maximum number of characters read from the description of an argument, and of a tool for what it reports."""
_ANY_METHOD = lazy_pattern(r"\b(?:PUT|DELETE|PATCH)\b", re.NOFLAG)
_FILTER = lazy_pattern(
    r"\W{0,4}(?:optional(?:ly)?\W{1,3})?(?:(?:find|get|include|keep|list|match|return|show)s?\s)?"
    r"(?:only\s(?:[a-z-]{1,20}\s){0,2}?[a-z-]{2,20}s\s(?:about|by|for|from|matching|of|on|that|where|which|whose|with)\b"
    r"|(?:filter|restrict|limit|narrow)(?:s|ed|ing)?\s|(?:action|event|method|mode|operation)\sfilter\b)",
    re.IGNORECASE,
)
"""An argument that picks among the results: "Only entries about this action"."""


class Operation(Struct, frozen=True):
    """One value of an argument that picks what a tool does.

    Attributes:
        argument: name of the argument.
        value: as the schema lists it.
    """

    argument: str
    value: str

    @property
    def verb(self) -> str:
        return next(iter(name_words(self.value)), "")

    @property
    def loses(self) -> bool:
        """True if it removes something."""
        return self.verb in _LOSE

    @property
    def changes(self) -> bool:
        """True if it changes something; one that removes does, and one that makes a plan does not."""
        return self.loses or (self.verb in _CHANGE and name_words(self.value)[1:] != ("plan",))

    @property
    def reads(self) -> bool:
        """True if it only reads."""
        return self.verb in _READ


def operations(tool: Tool) -> list[Operation]:
    """The operations among which a call picks; empty if no value of the argument is a known verb, and where the tool
    only reports them ("list_audit_log" with an action "delete") or computes with values."""
    found = [
        Operation(name, value)
        for name, schema in _arguments(tool)
        if name.lower() in _PICKS and not _FILTER.match(_described(schema))
        for value in [*_values(schema)] or _listed(tool, name, schema)
    ]
    changes = {one.verb for one in found if one.changes}
    reads = any(one.reads for one in found)
    # Of several things that are done to values, one may be called so.
    computes = (
        len(changes) == 1
        and changes <= _COMPUTED
        and len(found) > _FEW
        and not _OF_A_STORE & {one.verb for one in found}
    )
    if computes or (changes and _only_reports(tool, found, changes)):
        return []
    return found if changes or reads else []


def _only_reports(tool: Tool, found: list[Operation], verbs: set[str]) -> bool:
    """True if a tool asks, by its name, and its words have none of the verbs."""
    named, picks = name_words(tool.name), {one.argument for one in found}
    if not _asks(tool, _ASKS) or not verbs.isdisjoint(named):
        return False
    if any(_PERFORMED.search(_described(schema)) for name, schema in _arguments(tool) if name in picks):
        return False
    said = set(words(tool.description[:_MAX_TEXT]))
    forms = {form for verb in verbs for form in (verb, f"{verb}s", f"{verb}ing", f"{verb.removesuffix('e')}ing")}
    return said.isdisjoint(forms | {"manage", "manages"})


_PERFORMED = Guarded(
    r"\b(?:action|command|method|mode|operation|task|what)\sto\s"
    r"(?:apply|be performed|carry out|do|execute|perform|run|send|take|use)\b",
    *(" action to ", " command to ", " method to ", " mode to ", " operation to ", " task to ", " what to "),
)


def _asks(tool: Tool, verbs: frozenset[str]) -> bool:
    """True if a name begins with a verb for reading, maybe after a product's name: "pg_list_triggers"."""
    named = name_words(tool.name)
    if not verbs.isdisjoint(named[:1]):
        return True
    # A noun elsewhere ("todo_list"), so the description has to begin with it.
    return len(named) > 2 and named[1] in verbs and tool.description.lower().startswith(named[1])


def takes_any_method(tool: Tool) -> bool:
    """True if a call names an HTTP method, and it may be one that changes or deletes."""
    named, given = name_words(tool.name), {name.lower() for name in call_properties(tool)}
    # "search_api" sends any request, and what has a body is sent.
    sends = not _CALLED.isdisjoint(named[-1:]) or not _BODIES.isdisjoint(given) or "request" in tool.description
    methods = [schema for name, schema in _arguments(tool) if "".join(name_words(name)) in _METHODS]
    if _asks(tool, _ASKS - {"check", "fetch", "validate"}) and not sends:
        methods = [schema for schema in methods if _PERFORMED.search(_described(schema))]
    return any(
        _ANY_METHOD.search(text)
        for schema in methods
        if not _FILTER.match(_described(schema))
        for text in (*_values(schema), _described(schema))
    )


_CALLED = frozenset({"api", "http", "request"})
_BODIES = frozenset({"body", "data", "json", "payload", "requestbody"})


def _described(schema: Any) -> str:
    said = schema.get("description") if isinstance(schema, dict) else None
    return said[:_MAX_TEXT] if isinstance(said, str) else ""


def _values(schema: Any) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    listed = schema.get("enum")
    values = listed[:_MAX_VALUES] if isinstance(listed, list) else [schema.get("const")]
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        values += [
            branch.get("const")
            for branch in (branches[:_MAX_VALUES] if isinstance(branches, list) else ())
            if isinstance(branch, dict)
        ]
    yield from (value for value in values if isinstance(value, str))


def _listed(tool: Tool, name: str, schema: Any) -> list[str]:
    """The values that prose lists where the schema takes any text: "action: What to do (list, delete)"."""
    if not isinstance(schema, dict) or not (types_of(schema) or frozenset({"string"})) <= {"string", "null"}:
        return []
    own = _described(schema)
    said = own or str(outline(tool.description, tuple(call_properties(tool))).entries.get(name, ""))
    return [value for claim in read_values(said[:_MAX_TEXT]) for value in claim.listed.values[:_MAX_VALUES]]


def _arguments(tool: Tool) -> Iterator[tuple[str, Any]]:
    """The arguments of a call: those of the tool, of an object that wraps them all, and of its variants."""
    waiting: list[Any] = [tool.input_schema]
    for _ in range(_MAX_NODES):
        if not waiting:
            return
        schema = waiting.pop(0)
        if not isinstance(schema, dict):
            continue
        declared = schema.get("properties")
        if isinstance(declared, dict):
            yield from declared.items()
            # What an operation takes with it may hold an operation of its own; anything else is data.
            waiting += declared.values() if len(declared) == 1 else [declared.get("params")]
        for key in ("anyOf", "oneOf", "allOf"):
            branches = schema.get(key)
            waiting += branches if isinstance(branches, list) else []


# -- switches

_DELETE = [
    "delete",
    "remove",
    "purge",
    "erase",
    "drop",
    "destroy",
    "wipe",
    "clear",
    "overwrite",
    "truncate",
    "discard",
    "replace",
    "revoke",
]
_WRITE = [
    "acknowledge",
    "ack",
    "archive",
    "mark",
    "move",
    "create",
    "update",
    "insert",
    "send",
    "publish",
    "reset",
    "commit",
    "apply",
    "install",
]
_SWITCHES = Guarded(
    r"\W{0,4}(?:(?:(?:if|when)\s(?:true|set|enabled|given|yes)|set\s(?:this\s)?to\strue|true)\b[,:;]?\s(?:to\s)?"
    r"|whether\s(?:or\snot\s)?(?:to\s|the\stool\s)|(?:also|then|automatically|permanently|immediately|optionally)\s){0,4}"
    rf"(?:(?P<destroys>(?:{'|'.join(_DELETE)})s?)|(?P<writes>(?:{'|'.join(_WRITE)})(?:e?s)?))(?=\s(?-i:[a-z`'\"(]))",
    *(f" {verb}" for verb in (*_DELETE, *_WRITE)),
    head=120,
)
_LOST = Guarded(
    r"(?<!not\s)(?<!never\s)\b(?P<destroys>(?:is|are|be|gets?|been)\s(?:then\s|also\s|permanently\s|automatically\s)?"
    r"(?:deleted|purged|erased|overwritten|wiped|destroyed|truncated))\b",
    *(" deleted ", " purged ", " erased ", " overwritten ", " wiped ", " destroyed ", " truncated "),
)
_OF_THE_RESULT = lazy_pattern(
    r".{0,80}?\b(?:from\s(?:the\s)?(?:output|results?|response|text|answer|content|markdown)|white\s?space|html|tags?|markup"
    r"|duplicates?|formatting|comments|noise|nulls?|accents|punctuation|background|emojis?|borders?|quotes|prefix|suffix"
    r"|cache[sd]?|filters?)\b",
    re.IGNORECASE,
)
"""What is taken out of the answer, or of a cache, and not out of what is kept."""
_EXECUTES = Guarded(
    r"\bEXPLAIN\s\(?ANALY[SZ]E\b|\b(?:actual(?:ly)?|real(?:ly)?)\s(?:run|execut)\w*"
    r"|\A\W{0,4}(?:(?:if|when)\strue,?\s|whether\sto\s|also\s){0,2}(?:execute|run)s?\s(?:the\s|this\s|a\s|your\s)?"
    r"(?:code|command|query|script|sql|statement)\b",
    *(" explain ", " actual", " real", " execute", " run"),
)
"""What a statement does is done, whatever it is run for."""
_SWITCH_NAMES = _LOSE | word_set("ack apply autoack clear commit execute flush overwrite persist save store write")


class Switch(Struct, frozen=True):
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
    text = _described(schema)
    match = _SWITCHES.match(text) or _LOST.search(text)
    if match is not None:
        said = " ".join(match[0].split())
        if _OF_THE_RESULT.match(text, match.end()):
            return Switch(name, said, "unknown")
        return Switch(name, said, "writes" if match.lastgroup == "writes" else "destroys")
    if _EXECUTES.search(text):
        return Switch(name, text.split(".", 1)[0], "runs")
    is_boolean = isinstance(schema, dict) and types_of(schema) == frozenset({"boolean"})
    named = is_boolean and not _SWITCH_NAMES.isdisjoint(name_words(name)[:1])
    return Switch(name, name, "unknown") if named else None


# -- places to save

_SAVED_TO = Guarded(
    r"\b(?:path|file|folder|directory)\b(?:\s(?:path|name))?\s(?:to|where|in which|into which)\s"
    r"(?:[\w'-]+\s){0,4}?(?:save|write|saved|written)\b"
    r"|\b(?:saves?|writes?|saved|written)\s(?:[\w'-]+\s){0,4}?(?:to|into)\s(?:a|this|the)\s(?:local\s)?"
    r"(?:file|path|folder|directory)\b",
    *(" save", " write", " written "),
    also=(" file ", " path ", " folder ", " directory "),
)
_SAVING = word_set("dest destination download export output save")
_PLACES = word_set("dir directory file filename folder path")


def saving_parameter(tool: Tool) -> tuple[str, str] | None:
    """The parameter that asks where to save a file, and the words by which it does."""
    for name, schema in call_properties(tool).items():
        match = _SAVED_TO.search(_described(schema))
        if match is not None:
            return name, match[0]
    return None


def is_place_to_save(name: str, verb: str | None) -> bool:
    """True for the name of a parameter that is the place for a file: "save_path", any path of a tool that downloads."""
    parts = name_words(name)
    return not _PLACES.isdisjoint(parts[-1:]) and (verb == "download" or not _SAVING.isdisjoint(parts[:1]))
