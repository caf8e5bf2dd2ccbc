"""What may be said of the values that a place lists: no sentence claims more than the schemas show.

An ``enum`` is one keyword of a place, whose bounds, pattern and other alternatives decide as well. So a listed value
counts as lost or gained only if the place as a whole accepts it on one side and refuses it on the other, and "only" and
"any" are proved. Where that fails, or is unknown, the kind has a sentence that claims less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change.names import fixed_values, types_of
from mcp_governor.change.vocabulary import MISSING, Facts
from mcp_governor.surface.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.change.edit import Edit, Questions
    from mcp_governor.change.graph import SchemaNode

_MAX_TRIED = 2_000
"""Most listed values that are tried one by one; of longer lists, all or none count."""
_MAX_ASKED = 20
"""Most values of a member of several alternatives; each takes two questions about the whole object."""


def enum_facts(edit: Edit, questions: Questions) -> Facts:
    """The values that an edit of a list takes away and brings, and what holds besides.

    Returns:
        Facts whose ``lost`` and ``gained`` are proved. For a list that came, ``gained`` is everything that is accepted
        now. For one that went, ``lost`` is everything that was, and ``detail`` says in words what is accepted now.
    """
    old, new = (value if isinstance(value, list) else [] for value in (edit.old, edit.new))
    nodes = _subject(edit)
    if nodes is None:
        return Facts()
    before, after = nodes
    if questions.unreadable:
        return Facts(detail="any value" if edit.new is MISSING and questions.covers(after, True) else "")
    member = _member(edit)
    if member:
        lost, gained = _without(old, new), _without(new, old)
        if len(lost) + len(gained) > _MAX_ASKED:
            return Facts()
        return Facts(
            lost=_taken(questions, before, after, member, lost),
            gained=_taken(questions, after, before, member[::-1], gained),
        )
    if edit.old is MISSING:
        gained = _accepted(questions, after, new)
        return Facts(gained=gained if questions.covers({"enum": list(gained)}, after) else ())
    if edit.new is MISSING:
        return _dropped(questions, before, after, old)
    return Facts(
        lost=_moved(questions, _without(old, new), before, after),
        gained=_moved(questions, _without(new, old), after, before),
    )


def _subject(edit: Edit) -> tuple[SchemaNode, SchemaNode] | None:
    """The two nodes for the value whose list was edited, of which the edited one may be a branch."""
    step = edit.step
    while step is not None and step.within and step.outer is not None:
        step = step.outer
    return (step.old, step.new) if step is not None else None


def _member(edit: Edit) -> tuple[str, str] | None:
    """The member of the subject that has the list, by its old and its new name, where several alternatives are compared
    as one object."""
    step = edit.step
    return (edit.names[0], edit.names[-1]) if step is not None and edit.names and edit.names != step.names else None


def _taken(
    questions: Questions, here: SchemaNode, there: SchemaNode, names: tuple[str, str], values: tuple[Any, ...]
) -> tuple[Any, ...]:
    """The values that one node accepts for a member, with whatever else, and the other never."""
    return tuple(
        value
        for value in values
        if questions.takes_member(here, names[0], value) is True
        and questions.takes_member(there, names[1], value) is False
    )


def _without(values: list[Any], others: list[Any]) -> tuple[Any, ...]:
    known = {canonical_json(value) for value in others}
    return tuple(value for value in values if canonical_json(value) not in known)


def _accepted(questions: Questions, node: SchemaNode, values: Sequence[Any]) -> tuple[Any, ...]:
    """The values that a node accepts; none of a long list unless it accepts all."""
    if len(values) > _MAX_TRIED:
        return tuple(values) if questions.covers(node, {"enum": list(values)}) else ()
    return tuple(value for value, held in zip(values, questions.accepted(node, values), strict=True) if held)


def _moved(questions: Questions, values: tuple[Any, ...], here: SchemaNode, there: SchemaNode) -> tuple[Any, ...]:
    """The values that one node accepts and the other refuses."""
    if len(values) > _MAX_TRIED:
        refused = questions.covers({"not": {"enum": list(values)}}, there)
        return _accepted(questions, here, values) if refused else ()
    held, left = questions.accepted(here, values), questions.accepted(there, values)
    return tuple(value for value, one, other in zip(values, held, left, strict=True) if one is True and other is False)


def _dropped(questions: Questions, before: SchemaNode, after: SchemaNode, values: list[Any]) -> Facts:
    lost = _accepted(questions, before, fixed_values(before) or values)
    if not lost or not questions.covers({"enum": list(lost)}, before):
        lost = ()
    return Facts(lost=lost, detail=_described(questions, after))


def _described(questions: Questions, node: SchemaNode) -> str:
    """Everything that a node accepts, in words; empty where no few words are exact."""
    if questions.covers(node, True):
        return "any value"
    types = types_of(node)
    if not types:
        return ""
    schema: dict[str, Any] = {"type": sorted(types)}
    bounds: dict[str, Any] = {key: node.keywords[key] for key in ("minimum", "maximum") if key in node.keywords}
    words = " or ".join([*(f"any {name}" for name in sorted(types - {"null"})), *(["null"] if "null" in types else [])])
    if bounds and types <= {"integer", "number"} and len(types) == 1:
        schema |= bounds
        low, high = (canonical_json(bounds[key]) if key in bounds else "" for key in ("minimum", "maximum"))
        words += (f" from {low}" if low else "") + ((" to " if low else " up to ") + high if high else "")
    return words if questions.covers(schema, node) and questions.covers(node, schema) else ""
