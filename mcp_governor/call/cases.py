"""One call: what it is for, what it is made with, and how messages name it."""

from __future__ import annotations

from dataclasses import field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from mcp_governor.frozen import frozen
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.call.sandbox import Sandbox

NOT_SELECTED = "not selected"
UNSAID = "its annotations do not say that it only reads"
WRITES = "not read-only by its hints"
DESTRUCTIVE = "destructive, and not allowed by name"
"""Why a tool is left alone that the settings do not name."""


class Purpose(StrEnum):
    """What a call is for."""

    CONFIGURED = "configured"
    RECORDED = "recorded"
    REQUIRED = "required"
    FULL = "full"
    MISSING = "missing"
    UNKNOWN = "unknown"
    TYPE = "type"
    BOUND = "bound"
    LENGTH = "length"
    ENUM = "enum"
    PATTERN = "pattern"
    ITEMS = "items"
    UNKNOWN_TOOL = "unknown-tool"
    FOLLOW = "follow"


GOOD = frozenset({Purpose.CONFIGURED, Purpose.RECORDED, Purpose.REQUIRED, Purpose.FULL})
"""What is called with arguments that should come to something."""
GENERATED = frozenset({Purpose.REQUIRED, Purpose.FULL})
"""Good calls whose arguments the run makes, and makes better as it learns."""


@frozen
class Case:
    """One call.

    Attributes:
        tool: name of the tool.
        arguments: what it is called with.
        purpose: what for.
        detail: where the arguments are wrong, safe to show.
        valid: whether the input schema accepts the arguments, read as people read it.
        open: the arguments hold an undeclared name that the schema neither forbids nor invites, so either
            answer is in order.
        status: expected status of a configured call, empty where none was told.
        kind: expected error kind of a configured call, empty where none was told.
        recorded: the recording that this call repeats, ``None`` otherwise.
        portable: the arguments with placeholders for what differs from run to run (paths of the sandbox, today),
            for messages, identities and recordings; ``None`` where nothing does.
        attempt: how many good calls of the same purpose failed before this one.
    """

    tool: str
    arguments: Mapping[str, Any]
    purpose: Purpose
    detail: str = ""
    valid: bool = True
    open: bool = False
    status: str = ""
    kind: str = ""
    recorded: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    portable: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    attempt: int = 0

    @property
    def said(self) -> Mapping[str, Any]:
        """The arguments as messages and recordings say them."""
        return self.arguments if self.portable is None else self.portable

    @property
    def good(self) -> bool:
        """Whether this call should come to something: made for that, with arguments that the schema accepts."""
        return self.valid and self.purpose in GOOD

    @property
    def is_generated(self) -> bool:
        """Whether the run made the arguments of this good call."""
        return self.purpose in GENERATED

    @property
    def label(self) -> str:
        """How messages name the call, safe to show."""
        words = {
            Purpose.CONFIGURED: "configured call",
            Purpose.RECORDED: "recorded call",
            Purpose.REQUIRED: "required arguments",
            Purpose.FULL: "all arguments",
            Purpose.MISSING: "missing argument",
            Purpose.UNKNOWN: "unknown argument",
            Purpose.UNKNOWN_TOOL: "unknown tool",
            Purpose.FOLLOW: "suggested recovery",
        }
        return " ".join(filter(None, (words.get(self.purpose, f"wrong {self.purpose.value}:"), self.detail)))


@frozen
class Skipped:
    """A tool or a call that was left alone, and why."""

    tool: str
    reason: str
    case: Case | None = None


def with_portable(case: Case, sandbox: Sandbox) -> Case:
    """The call with its arguments as messages and recordings say them."""
    portable = sandbox.portable(dict(case.arguments))
    return case if portable == case.arguments else replace(case, portable=portable)


def shown_arguments(arguments: Mapping[str, Any]) -> str:
    """Arguments for a message, shortened and safe to show."""
    return one_line(", ".join(f"{key}={value!r}" for key, value in arguments.items()), 60)
