"""A server that sends too much, or for ever: a sentence and exit code 3, in bounded memory and time.

What is just accepted goes through every later stage here as well, since the limits of a reading are what keeps those
small. ``attack`` maps 2 GB at most and :meth:`Attacked.held` allows 500 MB.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from attack import MEGABYTE, Attacked, attack
from support import SERVERS, free_port, listening

FLOOD = str(SERVERS / "flood.py")


def flooded(folder: Path, command: str, mode: str, size: float = 1, *options: str, cold: bool = False) -> Attacked:
    """A command on a flood over stdio."""
    words = (*command.split(), *options, "--", sys.executable, FLOOD, mode, str(size))
    return attack(*words, cwd=folder, seconds=60, cold=cold)


@pytest.fixture(scope="module")
def web():
    port = free_port()
    with listening([sys.executable, FLOOD, "--http", str(port)], port):
        yield f"http://127.0.0.1:{port}"


REFUSED = [
    pytest.param("pages", 1, "it sent more than 33,554,432 bytes in one reading.", id="pages-of-1-MB"),
    pytest.param("pages", 0, "tools/list has more than 1,000 pages.", id="pages-for-ever"),
    pytest.param("described", 60, "it sent more than 33,554,432 bytes in one reading.", id="one-60-MB-message"),
    pytest.param("arrays", 31, "it sent more than 1,500,000 JSON values", id="31-MB-of-empty-arrays"),
    pytest.param("members", 31, "it sent more than 1,500,000 JSON values", id="31-MB-of-small-objects"),
    pytest.param("many_members", 20, "it sent more than 1,500,000 JSON values", id="values-of-many-tools"),
    pytest.param("members", 1, '"t" in tools/list has 299,6', id="one-tool-of-many-values"),
    pytest.param("emoji", 20, '"t" in tools/list has 74,2', id="one-tool-of-20-MB"),
    pytest.param(
        "nested", 0.3, "(all values added up), and at most 2,000,000 are read.", id="deep-schemas-side-by-side"
    ),
    pytest.param("cursor", 1, "nextCursor of tools/list has 1,048,576 characters", id="cursor-of-1-MB"),
    pytest.param("notifications", 0, "it sent more than 100,000 messages in one reading.", id="notifications"),
    pytest.param("requests", 0, "it sent more than 100,000 messages in one reading.", id="requests"),
    pytest.param("ids", 60, "it sent more than 33,554,432 bytes in one reading.", id="ids-of-60-MB"),
    pytest.param("methods", 1, "it sent more than 33,554,432 bytes in one reading.", id="methods-of-1-MB"),
    pytest.param("noise", 0, "it sent more than 33,554,432 bytes in one reading.", id="stdout-that-is-no-JSON"),
    pytest.param("blank", 0, "lines on stdout that are not JSON-RPC", id="blank-lines"),
    pytest.param("error", 30, "the server responded to tools/list with JSON-RPC error -32000", id="error-of-30-MB"),
]


@pytest.mark.parametrize(("mode", "size", "sentence"), REFUSED)
def test_too_much_over_stdio_is_refused(tmp_path: Path, mode: str, size: float, sentence: str) -> None:
    run = flooded(tmp_path, "snapshot", mode, size).held(3)
    assert sentence in run.err.partition("\n")[0]
    assert not list(tmp_path.iterdir())


ENDLESS = [
    pytest.param("stderr", id="stderr"),
    pytest.param("trickle", id="one-byte-after-the-other"),
]


@pytest.mark.parametrize("mode", ENDLESS)
def test_an_answer_that_never_ends_is_waited_for_in_vain_and_not_for_long(tmp_path: Path, mode: str) -> None:
    run = flooded(tmp_path, "snapshot", mode, 0, "--timeout", "1").held(3, peak=100 * MEGABYTE)
    assert "no response to tools/list within 1 s." in run.err


OVER_HTTP = [
    pytest.param("json/arrays/31", 20, "it sent more than 1,500,000 JSON values", id="values"),
    pytest.param("json/described/60", 20, "it sent more than 33,554,432 bytes in one reading.", id="body"),
    pytest.param("json/pages/1", 20, "it sent more than 33,554,432 bytes in one reading.", id="pages"),
    pytest.param("json/headers/0", 20, "the connection was lost: Receive buffer too long.", id="headers"),
    pytest.param("json/trickle/0", 1, "no response to tools/list within 1 s.", id="trickle"),
    pytest.param("stream/arrays/31", 20, "it sent more than 1,500,000 JSON values", id="event-of-values"),
    pytest.param("stream/comments/0", 20, "it sent more than 33,554,432 bytes in one reading.", id="comments"),
    pytest.param("stream/lines/0", 20, "it sent more than 33,554,432 bytes in one reading.", id="event-of-lines"),
    pytest.param("stream/methods/1", 20, "it sent more than 33,554,432 bytes in one reading.", id="requests"),
    pytest.param("stream/trickle/0", 1, "no response to tools/list within 1 s.", id="keep-alives"),
    pytest.param("sse/comments/0", 20, "it sent more than 33,554,432 bytes in one reading.", id="sse-comments"),
    pytest.param("sse/pages/1", 20, "it sent more than 33,554,432 bytes in one reading.", id="sse-pages"),
]


@pytest.mark.parametrize(("path", "seconds", "sentence"), OVER_HTTP)
def test_too_much_over_http_is_refused(tmp_path: Path, web: str, path: str, seconds: int, sentence: str) -> None:
    run = attack("snapshot", "--timeout", str(seconds), f"{web}/{path}", cwd=tmp_path).held(3)
    assert sentence in run.err.partition("\n")[0]


ACCEPTED = [
    # A surface is written with two spaces for each level.
    pytest.param("snapshot", "honest", 26, 0, id="10,000-tools"),
    pytest.param("snapshot", "many_emoji", 7, 0, id="texts-of-wide-characters"),
    pytest.param("snapshot", "many_nested", 4, 0, id="deep-schemas"),
    pytest.param("lint", "many_members", 6, 1, id="lists-of-small-objects"),
    pytest.param("lint", "nested", 0.18, 1, id="negations-of-negations"),
    pytest.param("lint", "properties", 0.45, 1, id="40,000-properties"),
    pytest.param("check", "many_described", 1, 1, id="descriptions-of-3-MB"),
]


@pytest.mark.parametrize(("command", "mode", "size", "code"), ACCEPTED)
def test_the_largest_that_is_read_fits_into_every_stage(
    tmp_path: Path, command: str, mode: str, size: float, code: int
) -> None:
    flooded(tmp_path, command, mode, size).held(code)


def test_findings_about_very_many_places_are_counted(tmp_path: Path) -> None:
    run = flooded(tmp_path, "lint", "wide", 0.02, "--format", "json").held(1)
    untyped = [finding for finding in run.report["findings"] if finding["rule"] == "clarity/typed-argument"]
    assert len(untyped) == 1_001
    (rest,) = (finding for finding in untyped if not finding["path"])
    # "p0":{}, has 8 characters, and a number has a digit more from each power of ten on.
    places = next(n for n in range(10_000) if sum(len(f'"p{m}":{{}},') for m in range(n + 1)) > 0.02 * MEGABYTE) + 1
    assert rest["message"] == f"The same applies to {places - 1_000:,} more places, not listed."
    assert rest["severity"] == untyped[0]["severity"]


def test_what_a_server_may_ask_with_is_bounded_and_not_sent_back(tmp_path: Path) -> None:
    # 100 requests, with ids of 300 KB: 30 MB are read, and none is written.
    flooded(tmp_path, "snapshot", "ids", 0.3, cold=True).held(0, peak=60 * MEGABYTE)
    flooded(tmp_path, "snapshot", "methods", 0.3, cold=True).held(0, peak=60 * MEGABYTE)


def test_a_result_of_60_megabytes_is_a_finding(tmp_path: Path) -> None:
    run = flooded(tmp_path, "call", "small", 60).held(4, peak=100 * MEGABYTE)
    assert "it sent more than 12,582,912 bytes for one call." in run.out


def test_the_results_of_all_calls_are_bounded_together(tmp_path: Path) -> None:
    run = flooded(tmp_path, "call", "calls", 7).held(1, peak=300 * MEGABYTE)
    assert "its results take more than 67,108,864 bytes of memory, all calls together." in run.out


OBJECT = """
from mcp.server.lowlevel import Server
import mcp.types as types

async def listed(*_):
    schema = {"type": "object", "properties": {"a": {"enum": [[] for _ in range(200_000)]}}}
    return types.ListToolsResult(tools=[types.Tool(name="t", inputSchema=schema)])

try:
    server = Server("object", on_list_tools=listed)
except TypeError:  # SDK 1.x
    server = Server("object")
    server.list_tools()(listed)
"""


def test_a_server_object_has_the_same_limits(tmp_path: Path) -> None:
    (tmp_path / "hostile_object.py").write_text(OBJECT)
    run = attack("snapshot", "python:hostile_object:server", cwd=tmp_path).held(3)
    assert '"t" in tools/list has 200,0' in run.err
