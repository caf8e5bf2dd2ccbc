"""What is in a store: runs, the servers that each is about, and what became of them."""

from __future__ import annotations

from msgspec import Struct


class Planned(Struct, frozen=True):
    """A server that a run is about.

    Attributes:
        member: its key in the run, safe as the name of a file.
        name: its name, safe to print.
        job: what is to be done, as JSON; a row that was kept for another job does not count.
    """

    member: str
    name: str
    job: str


class Fact(Struct, frozen=True, kw_only=True):
    """What became of one server of a run.

    Attributes:
        member, name: see :class:`Planned`.
        server, label: of which server it is a variant, and which one.
        version: that the server states.
        target: how it was reached.
        outcome, why: what became of it, and the reason if it was not reached.
        fingerprint: of its surface.
        tools, tokens: how many.
        row: its row in the report, as JSON.
        surface: digest of the text of its surface; ``None`` if it was not reached.
        read_at: when, in UTC; the store fills it in.
    """

    member: str
    name: str
    server: str | None = None
    label: str | None = None
    version: str | None = None
    target: str = ""
    outcome: str
    why: str | None = None
    fingerprint: str | None = None
    tools: int = 0
    tokens: int = 0
    row: str
    surface: str | None = None
    read_at: str = ""


class Run(Struct, frozen=True):
    """A run over many servers.

    Attributes:
        id: its number in the store.
        name: that the user gave it; empty for none.
        head: what is common to its servers, as JSON.
        begun, ended: when, in UTC; it has not ended while a server is not read yet.
        total, done: servers, and how many of them are read.
    """

    id: int
    name: str
    head: str
    begun: str
    ended: str | None
    total: int
    done: int
