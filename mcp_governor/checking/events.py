"""Events during a run, which a terminal shows as progress and tests can observe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from mcp_governor.frozen import frozen

Station = Literal["read", "compare", "policy", "changelog", "lint", "call", "load"]


@frozen
class Started:
    """A station begins; ``subject`` is the thing it works on, safe to print."""

    station: Station
    subject: str = ""


@frozen
class Finished:
    """A station is done; ``count`` is the number of results."""

    station: Station
    count: int = 0


Event = Started | Finished
Emit = Callable[[Event], None]


def silent(_: Event) -> None:
    """Ignore all events."""
