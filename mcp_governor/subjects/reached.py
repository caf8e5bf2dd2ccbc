"""Definitions that a parameter or a field of a result refers to; clients never see unreferenced ones."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from mcp_governor.schemas.pointers import unescape_pointer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_governor.subjects.context import Facts, SchemaPlace

HOMES = ("$defs", "definitions")
"""Keywords at the root of a schema for what others refer to."""
_OTHER_WAYS = ("$anchor", "$dynamicAnchor", "$dynamicRef", "$id", "id")
"""Keywords for referring to a definition without a pointer; with one of them, all definitions count as referenced."""

_Home = tuple[str, str]
"""A definition at the root of a schema: the keyword and the name."""


def is_reached(node: SchemaPlace, facts: Facts) -> bool:
    """True if a schema applies to some value: it is outside the definitions, or in a referenced one."""
    home = _home(node)
    if home is None:
        return True
    reached = facts.recent(("reached", node.tool.index, node.side), lambda: reached_definitions(_side(node, facts)))
    return reached is None or home in reached


def _side(node: SchemaPlace, facts: Facts) -> list[SchemaPlace]:
    return [other for other in facts.nodes(node.tool) if other.side == node.side]


def _home(node: SchemaPlace) -> _Home | None:
    if len(node.tokens) < 2 or node.tokens[0] not in HOMES:
        return None
    return str(node.tokens[0]), str(node.tokens[1])


def reached_definitions(nodes: Iterable[SchemaPlace]) -> frozenset[_Home] | None:
    """Definitions referenced from outside, directly or through others; ``None`` if that cannot be determined."""
    leads: dict[_Home | None, set[_Home]] = {}
    for node in nodes:
        schema = node.schema
        if not isinstance(schema, dict):
            continue
        if any(key in schema for key in _OTHER_WAYS):
            return None
        home = _target(schema.get("$ref"))
        if home is not None:
            leads.setdefault(_home(node), set()).add(home)
    reached: set[_Home] = set()
    pending = list(leads.get(None, ()))
    while pending:
        home = pending.pop()
        if home not in reached:
            reached.add(home)
            pending.extend(leads.get(home, ()))
    return frozenset(reached)


def _target(reference: object) -> _Home | None:
    parts = unquote(reference).split("/", 3) if isinstance(reference, str) else []
    if len(parts) < 3 or parts[0] != "#" or parts[1] not in HOMES:
        return None
    return parts[1], unescape_pointer(parts[2])
