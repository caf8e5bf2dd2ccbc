"""Keys of objects that a description gives and the schema does not declare."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.call_arguments import argument_places
from mcp_governor.prose.keys import read_keys
from mcp_governor.prose.passages import Passage, passages_about
from mcp_governor.prose.vocabulary import MAPS
from mcp_governor.prose.words import name_words
from mcp_governor.rules.scope import about
from mcp_governor.subjects.schemas import COMPOSITION, effective, root_of, types_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.subjects.context import Context, Hit, SchemaPlace

_MAX_SHOWN = 6
"""Maximum number of keys named in a message."""
_MAX_EXAMPLE = 600
"""Maximum number of characters read of an example in a tool's description."""
_MAX_DESCRIPTION = 20_000
"""Maximum number of characters of a tool's description searched for an example."""
_OF_THE_CALLER = MAPS | {
    *("body", "context", "data", "document", "documents", "entity", "env", "headers", "input", "metadata", "metadatas"),
    *("payload", "points", "queries", "record", "records", "rows", "series", "state", "variables", "vars"),
}
"""Last words of names for objects with keys of the caller's own, whatever an example shows."""
_ANY_KEYS = lazy_pattern(
    r"\b(?:key[-/ ]values?|keyed\s(?:by|on)|arbitrary|any\s(?:key|field|object|valid|json|additional)|free-?form"
    r"|maps?\sof|mapping|map\sfrom|custom|depend(?:s|ing)\son|varies|e\.g\.,?\s\{|headers?|variables|environment"
    r"|columns?|user-defined)\b",
    re.IGNORECASE,
)
_LANGUAGE = lazy_pattern(
    r"\bjson[\s_-]?(?:logic|schema)\b|\b(?:query|filter|search)\s(?:dsl|language|syntax)\b"
    r"|[{,]\s?[\"']?\$\w{1,20}[\"']?\s?:"
    r"|[{,]\s?[\"'](?:and|or|not|if|var|must|must_not|should|all|any|some)[\"']\s?:",
    re.IGNORECASE,
)
"""An expression of a language, whose operators are keys and contain other expressions."""
_SAMPLES = frozenset({"a", "bar", "column", "column1", "field", "field1", "foo", "id", "k", "key", "key1", "x"})
_SHAPED = frozenset({"properties", "patternProperties", "propertyNames", "enum", "const", *COMPOSITION})
_NEEDED = lazy_pattern(
    r"(?:(?:objects?|requests?|parameters?|arguments?|dict|payloads?)\s)?(?:must\s(?:have|include|contain)|requires?|needs)\b",
    re.IGNORECASE,
)
"""How a sentence that names an object goes on, if keys of that object follow."""


@about(argument=True, types={"array", "object"})
def stated_object(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """The keys that a description lists or shows are properties of the object."""
    schema = _bare_object(node)
    if schema is None:
        return
    for said in (*passages_about(node, context, mentions=True), *_shown_by_the_tool(node, context)):
        if said.where == "section" or (said.where == "mention" and not _NEEDED.match(said.text)):
            continue
        keys = _keys(said, node.argument or "", context)
        if keys:
            more = f" and {len(keys) - _MAX_SHOWN} more" if len(keys) > _MAX_SHOWN else ""
            where = ' of its "items"' if "array" in (types_of(schema) or ()) else ""
            yield said.hit(keys=", ".join(keys[:_MAX_SHOWN]) + more, where=where)
            return


def _keys(said: Passage, name: str, context: Context) -> list[str]:
    """The keys that a passage gives for an object."""
    if _LANGUAGE.search(said.text):
        return []
    for claim in context.facts.read(read_keys, said.text):
        keys = [key for key in claim.listed.values if key != name]
        if len(keys) > 1 and claim.form != "keys-shown":
            return keys
        if not _SAMPLES.issuperset(keys) and not _ANY_KEYS.search(said.text, 0, claim.span[0]):
            return keys if _OF_THE_CALLER.isdisjoint(name_words(name)[-1:]) else []
    return []


def _shown_by_the_tool(node: SchemaPlace, context: Context) -> Iterator[Passage]:
    """An example behind the name of a parameter, in the tool's description: "steps: [{"name": …}]"."""
    text = node.tool.description[:_MAX_DESCRIPTION]
    if "{" not in text or argument_places(node.tool, context.facts).get(node.argument or "") != node.tokens:
        return
    name = re.escape(node.argument or "")
    lead = re.search(rf"(?<!\w){name}[\"'`]?\s?[=:]\s?(?:[^{{}}.\n]|e\.g\.){{0,80}}\s{{0,12}}(?=\[?\s?\{{)", text)
    if lead is not None:
        shown = text[lead.end() : lead.end() + _MAX_EXAMPLE]
        yield Passage(node, "/description", node.tool.description, shown, "entry")


def _bare_object(node: SchemaPlace) -> Mapping[str, Any] | None:
    """The schema of a parameter that takes any object or a list of any objects; ``None`` for others."""
    if node.argument is None or not isinstance(node.schema, dict) or node.side != "inputSchema":
        return None
    root = root_of(node)
    schema = effective(root, node.schema)
    types = types_of(schema) or frozenset()
    if not types & {"object", "array"} or types - {"object", "array", "null"}:
        return None
    items = schema.get("items", {}) if "array" in types else schema
    inner = effective(root, items) if isinstance(items, dict) else None
    if inner is None or inner.get("type", "object") != "object":
        return None
    # Generators write a schema for names that is true of every name.
    said = {key for key in inner.keys() & _SHAPED if key != "propertyNames" or inner[key] != {"type": "string"}}
    extra = inner.get("additionalProperties")
    return None if said or (isinstance(extra, dict) and extra) else schema
