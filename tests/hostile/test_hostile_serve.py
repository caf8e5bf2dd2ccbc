"""The agent that talks to `serve` is hostile: every line is answered, every call ends, nothing grows or stays."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

import anyio
import pytest
from attack import MEGABYTE, PEAK
from replacing import replace
from support import Leash

from mcp_governor.server import build_server
from mcp_governor.server.pool import CrashError, Pool
from mcp_governor.server.tools import TOOLS

COMMAND = [sys.executable, "-m", "mcp_governor", "serve"]
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="memory and processes are read from /proc")
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
TOOL = {"name": "find", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}}}
SAME = {"old_tools": [TOOL], "new_tools": [TOOL]}
PATIENCE = 60.0
SPIN = "while True: pass"
CHILD = "subprocess.Popen([sys.executable, '-c', 'while True: pass'])"


def patch_comparison(folder: Path, statement: str) -> None:
    """What every Python runs at its start that has the folder on its path: a comparison does something else."""
    body = f"import subprocess, sys, time\ndef compare(*_, **__):\n    {statement}\n"
    (folder / "sitecustomize.py").write_text(body + "import mcp_governor.change as change\nchange.compare = compare\n")


class Client:
    """A session that may send anything.

    Args:
        tmp_path: for what a worker runs at its start.
        compare: a statement that runs in place of a comparison, in the worker.
    """

    def __init__(self, tmp_path: Path, compare: str = "", reads: bool = True) -> None:
        self.leash = Leash()
        env = {**os.environ, "MCP_GOVERNOR_TEST": self.leash.mark}
        if compare:
            patch_comparison(tmp_path, compare)
            env["PYTHONPATH"] = str(tmp_path)
        self.process = subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=tmp_path
        )
        self.answers: queue.SimpleQueue[dict] = queue.SimpleQueue()
        self.other: list[dict] = []
        if reads:
            threading.Thread(target=self._read, daemon=True).start()
            self.send({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": HELLO})
            assert "result" in self.answer("hello")

    def _read(self) -> None:
        for line in self.process.stdout:
            self.answers.put(json.loads(line))

    def send(self, *messages: dict | bytes) -> None:
        lines = (line if isinstance(line, bytes) else json.dumps(line).encode() for line in messages)
        self.process.stdin.write(b"".join(line + b"\n" for line in lines))
        self.process.stdin.flush()

    def call(self, number: int, tool: str = "compare_surfaces", arguments: dict | None = None) -> None:
        params = {"name": tool, "arguments": SAME if arguments is None else arguments}
        self.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})

    def answer(self, number: object, seconds: float = PATIENCE) -> dict:
        """The answer to a request; what comes before it is kept in ``other``."""
        deadline = time.monotonic() + seconds
        while True:
            for message in self.other:
                if message.get("id") == number:
                    self.other.remove(message)
                    return message
            try:
                self.other.append(self.answers.get(timeout=max(0.0, deadline - time.monotonic())))
            except queue.Empty:
                raise AssertionError(f"{number} was not answered within {seconds} s, but {self.other}") from None

    def envelope(self, number: object) -> dict:
        return self.answer(number)["result"]["structuredContent"]

    def workers(self) -> int:
        """Processes apart from the server itself."""
        return len(self.leash.running()) - 1

    def until(self, condition, seconds: float = 10.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, self.leash.running()
            time.sleep(0.02)


@contextlib.contextmanager
def sessions(folder: Path):
    """Opens sessions; afterwards nothing of them runs."""
    opened: list[Client] = []

    def opens(**how) -> Client:
        opened.append(Client(folder, **how))
        return opened[-1]

    yield opens
    for session in opened:
        session.process.kill()
        session.process.wait()
        for pipe in (session.process.stdin, session.process.stdout, session.process.stderr):
            with contextlib.suppress(OSError):
                pipe.close()
    for session in opened:
        assert session.leash.left_behind() == []


@pytest.fixture
def client(tmp_path):
    with sessions(tmp_path) as opens:
        yield opens


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One session for tests that leave it as they found it."""
    with sessions(tmp_path_factory.mktemp("shared")) as opens:
        yield opens()


def request(number, **params) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping", "params": params}).encode()


def wrapped(number: int, value: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"x":%s}}' % (number, value)


PARSE, INVALID = -32700, -32600
UNREADABLE = {
    "cut off": (b"{", None, PARSE),
    "text": (b"nonsense", None, PARSE),
    "empty batch": (b"[]", None, INVALID),
    "batch": (b"[" + request(1) + b"]", None, INVALID),
    "a number": (b"5", None, INVALID),
    "not UTF-8": (b'{"jsonrpc":"2.0","id":2,"method":"\xff"}', None, PARSE),
    "UTF-16": ('{"jsonrpc":"2.0"}'.encode("utf-16"), None, PARSE),
    "NUL": (b'{"jsonrpc":"2.0","id":3,"method":"pi\0ng"}', None, PARSE),
    "half a pair": (wrapped(4, rb'"\ud800"'), 4, INVALID),
    "half a pair in a key": (wrapped(5, rb'{"\uDFFF":1}'), 5, INVALID),
    "half a pair as the id": (rb'{"jsonrpc":"2.0","id":"\ud800","method":"ping"}', None, INVALID),
    "deep": (wrapped(6, b"[" * 201 + b"]" * 201), 6, INVALID),
    "deeper than Python reads": (wrapped(7, b'[{"a":' * 100_000 + b"1" + b"}]" * 100_000), 7, INVALID),
    "deep, the id last": (b'{"x":' + b"[" * 9_999 + b"]" * 9_999 + b',"id":"z","method":"ping"}', "z", INVALID),
    "deep, another id inside": (b'{"x":{"id":8,"y":' + b"[" * 999 + b"]" * 999 + b'},"id":9}', 9, INVALID),
    "deep and cut off": (b'{"id":10,"x":' + b"[" * 100_000, 10, INVALID),
    "infinite": (wrapped(11, b"1e999"), 11, INVALID),
    "NaN": (wrapped(12, b"NaN"), None, PARSE),
    "5,000 digits": (wrapped(13, b"9" * 5_000), 13, INVALID),
    "long": (wrapped(14, b'"' + b"x" * (5 * MEGABYTE) + b'"'), 14, INVALID),
    "long string with no end": (b'{"id":15,"x":"' + rb"\"" * (2 * MEGABYTE + 99), 15, INVALID),
    "many values": (wrapped(16, b"[" + b"[]," * (MEGABYTE) + b"[]]"), 16, INVALID),
    "params of another shape": (b'{"jsonrpc":"2.0","id":17,"method":"ping","params":[1]}', 17, INVALID),
    "no version": (b'{"id":18,"method":"ping"}', 18, INVALID),
    "a method that is a number": (b'{"jsonrpc":"2.0","id":19,"method":5}', 19, INVALID),
    "no method": (b'{"jsonrpc":"2.0","id":20}', 20, INVALID),
    "id null": (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, INVALID),
    "id true": (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, INVALID),
    "id with a fraction": (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, INVALID),
    "id an object": (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', None, INVALID),
    "id of 2**70": (b'{"jsonrpc":"2.0","id":1180591620717411303424,"method":"ping"}', None, INVALID),
    "id of 300 characters": (request("i" * 300), None, INVALID),
}


def test_every_line_is_answered_and_the_session_goes_on(shared):
    session = shared
    for name, (line, number, code) in UNREADABLE.items():
        session.send(line, request(f"after {name}"))
        assert session.answer(f"after {name}")["result"] == {}, name
        (reported,) = session.other
        session.other.clear()
        assert (reported["id"], reported["error"]["code"]) == (number, code), (name, reported)
        assert len(reported["error"]["message"]) < 200, name


def test_what_is_merely_unusual_is_read(shared):
    session = shared
    session.send(
        b"", b"  \t ", b"\r", b"\xef\xbb\xbf" + request(1), request(2) + b"\r", request(3, x="\U0001f600\0\u2028")
    )
    session.send({"jsonrpc": "2.0", "id": 99, "result": {}})
    assert [session.answer(number)["result"] for number in (1, 2, 3)] == [{}, {}, {}]
    assert session.other == []


def test_unreadable_lines_before_the_first_request_are_answered(client, tmp_path):
    session = client(reads=False)
    out, _ = session.process.communicate(b"nonsense\n[]\n" + wrapped(1, rb'"\ud800"') + b"\n", timeout=PATIENCE)
    assert [json.loads(line)["error"]["code"] for line in out.splitlines()] == [PARSE, INVALID, INVALID]


def test_an_id_may_be_used_again_but_not_twice_at_a_time(client):
    session = client(compare="time.sleep(1)")
    session.call(1)
    # 1 and "1" are one id to the SDK
    session.send(request("1"), request(2))
    assert session.answer("1")["error"]["code"] == INVALID
    assert session.answer(2)["result"] == {}
    session.send(request(2))
    assert session.answer(2)["result"] == {}
    # what sleeps returns nothing, which a tool may not
    assert session.envelope(1)["error"]["kind"] == "internal_error"
    session.send(request(1))
    assert session.answer(1)["result"] == {}


@LINUX
@pytest.mark.parametrize("work", [SPIN, f"{CHILD}.wait()", "time.sleep(600)"])
def test_a_cancelled_call_stops_at_once_with_all_that_it_started(client, work):
    session = client(compare=work)
    session.call(1)
    session.until(lambda: session.workers() >= (2 if "Popen" in work else 1))
    session.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    session.until(lambda: session.workers() == 0)
    session.call(2, "list_rules", {"pack": "charter"})
    assert session.envelope(2)["status"] == "success"
    assert session.other == [], "a cancelled request is not answered"


def test_a_call_beyond_its_seconds_is_reported_with_what_to_do(tmp_path, monkeypatch):
    patch_comparison(tmp_path, SPIN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    tool = TOOLS["compare_surfaces"]
    monkeypatch.setitem(TOOLS, "compare_surfaces", replace(tool, seconds=1.5))
    pool = Pool()
    result = anyio.run(build_server(pool).call_tool, "compare_surfaces", SAME)
    error = result.structured_content["error"]
    assert error["kind"] == "cost_cap_exceeded"
    assert "1.5 seconds" in error["message"]
    assert error["recovery"]["suggested_tool"] == "list_rules"
    assert pool.size == 0, "the worker was ended"


@LINUX
@pytest.mark.parametrize(
    ("work", "said"),
    [
        ("x = []\n    while True: x.append('y' * 1_000_000)", "more memory"),
        ("import os; os.abort()", "more memory"),
        ("from types import SimpleNamespace as N; from mcp_governor.findings import Bump; "
         "return [N(kind='k', tool='t', path='p', verdict=N(value='breaking'), message='m' * 1_000_000, "
         "has_witness=False, bump=Bump.MAJOR)]", "result is larger"),
    ],
)  # fmt: skip
def test_a_call_beyond_its_memory_or_its_result_is_refused(client, work, said):
    session = client(compare=work)
    session.call(1)
    error = session.envelope(1)["error"]
    assert error["kind"] == "cost_cap_exceeded"
    assert said in error["message"]
    session.call(2, "list_rules", {"pack": "charter"})
    assert session.envelope(2)["status"] == "success"


def test_arguments_beyond_their_bytes_are_refused(shared):
    session = shared
    for number, (tool, arguments) in enumerate(
        [
            ("list_rules", {"pack": "x" * 60, "response_format": "concise", "unknown": "y" * 1_000_000}),
            ("lint_description", {"name": "n", "description": "d", "other_tools": ["x" * 600_000]}),
            ("compare_surfaces", {"old_tools": [{"name": "x" * 3_000_000}], "new_tools": []}),
            # the SDK reads JSON out of texts
            ("compare_surfaces", {"old_tools": '[{"a":1e999}]', "new_tools": []}),
            ("compare_surfaces", {"old_tools": r'[{"a":"\ud800"}]', "new_tools": []}),
            ("compare_surfaces", {"old_tools": '[{"a":' + "[" * 250 + "]" * 250 + "}]", "new_tools": []}),
        ]
    ):
        session.call(number, tool, arguments)
        answer = session.answer(number)["result"]
        assert answer["isError"] is True
        assert f"{tool} refuses the call: " in answer["content"][0]["text"]


def resident(mark: str) -> int:
    """Bytes that the processes with a mark have in memory, what they share counted once."""
    total = 0
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"={mark}".encode() in (process / "environ").read_bytes():
                fields = dict(line.split(":", 1) for line in (process / "smaps_rollup").read_text().splitlines()[1:])
                total += int(fields["Pss"].split()[0]) * 1024
    return total


@LINUX
def test_sixty_calls_of_60_kilobytes_at_once_stay_small(client):
    """Took 4.7 GB: each needed 78 MB, and all of them were at work at once."""
    session = client(compare="x = [b'x' * 1_000_000 for _ in range(40)]; time.sleep(0.05); return []")
    arguments = {"old_tools": [{**TOOL, "description": "d" * 30_000}], "new_tools": [{**TOOL, "title": "t" * 30_000}]}
    peak = 0
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.05):
            peak = max(peak, resident(session.leash.mark))

    watcher = threading.Thread(target=watch)
    watcher.start()
    for number in range(60):
        session.call(number, arguments=arguments)
    try:
        results = [session.answer(number, 60.0)["result"] for number in range(60)]
    finally:
        done.set()
        watcher.join()
    assert 0 < peak < PEAK, f"{peak / MEGABYTE:.0f} MB"
    assert {result["structuredContent"]["status"] for result in results} == {"empty"}


def test_calls_beyond_those_that_may_wait_are_refused_at_once(client):
    session = client(compare="time.sleep(9); return []")
    for number in range(80):
        session.call(number)
    refused = [session.answer(number)["result"] for number in range(66, 80)]
    assert all(result["isError"] for result in refused)
    assert all("too many calls are pending" in result["content"][0]["text"] for result in refused)
    # two are at work and 64 wait
    assert session.other == []


def test_requests_beyond_those_that_may_be_open_are_refused(client):
    session = client(compare="time.sleep(9); return []")
    for number in range(300):
        # it is answered when the session ends
        listen = {"notifications": {"toolsListChanged": True}}
        session.send({"jsonrpc": "2.0", "id": number, "method": "subscriptions/listen", "params": listen})
        session.call(1000 + number)
    reported = session.answer(1299)
    assert (
        reported["error"]["code"] == INVALID
        if "error" in reported
        else "too many" in str(reported["result"]["content"])
    )


def test_more_bytes_than_may_be_open_are_refused_and_taken_after_a_cancellation(client):
    session = client(compare="time.sleep(9); return []")
    large = {"old_tools": [{**TOOL, "description": "d" * 1_900_000}], "new_tools": []}
    for number in range(12):
        session.call(number, arguments=large)
    reported = session.answer(11)
    assert reported["error"]["code"] == INVALID
    assert "too many requests are pending" in reported["error"]["message"]
    for number in range(11):
        session.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
    session.call(12, "list_rules", {})
    assert session.envelope(12)["status"] == "success"


@LINUX
@pytest.mark.parametrize("work", ["", SPIN, f"{CHILD}.wait()"])
def test_nothing_outlives_the_client(client, work):
    """Took 21 s."""
    session = client(compare=work)
    if work:
        for number in range(8):
            session.call(number)
        session.until(lambda: session.workers() >= 2)
    start = time.monotonic()
    session.process.stdin.close()
    assert session.process.wait(PATIENCE) == 0
    session.until(lambda: session.leash.running() == [])
    # one second is the promise; the machine may be busy
    assert time.monotonic() - start < 5


@LINUX
def test_workers_end_when_the_server_is_killed(client):
    session = client(compare=f"{CHILD}\n    {SPIN}")
    session.call(1)
    session.call(2)
    session.until(lambda: session.workers() == 4)
    session.process.kill()
    session.until(lambda: session.leash.running() == [])


@LINUX
def test_a_client_that_does_not_read_costs_nothing_and_is_left(client):
    session = client(reads=False)
    hello = json.dumps({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": HELLO}).encode() + b"\n"
    call = {"name": "list_rules", "arguments": {"response_format": "detailed"}}
    lines = [{"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": call} for n in range(2_000)]
    os.set_blocking(session.process.stdin.fileno(), False)
    rest = memoryview(hello + b"".join(json.dumps(line).encode() + b"\n" + b"nonsense\n" * 50 for line in lines))
    moved = time.monotonic()
    while rest and time.monotonic() < moved + 2:
        with contextlib.suppress(BlockingIOError):
            rest = rest[os.write(session.process.stdin.fileno(), rest[:65_536]) :]
            moved = time.monotonic()
        time.sleep(0.001)
    assert rest, "it read more than it could answer"
    assert resident(session.leash.mark) < PEAK
    session.process.stdin.close()
    assert session.process.wait(PATIENCE) == 0


def test_a_client_that_closes_our_stdout_is_left(client):
    session = client(reads=False)
    session.process.stdout.close()
    session.send(b"nonsense", b"nonsense")
    assert session.process.wait(PATIENCE) == 0


@pytest.mark.skipif(os.name != "posix", reason="closes descriptors as a shell does")
@pytest.mark.parametrize(("closed", "code"), [("0<&-", 2), ("1>&-", 2), ("2>&-", 0)])
def test_a_closed_stream_is_not_a_crash(closed, code):
    line = f'echo "{{" | "{sys.executable}" -m mcp_governor serve {closed}'
    done = subprocess.run(["sh", "-c", line], capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == code
    if code == 0:
        assert json.loads(done.stdout)["error"]["code"] == PARSE
    else:
        assert b"standard input and output" in done.stderr


def test_stderr_that_nobody_reads_stops_nothing(client):
    session = client(compare="1 / 0")
    # A pipe holds 64 KB, and these write 85.
    for number in range(180):
        session.call(number, "no_such_tool", {})
        session.call(1000 + number)
        session.answer(number)
        assert session.envelope(1000 + number)["error"]["kind"] == "internal_error"


def test_what_a_worker_prints_is_not_on_our_stderr(capfd):
    async def broken():
        pool = Pool()
        try:
            with pytest.raises(CrashError):
                await pool.call("list_rules", b"{", PATIENCE)
        finally:
            pool.close()

    anyio.run(broken)
    assert capfd.readouterr().err == ""
