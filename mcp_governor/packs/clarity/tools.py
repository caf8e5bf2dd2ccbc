"""Calls that a tool takes though nothing comes of them, and descriptions that promise more than the tool does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.call_arguments import call_object
from mcp_governor.prose.effects import product_prefix, verb_of
from mcp_governor.prose.guarded import lowered
from mcp_governor.prose.operations import operations
from mcp_governor.prose.side_effects import READ_ONLY
from mcp_governor.prose.words import MUTATING_VERBS, name_words
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.phrases import counted, first_of
from mcp_governor.subjects.schemas import COMPOSITION
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.subjects.context import Context, Hit
    from mcp_governor.surface.model import Surface, Tool

_MAX_SHOWN = 6
"""Maximum number of tools named in a message; the others are counted."""

# -- changes of nothing

_CHANGES = frozenset({"edit", "modify", "patch", "update"})
_EXPRESSED = frozenset({*COMPOSITION, "dependentRequired", "dependencies", "minProperties"})
_NAMES_IT = frozenset({"email", "gid", "guid", "id", "iid", "index", "key", "number", "slug", "uid", "uuid"})
_HOLDS_IT = frozenset(
    {
        "account",
        "database",
        "group",
        "org",
        "organization",
        "owner",
        "project",
        "repo",
        "repository",
        "user",
        "workspace",
    }
)
"""Words of parameters for what the changed thing is in."""
_HOW = frozenset({"confirm", "dry", "etag", "fields", "format", "reason", "region", "token", "verbose"})
"""Words of parameters that change nothing by themselves."""
_TAKES_NONE = lazy_pattern(
    r"\btwo[- ]steps?\b|\bwith (?:only|just) the\b|\bwithout (?:any )?(?:changes?|fields?|values?)\b|\bpreviews?\b",
    re.IGNORECASE,
)
"""Words of tools for which a call without a new value is a question: what would change, what can be changed."""
_ENOUGH = 2
"""Number of new values that a call may give, from which on a tool is one for partial changes."""


def empty_change(surface: Surface, context: Context) -> Iterator[Hit]:
    """A tool for partial changes refuses a call without a change; one hit for the server."""
    prefix = product_prefix(surface)
    found = [
        (tool.name, at)
        for tool in surface.tools
        if verb_of(tool, prefix) in _CHANGES and (at := _takes_no_change(tool, context)) is not None
    ]
    if found:
        names = first_of([tool for tool, _ in found], _MAX_SHOWN)
        gist = f"{one_line(found[0][0], 64)}{_more(len(found) - 1)} {'take' if len(found) > 1 else 'takes'}"
        yield hit("/tools", [tool for tool, _ in found], spots=found, names=names, gist=gist)


def _takes_no_change(tool: Tool, context: Context) -> str | None:
    """Where the parameters of a tool are, if it takes a call with nothing but what names the thing to change."""
    call = call_object(tool, context.facts)
    schema, arguments = call.schema, call.properties
    required = schema.get("required")
    if not isinstance(required, list) or not required or not _EXPRESSED.isdisjoint(schema):
        return None
    # clarity/argument-dependencies is about "at least one field".
    if "at least one" in lowered(tool.description) or _TAKES_NONE.search(tool.description):
        return None
    if not all(isinstance(name, str) and _identifies(name) for name in required):
        return None
    values = [name for name in arguments if name not in required and _HOW.isdisjoint(name_words(name))]
    if len(values) < _ENOUGH or any(_is_filled_in(arguments[name]) for name in values):
        return None
    return join_pointer("/inputSchema", *call.tokens)


def _identifies(name: str) -> bool:
    words = name_words(name)
    return not _NAMES_IT.isdisjoint(words[-1:]) or not _HOLDS_IT.isdisjoint(words)


def _is_filled_in(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("default") is not None


# -- operations that a description begins with

_OPENING = lazy_pattern(
    r"\W{0,6}(?P<list>(?:[A-Za-z]{3,20}(?:\s?/\s?|,\s(?:and\s|or\s)?|\s(?:and|or)\s)){1,9}[A-Za-z]{3,20})\b"
)
_CRUD = lazy_pattern(r"\W{0,6}(?:[A-Za-z]{2,12}\s){0,2}CRUD\b", re.NOFLAG)
_LINK = lazy_pattern(r"\s?/\s?|,?\s(?:and|or)\s|,\s", re.IGNORECASE)


def promised_operations(tool: Tool, _context: Context) -> Iterator[Hit]:
    """A tool whose operations only read does not begin its description with operations that change something."""
    picked = operations(tool)
    if not picked or not all(one.reads for one in picked):
        return
    if _CRUD.match(tool.description):
        promised = ["create", "update", "delete"]
    else:
        opening = _OPENING.match(tool.description)
        verbs = [_verb(word) for word in _LINK.split(opening["list"])] if opening is not None else []
        promised = [verb for verb in verbs if verb in MUTATING_VERBS or verb == "execute"]
    if promised and READ_ONLY.search(tool.description) is None:
        allowed = ", ".join(one.value for one in picked[:_MAX_SHOWN])
        said = ", ".join(promised[:_MAX_SHOWN])
        yield hit("/description", tool.description, promised=said, argument=picked[0].argument, allowed=allowed)


def _verb(word: str) -> str:
    """A verb of a list in its plain form: "creates" is "create"."""
    plain = word.lower()
    return next(
        (form for form in (plain, plain.removesuffix("s"), plain.removesuffix("es")) if form in MUTATING_VERBS), plain
    )


def _more(number: int) -> str:
    return f" and {counted(number, 'more tool')}" if number else ""
