"""Parameters that a tool's description lists as required or optional."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.call_arguments import call_object
from mcp_governor.prose.guarded import Guarded, has_any, lowered
from mcp_governor.prose.leaving_out import left_out
from mcp_governor.prose.words import name_words
from mcp_governor.subjects.context import hit
from mcp_governor.subjects.schemas import COMPOSITION, types_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.subjects.context import Context, Hit
    from mcp_governor.surface.model import Tool

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
