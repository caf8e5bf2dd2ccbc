"""The tables of a store, the same in SQLite and PostgreSQL, and the steps that lead from one version to the next.

A new store is created in its newest version. An older one takes the steps that it lacks when it is opened, all in one
transaction. A store of a newer version is refused, because its tables may mean something else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import (
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    insert,
    inspect,
    select,
    text,
    update,
)

from mcp_governor.errors import FileFormatError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

METADATA = MetaData()

META = Table(
    "mcp_governor_meta", METADATA, Column("key", String(40), primary_key=True), Column("value", Text, nullable=False)
)
"""``version``: of these tables; ``queue``: digest of the tables of the queue, if there is one."""

SURFACES = Table(
    "mcp_governor_surfaces",
    METADATA,
    Column("digest", String(64), primary_key=True),  # SHA-256 of the text
    Column("text", LargeBinary, nullable=False),  # compressed with zlib
)

RUNS = Table(
    "mcp_governor_runs",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("key", String(64), nullable=False, index=True),  # what makes two runs one: the list and the settings
    Column("name", String(100), nullable=False, server_default=""),
    Column("governor", String(40), nullable=False),
    Column("head", Text, nullable=False),
    Column("begun", String(32), nullable=False),
    Column("ended", String(32)),
)

FACTS = Table(
    "mcp_governor_facts",
    METADATA,
    Column("run", ForeignKey("mcp_governor_runs.id"), primary_key=True),
    Column("member", String(200), primary_key=True),
    Column("place", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("job", Text, nullable=False),
    # From here on nothing is known before the server is read.
    Column("outcome", String(20)),
    Column("why", Text),
    Column("server", Text),
    Column("label", Text),
    Column("version", Text),
    Column("target", Text),
    Column("fingerprint", String(80)),
    Column("tools", Integer),
    Column("tokens", Integer),
    Column("row", Text),
    Column("surface", ForeignKey("mcp_governor_surfaces.digest"), index=True),
    Column("read_at", String(32)),
    Index("mcp_governor_facts_open", "run", "outcome"),
)

STEPS: tuple[Callable[[Connection], None], ...] = ()
"""The first leads from version 1 to 2, and so on; each also changes the tables above."""


def version() -> int:
    """The version of the tables above."""
    return 1 + len(STEPS)


def prepare(connection: Connection, shown: str) -> None:
    """Create the tables, or bring them to this version.

    Args:
        connection: in a transaction that excludes all others that do the same.
        shown: the store, safe to print.

    Raises:
        FileFormatError: it is a database of something else.
        UsageError: it is of a newer version.
    """
    found = set(inspect(connection).get_table_names())
    if META.name not in found:
        if found and connection.dialect.name == "sqlite":
            raise FileFormatError(f"{shown} is a database of something else.", "Name another file.")
        METADATA.create_all(connection)
        connection.execute(insert(META).values(key="version", value=str(version())))
        return
    stated = connection.execute(select(META.c.value).where(META.c.key == "version")).scalar()
    if stated is None or not stated.isdecimal() or not int(stated):
        raise FileFormatError(f"{shown} does not say the version of its tables.", "Restore it, or name another store.")
    if int(stated) > version():
        raise UsageError(
            f"{shown} is a store of version {stated}, and this mcp-governor reads up to version {version()}.",
            "Upgrade mcp-governor, or name another store.",
        )
    if int(stated) < version():
        for step in STEPS[int(stated) - 1 :]:
            step(connection)
        connection.execute(update(META).where(META.c.key == "version").values(value=str(version())))


def exclude(connection: Connection) -> None:
    """Wait until no other process prepares the same PostgreSQL database; SQLite has one writer anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


_LOCK = 0x6D63702D676F76
"""Any number that other programs do not use: ``mcp-gov`` in ASCII."""
