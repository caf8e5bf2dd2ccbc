"""Reads and writes a store. Every method is one transaction: a run that is killed loses nothing that was kept."""

from __future__ import annotations

import hashlib
import zlib
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from mcp_governor._version import __version__
from mcp_governor.errors import FileFormatError, UsageError
from mcp_governor.store.address import Address, engine_of, refuse_folder, said
from mcp_governor.store.model import Fact, Planned, Run
from mcp_governor.store.tables import FACTS, RUNS, SURFACES, exclude, prepare

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection, Select

FRESH = timedelta(hours=12)
"""A run without a name goes on if something of it is younger: a nightly run never takes the rows of last night."""

MAX_TEXT_BYTES = 512 * 1024 * 1024
"""Largest text of a surface in bytes; a recording that is read has fewer."""

_BATCH = 500
"""Rows that are written or read at a time."""

_KNOWN = (
    "outcome",
    "why",
    "server",
    "label",
    "version",
    "target",
    "fingerprint",
    "tools",
    "tokens",
    "row",
    "surface",
    "read_at",
)
"""Columns that are filled in when a server is read."""


class Store:
    """A store that is open.

    Args:
        address: where it is; a SQLite file is created.

    Raises:
        UsageError: it cannot be opened, or is of a newer version.
        FileFormatError: it is something else.
        UnreachableError: PostgreSQL does not answer.
    """

    def __init__(self, address: Address) -> None:
        refuse_folder(address)
        self.address = address
        self._engine = engine_of(address)
        with self.writing() as connection:
            exclude(connection)
            prepare(connection, address.shown)

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction that writes."""
        with (
            said(self.address, "written"),
            self._engine.connect().execution_options(writes=True) as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with said(self.address, "read"), self._engine.connect() as connection:
            yield connection

    def begin(self, key: str, head: str, planned: Sequence[Planned], *, name: str = "") -> Run:
        """Begin a run, or go on with the one that it was begun as.

        Args:
            key: what makes two runs one: a digest of the list and the settings.
            head: what is common to its servers, as JSON.
            planned: its servers; those that the run has already keep what is known of them, if their job is the same.
            name: of the run; a run with a name goes on however old it is.

        Raises:
            UsageError: the run with this name has another key, or the store cannot be written.
        """
        with self.writing() as connection:
            exclude(connection)
            number = self._unfinished(connection, key, name)
            if number is None:
                values = {"key": key, "name": name, "governor": __version__, "head": head, "begun": _now()}
                number = connection.execute(insert(RUNS).values(values).returning(RUNS.c.id)).scalar_one()
            connection.execute(update(RUNS).where(RUNS.c.id == number).values(head=head, ended=None))
            _plan(connection, number, planned)
            return _run(connection, select(RUNS).where(RUNS.c.id == number))

    def _unfinished(self, connection: Connection, key: str, name: str) -> int | None:
        """The run to go on with."""
        latest = select(RUNS).order_by(RUNS.c.id.desc()).limit(1)
        if name:
            found = connection.execute(latest.where(RUNS.c.name == name)).one_or_none()
            if found is not None and found.key != key:
                raise UsageError(
                    f"The run {name} of {self.address.shown} is of another list, other settings or another version.",
                    "Give this run another --run NAME.",
                )
            return found.id if found is not None else None
        found = connection.execute(latest.where(RUNS.c.key == key, RUNS.c.name == "")).one_or_none()
        if found is None or found.ended is not None:
            return None
        last = connection.execute(select(func.max(FACTS.c.read_at)).where(FACTS.c.run == found.id)).scalar()
        return found.id if (last or found.begun) > _now(-FRESH) else None

    def keep(self, run: int, fact: Fact, text: str | None, *, same_as: str = "") -> None:
        """Write what became of a server; if somebody has done so before, that counts.

        Args:
            run: number of the run.
            fact: what became of it.
            text: of its surface.
            same_as: member of the run that has the same surface, in place of the text.

        Raises:
            UsageError: the store takes no more.
        """
        values = {name: getattr(fact, name) for name in _KNOWN} | {"read_at": _now(), "surface": None}
        with self.writing() as connection:
            if text is not None:
                values["surface"] = self._put(connection, text)
            elif same_as:
                twin = select(FACTS.c.surface).where(FACTS.c.run == run, FACTS.c.member == same_as)
                values["surface"] = connection.execute(twin).scalar()
            open_ = (FACTS.c.run == run) & (FACTS.c.member == fact.member) & FACTS.c.outcome.is_(None)
            connection.execute(update(FACTS).where(open_).values(values))

    def _put(self, connection: Connection, text: str) -> str:
        """Store the text of a surface under its digest, once."""
        data = text.encode()
        digest = hashlib.sha256(data).hexdigest()
        if connection.execute(select(SURFACES.c.digest).where(SURFACES.c.digest == digest)).scalar() is None:
            dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
            # Another writer may have been faster.
            put = dialect.insert(SURFACES).on_conflict_do_nothing()
            connection.execute(put, {"digest": digest, "text": zlib.compress(data)})
        return digest

    def end(self, run: int) -> None:
        """Say that a run is over, if all of its servers are read."""
        over = ~select(FACTS.c.run).where(FACTS.c.run == run, FACTS.c.outcome.is_(None)).exists()
        with self.writing() as connection:
            connection.execute(update(RUNS).where(RUNS.c.id == run, over).values(ended=_now()))

    def run(self, name: str = "") -> Run | None:
        """The run with this name, or the last one of all; ``None`` if there is none."""
        wanted = select(RUNS).order_by(RUNS.c.id.desc()).limit(1)
        with self._reading() as connection:
            wanted = wanted.where(RUNS.c.name == name) if name else wanted
            return _run(connection, wanted) if connection.execute(wanted).one_or_none() is not None else None

    def pending(self, run: int) -> set[str]:
        """The members of a run that are not read yet."""
        with self._reading() as connection:
            wanted = select(FACTS.c.member).where(FACTS.c.run == run, FACTS.c.outcome.is_(None))
            return set(connection.execute(wanted).scalars())

    def facts(self, run: int) -> Iterator[tuple[Planned, Fact | None]]:
        """The servers of a run in their order, with what is known of each."""
        with self._reading() as connection:
            wanted = select(FACTS).where(FACTS.c.run == run).order_by(FACTS.c.place, FACTS.c.member)
            for row in connection.execution_options(yield_per=_BATCH).execute(wanted):
                yield Planned(row.member, row.name, row.job), _fact(row)

    def job(self, run: int, member: str) -> tuple[Planned, str] | None:
        """What is to be done with a server, and the head of its run; ``None`` if it is done, or not of this run."""
        wanted = select(FACTS.c.name, FACTS.c.job, RUNS.c.head).join(RUNS, RUNS.c.id == FACTS.c.run)
        wanted = wanted.where(FACTS.c.run == run, FACTS.c.member == member, FACTS.c.outcome.is_(None))
        with self._reading() as connection:
            row = connection.execute(wanted).one_or_none()
        return None if row is None else (Planned(member, row.name, row.job), row.head)

    def surface(self, digest: str) -> str | None:
        """The text of a surface; ``None`` if there is none with this digest."""
        with self._reading() as connection:
            data = connection.execute(select(SURFACES.c.text).where(SURFACES.c.digest == digest)).scalar()
        return None if data is None else text_of(data)

    def table(self, wanted: Select[Any]) -> Iterator[list[dict[str, Any]]]:
        """The rows of a query in batches, for an export."""
        with self._reading() as connection:
            for rows in connection.execution_options(yield_per=_BATCH).execute(wanted).mappings().partitions():
                yield [dict(row) for row in rows]


def text_of(data: bytes) -> str:
    """The text of a surface as it is stored.

    Raises:
        FileFormatError: it is none, or is larger than a recording may be.
    """
    inflate = zlib.decompressobj()
    try:
        text = inflate.decompress(data, MAX_TEXT_BYTES).decode()
        if inflate.eof:
            return text
    except (zlib.error, UnicodeDecodeError):
        pass
    raise FileFormatError("The store has a surface that cannot be read.", "Another program wrote it, or it is damaged.")


def _plan(connection: Connection, run: int, planned: Sequence[Planned]) -> None:
    """The servers of a run: new ones are added, and those with another job are to be read again."""
    jobs = select(FACTS.c.member, FACTS.c.job).where(FACTS.c.run == run)
    known = {row.member: row.job for row in connection.execute(jobs)}
    fresh = [
        {"run": run, "member": one.member, "place": place, "name": one.name, "job": one.job}
        for place, one in enumerate(planned)
        if one.member not in known
    ]
    moved = [{"b_member": one.member, "b_job": one.job} for one in planned if known.get(one.member, one.job) != one.job]
    for at in range(0, len(fresh), _BATCH):
        connection.execute(insert(FACTS), fresh[at : at + _BATCH])
    if moved:
        forgotten = update(FACTS).where(FACTS.c.run == run, FACTS.c.member == bindparam("b_member"))
        connection.execute(forgotten.values(job=bindparam("b_job"), **dict.fromkeys(_KNOWN)), moved)


def _fact(row: Any) -> Fact | None:
    if row.outcome is None:
        return None
    return Fact(member=row.member, name=row.name, **{name: getattr(row, name) for name in _KNOWN})


def _run(connection: Connection, wanted: Select[Any]) -> Run:
    row = connection.execute(wanted).one()
    total = connection.execute(select(func.count()).where(FACTS.c.run == row.id)).scalar_one()
    return Run(row.id, row.name, row.head, row.begun, row.ended, total, _done(connection, row.id))


def _done(connection: Connection, run: int) -> int:
    counted = select(func.count()).where(FACTS.c.run == run, FACTS.c.outcome.is_not(None))
    return int(connection.execute(counted).scalar_one())


def _now(later: timedelta = timedelta()) -> str:
    """The time in UTC; as text it sorts as a time does."""
    return (datetime.now(UTC) + later).isoformat(timespec="milliseconds")
