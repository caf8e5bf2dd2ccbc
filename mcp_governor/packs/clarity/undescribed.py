"""Parameters without a description, and identifiers without a source."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.packs.clarity.guessing import Argument, open_question
from mcp_governor.packs.clarity.id_sources import ROLES, Sources, stems_of
from mcp_governor.packs.clarity.unguessable import INDEXES
from mcp_governor.prose.declared import Declared, declared, one_hit
from mcp_governor.prose.described import is_described
from mcp_governor.prose.words import STOP_WORDS, name_words, stem, words
from mcp_governor.subjects.schemas import effective, types_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.subjects.context import Context, Hit
    from mcp_governor.surface.model import Surface

# -- no description

_KNOWN = frozenset(
    [
        *("author", "body", "bold", "comment", "comments", "content", "count", "cursor", "description", "directory"),
        *(
            "email",
            "filename",
            "first_name",
            "font",
            "font_name",
            "font_size",
            "height",
            "italic",
            "keywords",
            "last_name",
        ),
        *("latitude", "limit", "longitude", "message", "name", "offset", "owner", "page", "page_size"),
        *("pagesize", "password", "per_page", "perpage", "phone", "port", "prompt", "q", "query", "question"),
        *("repo", "repository", "search", "skip", "sql", "subject", "text", "title", "underline", "url"),
        *("username", "width", "x", "y"),
    ]
)
"""Names that say what belongs there, in any server."""
_HALF_KNOWN = frozenset({"cursor", "directory", "filename", "owner", "repo", "repository"})
"""Those that leave a question all the same: a path or a name, the name alone or with the owner, from which call."""
_LOOKS = frozenset({"bold", "italic", "strike", "strikethrough", "underline"})
"""Switches that need no words."""
_SAYING_WHAT = frozenset(
    [
        *("can", "display", "draw", "exclude", "has", "header", "hide", "ignore", "include", "is", "legend", "match"),
        *("print", "return", "show", "skip", "with", "without"),
    ]
)
"""First words of names that say what the switch turns on."""
_OPAQUE = frozenset(
    [
        *("anchor", "arn", "arns", "destination", "fn"),
        *("handle", "id", "identifier", "identifiers", "ids", "include"),
        *(
            "key",
            "keys",
            "namespace",
            "namespaces",
            "pattern",
            "patterns",
            "ref",
            "reference",
            "refs",
            "revision",
            "sha",
        ),
        *("template", "token", "where"),
    ]
)
"""Last words of names for values that only somebody else can know, or whose syntax is open."""
_SILENT = 3
"""Minimum number of undescribed parameters of one tool that make a gap; one or two may be an oversight."""
_FEWEST = 2
"""Minimum number of tools with an undescribed parameter; one may be an oversight, or the only place where it is
plain."""


def shared_parameters(surface: Surface, context: Context) -> Iterator[Hit]:
    """Parameters that several tools have, or with opaque names, are described; one hit for the server."""
    yield from _hits(surface, context, plain=False)


def plain_parameters(surface: Surface, context: Context) -> Iterator[Hit]:
    """The same where most of their names say what belongs there."""
    yield from _hits(surface, context, plain=True)


class _Bare(NamedTuple):
    """The parameters of a server without a description.

    Attributes:
        reported: names, those that are hard to guess first, each with its parameters.
        right: for some of them, a tool that describes it.
        plain: most of the names say what belongs there.
    """

    reported: list[tuple[str, list[Declared]]]
    right: dict[str, str]
    plain: bool


def _hits(surface: Surface, context: Context, *, plain: bool) -> Iterator[Hit]:
    bare: _Bare = context.facts.memo("bare parameters", lambda: _undescribed(surface, context))
    if bare.plain == plain:
        yield from one_hit(bare.reported, bare.right, "describes it")


def _undescribed(surface: Surface, context: Context) -> _Bare:
    bare: dict[str, list[Declared]] = defaultdict(list)
    lesser: dict[str, list[Declared]] = defaultdict(list)
    described: dict[tuple[str, bool], str] = {}
    for one in declared(surface, context):
        parts = name_words(one.name)
        if is_described(one, context):
            described.setdefault((one.name, one.nested), one.tool.name)
        elif parts and not _says_itself(one, parts) and not _asked(one, parts):
            bare[one.name].append(one)
        elif parts and _leaves_a_question(one):
            lesser[one.name].append(one)
    tools = {name: list({id(one.tool): one.tool for one in ones}.values()) for name, ones in bare.items()}
    sources = Sources(surface)
    hard = {name for name, ones in bare.items() if any(map(_top, ones)) and _is_opaque(name, described, sources)}
    reported = [
        name for name in bare if len(tools[name]) >= _FEWEST or name in hard or any(one.required for one in bare[name])
    ]
    if not any(len(tools[name]) >= _FEWEST or name in hard for name in reported):
        # No parameter is a gap by itself; several of one tool are.
        silent = _of_silent_tools(bare)
        reported = [name for name in bare if name in silent]
    if reported:
        # Whoever describes these describes the others as well.
        named = {name for name in bare if name_words(name)[-1] in _KNOWN - _HALF_KNOWN}
        reported += [name for name in bare if name not in named.union(reported)]
    asking = {name for name in reported if any(map(_top, bare[name])) and not _is_plain(name)}
    lasting = {name for name in asking if (name, False) not in described}
    reported.sort(key=lambda name: -(min(len(tools[name]), 4) + 2 * (name in hard) + 4 * (name in lasting)))
    if reported:
        for name in sorted(lesser, key=lambda name: -len(lesser[name])):
            reported += [] if name in bare else [name]
            bare[name] += lesser[name]
    # Within an object, the same name may mean something else.
    right = {name: described.get((name, not any(map(_top, bare[name])))) for name in reported}
    return _Bare(
        [(name, bare[name]) for name in reported],
        {name: tool for name, tool in right.items() if tool},
        plain=len(lasting) < _ASKING and len(hard) < _HARD,
    )


_ASKING = 3
"""Number of names at the top of a tool that leave a question and have no description, from which on describing them
is more than polish."""
_HARD = 2
"""The same for names that nobody can guess."""
_PLAIN = frozenset(
    [
        *("base", "bottom", "branch", "cell", "cells", "col", "cols", "color", "colour", "column", "columns"),
        *("command", "company", "count", "destination", "dir", "end", "file", "files", "folder", "footer", "header"),
        *("headers", "label", "labels", "left", "length", "line", "lines", "names", "notes", "number", "path", "paths"),
        *("project", "range", "results", "right", "row", "rows", "sheet", "size", "source", "start", "stop", "tag"),
        *("tags", "timeout", "tooltip", "top", "uri", "urls", "users"),
    ]
)
"""Last words of names that say what belongs there, but not how exactly: absolute or relative, from 0 or from 1."""


def _is_plain(name: str) -> bool:
    last = name_words(name)[-1]
    return last in _PLAIN or last in _KNOWN


def _of_silent_tools(bare: Mapping[str, list[Declared]]) -> set[str]:
    """Undescribed parameters of tools that have several of them."""
    of_tool: dict[int, set[str]] = defaultdict(set)
    for name, ones in bare.items():
        for one in ones:
            if not one.nested:
                of_tool[one.tool.index].add(name)
    return {name for names in of_tool.values() if len(names) >= _SILENT for name in names}


def _is_opaque(name: str, described: Mapping[tuple[str, bool], str], sources: Sources) -> bool:
    """True if only somebody else knows the value, and no tool of the server describes or returns it."""
    *front, last = name_words(name)
    if last not in _IDENTIFIERS and not (front and last in _KEYS):
        return last in _OPAQUE
    return (name, False) not in described and not sources.has(name)


def _top(one: Declared) -> bool:
    return not one.nested


def _asked(one: Declared, parts: tuple[str, ...]) -> bool:
    """True if another rule requires a description of the parameter."""
    types = (types_of(one.schema) or frozenset()) - {"null"}
    bare = Argument(one.name, parts, one.schema, types, "", one.tool.description, one.nested)
    return parts[-1] in INDEXES or open_question(bare) is not None


def _says_itself(one: Declared, parts: tuple[str, ...]) -> bool:
    """True if the name and the type say it all, or the nested properties do."""
    if one.name.lower() in _KNOWN or (one.nested and parts[-1] in _KNOWN):
        return True
    inner: Any = one.schema.get("items")
    shaped = bool(one.schema.get("properties")) or (isinstance(inner, dict) and bool(inner.get("properties")))
    return shaped or one.schema.get("type") == "boolean"


def _leaves_a_question(one: Declared) -> bool:
    """True for a switch, and for a name that only half says what belongs there, at the top of a tool."""
    if one.nested:
        return False
    first = name_words(one.name)[0]
    switch = one.schema.get("type") == "boolean" and one.name not in _LOOKS and first not in _SAYING_WHAT
    return one.name in _HALF_KNOWN or switch


# -- where identifiers come from

_IDENTIFIERS = frozenset(
    [
        *("arn", "arns", "guid", "guids", "handle", "id", "identifier", "identifiers", "ids", "token"),
        *("uid", "uids", "uuid", "uuids"),
    ]
)
_KEYS = frozenset({"key", "keys"})
"""The same after the name of a thing: "item_key"."""
_MADE_UP = frozenset(
    [
        *(
            "access",
            "api",
            "app",
            "auth",
            "bearer",
            "client",
            "continuation",
            "continue",
            "correlation",
            "csrf",
            "cursor",
        ),
        *(
            "id",
            "idempotency",
            "max",
            "maximum",
            "min",
            "next",
            "num",
            "number",
            "page",
            "pagination",
            "prev",
            "previous",
        ),
        *("refresh", "request", "resume", "secret", "session", "sync", "trace"),
    ]
)
"""Words in front of these: of pages, of logins, and of what the caller makes up."""
_OWN = frozenset({"account", "project", "role", "tenant"})
"""Words in front for what users know from their own set-up, or chose themselves."""
_UNASKED = _MADE_UP | _OWN
_CLUE = lazy_pattern(
    r"['\"`“{]|\b(?:e\.\s?g|i\.\s?e|such as|like|for example|examples?|see|same as|returned|obtain\w*|found|from|"
    r"[Dd]efaults?|use|via|call|list_\w+|get_\w+|format|uuid|hex\w*|starts?|begins?|prefix|url|slug|email|names?|or|existing|issued)\b|"
    r"\d{3}(?!\d? char)|:\s?\S|\w/\w|[a-z]_[a-z]|[a-z][A-Z]",
    re.NOFLAG,
)
_SAYING = frozenset({"enum", "pattern", "format", "examples"})
_BOUND = lazy_pattern(r"(?:must be|between|max\w*|up to)\s[\d\-– ]{1,12}characters?(?:\slong)?", re.IGNORECASE)
_EITHER_WORD = lazy_pattern(r"['’]s\b|/(?=(?:ID|key|uid|uuid)\b)", re.IGNORECASE)
"""What is not a word of its own: "the board's ID", "key/ID"."""
_MAX_CONTENT = 2
"""Number of words apart from the name above which a description is taken to give the source of an identifier."""
_MAX_WORDS = 20
"""Maximum number of words of a thin description; no check of words can judge a longer one."""
_FILL = frozenset(stem(word) for word in STOP_WORDS) | frozenset(
    stem(word)
    for word in (
        *("act", "array", "associated", "belong", "belongs"),
        *("cancel", "contain", "containing", "contains", "create"),
        *("current", "delete", "edit", "fetch", "filter"),
        *("id", "identification", "identifier", "identifiers", "ids"),
        *(
            "list",
            "located",
            "modify",
            "must",
            "need",
            "new",
            "number",
            "only",
            "operate",
            "optional",
            "owning",
            "remove",
        ),
        *("required", "result", "results", "retrieve", "return"),
        *("returned", "show", "specific", "string", "target"),
        *("text", "unique", "update", "valid", "value", "view"),
        *("want", "what", "when", "where", "which", "whose"),
    )
)


def id_source(surface: Surface, context: Context) -> Iterator[Hit]:
    """The description of an identifier that no other tool returns says where it comes from; one hit for the server."""
    found: dict[str, list[Declared]] = defaultdict(list)
    for one in declared(surface, context):
        # On a server with a single tool, the caller may invent the identifier.
        taken = one.text and (one.required or len(surface.tools) > 1)
        if taken and _is_unsourced(one) and not _is_sourced(one, context):
            found[one.name].append(one)
    if not found:
        return
    sources = Sources(surface)
    unsourced = [(name, ones) for name, ones in found.items() if not sources.has(name)]
    unsourced.sort(key=lambda item: (-sum(one.required for one in item[1]), -len(item[1])))
    # One that may be left out is worth a word where others are, or where many tools take it.
    if any(len(ones) >= _MANY or any(one.required for one in ones) for _, ones in unsourced):
        yield from one_hit(unsourced, {}, "")


def only_the_name(surface: Surface, context: Context) -> Iterator[Hit]:
    """The description of an identifier that a tool returns says more than its name; one hit for the server."""
    found: dict[str, list[Declared]] = defaultdict(list)
    for one in declared(surface, context):
        if one.text and one.required and not one.nested and _is_unsourced(one, most=0):
            found[one.name].append(one)
    if not found:
        return
    sources = Sources(surface)
    rare = {name: ones for name, ones in found.items() if len(ones) <= _FAMILIAR}
    named = {name: giver for name, ones in rare.items() if (giver := sources.giver(name, ones)) is not None}
    first = [(name, found[name]) for name in sorted(named, key=lambda name: -len(found[name]))]
    yield from one_hit(first, named, "has it")


_FAMILIAR = 12
"""Maximum number of tools that take an identifier for it to need words; what more tools take is what the server is
about."""
_MANY = 3
"""Number of tools from which on an optional identifier without a source is a gap of the server."""


def _is_sourced(one: Declared, context: Context) -> bool:
    """True if the tool says how to find an identifier: "find the id of the dataset using search_asset"."""
    found = context.facts.memo(("things to find", one.tool.index), lambda: _things_to_find(one.tool.description))
    return not found.isdisjoint(stems_of(name_words(one.name)[:-1]))


def _things_to_find(description: str) -> set[str]:
    said = _FINDING.findall(description[:_MAX_SEARCHED])
    return {stem(word) for sentence in said for word in words(sentence)}


_FINDING = lazy_pattern(
    r"\b(?:find|get|look up|obtain)\s("
    r"(?:(?!(?:by|for|from|in|of|on|using|via|where|which|whose|with)\b)[\w'-]{1,30}\s){0,4}"
    r"ids?\b[^.\n]{0,80}?)\s(?:by|from|in|using|via|with)\s",
    re.IGNORECASE,
)
"""The id is what is found: "get a dataset by its id from the store" finds a dataset."""
_MAX_SEARCHED = 4_000
"""Maximum number of characters of a tool's description searched for the source of an identifier."""


def _is_unsourced(one: Declared, most: int = _MAX_CONTENT) -> bool:
    """True if the name is that of an identifier, and its description adds at most so many words."""
    *front, last = name_words(one.name) or ("",)
    named = _IDENTIFIERS | _KEYS if most == 0 else _IDENTIFIERS
    if last not in named or not front or not _UNASKED.isdisjoint(front) or set(front) <= ROLES:
        return False
    text = _EITHER_WORD.sub(" ", _BOUND.sub("", one.text))
    said = words(text)
    schemas = (one.schema, effective(one.tool.input_schema, one.schema.get("items")))
    saying = _SAYING if most else _SAYING - {"format"}  # "uuid" does not say where one comes from
    if len(said) > _MAX_WORDS or any(key in schema for schema in schemas for key in saying):
        return False
    own = {stem(word) for word in (*front, last, "".join((*front, last)), *name_words(one.tool.name))} | _FILL
    if len([word for word in said if stem(word) not in own]) > most:
        return False
    for spelling in (one.name, "".join(word.capitalize() for word in (*front, last))):
        text = text.replace(spelling, "")
    return not _CLUE.search(text)
