"""What the user asks of a run, which no configuration changes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field

if TYPE_CHECKING:
    from mcp_governor.surface import Surface

Station = Literal["read", "compare", "policy", "lint", "call", "load"]

Emit = Callable[[Station, str], None]
"""A station begins; the string is the thing that it works on, safe to print."""


def silent(_station: Station, _subject: str) -> None:
    """Ignore all events."""


class Asked(Struct, frozen=True, eq=False):
    """What was typed, or passed to :func:`mcp_governor.check`.

    Attributes:
        target: the TARGET; ``None`` for the one of the configuration.
        surface: what is checked instead of a target, already read.
        command: a stdio server to start instead of a target.
        against: the TARGET to compare with; ``None`` for the configured baseline.
        offline: the recorded surface is checked, and nothing is started.
        release: version and changelog are checked as those of a release, whatever ``policy.gate`` says.
        only_breaking: only breaking changes are looked for, without calls.
        calls: make the calls that the configuration asks for; if false, no statement is made about responses.
        places: find the lines of a recorded file for the report.
        base: the ref of the base branch of a pull request; empty for none.
        approval, approved: as for :class:`mcp_governor.checking.against.base_branch.Base`.
        config_typed: the configuration file was typed.
        options: names of the settings that were typed.
        emit: receives the events of the run.
        today: the date at which acceptances are evaluated.
    """

    target: str | None = None
    surface: Surface | None = None
    command: tuple[str, ...] = ()
    against: str | None = None
    offline: bool = False
    release: bool = False
    only_breaking: bool = False
    calls: bool = True
    places: bool = False
    base: str = ""
    approval: str = ""
    approved: frozenset[str] = frozenset()
    config_typed: bool = False
    options: frozenset[str] = frozenset()
    emit: Emit = silent
    today: date = field(default_factory=date.today)
