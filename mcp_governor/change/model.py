"""One difference between two surfaces."""

from __future__ import annotations

from typing import Any

from mcp_governor.change.terms import Level, Side, Verdict
from mcp_governor.findings import Bump, Tier, value_hash
from mcp_governor.frozen import frozen


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
        old, new: the values before and after at ``path``; only meaningful where ``has_old``, ``has_new``.
        has_old, has_new: distinguish a missing value from the value ``null``.
        witness: a JSON value that proves the break; only meaningful where ``has_witness``. It is a statement about
            schemas, not about what the server does: for an input, a whole arguments object that was valid before
            and is invalid now; for an output, a result that is possible now and never was.
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
    has_old: bool = False
    has_new: bool = False
    witness: Any = None
    has_witness: bool = False
    reason: str = ""

    @property
    def id(self) -> str:
        """``kind:tool:pointer:hash``: stable under rewording, tied to the values before and after."""
        return f"{self.kind}:{self.tool or '-'}:{self.path or '/'}:{value_hash([self.old, self.new])}"

    @property
    def wording(self) -> bool:
        """Whether it changes only words or spelling, and nothing that a client relies on."""
        from mcp_governor.change.registry import catalogue

        known = catalogue().get(self.kind)  # changes of a registry manifest are not in the catalogue
        return self.verdict is Verdict.COMPATIBLE and known is not None and known.wording

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
            "wording": self.wording,
            "message": self.message,
        }
        if self.has_old:
            out["old"] = self.old
        if self.has_new:
            out["new"] = self.new
        if self.has_witness:
            out["witness"] = self.witness
        if self.reason:
            out["reason"] = self.reason
        return out
