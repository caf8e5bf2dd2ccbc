"""How servers are started: packages with arguments, requirements and variables, and how long all that may take."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from pathlib import Path

import pytest
import tomli
from commandline import PYTHON, governor, governor_here
from support import SERVERS

from mcp_governor.cli import init_command
from mcp_governor.config import load_config
from mcp_governor.target.packages import neutral_folder
from mcp_governor.target.published import npm_release
from mcp_governor.wire import opening

# In place of uvx: a server that has its own command line, folder and variables for its tools.
FAKE = """\
#!{python}
import json, os, sys
said = [*sys.argv[1:], os.getcwd()]
said += [f"{{name}}={{os.environ[name]}}" for name in ("GREETING", "OTHER") if name in os.environ]
schema = {{"type": "object"}}
tools = [{{"name": f"t{{i:02}}", "description": word, "inputSchema": schema}} for i, word in enumerate(said)]
how = json.dumps({{"tools": tools}})
os.execv({python!r}, [{python!r}, {server!r}, how])
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    """Run a command line in an empty folder, with the fake in place of uvx."""
    next_to = tmp_path / "bin"
    folder = tmp_path / "project"
    next_to.mkdir()
    folder.mkdir()
    (next_to / "uvx").write_text(FAKE.format(python=PYTHON, server=str(SERVERS / "plain.py")))
    (next_to / "uvx").chmod(0o755)
    # servers are started behind a leash, which our own Python runs
    (next_to / "python").write_text(f'#!/bin/sh\nexec {PYTHON} "$@"\n')
    (next_to / "python").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(next_to / "python"))
    monkeypatch.chdir(folder)

    def work(*arguments: str):
        return governor_here(*arguments, capsys=capsys)

    work.folder = folder
    return work


def said(outcome) -> list[str]:
    """What the fake was started with."""
    assert outcome.code == 0, outcome.err
    return [tool["description"] for tool in json.loads(outcome.out)["tools"]]


def test_a_package_takes_arguments_requirements_and_variables(here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GREETING", "short")
    words = ("--with", "mcp<2", "--with", "tzdata", "--env", "GREETING")
    words += ("--env", "OTHER=x=y", "--", "--repository", ".")
    assert said(here("snapshot", "-o", "-", "pypi:mcp-x==1", *words)) == [
        *("--from", "mcp-x==1", "--with", "mcp<2", "--with", "tzdata", "mcp-x", "--repository", "."),
        *(str(here.folder), "GREETING=short", "OTHER=x=y"),
    ]


def test_a_variable_that_is_not_named_is_not_given_nor_the_checkout(here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GREETING", "short")
    assert said(here("snapshot", "-o", "-", "pypi:x")) == ["--from", "x", "x", neutral_folder()]


def test_both_sides_of_a_comparison_get_the_arguments(here) -> None:
    outcome = here("diff", "pypi:x==1", "pypi:x==2", "--format", "json", "--", "--db", "a")
    report = json.loads(outcome.out)
    # Besides the version and the tool that says it, the two were started alike.
    assert {change["tool"] for change in report["changes"] if change["tool"]} == {"t01"}
    outcome = here("check", "pypi:x==2", "--against", "pypi:x==2", "--format", "json", "--", "--db", "a")
    assert json.loads(outcome.out)["changes"] == []


def test_a_command_next_to_a_package_is_not_an_argument(here) -> None:
    server = str(SERVERS / "plain.py")
    outcome = here("diff", "pypi:x", "--format", "json", "--", PYTHON, server)
    removed = [change["tool"] for change in json.loads(outcome.out)["changes"] if change["kind"] == "tool-removed"]
    assert removed == ["t00", "t01", "t02", "t03"]


def test_a_configured_package_has_arguments_requirements_variables_and_a_folder(here, monkeypatch) -> None:
    monkeypatch.setenv("WORD", "short")
    (here.folder / "sub").mkdir()
    (here.folder / "mcp-governor.toml").write_text(
        'target = "s"\n[servers.s]\npackage = "pypi:x:run"\nargs = ["--db", "a"]\nwith = ["mcp<2"]\n'
        'env = { GREETING = "$WORD" }\ncwd = "sub"\n'
    )
    assert said(here("snapshot", "-o", "-")) == [
        *("--from", "x", "--with", "mcp<2", "run", "--db", "a"),
        *(str(here.folder / "sub"), "GREETING=short"),
    ]
    assert said(here("snapshot", "-o", "-", "--with", "z", "--env", "OTHER=1"))[3:7] == ["mcp<2", "--with", "z", "run"]


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (("pypi:x", "--env", "NOT_SET_X"), "--env NOT_SET_X: the variable is not set."),
        (("pypi:x", "--env", "A B=1"), "--env takes NAME or NAME=VALUE."),
        (("pypi:x", "--with", "-e."), '"-e." is not a requirement.'),
        (("https://h.example/mcp", "--env", "A=1"), "--env names a variable for a server"),
        (("https://h.example/mcp", "--", "x"), "Both a TARGET"),
        (("--with", "mcp<2", "--", PYTHON, "x.py"), "--with works only with pypi: and npm: targets."),
    ],
)
def test_what_cannot_be_meant(here, arguments: tuple[str, ...], reported: str) -> None:
    outcome = here("check", *arguments)
    assert outcome.code == 2
    assert reported in outcome.err


@pytest.mark.parametrize("key", ['args = ["a"]', 'with = ["a"]'])
def test_arguments_of_a_command_are_in_the_command(here, key: str) -> None:
    (here.folder / "mcp-governor.toml").write_text(f'[servers.s]\ncommand = ["x"]\n{key}\n')
    outcome = here("check", "s")
    assert outcome.code == 2
    assert '"servers.s" has args or with, but no package.' in outcome.err


def test_init_writes_what_the_package_needs_and_no_value(here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GREETING", "short")
    monkeypatch.setattr(init_command, "ci_offers", lambda *_, **__: ())
    words = ("--with", "mcp<2", "--env", "GREETING", "--no-hook", "--", "--db", "a b")
    assert here("init", "pypi:mcp-x", *words).code == 0
    server = load_config(here.folder / "mcp-governor.toml").servers["mcp-x"]
    assert (server.package, server.args, server.with_) == ("pypi:mcp-x", ("--db", "a b"), ("mcp<2",))
    assert server.env == {"GREETING": "$GREETING"}


def test_the_timeout_bounds_a_program_that_is_not_a_server(tmp_path: Path) -> None:
    (tmp_path / "mcp-governor.toml").write_text(
        f'[servers.s]\ncommand = [{json.dumps(shutil.which("sleep"))}, "600"]\ntimeout = 90\nstart-timeout = 90\n'
    )
    for words in (("--", "sleep", "600"), ("s",), ("--", "sh", "-c", "cat > /dev/null")):
        began = time.monotonic()
        outcome = governor("check", "--timeout", "2", *words, cwd=tmp_path)
        # Twice two seconds to end what does not want to end, and a busy machine.
        assert time.monotonic() - began < 20
        assert outcome.code == 3
        assert "within 2 s" in outcome.err
        assert outcome.left == []


# In place of uvx: a package that says what it needs one after another.
NEEDY = """\
#!{python}
import os, sys
words = sys.argv[1:]
open({log!r}, "a").write(" ".join(words) + "\\n")
needs = {needs!r}
if "--python" not in words and "python" in needs:
    sys.exit("  cause: Because the current Python version (3.11.7) does not satisfy Python>=3.12 and x depends on")
if words[-1] != "other":
    sys.exit("An executable named `x` is not provided by package `x`.\\nThe following executables are available:\\n"
             + "".join(f"- {{name}}\\n" for name in needs["scripts"]))
if "mcp<2" not in words:
    sys.exit("ModuleNotFoundError: No module named 'mcp.server.fastmcp'")
if "key" in needs and "API_KEY" not in os.environ:
    sys.exit("API_KEY environment variable is not set")
os.execv({python!r}, [{python!r}, {server!r}, '{{"tools": [{{"name": "t", "inputSchema": {{"type": "object"}}}}]}}'])
"""


@pytest.fixture
def needy(here, tmp_path: Path):
    """A package with needs, and how often it was started."""
    log = tmp_path / "starts"

    def work(*arguments: str, **needs: object):
        log.write_text("")
        needs = {"scripts": ["other"], **needs}
        words = {"python": PYTHON, "log": str(log), "server": str(SERVERS / "plain.py"), "needs": needs}
        (tmp_path / "bin" / "uvx").write_text(NEEDY.format(**words))
        opening._FAILED.clear()
        return here(*arguments), log.read_text().splitlines()

    return work


def test_needs_that_are_found_one_after_another_are_met_in_one_run(needy) -> None:
    outcome, starts = needy("snapshot", "-o", "-", "pypi:x", python=True)
    assert outcome.code == 0, outcome.err
    assert starts[-1] == "--python 3.12 --from x --with mcp<2 other"
    assert len(starts) == 4
    assert outcome.err.count("\n") == 1
    assert (
        "note: pypi:x does not start as it is named, so it was started with UV_PYTHON=3.12, "
        "its only script, pypi:x:other, --with 'mcp<2'." in outcome.err
    )


def test_what_was_found_is_used_again_in_the_same_process(needy, here, tmp_path: Path) -> None:
    outcome, starts = needy("snapshot", "-o", "-", "pypi:x")
    assert (outcome.code, len(starts)) == (0, 3)
    assert here("snapshot", "-o", "-", "pypi:x").code == 0
    assert len((tmp_path / "starts").read_text().splitlines()) == 4


def test_init_writes_the_start_that_was_found(needy, here) -> None:
    """So that each later run starts the server once."""
    outcome, _ = needy("init", "--no-ci", "--no-hook", "pypi:x", python=True)
    assert outcome.code == 0, outcome.err
    (server,) = tomli.loads(Path("mcp-governor.toml").read_text())["servers"].values()
    assert server == {"package": "pypi:x:other", "with": ["mcp<2"], "env": {"UV_PYTHON": "3.12"}}
    outcome, starts = needy("check")
    assert outcome.code == 0, outcome.err
    assert starts == ["--from x --with mcp<2 other"]


@pytest.mark.parametrize(
    ("words", "needs", "said", "starts"),
    [
        ((), {"scripts": ["other", "more"]}, "one of its scripts: pypi:x:other or pypi:x:more", 1),
        (("--no-resolve",), {}, "Use its script: pypi:x:other", 1),
        (("--with", "mcp>=2"), {}, "does not fit 'mcp>=2' either", 2),
        # A variable may be a secret, so it is never passed on unasked.
        ((), {"key": True}, "It was started with its only script, pypi:x:other, --with 'mcp<2', which it needs.", 3),
    ],
)
def test_what_only_the_user_can_choose(needy, monkeypatch: pytest.MonkeyPatch, words, needs, said, starts) -> None:
    monkeypatch.setenv("API_KEY", "k-Zq81")
    outcome, tried = needy("snapshot", "-o", "-", "pypi:x", *words, **needs)
    assert outcome.code == 3
    assert said in outcome.err
    assert len(tried) == starts
    assert "key" not in needs or "add --env API_KEY" in outcome.err


# In place of npx: a package whose command has another name, and which needs a newer Node.js.
NEEDY_NPX = """\
#!{python}
import os, sys
words = sys.argv[1:]
open({log!r}, "a").write(" ".join(words) + "\\n")
if "--" not in words:
    sys.exit("npm error could not determine executable to run")
if words[words.index("--") + 1] not in {commands!r}:
    sys.exit("sh: 1: " + words[words.index("--") + 1] + ": not found")
if "--package=node@22" not in words:
    sys.exit("npm warn EBADENGINE   package: '@s/x@1.0.0',\\nnpm warn EBADENGINE   required: {{ node: '>=22.5' }},\\n"
             "Error [ERR_UNKNOWN_BUILTIN_MODULE]: No such built-in module: node:sqlite")
os.execv({python!r}, [{python!r}, {server!r}, '{{"tools": [{{"name": "t", "inputSchema": {{"type": "object"}}}}]}}'])
"""
NPM = """\
#!{python}
import json
print(json.dumps({{"name": "@s/x", "version": "1.0.0", "bin": dict.fromkeys({commands!r}, "x.js")}}))
"""


@pytest.fixture
def needy_npm(here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A package of npm with needs, and how it was started."""
    log = tmp_path / "starts"
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")

    def work(*arguments: str, commands: tuple[str, ...]):
        log.write_text("")
        words = {"python": PYTHON, "log": str(log), "server": str(SERVERS / "plain.py"), "commands": commands}
        for name, text in {"npx": NEEDY_NPX, "npm": NPM}.items():
            (tmp_path / "bin" / name).write_text(text.format(**words))
            (tmp_path / "bin" / name).chmod(0o755)
        opening._FAILED.clear()
        npm_release.cache_clear()
        return here(*arguments), log.read_text().splitlines()

    return work


def test_needs_of_an_npm_package_are_met_in_one_run(needy_npm, here, tmp_path: Path) -> None:
    outcome, starts = needy_npm("snapshot", "-o", "-", "npm:@s/x", commands=("other", "other-cli"))
    assert outcome.code == 0, outcome.err
    assert starts == [
        "--yes @s/x",
        "--yes --package=@s/x -- other",
        "--yes --package=@s/x --package=node@22 -- other",
    ]
    assert outcome.err == (
        "note: npm:@s/x does not start as it is named, so it was started with its main script, npm:@s/x:other, "
        "--with 'node@22'.\n"
    )
    assert here("init", "--no-ci", "--no-hook", "npm:@s/x").code == 0
    (server,) = tomli.loads(Path("mcp-governor.toml").read_text())["servers"].values()
    assert server == {"package": "npm:@s/x:other", "with": ["node@22"]}
    assert len((tmp_path / "starts").read_text().splitlines()) == 4, "what was found is used again"


@pytest.mark.parametrize(
    ("words", "commands", "said", "starts"),
    [
        (("npm:@s/x",), ("a", "b"), "Use one of its scripts: npm:@s/x:a or npm:@s/x:b", 1),
        (("npm:@s/x@1:c",), ("a",), "Use its script: npm:@s/x@1:a", 1),
        (("npm:@s/x",), (), "The package is a library and installs no command.", 1),
        (("npm:@s/x", "--no-resolve"), ("a",), "List its commands with: npm view @s/x bin", 1),
        # `npx --package` starts what is named, so the command of the package has to be known.
        (("npm:@s/x", "--with", "node@18"), ("a",), "It asks for Node.js >=22.5.", 2),
    ],
)
def test_what_of_an_npm_package_only_the_user_can_choose(needy_npm, words, commands, said, starts) -> None:
    outcome, tried = needy_npm("snapshot", "-o", "-", *words, commands=commands)
    assert outcome.code == 3
    assert said in outcome.err
    assert len(tried) == starts
