"""Answers and evaluations in SQLite: what was paid for once is not asked again, and what was measured stays known.

The file may be used by several processes at once. It has no keys in it, and only its owner can read it. It may come
from a stranger: nothing but our two tables is read from it, within limits, and nothing at all if git tracks it.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import sqlite3
import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.errors import FileFormatError, GovernorError, UsageError
from mcp_governor.evaluation.offering import MAX_RESPONSE
from mcp_governor.evaluation.record import (
    MAX_RECORD,
    answer_json,
    answers_text,
    parse_answer,
    parse_record,
    record_text,
)
from mcp_governor.files import MEBIBYTE, read_end, shown_size
from mcp_governor.parsing import read_json
from mcp_governor.secrets import redact
from mcp_governor.target.git import tracked_files
from mcp_governor.text import one_line, visible
from mcp_governor.writing import checked_place, write_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.evaluation.model import Answer
    from mcp_governor.evaluation.record import Evaluation

DEFAULT_STORE = ".mcp-governor/evaluation.db"
"""The store of a repository, relative to the folder of its configuration."""

VERSION = 1
"""Version of the tables, ``user_version`` of the file; a file of another version is refused."""

APPLICATION = 0x4D43_5047
"""``application_id`` of the file, "MCPG" in ASCII, by which SQLite files of other programs are known."""

WAIT = 30.0
"""Seconds to wait for another process that writes: its transactions take milliseconds, on a busy network disk
seconds."""

MAX_EVALUATIONS = 1_000
"""Number of evaluations that a report reads, the newest: one for each release of twenty years, once a week."""

MAX_STORE = 1024 * MEBIBYTE
"""Maximum size of the file in bytes: a thousand evaluations of 500 queries to three models take some 700 MB."""

MAX_ANSWER = 2 * MAX_RESPONSE
"""Maximum size of a kept answer in bytes: in JSON, a response may become longer by its escapes."""

SECONDS = 2 * WAIT
"""Seconds after which a statement is given up, waiting included; reading the largest file takes a few."""

_STEPS = 10_000
"""Steps of SQLite between two looks at the clock, some milliseconds; reading our own tables' definitions takes 50."""

_MAX_SQL = 1_000
"""Longest statement and definition of a table, in bytes; ours have 200."""

_SIBLINGS = ("", "-journal", "-wal", "-shm")
"""What SQLite adds to the name of the file, for the files that it reads and writes besides."""

_JOURNAL_END = bytes.fromhex("d9d505f920a163d7")
"""The last bytes of a journal that names another file, which SQLite would delete; one of a single file has none."""

_TABLES = """
CREATE TABLE answers (key TEXT PRIMARY KEY, runner TEXT NOT NULL, query TEXT NOT NULL, asked TEXT NOT NULL,
                      answer TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE evaluations (number INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, started TEXT NOT NULL,
                          record TEXT NOT NULL);
"""


class Kept(Struct, frozen=True):
    """An answer with the day and time at which it was given, in UTC, ISO 8601."""

    answer: Answer
    asked: str


class Stored(Struct, frozen=True):
    """An evaluation in the store: its number, which ``--baseline`` takes, and its content."""

    number: int
    evaluation: Evaluation


class Store:
    """An open store; close it, or use it as a context manager.

    Args:
        path: the file; it is made if it is missing, and so is its folder.
        root: the folder of the configuration, in whose repository the file must then be. ``None`` if the user typed
            ``path``.

    Raises:
        FileFormatError: the file is not a store, is damaged, is too large, is of a later version, or cannot be opened.
        UsageError: the file is not where it belongs, or git tracks it.
    """

    def __init__(self, path: Path, root: Path | None = None) -> None:
        self._shown = visible(str(path))
        self._database: sqlite3.Connection | None = None
        with self._clear():
            place = Path(os.path.realpath(path)) if root is None else checked_place(path, root, self._shown)
            self._prepare(place)
            self._database = sqlite3.connect(place, timeout=WAIT, isolation_level=None)
            self._begin()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._database is not None:
            self._database.close()
            self._database = None

    @property
    def _open(self) -> sqlite3.Connection:
        assert self._database is not None
        return self._database

    def _prepare(self, path: Path) -> None:
        """The file, readable for its owner only, and its folder, which git ignores; and what SQLite reads besides."""
        if not path.parent.exists():
            path.parent.mkdir(parents=True)
            if path.parent.name == ".mcp-governor":
                write_file(path.parent / ".gitignore", "*\n")
        found, size, end = [], 0, b""
        for suffix in _SIBLINGS:
            place = path.with_name(path.name + suffix)
            try:
                status = place.lstat()
                if suffix == "-journal" and stat.S_ISREG(status.st_mode):
                    end, _ = read_end(place, limit=len(_JOURNAL_END))
            except FileNotFoundError:
                continue  # Another process that writes deletes its journal.
            if stat.S_ISDIR(status.st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if not stat.S_ISREG(status.st_mode):
                raise self._refused(
                    f"cannot be used because {visible(place.name)} is not a regular file", "Delete that file."
                )
            found.append(place.name)
            size += status.st_size
        if size > MAX_STORE:
            raise self._refused(f"is larger than {shown_size(MAX_STORE)}", "Name another file with --store.")
        if end == _JOURNAL_END:
            raise self._refused(
                f"has a journal, {visible(path.name)}-journal, that mcp-governor did not write", "Delete that file."
            )
        tracked = tracked_files(path.parent, *found) if found else []
        if tracked:
            name = visible(str(path.with_name(tracked[0])))
            raise UsageError(
                f"git tracks {name}, and a commit may bring answers that no model gave; nothing was read.",
                f"If it is yours, run git rm --cached {name} and commit; share answers with --record instead.",
            )
        # SQLite would make it readable for everybody.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600))

    def _begin(self) -> None:
        database = self._open
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_RECORD)
        # Every definition in the file is parsed before anything else is read.
        database.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _MAX_SQL)
        database.set_progress_handler(lambda: 1, _STEPS)
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("PRAGMA cell_size_check = ON")
        # Several processes may make the tables at once: the first one to write does, the others find them.
        database.execute("BEGIN IMMEDIATE")
        try:
            application = database.execute("PRAGMA application_id").fetchone()[0]
            version = database.execute("PRAGMA user_version").fetchone()[0]
            found = _definitions(database)
            if not found and application == 0 and version == 0:
                _make_tables(database)
                database.execute(f"PRAGMA application_id = {APPLICATION}")
                database.execute(f"PRAGMA user_version = {VERSION}")
            elif (application, version, found) != (APPLICATION, VERSION, _ours()):
                raise self._refused(
                    "has other tables than those of this mcp-governor", "Delete it, or name another file with --store."
                )
            database.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                database.execute("ROLLBACK")
            raise
        database.set_progress_handler(lambda: time.monotonic() > self._end, _STEPS)

    def _execute(self, statement: str, values: Sequence[Any], *, most: int | None = None) -> sqlite3.Cursor:
        """Run a statement that ends in time and reads no value of more than ``most`` bytes."""
        self._end = time.monotonic() + SECONDS
        self._open.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_RECORD if most is None else most)
        return self._open.execute(statement, values)

    def _refused(self, why: str, hint: str) -> FileFormatError:
        return FileFormatError(f"{self._shown} {why}.", hint)

    @contextlib.contextmanager
    def _clear(self) -> Iterator[None]:
        """Errors of SQLite as one sentence."""
        try:
            yield
        except GovernorError:
            self.close()
            raise
        except sqlite3.DatabaseError as error:
            self.close()
            code, said = getattr(error, "sqlite_errorcode", 0) & 0xFF, one_line(str(error), 120)
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise self._refused(
                    f"has been locked by another process for {WAIT:.0f} s", "Wait for it to end, or end it."
                ) from None
            raise self._refused(
                f"cannot be used, or is not a store of mcp-governor ({said})",
                "Check its folder, or delete it; what was recorded with --record can be replayed without it.",
            ) from None
        except OSError as error:
            self.close()
            raise self._refused(f"cannot be opened: {error.strerror}", "Check its folder.") from None

    def get(self, key: str) -> Kept | None:
        """The answer under a key (:func:`.asking.answer_key`)."""
        with self._clear():
            row = self._execute("SELECT answer, asked FROM answers WHERE key = ?", (key,), most=MAX_ANSWER).fetchone()
            if row is None:
                return None
            try:
                text, asked = map(_text, row)
                return Kept(parse_answer(read_json(text)), asked)
            except Exception:  # noqa: BLE001  whatever a damaged row makes the parser say
                raise self._refused(
                    "has an answer that cannot be read", "Delete the file; the queries are asked again."
                ) from None

    def put(self, key: str, runner: str, answer: Answer, asked: str) -> None:
        """Keep an answer, in place of an earlier one."""
        with self._clear():
            text = redact(json.dumps(answer_json(answer), sort_keys=True))
            self._execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", (key, runner, answer.query, asked, text)
            )

    def add(self, evaluation: Evaluation) -> int:
        """Keep an evaluation, once, with what came of its calls the last time that they were made; its number."""
        text, plain = record_text(evaluation), answers_text(evaluation)
        digest = hashlib.sha256(plain.encode()).hexdigest()
        with self._clear():
            self._execute(
                "INSERT OR IGNORE INTO evaluations (digest, started, record) VALUES (?, ?, ?)",
                (digest, evaluation.started, text),
            )
            if text != plain:
                self._execute("UPDATE evaluations SET record = ? WHERE digest = ?", (text, digest))
            row = self._execute("SELECT number FROM evaluations WHERE digest = ?", (digest,)).fetchone()
        return int(row[0])

    def evaluations(self, most: int = MAX_EVALUATIONS) -> list[Stored]:
        """The newest evaluations, the oldest of them first; together they are not larger than :data:`MAX_RECORD`."""
        newest = "SELECT number FROM evaluations ORDER BY started DESC, number DESC LIMIT ?"
        with self._clear():
            numbers = [row[0] for row in self._execute(newest, (most,))]
        found: list[Stored] = []
        left = MAX_RECORD
        for number in numbers:
            text = self._record(number)
            left -= len(text or "")
            if left < 0:
                break
            if text is not None:
                found.append(self._read(number, text))
        return found[::-1]

    def evaluation(self, number: int) -> Stored | None:
        """The evaluation with a number."""
        text = self._record(number)
        return None if text is None else self._read(number, text)

    def _record(self, number: int) -> str | None:
        with self._clear():
            row = self._execute("SELECT record FROM evaluations WHERE number = ?", (number,)).fetchone()
            return None if row is None else _text(row[0])

    def _read(self, number: int, text: str) -> Stored:
        try:
            return Stored(number, parse_record(text.encode(), f"{self._shown} (evaluation {number})"))
        except GovernorError as error:
            raise FileFormatError(error.message, "Delete the store, or name another one with --store.") from None


def _text(value: Any) -> str:
    """The string in a column, which in SQLite may have a value of any type."""
    if not isinstance(value, str):
        raise sqlite3.DatabaseError("a column has a value of another type")
    return value


def _make_tables(database: sqlite3.Connection) -> None:
    for statement in _TABLES.split(";"):
        database.execute(statement)


def _definitions(database: sqlite3.Connection) -> list[tuple[str, str, str, str]]:
    """Everything that is defined in a file: tables, indexes, views, triggers."""
    rows = database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name")
    return [(kind, name, table, " ".join(str(sql).split())) for kind, name, table, sql in rows]


def _ours() -> list[tuple[str, str, str, str]]:
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        _make_tables(database)
        return _definitions(database)
