"""The catalogue entry of one kind of change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.change.vocabulary import Event, Side
from mcp_governor.findings import Bump, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence


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


class Example(Struct, frozen=True):
    """Two versions of one fragment that differ by exactly this change.

    Attributes:
        at: ``value`` (the schema of one property ``x``), ``schema`` (a tool's input or output schema), ``tool`` (keys
            of a tool), ``surface`` (keys of a surface), ``result`` (a response to a call) or ``manifest`` (keys of
            server.json).
        old, new: the fragments.
    """

    at: Literal["value", "schema", "tool", "surface", "result", "manifest"]
    old: Any
    new: Any


Sentence = str | tuple[str, ...]
"""A template, or several, of which the first one is used whose placeholders all have values.

``{name}`` is a method of :class:`mcp_governor.change.wording.Words`; ``[is|are]`` is for one tool and for several;
``<is new|is gone|changed>`` is for a value that was added, removed or replaced, and a fourth form is for no value.
"""

KEYWORD = "{what}{of} <is new: {new}|is gone, was {old}|changed from {old} to {new}|changed>"
"""The message of a report about a schema keyword."""


class Kind(Struct, frozen=True):
    """One kind of change.

    Attributes:
        name: its stable name.
        side: the promise that it concerns.
        explanation: its meaning for a client, in one or two sentences.
        verdict, bump: defaults, for the tiers ``facade`` and ``standard``.
        message: the sentence for a report, without a capital at the start or a full stop at the end.
        entry: the sentence for a changelog, with both; empty if that of the report is used.
        event: what happened to the subject of the change.
        thing: the noun for a changed thing with a name (``parameter``); empty if the change provides it.
        what: what was edited, if the place does not say it (``the type``).
        of_types: the values are lists of JSON types.
        reverse: the kind of the opposite edit (added ↔ removed); its own name if it is its own opposite.
        other_side: the kind of the same edit on the other side (input ↔ output).
        unmirrored: why a mirror is missing, if one is.
        example: two fragments; ``None`` if the kind is for undecided comparisons.
        wording: only words or spelling change; reports fold such changes.
        contract: the change affects the contract fingerprint.
    """

    name: str
    side: Side
    explanation: str
    verdict: Verdict
    message: Sentence
    entry: Sentence = ""
    event: Event = Event.CHANGED
    reverse: str | None = None
    other_side: str | None = None
    unmirrored: str = ""
    example: Example | None = None
    given_bump: Bump | None = None
    wording: bool = False
    contract: bool = False
    thing: str = ""
    what: str = ""
    of_types: bool = False

    @property
    def of_calls(self) -> bool:
        """True if it compares two responses to one call instead of two surfaces."""
        return self.example is not None and self.example.at == "result"

    @property
    def bump(self) -> Bump:
        """The version step that the kind requires by default."""
        if self.given_bump is not None:
            return self.given_bump
        return Bump.MINOR if self.verdict is Verdict.COMPATIBLE else Bump.MAJOR


def both_sides(
    name: str,
    output: str,
    explanations: Sequence[str],
    verdicts: tuple[Verdict, Verdict],
    example: Example | None,
    bumps: tuple[Bump | None, Bump | None] = (None, None),
    *,
    reverse: str = "",
    messages: str | tuple[Sentence, Sentence] = KEYWORD,
    entries: Sequence[Sentence],
    **more: Any,
) -> list[Kind]:
    """One edit as an input kind and an output kind; its own opposite without ``reverse``, that of the input kind.

    One message is that of both.
    """
    reports = (messages, messages) if isinstance(messages, str) else messages
    return [
        Kind(
            *(own, side, explanations[at], verdicts[at], reports[at], entries[at]),
            reverse=reverse or name if side is Side.INPUT else None,
            other_side=mirror,
            example=example,
            given_bump=bumps[at],
            thing=("parameter", "field")[at],
            **{"contract": True, **more},
        )
        for at, (own, mirror, side) in enumerate([(name, output, Side.INPUT), (output, name, Side.OUTPUT)])
    ]


def with_opposites(kinds: Sequence[Kind]) -> tuple[Kind, ...]:
    """The kinds, those for an output with their opposite: the mirror of the input kind's."""
    named = {kind.name: kind for kind in kinds}

    def opposite(kind: Kind) -> str | None:
        mirror = named[kind.other_side or ""]
        return named[mirror.reverse or ""].other_side

    return tuple(kind if kind.reverse else replace(kind, reverse=opposite(kind)) for kind in kinds)


def value(old: Any, new: Any) -> Example:
    """An example between two schemas of one property."""
    return Example("value", old, new)
