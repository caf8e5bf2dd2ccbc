"""Schemas that no value fits: is the schema contained in ``false``? The containment engine answers."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.keywords import DEFINITIONS
from mcp_governor.subjects.schemas import alone, is_self_contained, plainly_accepts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
    if _is_bounded(schema):
        return True
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


def _is_bounded(schema: Mapping[str, Any]) -> bool:
    """True if a string, a list, an object or a number has bounds that leave a value."""
    kind, further = schema.get("type"), schema.keys() - _PLAIN
    if kind == "string" and further <= {"minLength", "maxLength"}:
        return _is_range(schema.get("minLength", 0), schema.get("maxLength"))
    if kind == "array" and further <= {"minItems", "maxItems"}:
        least = schema.get("minItems", 0)
        # With one value, a list of that value as often as it takes.
        return _is_range(least, schema.get("maxItems")) and (least == 0 or _is_plain_part(schema.get("items", True)))
    if kind == "object" and further <= {"properties", "additionalProperties", "propertyNames", "required"}:
        return bool(schema.get("required", []) == [])
    if kind in ("integer", "number") and further <= {"exclusiveMinimum", "maximum"}:
        least = schema.get("exclusiveMinimum")
        return type(least) is int and _is_range(least + 1, schema.get("maximum"))
    return False


def _is_range(least: Any, most: Any) -> bool:
    return type(least) is int and (most is None or (type(most) is int and least <= most))


def _is_type(kind: Any) -> bool:
    kinds = kind if isinstance(kind, list) and kind else [kind]
    return kind is None or all(isinstance(one, str) and one in _TYPES for one in kinds)


def _are_apart(branches: list[Any]) -> bool:
    """True if the branches have one type each, and no two of them the same."""
    kinds = [branch.get("type") if isinstance(branch, dict) else None for branch in branches]
    apart = len({json.dumps(kind) for kind in kinds}) == len(kinds) and all(isinstance(kind, str) for kind in kinds)
    return apart and not {"integer", "number"}.issubset(kinds)
