"""What work on a stranger's schemas may cost: seconds and parts, per tool and per run, counted where it is done.

A published schema of 5 KB can say as much as one of 5 GB. So whatever loops over schemas spends from a budget, and
what lies beyond it is unknown, with the reason; it is never taken for "no change".
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp_governor.change.options import ChangeOptions

MOST_WORK = 20_000_000
"""Schema parts that may be visited, rendered or named for one tool: more than a minute of work, and a bound that does
not depend on the machine. Two schemas with 20,000 properties, each of them edited, need 2,000,000."""
MOST_RENDERED = 1_000_000
"""Schema parts of one question. Rendered, they take about 200 MB; 20,000 properties are 80,000 parts."""
MOST_KEPT = 500_000
"""Values and members that the changes of one run may carry (``old``, ``new``, ``witness``): about 100 MB. 20,000
properties that are gone, and as many that are new, are 120,000."""
_TOOL = (1.0, 1.5)
"""How many times its seconds a tool may ask questions, and take until the edits that are left are named, each as
unknown. One sum that names 20,000 edits says more than a comparison that stopped."""
_RUN = (0.8, 1.0)
"""The same of a run: its seconds are all that it takes, whatever its tools have left to name."""
_LOOK_AFTER = 100
"""Parts after which the clock is looked at: about a millisecond."""


class OverBudgetError(Exception):
    """The budget is used up; ``str()`` is the reason, a clause."""


class Budget:
    """What one comparison may still cost.

    Args:
        seconds: of computing; on a machine that is busy with other work it may take twice as long by the clock on
            the wall. So the answer hangs less on what else runs there.
        reason: why it stopped, when its seconds are over.
        work: what :meth:`spend` may count.
        within: the budget of the run that this one is part of.
        shares: of the seconds, those for questions, and those until what is left is named.
    """

    def __init__(
        self,
        seconds: float,
        reason: str,
        *,
        work: int = MOST_WORK,
        within: Budget | None = None,
        shares: tuple[float, float] = _TOOL,
    ) -> None:
        self._start = _computing()
        self._wall = time.monotonic()
        self._asking, self._naming = (seconds * share for share in shares)
        self._reason = reason
        self._within = within
        self._most = self._work = work
        self._unlooked = 0
        self._kept = MOST_KEPT

    @classmethod
    def of_run(cls, options: ChangeOptions) -> Budget:
        """The budget of one comparison of two surfaces."""
        seconds = options.run_deadline
        return cls(seconds, f"the comparison stopped after {seconds:g} s; raise policy.run-deadline", shares=_RUN)

    def of_tool(self, name: str, options: ChangeOptions) -> Budget:
        """The budget of one tool.

        Args:
            name: the tool, safe to show.
            options: how many seconds it has.
        """
        seconds = options.tool_deadline
        reason = f"the comparison of `{name}` stopped after {seconds:g} s; raise policy.tool-deadline"
        return Budget(seconds, reason, within=self)

    def spend(self, work: int = 1) -> None:
        """Count work that is about to be done.

        Raises:
            OverBudgetError: there is nothing left.
        """
        self._work -= work
        if self._work < 0:
            raise OverBudgetError(f"its schemas are too large: more than {self._most:,} parts to compare")
        self._unlooked += work
        if self._unlooked >= _LOOK_AFTER:
            self.check()

    def check(self) -> None:
        """Look at the clock.

        Raises:
            OverBudgetError: the seconds are over, and those to name what is left.
        """
        self._unlooked = 0
        reason = self.over(naming=True)
        if reason:
            raise OverBudgetError(reason)

    def check_run(self) -> None:
        """Look at the clock of the run, before anything is done for one of its tools.

        Raises:
            OverBudgetError: nothing is left to name what changed in this one.
        """
        if self._within is not None:
            self._within.check()

    def over(self, *, naming: bool = False) -> str:
        """Why the seconds are over, here or for the run; empty while they last.

        Args:
            naming: those to name what is left, and not those for questions.
        """
        spent = max(_computing() - self._start, (time.monotonic() - self._wall) / 2)
        if spent > (self._naming if naming else self._asking):
            return self._reason
        return self._within.over(naming=naming) if self._within is not None else ""

    def keep(self, parts: int) -> None:
        """Count values that the changes of the run carry.

        Raises:
            OverBudgetError: they carry too much.
        """
        if self._within is not None:
            self._within.keep(parts)
            return
        if parts > self._kept:
            raise OverBudgetError(f"its changes are too large: more than {MOST_KEPT:,} values")
        self._kept -= parts


def _computing() -> float:
    """Seconds that this process and the child which it asks have computed, as far as is known."""
    worker = sys.modules.get("mcp_governor.containment.worker")
    return time.process_time() + (worker.WORKER.computed if worker is not None else 0.0)
