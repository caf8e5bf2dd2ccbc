"""Exit codes and the options that every command shares (docs/commands.md)."""

from __future__ import annotations

import copy
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from commandline import PYTHON, governor_here
from support import Leash

from mcp_governor.demo.server import RELEASES
from mcp_governor.errors import (
    ConfigError,
    Exit,
    FileFormatError,
    MissingDependencyError,
    NothingCheckedError,
    ProtocolError,
    TargetError,
    UnreachableError,
    UsageError,
)
from mcp_governor.surface import build_surface, dump_surface

# Without a baseline, a fingerprint and a version there is nothing to say but what lint says.
SAID = {"description": "Sums up the figures of a day.", "inputSchema": {"type": "object", "properties": {}}}
WARNED = {
    "tools": [
        {"name": "find", "description": "", "inputSchema": {"type": "object"}},
        *({"name": name, **SAID} for name in ("sum_day", "sum_week")),
    ]
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``old.json``, a breaking ``new.json``, ``warned.json`` with warnings only, ``empty.json``."""
    broken = copy.deepcopy(RELEASES[1])
    broken["tools"][2]["inputSchema"]["required"].append("branch")
    for name, raw in (("old", RELEASES[1]), ("new", broken), ("warned", WARNED), ("empty", {"tools": []})):
        (tmp_path / f"{name}.json").write_text(dump_surface(build_surface(raw)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def here(folder: Path, capsys):
    def work(*arguments: str):
        return governor_here(*arguments, capsys=capsys)

    return work


TABLE = [
    (0, "check old.json --against old.json"),
    (1, "check new.json --against old.json"),
    (2, "check gone.json"),
    (2, "check old.json --against gone.json"),
    (3, "check -- no-such-command-anywhere"),
    (3, "check old.json --against http://127.0.0.1:9/mcp --timeout 2"),
    (4, "check empty.json"),
    (0, "diff old.json old.json"),
    (1, "diff old.json new.json"),
    (0, "diff old.json warned.json --fail-on never"),
    (2, "diff old.json"),
    (2, "diff old.json new.json -- command"),
    (2, "diff old.json gone.json"),
    (4, "diff empty.json old.json"),
    (0, "lint old.json"),
    (0, "lint warned.json"),
    (1, "lint warned.json --fail-on warning"),
    (0, "lint warned.json --fail-on warning --exit-zero"),
    (2, "lint old.json --select charter/no-such-rule"),
    (4, "lint empty.json"),
    (0, "fingerprint old.json"),
    (2, "fingerprint gone.json"),
    (0, "snapshot old.json -o -"),
    (4, "snapshot empty.json -o out.json"),
    (2, "changelog check old.json"),
    (2, "changelog show"),
    (0, "rules"),
    (2, "rules --pack none"),
    (0, "rule charter/length"),
    (2, "rule charter/none"),
    (0, "schema report"),
    (2, "schema none"),
    (2, "accept a:-:/:00000000 --reason r"),
    (0, "--version"),
    (0, "--help"),
    (0, "check --help"),
]


@pytest.mark.parametrize(("code", "line"), TABLE, ids=[line for _, line in TABLE])
def test_exit_codes(here, code: int, line: str) -> None:
    outcome = here(*line.split())
    assert outcome.code == code, outcome.out + outcome.err
    if code >= 2:
        assert not outcome.out
        assert outcome.err


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("chek", 'No such command "chek". Did you mean "check"?'),
        ("xyzzy", 'No such command "xyzzy".'),
        ("changelog chek", 'No such command "chek". Did you mean "check"?'),
        ("check --formt json", "error: No such option --formt.\nhint: Did you mean --format?\n"),
        (
            "lint --xyzzy",
            "error: No such option --xyzzy.\nhint: For the arguments and options: mcp-governor lint --help\n",
        ),
        ("--colr never check", "Did you mean --color?"),
        ("check --format xml", "xml is not a report format (text, json, sarif"),
        ("check --fail-on fatal", "'fatal' is not one of"),
        ("check --timeout 0", "is out of range"),
        ("check --color sometimes", "'sometimes' is not one of"),
        ("check --config gone.toml", "gone.toml does not exist."),
        ("check --", "No command follows --; add the command that starts the server."),
        ("check old.json -- python server.py", 'Both a TARGET ("old.json") and a command after -- are given.'),
        ("check", "No TARGET is given, and the configuration does not name one."),
        ("diff old.json", "diff compares two targets."),
        ("check --offline -- command", "--offline does not start a server"),
    ],
)
def test_wrong_command_lines_say_what_was_meant(here, line: str, sentence: str) -> None:
    outcome = here(*line.split())
    assert (outcome.code, outcome.out) == (2, "")
    assert sentence in outcome.err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError, 2),
        (ConfigError, 2),
        (TargetError, 2),
        (FileFormatError, 2),
        (MissingDependencyError, 2),
        (UnreachableError, 3),
        (ProtocolError, 3),
        (NothingCheckedError, 4),
    ],
)
def test_errors_end_in_their_code_with_message_and_hint(here, monkeypatch, error, code: int) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error("It went wrong.", "Do better.")

    monkeypatch.setattr("mcp_governor.checking.run.check_as_asked", fail)
    outcome = here("check", "old.json")
    assert (outcome.code, outcome.out, outcome.err) == (code, "", "error: It went wrong.\nhint: Do better.\n")


def test_a_bug_is_reported_as_one(here, monkeypatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by \x1b[31mzero")

    monkeypatch.setattr("mcp_governor.checking.run.check_as_asked", fail)
    monkeypatch.delenv("MCP_GOVERNOR_DEBUG", raising=False)
    outcome = here("check", "old.json")
    assert (outcome.code, outcome.out) == (Exit.BUG, "")
    assert r"ZeroDivisionError: by \x1b[31mzero" in outcome.err
    assert "Traceback" not in outcome.err
    monkeypatch.setenv("MCP_GOVERNOR_DEBUG", "1")
    assert "Traceback" in here("check", "old.json").err


def test_a_folder_that_is_gone_is_not_a_bug(folder: Path, here) -> None:
    gone = folder / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    outcome = here("check", "old.json")
    assert outcome.code == 2
    assert "The current folder no longer exists." in outcome.err


@pytest.mark.parametrize("line", [("check", ""), ("check", "old.json", "--against", ""), ("check", "--offline", " ")])
def test_a_shell_variable_that_is_not_set_is_not_a_default(folder: Path, here, line: tuple[str, ...]) -> None:
    (folder / "mcp-governor.toml").write_text('baseline = "old.json"\ntarget = "old.json"\n')
    outcome = here(*line)
    assert (outcome.code, outcome.out) == (2, "")
    assert "A TARGET is empty." in outcome.err


def test_an_interruption_is_not_a_verdict(here, monkeypatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mcp_governor.checking.run.check_as_asked", interrupt)
    outcome = here("check", "old.json")
    assert (outcome.code, outcome.out, outcome.err) == (130, "", "\ninterrupted\n")


def test_control_c_ends_the_server_too(folder: Path) -> None:
    leash = Leash()
    # It tells that it was asked something, and then never answers.
    code = "import pathlib, sys, time; sys.stdin.readline(); pathlib.Path('asked').touch(); time.sleep(600)"
    server = json.dumps([PYTHON, "-c", code])
    config = f'[servers.h]\ncommand = {server}\nenv = {{ MCP_GOVERNOR_TEST = "$MCP_GOVERNOR_TEST" }}\n'
    (folder / "mcp-governor.toml").write_text(config)
    with subprocess.Popen(
        [PYTHON, "-m", "mcp_governor", "check"],
        env={**os.environ, "MCP_GOVERNOR_TEST": leash.mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        deadline = time.monotonic() + 60
        while not (folder / "asked").exists():
            assert time.monotonic() < deadline, "the server was never asked"
            time.sleep(0.05)
        # ours, the leash of the server, and the server
        assert len(leash.running()) == 3
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"\ninterrupted\n")
    assert leash.left_behind() == []


@pytest.mark.parametrize(
    ("level", "found", "code"),
    [
        ("error", "error", 1),
        ("warning", "error", 1),
        ("info", "error", 1),
        ("never", "error", 0),
        ("error", "warning", 0),
        ("warning", "warning", 1),
        ("info", "warning", 1),
        ("never", "warning", 0),
    ],
)
@pytest.mark.parametrize("where", ["option", "config"])
def test_fail_on_decides_what_fails(folder: Path, here, level: str, found: str, code: int, where: str) -> None:
    config = f'[lint]\nselect = ["clarity/length"]\nseverity = {{ "clarity/length" = "{found}" }}\n'
    option = ["--fail-on", level] if where == "option" else []
    (folder / "mcp-governor.toml").write_text(config if option else f'fail-on = "{level}"\n{config}')
    outcome = here("check", "warned.json", "--format", "json", *option)
    assert {finding["severity"] for finding in outcome.report["findings"]} == {found}
    assert (outcome.code, outcome.report["verdict"]) == (code, "fail" if code else "pass")


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_a_report_goes_to_a_file_whole_or_not_at_all(folder: Path, here, monkeypatch, form: str) -> None:
    arguments = ["check", "new.json", "--against", "old.json", "--format", form]
    printed = here(*arguments)
    file = folder / "report"
    written = here(*arguments, "--output", "report")
    assert (written.code, written.out, written.err) == (printed.code, "", "") == (1, "", "")
    assert file.read_bytes() == printed.stdout
    file.write_text("the old report")
    before = sorted(path.name for path in folder.iterdir())

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    failed = here(*arguments, "--output", "report")
    assert failed.code == 2
    assert "report cannot be written: No space left on device." in failed.err
    assert file.read_text() == "the old report"
    assert sorted(path.name for path in folder.iterdir()) == before
