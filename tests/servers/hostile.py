"""A server that misbehaves over stdio: ``python hostile.py MODE``; every mode is one function below."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time


def say(message: object) -> None:
    sys.stdout.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    sys.stdout.flush()


def reply(message: dict, result: object = None, **more: object) -> None:
    say({"jsonrpc": "2.0", "id": message["id"], **(more or {"result": result})})


def read() -> dict:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def requests():
    while True:
        message = read()
        if "id" in message and "method" in message:
            yield message


INIT = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "h", "version": "1"}}
TOOL = {"name": "t", "inputSchema": {"type": "object"}}


def serve(listing=None, *, before=lambda message: None) -> None:
    """A legacy server; ``listing(message)`` may answer ``tools/list`` itself, ``before`` runs for each request."""
    for message in requests():
        before(message)
        if message["method"] == "initialize":
            reply(message, INIT)
        elif message["method"] == "tools/list":
            if listing is None:
                reply(message, {"tools": [TOOL]})
            else:
                listing(message)
        else:
            reply(message, error={"code": -32601, "message": "unknown"})


def exits_at_once() -> None:
    print("cannot open the database \x1b[31m/srv/db\x1b[0m \u202e", file=sys.stderr)
    sys.exit(3)


def exits_halfway() -> None:
    serve(lambda message: os._exit(7))


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def silent() -> None:
    for _line in sys.stdin:
        pass


def silent_on_list() -> None:
    serve(lambda message: None)


def deaf() -> None:
    time.sleep(600)


def stubborn() -> None:
    """Ignores every polite way to end it, and has a child that does, too."""
    ignore = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    subprocess.Popen([sys.executable, "-c", ignore])
    signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def listing(message: dict) -> None:
        reply(message, {"tools": [TOOL]})
        time.sleep(600)

    serve(listing)


def orphan() -> None:
    """Leaves at the end of its input, but what it started stays."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdin=subprocess.DEVNULL)
    serve()


def garbage() -> None:
    for number in itertools.count():
        say(f"{number} !! \x1b[2J this is not MCP \u202e")


def endless_line() -> None:
    while True:
        sys.stdout.write("x" * 65536)


def long_line() -> None:
    def listing(message: dict) -> None:
        out = sys.stdout.buffer
        out.write(b'{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":"' % message["id"])
        for _ in range(200):
            out.write(b"a" * 1_000_000)
        out.write(b'"}]}}\n')
        out.flush()

    serve(listing)


def banner() -> None:
    say("  *** Welcome to my server ***\n")
    say(json.dumps({"level": "info", "msg": "starting"}))
    serve(before=lambda message: say(f"handling {message['method']}"))


def stderr_flood() -> None:
    for _ in range(200):
        sys.stderr.write("x" * 100_000 + "\n")
    serve()


def stderr_flood_then_exit() -> None:
    for _ in range(50):
        sys.stderr.write("x" * 100_000 + "\n")
    sys.stderr.write("the last word, with token sekret-0123456789\n")
    sys.exit(1)


def wrong_ids() -> None:
    for message in requests():
        for offset in range(1, 300):
            say({"jsonrpc": "2.0", "id": message["id"] + offset, "result": {}})


def strange_ids() -> None:
    """Wrong ids of every type before the right one."""

    def before(message: dict) -> None:
        for wrong in (str(message["id"]), message["id"] + 0.5, True, None, [message["id"]], 10**30):
            say({"jsonrpc": "2.0", "id": wrong, "result": {"tools": "wrong"}})

    serve(before=before)


def same_cursor() -> None:
    serve(lambda message: reply(message, {"tools": [TOOL], "nextCursor": "again\x1b[31m"}))


def new_cursors() -> None:
    numbers = itertools.count()
    serve(lambda message: reply(message, {"tools": [], "nextCursor": f"c{next(numbers)}"}))


def number_cursor() -> None:
    serve(lambda message: reply(message, {"tools": [], "nextCursor": 5}))


def many_tools() -> None:
    serve(lambda message: reply(message, {"tools": [{"name": f"t{i}", "inputSchema": {}} for i in range(100_000)]}))


def deep(levels: int) -> None:
    schema = '{"properties":{"a":' * levels + "{}" + "}}" * levels
    serve(
        lambda message: say(
            f'{{"jsonrpc":"2.0","id":{message["id"]},"result":{{"tools":[{{"name":"t","inputSchema":{schema}}}]}}}}'
        )
    )


def deep_10000() -> None:
    deep(5_000)


ODD_TOOLS = [
    TOOL,
    TOOL,
    {"inputSchema": {"type": "object"}},
    {"name": "none"},
    {"name": "true", "inputSchema": True},
    {"name": "list", "inputSchema": []},
    {"name": "text", "inputSchema": "object"},
    {"name": "", "inputSchema": {}},
    {"name": 5, "inputSchema": {}},
    "tool",
    None,
    [],
    {"name": "\x1b[31mred\u202e", "inputSchema": {"type": "object"}, "unknown": {"kept": [1.5, None]}},
    {"name": "lone", "description": "a \ud800 surrogate", "inputSchema": {"type": "object"}},
]


def odd_tools() -> None:
    serve(lambda message: reply(message, {"tools": ODD_TOOLS}))


def raw_surrogate() -> None:
    """A surrogate as three raw bytes, which is not UTF-8 but reaches us from some runtimes."""

    def listing(message: dict) -> None:
        body = b'{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":"\xed\xa0\x80"}]}}\n' % message["id"]
        sys.stdout.buffer.write(body)
        sys.stdout.buffer.flush()

    serve(listing)


def not_utf8() -> None:
    def listing(message: dict) -> None:
        sys.stdout.buffer.write(b'{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":"\xff"}]}}\n' % message["id"])
        sys.stdout.buffer.flush()

    serve(listing)


def not_a_number() -> None:
    serve(lambda message: say(f'{{"jsonrpc":"2.0","id":{message["id"]},"result":{{"tools":[{{"x":NaN}}]}}}}'))


def broken_json() -> None:
    serve(lambda message: say(f'{{"jsonrpc":"2.0","id":{message["id"]},"result":{{"tools":['))


def result_text() -> None:
    serve(lambda message: reply(message, "done"))


def no_array() -> None:
    serve(lambda message: reply(message, {"tools": None}))


def error_list() -> None:
    serve(lambda message: reply(message, error={"code": -32000, "message": "boom \x1b[31m\nsecond line"}))


def error_text() -> None:
    serve(lambda message: reply(message, error="simply no"))


def dies_on_probe() -> None:
    def before(message: dict) -> None:
        if message["method"] == "server/discover":
            sys.exit(1)

    serve(before=before)


def ignores_probe() -> None:
    for message in requests():
        if message["method"] == "initialize":
            reply(message, INIT)
        elif message["method"] == "tools/list":
            reply(message, {"tools": [TOOL]})


def from_the_future() -> None:
    for message in requests():
        reply(message, error={"code": -32022, "message": "no", "data": {"supported": ["2099-01-01\x1b[31m"]}})


def refuses_everything() -> None:
    for message in requests():
        reply(message, error={"code": -32600, "message": "go away"})


def unknown_version() -> None:
    for message in requests():
        if message["method"] == "initialize":
            reply(message, {**INIT, "protocolVersion": "1.0\x1b[31m"})
        else:
            reply(message, error={"code": -32601, "message": "unknown"})


def asks_back() -> None:
    """Asks its client for things before it answers, and insists on a refusal of each."""

    def before(message: dict) -> None:
        if message["method"] != "tools/list":
            return
        say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}})
        for number, method in enumerate(("roots/list", "sampling/createMessage", "elicitation/create", "ping")):
            say({"jsonrpc": "2.0", "id": f"s{number}", "method": method, "params": {}})
            answer = read()
            assert answer["id"] == f"s{number}"
            assert ("result" in answer) == (method == "ping"), answer
            assert answer.get("error", {}).get("code", -32601) == -32601

    serve(before=before)


def asks_forever() -> None:
    def listing(message: dict) -> None:
        for number in itertools.count():
            say({"jsonrpc": "2.0", "id": number, "method": "roots/list"})

    serve(listing)


def batch() -> None:
    def listing(message: dict) -> None:
        note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {}}
        say([note, {"jsonrpc": "2.0", "id": message["id"], "result": {"tools": [TOOL]}}])

    serve(listing)


def closes_stdout() -> None:
    def listing(message: dict) -> None:
        os.close(1)
        time.sleep(600)

    serve(listing)


def last_line_unfinished() -> None:
    def listing(message: dict) -> None:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": [TOOL]}}))
        sys.stdout.flush()
        os._exit(0)

    serve(listing)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
