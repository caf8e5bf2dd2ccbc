"""A run over a fleet in a store: which rows it has, and what is common to them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from mcp_governor._version import __version__
from mcp_governor.errors import FileFormatError
from mcp_governor.fleet.members import file_name
from mcp_governor.fleet.model import Head, Row
from mcp_governor.fleet.portable import Digests, Portable, as_text, portable
from mcp_governor.store.model import Fact, Planned
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.fleet.member import Job
    from mcp_governor.store.store import Store


class Kept:
    """One run in a store.

    Args:
        store: the store.
        head: what is common to its servers.
        jobs: all jobs of the run, in the order of the list.
        name: of the run; empty for none.

    Attributes:
        store: the store.
        run: what the store knew of it before.
        jobs: what the store has of each job, by the name of its server.
        rows: rows that are there already, by the name of their server.

    Raises:
        UsageError: the run of this name is another one, or the store cannot be written.
    """

    def __init__(self, store: Store, head: Head, jobs: Sequence[Job], name: str = "") -> None:
        self.store = store
        digests, here = Digests(), Path.cwd().resolve()
        self._members = {self.member(job.name): job.name for job in jobs}
        self.jobs: dict[str, Portable] = {job.name: portable(job, here, digests) for job in jobs}
        planned = [
            Planned(member, one_line(job.name, 100), as_text(self.jobs[job.name]))
            for member, job in zip(self._members, jobs, strict=True)
        ]
        self.run = store.begin(_key(head), as_text(head), planned, name=name)
        self.rows: dict[str, Row] = {}
        for name, row in self.fresh():
            self.rows[name] = row

    @staticmethod
    def member(name: str) -> str:
        """The key of a server in the store."""
        return file_name(name)

    def fresh(self) -> Iterator[tuple[str, Row]]:
        """The rows in the store that are not among :attr:`rows`."""
        for planned, fact in self.store.facts(self.run.id):
            name = self._members.get(planned.member)
            if fact is not None and name is not None and name not in self.rows:
                yield name, row_of(fact.row)

    def keep(self, name: str, row: Row, text: str | None) -> None:
        """Write one row.

        Args:
            name: of the server in the list.
            row: about it.
            text: of its surface.

        Raises:
            UsageError: the store takes no more.
        """
        self.store.keep(self.run.id, fact_of(self.member(name), row), text)

    def keep_twin(self, name: str, row: Row, twin: str) -> None:
        """Write the row of a recording that is the same as another one's."""
        self.store.keep(self.run.id, fact_of(self.member(name), row), None, same_as=self.member(twin))

    def complete(self) -> None:
        """Say that the run is over, if it is."""
        self.store.end(self.run.id)

    @property
    def words(self) -> str:
        """One line for people about a run that goes on; empty for one that begins."""
        if not self.run.done:
            return ""
        begun = self.run.begun[:16].replace("T", " ")
        return f"goes on with the run of {begun} UTC: {self.run.done:,} of {self.run.total:,} servers are read already"


def fact_of(member: str, row: Row) -> Fact:
    """What a store keeps of a row."""
    return Fact(
        member=member,
        name=row.name,
        server=row.server,
        label=row.label,
        version=row.version,
        target=row.target,
        outcome=row.outcome,
        why=row.why,
        fingerprint=row.fingerprint,
        tools=len(row.tools),
        tokens=row.tokens,
        # In its order, because the report does not depend on where its rows come from.
        row=as_text(row, sort_keys=False),
    )


def row_of(text: str) -> Row:
    """A row from a store.

    Raises:
        FileFormatError: it is none.
    """
    try:
        return msgspec.convert(json.loads(text), Row)
    except (ValueError, RecursionError):
        raise FileFormatError("The store has a row that cannot be read.", "It was made by another program.") from None


def head_of(text: str) -> Head:
    """What is common to the servers of a run.

    Raises:
        FileFormatError: it cannot be read.
    """
    try:
        return msgspec.convert(json.loads(text), Head)
    except (ValueError, RecursionError):
        raise FileFormatError(
            "The store has a run that cannot be read.", "It was made by another version of mcp-governor."
        ) from None


def _key(head: Head) -> str:
    """What makes two runs one: this version, the list and the settings, not the date and what only the report shows."""
    plain = replace(head, today="", left_out={}, least=0.0, differences=False)
    return hashlib.sha256(__version__.encode() + as_text(plain).encode()).hexdigest()
