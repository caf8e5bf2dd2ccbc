"""Corrections: the edits that a rule asks for, where the rule has computed all that they take.

A check states its correction next to the sentence about it, from the same facts. What an edit does to the schema is
proved later (:mod:`mcp_governor.checking.fix_plan`); here it is only placed where it says what is meant: in the branch
beside null, in the items of a list, next to a reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.findings import Correction, Edit, Effect
from mcp_governor.linting.schemas import effective, root_of, types_of
from mcp_governor.schemas.dialects import LATEST, dialect_of
from mcp_governor.schemas.pointers import join_pointer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcp_governor.linting.context import SchemaPlace

ANNOTATIONS = frozenset({"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"})
"""Keywords that stay with an argument where its types move into a branch."""
_DEEPEST = 4
"""Branches and items on the way to where a keyword belongs; arguments have one or two."""
_BESIDE_REFERENCES = 19
"""The first dialect in which a keyword beside ``$ref`` counts."""


def correction(edits: Iterable[Edit] | None, effect: Effect) -> Correction | None:
    """A correction, or ``None`` where there are no edits."""
    kept = tuple(edits or ())
    return Correction(kept, effect) if kept else None


def narrowed(node: SchemaPlace, keywords: Mapping[str, Any], *, items: bool = False) -> Correction | None:
    """Keywords that an argument, or the items of a list, is to have; ``None`` where no place for them is sure.

    Args:
        node: the argument.
        keywords: such as ``enum`` or ``minimum``, none of which it has.
        items: they are of the items.
    """
    return correction(keyword_edits(node, keywords, items=items), Effect.NARROWER)


def keyword_edits(node: SchemaPlace, keywords: Mapping[str, Any], *, items: bool = False) -> list[Edit] | None:
    """The edits of :func:`narrowed`, for a rule that has one finding about many arguments."""
    place = _landing(node, items=items)
    if place is None:
        return None
    pointer, schema = place
    if _dialect(node) == 4 and any(key.startswith("exclusive") for key in keywords):
        return None
    edits = []
    for key, value in keywords.items():
        edits.append(Edit(join_pointer(pointer, key), _with_own(value, schema, node) if key == "enum" else value))
    if not schema:
        edits.insert(0, Edit(join_pointer(pointer, "type"), "string"))
    return edits


def _with_own(values: list[Any], schema: Mapping[str, Any], node: SchemaPlace) -> list[Any]:
    """Values for an enum, with the null and the empty default that the schema accepts beside them."""
    found = list(values)
    default = node.schema.get("default")
    if default == "" and "" not in found and types_of(schema, root_of(node)) is not None:
        found.append("")
    if "null" in (types_of(schema, root_of(node)) or ()) and None not in found:
        found.append(None)
    return found


def _dialect(node: SchemaPlace) -> int:
    return dialect_of(root_of(node)) or LATEST


def _landing(node: SchemaPlace, *, items: bool) -> tuple[str, Mapping[str, Any]] | None:
    """Where a keyword about an argument goes, and the schema that is there."""
    pointer, schema = node.pointer, node.schema
    for _ in range(_DEEPEST):
        if not isinstance(schema, dict):
            return None
        if "$ref" in schema:
            # The definition may be that of other arguments as well.
            return None if items or _dialect(node) < _BESIDE_REFERENCES else (pointer, schema)
        branch = _only_branch(schema)
        if branch is not None:
            pointer, schema = join_pointer(pointer, *branch), schema[branch[0]][branch[1]]
        elif items and "array" in (types_of(schema) or ()):
            pointer, schema, items = join_pointer(pointer, "items"), schema.get("items", {}), False
        else:
            return None if items else (pointer, schema)
    return None


def _only_branch(schema: Mapping[str, Any]) -> tuple[str, int] | None:
    """The one branch beside null."""
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if isinstance(branches, list):
            real = [at for at, item in enumerate(branches) if not _is_null(item)]
            if len(real) == 1 and len(branches) > 1:
                return key, real[0]
    return None


def _is_null(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "null"


def nullable(node: SchemaPlace) -> Edit | None:
    """The edit after which an argument accepts null as well, as Pydantic writes it; ``None`` for a schema with a
    keyword that must stay at its root."""
    schema = node.schema
    if any(key.startswith(("x-", "$")) and key != "$ref" for key in schema):
        return None
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if isinstance(branches, list) and not (schema.keys() - ANNOTATIONS - {key}):
            return Edit(join_pointer(node.pointer, key), {"type": "null"}, "add")
    branch = {key: value for key, value in schema.items() if key not in ANNOTATIONS}
    kept = {key: value for key, value in schema.items() if key in ANNOTATIONS}
    return Edit(node.pointer, {"anyOf": [branch, {"type": "null"}], **kept})


def retyped(node: SchemaPlace, old: str, new: str) -> list[Edit] | None:
    """The edits after which an argument has another type, alone or beside null; ``None`` where it has more than one."""
    place = _landing(node, items=False)
    if place is None:
        return None
    pointer, schema = place
    kind = schema.get("type")
    if kind == old:
        return [Edit(join_pointer(pointer, "type"), new)]
    if isinstance(kind, list) and old in kind and new not in kind:
        return [Edit(join_pointer(pointer, "type"), [new if one == old else one for one in kind])]
    return None


def without_type(node: SchemaPlace, unwanted: str) -> list[Edit] | None:
    """The edits after which an argument has one of its types no more."""
    schema = node.schema
    kind = schema.get("type")
    if isinstance(kind, list) and unwanted in kind:
        left = [one for one in kind if one != unwanted]
        return [Edit(join_pointer(node.pointer, "type"), left[0] if len(left) == 1 else left)]
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if isinstance(branches, list):
            left = [item for item in branches if not (isinstance(item, dict) and item.get("type") == unwanted)]
            if len(left) == len(branches) or not left or not all(isinstance(item, dict) for item in left):
                return None
            if len(left) > 1:
                return [Edit(join_pointer(node.pointer, key), left)]
            if left[0].keys() & schema.keys() or "$ref" in left[0]:
                return None
            rest = {name: value for name, value in schema.items() if name != key}
            return [Edit(node.pointer, {**left[0], **rest})]
    return None


def optional(node: SchemaPlace) -> Edit:
    """The edit after which an argument may be left out."""
    return Edit(f"{_owner(node)}/required", node.argument, "drop")


def required(node: SchemaPlace) -> Edit:
    """The edit after which an argument must be given."""
    return Edit(f"{_owner(node)}/required", node.argument, "add")


def _owner(node: SchemaPlace) -> str:
    return join_pointer(f"/{node.side}", *node.tokens[:-2])


def in_tool(edits: Iterable[Edit] | None, tool: str) -> Iterator[Edit]:
    """The edits, of one tool by its name, for a finding about the surface."""
    for edit in edits or ():
        yield Edit(edit.path, edit.value, edit.op, tool)


def numeric_default(node: SchemaPlace) -> float | None:
    """The number that stands for an argument that is left out."""
    default = effective(root_of(node), node.schema).get("default")
    return default if isinstance(default, int | float) and not isinstance(default, bool) else None
