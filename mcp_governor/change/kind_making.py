"""Constructors for kinds of changes outside schemas: a single edit, or a removal with its addition."""

from __future__ import annotations

from typing import Any, Literal

from mcp_governor.change.kind_model import Example, Kind, Sentence
from mcp_governor.change.vocabulary import Event, Side, Verdict
from mcp_governor.findings import Bump

BREAKING, COMPATIBLE, UNKNOWN = Verdict.BREAKING, Verdict.COMPATIBLE, Verdict.UNKNOWN
NO_SIDES = "It is part of neither calls nor results, so there is no other side."
_At = Literal["tool", "surface", "result", "manifest"]


def kind(
    name: str,
    verdict: Verdict,
    explanation: str,
    reverse: str,
    example: tuple[dict[str, Any], dict[str, Any]],
    message: Sentence,
    entry: Sentence = "",
    event: Event = Event.CHANGED,
    *,
    at: _At = "surface",
    side: Side = Side.SURFACE,
    unmirrored: str = NO_SIDES,
    **more: Any,
) -> Kind:
    """A kind without a mirror; ``more`` are attributes of :class:`Kind`."""
    return Kind(
        *(name, side, explanation, verdict, message, entry, event, reverse, None, unmirrored),
        example=Example(at, *example),
        **more,
    )


def there_and_back(
    removed: str,
    added: str,
    explanations: tuple[str, str],
    with_it: dict[str, Any],
    without: dict[str, Any],
    messages: tuple[Sentence, Sentence] = ("{thing} is gone", "{thing} is new"),
    entries: tuple[Sentence, Sentence] = ("", ""),
    events: tuple[Event, Event] = (Event.REMOVED, Event.ARRIVED),
    **more: Any,
) -> list[Kind]:
    """The removal of a thing, and its addition."""
    return [
        kind(removed, BREAKING, explanations[0], added, (with_it, without), messages[0], entries[0], events[0], **more),
        kind(
            added, COMPATIBLE, explanations[1], removed, (without, with_it), messages[1], entries[1], events[1], **more
        ),
    ]


def patch(
    name: str,
    explanation: str,
    old: dict[str, Any],
    new: dict[str, Any],
    message: Sentence,
    entry: Sentence = "",
    *,
    at: _At = "tool",
    **more: Any,
) -> Kind:
    """A change that breaks nobody and requires a patch release; it is its own mirror."""
    return kind(name, COMPATIBLE, explanation, name, (old, new), message, entry, at=at, given_bump=Bump.PATCH, **more)


CHANGED = (Event.CHANGED, Event.CHANGED)
