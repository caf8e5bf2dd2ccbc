"""What a terminal is shown: color, width, characters and help, on a real terminal and in a pipe."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import click
import pytest
from commandline import governor, governor_here

pytest.importorskip("termios")

from terminals import COLOR, clean, on_terminal

from mcp_governor.cli import COMMANDS, app
from mcp_governor.cli.groups import subcommands
from mcp_governor.demo.server import RELEASES
from mcp_governor.surface import build_surface, dump_surface

RED, CYAN, END = "\x1b[31m\x1b[1m", "\x1b[36m", "\x1b[0m"
PROBLEM = ("check", "gone.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, release in (("old", 1), ("new", 2)):
        (tmp_path / f"{name}.json").write_text(dump_surface(build_surface(RELEASES[release])))
    return tmp_path


def piped(*arguments: str, cwd: Path, **env: str) -> tuple[bytes, bytes]:
    """Both outputs of a run that writes to pipes."""
    outcome = governor(*arguments, cwd=cwd, env=clean(**env), alone=True)
    return outcome.stdout, outcome.stderr


def test_an_error_is_red_and_its_hint_cyan(folder: Path) -> None:
    screen = on_terminal(*PROBLEM, cwd=folder)
    assert screen.code == 2
    error, hint = screen.text.split("hint:")
    assert error == f"{RED}error:{END} gone.json does not exist.\n{CYAN}"
    assert hint.startswith(f"{END} ")


@pytest.mark.parametrize(
    ("env", "typed", "colored"),
    [
        ({}, (), True),
        ({"NO_COLOR": "1"}, (), False),
        ({"NO_COLOR": ""}, (), True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, (), False),
        ({"NO_COLOR": "1"}, ("--color", "always"), True),
        ({"TERM": "dumb"}, (), False),
        ({"TERM": "dumb"}, ("--color=always",), True),
        ({"CLICOLOR": "0"}, (), False),
        ({}, ("--color", "never"), False),
        ({"FORCE_COLOR": "1"}, ("--color=never",), False),
    ],
)
def test_who_decides_about_color_on_a_terminal(folder: Path, env: dict, typed: tuple, colored: bool) -> None:
    for arguments in (PROBLEM, ("diff", "old.json", "new.json")):
        for words in ((*typed, *arguments), (*arguments, *typed)):
            assert bool(COLOR.search(on_terminal(*words, cwd=folder, **env).text)) == colored, words


@pytest.mark.parametrize(
    ("env", "typed", "colored"),
    [
        ({}, (), False),
        ({"FORCE_COLOR": "1"}, (), True),
        ({"CLICOLOR_FORCE": "1"}, (), True),
        ({"CLICOLOR_FORCE": "0"}, (), False),
        ({"FORCE_COLOR": ""}, (), False),
        ({}, ("--color", "always"), True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, (), False),
    ],
)
def test_who_decides_about_color_in_a_pipe(folder: Path, env: dict, typed: tuple, colored: bool) -> None:
    assert (b"\x1b" in piped(*PROBLEM, *typed, cwd=folder, **env)[1]) == colored
    shown = piped("diff", "old.json", "new.json", *typed, cwd=folder, **env)[0]
    assert (b"\x1b" in shown) == colored
    # A pipe has no width: a line of a log stays whole.
    assert max(map(len, COLOR.sub("", shown.decode()).splitlines())) > 80


def test_color_after_the_dashes_belongs_to_the_server(folder: Path) -> None:
    screen = on_terminal("check", "--", "no-such-program", "--color", "never", cwd=folder)
    assert COLOR.search(screen.text)


def test_color_in_a_file_is_typed_or_not_there(folder: Path) -> None:
    for env, typed, colored in (({"FORCE_COLOR": "1"}, (), False), ({}, ("--color", "always"), True)):
        on_terminal("diff", "old.json", "new.json", "-o", "report.txt", *typed, cwd=folder, **env)
        assert ("\x1b" in (folder / "report.txt").read_text()) == colored


REPORTS = [
    ("check", "new.json"),
    ("diff", "old.json", "new.json"),
    ("lint", "new.json"),
    ("rule", "charter/use-this-when"),
    ("rules",),
    PROBLEM,
]


@pytest.mark.parametrize("env", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["color", "NO_COLOR", "dumb"])
@pytest.mark.parametrize("arguments", REPORTS, ids=" ".join)
@pytest.mark.parametrize("columns", [40, 80])
def test_lines_are_wrapped_to_the_terminal(folder: Path, arguments: tuple, env: dict, columns: int) -> None:
    screen = on_terminal(*arguments, cwd=folder, columns=columns, **env)
    assert screen.widest <= columns
    # The words are the same as in a pipe; a word that is wider than the terminal is cut.
    whole = "".join("".join(part.decode().split()) for part in piped(*arguments, cwd=folder, **env))
    assert "".join(screen.plain.split()) == whole
    if env.get("TERM") == "dumb":
        assert b"\x1b" not in screen.written
        assert b"\r" not in screen.written.replace(b"\r\n", b"")


def test_what_is_copied_is_not_broken(folder: Path) -> None:
    (folder / "CHANGELOG.md").write_text("# Log\n\n## 1.0.0 (current)\n\n### Added\n\n- `find`\n")
    config = 'baseline = "old.json"\nchangelog = "CHANGELOG.md"\nschema-version = "1.1.0"\n'
    (folder / "mcp-governor.toml").write_text(config)
    for columns in (40, 66, 80):
        assert "mcp-governor changelog draft\n" in on_terminal("check", "new.json", cwd=folder, columns=columns).plain
    verbose = on_terminal("check", "new.json", "-v", cwd=folder, columns=50).plain
    report = json.loads(piped("check", "new.json", "--format", "json", cwd=folder)[0])
    ids = [one["id"] for one in (*report["changes"], *report["findings"])]
    assert max(map(len, ids)) > 50
    assert all(f"    id: {one}\n" in verbose for one in ids)


def test_an_excerpt_of_a_file_keeps_its_columns(folder: Path) -> None:
    whole = piped("lint", "new.json", "-v", cwd=folder)[0].decode()
    for columns, env in ((40, {}), (60, {}), (60, {"LANG": "C"})):
        shown = on_terminal("lint", "new.json", "-v", cwd=folder, columns=columns, **env).plain
        frames = [row for row in shown.splitlines() if re.match(r" +(> )?\d* +\|", row)]
        end = "..." if env else "…"
        assert any(row.endswith(end) for row in frames)
        for row in frames:
            assert len(row) <= columns
            assert f"\n{row.removesuffix(end)}" in whole


def test_what_is_wrapped_hangs_below_its_mark(folder: Path) -> None:
    rows = on_terminal("lint", "new.json", cwd=folder, columns=60).plain.splitlines()
    at = next(number for number, row in enumerate(rows) if re.match("[✗!i] ", row) and len(row) > 40)
    assert re.match(r"  \S|[✗!i] |$", rows[at + 1])


def test_progress_needs_a_terminal_that_can_erase(folder: Path) -> None:
    server = ("check", "--isolated", "--", sys.executable, "-m", "mcp_governor.demo.server")
    assert b"reading" in on_terminal(*server, cwd=folder).written
    assert b"reading" not in on_terminal(*server, cwd=folder, TERM="dumb").written
    narrow = on_terminal(*server, cwd=folder, columns=30, NO_COLOR="1").written.decode()
    rows = [row for row in re.split(r"\r\x1b\[2K|\r\n", narrow) if row.startswith("reading")]
    assert 20 < max(map(len, rows)) < 30


POOR = [{"LANG": "C"}, {"LC_ALL": "C"}, {"LC_ALL": "POSIX"}, {"PYTHONIOENCODING": "ascii"}]


@pytest.mark.parametrize("env", POOR, ids=lambda env: "=".join(*env.items()))
def test_marks_are_ascii_where_the_stream_is(folder: Path, env: dict) -> None:
    for arguments in (("diff", "old.json", "new.json"), ("check", "new.json", "--format", "markdown")):
        screen = on_terminal(*arguments, cwd=folder, columns=80, **env)
        assert screen.written.isascii()
        assert "\\u" not in screen.text
        assert screen.widest <= 80 or "markdown" in arguments
    text = on_terminal("diff", "old.json", "new.json", cwd=folder, **env).plain
    assert "x argument-required" in text
    assert "1.0.0 -> 1.1.0" in text
    assert "[-- COMMAND...]" in on_terminal("check", "--help", cwd=folder, **env).text
    assert b"\nx argument-required" in piped("check", "new.json", "--against", "old.json", cwd=folder, **env)[0]


def test_a_code_page_keeps_the_marks_that_it_has(folder: Path) -> None:
    (folder / "odd.json").write_text((folder / "new.json").read_text().replace("branch-library", "bücher-書"))
    env = {"PYTHONIOENCODING": "cp1252"}
    shown = COLOR.sub("", on_terminal("diff", "old.json", "new.json", cwd=folder, **env).written.decode("cp1252"))
    assert "x argument-required" in shown
    head = on_terminal("check", "odd.json", cwd=folder, **env).written.decode("cp1252")
    assert r"bücher-\u66f8 1.1.0" in COLOR.sub("", head)


def test_json_is_the_same_value_on_every_stream(folder: Path) -> None:
    (folder / "odd.json").write_text(
        (folder / "new.json").read_text().replace("branch-library", "bücher-\\ud83d\\ude00")
    )
    arguments = ("check", "odd.json", "--format", "json")
    screen = on_terminal(*arguments, cwd=folder, LANG="C")
    assert screen.written.isascii()
    whole = piped(*arguments, cwd=folder)[0].decode()
    assert json.loads(screen.text) == json.loads(whole)
    assert "bücher-😀" in whole
    # A document in a pipe is kept by somebody: it is UTF-8, whatever the terminal could show.
    assert piped(*arguments, cwd=folder, LANG="C")[0].decode() == whole
    assert "–" in piped("check", "new.json", "--format", "markdown", cwd=folder, PYTHONIOENCODING="cp1252")[0].decode()


def _every_command() -> list[tuple[str, ...]]:
    context = click.Context(app)
    names: list[tuple[str, ...]] = [()]
    for name in COMMANDS:
        command = app.get_command(context, name)
        names.append((name,))
        if isinstance(command, click.Group):
            names += [(name, sub) for sub in subcommands(command)]
    return names


@pytest.mark.parametrize("name", _every_command(), ids=" ".join)
def test_help_fits_80_columns_and_is_whole(name: tuple, capsys) -> None:
    reported = governor_here(*name, "--help", capsys=capsys)
    assert (reported.code, reported.err) == (0, "")
    assert max(map(len, reported.out.splitlines())) <= 80
    # An ellipsis of click marks a text that it has cut; "ARGS..." and "COMMAND…" are no texts.
    assert not re.search(r"[a-z ]\.\.\.$", reported.out, re.MULTILINE)


def test_the_list_of_commands_has_the_first_sentence_of_each(capsys) -> None:
    reported = " ".join(governor_here("changelog", "--help", capsys=capsys).out.split())
    command = app.get_command(click.Context(app), "changelog")
    assert isinstance(command, click.Group)
    for child in subcommands(command).values():
        assert " ".join((child.help or "").split("\n\n")[0].split()) in reported


@pytest.mark.parametrize(("columns", "widest"), [(50, 50), (80, 80), (160, 100)])
def test_help_is_as_wide_as_can_be_read(folder: Path, columns: int, widest: int) -> None:
    screen = on_terminal("lint", "--help", cwd=folder, columns=columns)
    assert widest - 12 < screen.widest <= widest


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("check python -m foo", "mcp-governor check -- python -m foo"),
        ("check --env A=b npx -y @org/server", "mcp-governor check --env A=b -- npx -y @org/server"),
        ("lint --profile python uvx mcp-server-git", "mcp-governor lint --profile python -- uvx mcp-server-git"),
        ("call node server.js --port 3", "mcp-governor call -- node server.js --port 3"),
        ("diff old.json python3 server.py --fast", "mcp-governor diff old.json -- python3 server.py --fast"),
        ("init docker run -i mcp/time", "mcp-governor init -- docker run -i mcp/time"),
        ("snapshot /usr/bin/env -S a", "mcp-governor snapshot -- /usr/bin/env -S a"),
    ],
)
def test_a_command_without_dashes_is_recognized(capsys, line: str, meant: str) -> None:
    done = governor_here(*line.split(), capsys=capsys)
    assert done.code == 2
    assert done.err.endswith(f"hint: Put the server's command after --: {meant}\n")


def test_a_password_in_a_command_without_dashes_is_not_repeated(capsys) -> None:
    done = governor_here("check", "python", "-m", "foo", "https://user:hunter2@example.org", capsys=capsys)
    assert "-- python -m foo" in done.err
    assert "hunter2" not in done.err


def test_two_arguments_too_many_are_not_a_command(capsys) -> None:
    done = governor_here("check", "old.json", "new.json", capsys=capsys)
    assert "unexpected extra argument (new.json)" in done.err
    assert "after --" not in done.err
