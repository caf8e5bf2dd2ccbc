"""Parameters that a tool's description lists as required or optional, and defaults that only the description states."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.findings import Correction, Edit, Effect
from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose import prose
from mcp_governor.prose.call_arguments import call_object
from mcp_governor.prose.flat_text import without_name
from mcp_governor.prose.guarded import Guarded, has_any, lowered
from mcp_governor.prose.leaving_out import left_out
from mcp_governor.prose.passages import outline_of
from mcp_governor.prose.words import name_words
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.phrases import in_short
from mcp_governor.subjects.schemas import COMPOSITION, effective, types_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.subjects.context import Context, Hit
    from mcp_governor.surface.model import Surface, Tool

_MAX_READ = 20_000
"""Maximum number of characters read from a description; a longer one is a manual."""
_NOTE = lazy_pattern(
    r"\b(?P<name>[A-Za-z_]\w{0,63})[`*]{0,3}\s?\((?P<note>(?:str|string|int|integer|float|number|bool|boolean|list|dict"
    r"|array|object)\b[^()\n]{0,60})\)",
    re.IGNORECASE,
)
_OPTIONAL = lazy_pattern(r"\b(?:optional|default|none|null)\b", re.IGNORECASE)
_HEADING = lazy_pattern(
    r"(?:#{1,6}\s|\*\*)?(?P<word>required|optional)(?:\s(?:parameters|arguments|params|args|fields|inputs))?"
    r"(?:\*\*)?\s?:(?:\*\*)?\s?(?P<rest>.*)",
    re.IGNORECASE,
)
_ITEM = lazy_pattern(
    r"(?:[-*•]\s|\d{1,2}[.)]\s)?[`*\"']{0,3}(?P<name>[A-Za-z_]\w{0,63})[`*\"']{0,3}(?=\s?[:(–—]|\s-\s|$)"
)
_BARE = lazy_pattern(r"[`'\"]?([A-Za-z_]\w{0,63})[`'\"]?")
_MAX_SHOWN = 6
"""Maximum number of parameters named in a message; the others are counted."""


def listed_necessity(tool: Tool, context: Context) -> Iterator[Hit]:
    """A parameter listed as required is required, and one listed as optional is optional."""
    call = call_object(tool, context.facts)
    schema, arguments = call.schema, call.properties
    if not arguments or any(key in schema for key in COMPOSITION):
        return
    names = schema.get("required")
    required = {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()
    description = tool.description[:_MAX_READ]
    # clarity/required-default is about the others.
    bare = [name for name in arguments if name in required and not _has_default(arguments[name])]
    listed = dict.fromkeys(left_out(description, bare), "optional")
    listed |= {**_by_notes(description, arguments, required), **_by_headings(description, arguments)}
    for stated in ("required", "optional"):
        wrong = [name for name, said in listed.items() if said == stated and _differs(said, name, arguments, required)]
        if wrong:
            actual = "optional" if stated == "required" else "required"
            yield hit("/description", tool.description, arguments=wrong, stated=stated, actual=actual)


def _differs(said: str, name: str, arguments: Mapping[str, Any], required: set[str]) -> bool:
    schema = arguments[name]
    if said == "required":
        # A parameter with a meaningful default is optional, whatever the list says.
        return name not in required and isinstance(schema, dict) and schema.get("default") in (None, "")
    return name in required and "null" not in (types_of(schema) or ())


def _has_default(schema: Any) -> bool:
    return isinstance(schema, dict) and "default" in schema


def _by_notes(description: str, arguments: Mapping[str, Any], required: set[str]) -> dict[str, str]:
    """ "a (str), b (int, optional)": where one is marked as optional, unmarked ones are required.

    Applied only if the author is consistent: every marked parameter is optional, and an unmarked one is required.
    """
    if "optional" not in lowered(description):
        return {}
    notes = {match["name"]: match["note"] for match in _NOTE.finditer(description) if match["name"] in arguments}
    marked = {name for name, note in notes.items() if _OPTIONAL.search(note)}
    bare = notes.keys() - marked
    if not marked or not bare & required or marked & required:
        return {}
    spared = {word.lower() for found in _SPARED.finditer(description) for word in found.groups() if word}
    return {name: "required" for name in notes if name in bare and spared.isdisjoint(name_words(name))}


_SPARED = Guarded(
    r"\b([a-z_]{3,30})(?:\s(?:id|name|path))?\s(?:is|are)\soptional\b"
    r"|\bif\s(?:the\s|no\s)?([a-z_]{3,30})\s(?:is\s|are\s)?(?:not\s(?:provided|given|specified|set)|omitted)\b",
    "optional",
    "if ",
)
"""Words of the name of a parameter that a sentence makes optional: "Directory is optional" of `output_directory`."""


def _by_headings(description: str, arguments: Mapping[str, Any]) -> dict[str, str]:
    """ "Required parameters:" with names below it or after it; nothing where there are several such lists."""
    out: dict[str, str] = {}
    seen: list[str] = []
    word = ""
    if not has_any(lowered(description), ("required", "optional")):
        return out
    for line in description.splitlines():
        flat = line.strip()
        heading = _HEADING.fullmatch(flat)
        if heading is not None:
            word = heading["word"].lower()
            seen.append(word)
            parts = heading["rest"].rstrip(".").split(",")
            behind = [match[1] for part in parts if (match := _BARE.fullmatch(part.strip()))]
            out.update({name: word for name in behind if name in arguments})
            # Names after the colon are the whole list.
            word = "" if heading["rest"] else word
        elif word:
            item = _ITEM.match(flat)
            if item is not None and item["name"] in arguments and "optional" not in flat.lower():
                out[item["name"]] = word
            elif not flat or not line.startswith((" ", "\t", "-", "*")):
                word = "" if flat else word
    return out if len(seen) == len(set(seen)) else {}


_WORD = Guarded(
    r"\bdefault(?:s\sto|\svalue(?:\sis|\s?[:=])|\sis|\s?[:=])\s?:?\s?([A-Za-z][\w\-]{0,30})"
    r"(?=\s?(?:[);]|,(?!\s(?-i:[A-Z]))|\.(?:\s|$))|\s?$)",
    "default",
)
_CASES = Guarded(
    r"\bdefaults?\b.{0,60}?\b(?:for|when|if|unless|otherwise|depending|depends|on [a-z]{3,20}|required (?:with|by))\b"
    r"|\bfor (?:the )?[a-z_\-]{3,30}(?: (?:operations?|actions?|modes?))?, defaults? to\b"
    r"|\b(?:by|with|for) [`'\"][\w\-]{1,40}[`'\"] \(defaults? to\b",
    "default",
)
"""A default of some calls only; written into the schema, it would be that of all."""
_FROM_OUTSIDE = lazy_pattern(r"\benv(?:ironment)?\b", re.IGNORECASE)
"""Another source of the value, which a default in the schema would hide: "Default: 500. Env: MAX_RESULTS"."""
_KEEPS = frozenset({"edit", "modify", "patch", "update"})
"""Words of tools that change a part of something."""
_NO_LITERALS = frozenset(
    {"none", "null", "empty", "all", "any", "current", "now", "today", "yesterday", "unset", "undefined", "unlimited"}
    | {
        "random",
        "required",
        "optional",
        "automatic",
        "value",
        "values",
        "is",
        "to",
        "off",
        "on",
        "latest",
        "everything",
        "omitted",
    }
)


class _Stated(NamedTuple):
    tool: str
    argument: str
    pointer: str
    value: Any


def unstated_default(surface: Surface, context: Context) -> Iterator[Hit]:
    """A default that a description states is in the schema."""
    found = [
        _Stated(tool.name, name, pointer, value)
        for tool in surface.tools
        for name, schema, parent, pointer in _arguments(tool.input_schema)
        if (value := _default(name, schema, parent, tool, context)) is not None
    ]
    if not found:
        return
    # One per tool comes first, to show how many tools are affected.
    first = {one.tool: one for one in reversed(found)}
    order = [one for one in found if first[one.tool] is one] + [one for one in found if first[one.tool] is not one]
    shown = [f"{one.argument} of {one.tool} ({json.dumps(one.value)})" for one in order[:_MAX_SHOWN]]
    if len(found) > _MAX_SHOWN:
        shown.append(f"and {len(found) - _MAX_SHOWN} more")
    edits = tuple(Edit(f"{one.pointer}/default", one.value, tool=one.tool) for one in found)
    correction = Correction(edits, Effect.NEUTRAL)
    fragment = f'"default": {json.dumps(order[0].value)}'
    spots = ((one.tool, one.pointer) for one in found)
    yield hit(
        "/tools",
        len(found),
        correction=correction,
        spots=spots,
        names=", ".join(shown),
        fragment=fragment,
        parameters=in_short(order[0].argument, order[0].tool, len(found)),
    )


def _arguments(root: Any) -> Iterator[tuple[str, dict[str, Any], dict[str, Any], str]]:
    """Every parameter, nested ones included, with its schema, the object that declares it, and its pointer."""
    stack = [("/inputSchema", root)]
    while stack:
        pointer, schema = stack.pop()
        if isinstance(schema, list):
            below = [(join_pointer(pointer, at), item) for at, item in enumerate(schema) if isinstance(item, dict)]
            stack.extend(reversed(below))
            continue
        if not isinstance(schema, dict):
            continue
        arguments = schema.get("properties")
        if isinstance(arguments, dict):
            below = [(join_pointer(pointer, "properties", name), item) for name, item in arguments.items()]
            for (place, argument), name in zip(below, arguments, strict=True):
                if isinstance(argument, dict):
                    yield name, argument, schema, place
            stack.extend(reversed(below))
        stack.extend((join_pointer(pointer, key), schema[key]) for key in _BELOW if key in schema)


_BELOW = ("items", "anyOf", "oneOf", "allOf", "additionalProperties")


def _default(name: str, schema: dict[str, Any], parent: dict[str, Any], tool: Tool, context: Context) -> Any:
    """The default that a description states and the schema does not; ``None`` if there is none."""
    root = tool.input_schema
    own = schema.get("description")
    if not own and parent is root and "efault" in tool.description:
        own = outline_of(tool, context.facts).entries.get(name)
    if not isinstance(own, str) or schema.get("default") is not None or "efault" not in own:
        return None
    names = parent.get("required")
    if (isinstance(names, list) and name in names) or _CASES.search(own) or _FROM_OUTSIDE.search(own):
        return None
    if not _KEEPS.isdisjoint(name_words(tool.name)):
        # What is left out stays as it is; a default would change it.
        return None
    found = effective(root, schema)
    text = without_name(own, name)
    types = types_of(found, root) or frozenset()
    allowed = found.get("enum")
    value = _literal(prose.stated_default(text, name), text, types, allowed)
    if value is None and isinstance(allowed, list) and "string" in types:
        value = prose.named_default(text, [one for one in allowed if isinstance(one, str)])
    return None if isinstance(value, str) and _stands_for_others(value, parent["properties"]) else value


def _stands_for_others(value: str, arguments: Mapping[str, Any]) -> bool:
    """True for a pattern, the name of a parameter, and what is computed from some: "end - period"."""
    words = _NAME.findall(value)
    return _PATTERN.search(value) is not None or (bool(words) and all(word in arguments for word in words))


_NAME = lazy_pattern(r"[A-Za-z_]\w*")
_PATTERN = lazy_pattern(r"[<{*]|\.\.|…|[a-z\d_\-](?:N|NN|X|XX)$|[\-_](?:n|x)$")
"""What stands for many values: "TableN", "copy-<date>"."""


def _literal(claim: tuple[str, bool] | None, text: str, types: frozenset[str], allowed: Any) -> Any:
    if claim is not None and not claim[1]:
        if claim[0].lower() in ("true", "false"):
            return claim[0].lower() == "true" if "boolean" in types else None
        return prose.number(claim[0]) if not types.isdisjoint({"integer", "number"}) else None
    if "string" not in types:
        return None
    word = _WORD.search(text) if claim is None else None
    value = claim[0] if claim is not None else word[1] if word is not None else None
    if not value or (isinstance(allowed, list) and value not in allowed):
        return None
    value = value.strip("`'\"")
    return None if value.lower() in _NO_LITERALS else value
