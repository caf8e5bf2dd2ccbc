"""How much a description tells: length, cues, undescribed parameters, tautologies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.linting.context import Context, Hit, hit
from mcp_governor.linting.phrases import counted
from mcp_governor.linting.words import STOP_WORDS, name_words, stem, word_count, words
from mcp_governor.schemas.pointers import join_pointer, resolve_fragment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Tool

_DEEPEST = 250
"""Levels that are followed, references included: more than a surface may nest (``MAX_DEPTH``). Beyond: taken for not
described."""

_SENTENCE_END = re.compile(r"[.!?。！？](?:\s|$|[\"'`)\]*])|\n\s*\n|\n\s*[-*•]\s")


def sentence_count(text: str) -> int:
    """How many sentences a text has; list items and paragraphs count as such."""
    parts = [part for part in _SENTENCE_END.split(text) if part and part.strip()]
    return len(parts)


def length(tool: Tool, context: Context) -> Iterator[Hit]:
    """A description has at least ``min-words`` words and at most ``max-characters`` code points."""
    text = tool.description
    count = word_count(text)
    least, most = context.options["min-words"], context.options["max-characters"]
    value = tool.raw.get("description")
    if not text.strip():
        yield hit("/description" if "description" in tool.raw else "", value, problem="is missing")
    elif count < least:
        yield hit("/description", value, problem=f"has {counted(count, 'word')}, fewer than {least}")
    elif len(text) > most:
        yield hit("/description", value, problem=f"has {len(text)} characters, more than {most}")


def sentences(tool: Tool, context: Context) -> Iterator[Hit]:
    """A description has at least ``min`` sentences."""
    count = sentence_count(tool.description)
    if tool.description and count < context.options["min"]:
        yield hit("/description", tool.description, count=count)


def tautology(tool: Tool, _context: Context) -> Iterator[Hit]:
    """A description says more than the words of the name."""
    said = {stem(word) for word in words(tool.description)} - _STOP_STEMS
    name = {stem(word) for word in (*name_words(tool.name), *words(tool.title or ""))}
    if tool.description.strip() and said <= name:
        yield hit("/description", tool.description)


_STOP_STEMS = {stem(word) for word in STOP_WORDS}


def _arguments(tool: Tool) -> dict[str, Any]:
    schema = tool.input_schema
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) else {}


def parameter_described(tool: Tool, _context: Context) -> Iterator[Hit]:
    """Every argument is described, in its schema or by name in the description of the tool."""
    arguments = _arguments(tool)
    missing = [name for name, schema in arguments.items() if not _described(tool, schema, set())]
    if not missing:
        return
    told = set(re.findall(r"[\w\-]+", tool.description))
    for name in missing:
        if name not in told:
            yield hit(join_pointer("/inputSchema/properties", name), arguments[name], argument=name)


def _described(tool: Tool, schema: Any, seen: set[str], depth: int = 0) -> bool:
    """Whether a schema, or what it refers to or chooses from, has a description; each reference counts once."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return not isinstance(schema, dict)
    if isinstance(schema.get("description"), str) and schema["description"].strip():
        return True
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#") and reference not in seen:
        seen.add(reference)
        try:
            return _described(tool, resolve_fragment(tool.input_schema, reference), seen, depth + 1)
        except KeyError:
            return False
    lists = [schema.get(key) for key in ("anyOf", "allOf", "oneOf")]
    branches = [branch for branches in lists if isinstance(branches, list) for branch in branches]
    return any(isinstance(item, dict) and _described(tool, item, seen, depth + 1) for item in branches)
