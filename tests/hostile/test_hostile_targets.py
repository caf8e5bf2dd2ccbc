"""Nothing runs that was not asked for: files, baselines, packages and rules of a stranger's checkout."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from attack import attack
from commandline import plain
from support import SERVERS
from traps import Trap, put, surface

RULE = """
id = "acme/no-foo"
summary = "Descriptions say no foo."
why = "Because."
source = "A test."
severity = "warning"
since = "1.0.0"
on = "tool"
{how}
message = "{{tool}} says it."
fix = "Do not."
[[pass]]
tool = '{{"name": "a", "description": "b", "inputSchema": {{"type": "object"}}}}'
[[fail]]
tool = '{{"name": "a", "description": "book", "inputSchema": {{"type": "object"}}}}'
"""
DECLARED = RULE.format(how='given = "$.description"\nforbid = "book"').replace("no-foo", "no-book")
PYTHON = RULE.format(how='check = "acme_checks:refuse"')


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path / "sprung")


@pytest.fixture
def checkout(tmp_path: Path, trap: Trap) -> Path:
    """A checkout whose client configurations start what was not asked for."""
    listed = json.dumps({"mcpServers": {"only": trap.server()}})
    return put(
        tmp_path / "checkout",
        {
            "mcp-surface.json": listed,
            "client.json": listed,
            "vscode.json": json.dumps({"servers": {"only": trap.server()}}),
            "good.json": surface(),
        },
    )


@pytest.mark.parametrize(
    "line",
    [
        "lint client.json",
        "diff good.json client.json",
        "check client.json",
        "check good.json --against client.json",
        "check --offline",
        "snapshot client.json -o out.json",
        "changelog draft client.json",
        "call client.json",
    ],
)
def test_a_data_file_starts_nothing(checkout: Path, trap: Trap, line: str) -> None:
    if "--offline" not in line:
        (checkout / "mcp-surface.json").unlink()
    done = attack(*line.split(), cwd=checkout).held(2)
    assert trap.sprung == []
    if line != "call client.json":  # which says that a recording cannot be called
        name = "vscode.json" if "vscode" in line else "client.json" if "client" in line else "mcp-surface.json"
        assert f"{name} lists servers for MCP clients; name one of them." in done.err
        assert f"Name one: {name}#only" in done.err
    assert not (checkout / "out.json").exists()


def test_the_trap_is_armed(checkout: Path, trap: Trap) -> None:
    attack("lint", "client.json#only", cwd=checkout).held(3)
    assert trap.sprung == ["trap"]


@pytest.mark.parametrize(
    ("line", "baseline"),
    [
        *(
            ("check good.json", name)
            for name in ("client.json#only", "python:evil:server", "pypi:evil", "https://h/mcp")
        ),
        *((line, "evil") for line in ("lint --new-only good.json", "changelog draft good.json", "check")),
    ],
)
def test_a_run_over_a_recording_takes_no_server_from_the_configuration(
    checkout: Path, trap: Trap, line: str, baseline: str
) -> None:
    command = json.dumps([trap.server()["command"], *trap.server()["args"]])
    put(
        checkout,
        {"mcp-governor.toml": f'target = "good.json"\nbaseline = "{baseline}"\n[servers.evil]\ncommand = {command}\n'},
    )
    put(checkout, {"evil.py": trap.python()})
    done = attack(*line.split(), cwd=checkout).held(2)
    assert trap.sprung == []
    assert f'The baseline in mcp-governor.toml, "{baseline}", is a server' in done.err


@pytest.mark.parametrize("line", ["check", "lint --new-only", "changelog draft", "changelog check"])
@pytest.mark.parametrize("baseline", ["client.json#only", "python:evil:server", "evil"])
def test_a_server_that_is_typed_is_the_only_one_that_runs(checkout: Path, trap: Trap, line: str, baseline: str) -> None:
    evil = f"[servers.evil]\ncommand = {json.dumps([trap.server()['command'], *trap.server()['args']])}\n"
    put(
        checkout,
        {
            "mcp-governor.toml": f'baseline = "{baseline}"\nchangelog = "log.md"\n{evil}',
            "log.md": "# Changelog\n",
            "evil.py": trap.python(),
        },
    )
    done = attack(*line.split(), "--", sys.executable, str(SERVERS / "plain.py"), cwd=checkout).held(2)
    assert trap.sprung == []
    assert f'The baseline in mcp-governor.toml, "{baseline}", is a server' in done.err


@pytest.mark.parametrize(
    "target", ["client.json#only", "evil", "python:evil:server", "pypi:evil", "npm:evil", "https://127.0.0.1:1/mcp"]
)
def test_offline_reaches_no_server(checkout: Path, trap: Trap, target: str) -> None:
    put(checkout, {"mcp-governor.toml": '[servers.evil]\nobject = "evil:server"\n', "evil.py": trap.python()})
    for arguments in ([target], ["good.json", "--against", target]):
        done = attack("check", "--offline", *arguments, cwd=checkout, env=_npx(checkout, trap)).held(2)
        assert f'"{target}" is a server, and --offline does not start servers.' in done.err
    assert trap.sprung == []


def _npx(folder: Path, trap: Trap) -> dict[str, str]:
    """A PATH whose package runners are traps."""
    for name in ("npx", "uvx", "uv"):
        program = folder / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\npwd >{trap.folder}/{name}\n")
        program.chmod(0o755)
    return {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize("spec", ["npm:a@..", "npm:a@.", "npm:a@file:/x", "npm:-e", "npm:a@x.tgz", "npm:@../a"])
def test_a_package_is_one_of_the_registry(checkout: Path, trap: Trap, spec: str) -> None:
    done = attack("check", spec, cwd=checkout, env=_npx(checkout, trap)).held(2)
    assert trap.sprung == []
    assert "is not npm:NAME[@VERSION]" in done.err


def test_a_package_runner_does_not_start_in_the_checkout(checkout: Path, trap: Trap) -> None:
    """There it would take ``node_modules`` and ``.npmrc`` of the checkout before the registry."""
    home = checkout.parent / "home"
    home.mkdir()
    attack("lint", "npm:a@1", cwd=checkout, env={**_npx(checkout, trap), "HOME": str(home)}).held(3)
    started = Path((trap.folder / "npx").read_text().strip())
    assert started.parent == home / ".cache"
    assert not started.exists(), "the folder is gone with the process"


@pytest.fixture
def ruled(checkout: Path, trap: Trap) -> Path:
    """A checkout with a declared rule and one in Python."""
    return put(
        checkout,
        {
            "mcp-governor.toml": 'target = "good.json"\n[lint]\nrules = ["rules"]\nselect = ["acme/*"]\n',
            "mcp-surface.json": surface(),
            "rules/no-book.toml": DECLARED,
            "rules/no-foo.toml": PYTHON,
            "acme_checks.py": f"{trap.python()}def refuse(tool, context):\n    return ()\n",
        },
    )


@pytest.mark.parametrize("line", ["check --offline", "lint good.json", "check good.json", "lint", "rules", "check"])
def test_rules_in_python_wait_for_trust_and_say_so(ruled: Path, trap: Trap, line: str) -> None:
    done = attack(*line.split(), "--format", "json", cwd=ruled, env={"PYTHONPATH": str(ruled)}).held(0)
    assert trap.sprung == []
    if line == "rules":
        return
    assert (
        done.err
        == "Rules in Python were not run because they are not trusted (acme/no-foo); to run them, add --trust.\n"
    )
    assert done.report["summary"]["rules_skipped"] == 1
    assert [found["rule"] for found in done.report["findings"]] == ["acme/no-book"]


@pytest.mark.parametrize("configured", [True, False])
def test_the_configured_server_brings_its_rules_and_a_typed_one_does_not(
    ruled: Path, trap: Trap, configured: bool
) -> None:
    command = plain()[1:]
    if configured:
        config = (ruled / "mcp-governor.toml").read_text().replace('"good.json"', '"own"')
        put(ruled, {"mcp-governor.toml": f"{config}[servers.own]\ncommand = {json.dumps(command)}\n"})
    words = () if configured else ("--", *command)
    done = attack("lint", *words, cwd=ruled, env={"PYTHONPATH": str(ruled)}).held(0)
    assert trap.sprung == (["trap"] if configured else [])
    assert ("add --trust" in done.err) is not configured


@pytest.mark.parametrize("how", ["flag", "variable", "file", "folder"])
def test_trust_is_given_outside_of_the_repository(ruled: Path, trap: Trap, tmp_path: Path, how: str) -> None:
    said = f'trust-rules = ["{tmp_path}"]\n' if how == "folder" else "trust-rules = true\n"
    put(tmp_path / "home", {"mcp-governor/config.toml": said if how in ("file", "folder") else ""})
    env = {"PYTHONPATH": str(ruled), "XDG_CONFIG_HOME": str(tmp_path / "home")}
    env |= {"MCP_GOVERNOR_TRUST_RULES": "1"} if how == "variable" else {}
    done = attack("check", "--offline", *(["--trust"] if how == "flag" else []), cwd=ruled, env=env).held(0)
    assert trap.sprung == ["trap"]
    assert "Not run" not in done.err


@pytest.mark.parametrize("how", ["inside", "elsewhere", "no", "key"])
def test_the_repository_cannot_trust_itself(ruled: Path, trap: Trap, tmp_path: Path, how: str) -> None:
    env = {"PYTHONPATH": str(ruled), "XDG_CONFIG_HOME": str(tmp_path / "home")}
    if how == "inside":
        put(ruled, {".config/mcp-governor/config.toml": "trust-rules = true\n"})
        env["XDG_CONFIG_HOME"] = str(ruled / ".config")
    elif how == "elsewhere":
        put(tmp_path / "home", {"mcp-governor/config.toml": f'trust-rules = ["{tmp_path}/other"]\n'})
    elif how == "no":
        put(tmp_path / "home", {"mcp-governor/config.toml": "trust-rules = true\n"})
        env["MCP_GOVERNOR_TRUST_RULES"] = "0"
    else:
        config = ruled / "mcp-governor.toml"
        config.write_text("trust-rules = true\n" + config.read_text())
    done = attack("check", "--offline", cwd=ruled, env=env).held(*([2] if how == "key" else [0]))
    assert trap.sprung == []
    assert ("only the user can set it" if how == "key" else "add --trust") in done.err


@pytest.mark.parametrize("line", ["check --offline", "lint good.json", "rules"])
def test_packages_of_entry_points_are_read_and_not_imported(ruled: Path, trap: Trap, line: str) -> None:
    """An editable install points at the repository, and ``python -m`` looks for packages in the current folder."""
    points = "[mcp_governor.rules]\npack = acme_pack\n"
    put(
        ruled,
        {
            "acme-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n",
            "acme-1.0.dist-info/entry_points.txt": points,
            "acme_pack/__init__.py": trap.python("package"),
            "acme_pack/no-page.toml": DECLARED.replace("acme/no-book", "pack/no-page"),
            "mcp-governor.toml": 'target = "good.json"\n[lint]\nselect = ["pack/*"]\n',
        },
    )
    done = attack(*line.split(), cwd=ruled).held(0)
    assert trap.sprung == []
    assert "pack/no-page" in done.out
