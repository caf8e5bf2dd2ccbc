"""Events during a run, which a terminal shows as progress and tests can observe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

Station = Literal["read", "compare", "policy", "changelog", "lint", "call", "load"]


class Started(Struct, frozen=True):
    """A station begins; ``subject`` is the thing it works on, safe to print."""

    station: Station
    subject: str = ""


class Finished(Struct, frozen=True):
    """A station is done; ``count`` is the number of results."""

    station: Station
    count: int = 0


Event = Started | Finished
Emit = Callable[[Event], None]


def silent(_: Event) -> None:
    """Ignore all events."""
