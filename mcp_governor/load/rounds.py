"""One round of requests by the clients of one worker: the closed loop and the open loop."""

from __future__ import annotations

import asyncio
import time
from array import array
from collections import Counter, deque
from typing import TYPE_CHECKING

from mcp_governor.load.model import TIME_OUTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.load.client import Client

LOOK = 0.02
"""Seconds between two looks for requests that take too long: a timeout is at most this much late."""

HOPELESS = 100
"""Connections in a row that fail before a point is given up, or as many as there are clients if that is more: a server
that is gone does not have to refuse thousands."""

UNFINISHED = "unfinished"
"""Kind of failure of requests that were under way, or overdue, when the round was stopped."""

_NO_CONNECTION = frozenset({"refused", "no-connection", "connect-timeout", "tls"})


class Round:
    """Sends requests until there are enough of them.

    Args:
        clients: at least one.
        total: requests.
        rate: requests per second of the open loop; ``None`` for the closed one.
        seconds: most seconds.

    Attributes:
        latencies: milliseconds of good responses, from the moment at which the request was due.
        errors: kind of failure → number.
        expired: milliseconds until each request that timed out was given up, from the same moment.
        retry_after: the longest ``Retry-After``, in seconds; ``None`` if there was none.
        began, ended: seconds of ``time.perf_counter``.
        stopped: why fewer requests were sent.
    """

    def __init__(self, clients: Sequence[Client], total: int, rate: float | None, seconds: float) -> None:
        self._clients = clients
        self._left = total
        self._rate = rate
        self._seconds = seconds
        self._free: list[Client] = []
        self._waiting: deque[float] = deque()
        self._sent = 0
        self._busy = 0
        self._lost_in_a_row = 0
        self._over = asyncio.Event()
        self.latencies = array("d")
        self.expired = array("d")
        self.retry_after: float | None = None
        self.errors: Counter[str] = Counter()
        self.began = self.ended = 0.0
        self.stopped: str | None = None

    async def run(self) -> None:
        """Send all requests, and wait for their responses."""
        loop = asyncio.get_running_loop()
        end = loop.call_later(self._seconds, self.stop, "the time was over")
        looking = loop.create_task(self._look())
        self.began = self.ended = time.perf_counter()
        try:
            for client in self._clients:
                client.finished = self._finished
            if self._rate is None:
                for client in self._clients[: self._left]:
                    self._begin(client, time.perf_counter())
            else:
                self._free = list(self._clients)
                self._on_time()
            if self._is_done:
                self._over.set()
            await self._over.wait()
        finally:
            end.cancel()
            looking.cancel()

    def stop(self, why: str) -> None:
        """Send no more, and drop what is under way."""
        if self.stopped is not None or self._over.is_set():
            return
        self.stopped = why
        overdue = len(self._waiting) + self._due_since_last()
        self._left = 0
        self._waiting.clear()
        if overdue:
            self.errors[UNFINISHED] += overdue
        for client in self._clients:
            if client.is_busy:
                client.expire(UNFINISHED)
        self._over.set()

    @property
    def _is_done(self) -> bool:
        return self._left == 0 and self._busy == 0 and not self._waiting

    def _begin(self, client: Client, due: float) -> None:
        self._left -= 1
        self._busy += 1
        client.start(due)

    def _finished(self, client: Client, failure: str | None, now: float) -> None:
        self._busy -= 1
        self.ended = max(self.ended, now)
        if failure is None:
            self.latencies.append((now - client.due) * 1000)
            self._lost_in_a_row = 0
        else:
            self.errors[failure] += 1
            if failure in TIME_OUTS:
                self.expired.append((now - client.due) * 1000)
            elif client.retry_after is not None:
                self.retry_after = max(self.retry_after or 0.0, client.retry_after)
            self._lost_in_a_row = self._lost_in_a_row + 1 if failure in _NO_CONNECTION else 0
            if self._lost_in_a_row >= max(HOPELESS, len(self._clients)):
                self.stop(f"{self._lost_in_a_row} connections in a row failed")
        if self._rate is not None:
            if self._waiting:
                self._busy += 1
                client.start(self._waiting.popleft())
            else:
                self._free.append(client)
        elif self._left:
            self._begin(client, time.perf_counter())
        if self._is_done:
            self._over.set()

    # The open loop.

    def _due(self, number: int) -> float:
        assert self._rate is not None
        return self.began + number / self._rate

    def _due_since_last(self) -> int:
        """Requests of the open loop that are due and were not even counted as waiting."""
        if self._rate is None:
            return 0
        return min(self._left, max(0, int((time.perf_counter() - self.began) * self._rate) + 1 - self._sent))

    def _on_time(self) -> None:
        """Send what is due; if all clients are busy, it waits, and its latency counts from now on."""
        now = time.perf_counter()
        while self._left and (due := self._due(self._sent)) <= now:
            self._sent += 1
            if self._free:
                self._begin(self._free.pop(), due)
            else:
                self._left -= 1
                self._waiting.append(due)
        if self._left:
            asyncio.get_running_loop().call_later(self._due(self._sent) - now, self._on_time)

    async def _look(self) -> None:
        """End requests that take too long."""
        while True:
            await asyncio.sleep(LOOK)
            now = time.perf_counter()
            for client in self._clients:
                if client.is_busy and now - client.began > client.timeout:
                    client.expire("timeout")
