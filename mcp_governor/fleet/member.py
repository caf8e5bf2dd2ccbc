"""One member of a fleet, and the job that a process gets for it."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from typing import Any

from msgspec import Struct, field

from mcp_governor.fleet.model import Work  # noqa: TC001 - msgspec reads the types

MAX_MEMBERS = 20_000
"""Most servers of a fleet, twice the public registry of today; a longer list is refused."""


class Member(Struct, frozen=True):
    """One server of a fleet.

    Attributes:
        name: its name in the list, unique there.
        target: a TARGET, absolute; empty for a server of the configuration.
        refused: why it is not read, if it cannot be.
        server: of which server it is a variant; empty for none.
        label: name of the variant.
        variant: settings of the variant, as JSON.
        with_: package that is installed with it.
        stranger: nobody here chose it, so it is not given a token.
    """

    name: str
    target: str = ""
    refused: str = ""
    server: str = ""
    label: str = ""
    variant: Mapping[str, Any] = field(default_factory=dict)
    with_: str = ""
    stranger: bool = False


class Job(Struct, frozen=True, omit_defaults=True):
    """What to do with one member.

    Attributes:
        name: of the member.
        work: what to do.
        target: a TARGET; empty for a server of the configuration.
        server, label, variant, with_, stranger: see :class:`Member`.
        refused: why it is not read.
        config: path of the configuration file; empty for none.
        root: folder of the configuration, if it has no file.
        settings: fields of the configuration, as the run has them.
        seconds: timeout from the command line, which replaces those of the configuration; ``None`` for none.
        trust: rules in Python run.
        surface: path of its recording; read by ``check``, written by ``snapshot``.
        page: path of the page about it; empty for none.
        today: the date at which acceptances and deprecations are judged.
        keeps: the answer has the text of the surface, for a store.
    """

    name: str
    work: Work
    target: str = ""
    server: str = ""
    label: str = ""
    variant: dict[str, Any] = {}
    with_: str = ""
    stranger: bool = False
    refused: str = ""
    config: str = ""
    root: str = ""
    settings: dict[str, Any] = {}
    seconds: float | None = None
    trust: bool = False
    surface: str = ""
    page: str = ""
    today: str = ""
    keeps: bool = False
