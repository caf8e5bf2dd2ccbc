"""What the catalogue says of one kind of change."""

from __future__ import annotations

from typing import Any, Literal

from mcp_governor.change.terms import Event, Side, Verdict
from mcp_governor.findings import Bump
from mcp_governor.frozen import frozen


@frozen
class Example:
    """Two versions of one fragment between which there is exactly this change.

    Attributes:
        at: ``value`` (the schema of one property ``x``), ``schema`` (a tool's input or output schema),
            ``tool`` (keys of a tool), ``surface`` (keys of a surface), ``result`` (an answer to a call) or
            ``manifest`` (keys of server.json).
        old, new: the fragments.
    """

    at: Literal["value", "schema", "tool", "surface", "result", "manifest"]
    old: Any
    new: Any


Sentence = str | tuple[str, ...]
"""A template, or several, of which the first one counts that a change has all words for.

``{name}`` is a word of :class:`mcp_governor.change.wording.Words`; ``[is|are]`` is for one tool and for several;
``<is new|is gone|changed>`` is for a value that came, went or became another, and a fourth form for what has no value.
"""


@frozen
class Kind:
    """One kind of change.

    Attributes:
        name: its stable name.
        side: which promise it touches.
        explanation: what it means for a client, one or two sentences.
        verdict, bump: by default, for the tiers ``facade`` and ``standard``.
        message: the sentence of a report, with neither a capital first nor a full stop last.
        entry: the sentence of a changelog, with both; empty where that of the report serves.
        event: what happened to the thing that the change is about.
        thing: the noun for what has a name and changed (``argument``); empty where the change itself knows.
        what: what was edited, where the place does not say it (``the type``).
        of_types: the values are lists of JSON types.
        reverse: the kind of the opposite edit (added ↔ removed); its own name where it is its own opposite.
        other_side: the kind of the same edit on the other side (input ↔ output).
        unmirrored: why a mirror is missing, where one is.
        example: two fragments, ``None`` where the kind stands for what could not be decided.
        wording: only words or spelling change; reports fold such changes.
        contract: the change moves the contract fingerprint.
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
        """True if it is between two answers to one call, not between two surfaces."""
        return self.example is not None and self.example.at == "result"

    @property
    def bump(self) -> Bump:
        """The version step that the kind needs by default."""
        if self.given_bump is not None:
            return self.given_bump
        return Bump.MINOR if self.verdict is Verdict.COMPATIBLE else Bump.MAJOR


def both_sides(
    name: str,
    output: str,
    explanations: tuple[str, str],
    verdicts: tuple[Verdict, Verdict],
    reverse: str,
    output_reverse: str,
    example: Example,
    bumps: tuple[Bump | None, Bump | None] = (None, None),
    *,
    messages: tuple[Sentence, Sentence],
    entries: tuple[Sentence, Sentence],
    event: Event = Event.CHANGED,
    what: str = "",
    wording: bool = False,
    contract: bool = True,
) -> list[Kind]:
    """One edit as an input kind and an output kind."""
    return [
        Kind(
            *(
                own,
                side,
                explanations[at],
                verdicts[at],
                messages[at],
                entries[at],
                event,
                opposite,
                mirror,
                "",
                example,
            ),
            *(bumps[at], wording, contract),
            thing=("argument", "field")[at],
            what=what,
        )
        for at, (own, mirror, side, opposite) in enumerate(
            [(name, output, Side.INPUT, reverse), (output, name, Side.OUTPUT, output_reverse)]
        )
    ]


def value(old: Any, new: Any) -> Example:
    """An example between two schemas of one property."""
    return Example("value", old, new)
