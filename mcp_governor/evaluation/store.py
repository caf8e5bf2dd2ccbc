"""Answers and evaluations in SQLite: what was paid for once is not asked again, and what was measured stays known.

The file may be used by several processes at once. It has no keys in it, and only its owner can read it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
from typing import TYPE_CHECKING

from mcp_governor.errors import FileFormatError, GovernorError
from mcp_governor.evaluation.record import answer_json, answers_text, parse_answer, parse_record, record_text
from mcp_governor.frozen import frozen
from mcp_governor.parsing import read_json
from mcp_governor.secrets import redact
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mcp_governor.evaluation.model import Answer
    from mcp_governor.evaluation.record import Evaluation

DEFAULT_STORE = ".mcp-governor/evaluation.db"
"""The store of a repository, relative to the folder of its configuration."""

VERSION = 1
"""Version of the tables, ``user_version`` of the file; a file of a later version is refused."""

APPLICATION = 0x4D43_5047
"""``application_id`` of the file, "MCPG" in ASCII, by which SQLite files of other programs are known."""

WAIT = 30.0
"""Seconds to wait for another process that writes: its transactions take milliseconds, on a busy network disk
seconds."""

MAX_EVALUATIONS = 1_000
"""Number of evaluations that a report reads, the newest: one for each release of twenty years, once a week."""

_TABLES = """
CREATE TABLE answers (key TEXT PRIMARY KEY, runner TEXT NOT NULL, query TEXT NOT NULL, asked TEXT NOT NULL,
                      answer TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE evaluations (number INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, started TEXT NOT NULL,
                          record TEXT NOT NULL);
"""


@frozen
class Kept:
    """An answer with the day and time at which it was given, in UTC, ISO 8601."""

    answer: Answer
    asked: str


@frozen
class Stored:
    """An evaluation in the store: its number, which ``--baseline`` takes, and its content."""

    number: int
    evaluation: Evaluation


class Store:
    """An open store; close it, or use it as a context manager.

    Args:
        path: the file; it is made if it is missing, and so is its folder.

    Raises:
        FileFormatError: the file is not a store, is damaged, is of a later version, or cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._shown = visible(str(path))
        self._database: sqlite3.Connection | None = None
        with self._clear():
            _prepare(path)
            self._database = sqlite3.connect(path, timeout=WAIT, isolation_level=None)
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

    def _begin(self) -> None:
        database = self._open
        # Several processes may make the tables at once: the first one to write does, the others find them.
        database.execute("BEGIN IMMEDIATE")
        try:
            application = database.execute("PRAGMA application_id").fetchone()[0]
            version = database.execute("PRAGMA user_version").fetchone()[0]
            empty = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
            if empty and application == 0 and version == 0:
                for statement in _TABLES.split(";"):
                    database.execute(statement)
                database.execute(f"PRAGMA application_id = {APPLICATION}")
                database.execute(f"PRAGMA user_version = {VERSION}")
            elif application != APPLICATION:
                raise self._refused("is the SQLite file of another program", "Name another file with --store.")
            elif version > VERSION:
                raise self._refused(
                    f"has version {version} of the tables, which this mcp-governor does not know (it knows {VERSION})",
                    "Upgrade mcp-governor, or name another file with --store.",
                )
            database.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                database.execute("ROLLBACK")
            raise

    def _refused(self, why: str, hint: str) -> FileFormatError:
        return FileFormatError(f"{self._shown} {why}.", hint)

    @contextlib.contextmanager
    def _clear(self) -> Iterator[None]:
        """Errors of SQLite as one sentence."""
        try:
            yield
        except FileFormatError:
            self.close()
            raise
        except sqlite3.OperationalError as error:
            busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            self.close()
            if busy:
                raise self._refused(
                    f"has been locked by another process for {WAIT:.0f} s", "Wait for it to end, or end it."
                ) from None
            raise self._refused(f"cannot be used: {error}", "Check the folder and its permissions.") from None
        except sqlite3.DatabaseError as error:
            self.close()
            raise self._refused(
                f"is damaged, or not a store of mcp-governor ({error})",
                "Delete it; what was recorded with --record can be replayed without it.",
            ) from None
        except OSError as error:
            self.close()
            raise self._refused(
                f"cannot be opened: {error.strerror}", "Check the folder and its permissions."
            ) from None

    def get(self, key: str) -> Kept | None:
        """The answer under a key (:func:`.asking.answer_key`)."""
        with self._clear():
            row = self._open.execute("SELECT answer, asked FROM answers WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            try:
                return Kept(parse_answer(read_json(row[0])), row[1])
            except Exception:  # noqa: BLE001  whatever a damaged row makes the parser say
                raise self._refused(
                    "has an answer that cannot be read", "Delete the file; the queries are asked again."
                ) from None

    def put(self, key: str, runner: str, answer: Answer, asked: str) -> None:
        """Keep an answer, in place of an earlier one."""
        with self._clear():
            text = redact(json.dumps(answer_json(answer), sort_keys=True))
            self._open.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", (key, runner, answer.query, asked, text)
            )

    def add(self, evaluation: Evaluation) -> int:
        """Keep an evaluation, once, with what came of its calls the last time that they were made; its number."""
        text, plain = record_text(evaluation), answers_text(evaluation)
        digest = hashlib.sha256(plain.encode()).hexdigest()
        with self._clear():
            self._open.execute(
                "INSERT OR IGNORE INTO evaluations (digest, started, record) VALUES (?, ?, ?)",
                (digest, evaluation.started, text),
            )
            if text != plain:
                self._open.execute("UPDATE evaluations SET record = ? WHERE digest = ?", (text, digest))
            row = self._open.execute("SELECT number FROM evaluations WHERE digest = ?", (digest,)).fetchone()
        return int(row[0])

    def evaluations(self, most: int = MAX_EVALUATIONS) -> list[Stored]:
        """The newest evaluations, the oldest of them first."""
        with self._clear():
            rows = self._open.execute(
                "SELECT number, record FROM evaluations ORDER BY started DESC, number DESC LIMIT ?", (most,)
            ).fetchall()
        return [self._read(number, text) for number, text in reversed(rows)]

    def evaluation(self, number: int) -> Stored | None:
        """The evaluation with a number."""
        with self._clear():
            row = self._open.execute("SELECT number, record FROM evaluations WHERE number = ?", (number,)).fetchone()
        return None if row is None else self._read(*row)

    def _read(self, number: int, text: str) -> Stored:
        try:
            return Stored(number, parse_record(text.encode(), f"{self._shown} (evaluation {number})"))
        except GovernorError as error:
            raise FileFormatError(error.message, "Delete the store, or name another one with --store.") from None


def _prepare(path: Path) -> None:
    """The file, readable for its owner only, and its folder, which git ignores."""
    if not path.parent.exists():
        path.parent.mkdir(parents=True)
        if path.parent.name == ".mcp-governor":
            from mcp_governor.writing import write_file

            write_file(path.parent / ".gitignore", "*\n")
    # SQLite would make it readable for everybody.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600))
