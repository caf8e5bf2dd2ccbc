"""Bad input through the command line: one of each kind. Nothing hangs, nothing is left running, nothing on disk
changes, and no word of a server reaches a terminal raw.

The sentences for all others are where they are made: tests/wire (servers), tests/config, tests/surface/test_file.py,
tests/target (targets and variables that are none).
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from commandline import PYTHON, Outcome, contents, governor, governor_here, hostile, plain
from support import SERVERS, running_web

from mcp_governor.surface import build_surface, dump_surface

SECRET = "sekret-0123456789"
TOOL = {"name": "t", "inputSchema": {"type": "object"}}
SERVER = {"serverInfo": {"name": "h", "version": "1"}, "protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the baseline of a server that misbehaves since."""
    (tmp_path / "mcp-surface.json").write_text(dump_surface(build_surface({**SERVER, "tools": [TOOL]})))
    return tmp_path


def fails(folder: Path, *arguments: str, code: int, env: dict[str, str] | None = None) -> Outcome:
    """Run it; it must end with ``code``, say so on standard error alone, and leave everything as it was."""
    before = contents(folder)
    outcome = governor(*arguments, cwd=folder, env=env)
    assert (outcome.code, outcome.out) == (code, ""), outcome.err
    assert outcome.left == []
    assert contents(folder) == before
    assert outcome.unsafe() == set()
    assert outcome.err.startswith(("error: ", "Usage: "))
    return outcome


def configured(folder: Path, mode: str) -> None:
    """A configuration for a hostile server that carries our mark, so that its orphans are found, and a secret."""
    command = json.dumps([PYTHON, str(SERVERS / "hostile.py"), mode])
    (folder / "mcp-governor.toml").write_text(
        f'[servers.h]\ncommand = {command}\nenv = {{ MCP_GOVERNOR_TEST = "$MCP_GOVERNOR_TEST", TOKEN = "{SECRET}" }}\n'
    )


def test_a_server_that_cannot_be_read(folder: Path) -> None:
    configured(folder, "exits_at_once")
    # Snapshot is what could spoil the baseline; the way to the server is the same for every command.
    reported = fails(folder, "snapshot", code=3).err
    assert "hostile.py exits_at_once: it exited with status 3" in reported
    assert r"  cannot open the database \x1b[31m/srv/db\x1b[0m \u{202e}" in reported
    assert SECRET not in reported


@pytest.mark.parametrize("command", ["check", "diff"])
def test_every_command_says_it_the_same_way(folder: Path, command: str) -> None:
    configured(folder, "exits_halfway")
    arguments = ["mcp-surface.json", "h"] if command == "diff" else []
    reported = fails(folder, command, *arguments, code=3).err
    assert (
        "hostile.py exits_halfway: it exited with status 7 before it answered tools/list; it had answered initialize."
        in reported
    )


@pytest.mark.parametrize(
    ("server", "found"),
    [
        (hostile("banner"), [("spec/stdout-messages-only", "/conversation/noise")]),
        (hostile("asks_back"), [("spec/server-request", "/conversation/requests")] * 3),
        (
            plain(tools=[TOOL], capabilities={"tools": {}, "prompts": {}}),
            [("spec/declared-list-answers", "/conversation/failedLists/prompts~1list")],
        ),
        (
            plain(tools=[TOOL], hints={"resultType": "complete", "ttlMs": -1, "cacheScope": "private"}),
            [("spec/list-caching", "/listings/discover/ttlMs"), ("spec/list-caching", "/listings/tools/ttlMs")],
        ),
        (plain(tools=[TOOL]), []),
    ],
    ids=["banner", "asks-back", "failing-sibling", "caching", "honest"],
)
def test_a_conversation_that_breaks_the_specification_is_reported(folder: Path, server, found) -> None:
    outcome = governor("lint", "--select", "spec/*", "--format", "json", *server, cwd=folder)
    assert sorted((reported["rule"], reported["path"]) for reported in outcome.report["findings"]) == found
    assert outcome.code == (1 if found else 0)
    # The words of a banner may differ from run to run; what a configuration accepts stays the same.
    again = governor("lint", "--select", "spec/*", "--format", "json", *server, cwd=folder)
    assert [reported["id"] for reported in again.report["findings"]] == [
        reported["id"] for reported in outcome.report["findings"]
    ]


MALFORMED = {
    ("spec/tool-name", None, "/tools/2"),  # no name
    ("spec/tool-name", None, "/tools/7/name"),  # an empty one
    ("spec/tool-name", None, "/tools/8"),  # a number
    ("spec/tool-object", None, "/tools/9"),  # a string, null and a list instead of a tool
    ("spec/tool-object", None, "/tools/10"),
    ("spec/tool-object", None, "/tools/11"),
    ("spec/tool-name-unique", "t", "/tools/1/name"),
    ("spec/input-schema", "none", ""),
    ("spec/input-schema", "true", "/inputSchema"),
    ("spec/input-schema", "list", "/inputSchema"),
    ("spec/input-schema", "text", "/inputSchema"),
    ("spec/unicode", "lone", "/description"),
}


def test_malformed_tools_are_findings(folder: Path) -> None:
    outcome = governor("lint", "--format", "json", *hostile("odd_tools"), cwd=folder)
    assert outcome.code == 1, outcome.err
    errors = {
        (finding["rule"], finding["tool"], finding["path"])
        for finding in outcome.report["findings"]
        if finding["severity"] == "error" and finding["rule"].startswith("spec/")
    }
    assert errors == MALFORMED


@pytest.fixture
def odd(folder: Path) -> str:
    """The surface of the server with odd tools, recorded."""
    tools = json.loads(
        subprocess.run(
            [PYTHON, "-c", "import json, hostile; print(json.dumps(hostile.ODD_TOOLS))"],
            cwd=SERVERS,
            capture_output=True,
            check=True,
        ).stdout
    )
    (folder / "odd.json").write_text(json.dumps(tools))
    return "odd.json"


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
@pytest.mark.parametrize("command", ["check", "lint"])
def test_a_hostile_name_reaches_no_terminal(folder: Path, odd: str, capsys, monkeypatch, command: str, form: str):
    monkeypatch.chdir(folder)
    outcome = governor_here(command, "-v", "--format", form, odd, capsys=capsys)
    assert outcome.code == 1, outcome.err
    assert outcome.unsafe() == set()
    shown = {"text": r"\x1b[31mred\u{202e}", "markdown": r"\x1b[31mred\u{202e}", "json": r"\u001b[31mred\u202e"}[form]
    assert shown in outcome.out
    if form == "json":
        assert "\x1b[31mred\u202e" in {finding["tool"] for finding in outcome.report["findings"]}


@pytest.mark.parametrize(
    "arguments",
    [
        ["snapshot", "odd.json", "-o", "-"],
        ["fingerprint", "odd.json", "--tools"],
        ["diff", "mcp-surface.json", "odd.json"],
        ["diff", "mcp-surface.json", "odd.json", "--stat"],
        ["lint", "odd.json", "--statistics"],
        ["changelog", "draft", "odd.json", "--diff", "--for", "2.0.0"],
    ],
    ids="-".join,
)
def test_a_hostile_name_is_safe_in_every_other_command(folder, odd, capsys, monkeypatch, arguments: list[str]) -> None:
    monkeypatch.chdir(folder)
    outcome = governor_here(*arguments, capsys=capsys)
    assert outcome.code == (1 if arguments[0] in ("diff", "lint") else 0), outcome.err
    assert outcome.out
    assert outcome.unsafe() == set()


def test_a_surrogate_survives_being_recorded(folder: Path) -> None:
    assert governor("snapshot", "-o", "new.json", *hostile("raw_surrogate"), cwd=folder).code == 0
    assert json.loads((folder / "new.json").read_bytes())["tools"] == [{"name": "\ud800"}]
    assert governor("diff", "new.json", *hostile("raw_surrogate"), cwd=folder).code == 0


def test_a_server_without_anything_is_never_a_pass(folder: Path) -> None:
    reported = fails(folder, "check", *plain(tools=[]), code=4).err
    assert "publishes no tools, prompts or resources" in reported


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/status/401", "it refuses the credentials from MCP_GOVERNOR_BEARER_TOKEN (HTTP 401)."),
        ("/explained", r'it fails (HTTP 500: "database "\x1b[31mdown\u{202e}" for").'),
    ],
)
def test_http_servers_that_are_none(folder: Path, path: str, sentence: str) -> None:
    with running_web() as web:
        url = web.url(path)
        reported = fails(folder, "snapshot", f"{url}?key={SECRET}", code=3, env={"MCP_GOVERNOR_BEARER_TOKEN": SECRET})
        assert {headers.get("Authorization") for _, _, headers, _ in web.seen} == {f"Bearer {SECRET}"}
    assert f"error: {url}: {sentence}" in reported.err
    assert SECRET not in reported.err


@pytest.mark.parametrize("value", [SECRET, "short"])
def test_a_secret_that_the_server_publishes_is_not_recorded(folder: Path, value: str) -> None:
    command = json.dumps([PYTHON, str(SERVERS / "plain.py"), json.dumps({"tools": [TOOL]})])
    (folder / "mcp-governor.toml").write_text(f'[servers.s]\ncommand = {command}\nenv = {{ LEAK = "$LEAKED" }}\n')
    assert governor("snapshot", cwd=folder, env={"LEAKED": value}).code == 0
    shown = "[redacted]" if value == SECRET else value
    (tool,) = json.loads((folder / "mcp-surface.json").read_text())["tools"]
    assert tool["description"] == f"Knows {shown} by heart."
    # Another value of the variable is no other wording.
    again = governor("check", "-v", "--format", "json", cwd=folder, env={"LEAKED": value[::-1]})
    assert (again.report["changes"] == []) == (value == SECRET)
    assert SECRET not in again.out + again.err
