"""Schemas that contradict themselves, or contain what nothing can use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

from mcp_governor.findings import Correction, Edit, Effect
from mcp_governor.fixes.corrections import optional
from mcp_governor.prose.words import name_words
from mcp_governor.rules.scope import about
from mcp_governor.schemas.effort import effort
from mcp_governor.schemas.keywords import KEYWORDS
from mcp_governor.schemas.patterns import errors
from mcp_governor.subjects.context import Context, Hit, SchemaPlace, hit
from mcp_governor.subjects.schemas import PartValidators, document_of, parent_of, plainly_accepts, root_of
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


_BOUNDS = (
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)


# Within a branch, ``required`` may refer to properties that another branch or the parent declares.
_BRANCHES = frozenset({"allOf", "anyOf", "oneOf", "if", "then", "else", "not"})


def _required(node: SchemaPlace) -> list[Any]:
    required = parent_of(node).get("required")
    return required if isinstance(required, list) else []


@about(argument=True, keys={"default"})
def required_with_default(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """A required parameter has no default."""
    if node.argument is None or not isinstance(node.schema, dict) or "default" not in node.schema:
        return
    if node.argument in _required(node) and not _is_consent(node):
        correction = Correction((optional(node),), Effect.WIDER)
        yield hit(f"{node.pointer}/default", node.schema["default"], correction=correction, argument=node.argument)


_CONSENT = frozenset({"acknowledge", "acknowledged", "confirm", "confirmation", "confirmed", "consent"})


def _is_consent(node: SchemaPlace) -> bool:
    """True for a switch that a call has to give although it is off: the default makes a call without it fail."""
    named = not _CONSENT.isdisjoint(name_words(node.argument or ""))
    return named and node.schema.get("default") is False


@about(keys={"default"})
def default_valid(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A default is valid against its own schema."""
    if not isinstance(node.schema, dict) or node.schema.get("default") is None:
        return
    given = [(f"{node.pointer}/default", node.schema["default"])]
    yield from _hits("default-valid", node, context, given)


@about(keys={"examples"})
def examples_valid(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """Examples are valid against their own schema."""
    if not isinstance(node.schema, dict):
        return
    examples = node.schema.get("examples")
    if isinstance(examples, list):
        places = [(f"{node.pointer}/examples/{index}", value) for index, value in enumerate(examples)]
        yield from _hits("examples-valid", node, context, places)


def _hits(rule: str, node: SchemaPlace, context: Context, given: list[tuple[str, Any]]) -> Iterator[Hit]:
    for pointer, value, error in _refused(node, context, given):
        if error is None:
            yield from _unjudged(rule, node, context)
        else:
            yield hit(pointer, value, error=error)


def _refused(
    node: SchemaPlace, context: Context, given: list[tuple[str, Any]]
) -> Iterator[tuple[str, Any, str | None]]:
    """The values that their own schema rejects, each with its pointer and the reason, all checked with one validator.

    Yields the first value without a reason once the budget is used up.
    """
    given = [one for one in given if not plainly_accepts(node.schema, one[1])]
    if not given:
        return
    judges = context.facts.recent(("judges", node.tool.index, node.side), lambda: PartValidators(root_of(node)))
    if context.facts.effort <= 0:
        yield *given[0], None
        return
    work = effort(node.schema, document_of(node.tool, node.side, context), [value for _, value in given])
    context.facts.effort -= work.parts
    validator = judges.at(node) if work.affordable else None
    if validator is None:
        return
    for pointer, value in given:
        problems = errors(validator, value)
        if problems:
            yield pointer, value, problems[0][1]


def _unjudged(rule: str, node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """Reports that nothing is checked from here on, once per tool."""
    said = context.facts.memo(("unjudged", rule, node.tool.index), lambda: node.pointer)
    if said == node.pointer:
        yield hit(node.pointer, says="unjudged")


@about(keys={"properties"})
def required_declared(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """Every name in ``required`` is declared in ``properties``, if properties are declared at all."""
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
            correction = Correction((Edit(f"{node.pointer}/required", name, "drop"),), Effect.WIDER)
            yield hit(f"{node.pointer}/required/{index}", name, correction=correction, argument=name)


@about(types={"object"})
def misplaced_properties(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """The fields of an object are declared in ``properties``, not next to ``type``."""
    schema = node.schema
    if not isinstance(schema, dict) or schema.keys() & _DECLARING:
        return
    if schema.get("type", "object") != "object" or ("type" not in schema and node.argument is None):
        return
    names = [name for name, value in schema.items() if name not in KEYWORDS and _is_field(name, value)]
    if names:
        shown = ", ".join(one_line(name, 64) for name in names[:_MAX_FIELDS])
        rest = f" and {len(names) - _MAX_FIELDS} more" if len(names) > _MAX_FIELDS else ""
        named = node.argument if node.argument is not None else "The input schema" if node.is_root else "An object"
        yield hit(node.pointer, names, object=named, names=shown + rest, them="it" if len(names) == 1 else "them")


_DECLARING = frozenset({"properties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf"})
_OTHER_KEYWORDS = frozenset({"annotations", "discriminator", "example", "externalDocs", "meta", "metadata", "xml"})
"""Keywords of OpenAPI and of frameworks whose value is an object."""
_MAX_FIELDS = 6
"""Maximum number of fields named in a message."""
_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def _is_field(name: str, value: Any) -> bool:
    """True if an unknown keyword is a field of the object: its name is an identifier and its value a schema."""
    if not isinstance(value, dict) or not name.isidentifier() or name in _OTHER_KEYWORDS or name.startswith("_"):
        return False
    kind = value.get("type")
    return (isinstance(kind, str) and kind in _TYPES) or isinstance(value.get("$ref"), str)


@about(keys=[key for pair in _BOUNDS for key in pair])
def bounds_open(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """No lower bound exceeds its upper bound."""
    if not isinstance(node.schema, dict):
        return
    for low, high in crossed(node.schema):
        least, most = node.schema[low], node.schema[high]
        yield hit(f"{node.pointer}/{low}", least, low=low, high=high, least=least, most=most)


def crossed(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The pairs of bounds of a schema of which the lower exceeds the upper."""
    for low, high in _BOUNDS:
        least, most = schema.get(low), schema.get(high)
        if _is_number(least) and _is_number(most) and least > most:
            yield low, high


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


@about(keys={"enum"})
def empty_enum(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """An enum has a value. One that is a branch of several refuses nothing that another branch takes."""
    if isinstance(node.schema, dict) and node.schema.get("enum") == [] and not _is_branch(node.tokens):
        yield hit(f"{node.pointer}/enum", [])


def _is_branch(tokens: Sequence[str | int]) -> bool:
    return len(tokens) > 1 and tokens[-2] in ("anyOf", "oneOf")
