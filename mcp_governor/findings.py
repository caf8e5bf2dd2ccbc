"""Types that every station uses: severities, bumps, and the finding itself."""

from __future__ import annotations

import hashlib
import json
from enum import StrEnum
from typing import Any, Literal

from msgspec import Struct

from mcp_governor.lazy import lazy_pattern


class Severity(StrEnum):
    """How much a finding matters. ``error`` is for structural contradictions and broken promises."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for info, 1 for warning, 2 for error."""
        return 2 - list(Severity).index(self)

    def at_least(self, other: Severity) -> bool:
        """True if this severity is at least as high as ``other``."""
        return self.rank >= other.rank


class Bump(StrEnum):
    """The step between two semantic versions, ordered by :attr:`rank`."""

    NONE = "none"
    PATCH = "patch"
    MINOR = "minor"
    MAJOR = "major"

    @property
    def rank(self) -> int:
        """0 for none up to 3 for major."""
        return list(Bump).index(self)

    @staticmethod
    def highest(bumps: list[Bump]) -> Bump:
        """The largest of ``bumps``; ``none`` for an empty list."""
        return max(bumps, key=lambda bump: bump.rank, default=Bump.NONE)


class Verdict(StrEnum):
    """The effect of a change on a client that worked before."""

    BREAKING = "breaking"
    COMPATIBLE = "compatible"
    UNKNOWN = "unknown"


class Tier(StrEnum):
    """The promised stability of a tool, most stable first."""

    FACADE = "facade"
    STANDARD = "standard"
    ADVANCED = "advanced"
    INTERNAL = "internal"

    @property
    def rank(self) -> int:
        """3 for facade down to 0 for internal; a move to a lower rank is a demotion."""
        return 3 - list(Tier).index(self)


class Effect(StrEnum):
    """The intended effect of a correction on the values that a schema accepts."""

    WIDER = "wider"
    """It accepts all previous values, and more."""
    NARROWER = "narrower"
    """It rejects some of the previous values."""
    NEUTRAL = "neutral"
    """It accepts the same values."""


class Edit(Struct, frozen=True):
    """One change to the JSON of a tool.

    Attributes:
        path: JSON pointer, relative to the tool.
        value: the member to set, or the item to add or drop; not used by ``remove``.
        op: ``set`` a member, creating the objects on the way to it; ``remove`` a member; ``add`` an item at the end of
            a list, or ``drop`` each item that equals the value.
        tool: the tool's name; ``None`` for the tool of the finding.
    """

    path: str
    value: Any = None
    op: Literal["set", "remove", "add", "drop"] = "set"
    tool: str | None = None


class Correction(Struct, frozen=True):
    """The edits that fix a finding.

    Attributes:
        edits: of one tool or, for a finding about the surface, of several.
        effect: their intended effect on the schema.
    """

    edits: tuple[Edit, ...]
    effect: Effect


_LINE_NUMBER = lazy_pattern(r":\d+$")


def value_hash(value: Any) -> str:
    """Eight hex digits of the hash of a JSON value, which tie an acceptance to the value instead of the wording."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


class Spot(Struct, frozen=True):
    """One of the places that a finding about a whole server is about.

    Attributes:
        tool: Its tool; null for the instructions, a prompt or a resource.
        path: JSON pointer into the tool or, without one, into the surface.
    """

    tool: str | None
    path: str


MAX_SPOTS = 1_000
"""Maximum number of places listed with a finding: nobody reads more, and the message has their number."""


class Finding(Struct, frozen=True, eq=False):
    """The result of a rule, a change or a policy at one place.

    Attributes:
        rule: ``pack/kebab-name``.
        severity: the configured one (which may differ from the rule's default).
        tool: the tool's name, or ``None`` for the surface, the changelog or a file.
        path: JSON pointer, relative to the tool (``/inputSchema/properties/q``); without a tool, relative to the
            surface document (``/prompts/NAME``, ``/instructions``), or ``FILE:LINE`` in a file.
        message: one sentence that says what is wrong.
        fix: what to write instead; may be empty.
        value: the JSON value in question; only its hash leaves this object (see :attr:`id`).
        accepted: the reason from the configuration if the finding is accepted.
        cause: the message for all findings with this cause, with ``{tools}`` for the names of their tools; empty if the
            message is the only one. Reports merge findings of a rule with the same cause.
        correction: the edits that fix the finding, if they need no decision by a person.
        spots: the places, for a finding about a whole server; the message names the first of them.
        gist: what this one adds to a sentence about several findings with the same cause.
        weight: of the findings with the same cause, the heaviest are named first.
        order: of the rule, among findings of equal severity: reports name smaller ones first.
    """

    rule: str
    severity: Severity
    message: str
    tool: str | None = None
    path: str = ""
    fix: str = ""
    value: Any = None
    accepted: str | None = None
    cause: str = ""
    correction: Correction | None = None
    spots: tuple[Spot, ...] = ()
    weight: int = 0
    order: int = 0
    gist: str = ""

    def _shown(self) -> tuple[Any, ...]:
        """By what findings differ; the value in question may be a secret, and is not shown."""
        return self.rule, self.severity, self.message, self.tool, self.path, self.fix, self.accepted

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Finding) and self._shown() == other._shown()

    def __hash__(self) -> int:
        return hash(self._shown())

    def __repr__(self) -> str:
        return f"Finding{self._shown()!r}"

    @property
    def id(self) -> str:
        """``rule:tool:pointer:hash``: independent of the wording of the message and, in a file, of lines that are
        added or removed above (it does not include the line number)."""
        place = self.path if self.path.startswith("/") else _LINE_NUMBER.sub("", self.path)
        return f"{self.rule}:{self.tool or '-'}:{place or '/'}:{value_hash(self.value)}"
