"""What a command loads before it does its work: the speed of the start, asserted as sets of modules, never as times."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# A process that says at its end what it loaded.
DUMP = """
import atexit, os, sys
atexit.register(lambda: open(os.environ["LOADED"], "w").write("\\n".join(sys.modules)))
from mcp_governor.cli import run
sys.exit(run(sys.argv[1:]))
"""
SERVER = f"{sys.executable} -m mcp_governor.demo.server"

# What costs milliseconds, of ours and beside it.
ENGINES = ("jsonschema_rs", "mcp_governor.change.schemas", "mcp_governor.containment.decide")
PROOF = ("jsonschema", "referencing", "mcp_governor.containment.solver", "mcp_governor.containment.formulas")
WIRE = ("mcp_governor.wire.endpoint", "mcp_governor.wire.session", "subprocess")
HEAVY = ("rich", "pydantic", "anyio", "asyncio", "httpx2", "mcp", "markdown_it", "importlib.metadata")
BESIDE_LOOP = tuple(name for name in HEAVY if name not in ("anyio", "asyncio"))
LINTER = ("mcp_governor.rules", "tomli")
READER = ("mcp_governor.changelog.reading", "mcp_governor.changelog.grammar", "mcp_governor.changelog.subjects")


def _surface(**arguments: object) -> str:
    schema = {"type": "object", "properties": {"query": {"type": "string"}, **arguments}, "required": ["query"]}
    tool = {"name": "find", "description": "Finds a book.", "inputSchema": schema}
    return json.dumps({"tools": [tool], "serverInfo": {"name": "shelf", "version": "1.0.0"}})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    old = _surface()
    (tmp_path / "old.json").write_text(old)
    (tmp_path / "reworded.json").write_text(old.replace("a book", "any book"))
    (tmp_path / "wider.json").write_text(_surface(limit={"type": "integer"}))
    (tmp_path / "broken.json").write_text(old.replace('"string"', '"integer"'))
    return tmp_path


def _loaded(folder: Path, line: str, code: int) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", DUMP, *line.split()],
        cwd=folder,
        env={**os.environ, "LOADED": str(folder / "loaded")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return set((folder / "loaded").read_text().splitlines())


@pytest.mark.parametrize(
    ("line", "code", "absent"),
    [
        (
            "--version",
            0,
            (*HEAVY, *LINTER, *WIRE, *ENGINES, *PROOF, "mcp_governor.config", "mcp_governor.surface", "pathlib"),
        ),
        (
            "diff old.json reworded.json",
            0,
            (*HEAVY, *LINTER, *WIRE, *READER, *ENGINES, *PROOF, "shutil", "tempfile", "difflib"),
        ),
        ("diff old.json wider.json", 0, (*HEAVY, *LINTER, *WIRE, *READER, *PROOF)),
        ("diff old.json broken.json", 1, (*HEAVY, *LINTER, *WIRE, *READER)),
        ("fingerprint old.json", 0, (*HEAVY, *LINTER, *WIRE, *ENGINES, *PROOF)),
        ("snapshot old.json -o copy.json", 0, (*HEAVY, *READER, *ENGINES, *PROOF)),
        ("check --isolated old.json --against old.json --format json", 0, (*HEAVY, *WIRE, *READER, *PROOF)),
        ("lint --isolated old.json", 0, (*HEAVY, *WIRE, *READER, *ENGINES, *PROOF)),
        (f"check --isolated -- {SERVER}", 0, (*BESIDE_LOOP, *READER, *PROOF, "mcp_governor.change.schemas")),
    ],
)
def test_a_path_loads_only_what_it_needs(folder: Path, line: str, code: int, absent: tuple[str, ...]) -> None:
    assert _loaded(folder, line, code) & set(absent) == set()


def test_a_lint_of_three_tools_loads_few_of_our_modules(folder: Path) -> None:
    """Each costs half a millisecond to find, read and execute, which is half of such a run."""
    book = {"type": "string", "description": "Identifier of the book, for example B-12."}
    size = {"type": "integer", "description": "Maximum number of results (1-50, default 10)"}
    tools = [
        {"name": "get_book", "description": "Get one book.", "inputSchema": _object({"book_id": book})},
        {"name": "search_books", "description": "Search for books by title.", "inputSchema": _object({"limit": size})},
        {"name": "delete_book", "description": "Delete a book for good.", "inputSchema": _object({"book_id": book})},
    ]
    (folder / "three.json").write_text(json.dumps({"tools": tools}))
    loaded = {name for name in _loaded(folder, "lint three.json", 0) if name.partition(".")[0] == "mcp_governor"}
    assert len(loaded) <= 111, sorted(loaded)


def _object(properties: dict[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": properties}


def test_a_break_is_confirmed_by_the_other_validator(folder: Path) -> None:
    """Its import is the dearest of all, and it is not done without."""
    assert {"jsonschema.validators", "jsonschema_rs"} <= _loaded(folder, "diff old.json broken.json", 1)


def test_what_is_asked_for_is_loaded(folder: Path) -> None:
    assert "rich" in _loaded(folder, "diff old.json reworded.json --color always", 0)
    (folder / "log.md").write_text("# Changelog\n\n## 1.0.0 (current)\n")
    (folder / "mcp-governor.toml").write_text('changelog = "log.md"\n')
    assert set(HEAVY) & _loaded(folder, "check old.json --against old.json", 1) <= {"markdown_it"}
