"""Corrections: the edits that satisfy a rule, if the rule knows everything that they need.

A check creates its correction next to its message, from the same facts. The effect of an edit on the schema is proved
later (:mod:`mcp_governor.checking.fix_plan`); this module only finds the right place for it: the branch of a union with
null, the items of a list, or next to a reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.findings import Correction, Edit, Effect
from mcp_governor.schemas.dialects import LATEST, dialect_of
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.schemas import root_of, types_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcp_governor.subjects.context import SchemaPlace


ANNOTATIONS = frozenset({"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"})
"""Keywords that stay with a parameter when its types move into a branch."""
_MAX_DEPTH = 4
"""Maximum number of branches and items on the way to the place of a keyword; parameters have one or two."""
_SIBLINGS_OF_REFERENCES = 19
"""The first dialect that does not ignore keywords next to ``$ref``."""


def correction(edits: Iterable[Edit] | None, effect: Effect) -> Correction | None:
    """A correction, or ``None`` if there are no edits."""
    kept = tuple(edits or ())
    return Correction(kept, effect) if kept else None


def narrowed(node: SchemaPlace, keywords: Mapping[str, Any], *, items: bool = False) -> Correction | None:
    """Adds keywords to a parameter or to the items of a list; ``None`` if there is no certain place for them.

    For values and limits that the description of the parameter states with certainty, which the check knows. What is
    only likely, such as a form that one example has, is a question for the author: the schema would refuse calls that
    work.

    Args:
        node: the parameter.
        keywords: such as ``enum`` or ``minimum``, none of which the schema has.
        items: the keywords are for the items.
    """
    place = _landing(node, items=items)
    default = node.schema.get("default")
    if place is None:
        return None
    if items and isinstance(default, list) and not all(one in keywords.get("enum", default) for one in default):
        return None  # The default would not be valid.
    pointer, schema = place
    if _dialect(node) == 4 and any(key.startswith("exclusive") for key in keywords):
        return None
    takes_null = "null" in (types_of(schema, root_of(node)) or ())
    edits = [
        Edit(join_pointer(pointer, key), [*value, None] if key == "enum" and takes_null else value)
        for key, value in keywords.items()
    ]
    if not schema:
        edits.insert(0, Edit(join_pointer(pointer, "type"), "string"))
    return correction(edits, Effect.NARROWER)


def _dialect(node: SchemaPlace) -> int:
    return dialect_of(root_of(node)) or LATEST


def _landing(node: SchemaPlace, *, items: bool) -> tuple[str, Mapping[str, Any]] | None:
    """The place for a keyword about a parameter, and the schema there."""
    pointer, schema = node.pointer, node.schema
    for _ in range(_MAX_DEPTH):
        if not isinstance(schema, dict):
            return None
        if "$ref" in schema:
            # Other parameters may share the definition.
            return None if items or _dialect(node) < _SIBLINGS_OF_REFERENCES else (pointer, schema)
        branch = _only_branch(schema)
        if branch is not None:
            pointer, schema = join_pointer(pointer, *branch), schema[branch[0]][branch[1]]
        elif items and "array" in (types_of(schema) or ()):
            pointer, schema, items = join_pointer(pointer, "items"), schema.get("items", {}), False
        else:
            return None if items else (pointer, schema)
    return None


def _only_branch(schema: Mapping[str, Any]) -> tuple[str, int] | None:
    """The only branch of a union besides null."""
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if isinstance(branches, list):
            real = [at for at, item in enumerate(branches) if not isinstance(item, dict) or item.get("type") != "null"]
            if len(real) == 1 and len(branches) > 1:
                return key, real[0]
    return None


def nullable(node: SchemaPlace) -> Edit | None:
    """The edit of a tool that makes a parameter accept null, in the form that Pydantic writes; ``None`` if the schema
    has a keyword that must stay at its root."""
    schema = node.schema
    if any(key.startswith(("x-", "$")) and key != "$ref" for key in schema):
        return None
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if isinstance(branches, list) and not (schema.keys() - ANNOTATIONS - {key}):
            return Edit(join_pointer(node.pointer, key), {"type": "null"}, "add", node.tool.name)
    branch = {key: value for key, value in schema.items() if key not in ANNOTATIONS}
    kept = {key: value for key, value in schema.items() if key in ANNOTATIONS}
    return Edit(node.pointer, {"anyOf": [branch, {"type": "null"}], **kept}, tool=node.tool.name)


def optional(node: SchemaPlace) -> Edit:
    """The edit that makes a parameter optional."""
    owner = join_pointer(f"/{node.side}", *node.tokens[:-2])
    return Edit(f"{owner}/required", node.argument, "drop")
