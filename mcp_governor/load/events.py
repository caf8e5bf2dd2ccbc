"""What a sweep does at the moment, for a line of progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct


class Doing(Struct, frozen=True):
    """A step of a sweep begins.

    Attributes:
        step: ``connect``, ``ceiling`` (the client alone) or ``point``.
        concurrency: requests in flight; 0 for ``connect``.
        number, of: which of the points this is.
        target: what is measured, safe to print.
    """

    step: Literal["connect", "ceiling", "point"]
    concurrency: int = 0
    number: int = 0
    of: int = 0
    target: str = ""


Emit = Callable[[Doing], None]


def silent(_: Doing) -> None:
    """Ignore all events."""
