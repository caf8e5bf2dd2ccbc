"""Edits to the JSON of tools: applying them, and grouping them into fragments for display.

A fragment is what a person changes in one go: the schema of one parameter, the hints of a tool, or the keywords of an
object that are not about one parameter (``required``, ``additionalProperties``, ``$defs``).
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import UNSET

from mcp_governor.schemas.keywords import SCHEMA_MAP_KEYS
from mcp_governor.schemas.pointers import join_pointer, pointer_tokens, resolve_pointer, step
from mcp_governor.subjects.context import SIDES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_governor.findings import Edit


ABSENT: Any = UNSET
"""The value of a missing member, which no document shows."""


class Fragment(NamedTuple):
    """A place that a person edits in one go.

    Attributes:
        pointer: relative to the tool.
        whole: it is shown and replaced as a whole; otherwise only the edited members are.
    """

    pointer: str
    whole: bool


def fragment_of(pointer: str, *, removes: bool = False) -> Fragment:
    """The fragment to which a place in a tool belongs.

    Args:
        pointer: relative to the tool.
        removes: the place is removed, and so belongs to the fragment of its parent.
    """
    tokens = pointer_tokens(pointer)
    if not tokens or tokens[0] not in SIDES:
        return Fragment(join_pointer("", *tokens[:1]), bool(tokens))
    if removes:
        tokens = tokens[:-1]
    # A parameter, with all that is in it, or a definition.
    maps = (at for at, key in enumerate(tokens) if key in SCHEMA_MAP_KEYS and at + 1 < len(tokens))
    end = next(maps, -1) + 2
    return Fragment(join_pointer("", *tokens[:end]), end > 1)


def apply(tool: dict[str, Any], edits: Iterable[Edit]) -> bool:
    """Apply edits to a tool, stopping at the first one whose place is missing.

    Returns:
        True if every edit was applied.
    """
    return all(_apply(tool, edit) for edit in edits)


def _apply(tool: dict[str, Any], edit: Edit) -> bool:
    *way, last = pointer_tokens(edit.path)
    holder: Any = tool
    for token in way:
        if edit.op in ("set", "add") and isinstance(holder, dict):
            holder.setdefault(token, {})
        try:
            holder = step(holder, token)
        except KeyError:
            return False
    if not isinstance(holder, dict):
        return False
    if edit.op == "set":
        holder[last] = copy.deepcopy(edit.value)
    elif edit.op == "remove":
        return holder.pop(last, ABSENT) is not ABSENT
    else:
        items = holder.get(last, [] if edit.op == "add" else None)
        if not isinstance(items, list):
            return False
        kept = [item for item in items if item != edit.value]
        holder[last] = kept if edit.op == "drop" else [*kept, copy.deepcopy(edit.value)]
    return True


def value_at(tool: Any, pointer: str) -> Any:
    """The value at a pointer, or :data:`ABSENT`."""
    try:
        return resolve_pointer(tool, pointer)
    except KeyError:
        return ABSENT


def shown(tool: Any, fragment: Fragment, touched: Iterable[str]) -> Any:
    """A fragment for display: whole, or an object with the edited members."""
    if fragment.whole:
        return value_at(tool, fragment.pointer)
    out: dict[str, Any] = {}
    for pointer in touched:
        value = value_at(tool, pointer)
        if value is ABSENT:
            continue
        tokens = pointer_tokens(pointer)[len(pointer_tokens(fragment.pointer)) :]
        holder = out
        for token in tokens[:-1]:
            holder = holder.setdefault(token, {})
        holder[tokens[-1]] = value
    return out


def patch(before: Any, after: Any, fragment: Fragment, touched: Iterable[str]) -> list[dict[str, Any]]:
    """The JSON Patch operations (RFC 6902) that turn a tool's fragment into the corrected one."""
    pointers = [fragment.pointer] if fragment.whole else list(touched)
    out: list[dict[str, Any]] = []
    for pointer in pointers:
        place = _outermost(after, pointer) if value_at(after, pointer) is ABSENT else _outermost(before, pointer)
        old, new = value_at(before, place), value_at(after, place)
        if old == new and type(old) is type(new):
            continue
        operation: dict[str, Any] = {"op": "remove" if new is ABSENT else "add" if old is ABSENT else "replace"}
        operation["path"] = place
        if new is not ABSENT:
            operation["value"] = new
        if operation not in out:
            out.append(operation)
    return out


def _outermost(tool: Any, pointer: str) -> str:
    """The first missing place on the way to a pointer, or the pointer itself."""
    tokens = pointer_tokens(pointer)
    for length in range(1, len(tokens) + 1):
        place = join_pointer("", *tokens[:length])
        if value_at(tool, place) is ABSENT:
            return place
    return pointer
