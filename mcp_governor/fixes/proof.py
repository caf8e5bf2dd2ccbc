"""The effect of a fix on the values that a schema accepts, from the containment engine."""

from __future__ import annotations

import copy
import json
import time
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from mcp_governor.containment import contains
from mcp_governor.findings import Edit
from mcp_governor.fixes.editing import ABSENT, apply, value_at
from mcp_governor.schemas.pointers import pointer_tokens
from mcp_governor.subjects.context import SIDES
from mcp_governor.subjects.schemas import alone, is_self_contained
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.fixes.editing import Fragment

_SECONDS = 1.0
"""Time limit for one question. Most take a millisecond."""
_BUDGET = 20.0
"""Time limit in seconds for all questions about a plan; beyond it the answer is *unknown*."""


ProofVerdict = Literal["same", "wider", "accepts-all", "narrower", "unknown", "no-schema"]

_TURNING = frozenset({"$defs", "contains", "definitions", "dependentSchemas", "if", "not", "oneOf"})
"""Keywords below which a schema that accepts more may make the whole accept less, so that the whole is asked about."""


class Proof(Struct, frozen=True):
    """The effect of a fix.

    Attributes:
        verdict: ``same``: accepts the same values. ``wider``: accepts all previous values, and more. ``accepts-all``:
            accepts all previous values, and perhaps more. ``narrower``: rejects a value that was accepted. ``unknown``:
            the engine cannot decide. ``no-schema``: the fix is not part of a schema.
        witness: for ``narrower``, a value that was accepted and no longer is; ``ABSENT`` if none is known.
        reason: for ``unknown``, one clause.
    """

    verdict: ProofVerdict
    witness: Any = ABSENT
    reason: str = ""

    @property
    def shown_witness(self) -> str:
        """The witness as JSON on one line, or "some value"."""
        if self.witness is ABSENT:
            return "some value"
        return one_line(json.dumps(self.witness, ensure_ascii=False, default=str), 60)


class Prover:
    """Asks the engine each question once, until the time for all of them is used up."""

    def __init__(self, budget: float = _BUDGET) -> None:
        self._left = budget
        self._known: dict[str, Proof] = {}

    def prove(self, tool: Mapping[str, Any], fragment: Fragment, operations: Sequence[Mapping[str, Any]]) -> Proof:
        """The effect of one fix on its own.

        Args:
            tool: as published.
            fragment: what the operations change.
            operations: of a JSON Patch, with pointers relative to the tool.
        """
        side = pointer_tokens(fragment.pointer)[0] if fragment.pointer else ""
        if side not in SIDES:
            return Proof("no-schema")
        old = tool.get(side)
        edited = copy.deepcopy(dict(tool))
        for one in operations:
            apply(edited, [Edit(one["path"], one.get("value"), "remove" if one["op"] == "remove" else "set")])
        new = edited.get(side)
        before, after = value_at(tool, fragment.pointer), value_at(edited, fragment.pointer)
        question = (old, new)
        positive = _TURNING.isdisjoint(pointer_tokens(fragment.pointer))
        if fragment.whole and positive and ABSENT not in (before, after) and is_self_contained(before, after):
            question = (alone(old, before), alone(new, after))
        key = json.dumps(question, sort_keys=True, default=str)
        if key not in self._known:
            self._known[key] = self._ask(*question)
        return self._known[key]

    def _ask(self, before: Any, after: Any) -> Proof:
        if self._left <= 0:
            return Proof("unknown", reason=f"the {_BUDGET:.0f} seconds for proofs are spent")
        started = time.monotonic()
        answer = contains(after, before, deadline=_SECONDS)
        back = contains(before, after, deadline=_SECONDS) if answer.verdict == "yes" else None
        self._left -= time.monotonic() - started
        if answer.verdict == "no":
            return Proof("narrower", answer.witness if answer.has_witness else ABSENT)
        if back is None:
            return Proof("unknown", reason=answer.reason)
        return Proof("same" if back.verdict == "yes" else "wider" if back.verdict == "no" else "accepts-all")
