"""What a repository brings for ``eval``: a store, a recorded file, paths and models of its configuration."""

from __future__ import annotations

import json
import os
import sqlite3
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commandline import governor_here
from test_hostile_writes import tree
from traps import TOOL, put, surface

from mcp_governor.errors import FileFormatError
from mcp_governor.evaluation import record, store
from mcp_governor.evaluation.record import parse_record
from mcp_governor.evaluation.store import DEFAULT_STORE, Store

QUERY = json.dumps({"query": "Which book is about birds?", "gold_tools": [TOOL["name"]]}) + "\n"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that ends where a repository does, with links to what lies beside it."""
    put(tmp_path / "outside", {"file": "precious", "folder/file": "precious"})
    folder = put(tmp_path / "checkout", {"mcp-surface.json": surface(), "mcp-queries.jsonl": QUERY})
    (folder / ".git").mkdir()
    (folder / "link.jsonl").symlink_to(tmp_path / "outside" / "new.jsonl")
    (folder / "away").symlink_to(tmp_path / "outside" / "folder")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def go(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    return lambda *words: governor_here("eval", *words, capsys=capsys)


@pytest.mark.parametrize("place", ["../outside/new.jsonl", "away/new.jsonl", "link.jsonl", ".git/new.jsonl"])
@pytest.mark.parametrize(("key", "command"), [("record", "run"), ("queries", "init")])
def test_a_configured_file_stays_in_the_repository(
    checkout: Path, go: Callable[..., Any], key: str, command: str, place: str
) -> None:
    put(checkout, {"mcp-governor.toml": f'[evaluation]\n{key} = "{place}"\n'})
    before = tree(checkout.parent)
    done = go(command, "mcp-surface.json")
    assert done.code == 2
    assert "nothing was written" in done.err
    assert tree(checkout.parent) == before


def test_a_typed_file_is_the_users(checkout: Path, go: Callable[..., Any]) -> None:
    outside = checkout.parent / "outside"
    assert go("run", "mcp-surface.json", "--record", "link.jsonl", "--store", "../outside/a.db").code == 0
    assert go("init", "mcp-surface.json", "--queries", "../outside/q.jsonl").code == 0
    assert {"new.jsonl", "a.db", "q.jsonl"} <= {path.name for path in outside.iterdir()}
    assert not (checkout / ".mcp-governor").exists()


@pytest.mark.parametrize("content", ["", "# a comment\n", "import os\n"])
@pytest.mark.parametrize(("key", "command"), [("record", "run"), ("queries", "init")])
def test_a_file_of_the_user_is_not_written(
    checkout: Path, go: Callable[..., Any], key: str, command: str, content: str
) -> None:
    put(checkout, {"mcp-governor.toml": f'[evaluation]\n{key} = "notes.py"\n', "notes.py": content})
    done = go(command, "mcp-surface.json")
    assert done.code == 2
    assert "notes.py" in done.err
    assert (checkout / "notes.py").read_text() == content


@pytest.mark.parametrize("name", [".mcp-governor", *(DEFAULT_STORE + end for end in ("", "-journal", "-wal", "-shm"))])
@pytest.mark.parametrize("exists", [True, False])
def test_the_store_is_not_followed_anywhere(checkout: Path, go: Callable[..., Any], name: str, exists: bool) -> None:
    path = checkout / name
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(checkout.parent / "outside" / (("folder" if name == ".mcp-governor" else "file") * exists or "new"))
    before = tree(checkout.parent)
    for command in (("run", "mcp-surface.json"), ("report",)):
        done = go(*command)
        assert done.code == 2
        assert "symbolic link" in done.err or "is not a regular file" in done.err
    assert tree(checkout.parent) == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes among its files")
@pytest.mark.parametrize("name", ["a.db", "a.db-journal"])
def test_a_pipe_is_no_store(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(FileFormatError, match="is not a regular file"):
        Store(tmp_path / "a.db")


def _planted_journal(path: Path, victim: Path) -> None:
    """The journal of a transaction over several files, one of which SQLite takes for done with, and deletes."""
    magic, name = bytes.fromhex("d9d505f920a163d7"), os.fsencode(victim)
    page = path.read_bytes()[16:18]
    size = int.from_bytes(page)
    header = magic + struct.pack(">IIIII", 0, 0, path.stat().st_size // size, 512, size)
    end = struct.pack(">I", 0x40000000 // size + 1) + name + struct.pack(">II", len(name), sum(name)) + magic
    path.with_name(path.name + "-journal").write_bytes(header.ljust(512, b"\0") + end)


def test_a_journal_deletes_no_other_file(tmp_path: Path) -> None:
    path, victim = tmp_path / "a.db", put(tmp_path, {"victim": "precious"}) / "victim"
    Store(path).close()
    _planted_journal(path, victim)
    with pytest.raises(FileFormatError, match=r"has a journal, a\.db-journal, that mcp-governor did not write"):
        Store(path)
    assert victim.exists()
    # The trap is armed.
    database = sqlite3.connect(path)
    database.execute("SELECT count(*) FROM sqlite_master").fetchall()
    database.close()
    assert not victim.exists()


def test_a_journal_of_a_run_that_was_killed_is_rolled_back(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    Store(path).close()
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA cache_size = 1")
    database.execute("BEGIN")
    database.executemany(
        "INSERT INTO answers VALUES (?, '', '', '', '{}')", ((f"{at}" * 400,) for at in range(200, 400))
    )
    killed = tmp_path / "killed.db"
    for end in ("", "-journal"):
        killed.with_name(killed.name + end).write_bytes(path.with_name(path.name + end).read_bytes())
    database.close()
    assert (tmp_path / "killed.db-journal").stat().st_size > 512
    with Store(killed) as opened:
        assert opened.get("200" * 400) is None


ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
ANSWERS = "CREATE TABLE answers (key TEXT PRIMARY KEY, runner TEXT NOT NULL, query TEXT NOT NULL, asked TEXT NOT NULL, "


@pytest.mark.parametrize(
    "script",
    [
        f"DROP TABLE answers; CREATE VIEW answers AS {ENDLESS} SELECT x AS key, '' AS answer, '' AS asked FROM c",
        f"DROP TABLE evaluations; CREATE VIEW evaluations AS {ENDLESS} SELECT x AS number, '' AS record FROM c",
        "CREATE TRIGGER t AFTER INSERT ON answers BEGIN DELETE FROM answers; END",
        "CREATE INDEX i ON answers (length(answer))",
        f"DROP TABLE answers; {ANSWERS} answer TEXT NOT NULL)",
        f"DROP TABLE answers; {ANSWERS} answer TEXT AS (hex(zeroblob(9))) STORED) WITHOUT ROWID",
        "CREATE VIRTUAL TABLE more USING fts5(x)",
    ],
)
def test_only_our_tables_are_a_store(tmp_path: Path, script: str) -> None:
    path = tmp_path / "a.db"
    Store(path).close()
    database = sqlite3.connect(path)
    try:
        database.executescript(script)
    except sqlite3.OperationalError as error:
        pytest.skip(f"SQLite without an extension: {error}")
    finally:
        database.close()
    before = path.read_bytes()
    with pytest.raises(FileFormatError, match="has other tables than those of this mcp-governor"):
        Store(path)
    assert path.read_bytes() == before


def _with_row(path: Path, statement: str, *values: object) -> None:
    Store(path).close()
    database = sqlite3.connect(path)
    database.execute(statement, values)
    database.commit()
    database.close()


@pytest.mark.parametrize(
    ("answer", "asked"),
    [(b"\xff\xfe", ""), (7, ""), ("[" * 100_000, ""), ('{"query": "q"}', ""), (b"{}", b"x"), ("{}" + " " * 9_000, "")],
)
def test_a_cell_of_an_answer_may_hold_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: object, asked: object
) -> None:
    monkeypatch.setattr(store, "MAX_ANSWER", 200_000 if answer == "[" * 100_000 else 1_000)
    _with_row(tmp_path / "a.db", "INSERT INTO answers VALUES ('k', '', '', ?, ?)", asked, answer)
    with Store(tmp_path / "a.db") as opened, pytest.raises(FileFormatError) as raised:
        opened.get("k")
    assert raised.value.hint
    assert len(raised.value.message) < 400


@pytest.mark.parametrize("cell", [b"{}", 7, "x", "", "{}\n" * 5_000, "CAST(x'ff' AS TEXT)"])
def test_a_cell_of_an_evaluation_may_hold_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cell: object
) -> None:
    monkeypatch.setattr(store, "MAX_RECORD", 2_000)
    value = cell if isinstance(cell, str) and cell.startswith("CAST") else "?"
    values = () if value != "?" else (cell,)
    _with_row(tmp_path / "a.db", f"INSERT INTO evaluations VALUES (1, 'd', '', {value})", *values)
    for read in (Store.evaluations, lambda opened: opened.evaluation(1)):
        with Store(tmp_path / "a.db") as opened, pytest.raises(FileFormatError) as raised:
            read(opened)
        assert len(raised.value.message) < 400


def test_a_statement_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.db"
    Store(path).close()
    rows = f"{ENDLESS} SELECT x, x, x, '' FROM c LIMIT 20000"
    _with_row(path, f"INSERT INTO evaluations {rows}")
    monkeypatch.setattr(store, "SECONDS", 0)
    with Store(path) as opened, pytest.raises(FileFormatError, match=r"\(interrupted\)"):
        opened.evaluations()


def test_a_large_file_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    Store(path).close()
    with path.with_name("a.db-wal").open("wb") as file:
        file.truncate(store.MAX_STORE)
    with pytest.raises(FileFormatError, match=r"is larger than 1024 MiB"):
        Store(path)


def test_a_record_has_a_number_of_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "MAX_VALUES", 10)
    with pytest.raises(FileFormatError, match="has more than 10 values"):
        parse_record(b"{}\n" * 11, "file")


def _git(folder: Path, *words: str) -> None:
    known = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    subprocess.run(("git", "-C", str(folder), *known, *words), check=True, timeout=60)


@pytest.fixture
def repository(checkout: Path) -> Path:
    (checkout / ".git").rmdir()
    _git(checkout, "init", "-q")
    return checkout


def test_answers_that_a_commit_brings_are_not_believed(repository: Path, go: Callable[..., Any]) -> None:
    assert go("run", "mcp-surface.json").code == 0
    assert go("report").code == 0
    _git(repository, "add", "-f", DEFAULT_STORE)
    for command in (("run", "mcp-surface.json"), ("report",), ("run", "mcp-surface.json", "--store", DEFAULT_STORE)):
        done = go(*command)
        assert done.code == 2
        assert f"git tracks {DEFAULT_STORE}" in done.err.replace(f"{repository}/", "")
        assert "git rm --cached" in done.err
    _git(repository, "commit", "-qm", "forged")
    _git(repository, "rm", "-q", "--cached", DEFAULT_STORE)
    assert go("report").code == 2
    _git(repository, "commit", "-qm", "taken back")
    assert go("report").code == 0
