"""Small questions about schemas that several rules ask."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.dialects import LATEST, dialect_of
from mcp_governor.schemas.keywords import DEFINITIONS
from mcp_governor.schemas.pointers import resolve_fragment, unescape_pointer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.schemas.references import Document
    from mcp_governor.subjects.context import Facts, SchemaPlace
    from mcp_governor.surface.model import Tool


COMPOSITION = ("allOf", "anyOf", "oneOf", "if", "not", "dependentSchemas")
_MAX_STEPS = 8
"""Maximum number of references followed in a row; generators write one or two. A circle ends here with its ``$ref``
left in place."""
_MAX_DEPTH = 250
"""Maximum depth, references included: more than a surface may nest (``MAX_DEPTH``). Beyond it the types are unknown,
and rules about types do not fire."""


_GENERATED = frozenset(sign * (2**bits - less) for bits in (31, 32, 53, 63, 64) for less in (0, 1) for sign in (1, -1))


def is_generated(bound: Any) -> bool:
    """True if a bound is that of a number's representation, which generators write for any integer of a size."""
    return isinstance(bound, int | float) and bound in _GENERATED


def types_of(schema: Any, root: Any = None) -> frozenset[str] | None:
    """The JSON types that a schema allows according to ``type``, ``anyOf`` and ``oneOf``, or ``None`` if these do not
    say.

    Args:
        schema: any schema.
        root: the schema in which local references are resolved; with ``None``, they are not.
    """
    return _types(schema, root, {}, 0)


def _types(schema: Any, root: Any, known: dict[str, frozenset[str] | None], depth: int) -> frozenset[str] | None:
    """:func:`types_of`, with each reference followed once, so that circles and repetitions are cheap."""
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return None
    kind = schema.get("type")
    if isinstance(kind, str):
        return frozenset({kind})
    if isinstance(kind, list):
        return frozenset(item for item in kind if isinstance(item, str)) or None
    reference = schema.get("$ref")
    if root is not None and isinstance(reference, str) and reference.startswith("#"):
        if reference not in known:
            known[reference] = None
            known[reference] = _types(_target(root, reference), root, known, depth + 1)
        return known[reference]
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if isinstance(branches, list) and branches:
            found = [_types(branch, root, known, depth + 1) for branch in branches]
            certain = [types for types in found if types is not None]
            return frozenset().union(*certain) if len(certain) == len(found) else None
    return None


def _target(root: Any, reference: str) -> Any:
    try:
        return resolve_fragment(root, reference)
    except KeyError:
        return None


def followed(root: Any, schema: Any) -> dict[str, Any]:
    """A schema merged with the target of its local ``$ref``, its own keywords first; empty if it is not an object.

    A ``$ref`` that is dangling, remote or circular is left in place.
    """
    if not isinstance(schema, dict):
        return {}
    found: dict[str, Any] = schema
    for _ in range(_MAX_STEPS):
        reference = found.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            break
        target = _target(root, reference)
        if not isinstance(target, dict):
            break
        found = {**target, **{key: value for key, value in found.items() if key != "$ref"}}
    return found


def effective(root: Any, schema: Any) -> dict[str, Any]:
    """A schema with local references resolved, and a union with null replaced by its other branch."""
    if not isinstance(schema, dict):
        return {}
    found: dict[str, Any] = followed(root, schema) if "$ref" in schema else schema
    for key in ("anyOf", "oneOf"):
        branches = found.get(key)
        if isinstance(branches, list):
            real = [item for item in branches if isinstance(item, dict) and item.get("type") != "null"]
            if len(real) == 1 and len(real) < len(branches):
                # The types still come from the whole schema, so null is among them.
                return {**found, **followed(root, real[0])}
    return found


def branches_of(schema: Mapping[str, Any], *keys: str) -> list[dict[str, Any]]:
    """The objects in the unions of a schema, and in other keywords with lists of schemas; others are left out."""
    lists = (schema.get(key) for key in keys or ("oneOf", "anyOf"))
    return [branch for found in lists if isinstance(found, list) for branch in found if isinstance(branch, dict)]


def with_branches(root: Any, schema: dict[str, Any]) -> dict[str, Any]:
    """A schema and the keywords that it has in its branches only: to see what is stated at all."""
    out: dict[str, Any] = {}
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        for branch in branches if isinstance(branches, list) else ():
            out |= followed(root, branch)
    return {**out, **schema} if out else schema


def values_of(root: Any, schema: Any) -> list[Any] | None:
    """The values that a parameter or the items of a list can have; ``None`` if they are open."""
    return _values(root, schema, branch=False)


def _values(root: Any, schema: Any, *, branch: bool) -> list[Any] | None:
    found = effective(root, schema)
    if isinstance(found.get("items"), dict):
        found = effective(root, found["items"])
    branches = None if branch else found.get("anyOf", found.get("oneOf"))
    if isinstance(branches, list) and "enum" not in found:
        parts = [_values(root, item, branch=True) for item in branches if followed(root, item).get("type") != "null"]
        return [value for part in parts for value in part or ()] if all(parts) else None
    values = [found["const"]] if "const" in found else found.get("enum")
    return values if isinstance(values, list) else None


_CLOSING = frozenset({"enum", "const", "pattern", "format", "not"})


def closes(root: Any, schema: Any) -> bool:
    """True if a schema restricts strings by more than their length: with an enum, a pattern or a format, for the value
    or for the items, in any branch, through references."""
    found = followed(root, schema)
    for _ in range(_MAX_STEPS):
        parts = [found, *(followed(root, item) for item in branches_of(found, "anyOf", "oneOf", "allOf"))]
        if any(not _CLOSING.isdisjoint(part) for part in parts):
            return True
        inner = next((part["items"] for part in parts if isinstance(part.get("items"), dict)), None)
        if inner is None:
            return False
        found = followed(root, inner)
    return False


def parent_of(node: SchemaPlace) -> dict[str, Any]:
    """The object schema that declares a property; empty if there is none."""
    value: Any = node.tool.raw.get(node.side)
    for token in node.tokens[:-2]:
        value = value[token]
    return value if isinstance(value, dict) else {}


def parameters_of(tool: Tool) -> dict[str, Any]:
    """The parameters of a tool by name; empty if its schema is not an object or has none."""
    properties = tool.input_schema.get("properties") if isinstance(tool.input_schema, dict) else None
    return properties if isinstance(properties, dict) else {}


def root_of(node: SchemaPlace) -> Any:
    """The whole schema that a node is part of."""
    return node.tool.raw.get(node.side)


def json_text(tool: Tool, side: str, facts: Facts) -> str:
    """One schema of a tool as JSON in ASCII, cached while the surface is linted."""
    return facts.kept(("json", tool.index, side), lambda: json.dumps(tool.raw.get(side)))


def document_of(tool: Tool, side: str, facts: Facts) -> Document:
    """One schema of a tool with its references, cached while the surface is linted."""
    from mcp_governor.schemas.references import Document

    schema, text = tool.raw.get(side), json_text(tool, side, facts)
    made = functools.partial(Document, schema, text, draft=dialect_of(schema) or LATEST)
    return facts.kept(("document", tool.index, side), made, len(text))


_PLAIN = frozenset({"type", "enum", "minimum", "maximum", "title", "description", "default", "examples"})
_PYTHON: dict[str, tuple[type, ...]] = {"string": (str,), "boolean": (bool,), "integer": (int,), "number": (int, float)}


def plainly_accepts(schema: Any, value: Any) -> bool:
    """True if a schema of a few plain keywords accepts a scalar; false if that takes more than a glance."""
    if not isinstance(schema, dict) or not schema.keys() <= _PLAIN:
        return False
    kind = schema.get("type")
    if not isinstance(kind, str) or type(value) not in _PYTHON.get(kind, ()):
        return False
    values = schema.get("enum")
    if values is not None and not (isinstance(value, str) and isinstance(values, list) and value in values):
        return False
    if isinstance(value, str | bool):
        return True
    least, most = schema.get("minimum", value), schema.get("maximum", value)
    return type(least) in _NUMBERS and type(most) in _NUMBERS and bool(least <= value <= most)


_NUMBERS = (int, float)


def is_self_contained(*parts: Any) -> bool:
    """True if parts of a schema have the same meaning in another place, as long as the definitions are there."""
    text = json.dumps(parts, default=str)
    references = text.count('"$ref"') + text.count('"$dynamicRef"') + text.count('"$recursiveRef"')
    return references == sum(text.count(f'"$ref": "#/{home}/') for home in DEFINITIONS)


def alone(root: Any, part: Any) -> Any:
    """A self-contained part of a schema as a schema of its own: with the dialect, and the definitions if it refers to
    any."""
    if not isinstance(root, dict) or '"$ref"' not in json.dumps(part, default=str):
        schema = {"$schema": root["$schema"]} if isinstance(root, dict) and "$schema" in root else {}
        return {**part, **schema} if isinstance(part, dict) else part
    kept = {key: root[key] for key in ("$schema", *DEFINITIONS) if key in root}
    return {**kept, "allOf": [part]}


_REFERENCE = lazy_pattern(r'"\$ref": "#/(?:\$defs|definitions)/((?:[^"/\\]|\\.)*)')


def is_reached(node: SchemaPlace, facts: Facts) -> bool:
    """True if a schema applies to some value: it is outside the definitions, or in one to which something leads."""
    if len(node.tokens) < 2 or node.tokens[0] not in DEFINITIONS:
        return True
    names = facts.kept(("reached", node.tool.index, node.side), lambda: _reached(root_of(node)))
    return node.tokens[1] in names


def _reached(root: dict[str, Any]) -> set[str]:
    """The names of definitions to which a schema refers, directly or through others."""
    homes = [root[key] for key in DEFINITIONS if isinstance(root.get(key), dict)]
    pending = [{key: value for key, value in root.items() if key not in DEFINITIONS}]
    reached: set[str] = set()
    while pending:
        text = json.dumps(pending.pop(), default=str)
        for name in {unescape_pointer(unquote(json.loads(f'"{name}"'))) for name in _REFERENCE.findall(text)} - reached:
            reached.add(name)
            pending += [home[name] for home in homes if name in home]
    return reached
