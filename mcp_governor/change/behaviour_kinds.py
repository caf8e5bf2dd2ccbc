"""Kinds of changes between two runs of one call: the previous response, and the current one.

:mod:`mcp_governor.call.record` detects them. They are defined here so that a client that reads a change can look up
its meaning in one catalogue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change.kind_model import BREAKING, COMPATIBLE, kind
from mcp_governor.change.vocabulary import Event, Side, Verdict

if TYPE_CHECKING:
    from mcp_governor.change.kind_model import Kind


def _of_answers(
    name: str,
    verdict: Verdict,
    explanation: str,
    example: tuple[dict[str, Any], dict[str, Any]],
    what_happened: str,
    reverse: str = "",
    event: Event = Event.CHANGED,
) -> Kind:
    return kind(
        *(name, verdict, explanation, reverse or name, example),
        f"The recorded call of {{call}} {what_happened}.",
        event=event,
        at="result",
        side=Side.OUTPUT,
        unmirrored="Both runs send the same arguments.",
    )


def _answer(**fields: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": "See the structured content."}], "structuredContent": fields}


_FAILED = {"content": [{"type": "text", "text": "There is no such name."}], "isError": True}

BEHAVIOUR_KINDS: tuple[Kind, ...] = (
    _of_answers(
        "call-status-changed",
        BREAKING,
        "The same call has a different status: callers branch on it.",
        (_answer(hits=1), _FAILED),
        "had the {what} {old} and now has {new}",
    ),
    _of_answers(
        "call-channel-changed",
        BREAKING,
        "The same failure is reported through another channel: callers look for it elsewhere.",
        (_FAILED, {"error": {"code": -32602, "message": "There is no such name."}}),
        "had the {what} {old} and now has {new}",
    ),
    _of_answers(
        "call-error-kind-changed",
        BREAKING,
        "The same failure has a different kind: callers switch on it.",
        (
            {**_FAILED, "structuredContent": {"kind": "unknown_name"}},
            {**_FAILED, "structuredContent": {"kind": "gone"}},
        ),
        "had the {what} {old} and now has {new}",
    ),
    _of_answers(
        "call-field-removed",
        BREAKING,
        "The result of the same call lacks a field that it had.",
        (_answer(hits=1, page=1), _answer(hits=1)),
        "returned the field {path} and no longer does",
        "call-field-added",
    ),
    _of_answers(
        "call-field-added",
        COMPATIBLE,
        "The result of the same call has a new field.",
        (_answer(hits=1), _answer(hits=1, page=1)),
        "returns the new field {path}",
        "call-field-removed",
        Event.EXTENDED,
    ),
    _of_answers(
        "call-field-type-changed",
        BREAKING,
        "A field of the same call's result has a different JSON type.",
        (_answer(hits=1), _answer(hits="1")),
        "returned {path} as {was} and now returns {now}",
    ),
)
"""All kinds; each example consists of two responses to one call."""
