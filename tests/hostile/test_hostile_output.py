"""Whatever a stranger writes: nothing that is printed obeys it, hides in it, or has no end."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
import unicodedata
from pathlib import Path

import pytest
from attack import Attacked, attack
from support import REPO, reported
from terminals import on_terminal

from mcp_governor.text import LONGEST_LINE, printable

HOSTILE = (
    "::error file=a::pwned",
    " \t::stop-commands::x",
    "\u3000::set-output name=a::b",
    "a\n::add-mask::b",
    "a\r\n  ::warning::b",
    "##[error]pwned",
    "##vso[task.setvariable variable=a]b",
    "##teamcity[buildStatus status='FAILURE']",
    "\x1b]52;c;cHduZWQ=\x07",
    "\x1b[2J\x9b31m\x85\u2028\u2029::error::x",
    "\u202eevil\u2066\u200b\ufeff\U000e0041\U0001d173",
    "word " * 30 + "::error::wrapped " * 20,
    "x" * 81 + "::error::folded",
)
_COMMAND = re.compile(r"^\s*(?:\x1b\[[0-9;]*m|\s)*::|##\w*\[", re.M)
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
_PRINTERS = re.compile(r"\bprint(?:_exception)?\b|\bs?echo\b|\bstd(?:out|err)\b")
"""Words without which nothing prints: a file that has none of them need not be parsed."""


def quiet(ran: Attacked, *codes: int, styled: bool = False) -> Attacked:
    """The run, if it held and nothing that it printed is more than text."""
    ran.held(*codes)
    for name, text in {"stdout": ran.out, "stderr": ran.err}.items():
        inert(name, text, styled=styled)
    return ran


def inert(name: str, text: str, *, styled: bool = False, longest: int = LONGEST_LINE + 200) -> None:
    assert not _COMMAND.search(text), (name, _COMMAND.search(text))
    plain = _STYLE.sub("", text) if styled else text
    bad = {
        char for char in plain if char != "\n" and unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    }
    assert not bad, (name, sorted(map(ascii, bad)))
    assert max(map(len, plain.split("\n"))) <= longest, name


def hostile_surface(word: str) -> dict:
    tool = {
        "name": word,
        "title": word,
        "description": f"{word}\n{word}",
        "inputSchema": {
            "type": "object",
            "properties": {word: {"type": "string", "enum": [word], "default": word, "description": word}},
            "required": [word],
        },
        "annotations": {word: word},
        "_meta": {word: word},
    }
    return {
        "serverInfo": {"name": word, "version": word},
        "instructions": word,
        "tools": [tool, {**tool, "name": f"b{word}"}],
        "prompts": [{"name": word, "arguments": [{"name": word}]}],
        "resources": [{"uri": word, "name": word}],
        "resourceTemplates": [{"uriTemplate": word, "name": word}],
    }


def folder_of(tmp_path: Path, words: tuple[str, ...]) -> Path:
    """Two recordings in which every word stands in every field, in the new one with a change to each."""
    old: dict = {"tools": []}
    new: dict = {key: [] for key in ("tools", "prompts", "resources", "resourceTemplates")}
    for one in map(hostile_surface, words):
        for key in ("tools", "prompts", "resources", "resourceTemplates"):
            new[key] += one[key]
        old["tools"] += json.loads(json.dumps(one["tools"]).replace('"string"', '"integer"'))
        for key in ("serverInfo", "instructions"):
            old[key] = new[key] = one[key]
    (tmp_path / "old.json").write_text(json.dumps(old))
    (tmp_path / "new.json").write_text(json.dumps(new))
    return tmp_path


RUNS = [
    ("diff", "old.json", "new.json"),
    ("diff", "old.json", "new.json", "--format", "json"),
    ("diff", "old.json", "new.json", "--format", "markdown"),
    ("lint", "new.json", "-v", "--profile", "charter"),
    ("lint", "new.json", "--format", "json"),
    ("check", "new.json", "--against", "old.json", "-v"),
    ("check", "new.json", "--format", "markdown"),
    ("fingerprint", "new.json", "--tools", "--format", "json"),
]


@pytest.mark.parametrize("words", RUNS, ids=" ".join)
def test_no_line_is_more_than_text(tmp_path: Path, words: tuple[str, ...]) -> None:
    quiet(attack(*words, cwd=folder_of(tmp_path, HOSTILE)), 0, 1)


@pytest.mark.parametrize("color", ["always", "never"])
def test_wrapped_and_styled_lines_are_not_commands_either(tmp_path: Path, color: str) -> None:
    folder = folder_of(tmp_path, HOSTILE)
    for width in (40, 80):
        for words in (
            ("diff", "old.json", "new.json"),
            ("rule", HOSTILE[-2]),
            ("check", HOSTILE[-2]),
        ):
            screen = on_terminal(*words, "--color", color, cwd=folder, columns=width)
            assert screen.code in (0, 1, 2)
            inert("terminal", screen.text, styled=color == "always")


def test_a_message_is_wrapped_without_a_command_at_the_start_of_a_line(tmp_path: Path) -> None:
    for width in range(30, 60):
        screen = on_terminal("rule", "none such ::error::x", cwd=tmp_path, columns=width, NO_COLOR="1")
        inert("terminal", screen.text)
        if "\n  \\x3a:error::x" in screen.text:
            return
    raise AssertionError("the word was never the first one of a line")


@pytest.mark.parametrize("kind", ["text", "json", "markdown"])
def test_a_name_of_a_megabyte_is_cut_and_its_length_said(tmp_path: Path, kind: str) -> None:
    tool = {"name": "n" * 1_000_000, "description": "x", "inputSchema": {"type": "string"}}
    (tmp_path / "new.json").write_text(json.dumps([tool]))
    ran = attack("lint", "new.json", "-v", "--format", kind, cwd=tmp_path).held(0, 1)
    assert len(ran.reported) < 2_000_000
    assert re.search(r"\[1,000,\d\d\d characters\]", ran.out) or kind == "markdown"
    inert("stdout", ran.out, longest=20_000)
    if kind == "json":
        assert all(len(text) < 11_000 for found in ran.report["findings"] for text in found.values() if text)


def test_names_of_the_configuration(tmp_path: Path) -> None:
    for word in ("".join(HOSTILE[:7]), "\n".join(HOSTILE[7:])):
        text = json.dumps(word).replace("\\udb40\\udc41", "\\U000e0041").replace("\\ud834\\udd73", "\\U0001d173")
        (tmp_path / "mcp-governor.toml").write_text(
            f'target = {text}\nbaseline = "x"\nchangelog = {text}\n'
            f"[servers.a]\nfile = {text}\n[servers.{text}]\nfile = {text}\n"
        )
        quiet(attack("check", cwd=tmp_path), 2)
    quiet(attack("check", "a", cwd=tmp_path), 2, 3, 4)
    quiet(attack("changelog", "check", cwd=tmp_path), 2, 3, 4)


@pytest.mark.parametrize(
    "words",
    [
        ("check", "--timeout", "\x1b]52;c;eA==\x07"),
        ("check", "one", "\n::error::two"),
        ("lint", "--format", "\n::error::x"),
        ("snapshot", "new.json", "-o", "no/\x1b[2J/\n::error::x"),
        ("accept", "\n::error::x", "--reason", "y"),
        ("check", "--config", "\n::error::x.toml"),
        ("diff", "git:\n::error::x", "new.json"),
    ],
    ids=repr,
)
def test_what_was_typed_is_repeated_as_text(tmp_path: Path, words: tuple[str, ...]) -> None:
    quiet(attack(*words, cwd=folder_of(tmp_path, ("a",))), 2)


def test_last_words_of_a_server(tmp_path: Path) -> None:
    code = f"import sys; sys.stderr.write({chr(10).join(HOSTILE)!r}); sys.exit(3)"
    quiet(attack("check", "--", sys.executable, "-c", code, cwd=tmp_path), 3)


@pytest.mark.parametrize("how", ["-q", "-vrA", "--collect-only"])
def test_items_of_pytest_are_called_by_text(tmp_path: Path, how: str) -> None:
    """pytest prints the names of items, and what an item fails with, past our own door."""
    folder_of(tmp_path, HOSTILE)
    (tmp_path / "mcp-governor.toml").write_text('target = "new.json"\nprofile = "charter"\n')
    words = ("--mcp-charter", "-p", "no:cacheprovider", "-p", "no:xdist", how)
    ran = attack(*words, cwd=tmp_path, module="pytest", cold=how == "-q").held(0, 1)
    assert "teamcity" in ran.out
    inert("pytest", ran.out, longest=10_000)


def test_what_is_written_for_people_to_review_hides_nothing(tmp_path: Path) -> None:
    """``accept`` writes TOML with escapes for what cannot be seen, and the value is the one that was given."""
    (tmp_path / "mcp-governor.toml").write_text('target = "x.json"\n')
    reason = "ok\u2028\u2029\x85\u202e\u200b\U000e0041 \x1b[2J"
    finding = "charter/length:t\u2028\u202e:/description:0123abcd"
    report = reported(tmp_path, finding)
    quiet(attack("accept", finding, "--reason", reason, "--report", report, cwd=tmp_path), 0)
    text = (tmp_path / "mcp-governor.toml").read_text("utf-8")
    inert("mcp-governor.toml", text)
    (accepted,) = tomllib.loads(text)["accept"]
    assert accepted == {"finding": finding, "reason": reason}


def test_nothing_prints_but_the_one_door() -> None:
    """A call that prints anywhere else could not be held to what this file tests."""
    doors = {"cli/out.py", "demo/server.py", "containment/worker.py"}
    # Processes of a sweep, which answer us in JSON over a pipe.
    doors |= {"load/worker.py", "load/responder.py", "load/scripts/locust_master.py"}
    for file in (REPO / "mcp_governor").rglob("*.py"):
        if file.relative_to(REPO / "mcp_governor").as_posix() in doors:
            continue
        text = file.read_text()
        if not _PRINTERS.search(text):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                prints = called in {"print", "click.echo", "click.secho", "traceback.print_exception"}
                assert not prints, f"{file}:{node.lineno}"
                assert not re.match(r"sys\.std(?:out|err)\.(?:buffer\.)?write", called), f"{file}:{node.lineno}"


@pytest.mark.parametrize("piece", ["##[", "##[error]", "#", ":: ", "a##vso[x]"])
def test_a_line_is_cut_after_its_commands_are_taken_away(piece: str) -> None:
    inert("printable", printable(piece * 5_000), longest=LONGEST_LINE + 50)
