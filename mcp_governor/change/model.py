"""One difference between two surfaces."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from mcp_governor.findings import Bump, Tier, value_hash
from mcp_governor.frozen import frozen


class Side(StrEnum):
    """Which promise a change touches: what callers send, what they get, or the list itself."""

    INPUT = "input"
    OUTPUT = "output"
    SURFACE = "surface"


class Verdict(StrEnum):
    """What a change does to a client that worked yesterday."""

    BREAKING = "breaking"
    COMPATIBLE = "compatible"
    UNKNOWN = "unknown"


class Level(StrEnum):
    """How schemas are read: as people mean them, or as pure sets of instances (DESIGN section 5, change)."""

    DECLARED = "declared"
    STRICT = "strict"


@frozen
class Change:
    """One difference, with its direction, its place and its verdict.

    Attributes:
        kind: a name of the change catalogue (``argument-required``, …).
        tool: the tool's name (the old one for a rename), ``None`` for surface-level changes.
        path: JSON pointer into the tool (``/inputSchema/properties/q``), following ``$ref`` to where the edit
            is; pointer into the surface document where ``tool`` is ``None``.
        side, verdict, level: see the enums.
        tier: tier of the tool whose promise is at stake (the old one's, the new one's for an addition).
        bump: the smallest version step that this change needs, for its tier.
        message: one sentence, safe to show.
        old, new: the values before and after at ``path``, ``None`` where there was none.
        witness: a JSON value that proves the break; only meaningful where ``has_witness``. For an input it is a whole
            arguments object that the old surface accepted and the new one refuses; for an output a result that the
            new surface may send and the old one ruled out.
        has_witness: tells a missing witness from the witness ``null``.
        reason: for ``unknown``: what stopped the decision.
    """

    kind: str
    tool: str | None
    path: str
    side: Side
    verdict: Verdict
    message: str
    bump: Bump
    tier: Tier = Tier.STANDARD
    level: Level = Level.DECLARED
    old: Any = None
    new: Any = None
    witness: Any = None
    has_witness: bool = False
    reason: str = ""

    @property
    def id(self) -> str:
        """``kind:tool:pointer:hash``: stable under rewording, tied to the values before and after."""
        return f"{self.kind}:{self.tool or '-'}:{self.path or '/'}:{value_hash([self.old, self.new])}"

    def as_json(self) -> dict[str, Any]:
        """The change as `mcp-governor/report-1` writes it."""
        out: dict[str, Any] = {
            "id": self.id,
            "kind": self.kind,
            "tool": self.tool,
            "path": self.path,
            "side": self.side.value,
            "verdict": self.verdict.value,
            "level": self.level.value,
            "tier": self.tier.value,
            "bump": self.bump.value,
            "message": self.message,
        }
        if self.has_witness:
            out["witness"] = self.witness
        if self.reason:
            out["reason"] = self.reason
        return out
