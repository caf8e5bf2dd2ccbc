"""Schemas that contradict themselves, or contain what nothing can use."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, TypeGuard

from mcp_governor.findings import Correction, Edit, Effect
from mcp_governor.fixes.corrections import optional
from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.words import name_words
from mcp_governor.schemas.dialects import dialect_of
from mcp_governor.schemas.keywords import DEFINITIONS, KEYWORDS
from mcp_governor.schemas.patterns import errors, published_parts
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import Context, Hit, SchemaPlace, about, hit
from mcp_governor.subjects.schemas import (
    alone,
    document_of,
    is_self_contained,
    parent_of,
    plainly_accepts,
    root_of,
)
from mcp_governor.text import first_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcp_governor.schemas.patterns import Validator
    from mcp_governor.surface.model import Tool


_BOUNDS = (
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)


@about(argument=True, keys={"default"})
def required_with_default(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """A required parameter has no default."""
    required = parent_of(node).get("required")
    # A call has to give its consent: the default makes one without it fail.
    if (
        isinstance(required, list)
        and node.argument in required
        and _CONSENT.isdisjoint(name_words(node.argument or ""))
    ):
        correction = Correction((optional(node),), Effect.WIDER)
        yield hit(f"{node.pointer}/default", node.schema["default"], correction=correction, argument=node.argument)


_CONSENT = frozenset({"acknowledge", "acknowledged", "confirm", "confirmation", "confirmed", "consent"})


@about(keys={"default"})
def default_valid(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A default is valid against its own schema."""
    if isinstance(node.schema, dict) and node.schema.get("default") is not None:
        given = [(f"{node.pointer}/default", node.schema["default"])]
        yield from _refused("default-valid", node, context, given)


@about(keys={"examples"})
def examples_valid(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """Examples are valid against their own schema."""
    examples = node.schema.get("examples") if isinstance(node.schema, dict) else None
    if isinstance(examples, list):
        places = [(f"{node.pointer}/examples/{index}", value) for index, value in enumerate(examples)]
        yield from _refused("examples-valid", node, context, places)


def _refused(rule: str, node: SchemaPlace, context: Context, given: list[tuple[str, Any]]) -> Iterator[Hit]:
    """The values that their own schema rejects, each with its pointer, all checked with one validator."""
    facts = context.facts
    given = [one for one in given if not plainly_accepts(node.schema, one[1])]
    if not given:
        return
    if facts.effort <= 0:
        # Nothing is checked from here on, which is said once per tool.
        if facts.memo(("unjudged", rule, node.tool.index), lambda: node.pointer) == node.pointer:
            yield hit(node.pointer, says="unjudged")
        return
    from mcp_governor.schemas.cost import effort

    work = effort(node.schema, document_of(node.tool, node.side, facts), [value for _, value in given])
    facts.effort -= work.parts
    validator = _validator(node, context) if work.affordable else None
    for pointer, value in given:
        problems = errors(validator, value) if validator is not None else ()
        if problems:
            yield hit(pointer, value, error=problems[0][1])


_PARTS = 20_000
"""Approximate size in characters of the validators of a schema."""


def _validator(node: SchemaPlace, context: Context) -> Validator | None:
    """A validator for a part of a published schema, which is read once; ``None`` if none can be built."""
    root = root_of(node)
    draft = dialect_of(root)
    if not isinstance(root, dict) or draft is None:
        return None
    try:
        parts = context.facts.kept(("parts", node.tool.index, node.side), lambda: published_parts(root, draft), _PARTS)
        return parts(join_pointer("", *node.tokens))
    except (ValueError, TypeError):
        return None


@about(keys={"properties"})
def required_declared(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """Every name in ``required`` is declared in ``properties``, if properties are declared at all."""
    schema = node.schema
    if not isinstance(schema.get("properties"), dict) or not isinstance(schema.get("required"), list):
        return
    # A branch may require what another branch or its parent declares.
    if schema.keys() & _DECLARING - {"properties"} or _BRANCHES.intersection(node.tokens):
        return
    for index, name in enumerate(schema["required"]):
        if isinstance(name, str) and name not in schema["properties"]:
            correction = Correction((Edit(f"{node.pointer}/required", name, "drop"),), Effect.WIDER)
            yield hit(f"{node.pointer}/required/{index}", name, correction=correction, argument=name)


def misplaced_properties(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """The fields of an object are declared in ``properties``, not next to ``type``."""
    schema = node.schema
    if not isinstance(schema, dict) or schema.keys() & _DECLARING:
        return
    if schema.get("type", "object" if node.argument else "") != "object":
        return
    names = [
        name
        for name, value in schema.items()
        if name not in KEYWORDS and name.isidentifier() and isinstance(value, dict) and value.get("type") in _TYPES
    ]
    if names:
        named = node.argument or ("The input schema" if node.is_root else "An object")
        them = "it" if len(names) == 1 else "them"
        yield hit(node.pointer, names, object=named, names=first_of(names, _MAX_FIELDS), them=them)


_DECLARING = frozenset({"properties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf", "if"})
_BRANCHES = frozenset({"allOf", "anyOf", "oneOf", "if", "then", "else", "not"})
_MAX_FIELDS = 6
"""Maximum number of fields named in a message."""
_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")


@about(keys=[key for pair in _BOUNDS for key in pair])
def bounds_open(node: SchemaPlace, _context: Context) -> Iterator[Hit]:
    """No lower bound exceeds its upper bound."""
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
    if node.schema.get("enum") == [] and node.tokens[-2:-1] not in (("anyOf",), ("oneOf",)):
        yield hit(f"{node.pointer}/enum", [])


_SECONDS = 0.25
"""Time limit for one question. Of 2,064 input schemas of public servers one takes longer; the others take 2 ms."""
BUDGET = 1.0
"""Time limit for all questions about a surface, in seconds: as long as 500 usual tools take."""

_MAX_BRANCHES = 100
"""Most branches of a ``oneOf`` that are asked about."""
_SELF = lazy_pattern(r'"\$(?:dynamicRef|recursiveRef)"|"\$ref": "[^"#]*#?"|"\$id"')
"""References to a whole schema, or to one that only evaluation finds."""
_NOTES = frozenset(("$schema", "title", "description", "default", "examples", "deprecated"))
"""Keywords that refuse nothing."""


class Emptiness:
    """Asks the engine if schemas are empty, until the time for all of them is used up.

    Args:
        budget: seconds for all questions.
    """

    def __init__(self, budget: float = BUDGET) -> None:
        self._left = budget

    def is_empty(self, schema: Any, root: Any = None) -> bool | None:
        """True if it is proved that no value fits a schema, False if it is proved that one does, otherwise ``None``.

        Args:
            schema: a schema.
            root: the schema of which it is a part; ``None`` if it is none.
        """
        if self._left <= 0:
            return None
        from mcp_governor.containment import contains

        started = time.monotonic()
        try:
            if root is not None:
                if not _is_movable(root, schema):
                    return None
                schema = alone(root, schema)
            verdict = contains(False, schema, deadline=min(_SECONDS, self._left), witness=False).verdict
            return {"yes": True, "no": False}.get(verdict)
        finally:
            self._left -= time.monotonic() - started

    def impossible(self, root: Mapping[str, Any]) -> tuple[bool, list[str]]:
        """If no arguments fit an input schema, and the parameters that none can give.

        Without arguments that fit, the parameters are those that are the reason: no value fits them, whatever else
        the schema says.
        """
        properties, required = root.get("properties", {}), root.get("required", [])
        if not isinstance(required, list) or not isinstance(properties, dict) or _is_plain({"type": "object", **root}):
            return False, []
        # A schema that refers to its root means another one if the root requires more.
        is_fixed = not _SELF.search(json.dumps(root, default=str))
        if is_fixed and self.is_empty(_requiring(root, [*required, *properties])) is False:
            return False, []
        by_itself = [
            name for name, schema in properties.items() if not _is_plain(schema) and self.is_empty(schema, root) is True
        ]
        if self.is_empty(root):
            return True, [name for name in by_itself if name in required]
        return False, [
            name
            for name in properties
            if name in by_itself or (is_fixed and self.is_empty(_requiring(root, [*required, name])))
        ]

    def dead_choices(self, root: Any, node: Mapping[str, Any]) -> list[Any]:
        """The branches of ``oneOf`` whose values all fit another branch too, so that each of them is refused."""
        branches = node.get("oneOf")
        if not isinstance(branches, list) or len(branches) > _MAX_BRANCHES or _are_apart(branches):
            return []
        rest = {key: value for key, value in node.items() if key != "oneOf"}
        refused = [branch for branch in branches if self.is_empty({"allOf": [node, branch]}, root)]
        # A branch that is empty without the others, as generators write for "undefined", is not their fault.
        return [branch for branch in refused if self.is_empty({"allOf": [rest, branch]}, root) is False]


def _are_apart(branches: list[Any]) -> bool:
    """True if the branches have one type each, and no two of them the same."""
    kinds = {str(branch.get("type")) for branch in branches if isinstance(branch, dict)}
    return len(kinds) == len(branches) and kinds <= {*_TYPES} and not {"integer", "number"} <= kinds


def _is_movable(root: Any, part: Any) -> bool:
    """True if :func:`~mcp_governor.subjects.schemas.alone` keeps the meaning of a part and of what it refers to."""
    if not isinstance(root, dict) or '"$' not in json.dumps(part, default=str):
        return True
    parts = [part, *(root[key] for key in DEFINITIONS if key in root)]
    return is_self_contained(*parts) and '"$id"' not in json.dumps(parts, default=str)


def _requiring(root: Mapping[str, Any], names: Iterable[Any]) -> dict[str, Any]:
    return {**root, "required": list(dict.fromkeys(name for name in names if isinstance(name, str)))}


def _is_plain(schema: Any) -> bool:
    """True if a value fits a schema for certain; most are like this, and need no question."""
    if not isinstance(schema, dict):
        return schema is True
    keys, kind, values = schema.keys() - _NOTES, schema.get("type"), schema.get("enum")
    if kind not in (None, *_TYPES):
        return False
    low, high = _RANGES.get(kind or "", ("", ""))
    if keys <= {"type", "format", "items", low, high} and _is_range(schema.get(low), schema.get(high), low):
        # A list without items fits any "items"; of one value, a list has it as often as it takes.
        return not schema.get("minItems") or _is_plain(schema.get("items", True))
    if keys == {"anyOf"}:
        return isinstance(schema["anyOf"], list) and any(map(_is_plain, schema["anyOf"]))
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if kind == "object" and isinstance(properties, dict) and isinstance(required, list):
        declared = schema.get("additionalProperties") is not False or all(name in properties for name in required)
        known = keys <= {"type", "properties", "required", "additionalProperties"}
        return known and declared and all(map(_is_plain, properties.values()))
    first = values[0] if isinstance(values, list) and values else None
    return any(plainly_accepts(schema, value) for value in (first, schema.get("minimum"), schema.get("maximum")))


_RANGES = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "integer": ("exclusiveMinimum", "maximum"),
    "number": ("exclusiveMinimum", "maximum"),
}


def _is_range(least: Any, most: Any, low: str) -> bool:
    """True if a value is between two bounds of which the lower has a certain name."""
    if least is None or most is None:
        return type(least if most is None else most) in (int, type(None))
    return type(least) is type(most) is int and (least < most or (least == most and low != "exclusiveMinimum"))


def argument(tool: Tool, context: Context) -> Iterator[Hit]:
    """A value fits each parameter; those without which no call is valid are :func:`call`'s."""
    is_impossible, names = _impossible(tool, context)
    for name in () if is_impossible else names:
        schema = tool.raw["inputSchema"]["properties"][name]
        if not _is_said_elsewhere(schema):
            yield hit(join_pointer("/inputSchema/properties", name), schema)


def call(tool: Tool, context: Context) -> Iterator[Hit]:
    """Some arguments fit the input schema."""
    is_impossible, names = _impossible(tool, context)
    if not is_impossible:
        return
    schema = tool.raw["inputSchema"]
    if not names:
        yield hit("/inputSchema", schema.get("required"))
    for name in names:
        if not _is_said_elsewhere(schema["properties"][name]):
            pointer = join_pointer("/inputSchema/properties", name)
            yield hit(pointer, schema["properties"][name], says="required", argument=name)


def _impossible(tool: Tool, context: Context) -> tuple[bool, list[str]]:
    schema = tool.raw.get("inputSchema")
    if not isinstance(schema, dict):
        return False, []
    return context.facts.kept(("impossible", tool.index), lambda: _emptiness(context).impossible(schema))


def _emptiness(context: Context) -> Emptiness:
    return context.facts.memo("emptiness", Emptiness)


def _is_said_elsewhere(schema: Any) -> bool:
    """True if ``clarity/bounds`` or ``clarity/empty-enum`` name the keywords that no value fits."""
    return isinstance(schema, dict) and (schema.get("enum") == [] or any(crossed(schema)))


@about(keys={"oneOf"})
def choice(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """Each alternative of ``oneOf`` has a value that fits no other one."""
    dead = _emptiness(context).dead_choices(root_of(node), node.schema)
    if dead:
        titles = [branch.get("title") if isinstance(branch, dict) else None for branch in dead]
        shown = [title or json.dumps(one, default=str) for title, one in zip(titles, dead, strict=True)]
        yield hit(f"{node.pointer}/oneOf", dead, choices=first_of(list(map(str, shown)), 3))
