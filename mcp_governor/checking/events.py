"""What a run tells while it runs, so that a terminal can show progress and a test can listen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Station = Literal["read", "compare", "policy", "changelog", "lint", "call"]


@dataclass(frozen=True, slots=True)
class Started:
    """A station begins; ``subject`` names what it works on, safe to show."""

    station: Station
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """A station is done; ``count`` is how much it found."""

    station: Station
    count: int = 0


Event = Started | Finished
Emit = Callable[[Event], None]


def silent(_: Event) -> None:
    """Listens to nothing."""
