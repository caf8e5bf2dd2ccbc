"""Schemas that contradict themselves, or contain what nothing can use."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, TypeGuard

from mcp_governor.findings import Correction, Edit, Effect
from mcp_governor.fixes.corrections import optional
from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.words import name_words
from mcp_governor.rules.scope import about
from mcp_governor.schemas.effort import effort
from mcp_governor.schemas.keywords import DEFINITIONS, KEYWORDS
from mcp_governor.schemas.patterns import errors
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import Context, Hit, SchemaPlace, hit
from mcp_governor.subjects.schemas import (
    PartValidators,
    alone,
    document_of,
    is_self_contained,
    parent_of,
    plainly_accepts,
    root_of,
)
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcp_governor.surface.model import Tool


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


_SECONDS = 0.25
"""Time limit for one question. Of 2,064 input schemas of public servers one takes longer; the others take 2 ms."""
BUDGET = 1.0
"""Time limit for all questions about a surface, in seconds: as long as 500 usual tools take."""

_MAX_BRANCHES = 100
"""Most branches of a ``oneOf`` that are asked about."""

_SELF = lazy_pattern(r'"\$(?:dynamicRef|recursiveRef)"|"\$ref": "[^"#]*#?"|"\$id"')
"""References to a whole schema, or to one that only evaluation finds."""

_ROOT = frozenset(("$schema", "type", "title", "description", "properties", "required", "additionalProperties"))
_PLAIN = frozenset(("type", "title", "description", "default", "examples", "format", "items", "deprecated"))
"""Keywords of a parameter that leave values of each of its types: a list without items fits any ``items``."""
_LISTED = frozenset(("enum", "title", "description", "default", "examples", "deprecated"))
"""Keywords of a list of values that no other keyword narrows."""
_CHOSEN = frozenset(("anyOf", "title", "description", "default", "examples", "deprecated"))
"""Keywords of a choice that no other keyword narrows: a value of one branch is enough."""
_TYPES = frozenset(("array", "boolean", "integer", "null", "number", "object", "string"))


class Emptiness:
    """Asks the engine if schemas are empty, until the time for all of them is used up.

    Args:
        budget: seconds for all questions.
    """

    def __init__(self, budget: float = BUDGET) -> None:
        self._left = budget
        self._homes: tuple[Any, bool] = (None, True)

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
                if not self._is_movable(root, schema):
                    return None
                schema = alone(root, schema)
            verdict = contains(False, schema, deadline=min(_SECONDS, self._left), witness=False).verdict
            return {"yes": True, "no": False}.get(verdict)
        finally:
            self._left -= time.monotonic() - started

    def _is_movable(self, root: Any, part: Any) -> bool:
        """True if :func:`~mcp_governor.subjects.schemas.alone` keeps the meaning of a part and of what it refers to."""
        if not isinstance(root, dict) or '"$' not in json.dumps(part, default=str):
            return True
        if self._homes[0] is not root:
            self._homes = root, _is_movable([root[key] for key in DEFINITIONS if key in root])
        return self._homes[1] and _is_movable(part)

    def impossible(self, root: Mapping[str, Any]) -> tuple[bool, list[str]]:
        """If no arguments fit an input schema, and the parameters that none can give.

        Without arguments that fit, the parameters are those that are the reason: no value fits them, whatever else
        the schema says.
        """
        properties, required = root.get("properties", {}), root.get("required", [])
        if not isinstance(required, list) or not isinstance(properties, dict) or _is_plain(root, properties, required):
            return False, []
        # A schema that refers to its root means another one if the root requires more.
        is_fixed = not _SELF.search(json.dumps(root, default=str))
        if is_fixed and self.is_empty(_requiring(root, [*required, *properties])) is False:
            return False, []
        by_itself = [
            name
            for name, schema in properties.items()
            if not _is_plain_part(schema) and self.is_empty(schema, root) is True
        ]
        if self.is_empty(root):
            return True, [name for name in by_itself if name in required]
        known = set(by_itself)
        return False, [
            name
            for name in properties
            if name in known or (is_fixed and self.is_empty(_requiring(root, [*required, name])))
        ]

    def dead_choices(self, root: Any, node: Mapping[str, Any]) -> list[int]:
        """The branches of ``oneOf`` whose values all fit another branch too, so that each of them is refused.

        Args:
            root: the schema with the definitions.
            node: a schema in it with ``oneOf``.
        """
        branches = node["oneOf"]
        if not isinstance(branches, list) or len(branches) > _MAX_BRANCHES or _are_apart(branches):
            return []
        rest = {key: value for key, value in node.items() if key != "oneOf"}
        refused = [branch for branch in enumerate(branches) if self.is_empty({"allOf": [node, branch[1]]}, root)]
        # A branch that is empty without the others, as generators write for "undefined", is not their fault.
        return [index for index, branch in refused if self.is_empty({"allOf": [rest, branch]}, root) is False]


def _is_movable(part: Any) -> bool:
    return is_self_contained(part) and '"$id"' not in json.dumps(part, default=str)


def _requiring(root: Mapping[str, Any], names: Iterable[Any]) -> dict[str, Any]:
    return {**root, "required": list(dict.fromkeys(name for name in names if isinstance(name, str)))}


def _is_plain(root: Mapping[str, Any], properties: Mapping[str, Any], required: list[Any]) -> bool:
    """True if some values fit all parameters at once for certain; most tools are like this, and need no question."""
    declared = root.get("additionalProperties") is not False or all(name in properties for name in required)
    plain = _ROOT.issuperset(root) and root.get("type", "object") == "object" and declared
    return plain and all(map(_is_plain_part, properties.values()))


def _is_plain_part(schema: Any) -> bool:
    """True if a parameter has a value for certain: any of its type, or its first, least or greatest one."""
    if not isinstance(schema, dict) or (_PLAIN.issuperset(schema) and _is_type(schema.get("type"))):
        return schema is True or isinstance(schema, dict)
    values = schema.get("enum")
    if isinstance(values, list) and values and _LISTED.issuperset(schema):
        return True
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if schema.get("type") == "object" and isinstance(properties, dict) and isinstance(required, list):
        return all(name in properties for name in required) and _is_plain(schema, properties, required)
    branches = schema.get("anyOf")
    if isinstance(branches, list) and _CHOSEN.issuperset(schema):
        return any(
            isinstance(branch, dict) and _PLAIN.issuperset(branch) and _is_plain_part(branch) for branch in branches
        )
    first = values[0] if isinstance(values, list) and values else None
    return any(plainly_accepts(schema, value) for value in (first, schema.get("minimum"), schema.get("maximum")))


def _is_type(kind: Any) -> bool:
    return kind is None or (isinstance(kind, str) and kind in _TYPES)


def _are_apart(branches: list[Any]) -> bool:
    """True if the branches have one type each, and no two of them the same."""
    kinds = [branch.get("type") if isinstance(branch, dict) else None for branch in branches]
    apart = len({json.dumps(kind) for kind in kinds}) == len(kinds) and all(isinstance(kind, str) for kind in kinds)
    return apart and not {"integer", "number"}.issubset(kinds)


_MAX_SHOWN = 3
"""Most alternatives named in a message; the rest are counted."""


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
    return context.facts.recent(("impossible", tool.index), lambda: _emptiness(context).impossible(schema))


def _emptiness(context: Context) -> Emptiness:
    return context.facts.memo("emptiness", Emptiness)


def _is_said_elsewhere(schema: Any) -> bool:
    """True if ``clarity/bounds`` or ``clarity/empty-enum`` name the keywords that no value fits."""
    return isinstance(schema, dict) and (schema.get("enum") == [] or any(crossed(schema)))


@about(keys={"oneOf"})
def choice(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """Each alternative of ``oneOf`` has a value that fits no other one."""
    if not isinstance(node.schema, dict) or "oneOf" not in node.schema:
        return
    dead = _emptiness(context).dead_choices(root_of(node), node.schema)
    if dead:
        branches = [node.schema["oneOf"][index] for index in dead]
        shown = " and ".join(map(_shown, branches[:_MAX_SHOWN]))
        more = f" and {len(dead) - _MAX_SHOWN} more" if len(dead) > _MAX_SHOWN else ""
        yield hit(f"{node.pointer}/oneOf", branches, choices=shown + more)


def _shown(branch: Any) -> str:
    """The title of an alternative, or its schema."""
    title = branch.get("title") if isinstance(branch, dict) else None
    return one_line(title if isinstance(title, str) else json.dumps(branch, ensure_ascii=False, default=str), 60)
