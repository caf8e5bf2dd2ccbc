"""What the catalogue says of one kind of change."""

from __future__ import annotations

from typing import Any, Literal

from mcp_governor.change.terms import Side, Verdict
from mcp_governor.findings import Bump
from mcp_governor.frozen import frozen


@frozen
class Example:
    """Two versions of one fragment between which there is exactly this change.

    Attributes:
        at: ``value`` (the schema of one property ``x``), ``schema`` (a tool's input or output schema),
            ``tool`` (keys of a tool), ``surface`` (keys of a surface) or ``result`` (an answer to a call).
        old, new: the fragments.
    """

    at: Literal["value", "schema", "tool", "surface", "result"]
    old: Any
    new: Any


@frozen
class Kind:
    """One kind of change.

    Attributes:
        name: its stable name.
        side: which promise it touches.
        explanation: what it means for a client, one or two sentences.
        verdict, bump: by default, for the tiers ``facade`` and ``standard``.
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
    reverse: str | None = None
    other_side: str | None = None
    unmirrored: str = ""
    example: Example | None = None
    given_bump: Bump | None = None
    wording: bool = False
    contract: bool = False

    @property
    def bump(self) -> Bump:
        """The version step that the kind needs by default."""
        if self.given_bump is not None:
            return self.given_bump
        return Bump.MINOR if self.verdict is Verdict.COMPATIBLE else Bump.MAJOR
