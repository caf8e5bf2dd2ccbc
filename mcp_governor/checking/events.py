"""The stations of a run, which a terminal shows as progress and tests can observe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

Station = Literal["read", "compare", "policy", "lint", "call", "load"]

Emit = Callable[[Station, str], None]
"""A station begins; the string is the thing that it works on, safe to print."""


def silent(_station: Station, _subject: str) -> None:
    """Ignore all events."""
