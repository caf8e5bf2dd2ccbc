"""The same store in PostgreSQL: the same tables, two processes that create them at once, and nothing lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres import postgres
from test_store import PLANNED, fact, known, said, writer

from mcp_governor.store.address import address_of
from mcp_governor.store.store import Store


@pytest.fixture
def url() -> Iterator[str]:
    with postgres() as found:
        yield found


def test_two_processes_create_the_tables_at_once_and_lose_nothing(url: str) -> None:
    both = [writer(url, mine, 25) for mine in ("one", "two")]
    told = [said(process) for process in both]
    assert [err for _, err in told] == ["", ""]
    store = Store(address_of(url))
    run = store.run()
    assert run is not None
    found = {planned.member: one for planned, one in store.facts(run.id) if one is not None}
    assert set(found) == told[0][0] | told[1][0] == {f"{mine}{n}" for mine in ("one", "two") for n in range(25)}
    assert {store.surface(one.surface or "") for one in found.values()} == {
        f"{mine}{n} " * 9 for mine in ("one", "two") for n in range(7)
    }
    store.close()


def test_runs_and_exports_are_those_of_sqlite(url: str, tmp_path: Path) -> None:
    from pyarrow import parquet

    from mcp_governor.store.parquet import export

    read = []
    for place in (url, str(tmp_path / "s.db")):
        store = Store(address_of(place))
        run = store.begin("key of this test", '{"head": "\\u0000 ☃"}', PLANNED, name="nightly")
        store.keep(run.id, fact("c", tools=3, version="1 ☃"), '{"text": "\x00"}')
        store.keep(run.id, fact("a", "unreachable", why="it hangs"), None)
        store.keep(run.id, fact("a", "same"), None)
        assert store.pending(run.id) == {"b"}
        assert known(store, run.id) == {"c": "same", "a": "unreachable"}
        store.end(run.id)
        again = store.begin("key of this test", "{}", PLANNED[:1], name="nightly")
        assert (again.id, again.done, again.total, again.ended) == (run.id, 2, 3, None)
        export(store, tmp_path / "out")
        rows = parquet.read_table(tmp_path / "out" / "facts.parquet").to_pylist()
        read.append([{**row, "read_at": None, "run": None} for row in rows if row["run"] == run.id])
        store.close()
    assert read[0] == read[1]
    assert len(read[0]) == 2
