"""Where the words on an argument say more than its schema, or less: the keys of an object, the values of an enum."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.linting.characters import differences, stated_characters
from mcp_governor.linting.keys import stated_keys
from mcp_governor.linting.said import said_of
from mcp_governor.linting.schemas import COMPOSITION, effective, root_of, types_of, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.linting.context import Context, Hit, SchemaPlace

_MOST_SHOWN = 6
"""Keys or values that a message names."""

# -- keys of an object


def stated_object(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """The keys that a description says an object has are its properties."""
    schema = _bare_object(node)
    if schema is None:
        return
    for one in said_of(node, context):
        keys = [key for key in stated_keys(one.text) if key != node.argument]
        if len(keys) > 1:
            more = f" and {len(keys) - _MOST_SHOWN} more" if len(keys) > _MOST_SHOWN else ""
            where = "items" if "array" in (types_of(schema) or ()) else "properties"
            yield one.told(keys=", ".join(keys[:_MOST_SHOWN]) + more, where=where)
            return


def _bare_object(node: SchemaPlace) -> Mapping[str, Any] | None:
    """The schema of an argument that takes any object, or a list of any; ``None`` for others."""
    if node.argument is None or not isinstance(node.schema, dict):
        return None
    root = root_of(node)
    schema = effective(root, node.schema)
    types = types_of(schema) or frozenset()
    if types & {"object", "array"} and not types - {"object", "array", "null"}:
        items = schema.get("items", {}) if "array" in types else schema
        inner = effective(root, items) if isinstance(items, dict) else None
        if inner is not None and inner.get("type", "object") == "object" and not inner.keys() & _SHAPED:
            extra = inner.get("additionalProperties")
            return None if isinstance(extra, dict) and extra else schema
    return None


_SHAPED = frozenset({"properties", "patternProperties", "propertyNames", "enum", "const", *COMPOSITION})

# -- values of an enum that the words leave out

_OPEN = lazy_pattern(
    r"\b(?:etc|e\.g|such as|for example|example|like|instance|default\w*|among others|including)\b|\.\.\.|…",
    re.IGNORECASE,
)
_FEWEST = 3
"""Values that the words explain before one is missed that they do not."""
_MOST_MISSED = 2
"""Values that are missed; where there are more, the words name only some."""


def unexplained_values(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """Where a description goes through the values of an enum, it goes through all."""
    if node.argument is None or not isinstance(node.schema, dict):
        return
    allowed = values_of(root_of(node), node.schema)
    if not allowed or len(allowed) <= _FEWEST or not all(isinstance(value, str) and value for value in allowed):
        return
    for one in said_of(node, context):
        if _OPEN.search(one.text):
            continue
        named = [value for value in allowed if re.search(rf"[`'\"]{re.escape(value)}[`'\"]", one.text)]
        absent = [value for value in allowed if value.casefold() not in one.text.casefold()]
        if len(named) >= _FEWEST and len(named) + len(absent) == len(allowed) and 0 < len(absent) <= _MOST_MISSED:
            yield one.told(absent=", ".join(absent))
            return


# -- characters


def stated_pattern(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A pattern takes the characters that the description lists, and no others."""
    if node.argument is None or not isinstance(node.schema, dict):
        return
    schema = effective(root_of(node), node.schema)
    items = schema.get("items")
    pattern = schema.get("pattern", items.get("pattern") if isinstance(items, dict) else None)
    if not isinstance(pattern, str) or len(pattern) > _LONGEST_PATTERN:
        return
    for one in said_of(node, context):
        stated = stated_characters(one.text[:_MOST_READ])
        found = list(differences(stated, pattern)) if stated else []
        if found:
            verb = found[0][0]
            sorts = [sort for other, sort in found if other == verb]
            yield one.told(problem=f"{verb} {' and '.join(sorts[:3])}", pattern=pattern)
            return


_LONGEST_PATTERN = 400
"""Characters of a pattern that is tried on each character of the alphabet; hand-written ones are far shorter."""
_MOST_READ = 2_000
"""Characters of a description that are read for a list of characters."""
