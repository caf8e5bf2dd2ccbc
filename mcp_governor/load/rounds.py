"""One round of requests by several senders: the closed loop and the open loop."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import TYPE_CHECKING, Protocol

from mcp_governor.load.model import TIME_OUTS, Sample

if TYPE_CHECKING:
    from collections.abc import Sequence

HOPELESS = 100
"""Connections in a row that fail before a point is given up, or as many as there are clients if that is more: a server
that is gone does not have to refuse thousands."""

UNFINISHED = "unfinished"
"""Kind of failure of requests that were under way, or overdue, when the round was stopped."""

_NO_CONNECTION = frozenset({"refused", "no-connection", "connect-timeout", "tls"})


class Sender(Protocol):
    """Sends one request after the other.

    Attributes:
        is_lost: it can send no other request.
        retry_after: seconds that the last response asked to wait; ``None`` if it asked for none.
    """

    is_lost: bool
    retry_after: float | None

    async def send(self) -> tuple[str | None, float]:
        """Send a request and wait for its end: the kind of failure, ``None`` if it was good, and when it came."""

    def drop(self) -> None:
        """What is under way is given up."""


class Round:
    """Sends requests until there are enough of them.

    Args:
        total: requests.
        rate: requests per second of the open loop; ``None`` for the closed one.

    Attributes:
        began, ended: seconds of ``time.perf_counter``.
    """

    def __init__(self, total: int, rate: float | None) -> None:
        self._total = total
        self._rate = rate
        self._sent = 0
        self._lost_in_a_row = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._latencies: list[float] = []
        self._expired: list[float] = []
        self._errors: Counter[str] = Counter()
        self._retry_after: float | None = None
        self._stopped: str | None = None
        self.began = self.ended = 0.0

    @property
    def is_over(self) -> bool:
        """All requests were sent, or no more are to be."""
        return self._sent >= self._total or self._stopped is not None

    def sample(self) -> Sample:
        """What was measured until now; latencies count from the moment at which a request was due."""
        return Sample(
            sorted(self._latencies),
            dict(sorted(self._errors.items())),
            self.ended - self.began,
            self._stopped,
            expired_ms=sorted(self._expired),
            retry_after_s=self._retry_after,
        )

    def begin(self) -> None:
        """The measurement begins now."""
        self.began = self.ended = time.perf_counter()

    async def run(self, senders: Sequence[Sender], seconds: float) -> None:
        """Send all requests and wait for their responses, at most so many seconds."""
        end = asyncio.get_running_loop().call_later(seconds, self.stop, "the time was over")
        self.begin()
        try:
            async with asyncio.TaskGroup() as group:
                self._tasks = {group.create_task(self.work(sender)) for sender in senders}
        finally:
            end.cancel()

    def stop(self, why: str) -> None:
        """Send no more, and drop what is under way."""
        if self._stopped is not None or len(self._latencies) + self._errors.total() >= self._total:
            return
        self._stopped = why
        if self._rate is not None and self.began:
            due = int((time.perf_counter() - self.began) * self._rate) + 1
            overdue = min(self._total, due) - self._sent
            if overdue > 0:
                self._errors[UNFINISHED] += overdue
        for task in self._tasks:
            task.cancel()

    async def work(self, sender: Sender) -> None:
        """Send by one sender, as long as it can and there are requests left."""
        while not self.is_over and not sender.is_lost:
            due = time.perf_counter()
            if self._rate is not None:
                due = self.began + self._sent / self._rate
            self._sent += 1
            if self._rate is not None:
                await asyncio.sleep(due - time.perf_counter())
            try:
                failure, now = await sender.send()
            except asyncio.CancelledError:
                self._errors[UNFINISHED] += 1
                sender.drop()
                raise
            self._took(failure, now, due)
            if failure is not None and sender.retry_after is not None:
                self._retry_after = max(self._retry_after or 0.0, sender.retry_after)

    def _took(self, failure: str | None, now: float, due: float) -> None:
        self.ended = max(self.ended, now)
        self._lost_in_a_row = self._lost_in_a_row + 1 if failure in _NO_CONNECTION else 0
        if failure is None:
            self._latencies.append((now - due) * 1000)
            return
        self._errors[failure] += 1
        if failure in TIME_OUTS:
            self._expired.append((now - due) * 1000)
        if self._lost_in_a_row >= max(HOPELESS, len(self._tasks)):
            self.stop(f"{self._lost_in_a_row} connections in a row failed")
