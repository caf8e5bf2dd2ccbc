"""Descriptions that say more than the schema, or less: keys of objects, values of enums."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.packs.clarity.shapes import said_keys
from mcp_governor.prose.call_arguments import argument_places
from mcp_governor.prose.keys import example_keys, stated_keys
from mcp_governor.prose.passages import Passage, passages_about
from mcp_governor.prose.words import name_words
from mcp_governor.rules.scope import about
from mcp_governor.subjects.schemas import COMPOSITION, effective, root_of, types_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.subjects.context import Context, Hit, SchemaPlace

_MAX_SHOWN = 6
"""Maximum number of keys or values named in a message."""

# -- keys of an object


@about(argument=True, types={"array", "object"})
def stated_object(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """The keys that a description lists are properties of the object."""
    schema = _bare_object(node)
    if schema is None:
        return
    for one in passages_about(node, context, mentions=True):
        if one.where == "section" or (one.where == "mention" and not _NEEDED.match(one.text)):
            continue
        keys = [key for key in stated_keys(one.text) if key != node.argument]
        if not keys and one.where != "mention":
            keys = _keys_shown(node, one.text, schema)
        if len(keys) > 1:
            yield _undeclared(one, keys, schema)
            return
    shown = _shown_by_the_tool(node, context)
    keys = _keys_shown(node, shown.text, schema) if shown is not None else []
    if shown is not None and keys:
        yield _undeclared(shown, keys, schema)


def _undeclared(said: Passage, keys: list[str], schema: Mapping[str, Any]) -> Hit:
    more = f" and {len(keys) - _MAX_SHOWN} more" if len(keys) > _MAX_SHOWN else ""
    where = ' of its "items"' if "array" in (types_of(schema) or ()) else ""
    return said.hit(keys=", ".join(keys[:_MAX_SHOWN]) + more, where=where)


def _keys_shown(node: SchemaPlace, text: str, schema: Mapping[str, Any]) -> list[str]:
    """The keys of an example of the list, unless they are the caller's."""
    data = not _ROWS.isdisjoint(name_words(node.argument or ""))
    return example_keys(text) if not data and "array" in (types_of(schema) or ()) else []


def _shown_by_the_tool(node: SchemaPlace, context: Context) -> Passage | None:
    """An example behind the name of a parameter and a colon, in the tool's description: "steps: [{"name": …}]"."""
    text = node.tool.description
    if "{" not in text or argument_places(node.tool, context.facts).get(node.argument or "") != node.tokens:
        return None
    name = re.escape(node.argument or "")
    lead = re.search(rf"(?:^|[\n.;])\s{{0,12}}{name}:\s(?:[^{{}}.\n]|e\.g\.){{0,80}}\s{{0,12}}(?=\[\s?\{{)", text)
    if lead is None:
        return None
    shown = text[lead.end() : lead.end() + _MAX_EXAMPLE]
    return Passage(node, "/description", text, shown, "mention")


_MAX_EXAMPLE = 600
"""Maximum number of characters read of an example in a tool's description."""
_ROWS = frozenset({"data", "documents", "points", "queries", "records", "rows", "series", "values"})
"""Words of parameters for data, the keys of which are up to the caller."""


def _bare_object(node: SchemaPlace) -> Mapping[str, Any] | None:
    """The schema of a parameter that takes any object or a list of any objects; ``None`` for others."""
    if node.argument is None or not isinstance(node.schema, dict):
        return None
    root = root_of(node)
    schema = effective(root, node.schema)
    types = types_of(schema) or frozenset()
    if types & {"object", "array"} and not types - {"object", "array", "null"}:
        items = schema.get("items", {}) if "array" in types else schema
        inner = effective(root, items) if isinstance(items, dict) else None
        if inner is not None and inner.get("type", "object") == "object" and not said_keys(inner, _SHAPED):
            extra = inner.get("additionalProperties")
            return None if isinstance(extra, dict) and extra else schema
    return None


_NEEDED = lazy_pattern(
    r"(?:(?:objects?|requests?|parameters?|arguments?|dict|payloads?)\s)?(?:must\s(?:have|include|contain)|requires?|needs)\b",
    re.IGNORECASE,
)
"""How a sentence that names an object goes on, if keys of that object follow."""
_SHAPED = frozenset({"properties", "patternProperties", "propertyNames", "enum", "const", *COMPOSITION})

# -- forms
