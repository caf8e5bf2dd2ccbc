"""Schemas that contradict themselves, or carry what nobody can use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard
from urllib.parse import unquote

from mcp_governor.catalogue.cost import affordable
from mcp_governor.catalogue.patterns import errors
from mcp_governor.linting.context import SIDES, Context, Hit, SchemaPlace, hit
from mcp_governor.linting.schemas import document_of, parent_of, types_of, validator_at
from mcp_governor.schemas.pointers import join_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.catalogue.patterns import Validator
    from mcp_governor.surface.model import Tool

_BOUNDS = (
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)


# Within a branch, required may speak of what another branch or the parent declares.
_BRANCHES = frozenset({"allOf", "anyOf", "oneOf", "if", "then", "else", "not"})


def _required(node: SchemaPlace) -> list[Any]:
    required = parent_of(node).get("required")
    return required if isinstance(required, list) else []


def required_with_default(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """A required argument has no default."""
    if node.argument is None or not isinstance(node.schema, dict) or "default" not in node.schema:
        return
    if node.argument in _required(node):
        yield hit(f"{node.pointer}/default", node.schema["default"], argument=node.argument)


def null_default(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """``"default": null`` stands only where null is accepted."""
    if not isinstance(node.schema, dict) or node.schema.get("default", 0) is not None:
        return
    if "null" in (types_of(node.schema) or ()) and not node.schema.keys() & {"enum", "const", "not", "allOf"}:
        return
    validator = _validator(node, context, None)
    if validator is not None and not validator.is_valid(None):
        yield hit(f"{node.pointer}/default", None, type=node.schema.get("type", "the schema"))


def default_valid(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A default is a value that its own schema accepts."""
    if not isinstance(node.schema, dict) or node.schema.get("default") is None:
        return
    yield from _refused(node, context, [(f"{node.pointer}/default", node.schema["default"])])


def examples_valid(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """Examples are values that their own schema accepts."""
    if not isinstance(node.schema, dict):
        return
    examples = node.schema.get("examples")
    if isinstance(examples, list):
        places = [(f"{node.pointer}/examples/{index}", value) for index, value in enumerate(examples)]
        yield from _refused(node, context, places)


def _validator(node: SchemaPlace, context: Context, value: Any) -> Validator | None:
    """What judges a value by a schema, where that takes no longer than the answer is worth."""
    document = document_of(node.tool, node.side, context)
    return validator_at(node) if affordable(node.schema, document, value) else None


def _refused(node: SchemaPlace, context: Context, given: list[tuple[str, Any]]) -> Iterator[Hit]:
    """The values that their own schema refuses: each with its pointer, all with one validator."""
    validator = _validator(node, context, [value for _, value in given]) if given else None
    if validator is None:
        return
    for pointer, value in given:
        problems = errors(validator, value)
        if problems:
            yield hit(pointer, value, error=problems[0][1])


def required_declared(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """Every name in ``required`` is declared in ``properties``, where properties are declared at all."""
    schema = node.schema
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        return
    required = schema.get("required")
    if not isinstance(required, list) or any(key in schema for key in ("$ref", "allOf", "anyOf", "oneOf", "if")):
        return
    if _BRANCHES.intersection(node.tokens):
        return
    for index, name in enumerate(required):
        if isinstance(name, str) and name not in schema["properties"] and not schema.get("patternProperties"):
            yield hit(f"{node.pointer}/required/{index}", name, argument=name)


def bounds_open(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """No lower bound exceeds its upper bound."""
    if not isinstance(node.schema, dict):
        return
    for low, high in _BOUNDS:
        least, most = node.schema.get(low), node.schema.get(high)
        if _is_number(least) and _is_number(most) and least > most:
            yield hit(f"{node.pointer}/{low}", least, low=low, high=high, least=least, most=most)


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def unused_definitions(tool: Tool, context: Context) -> Iterator[Hit]:
    """Every definition is referred to."""
    for side in SIDES:
        schema = tool.raw.get(side)
        if not isinstance(schema, dict):
            continue
        schemas = [
            node.schema for node in context.facts.nodes(tool) if node.side == side and isinstance(node.schema, dict)
        ]
        # With names of their own, definitions may be referred to in ways that a pointer does not show.
        if any(key in item for item in schemas for key in ("$anchor", "$dynamicAnchor", "$id", "id")):
            continue
        references = [item.get("$ref") for item in schemas]
        # A reference into a definition uses it as well: "#", "$defs" and the name are what counts.
        used = {"/".join(unquote(item).split("/", 3)[:3]) for item in references if isinstance(item, str)}
        for home in ("$defs", "definitions"):
            definitions = schema.get(home)
            if not isinstance(definitions, dict):
                continue
            for name in definitions:
                if join_pointer(f"#/{home}", name) not in used:
                    yield hit(join_pointer(f"/{side}/{home}", name), definitions[name], name=name)
