"""The budget for work on a stranger's schemas: seconds and schema parts, per tool and per run.

A published schema of 5 KB can express as much as one of 5 GB. So every loop over schemas spends from a budget. What
exceeds it is unknown, with the reason, and never counts as "no change".
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp_governor.change.options import ChangeOptions

MAX_WORK = 20_000_000
"""Maximum number of schema parts visited, rendered or named for one tool: more than a minute of work, and a bound that
does not depend on the machine. Two schemas with 20,000 properties, each of them edited, need 2,000,000."""
MAX_RENDERED = 1_000_000
"""Maximum number of schema parts in one question. Rendered, they take about 200 MB; 20,000 properties are 80,000
parts."""
MAX_KEPT = 500_000
"""Maximum number of values and members in the changes of one run (``old``, ``new``, ``witness``): about 100 MB. 20,000
removed properties and as many new ones are 120,000."""
_TOOL = (1.0, 1.5)
"""Factors of a tool's seconds: until when it may ask questions, and until when it may list the remaining edits as
unknown. One result that lists 20,000 edits is more useful than a comparison that stopped."""
_RUN = (0.8, 1.0)
"""The same for a run: it never takes longer than its seconds, whatever its tools still have to list."""
_LOOK_AFTER = 100
"""Number of parts between two looks at the clock: about a millisecond."""


class OverBudgetError(Exception):
    """The budget is used up; ``str()`` is the reason, as a clause."""


class Budget:
    """The remaining budget of a comparison.

    Args:
        seconds: computing time. On a busy machine it may take twice as long in wall-clock time, so that the result
            depends less on what else runs there.
        reason: why it stopped, when its seconds are used up.
        work: maximum for :meth:`spend`.
        within: the budget of the run, for that of a tool.
        shares: factors of the seconds: for questions, and until the remaining edits are listed.
    """

    def __init__(
        self,
        seconds: float,
        reason: str,
        *,
        work: int = MAX_WORK,
        within: Budget | None = None,
        shares: tuple[float, float] = _TOOL,
    ) -> None:
        self._start = _computing_seconds()
        self._wall = time.monotonic()
        self._asking, self._naming = (seconds * share for share in shares)
        self._reason = reason
        self._within = within
        self._most = self._work = work
        self._unlooked = 0
        self._kept = MAX_KEPT

    @classmethod
    def of_run(cls, options: ChangeOptions) -> Budget:
        """The budget of one comparison of two surfaces."""
        seconds = options.run_deadline
        return cls(seconds, f"the comparison stopped after {seconds:g} s; raise policy.run-deadline", shares=_RUN)

    def of_tool(self, name: str, options: ChangeOptions) -> Budget:
        """The budget of one tool.

        Args:
            name: the tool, safe to print.
            options: contain its number of seconds.
        """
        seconds = options.tool_deadline
        reason = f"the comparison of `{name}` stopped after {seconds:g} s; raise policy.tool-deadline"
        return Budget(seconds, reason, within=self)

    def spend(self, work: int = 1) -> None:
        """Count work before it is done.

        Raises:
            OverBudgetError: the budget is used up.
        """
        self._work -= work
        if self._work < 0:
            raise OverBudgetError(f"its schemas are too large: more than {self._most:,} parts to compare")
        self._unlooked += work
        if self._unlooked >= _LOOK_AFTER:
            self.check()

    def check(self) -> None:
        """Check the clock.

        Raises:
            OverBudgetError: the seconds are used up, including those for listing the remaining edits.
        """
        self._unlooked = 0
        reason = self.over(naming=True)
        if reason:
            raise OverBudgetError(reason)

    def check_run(self) -> None:
        """Check the clock of the run, before any work on one of its tools.

        Raises:
            OverBudgetError: there is no time left to list the changes of this tool.
        """
        if self._within is not None:
            self._within.check()

    def over(self, *, naming: bool = False) -> str:
        """The reason why the seconds are used up, here or for the run; empty if they are not.

        Args:
            naming: check the seconds for listing the remaining edits instead of those for questions.
        """
        spent = max(_computing_seconds() - self._start, (time.monotonic() - self._wall) / 2)
        if spent > (self._naming if naming else self._asking):
            return self._reason
        return self._within.over(naming=naming) if self._within is not None else ""

    def keep(self, parts: int) -> None:
        """Count values that the changes of the run contain.

        Raises:
            OverBudgetError: there are too many.
        """
        if self._within is not None:
            self._within.keep(parts)
            return
        if parts > self._kept:
            raise OverBudgetError(f"its changes are too large: more than {MAX_KEPT:,} values")
        self._kept -= parts


def _computing_seconds() -> float:
    """Computing time in seconds of this process and its child process, as far as known."""
    worker = sys.modules.get("mcp_governor.containment.worker")
    return time.process_time() + (worker.WORKER.computed if worker is not None else 0.0)
