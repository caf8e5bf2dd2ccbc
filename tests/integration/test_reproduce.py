"""A finding that CI reports is reproduced by the command that the report prints, in another checkout."""

from __future__ import annotations

import json
import shlex
import sys
from contextlib import chdir
from pathlib import Path
from xml.etree import ElementTree

import click
import pytest
from projects import committed, git, governor, repository, surface_text, tool, write
from support import SERVERS

from mcp_governor.cli import app
from mcp_governor.cli.repeating import LONGEST, command_to_repeat, remember

FIND, BROKEN = tool("find_stock"), tool("find_stock", "branch")
SECRET = "s3cr3t-Zugang-77"
FORMATS = ("json", "markdown", "html", "sarif", "github", "gitlab", "junit")


def server(*tools):
    said = json.dumps({"tools": list(tools), "info": {"name": "stock", "version": "1.0.0"}})
    plain = (SERVERS / "plain.py").read_text()
    return plain.replace("json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}", f"json.loads({said!r})")


@pytest.fixture
def shop(tmp_path):
    """A repository of two servers; that in ``servers/a b`` breaks its clients."""
    config = f'baseline = "mcp-surface.json"\n[servers.stock]\ncommand = {json.dumps([sys.executable, "stock.py"])}\n'
    files = {"stock.py": server(BROKEN), "conf/own.toml": "", "mcp-governor.toml": config}
    root = repository(tmp_path / "shop", {f"servers/a b/{name}": text for name, text in files.items()})
    write(root, {"servers/a b/mcp-surface.json": surface_text(FIND)})
    return committed(root, "all of it")


def copy(root: Path) -> Path:
    """The repository as somebody else has it."""
    there = root.parent / "elsewhere" / "clone"
    there.parent.mkdir(exist_ok=True)
    done = git(root.parent, "clone", "-q", str(root), str(there))
    assert done.returncode == 0, done.stderr
    return there


def repeated(root: Path, command: str, *more: str):
    """The findings of a printed command, run in this process from the top of a checkout."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = list(lexer)
    folder = root
    if words[0] == "cd":
        assert words[2] == "&&"
        folder, words = root / words[1], words[3:]
    assert words[0] == "mcp-governor"
    cut = words.index("--") if "--" in words else len(words)
    return report_of(folder, *words[1:cut], *more, *words[cut:])


def report_of(folder: Path, *arguments: str):
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    done = governor(folder, *arguments[:cut], "--format", "json", *arguments[cut:])
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def found(report) -> list[str]:
    return sorted(one["id"] for one in (*report["changes"], *report["findings"]))


RUNS = [
    ("check",),
    ("check", "--offline", "--profile", "recommended", "--profile", "charter", "--against", "git:HEAD"),
    ("lint", "mcp-surface.json", "--config", "conf/own.toml", "--select", "charter/*", "-v"),
    ("diff", "mcp-surface.json", "--", sys.executable, "stock.py"),
    (
        "call",
        "--profile",
        "charter",
        "--assume-read-only",
        "find_*",
        "--seed",
        "3",
        "--happy-only",
        "--record",
        "calls",
    ),
]


@pytest.mark.parametrize("typed", RUNS, ids=lambda typed: " ".join(typed[:3]))
def test_the_command_gives_the_same_findings_in_another_checkout(shop, typed):
    here = report_of(shop / "servers/a b", *typed)
    assert found(here)
    command = here["reproduce"]
    assert command.startswith("cd 'servers/a b' && mcp-governor ")
    there = repeated(copy(shop), command)
    assert found(there) == found(here)
    # It is the same command again: a reader may repeat what the second report prints.
    assert there["reproduce"] == command


def test_every_format_prints_it(shop):
    folder = shop / "servers/a b"
    written = [f"--report={name}=out.{name}" for name in FORMATS]
    done = governor(folder, "check", *written)
    assert done.returncode == 1, done.stderr
    command = "cd 'servers/a b' && mcp-governor check"
    text = {name: (folder / f"out.{name}").read_text() for name in FORMATS}
    assert json.loads(text["json"])["reproduce"] == command
    assert f"\nReproduce with:\n\n```sh\n{command}\n```\n" in text["markdown"]
    assert "reproduce with <code>cd &#x27;servers/a b&#x27; &amp;&amp; mcp-governor check</code>" in text["html"]
    (run,) = json.loads(text["sarif"])["runs"]
    assert run["invocations"][0]["commandLine"] == command
    # Each of these is shown on its own, on a line of a diff or on a page.
    alone = [result["message"]["text"] for result in run["results"]]
    alone += [entry["description"] for entry in json.loads(text["gitlab"])]
    alone += [failure.text or "" for failure in ElementTree.fromstring(text["junit"]).iter("failure")]
    assert len(alone) > 3
    assert all(one.endswith(f"\nReproduce: {command}") for one in alone)
    annotations = [row for row in text["github"].splitlines() if row.startswith("::error")]
    assert annotations
    assert all(row.endswith(f"%0AReproduce: {command}") for row in annotations)
    assert text["github"].endswith(f"\nmcp-governor: reproduce with: {command}\n")


def test_text_ends_with_it_in_ci_alone(shop, monkeypatch):
    folder = shop / "servers/a b"
    arguments = ("check", "--offline", "--against", "git:HEAD", "--profile", "charter", "--fail-on", "warning")
    at_desk = governor(folder, *arguments).stdout
    assert at_desk.splitlines()[-1].startswith("FAIL")
    monkeypatch.setenv("CI", "true")
    in_ci = governor(folder, *arguments).stdout
    assert in_ci == f"{at_desk}reproduce: cd 'servers/a b' && mcp-governor {' '.join(arguments)}\n"
    monkeypatch.setenv("CI", "false")
    assert governor(folder, *arguments).stdout == at_desk


def test_no_secret_is_in_it(shop):
    folder = shop / "servers/a b"
    typed = ("--env", f"STOCK_TOKEN={SECRET}", "--env", "MODE=fast", "--", sys.executable, "stock.py")
    here = report_of(folder, "check", *typed, "--api-key", SECRET, "--url", f"https://u:{SECRET}@example.org/")
    assert SECRET not in json.dumps(here)
    command = here["reproduce"]
    assert " --env STOCK_TOKEN --env MODE=fast -- " in command
    assert " --api-key [redacted] --url 'https://[redacted]@example.org/'" in command


def line_of(command: str, *arguments: str, server: tuple[str, ...] = ()) -> str:
    """What is printed for a command line, without the run."""
    context = click.Context(app, info_name="mcp-governor")
    found = app.get_command(context, command)
    assert found is not None
    with click.Context(found, parent=context, info_name=command) as inner:
        remember(inner, arguments, server)
        return command_to_repeat()


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("check -o report.txt --format sarif --report html=a.html --color never -vv", "check"),
        ("check --offline a.json -q", "check a.json --offline"),
        ("check --profile=a --against git:main --profile b", "check --profile a --against git:main --profile b"),
        ("check --against=-odd", "check --against=-odd"),
        ("lint a.json --statistics --pedantic", "lint a.json --pedantic"),
        ("diff a.json b.json --stat --level strict", "diff a.json b.json --level strict"),
        ("call --seed 7 --record calls --tool 'git *'", "call --seed 7 --tool 'git *'"),
    ],
)
def test_what_only_concerns_the_output_is_left_out(tmp_path, typed, printed):
    with chdir(tmp_path):
        command, *arguments = shlex.split(typed)
        assert line_of(command, *arguments) == f"mcp-governor {printed}"


def test_a_path_of_this_machine_is_relative(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    with chdir(tmp_path / "sub"):
        words = (f"{tmp_path}/bin/serve", "/usr/bin/env", f"{tmp_path}/sub/x.json")
        printed = line_of("check", "--config", f"{tmp_path}/conf/own.toml", server=words)
    assert printed == "cd sub && mcp-governor check --config ../conf/own.toml -- ../bin/serve /usr/bin/env ./x.json"


def test_a_command_that_would_be_cut_is_not_printed(tmp_path):
    with chdir(tmp_path):
        assert line_of("check", "x" * 100)
        assert line_of("check", "x" * LONGEST) == ""
