"""Compare a call with its recording: a changed status, channel or error kind, or a missing field, breaks callers.

Surface governance, "What counts as a breaking change": response shape and behaviour are contract, as schemas are.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.call.cases import shown_arguments
from mcp_governor.call.masking import mask
from mcp_governor.call.outcome import read_response
from mcp_governor.change.facts import Facts
from mcp_governor.change.making import make
from mcp_governor.change.vocabulary import MISSING
from mcp_governor.findings import Tier
from mcp_governor.schemas.pointers import join_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.call.outcome import Outcome
    from mcp_governor.change.model import Change

_ITEM = "*"
_MAX_WITNESS_LENGTH = 4_000
"""Longest witness, in characters of JSON: about a screen. A change with a longer witness is reported without it."""


def behaviour_changes(
    recorded: Mapping[str, Any],
    outcome: Outcome,
    response: Any,
    *,
    tier: Tier = Tier.STANDARD,
) -> list[Change]:
    """Differences between a call and its recording.

    Args:
        recorded: the recording (:func:`mcp_governor.call.record.recording`).
        outcome: the outcome of the call now.
        response: the ``tools/call`` result now.
        tier: tier of the tool, for the version step.

    Returns:
        If status, channel or error kind differ, the first of these changes only; otherwise one change per field.
        The items of a list are compared by the members that all of them have; an empty list says nothing about its
        items. The witness is both results, masked as in a recording. The identity of a change contains nothing that
        differs from run to run.
    """
    comparison = _Comparison(str(recorded["tool"]), shown_arguments(recorded.get("arguments", {})), tier)
    current = {"status": outcome.status, "channel": outcome.channel.value, "kind": outcome.kind}
    for key, new in current.items():
        old = recorded.get(key, "")
        if key in recorded and old != new:
            kind = "error-kind" if key == "kind" else key
            return [comparison.change(f"call-{kind}-changed", f"/{key}", old, new, (recorded.get("result"), response))]
    # Mask the response as the recording was masked, because keys can be volatile too.
    then, now = read_response(recorded.get("result")), read_response(mask(response))
    bodies = (each.structured if each.structured is not None else each.envelope for each in (then, now))
    return list(_fields(comparison, "/structuredContent", *bodies))


class _Comparison(Struct, frozen=True):
    """What all changes of one call share."""

    tool: str
    arguments: str
    tier: Tier

    def change(self, kind: str, path: str, old: Any, new: Any, both: tuple[Any, Any]) -> Change:
        witness = dict(zip(("then", "now"), map(mask, both), strict=True))
        return make(
            kind,
            self.tool,
            path,
            tier=self.tier,
            old=MISSING if old is None else old,
            new=MISSING if new is None else new,
            facts=Facts(detail=self.arguments),
            witness=witness if _length(witness) <= _MAX_WITNESS_LENGTH else MISSING,
        )


def _fields(comparison: _Comparison, path: str, old: Any, new: Any) -> Iterator[Change]:
    if old is None or new is None or (isinstance(old, str) and old.startswith("[masked:")):
        return
    was, now = _type(old), _type(new)
    if was != now:
        yield comparison.change("call-field-type-changed", path, was, now, (old, new))
    elif isinstance(old, dict):
        yield from _members(comparison, path, old, new)
    elif isinstance(old, list) and old and new:
        here = join_pointer(path, _ITEM)
        if all(isinstance(item, dict) for item in [*old, *new]):
            # A member was promised only if every item had it, and is gone only if no item has it.
            yield from _members(comparison, here, _shared(old), _union(new), known=_union(old))
        else:
            yield from _fields(comparison, here, old[0], new[0])


def _members(
    comparison: _Comparison, path: str, old: dict[str, Any], new: dict[str, Any], known: dict[str, Any] | None = None
) -> Iterator[Change]:
    for key in sorted(old.keys() | new.keys()):
        here = join_pointer(path, key)
        if key not in new:
            yield comparison.change("call-field-removed", here, _type(old[key]), None, (old, new))
        elif key in old:
            yield from _fields(comparison, here, old[key], new[key])
        elif known is None or key not in known:
            yield comparison.change("call-field-added", here, None, _type(new[key]), (old, new))


def _shared(items: list[dict[str, Any]]) -> dict[str, Any]:
    """The members that all items have, with the values of the first item."""
    return {key: value for key, value in items[0].items() if all(key in item for item in items)}


def _union(items: list[dict[str, Any]]) -> dict[str, Any]:
    """The members that at least one item has, with the value of the first such item."""
    out: dict[str, Any] = {}
    for item in items:
        out = {**item, **out}
    return out


def _type(value: Any) -> str:
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    names: tuple[tuple[type, str], ...] = ((str, "a string"), (dict, "an object"), (list, "a list"))
    return next((name for kind, name in names if isinstance(value, kind)), "null")


def _length(value: Any) -> int:
    try:
        return len(json.dumps(value, ensure_ascii=False))
    except (ValueError, RecursionError):
        return _MAX_WITNESS_LENGTH + 1
