"""What a run works out from our own files is kept for the next one, and nothing of anybody else."""

from __future__ import annotations

import ast
import json
import marshal
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest

from mcp_governor import kept
from mcp_governor.cli import _keep
from mcp_governor.writing import write_file

PACKAGE = Path(kept.__file__).parent
VALUE = [1, 2**40, "é", b"\0", ("a", None, True), {"b": 0.5}]


@pytest.fixture
def place(tmp_path, monkeypatch):
    file = tmp_path / "kept.bin"
    # Methods of the classes that writing needs are made now, and not while a test looks.
    write_file(file, b"")
    file.unlink()
    monkeypatch.setattr(kept, "_place", lambda: str(file))
    monkeypatch.setattr(kept, "_made", {})
    monkeypatch.setattr(kept._Process, "remembers", False)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    kept._kept.cache_clear()
    yield file
    kept._kept.cache_clear()


def _run(key, value):
    """A process that works one thing out, and ends; true if it wrote the file."""
    file = Path(kept._place())
    before = _identity(file)
    kept.start()
    kept._kept.cache_clear()
    if kept.recall(key) is None:
        kept.retain(key, value)
    _keep()
    kept._kept.cache_clear()
    return _identity(file) != before


def _identity(file):
    return (file.stat().st_mtime_ns, file.stat().st_ino) if file.exists() else None


def test_what_is_remembered_is_there_in_the_next_run(place):
    assert _run(("a", 1), VALUE)
    assert kept.recall(("a", 1)) == VALUE
    assert kept.recall(("a", 2)) is None
    # Nothing new, so nothing is written.
    assert not _run(("a", 1), "other")
    assert _run(("b",), 2)
    assert [kept.recall(("a", 1)), kept.recall(("b",))] == [VALUE, 2]


def test_a_process_that_did_not_start_remembers_nothing(place):
    kept.retain(("a",), 1)
    assert not kept.remembers()
    assert kept.unkept() is None


def test_what_cannot_be_kept_is_not(place):
    kept.start()
    kept.retain(("a",), object())
    assert kept.unkept() is None


@pytest.mark.parametrize(
    "damage",
    [
        *(pytest.param(lambda data, at=at: data[: len(data) * at // 8], id=f"cut-{at}") for at in range(8)),
        *(
            pytest.param(
                lambda data, at=at: data[: -1 - at] + bytes([data[-1 - at] ^ 1]) + data[len(data) - at :],
                id=f"flipped-{at}",
            )
            for at in range(0, 150, 9)
        ),
        pytest.param(lambda _: b"\0" * 10_000, id="zeros"),
        pytest.param(lambda _: os.urandom(10_000), id="noise"),
        pytest.param(lambda _: kept._beginning(b"(") + b"(", id="not-marshal"),
    ],
)
def test_a_damaged_file_counts_as_none_and_is_replaced(place, damage):
    _run(("a",), VALUE)
    place.write_bytes(damage(place.read_bytes()))
    kept._kept.cache_clear()
    assert kept.recall(("a",)) is None
    assert _run(("a",), VALUE)
    assert kept.recall(("a",)) == VALUE


def test_a_damaged_index_finds_nothing(place):
    _run(("first",), 1)
    place.write_bytes(place.read_bytes().replace(b"first", b"other"))
    kept._kept.cache_clear()
    assert kept.recall(("other",)) is None


def test_a_damaged_value_does_not_become_whole_when_another_is_added(place):
    _run(("a",), b"a" * 100)
    _run(("b",), b"b" * 100)
    content = place.read_bytes()
    place.write_bytes(content.replace(b"a" * 100, b"a" * 99 + b"x"))
    assert _run(("c",), 3)
    assert [kept.recall((name,)) for name in "abc"] == [None, b"b" * 100, 3]
    assert _run(("a",), 1)
    assert [kept.recall((name,)) for name in "abc"] == [1, b"b" * 100, 3]


@pytest.mark.parametrize(("where", "what"), [(sys, "version"), (kept, "__version__"), (sys, "byteorder")])
def test_a_file_of_another_interpreter_or_version_counts_as_none(place, monkeypatch, where, what):
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(where, what, "3.11.0 (other)")
        _run(("a",), 1)
        assert kept.recall(("a",)) == 1
    kept._kept.cache_clear()
    assert kept.recall(("a",)) is None


def test_a_folder_in_place_of_the_file_is_no_file(place):
    place.mkdir()
    assert kept.recall(("a",)) is None


def test_nothing_is_written_where_python_writes_no_bytecode(place, monkeypatch):
    kept.start()
    kept.retain(("a",), 1)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert kept.unkept() is None
    kept.start()
    assert not kept.remembers()


def test_nothing_is_written_into_a_folder_that_is_read_only(place, monkeypatch):
    kept.start()
    kept.retain(("a",), 1)
    asked = []
    monkeypatch.setattr(os, "access", lambda folder, mode: asked.append((folder, mode)))
    assert kept.unkept() is None
    assert asked == [(str(place.parent), os.W_OK)]


def test_an_interpreter_that_keeps_no_bytecode_keeps_nothing(monkeypatch):
    monkeypatch.setattr(kept, "__spec__", SimpleNamespace(cached=None))
    assert kept._place() is None
    kept.start()
    assert not kept.remembers()
    kept._kept.cache_clear()
    assert kept.recall(("a",)) is None
    kept._kept.cache_clear()


def test_the_file_is_next_to_the_bytecode():
    assert kept._place() == str(Path(kept.__spec__.cached).with_suffix(".bin"))


def test_the_file_begins_again_where_it_would_grow_too_large(place, monkeypatch):
    _run(("a",), "a" * 500)
    monkeypatch.setattr(kept, "_LIMIT", 900)
    _run(("b",), "b" * 500)
    assert [kept.recall(("a",)), kept.recall(("b",))] == [None, "b" * 500]
    assert not _run(("c",), "c" * 2_000)
    monkeypatch.setattr(kept, "_LIMIT", 100)
    kept._kept.cache_clear()
    assert kept.recall(("b",)) is None


def test_what_another_process_wrote_meanwhile_stays(place):
    kept.start()
    kept.recall(("a",))
    kept.retain(("a",), 1)
    place.write_bytes(kept._content({("b",): marshal.dumps(2)}))
    written = kept.unkept()
    assert written is not None
    write_file(*written)
    kept._kept.cache_clear()
    assert [kept.recall(("a",)), kept.recall(("b",))] == [1, 2]


WRITER = """
import sys
from mcp_governor import kept
from mcp_governor.cli import _keep
place, name = sys.argv[1:]
kept._place = lambda: place
kept.start()
for turn in range(20):
    kept.retain((name, turn), name * 10_000)
    _keep()
    assert kept._read(place)[0], "a reader saw a file that is not whole"
"""


def test_two_processes_at_once_leave_a_file_that_is_whole(place):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(place), name], env=environment, stderr=subprocess.PIPE)
        for name in "ab"
    ]
    assert [process.communicate(timeout=60)[1] for process in running] == [b"", b""]
    last = [kept.recall((name, 19)) for name in "ab"]
    assert "a" * 10_000 in last or "b" * 10_000 in last
    assert [file.name for file in place.parent.iterdir()] == [place.name]


def test_threads_that_ask_at_once_get_the_same(place):
    _run(("a",), VALUE)
    found = []
    threads = [Thread(target=lambda: found.append(kept.recall(("a",)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [VALUE] * 8


MARK = "xqmarkerzq"


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """A folder for bytecode of its own, and a server and a rule of a stranger."""
    folder = tmp_path_factory.mktemp("kept")
    schema = {
        "type": "object",
        "properties": {MARK: {"type": "string", "description": f"One of `{MARK}a` or `{MARK}b`.", "pattern": MARK}},
    }
    tool = {"name": f"get_{MARK}", "description": f"Gets {MARK}. Requires {MARK}.", "inputSchema": schema}
    (folder / "server.json").write_text(json.dumps({"tools": [tool], "serverInfo": {"name": MARK, "version": "1"}}))
    (folder / "rules").mkdir()
    (folder / "rules" / "own.toml").write_text(
        f'id = "own/{MARK}"\nsummary = "s"\nwhy = "w"\nsource = "s"\nseverity = "info"\nsince = "1"\nfix = "f"\n'
        f'message = "{MARK} m"\ngiven = "$.name"\nforbid = "{MARK}"\n'
        '[[pass]]\ntool = \'{"name": "a"}\'\n'
        f'[[fail]]\ntool = \'{{"name": "{MARK}"}}\'\n'
    )
    (folder / "mcp-governor.toml").write_text(f'[lint]\nrules = ["rules"]\nextend-select = ["own/{MARK}"]\n')
    return folder


def _lint(folder, *flags, prefix="bytecode"):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, *flags, "-m", "mcp_governor", "lint", "server.json"],
        cwd=folder,
        env={**environment, "PYTHONPYCACHEPREFIX": str(folder / prefix)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_run_keeps_what_is_ours_and_nothing_of_a_stranger(installation):
    first = _lint(installation)
    assert f"{MARK} m" in first
    (file,) = (installation / "bytecode").rglob("*.bin")
    content = file.read_bytes()
    assert len(content) > 100_000
    assert MARK.encode() not in content
    before = _identity(file)
    assert _lint(installation) == first
    assert _identity(file) == before


def test_a_run_without_bytecode_keeps_nothing_and_says_the_same(installation):
    assert _lint(installation, "-B", prefix="none") == _lint(installation)
    assert not list(installation.glob("none/**/*.bin"))


CALLS = {
    "lazy_pattern": None,
    "Guarded": None,
    "compiled_once": {"lazy.py", "prose/guarded.py"},
    "method_once": {"frozen.py", "named.py"},
    "retain": {"compiled.py", "rule_names.py"},
    "own_toml": {"rule_names.py", "rules/catalogue.py", "rules/rule_file.py", "rules/stances.py"},
}
"""Function → files that may call it; ``None``: any file, but while its module is imported only."""


def _calls(node: ast.AST, within: bool = False) -> list[tuple[str, bool]]:
    """Calls of functions by name, each with whether it is within a function."""
    found = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Name | ast.Attribute):
            name = child.func.id if isinstance(child.func, ast.Name) else child.func.attr
            found.append((name, within))
        inside = within or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        found += _calls(child, inside)
    return found


def test_expressions_of_strangers_come_nowhere_near():
    seen = set()
    for file in PACKAGE.rglob("*.py"):
        place = file.relative_to(PACKAGE).as_posix()
        for name, within in _calls(ast.parse(file.read_text("utf-8"))):
            if name in CALLS:
                files = CALLS[name]
                seen.add(name)
                assert not within if files is None else place in files, f"{place} calls {name}"
    assert seen == CALLS.keys()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes of POSIX")
def test_a_link_is_neither_read_nor_followed_and_a_pipe_is_not_waited_for(place):
    assert _run(("a",), VALUE)
    other = place.with_name("other")
    place.rename(other)
    content = other.read_bytes()
    place.symlink_to(other)
    assert kept.recall(("a",)) is None
    assert not _run(("a",), "new")
    assert other.read_bytes() == content
    place.unlink()
    os.mkfifo(place)
    kept._kept.cache_clear()
    assert kept.recall(("a",)) is None
