"""Servers over stdio, honest and hostile: what is read, what is said, and that nothing is left running."""

from __future__ import annotations

import json
import os
import sys

import anyio
import pytest
from support import SERVERS, Leash, plain_server

from mcp_governor.errors import Exit, GovernorError, ProtocolError, TargetError, UnreachableError
from mcp_governor.wire import Era, Limits, RpcError, StdioEndpoint, connect, read

PATIENT = Limits()
HINTS = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
# Short only for what never comes, so that a slow machine gives the same sentence.
NO_HANDSHAKE = Limits(connect_timeout=1.5, close_timeout=0.3)
NO_ANSWER = Limits(request_timeout=0.5, close_timeout=0.3)


# ── servers that can be read ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("era", "expected", "protocol"),
    [("both", Era.MODERN, "2026-07-28"), ("modern", Era.MODERN, "2026-07-28"), ("legacy", Era.LEGACY, "2025-06-18")],
)
def test_the_era_is_found(era: str, expected: Era, protocol: str) -> None:
    recording = read(plain_server(era=era, instructions="Be kind."))
    assert recording.era is expected
    assert recording.raw == {
        "serverInfo": {"name": "plain", "version": "1.0.0"},
        "protocolVersion": protocol,
        "capabilities": {"tools": {}},
        "instructions": "Be kind.",
        "tools": [{"name": "add", "inputSchema": {"type": "object"}, "x-unknown": [1, None]}],
        "listings": {"discover": [HINTS], "tools": [HINTS]} if expected is Era.MODERN else {},
        "conversation": {"noise": [], "requests": [], "failedLists": {}},
    }


TWO = [{"name": "a", "inputSchema": {}}, {"name": "b", "inputSchema": {}}]
PUBLIC = {**HINTS, "cacheScope": "public"}


@pytest.mark.parametrize(
    ("how", "reported"),
    [
        pytest.param({"tools": TWO, "page": 1}, [HINTS], id="pages-that-agree-are-kept-once"),
        pytest.param({"tools": TWO, "page": 1, "hints": [HINTS, PUBLIC]}, [HINTS, PUBLIC], id="pages-that-differ"),
        pytest.param({"hints": {}}, [{}], id="nothing-said-is-told"),
        pytest.param({"hints": {"nextCursor": None}}, [{"nextCursor": None}], id="a-cursor-that-ends-the-list"),
    ],
)
def test_what_results_say_besides_their_items(how, reported) -> None:
    assert read(plain_server(**how)).raw["listings"]["tools"] == reported


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_older_revision_is_spoken(version: str) -> None:
    assert read(plain_server(era="legacy", version=version)).raw["protocolVersion"] == version


@pytest.mark.parametrize(("pinned", "protocol"), [(Era.MODERN, "2026-07-28"), (Era.LEGACY, "2025-06-18")])
def test_a_pinned_era_is_kept(pinned: Era, protocol: str) -> None:
    assert read(plain_server(), era=pinned).raw["protocolVersion"] == protocol


def test_a_pinned_era_that_the_server_does_not_speak_fails() -> None:
    with pytest.raises(ProtocolError, match="refused the handshake"):
        read(plain_server(era="legacy"), era=Era.MODERN)
    with pytest.raises(ProtocolError, match="refused the handshake"):
        read(plain_server(era="modern"), era=Era.LEGACY)


def test_pages_are_put_together_and_the_empty_cursor_counts() -> None:
    tools = [{"name": f"t{number}", "inputSchema": {}} for number in range(7)]
    assert read(plain_server(tools=tools, page=2)).raw["tools"] == tools


def test_siblings_are_read_where_declared_and_only_there() -> None:
    lists = {
        "prompts/list": ["prompts", [{"name": "p"}]],
        "resources/list": ["resources", [{"uri": "file:///a"}]],
        "resources/templates/list": ["resourceTemplates", [{"uriTemplate": "file:///{x}"}]],
    }
    raw = read(plain_server(capabilities={"prompts": {}, "resources": {}, "tools": {}}, lists=lists)).raw
    assert raw["prompts"] == [{"name": "p"}]
    assert raw["resources"] == [{"uri": "file:///a"}]
    assert raw["resourceTemplates"] == [{"uriTemplate": "file:///{x}"}]
    assert "prompts" not in read(plain_server(lists=lists)).raw


def test_a_declared_list_that_fails_is_a_problem_and_not_the_end() -> None:
    recording = read(plain_server(capabilities={"prompts": {}, "resources": {}, "tools": {}}))
    assert recording.raw["prompts"] == []
    # resources/templates/list is optional within its capability.
    assert recording.raw["conversation"]["failedLists"] == {
        f"{name}/list": {"code": -32601, "message": f"no method {name}/list"} for name in ("prompts", "resources")
    }


A, B, C = ({"name": name, "inputSchema": {}} for name in "abc")


@pytest.mark.parametrize(
    ("tiers", "params", "names", "expected"),
    [
        pytest.param(
            {"advanced": [B, C]}, [{"tier": "advanced"}], "abc", {"b": "advanced", "c": "advanced"}, id="adds"
        ),
        pytest.param({"advanced": [A, C]}, [{"tier": "advanced"}], "ac", {"c": "advanced"}, id="includes-plain"),
        pytest.param({}, [{"tier": "advanced"}], "a", {}, id="ignored"),
        pytest.param(
            {"advanced": [B], "internal": [B, C]},
            [{"tier": "advanced"}, {"tier": "internal"}],
            "abc",
            {"b": "advanced", "c": "internal"},
            id="first-wins",
        ),
        pytest.param({"x": [B]}, [{"other": 1}], "a", {}, id="no-tier"),
    ],
)
def test_tiers_of_lists(tiers, params, names, expected) -> None:
    recording = read(plain_server(tools=[A], tiers=tiers), list_params=params)
    assert "".join(tool["name"] for tool in recording.raw["tools"]) == names
    assert recording.tier_of_list == expected
    asked = recording.raw.get("optIn", {})
    assert sorted(asked) == sorted(set(names) - {"a"}), "what the plain list leaves out"
    assert all(asked[name] == {"tier": tier} for name, tier in expected.items())


def test_a_tier_that_narrows_the_plain_list_is_given_to_what_it_keeps() -> None:
    recording = read(plain_server(tools=[A, B, C], tiers={"facade": [A]}), list_params=[{"tier": "facade"}])
    assert [tool["name"] for tool in recording.raw["tools"]] == ["a", "b", "c"]
    assert recording.tier_of_list == {"a": "facade"}
    assert "optIn" not in recording.raw, "every client gets them all"


def test_a_server_without_tools_is_read() -> None:
    raw = read(plain_server(capabilities={}, lists={}, tools=[])).raw
    assert raw["tools"] == []


def test_a_child_gets_a_minimal_environment_and_what_is_named(monkeypatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "do-not-pass")
    plain = plain_server()
    endpoint = StdioEndpoint(plain.command, env={"GREETING": "named"}, cwd=str(SERVERS))

    async def ask() -> dict[str, str]:
        async with connect(endpoint) as session:
            result = await session.call_tool("environment", {})
            return json.loads(result["content"][0]["text"])

    environment = anyio.run(ask)
    assert environment["GREETING"] == "named"
    assert environment["PATH"] == os.environ["PATH"]
    assert "AWS_SECRET_ACCESS_KEY" not in environment


def test_a_tool_that_asks_its_user_learns_that_the_user_declines() -> None:
    async def ask():
        async with connect(plain_server()) as session:
            result = await session.call_tool("ask", {"x": 1})
            return json.loads(result["content"][0]["text"]), session.inbox.refused

    params, refused = anyio.run(ask)
    assert params["inputResponses"] == {"q": {"action": "decline"}}
    assert params["requestState"] == "s1"
    assert params["arguments"] == {"x": 1}
    assert refused == ["elicitation/create"]


def test_an_error_of_a_request_keeps_code_text_and_data() -> None:
    async def ask() -> RpcError:
        async with connect(plain_server()) as session:
            with pytest.raises(RpcError) as caught:
                await session.request("no/such\x1b[31m")
            return caught.value

    error = anyio.run(ask)
    assert (error.code, error.text, error.data) == (-32601, "no method no/such\x1b[31m", None)
    assert "\x1b" not in error.message
    assert error.exit_code is Exit.UNREACHABLE


# ── servers that misbehave and can be read all the same ─────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "mode",
    [
        *("banner", "stderr_flood", "strange_ids", "dies_on_probe", "ignores_probe"),
        *("asks_back", "batch", "last_line_unfinished", "orphan"),
    ],
)
def test_tolerated(leash: Leash, mode: str) -> None:
    limits = Limits(probe_timeout=0.5)
    recording = read(leash.hostile(mode), limits=limits)
    assert recording.raw["tools"] == [{"name": "t", "inputSchema": {"type": "object"}}]
    assert recording.era is Era.LEGACY


def test_stubborn_servers_and_their_children_are_killed(leash: Leash) -> None:
    recording = read(leash.hostile("stubborn"), limits=Limits(close_timeout=0.3))
    assert len(recording.raw["tools"]) == 1


def test_banners_are_noted(leash: Leash) -> None:
    noise = read(leash.hostile("banner")).raw["conversation"]["noise"]
    assert noise[0] == "  *** Welcome to my server ***"
    assert "handling tools/list" in noise
    assert '{"level": "info", "msg": "starting"}' in noise


def test_tools_of_any_shape_come_through_untouched(leash: Leash) -> None:
    sys.path.insert(0, str(SERVERS))
    try:
        from hostile import ODD_TOOLS
    finally:
        sys.path.remove(str(SERVERS))
    tools = read(leash.hostile("odd_tools")).raw["tools"]
    assert tools == ODD_TOOLS
    assert tools[-1]["description"] == "a \ud800 surrogate"


# ── servers that cannot be read: class, sentence, exit code ─────────────────────────────────────────────────

AT_THE_LIST = "before it answered tools/list; it had answered initialize."

FAILURES = [
    ("exits_at_once", UnreachableError, "it exited with status 3 before it answered."),
    (
        "exits_halfway",
        UnreachableError,
        f"it exited with status 7 {AT_THE_LIST}",
    ),
    ("killed", UnreachableError, "it was ended by SIGKILL before it answered."),
    (
        "closes_stdout",
        UnreachableError,
        f"it closed its stdout {AT_THE_LIST}",
    ),
    ("silent", UnreachableError, "no response to `initialize` within 1.5 s."),
    ("deaf", UnreachableError, "no response to `initialize` within 1.5 s."),
    ("silent_on_list", UnreachableError, "no response to tools/list within 0.5 s."),
    ("asks_forever", UnreachableError, "no response to tools/list within 0.5 s."),
    ("stderr_flood_then_exit", UnreachableError, "it exited with status 1 before it answered."),
    ("from_the_future", UnreachableError, "it speaks only protocol 2099-01-01\\x1b[31m, and this version"),
    ("garbage", ProtocolError, 'it wrote 1001 lines on stdout that are not JSON-RPC (last: "1000 !! \\x1b[2J this'),
    ("wrong_ids", ProtocolError, "it answered 101 requests that were never sent (last id: 102)."),
    ("same_cursor", ProtocolError, 'tools/list repeats the cursor "again\\x1b[31m" and would never end.'),
    ("new_cursors", ProtocolError, "tools/list has more than 1,000 pages."),
    ("number_cursor", ProtocolError, "nextCursor of tools/list is not a string."),
    ("many_tools", ProtocolError, "tools/list lists more than 50,000 items."),
    ("deep_10000", ProtocolError, "the server sent a message nested deeper than 200 levels."),
    ("not_utf8", ProtocolError, "it sent a JSON-RPC message that cannot be read: not UTF-8 at byte"),
    ("not_a_number", ProtocolError, "it sent a JSON-RPC message that cannot be read: not JSON: NaN is not"),
    ("broken_json", ProtocolError, "it sent a JSON-RPC message that cannot be read: not JSON: Expecting value"),
    ("result_text", ProtocolError, "the result of tools/list is a string, not an object."),
    ("no_array", ProtocolError, 'the result of tools/list has no array "tools".'),
    ("error_list", RpcError, 'responded to tools/list with JSON-RPC error -32000: "boom \\x1b[31m second line".'),
    ("error_text", RpcError, 'responded to tools/list with JSON-RPC error 0: "simply no".'),
    ("refuses_everything", ProtocolError, "it refused the handshake: the server responded to initialize"),
    ("unknown_version", ProtocolError, "it answered initialize with protocol version '1.0\\x1b[31m', which is none"),
]


@pytest.mark.parametrize(("mode", "kind", "sentence"), FAILURES, ids=[mode for mode, _, _ in FAILURES])
def test_failures(leash: Leash, mode: str, kind: type[GovernorError], sentence: str) -> None:
    limits = NO_HANDSHAKE if "1.5 s" in sentence else NO_ANSWER if "0.5 s" in sentence else PATIENT
    with pytest.raises(kind) as caught:
        read(leash.hostile(mode), limits=limits)
    assert sentence in caught.value.message
    assert caught.value.exit_code is Exit.UNREACHABLE
    assert caught.value.hint or kind is RpcError
    assert f"hostile.py {mode}: " in caught.value.message
    assert not set("\x1b\u202e") & set(caught.value.message + caught.value.hint)


@pytest.mark.parametrize("mode", ["long_line", "endless_line"])
def test_a_message_without_end_is_refused_without_being_held(leash: Leash, mode: str) -> None:
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    limits = Limits(message_bytes=4 * 1024 * 1024)
    with pytest.raises(ProtocolError, match=r"it sent a message longer than 4,194,304 bytes\."):
        read(leash.hostile(mode), limits=limits)
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) < 60_000  # KiB; the line has 200 MB


def test_the_last_words_on_stderr_are_shown_without_secrets_and_controls(leash: Leash) -> None:
    with pytest.raises(UnreachableError) as caught:
        read(leash.hostile("stderr_flood_then_exit", TOKEN="sekret-0123456789"))
    assert caught.value.hint.endswith("the last word, with token [redacted]")
    assert len(caught.value.hint) < 6_000
    with pytest.raises(UnreachableError) as caught:
        read(leash.hostile("exits_at_once"))
    assert caught.value.hint.endswith("cannot open the database \\x1b[31m/srv/db\\x1b[0m \\u{202e}")


@pytest.mark.parametrize(
    ("endpoint", "kind", "sentence"),
    [
        (StdioEndpoint(("no-such-command-x",)), UnreachableError, "no-such-command-x: the command was not found."),
        (StdioEndpoint(()), TargetError, "the command of the server is empty."),
        (StdioEndpoint((str(SERVERS),)), UnreachableError, "the command is not executable."),
        (StdioEndpoint(("a\0b",)), UnreachableError, "the command cannot be started: embedded null byte."),
        (StdioEndpoint(("ls",), cwd="/no/such/folder"), TargetError, "/no/such/folder, does not exist."),
    ],
)
def test_commands_that_cannot_be_started(endpoint, kind, sentence) -> None:
    with pytest.raises(kind) as caught:
        read(endpoint)
    assert sentence in caught.value.message


def test_cancellation_ends_the_child(leash: Leash) -> None:
    async def work() -> None:
        with anyio.move_on_after(0.5):
            async with connect(leash.hostile("silent")):
                pass

    anyio.run(work)


def test_reading_works_inside_a_running_loop() -> None:
    async def work():
        return read(plain_server())

    assert anyio.run(work).era is Era.MODERN
