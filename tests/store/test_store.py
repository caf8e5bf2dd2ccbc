"""A store loses nothing that it said it kept: after a kill, beside another writer, on a full disk."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from commandline import governor_here
from sqlalchemy import text

from mcp_governor.errors import FileFormatError, MissingDependencyError, UnreachableError, UsageError
from mcp_governor.store import address as addresses
from mcp_governor.store import store as stores
from mcp_governor.store import tables
from mcp_governor.store.address import address_of
from mcp_governor.store.model import Fact, Planned
from mcp_governor.store.store import Store

PLANNED = [Planned(name, name.upper(), f'{{"job": "{name}"}}') for name in ("c", "a", "b")]


def fact(member: str, outcome: str = "same", **more: Any) -> Fact:
    return Fact(member=member, name=member.upper(), outcome=outcome, row=json.dumps({"of": member}), **more)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Store]:
    store = Store(address_of(str(path)))
    try:
        yield store
    finally:
        store.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path / "fleet.db") as place:
        yield place


def known(store: Store, run: int) -> dict[str, str]:
    return {planned.member: found.outcome for planned, found in store.facts(run) if found is not None}


def test_facts_come_back_in_the_order_of_the_list(store: Store) -> None:
    run = store.begin("key", '{"head": 1}', PLANNED)
    assert (run.total, run.done, run.ended) == (3, 0, None)
    store.keep(run.id, fact("a", version="1.0", tools=2, tokens=40, label="x", server="s", why=None), '{"tools": []}')
    store.keep(run.id, fact("b", "unreachable", why="it hangs"), None)
    found = list(store.facts(run.id))
    assert [(planned, one is None) for planned, one in found] == [
        (PLANNED[0], True),
        (PLANNED[1], False),
        (PLANNED[2], False),
    ]
    a = found[1][1]
    assert a is not None
    assert (a.version, a.tools, a.tokens, a.label, a.server, a.row) == ("1.0", 2, 40, "x", "s", '{"of": "a"}')
    assert a.surface == hashlib.sha256(b'{"tools": []}').hexdigest()
    assert store.surface(a.surface) == '{"tools": []}'
    assert store.surface("0" * 64) is None
    assert a.read_at >= run.begun
    assert store.pending(run.id) == {"c"}
    assert store.job(run.id, "c") == (PLANNED[0], '{"head": 1}')
    assert store.job(run.id, "a") is None, "it is done"
    assert store.job(run.id + 1, "c") is None


def test_a_surface_is_stored_once_and_a_fact_once(store: Store, tmp_path: Path) -> None:
    first, second = store.begin("one", "{}", PLANNED), store.begin("two", "{}", PLANNED)
    for run in (first, second):
        for member in "abc":
            store.keep(run.id, fact(member), "the same")
    store.keep(first.id, fact("a", "drifted"), "another")
    assert known(store, first.id) == dict.fromkeys("abc", "same"), "who was first counts"
    store.keep(first.id, fact("nobody"), None)
    assert len(known(store, first.id)) == 3
    with sqlite3.connect(tmp_path / "fleet.db") as raw:
        assert raw.execute("SELECT count(*) FROM mcp_governor_surfaces").fetchone() == (2,)


@pytest.mark.parametrize("words", ["", "\x00", "a\r\n\u2028", "☃🦄", "\ufeff", "x" * 300_000])
def test_every_text_comes_back(store: Store, words: str) -> None:
    run = store.begin("key", "{}", PLANNED)
    store.keep(run.id, fact("a"), words)
    assert store.surface(hashlib.sha256(words.encode()).hexdigest()) == words


def test_a_run_goes_on_while_it_is_fresh_and_not_over(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run = store.begin("key", "{}", PLANNED)
    store.keep(run.id, fact("a"), None)
    assert store.begin("key", "{}", PLANNED).id == run.id
    assert store.begin("other", "{}", PLANNED).id != run.id
    store.end(run.id)
    assert store.begin("key", "{}", PLANNED).ended is None, "a server is not read yet"
    monkeypatch.setattr("mcp_governor.store.store.FRESH", timedelta(seconds=-1))
    later = store.begin("key", "{}", PLANNED)
    assert (later.id != run.id, later.done) == (True, 0)
    monkeypatch.undo()
    for member in "abc":
        store.keep(later.id, fact(member), None)
    assert store.begin("key", "{}", PLANNED).id == later.id, "nobody has said that it is over"
    store.end(later.id)
    assert store.begin("key", "{}", PLANNED).id > later.id


def test_a_run_with_a_name_goes_on_however_old_it_is(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run = store.begin("key", "{}", PLANNED, name="x")
    for member in "abc":
        store.keep(run.id, fact(member), None)
    store.end(run.id)
    monkeypatch.setattr("mcp_governor.store.store.FRESH", timedelta(seconds=-1))
    again = store.begin("key", "{}", PLANNED, name="x")
    assert (again.id, again.done) == (run.id, 3)
    with pytest.raises(UsageError, match="The run x of .* is of another list"):
        store.begin("other", "{}", PLANNED, name="x")
    latest = store.begin("key", "{}", PLANNED)
    named, last, none = store.run("x"), store.run(), store.run("y")
    assert (named and named.id, last and last.id, none) == (run.id, latest.id, None)


# A writer: it says what it has kept, one line each.
WRITER = """
import sys
import zlib
from mcp_governor.store.address import address_of
from mcp_governor.store.model import Fact, Planned
from mcp_governor.store.store import Store
path, mine, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
if mine == "full":
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000))
store = Store(address_of(path))
members = [f"{who}{n}" for who in ("one", "two", "full") for n in range(count)]
run = store.begin("key", "{}", [Planned(member, "x", "{}") for member in members])
print("begun", flush=True)
for n in range(count):
    row = "{}" + " " * 2_000
    store.keep(run.id, Fact(member=f"{mine}{n}", name="x", outcome="same", row=row), f"{mine}{n % 7} " * 9)
    print(f"{mine}{n}", flush=True)
"""


def writer(path: Path, mine: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), mine, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def said(process: subprocess.Popen[str]) -> tuple[set[str], str]:
    out, err = process.communicate(timeout=120)
    # A line that was cut by the kill says nothing.
    return {line for line in out.split("\n")[:-1] if line != "begun"}, err


def kept(path: Path) -> set[str]:
    with opened(path) as store:
        run = store.run()
        assert run is not None
        found = {planned.member: one for planned, one in store.facts(run.id) if one is not None}
        assert all(one.surface and store.surface(one.surface) for one in found.values())
        return set(found)


def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "fleet.db"
    both = [writer(path, mine, 60) for mine in ("one", "two")]
    told = [said(process) for process in both]
    assert [err for _, err in told] == ["", ""]
    assert kept(path) == {f"{mine}{n}" for mine in ("one", "two") for n in range(60)}


def test_a_kill_loses_nothing_that_was_said_to_be_kept(tmp_path: Path) -> None:
    path = tmp_path / "fleet.db"
    process = writer(path, "one", 5_000)
    assert process.stdout is not None
    for _ in range(40):
        assert process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    told, _ = said(process)
    found = kept(path)
    assert told <= found
    assert 39 <= len(found) < 5_000


def test_a_full_disk_is_said_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "fleet.db"
    told, err = said(writer(path, "full", 1_000))
    assert "UsageError" in err
    assert "cannot be written" in err
    assert 10 < len(told) < 1_000
    assert told == kept(path)


def test_a_full_database_has_a_next_step(store: Store) -> None:
    run = store.begin("key", "{}", PLANNED)
    store.keep(run.id, fact("a"), None)
    with store.writing() as connection:
        pages = connection.execute(text("PRAGMA page_count")).scalar_one()
        connection.execute(text(f"PRAGMA max_page_count = {pages}"))
    with pytest.raises(UsageError, match=r"fleet.db cannot be written: database or disk is full") as error:
        store.keep(run.id, fact("b"), os.urandom(50_000).hex())
    assert error.value.hint == "Make room, and repeat the command: it goes on where it ended."
    assert known(store, run.id) == {"a": "same"}


def test_a_store_of_an_older_version_takes_the_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "fleet.db"
    with opened(path) as store:
        run = store.begin("key", "{}", PLANNED)
        store.keep(run.id, fact("a"), "text")

    def step(connection: Any) -> None:
        connection.execute(text("ALTER TABLE mcp_governor_facts ADD COLUMN seconds INTEGER"))

    monkeypatch.setattr(tables, "STEPS", (step,))
    for _ in range(2):  # once, not twice
        with opened(path) as store:
            assert known(store, run.id) == {"a": "same"}
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT value FROM mcp_governor_meta WHERE key = 'version'").fetchone() == ("2",)
        assert raw.execute("SELECT seconds FROM mcp_governor_facts").fetchall() == [(None,)] * 3


def test_a_step_that_fails_leaves_the_store_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "fleet.db"
    with opened(path):
        pass

    def step(connection: Any) -> None:
        connection.execute(text("ALTER TABLE mcp_governor_facts ADD COLUMN seconds INTEGER"))
        connection.execute(text("ALTER TABLE nowhere ADD COLUMN x INTEGER"))

    monkeypatch.setattr(tables, "STEPS", (step,))
    with pytest.raises(UsageError, match="no such table"):
        opened(path).__enter__()
    monkeypatch.undo()
    with opened(path), sqlite3.connect(path) as raw:
        assert "seconds" not in str(raw.execute("PRAGMA table_info(mcp_governor_facts)").fetchall())


def test_a_store_of_a_newer_version_is_refused(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "fleet.db"
    with opened(path), sqlite3.connect(path) as raw:
        raw.execute("UPDATE mcp_governor_meta SET value = '7'")
    monkeypatch.chdir(tmp_path)
    done = governor_here("fleet", "report", "--store", "fleet.db", capsys=capsys)
    assert done.code == 2
    assert "error: fleet.db is a store of version 7, and this mcp-governor reads up to version 1." in done.err
    assert "Upgrade mcp-governor, or name another store." in done.err


@pytest.mark.parametrize("value", ["", "x", "0", "-1", "1.5"])
def test_a_version_that_is_none_is_refused(tmp_path: Path, value: str) -> None:
    with opened(tmp_path / "s.db"), sqlite3.connect(tmp_path / "s.db") as raw:
        raw.execute("UPDATE mcp_governor_meta SET value = ?", (value,))
    with pytest.raises(FileFormatError, match="does not say the version"):
        opened(tmp_path / "s.db").__enter__()


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE customers (id INTEGER)")


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (foreign, "is a database of something else"),
        (lambda path: path.write_text('{"format":"mcp-governor/fleet-state-1"}\n' * 50), "is not a store"),
        (lambda path: path.write_bytes(os.urandom(5_000)), "is not a store"),
        (lambda path: path.mkdir(), "cannot be"),
    ],
)
def test_another_file_is_refused_and_left_alone(tmp_path: Path, make: Callable[[Path], Any], error: str) -> None:
    path = tmp_path / "s.db"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(UsageError, match=error):
        opened(path).__enter__()
    if make is not foreign:
        assert (path.read_bytes() if path.is_file() else None) == before
    else:
        with sqlite3.connect(path) as raw:
            assert raw.execute("SELECT name FROM sqlite_master").fetchall() == [("customers",)]


@pytest.mark.parametrize(
    ("given_", "shown", "shared"),
    [
        ("fleet.db", "fleet.db", False),
        ("sqlite:///fleet.db", "fleet.db", False),
        ("sqlite:////data/fleet.db", "/data/fleet.db", False),
        ("postgresql://me@host/db", "postgresql://me@host/db", True),
        ("postgres://me:s3cretive-Word@host:5433/db", "postgresql://me@host:5433/db", True),
        ("postgresql+psycopg://me@host/db", "postgresql://me@host/db", True),
        ("postgresql://host/db?password=s3cretive-Word&sslmode=require", "postgresql://host/db", True),
    ],
)
def test_an_address_is_shown_without_its_password(given_: str, shown: str, shared: bool) -> None:
    found = address_of(given_)
    assert (found.shown, found.is_shared) == (shown, shared)
    if "s3cretive" in given_:
        assert "s3cretive-Word" in found.conninfo


@pytest.mark.parametrize(
    ("given_", "error"),
    [
        ("", "The address of the store is empty"),
        ("mysql://u:s3cretive-Word@host/db", 'A store is not kept in "mysql"'),
        ("sqlite://", "names no file"),
        ("sqlite:///x?mode=memory", "names no file"),
        ("postgresql://u:s3cretive-Word@host:port/db", "The address of the store cannot be read"),
    ],
)
def test_what_is_no_address_is_refused_without_quoting_it(given_: str, error: str) -> None:
    with pytest.raises(UsageError) as found:
        address_of(given_)
    assert error in found.value.message
    assert "s3cretive" not in f"{found.value.message} {found.value.hint}"


def test_a_password_of_the_environment_is_taken_out_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "s3cretive-Word")
    found = address_of("postgresql://me@host/db")
    assert "PGPASSWORD" not in os.environ
    assert (found.shown, found.url.password) == ("postgresql://me@host/db", "s3cretive-Word")


def test_a_database_that_is_not_there_is_unreachable_and_its_password_unsaid(capsys: Any) -> None:
    url = "postgresql://me:s3cretive-Word@127.0.0.1:1/db"
    with pytest.raises(UnreachableError, match=r"postgresql://me@127.0.0.1:1/db cannot be reached"):
        Store(address_of(url))
    done = governor_here("fleet", "report", "--store", url, capsys=capsys)
    assert done.code == 3
    assert "s3cretive" not in done.out + done.err


def test_without_the_extra_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        MissingDependencyError, match=r"^A store needs the extra fleet, which is not installed\.$"
    ) as error:
        address_of("fleet.db")
    assert "sqlalchemy" in error.value.hint or "[fleet]" in error.value.hint


def test_the_export_has_every_fact_and_each_surface_once(store: Store, tmp_path: Path) -> None:
    from pyarrow import parquet

    from mcp_governor.store.parquet import export

    run = store.begin("key", "{}", PLANNED, name="nightly")
    store.keep(run.id, fact("c", tools=3, tokens=70, version="1"), "text ☃")
    store.keep(run.id, fact("a", "unreachable", why="it hangs"), None)
    store.keep(run.id, fact("b"), "text ☃")
    written = export(store, tmp_path / "new" / "out")
    assert written == {"runs.parquet": 1, "facts.parquet": 3, "surfaces.parquet": 1}
    assert sorted(path.name for path in (tmp_path / "new" / "out").iterdir()) == sorted(written)
    read = {name: parquet.read_table(tmp_path / "new" / "out" / name).to_pylist() for name in written}
    assert read["surfaces.parquet"] == [{"digest": hashlib.sha256("text ☃".encode()).hexdigest(), "text": "text ☃"}]
    facts = read["facts.parquet"]
    assert [(one["name"], one["outcome"], one["why"], one["tools"]) for one in facts] == [
        ("C", "same", None, 3),
        ("A", "unreachable", "it hangs", 0),
        ("B", "same", None, 0),
    ]
    assert facts[0]["surface"] == read["surfaces.parquet"][0]["digest"]
    assert facts[1]["surface"] is None
    assert facts[0]["read_at"] >= read["runs.parquet"][0]["begun"]
    assert read["runs.parquet"][0]["name"] == "nightly"


def test_an_export_follows_no_link(store: Store, tmp_path: Path) -> None:
    from mcp_governor.store.parquet import export

    (tmp_path / "mine").write_text("kept")
    for name in ("surfaces.parquet", "surfaces.parquet.part"):
        (tmp_path / "out").mkdir(exist_ok=True)
        (tmp_path / "out" / name).symlink_to(tmp_path / "mine")
    export(store, tmp_path / "out")
    assert (tmp_path / "mine").read_text() == "kept"
    assert not (tmp_path / "out" / "surfaces.parquet").is_symlink()


@pytest.mark.parametrize("data", [b"", b"no zlib", zlib.compress(b"\xff"), zlib.compress(b"a" * 101)])
def test_a_surface_that_cannot_be_read_is_never_a_part_of_one(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(stores, "MAX_TEXT_BYTES", 100)
    assert stores.text_of(zlib.compress(b"a" * 100)) == "a" * 100
    with pytest.raises(FileFormatError, match="cannot be read"):
        stores.text_of(data)
