"""The answer to a containment question."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct


class Containment(Struct, frozen=True):
    """The answer to the question if ``outer`` accepts every instance that ``inner`` accepts.

    Attributes:
        verdict: ``yes`` is proved, ``no`` is witnessed or proved, and ``unknown`` has a ``reason``.
        witness: an instance that ``inner`` accepts and ``outer`` refuses, confirmed by two validators; valid only if
            ``has_witness``.
        has_witness: distinguishes the witness ``null`` from a missing witness.
        reason: one clause for ``unknown``.
    """

    verdict: Literal["yes", "no", "unknown"]
    witness: Any = None
    has_witness: bool = False
    reason: str = ""
