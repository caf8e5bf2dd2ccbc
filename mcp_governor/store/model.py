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
