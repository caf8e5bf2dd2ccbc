"""Bad input through the command line: each row with its sentence and exit code. Nothing hangs, nothing is left
running, nothing on disk changes, and no word of a server reaches a terminal raw."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from commandline import PYTHON, Outcome, contents, governor, governor_here, hostile, plain
from faulty_http import SECRET, faulty_http
from support import SERVERS

from mcp_governor.surface import build_surface, dump_surface

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
    return checked(folder, before, governor(*arguments, cwd=folder, env=env), code)


@pytest.fixture
def fails_here(folder: Path, capsys, monkeypatch):
    """:func:`fails` within this process, for what starts no server."""
    monkeypatch.chdir(folder)

    def work(*arguments: str, code: int) -> Outcome:
        before = contents(folder)
        return checked(folder, before, governor_here(*arguments, capsys=capsys), code)

    return work


def checked(folder: Path, before: dict[str, bytes], outcome: Outcome, code: int) -> Outcome:
    """A failure as it must be."""
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


UNREACHABLE = {
    "exits_at_once": [
        "hostile.py MODE: it exited with status 3",
        r"  cannot open the database \x1b[31m/srv/db\x1b[0m \u{202e}",
    ],
    "exits_halfway": [
        "hostile.py MODE: it exited with status 7 before it answered tools/list; it had answered initialize.",
        "Run the command by hand",
    ],
    "silent": ["hostile.py MODE: no response to `initialize` within 0.5 s."],
    "silent_on_list": ["hostile.py MODE: no response to tools/list within 3 s.", "Raise --timeout"],
    "garbage": [r"lines on stdout that are not JSON-RPC", r"\x1b[2J", "Send logs to stderr"],
    "stderr_flood_then_exit": ["hostile.py MODE: it exited with status 1 before it answered.", "the last word"],
    "wrong_ids": ["hostile.py MODE: it answered 101 requests that were never sent", "with the id that it came with"],
    "same_cursor": [r'tools/list repeats the cursor "again\x1b[31m" and would never end.', "Leave nextCursor out"],
    "many_tools": ["tools/list lists more than 50,000 items."],
    "long_line": ["hostile.py MODE: it sent more than 33,554,432 bytes in one reading."],
    "deep_10000": ["hostile.py MODE: the server sent a message nested deeper than 200 levels.", "Flatten the schema"],
    "closes_stdout": [
        "hostile.py MODE: it closed its stdout before it answered tools/list; it had answered initialize."
    ],
}


@pytest.mark.parametrize("mode", UNREACHABLE)
def test_servers_that_cannot_be_read(folder: Path, mode: str) -> None:
    configured(folder, mode)
    # Snapshot is what could spoil the baseline; the way to the server is the same for every command.
    # Short only for what never comes; a slow machine needs its time to shake hands, which is twice the timeout.
    seconds = {"silent": "0.5", "silent_on_list": "3"}.get(mode)
    reported = fails(folder, "snapshot", *(["--timeout", seconds] if seconds else []), code=3).err
    for sentence in UNREACHABLE[mode]:
        assert sentence.replace("MODE", mode) in reported
    assert SECRET not in reported


@pytest.mark.parametrize("command", ["check", "lint", "fingerprint", "diff"])
def test_every_command_says_it_the_same_way(folder: Path, command: str) -> None:
    configured(folder, "exits_halfway")
    arguments = ["mcp-surface.json", "h"] if command == "diff" else []
    reported = fails(folder, command, *arguments, code=3).err
    assert (
        "hostile.py exits_halfway: it exited with status 7 before it answered tools/list; it had answered initialize."
        in reported
    )


@pytest.mark.parametrize("mode", ["banner", "stderr_flood", "stubborn", "strange_ids"])
def test_what_is_only_untidy_is_read_all_the_same(folder: Path, mode: str) -> None:
    configured(folder, mode)
    outcome = governor("diff", "mcp-surface.json", "h", "--format", "json", cwd=folder)
    assert outcome.code == 0, outcome.err
    assert outcome.report["changes"] == []
    assert outcome.left == []
    assert outcome.unsafe() == set()


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


@pytest.mark.parametrize("command", ["check", "snapshot"])
def test_a_server_without_anything_is_never_a_pass(folder: Path, command: str) -> None:
    reported = fails(folder, command, *plain(tools=[]), code=4).err
    assert "publishes no tools, prompts or resources" in reported


@pytest.mark.parametrize("recording", ["[]", '{"tools": []}'])
@pytest.mark.parametrize("command", ["check", "lint", "diff"])
def test_an_empty_recording_is_never_a_pass(folder: Path, fails_here, command: str, recording: str) -> None:
    (folder / "empty.json").write_text(recording)
    arguments = ["empty.json", "empty.json"] if command == "diff" else ["empty.json"]
    assert "publishes no tools" in fails_here(command, *arguments, code=4).err


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["no-such-command-anywhere"], "no-such-command-anywhere: the command was not found."),
        (["./no-such-file"], "./no-such-file: the command was not found."),
        (["./mcp-surface.json"], "./mcp-surface.json: the command is not executable."),
    ],
)
def test_commands_that_cannot_be_started(folder: Path, command: list[str], sentence: str) -> None:
    assert f"error: {sentence}" in fails(folder, "snapshot", "--", *command, code=3).err


@pytest.fixture(scope="module")
def web():
    with faulty_http() as server:
        yield server


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("401", "it refuses the credentials from MCP_GOVERNOR_BEARER_TOKEN (HTTP 401)."),
        ("404", r'it has no MCP endpoint at this path (HTTP 404: "{"oops": "\x1b[31m"}").'),
        ("500", r'it fails (HTTP 500: "{"oops": "\x1b[31m"}").'),
        ("html", "it responds with a web page (text/html), not with MCP."),
        ("redirect", "it redirects to http://127.0.0.1:1/elsewhere (HTTP 302), which is another origin."),
        ("slow", "no response to `initialize` within 1 s."),
    ],
)
def test_http_servers_that_are_none(folder: Path, web, path: str, sentence: str) -> None:
    url = f"http://{web.host}/{path}"
    hasty = ["--timeout", "1"] if path == "slow" else []
    reported = fails(
        folder, "snapshot", *hasty, f"{url}?key={SECRET}", code=3, env={"MCP_GOVERNOR_BEARER_TOKEN": SECRET}
    )
    assert f"error: {url}: {sentence}" in reported.err
    assert SECRET not in reported.err
    assert f"Bearer {SECRET}" in web.authorizations


def test_tls_that_fails(folder: Path, web) -> None:
    reported = fails(folder, "snapshot", f"https://{web.host}/mcp", code=3).err
    assert f"error: https://{web.host}/mcp: the TLS connection fails: " in reported
    assert "If it speaks plain HTTP, write http://." in reported


TWO = '[servers.one]\ncommand = ["a"]\n[servers.two]\nurl = "https://example.invalid/mcp"\n'


@pytest.mark.parametrize(
    ("config", "sentence", "hint"),
    [
        ('basline = "x"', 'mcp-governor.toml:1: unknown key "basline". Did you mean "baseline"?', "schema config"),
        ('[lint]\nignroe = ["x"]', 'unknown key "lint.ignroe". Did you mean "ignore"?', "schema config"),
        ('[servers.a]\ncomand = ["x"]', 'unknown key "servers.a.comand". Did you mean "command"?', "schema config"),
        ('[policy]\nclosed-otput = "breaking"', 'key "policy.closed-otput". Did you mean "closed-output"?', "config"),
        ('profile = "recomended"', "There is no profile", 'Did you mean "recommended"?'),
        ('level = "loose"', 'mcp-governor.toml:1: "level" cannot be "loose".', "one of declared, strict"),
        ("level =", "mcp-governor.toml is not TOML:", "Correct the line."),
        (TWO, "mcp-governor.toml names 2 servers (one, two), and none is selected.", 'set target = "NAME"'),
    ],
)
def test_configurations_that_are_wrong(folder: Path, fails_here, config: str, sentence: str, hint: str) -> None:
    (folder / "mcp-governor.toml").write_text(config)
    arguments = [] if config is TWO else ["mcp-surface.json"]
    reported = fails_here("check", *arguments, code=2).err
    assert sentence in reported
    assert hint in reported


def test_a_variable_that_is_not_set_is_named_and_none_that_is_gets_shown(folder: Path, fails_here, monkeypatch) -> None:
    (folder / "mcp-governor.toml").write_text(
        '[servers.s]\ncommand = ["never-run"]\nenv = { A = "$MCPGOV_A", B = "$MCPGOV_B" }\n'
    )
    monkeypatch.setenv("MCPGOV_A", SECRET)
    reported = fails_here("check", code=2).err
    assert "servers.s.env.B needs the environment variable MCPGOV_B" in reported
    assert SECRET not in reported


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


@pytest.mark.parametrize(
    ("content", "sentence", "hint"),
    [
        (
            '{"format": "mcp-governor/surface-2", "tools": []}',
            "newer than mcp-governor/surface-1",
            "Install a newer mcp-governor",
        ),
        ('{"format": "mcp-governor/surface-1", "tools": [{"na', "x.json is cut off at line 1, column ", "Record it"),
        ("tools: []", "x.json is not JSON: Expecting value at line 1, column 1.", "Record it again."),
        ("", "x.json is cut off at line 1, column 1.", "Record it again."),
        (
            '{"format": "mcp-governor/report-1"}',
            '"format": "mcp-governor/report-1", which is not a surface',
            "surface-1",
        ),
        ('{"a": 1}', "x.json", "Record"),
        ('{"tools": 5}', "x.json", "Record"),
        ("[" * 100_000, "x.json", "Record"),
    ],
)
@pytest.mark.parametrize("place", ["target", "baseline"])
def test_surface_files_that_are_none(
    folder: Path, fails_here, content: str, sentence: str, hint: str, place: str
) -> None:
    (folder / "x.json").write_text(content)
    arguments = ["x.json"] if place == "target" else ["mcp-surface.json", "--against", "x.json"]
    reported = fails_here("check", *arguments, code=2).err
    assert sentence in reported
    assert hint in reported


def test_a_git_ref_that_is_not_here(folder: Path, fails_here) -> None:
    assert "is not in a git repository" in fails_here("check", "git:v1.0.0", code=2).err
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    reported = fails_here("check", "mcp-surface.json", "--against", "git:v1.0.0", code=2).err
    assert 'git has no ref "v1.0.0" here.' in reported
    assert "git fetch origin v1.0.0" in reported


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("gone.json", "gone.json does not exist."),
        ("nonsense", '"nonsense" is not a TARGET.'),
        ("python:no_such_package_here:server", "no_such_package_here"),
        ("https://", '"https://" is not a URL with a host.'),
        ("git:", '"git:" does not name a git ref.'),
        ("\x1b[31m\u202e", r'"\x1b[31m\u{202e}" is not a TARGET.'),
    ],
)
def test_targets_that_are_none(fails_here, target: str, sentence: str) -> None:
    assert sentence in fails_here("check", target, code=2).err
