"""What a run reports while it runs, so that a terminal can show progress and a test can listen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from mcp_governor.frozen import frozen

Station = Literal["read", "compare", "policy", "changelog", "lint", "call"]


@frozen
class Started:
    """A station begins; ``subject`` names what it works on, safe to show."""

    station: Station
    subject: str = ""


@frozen
class Finished:
    """A station is done; ``count`` is how much it found."""

    station: Station
    count: int = 0


Event = Started | Finished
Emit = Callable[[Event], None]


def silent(_: Event) -> None:
    """Listens to nothing."""
