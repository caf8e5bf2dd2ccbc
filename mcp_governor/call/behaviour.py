"""The same call, then and now: a changed status, channel, error kind or a field that is gone breaks callers.

Surface governance, "What counts as a breaking change": response shape and behaviour are contract like schemas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.call.response import read_response
from mcp_governor.change.model import Change, Side, Verdict
from mcp_governor.change.registry import required_bump
from mcp_governor.findings import Bump, Tier
from mcp_governor.text import one_line
from mcp_governor.vocabulary import join_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.call.outcome import Outcome

KINDS: Mapping[str, str] = {
    "call-status-changed": "The same call gives another status: callers branch on it.",
    "call-channel-changed": "The same failure comes on another channel: callers look for it elsewhere.",
    "call-error-kind-changed": "The same failure has another kind: callers switch on it.",
    "call-field-removed": "The result of the same call lacks a field that it had.",
    "call-field-type-changed": "A field of the same call's result has another JSON type.",
    "call-field-added": "The result of the same call has a new field.",
}
"""Kinds of behaviour changes, with what each means for a caller."""

_ITEM = "*"


def behaviour_changes(
    recorded: Mapping[str, Any], outcome: Outcome, response: Any, *, tier: Tier = Tier.STANDARD
) -> list[Change]:
    """How a call behaves differently from its recording.

    Args:
        recorded: the recording (:func:`mcp_governor.call.record.recording`).
        outcome: what the call came to now.
        response: the ``tools/call`` result now.
        tier: of the tool, for the version step.

    Returns:
        One change for the status, channel and kind together, the gravest; where they are the same, one per
        field. List items count by what all of them share; an empty list says nothing about its items.
    """
    tool = str(recorded["tool"])
    told = {"status": outcome.status, "channel": outcome.channel.value, "kind": outcome.kind}
    for key, kind in (
        ("status", "call-status-changed"),
        ("channel", "call-channel-changed"),
        ("kind", "call-error-kind-changed"),
    ):
        old, new = recorded.get(key, ""), told[key]
        if key in recorded and old != new:
            was, now = one_line(str(old), 40) or "none", one_line(str(new), 40) or "none"
            message = f'The same call of {one_line(tool, 60)} had the {key} "{was}" and has "{now}" now.'
            return [_breaking(kind, tool, f"/{key}", message, recorded.get("result"), response, tier)]
    then = read_response(recorded.get("result"))
    now_read = read_response(response)
    old_body = then.structured if then.structured is not None else then.envelope
    new_body = now_read.structured if now_read.structured is not None else now_read.envelope
    return list(_fields(tool, "/structuredContent", old_body, new_body, tier))


def _fields(tool: str, path: str, old: Any, new: Any, tier: Tier) -> Iterator[Change]:
    if old is None or new is None or _masked(old):
        return
    if _type(old) != _type(new):
        message = f"The field {one_line(path, 100)} was {_type(old)} and is {_type(new)} now."
        yield _breaking("call-field-type-changed", tool, path, message, old, new, tier)
    elif isinstance(old, dict):
        yield from _members(tool, path, old, new, tier)
    elif isinstance(old, list) and old and new:
        here = join_pointer(path, _ITEM)
        if all(isinstance(item, dict) for item in [*old, *new]):
            # Only what every item had was promised; what any item has is still there.
            yield from _members(tool, here, _shared(old), _union(new), tier, known=_union(old))
        else:
            yield from _fields(tool, here, old[0], new[0], tier)


def _members(
    tool: str, path: str, old: dict[str, Any], new: dict[str, Any], tier: Tier, known: dict[str, Any] | None = None
) -> Iterator[Change]:
    for key in sorted(old.keys() | new.keys()):
        here = join_pointer(path, key)
        if key not in new:
            message = f"The result of the same call lacks the field {one_line(here, 100)}."
            yield _breaking("call-field-removed", tool, here, message, old[key], None, tier)
        elif key in old:
            yield from _fields(tool, here, old[key], new[key], tier)
        elif known is None or key not in known:
            message = f"The result of the same call has the new field {one_line(here, 100)}."
            bump = Bump.NONE if tier is Tier.INTERNAL else Bump.MINOR
            yield Change(
                "call-field-added", tool, here, Side.OUTPUT, Verdict.COMPATIBLE, message, bump, tier, new=new[key]
            )


def _shared(items: list[dict[str, Any]]) -> dict[str, Any]:
    """The members that all items have, as the first has them."""
    return {key: value for key, value in items[0].items() if all(key in item for item in items)}


def _union(items: list[dict[str, Any]]) -> dict[str, Any]:
    """The members that any item has, as the first of those has them."""
    out: dict[str, Any] = {}
    for item in items:
        out = {**item, **out}
    return out


def _masked(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("[masked:")


def _type(value: Any) -> str:
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    names: tuple[tuple[type, str], ...] = ((str, "a string"), (dict, "an object"), (list, "a list"))
    return next((name for kind, name in names if isinstance(value, kind)), "null")


def _breaking(kind: str, tool: str, path: str, message: str, old: Any, new: Any, tier: Tier) -> Change:
    bump = required_bump(Verdict.BREAKING, kind, tier)
    return Change(kind, tool, path, Side.OUTPUT, Verdict.BREAKING, message, bump, tier, old=old, new=new)
