"""When the next request may be sent: limits per provider, waits between attempts, and the money that is left."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

FIRST_WAIT = 1.0
"""Seconds before the second attempt, as the official SDKs wait (0.5 to 1 s); doubled for each further attempt."""

LONGEST_WAIT = 60.0
"""Maximum number of seconds between two attempts if the provider names no time: limits count by the minute."""

_LEAST_JITTER = 0.5
"""Factor of the shortest wait: half of the waits are spread, so that requests that failed together part."""

CENTS = 1e-9
"""Dollars by which sums of prices may be off because of rounding; a token of the cheapest model costs more."""


class Clock:
    """The time, which tests replace."""

    def now(self) -> float:
        """Seconds since any fixed moment."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        import anyio

        await anyio.sleep(seconds)


def wait_before(attempt: int, retry_after: float | None, random: Random) -> float:
    """The wait before another attempt, in seconds.

    Args:
        attempt: number of attempts so far, from 1.
        retry_after: what the provider asks for; never waited for less.
        random: source of the jitter.
    """
    wait: float = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1))
    wait *= _LEAST_JITTER + (1 - _LEAST_JITTER) * random.random()
    # Everybody was asked to come back at that time, so some of the jitter is added to it.
    return retry_after + min(wait, FIRST_WAIT) if retry_after else wait


class Pacer:
    """The rate of one provider's requests, and its pauses.

    Args:
        clock: the time.
        per_minute: maximum number of requests in a minute, evenly spread; ``None`` for no limit.
    """

    def __init__(self, clock: Clock, per_minute: float | None = None) -> None:
        self._clock = clock
        self._step = 60 / per_minute if per_minute else 0.0
        self._next = clock.now()

    def pause(self, seconds: float) -> None:
        """No request of this provider starts within this time."""
        self._next = max(self._next, self._clock.now() + seconds)

    def take(self) -> float:
        """Take the next place; seconds to wait for it."""
        now = self._clock.now()
        place = max(self._next, now)
        self._next = place + self._step
        return place - now


class Purse:
    """The money of an evaluation: what was spent, and what running requests may cost at most.

    Args:
        limit: dollars; ``None`` for no limit.
    """

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self.spent = 0.0
        self.reserved = 0.0

    def reserve(self, most: float) -> bool:
        """Set aside what a request may cost; false if the limit could be exceeded."""
        if self.limit is not None and self.spent + self.reserved + most > self.limit + CENTS:
            return False
        self.reserved += most
        return True

    def settle(self, reserved: float, cost: float) -> None:
        """A request is over: it cost so much of what was set aside for it."""
        self.reserved -= reserved
        self.spent += cost

    @property
    def is_waiting(self) -> bool:
        """Requests are running that may cost less than was set aside."""
        return self.reserved > CENTS
