"""From the address of a store to its engine: the path of a SQLite file, ``sqlite:///PATH`` or ``postgresql://…``.

A password is never shown: messages have the address without it, and what the driver says has gone through redaction.
"""

from __future__ import annotations

import importlib.util
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.errors import FileFormatError, GovernorError, MissingDependencyError, UnreachableError, UsageError
from mcp_governor.secret_detection import learn
from mcp_governor.secrets import redact
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import URL, Connection, Engine

WAIT = 60
"""Seconds to wait for another writer, and for PostgreSQL to answer."""

_FORMS = "Name a file for SQLite, or postgresql://USER@HOST/DATABASE."


class Address(Struct, frozen=True):
    """Where a store is.

    Attributes:
        url: with the password.
        shown: without it, safe to print.
        is_shared: PostgreSQL, so that several machines reach it.
    """

    url: URL
    shown: str

    @property
    def is_shared(self) -> bool:
        return self.url.get_backend_name() == "postgresql"

    @property
    def conninfo(self) -> str:
        """The URL as libpq takes it, with the password."""
        return self.url.set(drivername="postgresql").render_as_string(hide_password=False)


def require_extra(*packages: str) -> None:
    """Refuse what needs the extra ``fleet`` where it is not installed.

    Args:
        packages: that are imported.

    Raises:
        MissingDependencyError: one is missing.
    """
    if all(importlib.util.find_spec(package) for package in packages):
        return
    from mcp_governor.installation import install_extra

    raise MissingDependencyError("A store needs the extra fleet, which is not installed.", install_extra("fleet"))


def address_of(text: str) -> Address:
    """Read an address.

    Raises:
        UsageError: it is none.
        MissingDependencyError: the extra ``fleet`` is not installed.
    """
    require_extra("sqlalchemy")
    from sqlalchemy.engine import URL, make_url
    from sqlalchemy.exc import ArgumentError

    scheme, separator, _ = text.partition("://")
    if not separator:
        if not text.strip():
            raise UsageError("The address of the store is empty.", _FORMS)
        return Address(URL.create("sqlite", database=text), one_line(text, 200))
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        # Its message would quote the address.
        raise UsageError("The address of the store cannot be read.", _FORMS) from None
    if scheme == "sqlite":
        if not url.database or url.query:
            raise UsageError("The address of the store names no file.", "Write sqlite:///PATH.")
        return Address(URL.create("sqlite", database=url.database), one_line(url.database, 200))
    if scheme not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise UsageError(f'A store is not kept in "{one_line(scheme, 20)}".', _FORMS)
    require_extra("psycopg", "procrastinate")
    # Servers get few of our variables, but the code of a `python:` TARGET sees all that this process has.
    given = os.environ.pop("PGPASSWORD", None)
    if given and url.password is None:
        url = url.set(password=given)
    # Not the name of the user, which is in reports for other reasons.
    for secret in (url.password, url.query.get("password")):
        if isinstance(secret, str):
            learn(secret, "password")
    # The query may have a password, too.
    bare = URL.create("postgresql", url.username, None, url.host, url.port, url.database)
    return Address(url.set(drivername="postgresql+psycopg"), one_line(bare.render_as_string(), 200))


def engine_of(address: Address) -> Engine:
    """The engine; nothing is opened yet."""
    from sqlalchemy import create_engine, event

    if address.is_shared:
        return create_engine(
            address.url, pool_pre_ping=True, connect_args={"connect_timeout": WAIT}, hide_parameters=True
        )
    engine = create_engine(address.url, connect_args={"timeout": WAIT}, hide_parameters=True)

    # Python's driver would begin transactions when it sees fit; see "Pysqlite" in the documentation of SQLAlchemy.
    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")

    # A transaction that reads first and then writes would fail instead of waiting for another writer.
    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        connection.exec_driver_sql(f"BEGIN {'IMMEDIATE' if connection.get_execution_options().get('writes') else ''}")

    return engine


@contextmanager
def said(address: Address, doing: str) -> Iterator[None]:
    """Errors of the database as ours.

    Args:
        address: the store.
        doing: ``read`` or ``written``.

    Raises:
        UnreachableError: PostgreSQL does not answer.
        FileFormatError: the file is not a database.
        UsageError: anything else: no room, no permission, no such folder.
    """
    from sqlalchemy.exc import DBAPIError, SQLAlchemyError

    try:
        yield
    except GovernorError:
        raise
    except SQLAlchemyError as error:
        cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
        why = one_line(redact(str(cause)), 200).removesuffix(".")
        if "not a database" in why:
            raise FileFormatError(f"{address.shown} is not a store.", "Name another file.") from None
        if (
            address.is_shared
            and isinstance(error, DBAPIError)
            and (error.connection_invalidated or "connect" in why.lower())
        ):
            raise UnreachableError(
                f"{address.shown} cannot be reached: {why}.", "Check that PostgreSQL runs there."
            ) from None
        hint = "Make room, and repeat the command: it goes on where it ended." if _is_full(why) else "Check its folder."
        raise UsageError(f"{address.shown} cannot be {doing}: {why}.", "" if address.is_shared else hint) from None


def _is_full(why: str) -> bool:
    return any(words in why for words in ("is full", "disk I/O", "No space left"))


def refuse_folder(address: Address) -> None:
    """Refuse a file in a folder that does not exist, which SQLite says in fewer words.

    Raises:
        UsageError: it is.
    """
    if not address.is_shared and not Path(str(address.url.database)).absolute().parent.is_dir():
        raise UsageError(f"{address.shown} cannot be written: its folder does not exist.", "Create the folder.")
