"""Every place that writes is known: through ``writing.py`` with a root, or in a list here that says why not.

A path that a configuration, a default name or a repository gives needs a root, or ``write_below`` for a folder that the
user typed (docs/trust.md, "What is promised"). Who adds a writer uses that door, or says here whose path it is.
"""

from __future__ import annotations

import ast
import gc
import re
from functools import cache
from typing import TYPE_CHECKING

import pytest
from support import REPO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PACKAGE = REPO / "mcp_governor"
DOOR = PACKAGE / "writing.py"

OWN = "a temporary folder of this run, or a folder of our own in the cache of the user"
SEEDED = "sample files in a temporary folder: O_EXCL, so that a link of a server is not followed"

WRITERS = {
    OWN: {
        "call/sandbox.py Sandbox.root: mkdtemp",
        "call/sandbox.py Sandbox.repository: mkdir",
        "call/sandbox.py Sandbox.close: chmod",
        "call/sandbox.py Sandbox.close: rmtree",
        "call/sandbox.py _fill: write_text",
        "cli/ci_command.py _default_folder: mkdtemp",
        "cli/demo_command.py demo: mkdtemp",
        "cli/demo_command.py demo: rmtree",
        "cli/demo_command.py _show_all: write_text",
        "load/listing.py _null: TemporaryDirectory",
        "load/locust_engine.py LocustEngine.__init__: mkdtemp",
        "load/locust_engine.py LocustEngine.__init__: write_text",
        "load/locust_engine.py LocustEngine._log: open",
        "load/locust_engine.py LocustEngine.close: rmtree",
        "load/engines.py NullStdio.__init__: TemporaryDirectory",
        "load/engines.py null_endpoint: write_bytes",
        "server/pool.py Jobs._started: mkdtemp",
        "server/pool.py Jobs._end: rmtree",
        "target/packages.py neutral_folder: mkdir",
        "target/packages.py neutral_folder: mkdtemp",
        "target/packages.py neutral_folder: rmtree",
    },
    SEEDED: {"call/sandbox.py _write: os.open"},
    "opens for reading: its flags are O_RDONLY": {
        "files.py read_bytes: os.open",
        "files.py _open_below: os.open",
        "files.py read_end: os.open",
    },
    "the folder of an export, which the user types, with every link resolved; it is locked before files are made": {
        "schema_files/folder.py export: mkdir",
    },
    "removes a recording whose place `checked_place` judged, after it was written under its new name": {
        "cli/schema_version_command.py schema_version: unlink",
    },
    "the folder of the index or of an export, which the user typed; no link in it is followed": {
        "cli/fleet_options.py write_fleet: mkdir",
        "store/parquet.py export: mkdir",
        "store/parquet.py _write: open",
        "store/parquet.py _write: replace",
        "store/parquet.py _write: unlink",
    },
    "the folder of logins in the state folder of the user, which no repository names": {
        "target/logins.py _folder_made: mkdir",
        "target/logins.py forget: unlink",
    },
    "SQLite opens its own file": {
        "evaluation/store.py Store.__init__: connect",
        "evaluation/store.py Store._prepare: mkdir",
        "evaluation/store.py Store._prepare: os.open",
        "evaluation/store.py _ours: connect",
    },
    "the folder that the user typed or that the run made, and the files that the runner of the job names": {
        "ci/phases.py check: unlink",
        "ci/phases.py _append: open",
        "ci/phases.py _write: mkdir",
    },
}
"""Reason → places that write without ``writing.py``, as FILE FUNCTION: HOW."""

ROOTLESS = {
    "the user typed the file (--output, --out, --json-out, --record, …)": {
        "cli/common.py _write_file: write_file",
        "cli/eval_results.py eval_report: write_file",
        "cli/login_command.py _write: NewFile",
    },
    "the record of an evaluation, with the root of `_record_place`; --json-out": {
        "cli/eval_run.py eval_run: write_file"
    },
    "the user typed the file; without that there is a root": {
        "cli/load_sweep.py load_locustfile: NewFile",
        "cli/lint_command.py _write_baseline: NewFile",
        "cli/snapshot_command.py snapshot: write_file",
    },
    "the configuration itself: typed with --config, else with its folder as root": {
        "cli/accept_command.py accept: NewFile",
    },
    "the folder of the project, from the command line, as root": {
        "cli/init_command.py _first_files: NewFile",
        "cli/eval_sets.py eval_init: NewFile",
    },
    "a folder that the user typed: no link in it is followed": {
        "schema_files/folder.py _write.file: NewFile",
    },
    "a folder of rules: typed, and then `write_below`, else with a root": {
        "rules/scaffold.py write_pages: write_file",
    },
    "the folder of logins in the state folder of the user, which no repository names": {
        "target/logins.py save: NewFile",
    },
    "our own file next to Python's bytecode, never through a link": {},
    "next to the store that it describes": {"evaluation/store.py Store._prepare: write_file"},
}
"""Reason → callers of the door that name no root, or one of which this test does not see what it is."""

DESTINATIONS = {
    "what the user typed: --output, --report, --json-out, --markdown-out, --html-out": {
        "cli/common.py _run",
        "cli/common.py deliver",
        "cli/load_probe.py load_probe",
    },
    "what the user typed; in the folder of --report-dir and next to a report, no link is followed": {
        "cli/load_sweep.py _write",
        "cli/load_sweep.py load_sweep",
    },
}
"""Reason → who says where the output of a command goes: ``Output`` has no root."""

_ALWAYS = {
    *("write_text", "write_bytes", "mkdir", "makedirs", "touch", "rename", "renames", "symlink_to", "hardlink_to"),
    *("unlink", "rmdir", "removedirs", "chmod", "lchmod", "mkfifo", "mknod", "symlink", "FileHandler", "ZipFile"),
    *("mkdtemp", "mkstemp", "mktemp", "TemporaryDirectory", "TemporaryFile", "NamedTemporaryFile"),
    *("SpooledTemporaryFile", "rmtree", "copyfile", "copytree", "copy2", "copymode", "copystat", "make_archive"),
    *("unpack_archive",),
}
"""Names that mean nothing but writing."""
_OF_MODULE = {
    "os": {"link", "remove", "replace", "truncate", "chown", "utime", "open"},
    "shutil": {"copy", "move", "chown"},
    "sqlite3": {"connect"},
    "shelve": {"open"},
    "dbm": {"open"},
}
"""Names that mean it only in their module."""
_OURS = {"write_text"}
"""Functions of ours with such a name, called without an object; :data:`DESTINATIONS` covers them."""
_NAMES = {*_ALWAYS, *set().union(*_OF_MODULE.values()), "replace", "write_file", "NewFile", "Output"}
_WORDS = re.compile(rf"\b(?:{'|'.join(_NAMES)})\b")
"""Words without which no judge finds anything: a file that has none of them need not be parsed."""


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Every node with the name of the function that it is in."""
    waiting: list[tuple[str, ast.AST]] = [("", tree)]
    while waiting:
        where, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            inner = f"{where}.{child.name}".lstrip(".") if named else where
            yield inner, child
            waiting.append((inner, child))


def writes(node: ast.AST) -> str:
    """How a node writes or makes a file or folder; empty if it does not."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in _OURS:
        return node.id if node.id in _ALWAYS else ""
    if isinstance(node, ast.Attribute):
        module = node.value.id if isinstance(node.value, ast.Name) else ""
        if node.attr in _OF_MODULE.get(module, ()) and (module, node.attr) != ("os", "open"):
            return node.attr
        return node.attr if node.attr in _ALWAYS else ""
    if not isinstance(node, ast.Call):
        return ""
    name = ast.unparse(node.func)
    if name == "os.open":
        how = ast.unparse(node)
        return "" if "os.devnull" in how or ("O_RDONLY" in how and "O_CREAT" not in how) else "os.open"
    if name == "open" or name.endswith(".open"):
        # open(FILE, MODE), FILE.open(MODE)
        given = node.args[1 if name == "open" else 0 :][:1] + [one.value for one in node.keywords if one.arg == "mode"]
        modes = [one.value if isinstance(one, ast.Constant) else "w" if name == "open" else "" for one in given]
        return "open" if any(isinstance(mode, str) and set("wax+") & set(mode) for mode in modes) else ""
    # Path.replace(TARGET); str.replace has two arguments, and dataclasses.replace no object.
    is_move = isinstance(node.func, ast.Attribute) and node.func.attr == "replace" and len(node.args) == 1
    return "replace" if is_move and not node.keywords and name != "os.replace" else ""


def names_no_root(node: ast.AST) -> str:
    """The function of the door that a node calls without a root that is one by its form; empty if it does not."""
    name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    if name not in ("write_file", "NewFile"):
        return ""
    assert isinstance(node, ast.Call)
    given = [*node.args[2:3]] if name == "NewFile" else []
    given += [one.value for one in node.keywords if one.arg == "root"]
    is_root = given and isinstance(given[0], ast.Attribute) and given[0].attr in ("root", "parent")
    return "" if is_root else name


def says_where(node: ast.AST) -> str:
    """Not empty if a node makes an ``Output`` that has a file."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return ""
    has_file = any(one.arg == "file" for one in node.keywords)
    if node.func.id == "Output":
        return "Output" if has_file or len(node.args) > 1 else ""
    return "Output" if node.func.id == "replace" and has_file else ""


@cache
def seen() -> list[tuple[Callable[[ast.AST], str], str, str, str]]:
    """What each judge finds in the package: the judge, the file, the function, and how."""
    found = []
    gc.disable()  # which would look through hundreds of thousands of nodes that all stay until their file is done
    try:
        for file in PACKAGE.rglob("*.py"):
            text = file.read_text("utf-8")
            if file == DOOR or not _WORDS.search(text):
                continue
            for function, node in calls(ast.parse(text)):
                for judge in (writes, names_no_root, says_where):
                    if how := judge(node):
                        found.append((judge, file.relative_to(PACKAGE).as_posix(), function, how))
    finally:
        gc.enable()
    return found


@pytest.fixture(scope="module", autouse=True)
def _seen() -> None:
    """The cost is that of the module, not of the first test that looks."""
    seen()


def found(judge: Callable[[ast.AST], str], form: str = "{file} {function}: {how}") -> set[str]:
    return {form.format(file=file, function=function, how=how) for by, file, function, how in seen() if by is judge}


def listed(table: dict[str, set[str]]) -> set[str]:
    return set().union(*table.values())


def test_every_writer_is_the_door_or_has_a_reason() -> None:
    assert found(writes) == listed(WRITERS)


def test_every_caller_without_a_root_has_a_reason() -> None:
    assert found(names_no_root) == listed(ROOTLESS)


def test_every_destination_of_an_output_was_typed() -> None:
    # Other floors have functions and classes of the same names.
    seen = {one for one in found(says_where, "{file} {function}") if one.startswith("cli/")}
    assert seen == listed(DESTINATIONS)


@pytest.mark.parametrize(
    "line",
    [
        'Path(name).write_text("a")',
        'open(name, "w")',
        "open(name, mode)",
        "os.open(name, os.O_WRONLY | os.O_CREAT)",
        "os.open(name, os.O_RDONLY | os.O_CREAT)",
        "name.mkdir(parents=True)",
        "name.replace(other)",
        "shutil.copy(name, other)",
        "atexit.register(rmtree, name)",
        "tempfile.mkdtemp()",
        "sqlite3.connect(name)",
        "name.unlink()",
    ],
)
def test_a_new_writer_is_seen(line: str) -> None:
    assert any(writes(node) for _, node in calls(ast.parse(line)))


@pytest.mark.parametrize(
    ("line", "how"),
    [
        ("write_file(name, text)", "write_file"),
        ("write_file(name, text, root=None if out else config.root)", "write_file"),
        ("NewFile(name, text)", "NewFile"),
        ("NewFile(name, text, None)", "NewFile"),
        ("write_file(name, text, root=config.root)", ""),
        ("NewFile(name, text, path.parent)", ""),
    ],
)
def test_a_call_without_a_root_is_seen(line: str, how: str) -> None:
    assert {seen for _, node in calls(ast.parse(line)) if (seen := names_no_root(node))} == ({how} if how else set())
