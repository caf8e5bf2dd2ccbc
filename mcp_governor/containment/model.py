"""The answer to a containment question."""

from __future__ import annotations

from typing import Any, Literal

from mcp_governor.frozen import frozen


@frozen
class Containment:
    """Whether ``outer`` accepts every instance that ``inner`` accepts.

    Attributes:
        verdict: ``yes`` is proved, ``no`` is witnessed or proved, ``unknown`` says in ``reason`` what stopped
            it.
        witness: an instance that ``inner`` accepts and ``outer`` refuses, confirmed by two validators; only
            meaningful where ``has_witness``.
        has_witness: tells a missing witness from the witness ``null``.
        reason: for ``unknown``, one clause.
    """

    verdict: Literal["yes", "no", "unknown"]
    witness: Any = None
    has_witness: bool = False
    reason: str = ""
