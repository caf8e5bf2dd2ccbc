"""Completion as shells ask for it: bash always, zsh and fish where they are installed."""

from __future__ import annotations

import os
import select
import shlex
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from commandline import PYTHON, SECONDS, governor, governor_here

pty = pytest.importorskip("pty")

from terminals import clean  # noqa: E402

from mcp_governor.cli import COMMANDS  # noqa: E402

CONFIG = """
[servers.shelf]
file = "old.json"
[servers.shop-live]
command = ["shop"]
[servers."$(touch pwned)"]
command = ["shop"]
[lint]
rules = ["own"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "old.json").write_text('{"tools": []}')
    (tmp_path / "mcp-governor.toml").write_text(CONFIG)
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "mcp-governor"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(PYTHON)} -m mcp_governor "$@"\n')
    program.chmod(0o755)
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    return clean(PATH=f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", HOME=str(folder), TERM="dumb")


# Completes $1 as bash does when TAB is pressed at its end, and prints what it offers.
BASH = r"""
eval "$(mcp-governor completion bash)"
complete -p mcp-governor >/dev/null || exit 9
compopt() { echo "compopt $*"; }
COMP_LINE=$1
# The words as readline breaks them, with "=" and ":" as words of their own.
read -ra COMP_WORDS <<< "${COMP_LINE//=/ = }"
[[ $COMP_LINE == *[[:space:]=] ]] && COMP_WORDS+=("")
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
_mcp_governor_completion mcp-governor
printf '%s\n' "${COMPREPLY[@]}"
"""


def bash(folder: Path, line: str) -> list[str]:
    done = subprocess.run(
        ["bash", "--norc", "--noprofile", "-c", BASH, "bash", line],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.split()


def fish(folder: Path, line: str) -> list[str]:
    script = 'mcp-governor completion fish | source; complete -C "$argv[1]"'
    done = subprocess.run(
        [shutil.which("fish") or "fish", "--no-config", "-c", script, line],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    return [row.split("\t")[0] for row in done.stdout.splitlines()]


SHELLS = [
    pytest.param(bash, marks=pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")),
    pytest.param(fish, marks=pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")),
]


@pytest.mark.parametrize("shell", SHELLS)
def test_commands_options_and_values(folder: Path, shell) -> None:
    assert set(shell(folder, "mcp-governor ")) == set(COMMANDS)
    assert shell(folder, "mcp-governor sna") == ["snapshot"]
    assert set(shell(folder, "mcp-governor changelog d")) == {"diff", "draft"}
    assert set(shell(folder, "mcp-governor check --f")) == {"--format", "--fail-on"}
    assert set(shell(folder, "mcp-governor check --color ")) == {"auto", "always", "never"}


@pytest.mark.parametrize("shell", SHELLS)
def test_names_of_the_catalogue(folder: Path, shell) -> None:
    for line in ("rule charter/use", "lint --select charter/use", "lint --format json --ignore charter/use"):
        assert shell(folder, f"mcp-governor {line}") == ["charter/use-this-when"]
    assert "charter" in shell(folder, "mcp-governor rules --pack ")
    assert {"recommended", "charter"} <= set(shell(folder, "mcp-governor lint --profile "))
    assert shell(folder, "mcp-governor call --profile chart") == ["charter"]


@pytest.mark.parametrize("shell", SHELLS)
def test_servers_of_the_configuration(folder: Path, shell) -> None:
    for line in ("check s", "lint s", "diff old.json s", "check --against s", "check --config mcp-governor.toml s"):
        assert {"shelf", "shop-live"} <= set(shell(folder, f"mcp-governor {line}")), line
    assert "shelf" not in shell(folder, "mcp-governor check --isolated s")
    # Behind the dashes stands a program of the user's, not a name of ours.
    assert "shelf" not in shell(folder, "mcp-governor check -- s")


@pytest.mark.parametrize("shell", SHELLS)
def test_what_a_shell_would_run_is_never_offered(folder: Path, shell) -> None:
    assert not [word for word in shell(folder, "mcp-governor check ") if "$" in word]
    assert not (folder / "pwned").exists()


def test_bash_completes_a_value_that_is_joined_to_its_option(folder: Path) -> None:
    assert bash(folder, "mcp-governor lint --profile=chart") == ["charter"]


def test_files_where_no_name_begins_so(folder: Path) -> None:
    assert bash(folder, "mcp-governor check ol") == ["compopt", "-o", "default"]


def test_rules_of_ones_own_are_offered(folder: Path) -> None:
    assert governor("rule", "acme/no-foo", "--new", "own", cwd=folder).code == 0
    assert bash(folder, "mcp-governor rule acme/") == ["acme/no-foo"]
    assert bash(folder, "mcp-governor rules --pack ac") == ["acme"]


@pytest.mark.parametrize("config", ["no = [toml", 'unknown-key = "x"', "[servers.a]\ncommand = 3"])
def test_a_wrong_configuration_disturbs_nobody_who_types(folder: Path, config: str) -> None:
    (folder / "mcp-governor.toml").write_text(config)
    assert bash(folder, "mcp-governor check x") == ["compopt", "-o", "default"]
    assert bash(folder, "mcp-governor rule charter/use") == ["charter/use-this-when"]


def pressed(folder: Path, shell: list[str], start: str, keys: str, wanted: str) -> None:
    """Type into a shell on a terminal until it shows ``wanted``."""
    master, slave = pty.openpty()
    env = {**environment(folder), "TERM": "xterm", "PS1": "ready> ", "PROMPT": "ready> "}
    child = subprocess.Popen(
        shell, cwd=folder, env=env, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
    )
    os.close(slave)
    seen, end = "", time.monotonic() + SECONDS

    def until(needle: str) -> None:
        nonlocal seen
        while needle not in seen:
            assert time.monotonic() < end, seen
            if select.select([master], [], [], 1)[0]:
                seen += os.read(master, 65_536).decode(errors="replace")
        seen = seen.partition(needle)[2]

    try:
        until("ready> ")
        os.write(master, f"{start}; echo don''e\n".encode())
        until("done")
        until("ready> ")
        os.write(master, keys.encode())
        until(wanted)
    finally:
        child.kill()
        child.wait()
        os.close(master)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_tab_in_bash(folder: Path) -> None:
    start = 'eval "$(mcp-governor completion bash)"'
    pressed(folder, ["bash", "--norc", "--noprofile", "-i"], start, "mcp-governor rule charter/use\t", "-this-when")


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        ("rule charter/use\t", "-this-when"),
        ("check --f\t\t", "--fail-on"),
    ],
)
def test_tab_in_zsh(folder: Path, keys: str, wanted: str) -> None:
    start = 'autoload -U compinit && compinit -u && eval "$(mcp-governor completion zsh)"'
    pressed(folder, ["zsh", "-f", "-i"], start, f"mcp-governor {keys}", wanted)


def test_powershell_gets_a_script_where_click_has_one(capsys) -> None:
    done = governor_here("completion", "powershell", capsys=capsys)
    if done.code == 0:
        assert "Register-ArgumentCompleter -Native -CommandName mcp-governor" in done.out
    else:
        assert "The installed version of click cannot complete in powershell." in done.err


def test_powershell_is_answered_in_threes(folder: Path) -> None:
    pytest.importorskip("click.shell_completion").get_completion_class("powershell") or pytest.skip("click before 8.5")
    asked = {"COMP_WORDS": "mcp-governor snaps", "COMP_CWORD": "1", "_MCP_GOVERNOR_COMPLETE": "powershell_complete"}
    done = subprocess.run(
        [PYTHON, "-m", "mcp_governor"], cwd=folder, env=clean(**asked), capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["plain", "snapshot", COMMANDS["snapshot"][1]]


IMPORTED = """
import atexit, sys
atexit.register(lambda: print(*(name for name in sys.modules if name.endswith("_command")), file=sys.stderr))
from mcp_governor.cli import main
main([])
"""


def test_an_answer_imports_no_command_for_its_name(folder: Path) -> None:
    asked = {"COMP_WORDS": "mcp-governor ", "COMP_CWORD": "1", "_MCP_GOVERNOR_COMPLETE": "bash_complete"}
    done = subprocess.run(
        [PYTHON, "-c", IMPORTED], cwd=folder, env=clean(**asked), capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == ""
    assert "plain,check" in done.stdout
