"""A store as Parquet files, for tools that count and compare: one file for each table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from mcp_governor.errors import UsageError
from mcp_governor.store.address import require_extra
from mcp_governor.store.store import text_of
from mcp_governor.store.tables import FACTS, RUNS, SURFACES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sqlalchemy import Select

    from mcp_governor.store.store import Store


def export(store: Store, folder: Path) -> dict[str, int]:
    """Write ``runs.parquet``, ``facts.parquet`` and ``surfaces.parquet``.

    Args:
        store: the store; a few hundred rows of it are in memory at a time.
        folder: where to write; it is created, and files of these names are replaced when they are complete.

    Returns:
        File → number of its rows.

    Raises:
        UsageError: the folder cannot be written.
        MissingDependencyError: the extra ``fleet`` is not installed.
    """
    require_extra("pyarrow")
    of_run = select(RUNS.c.id, RUNS.c.name, RUNS.c.governor, RUNS.c.begun, RUNS.c.ended).order_by(RUNS.c.id)
    # What is to be done is of no use without the machine on which it was.
    facts = select(*(column for column in FACTS.c if column.name not in ("job", "place")))
    facts = facts.where(FACTS.c.outcome.is_not(None)).order_by(FACTS.c.run, FACTS.c.place, FACTS.c.member)
    tables: dict[str, tuple[Select[Any], Callable[[dict[str, Any]], dict[str, Any]]]] = {
        "runs": (of_run, lambda row: row),
        "facts": (facts, lambda row: row),
        "surfaces": (select(SURFACES).order_by(SURFACES.c.digest), _surface),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return {
            f"{name}.parquet": _write(folder / f"{name}.parquet", name, store.table(wanted), change)
            for name, (wanted, change) in tables.items()
        }
    except OSError as error:
        raise UsageError(
            f"{folder.name} cannot be written: {error.strerror or error}.", "Name another folder."
        ) from None


def _surface(row: dict[str, Any]) -> dict[str, Any]:
    return {"digest": row["digest"], "text": text_of(row["text"])}


_COLUMNS = {
    "runs": "id:int name:str governor:str begun:time ended:time",
    "facts": (
        "run:int member:str name:str outcome:str why:str server:str label:str version:str target:str fingerprint:str "
        "tools:int tokens:int row:str surface:str read_at:time"
    ),
    "surfaces": "digest:str text:str",
}
"""Columns of each file, with their types; ``row`` and ``text`` are JSON."""


def _write(
    path: Path, name: str, batches: Iterator[list[dict[str, Any]]], change: Callable[[dict[str, Any]], dict[str, Any]]
) -> int:
    import pyarrow
    from pyarrow import parquet

    kinds = {"int": pyarrow.int64(), "str": pyarrow.string(), "time": pyarrow.timestamp("ms", tz="UTC")}
    columns = [column.split(":") for column in _COLUMNS[name].split()]
    schema = pyarrow.schema([(column, kinds[kind]) for column, kind in columns])
    times = [column for column, kind in columns if kind == "time"]
    begun = path.with_suffix(".parquet.part")
    count = 0
    begun.unlink(missing_ok=True)
    # "x": a link that somebody put there is not followed.
    with begun.open("xb") as file, parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in batches:
            rows = [{**change(row), **{column: _time(row[column]) for column in times}} for row in batch]
            writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    begun.replace(path)
    return count


def _time(value: str | None) -> Any:
    from datetime import datetime

    return None if value is None else datetime.fromisoformat(value)
