"""An agent that talks to `serve` wants a file, a command, an address or a secret that is not its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path

import pytest
from attack import MEGABYTE, PEAK
from support import SERVERS
from test_hostile_serve import LINUX, Client, resident
from traps import Trap, put, surface

from mcp_governor.errors import GovernorError
from mcp_governor.server import project as project_module
from mcp_governor.server.project import ROOT, MissingError, OutsideError, read_inside

POSIX = pytest.mark.skipif(os.name != "posix", reason="symbolic links and FIFOs")
SECRET = "zk7-Vq93-hidden-Lp51"
OUTSIDE = {"name": "outside_canary", "inputSchema": {"type": "object"}}
CONFIG = """\
target = "stock"
timeout = 2
start-timeout = 3
baseline = "mcp-surface.json"
changelog = "CHANGELOG.md"
[servers.stock]
file = "live.json"
"""


@pytest.fixture
def root(tmp_path):
    """A governed project; a surface with a tool that nobody may see is next to it."""
    (tmp_path / "outside.json").write_text(surface(OUTSIDE))
    files = {"mcp-surface.json": surface(), "live.json": surface(OUTSIDE), "mcp-governor.toml": CONFIG}
    (tmp_path / "temporary").mkdir()
    return put(tmp_path / "project", {**files, "live.json": surface(), "CHANGELOG.md": "# Changelog\n\n## [1.0.0]\n"})


@pytest.fixture
def opened(root, monkeypatch):
    """Opens sessions in the project, whose processes can be found; afterwards none of them runs, and no file of theirs
    is left in the temporary folder."""
    monkeypatch.setenv("TMPDIR", str(root.parent / "temporary"))
    sessions: list[Client] = []

    def opens() -> Client:
        sessions.append(Client(root))
        return sessions[-1]

    yield opens
    for session in sessions:
        with contextlib.suppress(OSError):
            session.process.stdin.close()
        session.process.wait(30)
    for session in sessions:
        assert session.leash.left_behind() == []
        session.process.stdout.close()
        session.process.stderr.close()
    assert list((root.parent / "temporary").iterdir()) == []


def say(session: Client, tool: str, arguments: dict) -> dict:
    """The result of a call; ``said`` has all of it as text."""
    number = getattr(session, "count", 0) + 1
    session.count = number
    session.call(number, tool, arguments)
    return session.answer(number)


def lives(session: Client) -> None:
    """The server still does its work."""
    assert say(session, "list_rules", {"pack": "charter"})["result"]["structuredContent"]["status"] == "success"


def paths_out(outside: Path) -> list[str]:
    """Ways to spell a file that is next to the root."""
    name = outside.name
    return [
        f"../{name}",
        f"./../{name}",
        f"a/../../{name}",
        f"..//{name}",
        f"..\\{name}",
        str(outside),
        f"/{outside}",
        f"file://{outside}",
        f"%2e%2e/{name}",
        f"..%2f{name}",
        f"..%00/{name}",
        f"..\0/{name}",
        f"mcp-surface.json\0/../../{name}",
        f"\uff0e\uff0e/{name}",
        "../" * 100 + str(outside)[1:],
        f"~/{name}",
        f"$PWD/../{name}",
        f"/proc/self/root{outside}",
        f"/proc/self/cwd/../{name}",
        f"/dev/fd/../..{outside}",
        f"link/{name}",
        "linked.json",
        "chain.json",
        f"mcp-surface.json/../../{name}",
        "x" * 400 + f"/../../{name}",
    ]


@POSIX
def test_no_path_leads_out_of_the_project(opened, root):
    outside = root.parent / "outside.json"
    (root / "link").symlink_to(root.parent)
    (root / "linked.json").symlink_to(outside)
    (root / "chain.json").symlink_to("linked.json")
    session = opened()
    for path in paths_out(outside):
        for arguments in ({"old_uri": path, "new_tools": []}, {"old_tools": [], "new_uri": path}):
            reported = json.dumps(say(session, "compare_surfaces", arguments))
            assert "outside_canary" not in reported, path
            assert str(root.parent) not in reported, path
            assert '"status": "success"' not in reported, path
    # The guard, and not the file, is what refuses them.
    inside = put(root, {"inside.json": outside.read_text()})
    found = say(session, "compare_surfaces", {"old_uri": "inside.json", "new_tools": []})
    assert "outside_canary" in json.dumps(found), inside


@POSIX
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_link_that_comes_after_the_look_is_not_followed(root, monkeypatch, what):
    (root / "sub").mkdir()
    (root / "sub" / "one.json").write_text(surface())
    (root.parent / "one.json").write_text(surface(OUTSIDE))
    judged = project_module.inside
    monkeypatch.setenv(ROOT, str(root))
    assert read_inside("sub/one.json") == surface().encode()

    def swapped(path: str) -> Path:
        found = judged(path)
        if what == "file":
            found.unlink()
            found.symlink_to(root.parent / "one.json")
        else:
            (root / "sub").rename(root / "gone")
            (root / "sub").symlink_to(root.parent)
        return found

    monkeypatch.setattr(project_module, "inside", swapped)
    with pytest.raises(OSError, match=r"symbolic links|Not a directory"):
        read_inside("sub/one.json")
    monkeypatch.setattr(project_module, "inside", judged)
    with pytest.raises(OutsideError):
        read_inside("sub/one.json")


@POSIX
def test_what_is_no_file_is_not_read_and_what_is_large_is_not_kept(opened, root):
    os.mkfifo(root / "fifo")
    (root / "zero").symlink_to("/dev/zero")
    (root / "folder").mkdir()
    with (root / "huge").open("wb") as huge:
        huge.truncate(60 * MEGABYTE)
    with (root / "large").open("wb") as large:
        large.write(b'{"tools":[' + b"[]," * (10 * MEGABYTE) + b"[]]}")
    done = threading.Event()

    def grow() -> None:
        with (root / "growing").open("wb") as growing:
            growing.write(b'{"tools":[')
            while not done.is_set() and growing.tell() < 200 * MEGABYTE:
                growing.write(b"0," * 100_000)
                growing.flush()

    writer = threading.Thread(target=grow)
    writer.start()
    session = opened()
    try:
        for path in ("fifo", "zero", "folder", "huge", "large", "growing", "."):
            answer = say(session, "compare_surfaces", {"old_uri": path, "new_tools": []})
            assert answer["result"]["structuredContent"]["status"] in ("error", "refused"), path
            assert not sys.platform.startswith("linux") or resident(session.leash.mark) < PEAK
    finally:
        done.set()
        writer.join()
    lives(session)


def injected(trap: Trap, url: str) -> list[str]:
    """Texts that somebody could run, import, open or fetch."""
    shell = trap.shell()
    return [
        f"; {shell}",
        f"$({shell})",
        f"`{shell}`",
        f"| {shell}",
        f"&& {shell}",
        f"x\n{shell}\n",
        f"' ; {shell}",
        f'" ; {shell}',
        f"-- sh -c '{shell}'",
        f"--config={trap.folder}/x.toml",
        f"sh -c '{shell}'",
        f"python:os:system('{shell}')",
        f"__import__('os').system('{shell}')",
        f"{{{{7*7}}}}{{0.__class__}}%s{shell}",
        url,
        f"{url}/mcp",
        f"stdio:{shell}",
        "npm:left-pad",
        "pypi:attrs",
        "live.json",
        "client.json#evil",
        "../project/live.json",
        "-rf",
        "",
        "\0",
        "stock\0x",
        "Stock",
        "stock ",
    ]


class Ear:
    """A port that notes who connects."""

    def __init__(self) -> None:
        self.heard: list[object] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                line, who = self._socket.accept()
                self.heard.append(who)
                line.close()

    def close(self) -> None:
        self._socket.close()


def test_no_argument_is_run_imported_or_fetched(opened, root):
    trap, ear = Trap(root.parent / "trap"), Ear()
    (root / "client.json").write_text(json.dumps({"mcpServers": {"evil": trap.server()}}))
    session = opened()
    assert say(session, "check_server", {})["result"]["structuredContent"]["status"] == "success"
    for text in injected(trap, ear.url):
        tool = {"name": text, "description": text, "inputSchema": {"$ref": ear.url, "$id": ear.url, "pattern": text}}
        named = {"server": text[:200]}
        for name, arguments in (
            ("list_findings", {**named, "rule": text[:100], "tool": text[:200]}),
            ("explain_finding", {**named, "finding_id": text or "x"}),
            ("explain_finding", {"finding_id": text or "x"}),
            ("compare_surfaces", {"old_tools": [tool], "new_uri": text}),
            ("compare_surfaces", {"old_tools": [tool], "new_tools": [{**tool, "inputSchema": {}}]}),
            ("lint_description", {"name": text[:128] or "x", "description": text, "other_tools": [text]}),
            ("validate_response", {"result": {"content": [{"type": "resource_link", "uri": text}]}, "tool": tool}),
            ("list_rules", {"pack": text[:64]}),
        ):
            assert "result" in say(session, name, arguments), (name, text)
    # These start a process each; a shell sees all of the texts in one.
    every = " ".join(injected(trap, ear.url)).replace("\0", "")[:200]
    for text in (every, ear.url, "client.json#evil", f"$({trap.shell()})"[:200], "live.json", "-rf"):
        for name in ("check_server", "draft_changelog"):
            refused = say(session, name, {"server": text})["result"]["structuredContent"]
            assert refused["error"]["kind"] == "unknown_name", text
            assert refused["error"]["recovery"]["suggested_args"] == {"server": "stock"}
    for version in (f"$({trap.shell()})"[:100], "../../../x", "1.0.0\n## [9.9.9]", "--help"):
        assert "result" in say(session, "draft_changelog", {"version": version})
    for uri in (f"mcp-governor://rules/../{ear.url}", "file:///etc/passwd", ear.url, "mcp-governor://rules/%2e%2e/x"):
        session.send({"jsonrpc": "2.0", "id": uri, "method": "resources/read", "params": {"uri": uri}})
        assert "error" in session.answer(uri), uri
    lives(session)
    assert trap.sprung == []
    assert ear.heard == []
    ear.close()
    assert sorted(path.name for path in root.iterdir()) == sorted(
        ["CHANGELOG.md", "client.json", "live.json", "mcp-governor.toml", "mcp-surface.json"]
    ), "a tool wrote something"


def test_large_and_strange_arguments_are_refused_and_the_server_goes_on(opened):
    session = opened()
    deep: object = {}
    for _ in range(90):
        deep = {"properties": {"a": deep}}
    huge = {
        "text": {"name": "x", "description": "d" * 3_000_000},
        "keys": {"result": {str(number): number for number in range(100_000)}},
        "number": {"pageSize": 10**300},
        "negative": {"cursor": "-1"},
        "nothing": {"pageSize": 0},
        "page": {"pageSize": 10**6},
    }
    for tool, arguments in (
        ("lint_description", huge["text"]),
        ("list_findings", huge["number"]),
        ("list_findings", huge["negative"]),
        ("list_findings", huge["nothing"]),
        ("list_findings", huge["page"]),
        ("list_findings", {"server": "s" * 1_000_000}),
        ("explain_finding", {"finding_id": "f" * 1_000_000}),
        ("check_server", {"server": ["stock"]}),
        ("check_server", {"server": {"name": "stock"}}),
        ("draft_changelog", {"version": 1.5}),
        ("validate_response", {"result": "text"}),
        ("validate_response", {"result": {}, "profile": "other"}),
        ("list_rules", {"response_format": "verbose"}),
        ("list_rules", {"response_format": None}),
        ("list_rules", {"response_format": ["concise"]}),
    ):
        result = say(session, tool, arguments)["result"]
        assert result["isError"], tool
        assert f"{tool} refuses the call" in result["content"][0]["text"]
        assert len(result["content"][0]["text"]) < 300
    for tool, arguments in (
        ("validate_response", huge["keys"]),
        ("compare_surfaces", {"old_tools": [{"name": "a", "inputSchema": deep}], "new_tools": []}),
        ("compare_surfaces", {"old_tools": [{"name": "a", "inputSchema": {"maximum": 10**300}}], "new_tools": []}),
    ):
        assert "result" in say(session, tool, arguments)
    lives(session)


@LINUX
def test_two_hundred_calls_at_once_are_answered_or_refused(opened):
    session = opened()
    calls = (
        ("list_rules", {"response_format": "detailed"}),
        ("lint_description", {"name": "find", "description": "Finds.", "other_tools": ["scan"]}),
        ("check_server", {}),
        ("compare_surfaces", {"old_uri": "mcp-surface.json", "new_uri": "live.json"}),
        ("list_findings", {}),
    )
    most = processes = 0
    for number in range(200):
        session.call(number, *calls[number % len(calls)])
    answers = []
    for number in range(200):
        answers.append(session.answer(number))
        if number % 10 == 0:
            most, processes = max(most, resident(session.leash.mark)), max(processes, session.workers())
    done = [answer for answer in answers if "structuredContent" in answer.get("result", {})]
    refused = [answer for answer in answers if answer not in done]
    assert len(done) >= 60
    for answer in refused:
        said = answer["error"]["message"] if "error" in answer else answer["result"]["content"][0]["text"]
        assert "too many" in said
    assert all(answer["result"]["structuredContent"]["status"] in ("success", "empty", "error") for answer in done)
    assert 0 < most < PEAK
    # Two workers, two jobs, one that is ready, and one on its way out.
    assert processes <= 8
    lives(session)


def governed(root: Path, mode: str, **more: str) -> None:
    """A server of ``servers/hostile.py`` in the configuration."""
    command = json.dumps([sys.executable, str(SERVERS / "hostile.py"), mode])
    env = "".join(f"{key} = {json.dumps(value)}\n" for key, value in more.items())
    config = CONFIG.replace('file = "live.json"', f"command = {command}")
    (root / "mcp-governor.toml").write_text(f"{config}[servers.stock.env]\n{env}" if env else config)


def hostile(session: Client) -> list[str]:
    return [line for line in session.leash.running() if "hostile.py" in line or "time.sleep(600)" in line]


STUCK = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if len(sys.argv) == 1:
    subprocess.Popen([sys.executable, __file__, "child"], start_new_session=True)
time.sleep(600)
"""


@LINUX
@pytest.mark.parametrize("end", ["cancel", "client", "kill", "terminate"])
def test_a_check_that_nobody_waits_for_leaves_nothing(opened, root, end):
    """The server never responds; by itself, its check would end after a minute."""
    client = opened()
    (root / "hostile.py").write_text(STUCK)
    # A server gets few variables of ours; this one is how it is found.
    (root / "mcp-governor.toml").write_text(
        CONFIG.replace("timeout = 2\nstart-timeout = 3", "timeout = 60\nstart-timeout = 60").replace(
            'file = "live.json"', f"command = {json.dumps([sys.executable, 'hostile.py'])}"
        )
        + f'[servers.stock.env]\nMARK = "{client.leash.mark}"\n'
    )
    client.call(1, "check_server", {"call_tools": True})
    client.until(lambda: len(hostile(client)) >= 2, 30)
    if end == "cancel":
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        client.until(lambda: hostile(client) == [])
        lives(client)
    elif end == "client":
        client.process.stdin.close()
        client.process.wait(30)
    else:
        client.process.send_signal(signal.SIGKILL if end == "kill" else signal.SIGTERM)
        client.process.wait(30)
    client.until(lambda: hostile(client) == [])
    if end in ("kill", "terminate"):
        client.until(lambda: client.leash.running() == [])
        # Nobody was left to remove them.
        for left in (root.parent / "temporary").iterdir():
            assert left.name.startswith("mcp-governor-serve-")
            left.rename(root.parent / left.name)


HANGING = ("deaf", "silent", "silent_on_list", "garbage", "endless_line", "long_line", "stderr_flood", "asks_forever")


@pytest.mark.parametrize("mode", HANGING)
def test_a_governed_server_cannot_hold_or_fill_us(opened, root, mode):
    governed(root, mode)
    session = opened()
    begun = time.monotonic()
    result = say(session, "check_server", {})["result"]
    assert "structuredContent" in result, result
    envelope = result["structuredContent"]
    assert time.monotonic() - begun < 60
    assert envelope["status"] in ("success", "error")
    if envelope["status"] == "error":
        assert envelope["error"]["kind"] == "index_not_ready"
        recovery = envelope["error"]["recovery"]
        again = say(session, recovery["suggested_tool"], recovery["suggested_args"])
        assert again["result"]["structuredContent"]["status"] == "success"
    assert len(json.dumps(envelope)) < 100_000
    lives(session)


LEAKY = """
import json, os, sys
secret = os.environ["API_TOKEN"]
print("starting with", secret, file=sys.stderr)
if os.environ.get("DIES"):
    sys.exit(f"cannot log in with {secret}")
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if message["method"] == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "leaky", "version": "1.0.0"}, "instructions": f"Token {secret}."}
    elif message["method"] == "tools/list":
        schema = {"type": "object", "properties": {secret: {"default": secret, "enum": [secret]}}}
        result = {"tools": [{"name": f"find_{secret}", "description": f"Uses {secret}.", "inputSchema": schema,
                             "annotations": {"readOnlyHint": True}}]}
    else:
        result = {"content": [{"type": "text", "text": f"error: {secret}"}], "isError": True}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@pytest.mark.parametrize("dies", [False, True])
def test_a_secret_of_the_configuration_comes_out_nowhere(opened, root, dies):
    (root / "leaky.py").write_text(LEAKY)
    more = 'DIES = "yes"\n' if dies else ""
    (root / "mcp-governor.toml").write_text(
        CONFIG.replace('file = "live.json"', f"command = {json.dumps([sys.executable, 'leaky.py'])}")
        + f'[servers.stock.env]\nAPI_TOKEN = "{SECRET}"\n{more}'
    )
    session = opened()
    said: list[object] = []
    for name, arguments in (
        ("check_server", {"call_tools": True, "response_format": "detailed"}),
        ("list_findings", {"pageSize": 200}),
        ("draft_changelog", {}),
        ("draft_changelog", {"version": SECRET}),
    ):
        said.append(say(session, name, arguments))
    items = said[1]["result"]["structuredContent"]["data"]
    assert dies == (items is None)
    for item in items["findings"] if items else ():
        said.append(say(session, "explain_finding", {"finding_id": item["id"]}))
        assert said[-1]["result"]["structuredContent"]["status"] == "success"
    session.send(
        {"jsonrpc": "2.0", "id": "r", "method": "resources/read", "params": {"uri": "mcp-governor://reports/last"}}
    )
    said.append(session.answer("r"))
    session.process.stdin.close()
    session.process.wait(30)
    said.append(session.process.stderr.read().decode())
    assert SECRET not in json.dumps(said)
    assert dies or "[redacted]" in json.dumps(said).lower()


def test_a_page_ends_before_it_is_too_large(opened, root):
    """A hostile server has the longest names and descriptions that we list."""
    tools = [{"name": f"{number}_" + "n" * 30_000, "inputSchema": {"type": "object"}} for number in range(200)]
    (root / "live.json").write_text(surface(*tools))
    session = opened()
    checked = say(session, "check_server", {"response_format": "detailed"})["result"]
    assert len(json.dumps(checked)) < 1_000_000
    cursor, seen, total = "", [], None
    while cursor is not None:
        answer = say(session, "list_findings", {"pageSize": 200, "cursor": cursor})["result"]
        assert len(json.dumps(answer)) < 1_000_000
        page = answer["structuredContent"]["data"]
        total, cursor = page["total"], page["next_cursor"]
        seen += [item["id"] for item in page["findings"]]
    assert len(seen) == total
    told = say(session, "explain_finding", {"finding_id": seen[0]})["result"]
    assert told["structuredContent"]["status"] == "success"
    beyond = say(session, "list_findings", {"cursor": "100000"})["result"]["structuredContent"]
    assert (beyond["status"], beyond["data"]["next_cursor"]) == ("empty", None)


def test_a_link_in_the_middle_of_a_path_on_any_system(tmp_path):
    """What the look refuses, whatever the system."""
    (tmp_path / "root").mkdir()
    for path in ("../x", "C:\\x", "\\\\host\\share", "/x"):
        with pytest.raises((OutsideError, MissingError, GovernorError)):
            project_module.inside(path, str(tmp_path / "root"))
