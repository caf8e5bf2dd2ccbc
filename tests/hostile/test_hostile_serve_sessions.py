"""An agent of `serve`, or the server that it governs, wants to hold it, to fill it, or to hear its secrets."""

from __future__ import annotations

import json
import signal
import sys
import time

import pytest
from governed_project import CONFIG, SECRET, governed, hostile, lives, say
from test_hostile_serve import LINUX
from traps import surface


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
def test_a_governed_server_cannot_hold_or_fill_us(shared, mode):
    root, session = shared
    governed(root, mode)
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
    tools = [{"name": f"{number}_" + "n" * 30_000, "inputSchema": {"type": "object"}} for number in range(20)]
    (root / "live.json").write_text(surface(*tools))
    session = opened()
    checked = say(session, "check_server", {"response_format": "detailed"})["result"]
    assert len(json.dumps(checked)) < 1_000_000
    cursor, seen, total, pages = "", [], None, 0
    while cursor is not None:
        answer = say(session, "list_findings", {"pageSize": 200, "cursor": cursor})["result"]
        assert len(json.dumps(answer)) < 1_000_000
        page = answer["structuredContent"]["data"]
        total, cursor = page["total"], page["next_cursor"]
        seen += [item["id"] for item in page["findings"]]
        pages += 1
    assert len(seen) == total
    assert pages > 1
    told = say(session, "explain_finding", {"finding_id": seen[0]})["result"]
    assert told["structuredContent"]["status"] == "success"
    beyond = say(session, "list_findings", {"cursor": "100000"})["result"]["structuredContent"]
    assert (beyond["status"], beyond["data"]["next_cursor"]) == ("empty", None)
